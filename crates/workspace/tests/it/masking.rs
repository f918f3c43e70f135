//! What agents get of secrets, through every way in which they get text.

use openspace_command::{Call, Progress};
use openspace_isolation::Provider;
use openspace_workspace::permission::Profile;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::approvals::Waiting;
use crate::support::{
    Bench, PolicyText, Settings, agent, asking, in_time, instructions, on_disk, person,
};

/// Nobody made it up, and no rule knows its form.
const ROLLED: &str = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLa1B2c3";
const MASK: &str = "⟨secret SERVICE_KEY of .env⟩";
const TOLD: &str = "(1 secret is masked: ⟨secret …⟩ stands in its place)";

fn files() -> [(&'static str, &'static str); 4] {
    [
        (".env", "SERVICE_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLa1B2c3\nPORT=3000\nNAME=app\n"),
        (".gitignore", ".env\nlocal/\n"),
        ("local/deep/secrets.yaml", "password: swordfish\n"),
        (
            "config.py",
            "port = 3000\nkey = \"wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLa1B2c3\"\nname = \"app\"\n",
        ),
    ]
}

/// The answer to an agent and to a person.
async fn both(bench: &Bench, command: &str, args: Value) -> (Value, Value) {
    let of_agent = bench.reply(agent(), command, args.clone()).await.to_value();
    (of_agent, bench.reply(person(), command, args).await.to_value())
}

#[tokio::test]
async fn what_a_program_prints_is_masked_for_an_agent_and_not_for_a_person() {
    let bench = Bench::open(&files()).await;
    let print = json!({"command": "cat .env; cat local/deep/*"});
    let (of_agent, of_person) = both(&bench, "workspace.bash", print.clone()).await;
    let printed = format!(
        "SERVICE_KEY={MASK}\nPORT=3000\nNAME=app\npassword: ⟨secret password of local/deep/secrets.yaml⟩\n"
    );
    assert_eq!((&of_agent["stdout"], &of_agent["masked"]), (&json!(printed), &json!(2)));
    let printed = format!("SERVICE_KEY={ROLLED}\nPORT=3000\nNAME=app\npassword: swordfish\n");
    assert_eq!((&of_person["stdout"], &of_person["masked"]), (&json!(printed), &Value::Null));
    let text = bench.text("workspace.bash", json!({"command": "cat .env | cut -c1-40"})).await;
    assert_eq!(text, format!("SERVICE_KEY={MASK}\nPORT=3000\nNAME=app\n(exit code 0)\n{TOLD}"));
    let encoded =
        json!({"command": "base64 -w0 .env; xxd -p local/deep/secrets.yaml | tr -d '\\n'"});
    let encoded = bench.ok("workspace.bash", encoded).await;
    assert_eq!(encoded["masked"], 2, "{encoded}");
}

#[tokio::test]
async fn variables_of_the_server_with_secret_names_are_masked() {
    let bench = Bench::open(&[]).await;
    let ran = bench.ok("workspace.bash", json!({"command": "echo $SECRET_TOKEN $TERM"})).await;
    assert_eq!(ran["stdout"], "⟨secret SECRET_TOKEN of the environment⟩ dumb\n");
}

#[tokio::test]
async fn the_record_holds_no_secret_whoever_called() {
    let bench = Bench::open(&files()).await;
    for caller in [agent(), person()] {
        bench.reply(caller, "workspace.bash", json!({"command": format!("echo {ROLLED}")})).await;
    }
    let missing = json!({"path": format!("{ROLLED}.txt")});
    bench.reply(person(), "file.read", missing).await;
    let records = bench.audit().await;
    let summaries: Vec<&str> = records.iter().map(|record| record.summary.as_str()).collect();
    assert_eq!(
        summaries,
        [&format!("echo {MASK}"), &format!("echo {MASK}"), &format!("read {MASK}.txt")]
    );
    assert!(!format!("{records:?}").contains(ROLLED), "{records:?}");
}

