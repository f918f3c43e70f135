//! Agents are set up by the person alone: log-ins whose keys nobody sees, and settings in a file that is kept as it is.

use std::{fmt::Write as _, sync::Arc};

use openspace_command::{Caller, CallerKind};
use openspace_workspace::permission::Profile;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::{
    chat::puppet::Puppet,
    support::{AgentsText, Bench, PolicyText, Settings, agent, asking, person},
};

const KEY: &str = "Kx-81-zq0-aFmW-Lr7-typed-by-a-person";
const CODE: &str = "Pc-55-code-of-a-page-Uu3";

async fn bench(settings: Settings, puppet: &Arc<Puppet>) -> Bench {
    let bench = Bench::with(settings, &[("a.txt", "one\n")]).await;
    let puppet = Arc::clone(puppet);
    bench.dispatcher().state().conversations().hand_in("opencode", puppet);
    bench
}

fn log_in() -> Value {
    json!({ "provider": "strings", "key": KEY, "agent": "opencode" })
}

/// Every command that sets something up, with arguments that a person could give.
fn deeds() -> Vec<(&'static str, Value)> {
    vec![
        ("chat.log_in", log_in()),
        ("chat.log_out", json!({ "provider": "strings", "agent": "opencode" })),
        ("chat.open_log_in", json!({ "provider": "strings", "way": 1, "agent": "opencode" })),
        (
            "chat.finish_log_in",
            json!({ "provider": "strings", "way": 1, "code": CODE, "agent": "opencode" }),
        ),
        ("chat.configure", json!({ "agent": "opencode", "outside": true })),
    ]
}

#[tokio::test]
async fn a_key_goes_to_the_agent_and_to_nobody_else() {
    let puppet = Puppet::echo();
    let bench = bench(asking(Profile::Careful, PolicyText::of("")), &puppet).await;
    let mut view = bench.attach();
    let listed = bench.as_person("chat.providers", json!({ "agent": "opencode" })).await;
    let first = &listed["providers"][0];
    assert_eq!((&first["id"], &first["isConnected"]), (&json!("bells"), &json!(false)));

    let mut said = String::new();
    let set_up = bench.as_person("chat.log_in", log_in()).await;
    let provider = json!({
        "id": "strings", "name": "STRINGS", "isConnected": true, "source": "api", "hasKey": true,
        "variables": ["STRINGS_KEY"], "models": 2,
        "logIns": [
            { "label": "API key", "isByKey": true, "asks": [] },
            { "label": "In a page", "isByKey": false, "asks": [] },
        ],
    });
    assert_eq!(
        set_up,
        json!({ "success": true, "agent": "opencode", "provider": provider, "isInUse": true })
    );
    said += &set_up.to_string();
    assert_eq!(puppet.keys(), [("strings".to_owned(), KEY.to_owned())]);

    let page = json!({ "provider": "bells", "way": 1, "agent": "opencode" });
    let opened = bench.as_person("chat.open_log_in", page).await;
    assert_eq!(
        opened,
        json!({ "success": true, "url": "https://bells.example/1", "instructions": "Say yes.", "givesCode": true })
    );
    let finish = json!({ "provider": "bells", "way": 1, "code": CODE, "agent": "opencode" });
    said += &bench.as_person("chat.finish_log_in", finish).await.to_string();
    assert_eq!(puppet.keys()[1], ("bells".to_owned(), CODE.to_owned()));

    // What is no key is refused without a word of it, and what an agent reads has it masked.
    for wrong in [json!({ "inner": KEY }), json!([KEY]), json!(format!("{KEY}\n{KEY}"))] {
        let args = json!({ "provider": "strings", "key": wrong });
        let refused = bench.as_person("chat.log_in", args).await;
        assert_eq!(refused["kind"], "invalid_args");
        said += &refused.to_string();
    }
    let args = json!({ "provider": KEY, "key": KEY, "agent": "opencode" });
    drop(bench.as_person("chat.log_in", args).await);
    let begun = bench.as_person("chat.create", json!({ "agent": "opencode" })).await;
    let words = json!({ "session": begun["address"], "text": KEY, "wait": true });
    drop(bench.as_person("chat.send", words).await);
    let read = bench.reply(agent(), "chat.read", json!({ "session": begun["address"] })).await;
    assert!(read.to_text().contains("⟨secret"), "{}", read.to_text());
    said += &read.to_value().to_string();

    for event in view.listener.now().unwrap_or_default() {
        write!(said, "{:?}", event.read()).unwrap();
    }
    let records = serde_json::to_string(&bench.audit().await).unwrap();
    assert!(records.contains("log in to strings"), "{records}");
    said += &records;
    said += &String::from_utf8_lossy(&bench.kept());
    for secret in [KEY, CODE] {
        assert!(!said.contains(secret), "{secret} is in what was told or kept");
    }
}

#[tokio::test]
async fn nobody_but_the_person_sets_anything_up_and_nobody_is_asked() {
    let asked = |profile| asking(profile, PolicyText::of(""));
    for settings in [asked(Profile::Careful), asked(Profile::Trusting), Settings::default()] {
        let puppet = Puppet::echo();
        let settings = Settings { agents_file: AgentsText::of("# mine\n"), ..settings };
        let file = Arc::clone(&settings.agents_file);
        let bench = bench(settings, &puppet).await;
        let kinds = [CallerKind::Agent, CallerKind::Script, CallerKind::Bridge];
        for kind in kinds {
            for (command, args) in deeds() {
                let caller = Caller::new(kind, "other", None);
                let refused = bench.reply(caller, command, args.clone()).await.to_value();
                assert_eq!(refused["success"], false, "{command} by {kind:?}: {refused}");
                assert!(
                    ["denied", "policy"].contains(&refused["kind"].as_str().unwrap()),
                    "{command} by {kind:?}: {refused}"
                );
                let run = json!({ "command": command, "arguments": args });
                let caller = Caller::new(kind, "other", None);
                let by_another = bench.reply(caller, "command.run", run).await.to_value();
                assert_eq!(by_another["success"], false, "{command} by {kind:?}: {by_another}");
            }
        }
        let settings = bench.reply(agent(), "chat.settings", json!({})).await.to_value();
        assert_eq!(settings["kind"], "denied");
        let waiting = bench.as_person("approval.list", json!({})).await;
        assert_eq!(waiting["approvals"], json!([]));
        assert_eq!((puppet.keys(), file.text().as_str()), (vec![], "# mine\n"));
    }
}

