//! A conversation by commands alone, and at a shell.

use std::process::Stdio;

use openspace_scripted::Step;
use pretty_assertions::assert_eq;
use serde_json::json;
use tokio::{process::Command, time::timeout};

use crate::support::{PATIENCE, Person, Space};

/// Run `openspace chat …` as the person at their shell; what it printed, what it complained of, and whether it succeeded.
#[expect(clippy::disallowed_methods, reason = "the program itself is tried")]
pub(super) async fn at_a_shell(space: &Space, words: &[&str]) -> (String, String, bool) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_openspace"));
    program
        .arg("--state-dir")
        .arg(space.person.path("state"))
        .arg("chat")
        .args(words)
        .arg("--workspace")
        .arg(space.person.root())
        .env("HOME", space.person.home())
        .stdin(Stdio::null())
        .kill_on_drop(true);
    let output = timeout(PATIENCE, program.output()).await.expect("it ends").unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.success())
}

#[tokio::test]
async fn a_person_talks_to_an_agent_by_commands_and_at_a_shell() {
    let space = Person::with(json!({})).await.serve().await;
    let begun = space.person("chat.create", json!({ "title": "A talk" })).await;
    let address = begun["address"].as_str().unwrap().to_owned();
    assert_eq!((&begun["agent"], &begun["unread"]), (&json!("opencode"), &json!(false)));

    let open = Step::tool("openspace_editor_open", json!({ "path": "a.txt", "line": 2 }));
    space.person.model.say([open, Step::text("It is the second one.")]);
    let args = json!({ "text": "Show me the line", "session": address, "files": ["a.txt:2"], "wait": true });
    let said = space.person("chat.send", args).await;
    let turn = &said["turn"];
    assert_eq!(
        (&turn["answer"], &turn["isOver"]),
        (&json!("It is the second one."), &json!(true)),
        "{said}"
    );
    let editors = space.person("editor.state", json!({})).await;
    assert_eq!(editors["activePath"], "a.txt");

    space.person.model.say([Step::text("Good day to you.")]);
    let words = ["send", "Good day", "--session", &address, "--wait"];
    let (out, complaints, is_done) = at_a_shell(&space, &words).await;
    assert_eq!((out.as_str(), is_done), ("Good day to you.\n", true), "{complaints}");
    assert_eq!(complaints, format!("session: {address}\n"));

    let (out, ..) = at_a_shell(&space, &["read", &address]).await;
    assert!(
        out.contains("Good day to you.") && out.ends_with(&format!("{address}: idle\n")),
        "{out}"
    );
    let (out, ..) = at_a_shell(&space, &["sessions"]).await;
    assert!(out.contains(&format!("{address}  A talk (idle")), "{out}");
    let (_, complaints, is_done) = at_a_shell(&space, &["read", "opencode/ses_nobody"]).await;
    assert!(!is_done && complaints.starts_with("Error (not_found)"), "{complaints}");
    space.stop().await;
}
