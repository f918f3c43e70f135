//! A yes to a line that runs a file is for what is in that file: agents can write it again.

use std::sync::Arc;

use openspace_command::Caller;
use openspace_workspace::permission::Profile;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::{
    approvals::{Waiting, careful},
    support::{Bench, PolicyText, agent, asking},
};

fn bash(line: &str) -> Value {
    json!({"command": line})
}

async fn asked(bench: &Bench, caller: Caller, line: &str) -> Waiting {
    Waiting::start(bench, caller, "workspace.bash", bash(line)).await
}

async fn answer(bench: &Bench, id: &str, answer: &str) -> Value {
    bench.as_person("approval.answer", json!({"approvalId": id, "answer": answer})).await
}

async fn get(bench: &Bench, id: &str) -> Value {
    bench.as_person("approval.get", json!({"approvalId": id})).await
}

/// What a person is asked about a line that is then taken back.
async fn question(bench: &Bench, line: &str) -> Value {
    let waiting = asked(bench, agent(), line).await;
    let listed = bench.as_person("approval.list", json!({})).await;
    waiting.cancel.cancel();
    waiting.end().await;
    listed["approvals"][0].clone()
}

#[tokio::test]
async fn a_yes_for_the_session_is_not_for_a_script_that_was_written_anew() {
    let lines =
        ["bash tool.sh", "./tool.sh", "cd sub && bash ../tool.sh", "sudo -n true; . ./tool.sh"];
    for line in lines {
        let bench = careful().await;
        bench.put("tool.sh", "#!/bin/sh\ntouch first\n");
        bench.put("sub/x", "");
        let waiting = asked(&bench, agent(), line).await;
        let why = get(&bench, "a1").await["why"].as_str().unwrap().to_owned();
        assert!(
            why.contains("It runs `tool.sh` (") && why.contains("which the agent can change"),
            "{why}"
        );
        answer(&bench, "a1", "session").await;
        assert_eq!(waiting.end().await["success"], true, "{line}");
        let again = bench.call("workspace.bash", bash(line)).await;
        assert_eq!(again["success"], true, "{line}: the file is the same");
        bench.put("tool.sh", "#!/bin/sh\ntouch second\n");
        let waiting = asked(&bench, agent(), line).await;
        assert_eq!(get(&bench, "a2").await["state"], "open", "{line}");
        waiting.cancel.cancel();
        waiting.end().await;
        assert!(!bench.place("second").exists(), "{line}");
    }
}

#[tokio::test]
async fn a_script_that_changes_while_a_person_is_asked_does_not_run() {
    let bench = careful().await;
    bench.put("tool.sh", "touch first\n");
    let waiting = asked(&bench, agent(), "bash tool.sh").await;
    bench.put("tool.sh", "touch second\n");
    answer(&bench, "a1", "once").await;
    assert_eq!(
        waiting.end().await,
        json!({
            "success": false, "kind": "conflict",
            "error": "`tool.sh` has changed since this call was decided about",
            "hint": "nothing was run; call again, and it is decided about the file as it is now",
        })
    );
    assert!(!bench.place("first").exists() && !bench.place("second").exists());
}

#[tokio::test]
async fn a_script_that_is_not_there_yet_is_not_allowed_with_whatever_comes() {
    let bench = careful().await;
    let waiting = asked(&bench, agent(), "bash tool.sh || true").await;
    let why = get(&bench, "a1").await["why"].as_str().unwrap().to_owned();
    assert!(why.contains("`tool.sh` (not there yet)"), "{why}");
    answer(&bench, "a1", "session").await;
    waiting.end().await;
    bench.put("tool.sh", "touch made\n");
    let why = question(&bench, "bash tool.sh || true").await["why"].clone();
    assert!(!why.as_str().unwrap().contains("not there yet"), "{why}");
}