#[tokio::test]
async fn files_searches_and_git_are_masked_too() {
    let bench = Bench::open(&files()).await;
    let git = "git init -q -b main . && git add config.py && git -c user.name=a -c user.email=a@b.c commit -qm x";
    bench.ok("workspace.bash", json!({"command": git})).await;
    bench.put("config.py", &on_disk(&bench.place("config.py")).replace("3000", "3001"));
    for (command, args) in [
        ("workspace.read", json!({"file_path": "config.py"})),
        ("file.read", json!({"path": "config.py"})),
        ("editor.read_file", json!({"path": "config.py"})),
        ("workspace.grep", json!({"pattern": "key"})),
        ("workspace.git", json!({"action": "diff"})),
        ("workspace.git", json!({"action": "show", "revision": "HEAD"})),
        ("command.run", json!({"command": "workspace.grep", "arguments": {"pattern": "key"}})),
    ] {
        let (of_agent, of_person) = both(&bench, command, args).await;
        assert!(!of_agent.to_string().contains(ROLLED), "{command}: {of_agent}");
        assert!(of_agent.to_string().contains(MASK), "{command}: {of_agent}");
        assert_eq!(of_agent["masked"], 1, "{command}");
        assert!(of_person.to_string().contains(ROLLED), "{command}: {of_person}");
        assert_eq!(of_agent["hash"], of_person["hash"], "{command}: hashes are needed");
    }
}

#[tokio::test]
async fn a_secret_in_a_name_leaves_the_name_usable() {
    let bench =
        Bench::open(&[(".env", "APP_PASSWORD=frontend-7\n"), ("frontend-7/a.txt", "frontend-7\n")])
            .await;
    let found = bench.reply(agent(), "workspace.glob", json!({"pattern": "*.txt"})).await;
    assert_eq!(found.to_value()["paths"][0]["path"], "frontend-7/a.txt");
    assert!(found.to_text().contains("frontend-7/a.txt"), "{}", found.to_text());
    let read = bench.ok("workspace.read", json!({"file_path": "frontend-7/a.txt"})).await;
    assert!(read.to_string().contains("⟨secret APP_PASSWORD of .env⟩"), "{read}");
}

#[tokio::test]
async fn terminals_and_background_runs_are_masked() {
    let bench = Bench::open(&files()).await;
    let created = bench.ok("terminal.create", json!({"shellPath": "/bin/bash"})).await;
    let terminal = created["terminalId"].as_str().unwrap();
    let run = json!({"terminalId": terminal, "command": "cat .env", "wait": "exit"});
    let ran = bench.ok("terminal.run", run).await;
    assert_eq!(
        (&ran["output"][0], &ran["masked"]),
        (&json!(format!("SERVICE_KEY={MASK}")), &json!(1))
    );
    let read = json!({"terminalId": terminal});
    let (of_agent, of_person) = both(&bench, "terminal.read_output", read).await;
    assert!(!of_agent.to_string().contains(ROLLED), "{of_agent}");
    assert!(of_person.to_string().contains(ROLLED), "{of_person}");
    let run = json!({"command": "cat .env", "run_in_background": true});
    bench.ok("workspace.bash", run).await;
    let (of_agent, of_person) =
        both(&bench, "workspace.run_output", json!({"run_id": "r1", "wait_ms": 10_000})).await;
    assert_eq!(of_agent["output"], format!("SERVICE_KEY={MASK}\nPORT=3000\nNAME=app\n"));
    assert!(of_person["output"].as_str().unwrap().contains(ROLLED), "{of_person}");
    bench.ok("terminal.close", json!({"terminalId": terminal})).await;
}

#[tokio::test]
async fn progress_is_masked() {
    let bench = Bench::open(&files()).await;
    let (sender, mut progress) = mpsc::channel(64);
    let command = "cat .env; until [ -e go ]; do sleep 0.01; done";
    let call = Call::new(agent(), "workspace.bash", json!({"command": command}));
    let call = call.with_progress(Progress::to(sender));
    let work = bench.dispatcher().dispatch(call);
    let listen = async {
        let told = progress.recv().await.unwrap().message;
        assert_eq!(told, format!("SERVICE_KEY={MASK}\nPORT=3000\nNAME=app"));
        bench.put("go", "");
    };
    let (reply, ()) = in_time(async { tokio::join!(work, listen) }).await;
    assert_eq!(reply.masked, 1);
}

