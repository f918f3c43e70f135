//! What answers say of what people did since an agent's last call.

use openspace_command::{Call, Caller, CallerKind, Hold, Reply};
use openspace_workspace::{
    areas::{terminal::Terminals, view::commands::attach},
    instructions::instructions_for,
    permission::Profile,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::{
    buffers::{DISK, Page, TYPED},
    support::{Bench, PolicyText, agent, asking, in_time, person},
};

/// An agent's call, as it is answered.
async fn reply(bench: &Bench, caller: Caller, command: &str, args: Value) -> Reply {
    let call = Call::new(caller, command, args).with_text(true);
    bench.dispatcher().dispatch(call).await
}

async fn since(bench: &Bench, caller: Caller) -> Value {
    reply(bench, caller, "pane.list", json!({})).await.to_value()["since_your_last_call"].clone()
}

fn session(word: &str) -> Caller {
    Caller::new(CallerKind::Agent, "opencode", Some(word))
}

#[tokio::test]
async fn an_agent_is_told_once_what_the_person_typed_saved_and_opened() {
    let bench = Bench::open(&[("a.txt", DISK), ("b.txt", "1\n")]).await;
    bench.as_person("editor.open", json!({"path": "b.txt"})).await;
    assert_eq!(since(&bench, session("one")).await, Value::Null, "nothing of before");
    let mut page = Page::join(&bench);
    page.open("a.txt", DISK, TYPED).await;
    page.edit(1, 0, 0, "zero\n").await;
    let tab = |id: &str| json!({"type": "editor", "contentId": id});
    let known = [tab("b.txt")];
    let root = json!({"pane": {"id": "p1", "tabs": [tab("a.txt")], "activeTab": 0}});
    let window = json!({"knownPanes": ["p1"], "knownTabs": known, "main": {"root": root},
        "bottom": null, "right": null});
    let proposed = bench.as_person("layout.propose", window).await;
    assert_eq!(proposed["success"], json!(true), "{proposed}");
    let edited = json!([{"path": "a.txt", "saved": false, "lines": "1-3"}]);
    let expected = json!({"edited": edited, "opened": ["a.txt"], "closed": ["b.txt"]});
    assert_eq!(since(&bench, session("one")).await, expected);
    assert_eq!(since(&bench, session("one")).await, Value::Null);
    assert_eq!(since(&bench, session("two")).await, Value::Null, "its first call");

    let text = format!("zero\n{TYPED}");
    bench.as_person("file.save", json!({"path": "a.txt", "content": text})).await;
    let failed = reply(&bench, session("one"), "file.read", json!({"path": "none"})).await;
    let told = json!({"edited": [{"path": "a.txt", "saved": true}]});
    assert_eq!(failed.to_value()["since_your_last_call"], told, "failures say it too");
    assert!(
        failed.to_text().ends_with("\n(Since your last call the person: edited a.txt (saved))"),
        "{}",
        failed.to_text()
    );
    let two = reply(&bench, session("two"), "pane.list", json!({})).await.to_value();
    assert_eq!(two["since_your_last_call"], told, "each session for itself");
}

#[tokio::test]
async fn what_agents_and_scripts_do_is_not_the_persons() {
    let bench = Bench::open(&[("a.txt", DISK)]).await;
    since(&bench, session("one")).await;
    let script = Caller::new(CallerKind::Script, "cli", None);
    for caller in [session("two"), script] {
        bench.reply(caller.clone(), "editor.open", json!({"path": "a.txt"})).await;
        let write = json!({"file_path": "b.txt", "content": "new"});
        bench.reply(caller.clone(), "workspace.write", write).await;
        bench.reply(caller, "pane.split", json!({"paneId": "p1", "direction": "vertical"})).await;
    }
    assert_eq!(since(&bench, session("one")).await, Value::Null);
    let own = bench.as_person("pane.list", json!({})).await;
    assert_eq!(own.get("since_your_last_call"), None, "no person is told of themselves");
}

#[tokio::test]
async fn selections_and_instructions_say_it_and_secrets_are_masked() {
    let bench = Bench::open(&[("a.txt", DISK), (".env", "KEY=abcdefghij0123456789\n")]).await;
    attach(bench.dispatcher().state().space(), "v1").unwrap();
    since(&bench, agent()).await;
    let report = |selection: Option<&str>, selected: &[&str]| {
        let editor = json!({"path": "a.txt", "line": 2, "column": 1, "firstVisibleLine": 1,
            "lastVisibleLine": 5, "selection": selection});
        json!({"viewId": "v1", "view": {"editors": [editor]}, "selected": selected})
    };
    bench.as_person("view.report", report(None, &[])).await;
    // What an agent changes above a selection moves it, and no person did that.
    bench.as_person("view.report", report(Some("1:1-2:1"), &["a.txt"])).await;
    let selected = json!({"selected": ["a.txt:1-2"]});
    assert_eq!(since(&bench, agent()).await, selected);
    bench.as_person("view.report", report(Some("4:1-5:1"), &[])).await;
    assert_eq!(since(&bench, agent()).await, Value::Null);
    // Of what was selected before it moved, the lines are told where they are.
    bench.as_person("view.report", report(Some("2:1-4:3"), &["a.txt", "gone.txt"])).await;
    let bash = json!({"command": "echo abcdefghij0123456789"});
    bench.as_person("workspace.bash", bash).await;
    let told = |client| instructions_for(client, bench.dispatcher(), &|_| None);
    let line = "(Since your last call the person: selected a.txt:2-4; ";
    assert!(told(Some("opencode")).contains(line), "{}", told(Some("opencode")));
    assert!(!told(None).contains(line) && !told(Some("claude")).contains(line));
    let answer = reply(&bench, agent(), "pane.list", json!({})).await.to_value();
    assert_eq!(answer["since_your_last_call"]["selected"], json!(["a.txt:2-4"]));
    assert!(!answer.to_string().contains("abcdefghij0123456789"), "{answer}");
    assert!(!told(Some("opencode")).contains(line), "it was told");
}

#[tokio::test]
async fn a_command_that_fails_is_told_if_the_person_ran_it() {
    let bench = Bench::open(&[]).await;
    let created = bench.ok("terminal.create", json!({"shellPath": "/bin/bash"})).await;
    assert_eq!(created["terminalId"], json!("t1"), "{created}");
    let run = |command: &str| json!({"terminalId": "t1", "command": command});
    let failed = bench.ok("terminal.run", run("(exit 3)")).await;
    assert_eq!(failed["exitCode"], json!(3), "{failed}");
    assert_eq!(since(&bench, agent()).await, Value::Null);
    let terminals = bench.dispatcher().state().service::<Terminals>();
    let mut changed = terminals.get("t1".parse().unwrap()).unwrap().changed();
    let failed = bench.as_person("terminal.run", run("(exit 4)")).await;
    assert_eq!(failed["exitCode"], json!(4), "{failed}");
    let told = in_time(async {
        loop {
            let told = since(&bench, agent()).await;
            if told != Value::Null {
                return told;
            }
            // Whoever watches the shell hears of its prompt as we do.
            changed.next().await;
        }
    });
    let expected = json!({"failed": [{"terminal": "t1", "command": "(exit 4)", "exit_code": 4}]});
    assert_eq!(told.await, expected);
}

#[tokio::test]
async fn an_answer_that_came_after_its_call_had_gone_is_told_to_who_asked() {
    let bench = Bench::with(asking(Profile::Careful, PolicyText::of("")), &[]).await;
    let args = json!({"command": "touch made"});
    let call = Call::new(agent(), "workspace.bash", args).with_hold(Hold::leaving());
    let asked = bench.dispatcher().dispatch(call).await.to_value();
    let question = asked["approval"].as_str().unwrap_or_else(|| panic!("{asked}")).to_owned();
    assert_eq!(since(&bench, agent()).await, Value::Null);
    let claude = Caller::new(CallerKind::Agent, "claude", None);
    since(&bench, claude.clone()).await;
    let answer = json!({"approvalId": question, "answer": "no"});
    let answered = bench.reply(person(), "approval.answer", answer).await.to_value();
    assert_eq!(answered["success"], json!(true), "{answered}");
    assert_eq!(since(&bench, agent()).await, json!({"answered": ["no: touch made"]}));
    assert_eq!(since(&bench, claude).await, Value::Null);
}