#[tokio::test]
async fn a_log_in_while_the_agent_works_says_that_it_counts_later() {
    let puppet = Puppet::silent();
    let bench = bench(Settings::default(), &puppet).await;
    let begun = bench.as_person("chat.create", json!({ "agent": "opencode" })).await;
    let words = json!({ "session": begun["address"], "text": "hello" });
    drop(bench.as_person("chat.send", words).await);
    let answer = puppet.begin(&"ses_1".into());
    let set_up = bench.as_person("chat.log_in", log_in()).await;
    assert_eq!((&set_up["success"], &set_up["isInUse"]), (&json!(true), &json!(false)));
    puppet.ends(&"ses_1".into(), &answer, "Done.", None);
    let text = bench.reply(person(), "chat.log_in", log_in()).await.to_text();
    assert_eq!(text, "strings  STRINGS (connected, logged in; 2 models)");

    let forgotten = bench.as_person("chat.log_out", json!({ "provider": "strings" })).await;
    assert_eq!(forgotten["provider"]["isConnected"], false, "{forgotten}");
    let nobody = bench.as_person("chat.log_out", json!({ "provider": "nobody" })).await;
    assert_eq!(nobody["kind"], "not_found");
}

#[tokio::test]
async fn what_is_set_stands_in_the_persons_file_and_all_else_stays() {
    let text = "# my agents\n[run.claude]\noutside = true # for now\n";
    let settings = Settings { agents_file: AgentsText::of(text), ..Settings::default() };
    let file = Arc::clone(&settings.agents_file);
    let puppet = Puppet::echo();
    let bench = bench(settings, &puppet).await;
    let args = json!({
        "agent": "opencode", "isDefault": true, "ownTools": false, "model": "strings/long",
        "smallModel": "strings/short",
    });
    let set = bench.as_person("chat.configure", args).await;
    assert_eq!(set["agent"]["needsRestart"], true, "{set}");
    assert_eq!(set["file"], "agents.toml of a test");
    let expected = format!(
        "default = \"opencode\"\n{text}\n[run.opencode]\nown_tools = false\nmodel = \"strings/long\"\n\
         small_model = \"strings/short\"\n"
    );
    assert_eq!(file.text(), expected);

    let told = bench.as_person("chat.settings", json!({})).await;
    let of = |id: &str| {
        let agents = told["agents"].as_array().unwrap();
        agents.iter().find(|agent| agent["id"] == id).unwrap().clone()
    };
    assert_eq!((&told["default"], &told["wrong"]), (&json!("opencode"), &json!([])));
    assert_eq!(
        of("opencode"),
        json!({
            "id": "opencode", "program": "opencode", "outside": false, "ownTools": false,
            "address": null, "isAddressFixed": false, "model": "strings/long",
            "smallModel": "strings/short", "whyOwnTools": null, "whyNoModels": null,
        })
    );
    assert_eq!(of("claude")["outside"], true);

    let back = json!({ "agent": "opencode", "isDefault": false, "ownTools": true, "model": "", "smallModel": "" });
    let set = bench.as_person("chat.configure", back).await;
    assert_eq!(set["agent"]["needsRestart"], false, "{set}");
    assert_eq!(file.text(), format!("{text}\n[run.opencode]\nown_tools = true\n"));
}

#[tokio::test]
async fn what_cannot_be_set_is_refused_and_the_file_stays() {
    let puppet = Puppet::echo();
    let cases = [
        (json!({ "agent": "nobody", "outside": true }), "not_found"),
        (json!({ "agent": "claude", "ownTools": false }), "unsupported"),
        (json!({ "agent": "claude", "model": "a/b" }), "unsupported"),
        (json!({ "agent": "claude", "address": "http://127.0.0.1:1" }), "unsupported"),
        (json!({ "agent": "opencode", "address": "https://far.example" }), "invalid_args"),
        (json!({ "agent": "opencode", "address": "http://me:pw@127.0.0.1:1" }), "invalid_args"),
        (json!({ "agent": "opencode", "model": "no-provider" }), "invalid_args"),
        (json!({ "agent": "opencode", "model": "a/b#high" }), "invalid_args"),
    ];
    for text in ["# as it was\n", "not TOML at all"] {
        let settings = Settings { agents_file: AgentsText::of(text), ..Settings::default() };
        let file = Arc::clone(&settings.agents_file);
        let bench = bench(settings, &puppet).await;
        for (args, kind) in &cases {
            let refused = bench.as_person("chat.configure", args.clone()).await;
            assert_eq!(refused["kind"], *kind, "{args}: {refused}");
        }
        if text.starts_with("not") {
            let args = json!({ "agent": "opencode", "outside": true });
            let refused = bench.as_person("chat.configure", args).await;
            assert_eq!(refused["kind"], "conflict", "{refused}");
            assert_eq!(refused["hint"], "mend the file by hand, or set it there");
        }
        assert_eq!(file.text(), text);
    }
}