#[tokio::test]
async fn what_stands_for_a_secret_is_not_written_in_its_place() {
    let bench = Bench::open(&files()).await;
    let read = bench.ok("file.read", json!({"path": "config.py"})).await;
    let shown = read["content"].as_str().unwrap();
    assert_eq!(shown, format!("port = 3000\nkey = \"{MASK}\"\nname = \"app\"\n"));
    let before = on_disk(&bench.place("config.py"));
    let message = format!(
        "`{MASK}` is not in `config.py`: it stands for a secret there that you are not shown; nothing was changed"
    );
    let old = format!("key = \"{MASK}\"");
    for (command, args) in [
        (
            "workspace.write",
            json!({"file_path": "config.py", "content": shown.replace("3000", "1")}),
        ),
        ("file.write", json!({"path": "config.py", "content": shown})),
        (
            "workspace.edit",
            json!({"file_path": "config.py", "old_string": old, "new_string": "key = 1"}),
        ),
        (
            "workspace.edit",
            json!({"file_path": "config.py", "old_string": "port = 3000", "new_string": format!("x = {MASK}")}),
        ),
    ] {
        bench.fails(command, args, "conflict", &message).await;
        assert_eq!(on_disk(&bench.place("config.py")), before);
    }
    // The lines around it can be changed, and who writes about masks can.
    let edit =
        json!({"file_path": "config.py", "old_string": "port = 3000", "new_string": "port = 1"});
    let made = bench.ok("workspace.edit", edit).await;
    assert!(made["diff"].as_str().unwrap().contains(MASK), "{made}");
    assert_eq!(on_disk(&bench.place("config.py")), before.replace("3000", "1"));
    bench.put("notes.md", &format!("It shows {MASK}.\n"));
    let edit = json!({"file_path": "notes.md", "old_string": format!("shows {MASK}"), "new_string": format!("says {MASK}")});
    bench.ok("workspace.edit", edit).await;
    assert_eq!(on_disk(&bench.place("notes.md")), format!("It says {MASK}.\n"));
    // A person writes what they like.
    let write = json!({"path": "mine.md", "content": MASK});
    assert_eq!(bench.as_person("file.write", write).await["success"], true);
}

/// Print a text again and again until the answer is this.
async fn printed(bench: &Bench, text: &str, wanted: &str) {
    in_time(async {
        let args = json!({"command": format!("echo {text}")});
        while bench.ok("workspace.bash", args.clone()).await["stdout"] != format!("{wanted}\n") {}
    })
    .await;
}

#[tokio::test]
async fn a_secret_file_that_comes_or_changes_is_known_soon_and_an_old_value_stays_known() {
    let bench = Bench::open(&files()).await;
    printed(&bench, ROLLED, MASK).await;
    bench.put(".env", "SERVICE_KEY=another-value-1\n");
    printed(&bench, "another-value-1", MASK).await;
    printed(&bench, ROLLED, MASK).await;
    bench.put("new/.env.local", "API_TOKEN=a-third-value\n");
    printed(&bench, "a-third-value", "⟨secret API_TOKEN of new/.env.local⟩").await;
    // In a folder that git ignores too, once there was a secret in it.
    bench.put("local/deep/secrets.yaml", "password: cuttlefish\n");
    printed(&bench, "cuttlefish", "⟨secret password of local/deep/secrets.yaml⟩").await;
}

#[tokio::test]
async fn the_instructions_are_masked() {
    let bench = Bench::open(&files()).await;
    bench.ok("file.read", json!({"path": "config.py"})).await;
    let state = bench.dispatcher().state();
    state.bridges().report("b", json!({"note": ROLLED})).unwrap();
    let text = instructions(bench.dispatcher());
    assert!(text.contains(MASK) && !text.contains(ROLLED), "{text}");
}

#[tokio::test]
async fn the_secrets_of_a_sandbox_are_known_too() {
    for provider in [Provider::Runner, Provider::Sandbox] {
        let bench = Bench::with(Settings { provider, ..Settings::default() }, &files()).await;
        let ran = bench.ok("workspace.bash", json!({"command": "cat config.py"})).await;
        assert_eq!(ran["masked"], 1, "{provider}: {ran}");
    }
}