#[tokio::test]
async fn a_line_in_a_terminal_is_bound_to_its_files_too() {
    let bench = careful().await;
    bench.put("sub/tool.sh", "touch first\n");
    let create = json!({"shellPath": "/bin/bash", "cwd": "sub"});
    let made = Waiting::start(&bench, agent(), "terminal.create", create).await;
    answer(&bench, "a1", "once").await;
    assert_eq!(made.end().await["success"], true);
    let run = json!({"terminalId": "t1", "command": "bash tool.sh"});
    let waiting = Waiting::start(&bench, agent(), "terminal.run", run.clone()).await;
    let why = get(&bench, "a2").await["why"].as_str().unwrap().to_owned();
    assert!(why.contains("`sub/tool.sh` ("), "{why}");
    bench.put("sub/tool.sh", "touch second\n");
    answer(&bench, "a2", "session").await;
    assert_eq!(waiting.end().await["kind"], "conflict");
    let waiting = Waiting::start(&bench, agent(), "terminal.run", run).await;
    waiting.cancel.cancel();
    waiting.end().await;
    assert!(!bench.place("sub/second").exists());
}

#[tokio::test]
async fn no_rule_covers_a_file_that_the_agent_can_change_unless_it_says_so() {
    let rules = |more: &str| {
        let rule = |line: &str| {
            format!("[[rule]]\nid = '{line}'\ndecision = 'allow'\nline = '{line}'\n{more}\n")
        };
        PolicyText::of(&(rule("./tool.sh") + &rule("tool *") + &rule("make *")))
    };
    let open = async |file| {
        let bench = Bench::with(asking(Profile::Careful, file), &[("data", "1\n")]).await;
        bench.put("tool.sh", "#!/bin/sh\nexit 0\n");
        bench
    };
    let bench = open(rules("")).await;
    for line in ["./tool.sh", "tool data", "make all"] {
        let why = question(&bench, line).await["why"].clone();
        assert!(
            why.as_str().unwrap().contains("would allow it, but not what the agent can change"),
            "{why}"
        );
    }
    // Without such a file the rule is what it was.
    assert_eq!(bench.call("workspace.bash", bash("tool other")).await["exit_code"], 127);
    let bench = open(rules("even_changed = true")).await;
    for line in ["./tool.sh", "tool data", "make all"] {
        let ran = bench.call("workspace.bash", bash(line)).await;
        assert_eq!(ran["success"], true, "{line}: {ran}");
    }
}

#[tokio::test]
async fn what_the_project_says_is_allowed_for_good_only_with_these_words() {
    let file = PolicyText::of("");
    let bench = Bench::with(asking(Profile::Careful, Arc::clone(&file)), &[]).await;
    bench.put("Makefile", "all:\n\ttrue\n");
    let waiting = asked(&bench, agent(), "make all").await;
    let one = get(&bench, "a1").await;
    let why = one["why"].as_str().unwrap();
    assert!(why.contains("files of the project say") && why.contains("`Makefile`"), "{why}");
    let about = one["always"]["about"].as_str().unwrap();
    assert!(about.ends_with("whatever its files say by then"), "{about}");
    answer(&bench, "a1", "always").await;
    waiting.end().await;
    assert!(file.text().contains("even_changed = true"), "{}", file.text());
    bench.put("Makefile", "all:\n\tfalse\n");
    assert_eq!(bench.call("workspace.bash", bash("make all")).await["success"], true);
    // A script has no such rule.
    bench.put("tool.sh", "true\n");
    assert_eq!(question(&bench, "./tool.sh").await["always"], Value::Null);
}

#[tokio::test]
async fn what_is_only_known_when_it_runs_is_allowed_once() {
    let bench = careful().await;
    for line in ["bash \"$X\"", "cd \"$X\" && ./tool.sh", "PATH=. tool"] {
        let one = question(&bench, line).await;
        assert_eq!((&one["eachTime"], &one["always"]), (&json!(true), &Value::Null), "{line}");
        assert!(one["why"].as_str().unwrap().ends_with("so a yes counts once."), "{one}");
    }
    // What lies elsewhere is not the agent's.
    let one = question(&bench, "/opt/tool --x").await;
    assert_eq!(
        (&one["eachTime"], &one["why"].as_str().unwrap().contains("can change")),
        (&json!(false), &false)
    );
}
