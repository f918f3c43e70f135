//! `code.install`: the command of the table, typed where the person sees it.

use openspace_workspace::{areas::code::LanguageOptions, permission::Profile};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::{
    approvals::Waiting,
    support::{Bench, PolicyText, Settings, agent, asking, until},
};

const OWN: &str = "[[server]]\nid = 'tester'\nname = 'Tester'\nlanguages = ['rust']\ncommand = ['not-there']\n\
                   install = 'echo it is the one > installed'\n";

fn languages() -> LanguageOptions {
    LanguageOptions { own: OWN.to_owned(), ..LanguageOptions::default() }
}

#[tokio::test]
async fn a_server_is_installed_by_the_command_of_the_table_in_a_terminal() {
    let settings = Settings { languages: languages(), ..Settings::default() };
    let bench = Bench::with(settings, &[]).await;
    let done = bench.as_person("code.install", json!({"server": "tester"})).await;
    let expected =
        json!({"success": true, "terminalId": "t1", "command": "echo it is the one > installed"});
    assert_eq!(done, expected);
    let installed = bench.place("installed");
    until(|| installed.exists()).await;
    let terminals = bench.ok("terminal.list", json!({})).await;
    assert_eq!(terminals["terminals"][0]["title"], json!("install tester"), "{terminals}");
    let unknown = "no language server `x; rm -rf /` is known";
    bench.fails("code.install", json!({"server": "x; rm -rf /"}), "not_found", unknown).await;
    let failure = bench.failure("code.install", json!({"server": "zls"})).await;
    assert_eq!(failure["kind"], json!("unsupported"), "{failure}");
    bench.shut_down().await;
}

#[tokio::test]
async fn an_agent_installs_what_the_person_says_yes_to_each_time() {
    let asks = asking(Profile::Careful, PolicyText::of(""));
    let bench = Bench::with(Settings { languages: languages(), ..asks }, &[]).await;
    // Nobody is asked about what cannot be.
    let unsaid = bench.failure("code.install", json!({"server": "tester"})).await;
    assert_eq!(unsaid["kind"], json!("invalid_args"), "{unsaid}");
    let install = |args| Waiting::start(&bench, agent(), "code.install", args);
    let answer = |id: &'static str, answer: &'static str| {
        let args = json!({"approvalId": id, "answer": answer});
        bench.as_person("approval.answer", args)
    };
    let args = json!({"server": "tester", "reason": "The person wants it."});
    let waiting = install(args.clone()).await;
    let asked = bench.as_person("approval.get", json!({"approvalId": "a1"})).await;
    assert!(asked["line"].to_string().contains("echo it is the one > installed"), "{asked}");
    answer("a1", "no").await;
    assert_eq!(waiting.end().await["success"], json!(false));
    assert!(!bench.place("installed").exists());
    let waiting = install(args).await;
    answer("a2", "once").await;
    assert_eq!(waiting.end().await["success"], json!(true));
    let installed = bench.place("installed");
    until(|| installed.exists()).await;
    bench.shut_down().await;
}