#[tokio::test]
async fn in_a_sandbox_secrets_are_hidden_from_agents_programs_and_a_person_has_them() {
    let settings = Settings { provider: Provider::Sandbox, ..Settings::default() };
    let bench = Bench::with(settings, &files()).await;
    let look = json!({"command": "cat .env local/deep/secrets.yaml; echo K=1 > .env.new"});
    let ran = bench.ok("workspace.bash", look).await;
    assert_eq!((&ran["stdout"], &ran["exit_code"]), (&json!(""), &json!(0)), "{ran}");
    let look = json!({"command": "cat .env .env.new"});
    let later = bench.ok("workspace.bash", look.clone()).await;
    assert_eq!((&later["stdout"], &later["exit_code"]), (&json!(""), &json!(1)), "{later}");
    let of_person = bench.as_person("workspace.bash", look).await;
    let expected = format!("SERVICE_KEY={ROLLED}\nPORT=3000\nNAME=app\nK=1\n");
    assert_eq!(of_person["stdout"], json!(expected));
}

#[tokio::test]
async fn a_secret_is_read_once_if_a_person_says_yes() {
    let bench = Bench::with(asking(Profile::Careful, PolicyText::of("")), &files()).await;
    let args = json!({"path": ".env", "reason": "the test needs the port"});
    let asked = Waiting::start(&bench, agent(), "file.read_secret", args.clone()).await;
    let listed = bench.as_person("approval.get", json!({"approvalId": "a1"})).await;
    let question = &listed;
    assert_eq!(
        (&question["reason"], &question["always"], &question["eachTime"]),
        (&json!("the test needs the port"), &Value::Null, &json!(true)),
        "{listed}"
    );
    let why = question["why"].as_str().unwrap();
    assert!(why.ends_with("The agent would see what is in `.env`."), "{why}");
    bench.as_person("approval.answer", json!({"approvalId": "a1", "answer": "once"})).await;
    let answer = asked.end().await;
    let content = format!("SERVICE_KEY={ROLLED}\nPORT=3000\nNAME=app\n");
    assert_eq!(
        (&answer["content"], &answer["masked"]),
        (&json!(content), &Value::Null),
        "{answer}"
    );
    // Not a second time, and nothing else is seen because of it.
    let again = Waiting::start(&bench, agent(), "file.read_secret", args).await;
    bench.as_person("approval.answer", json!({"approvalId": "a2", "answer": "no"})).await;
    assert_eq!(again.end().await["kind"], json!("denied"));
    let read = bench.ok("file.read", json!({"path": "config.py"})).await;
    assert_eq!(read["masked"], 1);
    let records = bench.as_person("audit.list", json!({"command": "file.read_secret"})).await;
    let summaries: Vec<&Value> =
        records["records"].as_array().unwrap().iter().map(|record| &record["summary"]).collect();
    assert_eq!(
        summaries,
        [&json!("read the secret .env"), &json!("read the secret .env (answered unmasked)")]
    );
    assert!(!records.to_string().contains(ROLLED));
}

#[tokio::test]
async fn a_question_about_a_link_names_what_would_really_be_read() {
    let bench = Bench::with(asking(Profile::Careful, PolicyText::of("")), &files()).await;
    bench.put("deploy/secrets.prod", "K=1\n");
    std::os::unix::fs::symlink("deploy/secrets.prod", bench.place(".env.test")).unwrap();
    std::os::unix::fs::symlink("deploy", bench.place("way")).unwrap();
    let read = |path: &str| json!({"path": path, "reason": "because"});
    for (number, path) in [".env.test", "way/secrets.prod"].into_iter().enumerate() {
        let asked = Waiting::start(&bench, agent(), "file.read_secret", read(path)).await;
        let id = json!(format!("a{}", number + 1));
        let question = bench.as_person("approval.get", json!({"approvalId": id})).await;
        let why = question["why"].as_str().unwrap();
        let expected = format!(
            "`{path}` is or runs through a symbolic link: the agent would see what is in `deploy/secrets.prod`."
        );
        assert!(why.ends_with(&expected), "{why}");
        bench.as_person("approval.answer", json!({"approvalId": id, "answer": "once"})).await;
        assert_eq!(asked.end().await["content"], json!("K=1\n"));
    }
    // Another target is another file.
    let asked = Waiting::start(&bench, agent(), "file.read_secret", read(".env.test")).await;
    bench.remove(".env.test");
    std::os::unix::fs::symlink(".env", bench.place(".env.test")).unwrap();
    bench.as_person("approval.answer", json!({"approvalId": "a3", "answer": "once"})).await;
    assert_eq!(asked.end().await["kind"], json!("conflict"));
}

