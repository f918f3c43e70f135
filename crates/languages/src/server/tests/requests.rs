//! Every question of a server has an answer.

use pretty_assertions::assert_eq;

use super::*;
use crate::watch::FileChange;

impl Bench {
    fn request(&mut self, method: &str, params: Value) -> Value {
        self.say(json!({"id": "q", "method": method, "params": params}));
        self.answered()
    }
}

#[test]
fn each_question_that_servers_ask_is_answered() {
    let mut bench = Bench::greeted(ReadyBy::AtOnce, able());
    let cases = [
        (
            "workspace/configuration",
            json!({"items": [{"section": "a.b"}, {"section": "c"}]}),
            json!([1, null]),
        ),
        ("workspace/workspaceFolders", json!(null), json!([{"uri": "file:///p", "name": "p"}])),
        ("window/workDoneProgress/create", json!({"token": 1}), json!(null)),
        (
            "window/showMessageRequest",
            json!({"type": 1, "message": "m", "actions": [{"title": "a"}]}),
            json!(null),
        ),
        ("window/showDocument", json!({"uri": "file:///x"}), json!({"success": false})),
        ("workspace/semanticTokens/refresh", json!(null), json!(null)),
        ("client/registerCapability", json!(7), json!(null)),
        ("client/unregisterCapability", json!(null), json!(null)),
        (
            "x/unknown",
            json!([]),
            json!({"code": -32601, "message": "the client has no method x/unknown"}),
        ),
    ];
    for (method, params, expected) in cases {
        assert_eq!(bench.request(method, params), expected, "{method}");
    }
    let told: Vec<String> = bench.events().iter().map(|event| format!("{event:?}")).collect();
    assert_eq!(told, ["Notice { level: Error, text: \"m\" }", "Refresh(SemanticTokens)"]);
}

#[test]
fn a_file_is_told_to_whoever_watches_it_and_before_the_next_question() {
    let mut bench = Bench::greeted(ReadyBy::AtOnce, able());
    let watcher = |id: &str| {
        let options = json!({"watchers": [{"globPattern": "**/*.toml"}]});
        json!({"id": id, "method": "workspace/didChangeWatchedFiles", "registerOptions": options})
    };
    let changed = |bench: &mut Bench, name: &str| {
        let uri = Uri::read(&format!("file:///p/{name}"));
        bench.server.file_changed(uri, FileChange::Changed, bench.now);
    };
    changed(&mut bench, "a.toml");
    bench.request("client/registerCapability", json!({"registrations": [watcher("1")]}));
    changed(&mut bench, "b.toml");
    changed(&mut bench, "c.rs");
    assert_eq!((bench.rest(), bench.server.watched()), (vec![], vec!["**/*.toml"]));
    bench.pass(Duration::from_millis(100));
    assert_eq!(
        bench.heard("workspace/didChangeWatchedFiles"),
        json!({"changes": [{"uri": "file:///p/b.toml", "type": 2}]})
    );
    changed(&mut bench, "d.toml");
    bench.ask(hover());
    assert_eq!(bench.rest(), ["workspace/didChangeWatchedFiles", "textDocument/hover"]);
    let gone =
        json!({"unregisterations": [{"id": "1", "method": "workspace/didChangeWatchedFiles"}]});
    bench.request("client/unregisterCapability", gone);
    assert!(!bench.server.watches());
}

#[test]
fn files_are_edited_only_for_one_whose_command_runs() {
    let mut bench = Bench::greeted(ReadyBy::AtOnce, able());
    let edit = || json!({"edit": {"changes": {}}});
    let refused = json!({
        "applied": false,
        "failureReason": "files are edited only while a command of somebody runs, and only one",
    });
    assert_eq!(bench.request("workspace/applyEdit", edit()), refused);
    let command = |asker| Question {
        may_edit: true,
        ..Question::new(Asker(asker), "workspace/executeCommand", json!({"command": "c"}))
    };
    let ticket = bench.ask(command(1));
    bench.asked("workspace/executeCommand");
    bench.events();
    bench.say(json!({"id": "q", "method": "workspace/applyEdit", "params": edit()}));
    assert_eq!(bench.rest(), [""; 0]);
    let Some(Event::EditAsked { edit: asked, ticket: of, changes }) = bench.events().pop() else {
        panic!("no edit")
    };
    assert_eq!((of, changes), (ticket, json!({"changes": {}})));
    assert!(bench.server.answer_edit(asked, Ok(()), bench.now));
    assert_eq!(bench.answered(), json!({"applied": true}));
    assert!(!bench.server.answer_edit(asked, Ok(()), bench.now));
    // Two of the same are two, and then nobody knows whose edit it is.
    bench.ask(command(2));
    bench.asked("workspace/executeCommand");
    assert_eq!(bench.request("workspace/applyEdit", edit()), refused);
}

#[test]
fn an_edit_that_nobody_makes_is_refused_in_time() {
    let mut bench = Bench::greeted(ReadyBy::AtOnce, able());
    bench.ask(Question { may_edit: true, patience: SECOND * 60, ..hover() });
    bench.rest();
    bench.say(json!({"id": "q", "method": "workspace/applyEdit", "params": {}}));
    bench.pass(SECOND * 10);
    let late = json!({"applied": false, "failureReason": "nobody made the edit in time"});
    assert_eq!(bench.answered(), late);
}

#[test]
fn a_folder_is_added_to_a_server_that_can_have_several() {
    let other = Folder { uri: Uri::read("file:///q"), name: "q".to_owned() };
    let mut one = Bench::greeted(ReadyBy::AtOnce, able());
    assert!(!one.server.add_folder(other.clone(), one.now));
    let folders = json!({"workspaceFolders": {"supported": true, "changeNotifications": true}});
    let mut several = Bench::greeted(ReadyBy::AtOnce, json!({"workspace": folders}));
    assert!(several.server.add_folder(other.clone(), several.now));
    let added = several.heard("workspace/didChangeWorkspaceFolders");
    assert_eq!(added["event"]["added"], json!([{"uri": "file:///q", "name": "q"}]));
    assert!(several.server.add_folder(other, several.now));
    assert_eq!(several.rest(), [""; 0]);
    assert_eq!(
        several.request("workspace/workspaceFolders", json!(null)).as_array().unwrap().len(),
        2
    );
}

#[test]
fn a_server_says_how_bad_it_is() {
    let mut bench = Bench::greeted(ReadyBy::ServerStatus, able());
    let status = json!({"health": "warning", "quiescent": true, "message": "no workspace"});
    bench.tell("experimental/serverStatus", status);
    bench.tell("window/showMessage", json!({"type": 3, "message": "é".repeat(5000)}));
    bench.tell("window/logMessage", json!({"type": 1, "message": "not for people"}));
    let notices: Vec<(Level, usize)> = bench
        .events()
        .into_iter()
        .filter_map(|event| match event {
            Event::Notice { level, text } => Some((level, text.len())),
            _ => None,
        })
        .collect();
    assert_eq!(notices, [(Level::Warning, 12), (Level::Information, 2000)]);
}
