//! What a person reads of a question: the whole line, what would be typed, and what kind of address is meant.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::{
    approvals::{Waiting, careful},
    support::{Bench, agent, person},
};

/// What the list and the question itself say while a call waits, which is then taken back.
async fn told(bench: &Bench, command: &str, args: Value) -> (String, Value) {
    let waiting = Waiting::start(bench, agent(), command, args).await;
    let listed = bench.reply(person(), "approval.list", json!({})).await;
    let question = listed.to_value()["approvals"][0].clone();
    waiting.cancel.cancel();
    waiting.end().await;
    (listed.to_text(), question)
}

#[tokio::test]
async fn the_list_shows_the_whole_line_and_what_would_be_typed() {
    let bench = careful().await;
    bench.as_person("terminal.create", json!({"title": "mine", "shellPath": "/bin/bash"})).await;
    let delete = json!({"action": "branch", "operation": "delete", "name": "old", "force": true});
    let push =
        json!({"action": "push", "remote": "origin", "branch": "main", "force_with_lease": true});
    let rows = [
        ("workspace.git", delete, "git branch old  $ git branch -D old"),
        ("workspace.git", push, "git push main  $ git push --force-with-lease origin main"),
        (
            "terminal.send",
            json!({"terminalId": "t1", "text": "rm -rf x\r"}),
            "type 9 bytes into t1  $ rm -rf x",
        ),
        (
            "terminal.send",
            json!({"terminalId": "t1", "text": "rm -rf x"}),
            "type 8 bytes into t1  text=rm -rf x",
        ),
        ("workspace.bash", json!({"command": "ls\ntouch made"}), "ls⏎touch made"),
    ];
    for (number, (command, args, expected)) in (1..).zip(rows) {
        let (listed, _) = told(&bench, command, args).await;
        assert_eq!(listed, format!("a{number}  open  agent opencode: {expected}"));
    }
}

#[tokio::test]
async fn a_question_says_what_kind_of_address_is_meant() {
    let bench = careful().await;
    let repository = json!({"action": "init"});
    assert_eq!(bench.as_person("workspace.git", repository).await["success"], true);
    let add =
        json!({"action": "remote", "operation": "add", "name": "origin", "url": "git@host:x"});
    assert_eq!(bench.as_person("workspace.git", add).await["success"], true);
    let https = json!({"action": "remote", "operation": "add", "name": "up", "url": "https://a@b.example/c"});
    let rows = [
        (
            "workspace.git",
            json!({"action": "clone", "url": "/srv/x"}),
            "The address is a folder on this machine, /srv/x.",
        ),
        ("workspace.git", https, "The address is the host b.example, over https."),
        (
            "workspace.git",
            json!({"action": "fetch", "remote": "origin"}),
            "The remote `origin` is the host host, over ssh with your keys.",
        ),
        (
            "workspace.git",
            json!({"action": "pull"}),
            "The remote `origin` is the host host, over ssh with your keys.",
        ),
        (
            "workspace.create",
            json!({"git_url": "file:///srv/x"}),
            "The address is a folder on this machine, /srv/x.",
        ),
    ];
    for (command, args, expected) in rows {
        let (_, question) = told(&bench, command, args).await;
        assert_eq!(question["why"], format!("This reaches beyond the workspace. {expected}"));
    }
}