#[tokio::test]
async fn where_nobody_is_asked_no_secret_is_read() {
    let args = json!({"path": ".env", "reason": "because"});
    let bench = Bench::open(&files()).await;
    let message = "nobody is asked on this server, so nobody can allow it";
    bench.fails("file.read_secret", args.clone(), "denied", message).await;
    let bench = Bench::with(asking(Profile::ReadOnly, PolicyText::of("")), &files()).await;
    assert_eq!(bench.failure("file.read_secret", args).await["kind"], json!("policy"));
    let without = json!({"path": ".env", "reason": " "});
    let expected = json!({
        "success": false, "kind": "invalid_args", "error": "argument `reason`: is empty",
        "hint": "say in a sentence what the content is needed for; the person decides by it",
    });
    assert_eq!(bench.failure("file.read_secret", without).await, expected);
}

#[tokio::test]
async fn nobody_is_asked_about_a_secret_that_is_none_or_cannot_be_read() {
    let bench = Bench::with(asking(Profile::Careful, PolicyText::of("")), &files()).await;
    let make = json!({"command": "mkdir secrets.d && printf 'a\\0b' > x.pem"});
    bench.as_person("workspace.bash", make).await;
    let cases = [
        ("config.py", "invalid_args", "`config.py` is no secret, so nobody has to be asked"),
        ("gone/.env", "not_found", "`gone/.env` does not exist"),
        ("secrets.d", "invalid_args", "`secrets.d` is a folder, not a file"),
        ("x.pem", "unsupported", "`x.pem` is not text; it has 3 bytes"),
        ("/etc/shadow", "denied", "`/etc/shadow` is outside the workspace"),
    ];
    for (path, kind, message) in cases {
        let args = json!({"path": path, "reason": "because"});
        bench.fails("file.read_secret", args, kind, message).await;
    }
    let listed = bench.as_person("approval.list", json!({})).await;
    assert_eq!(listed["approvals"], json!([]));
}

#[tokio::test]
async fn a_secret_is_asked_about_each_time_whatever_rules_and_sessions_allow() {
    let rules = "[[rule]]\ndecision = 'allow'\naccess = 'reach'\n";
    let bench = Bench::with(asking(Profile::Careful, PolicyText::of(rules)), &files()).await;
    let args = json!({"path": ".env", "reason": "the test needs the port"});
    let asked = Waiting::start(&bench, agent(), "file.read_secret", args.clone()).await;
    let question = bench.as_person("approval.get", json!({"approvalId": "a1"})).await;
    let why = "This is asked about each time, and no rule allows it. The agent would see what is in `.env`.";
    assert_eq!(question["why"], json!(why));
    let session = json!({"approvalId": "a1", "answer": "session"});
    let reply = bench.as_person("approval.answer", session).await;
    let expected = json!({
        "success": false, "kind": "conflict", "error": "a1 is asked about each time, so a yes counts once",
        "hint": "answer `once` or `no`",
    });
    assert_eq!(reply, expected);
    bench.as_person("approval.answer", json!({"approvalId": "a1", "answer": "once"})).await;
    assert_eq!(asked.end().await["masked"], Value::Null);
    let again = Waiting::start(&bench, agent(), "file.read_secret", args).await;
    bench.as_person("approval.answer", json!({"approvalId": "a2", "answer": "no"})).await;
    assert_eq!(again.end().await["kind"], json!("denied"));
}

#[tokio::test]
async fn a_yes_is_for_the_file_that_the_person_was_asked_about() {
    let files = [("demo/.env", "A_KEY=harmless\n"), (".env", files()[0].1)];
    let bench = Bench::with(asking(Profile::Careful, PolicyText::of("")), &files).await;
    let args = json!({"path": "demo/.env", "reason": "my own demo file"});
    let asked = Waiting::start(&bench, agent(), "file.read_secret", args).await;
    let swap = json!({"command": "mv demo old && mkdir demo && cp .env demo/.env"});
    assert_eq!(bench.as_person("workspace.bash", swap).await["exit_code"], 0);
    bench.as_person("approval.answer", json!({"approvalId": "a1", "answer": "once"})).await;
    let answer = asked.end().await;
    let error = json!("it is another file than when the person was asked");
    assert_eq!((&answer["kind"], &answer["error"]), (&json!("conflict"), &error), "{answer}");
    assert!(!answer.to_string().contains(ROLLED));
}
