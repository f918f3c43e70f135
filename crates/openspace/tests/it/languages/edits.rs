//! Edits that go to a page: with the very texts that they are about.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use super::{Page, WIDGET, at, hash, space, trusting};
use crate::support::Socket;

const WRONG: &str = "class Widget\nwrong\n";

/// The actions for what is wrong on the second line.
fn actions() -> Value {
    let place = json!({"line": 1, "character": 0});
    json!({"method": "textDocument/codeAction", "path": "a.tst", "params": {
        "range": {"start": place, "end": place}, "context": {"diagnostics": [], "triggerKind": 1}}})
}

#[tokio::test]
async fn renaming_names_the_texts_that_it_is_about() {
    let space = space();
    space.file("b.tst", "use Widget\n");
    let server = trusting(&space).await;
    let mut page = Page::showing(&server).await;
    let mut rename = at("rename", 0, 7);
    rename["params"]["newName"] = json!("Gadget");
    let answer = page.answer(rename).await;
    let changes = answer["value"]["changes"].as_object().unwrap();
    let files: Vec<&String> = changes.keys().collect();
    assert_eq!(files, ["workspace:/a.tst", "workspace:/b.tst"]);
    let texts = json!([
        {"path": "a.tst", "text": {"hash": hash(WIDGET)}},
        {"path": "b.tst", "text": {"hash": hash("use Widget\n")}},
    ]);
    assert_eq!(answer["texts"], texts);
}

#[tokio::test]
async fn a_server_has_files_edited_only_by_the_page_whose_command_it_does() {
    let space = space();
    space.file("a.tst", WRONG);
    let server = trusting(&space).await;
    let (mut page, mut other) = (Page::showing(&server).await, Page::showing(&server).await);
    let mut buffers = Socket::open(&server.http, "/api/buffers").await;
    let text = format!("{WRONG}typed\n");
    let open = json!({"type": "open", "path": "a.tst", "base": WRONG, "text": text});
    buffers.send(Message::text(open.to_string())).await;
    assert_eq!(buffers.json().await["type"], "opened");
    let answer = page.answer(actions()).await;
    let [fix, mend] = [0, 1].map(|at| answer["value"][at].clone());
    // What is wrong there was told in the server's own words.
    assert_eq!(fix["diagnostics"][0]["code"], "T1", "{answer}");
    assert_eq!(fix["edit"]["changes"]["workspace:/a.tst"][0]["newText"], "right");
    assert_eq!(answer["texts"], json!([{"path": "a.tst", "text": {"version": 1}}]));
    let execute = json!({"method": "workspace/executeCommand", "server": "tester", "generation": 1,
        "params": {"command": "mend", "arguments": mend["command"]["arguments"]}});
    let id = page.begin(execute).await;
    let apply = page.socket.find("edits", |told| told["type"] == "apply").await;
    let place = |character: u32| json!({"line": 1, "character": character});
    let edit = json!({"range": {"start": place(0), "end": place(5)}, "newText": "mended"});
    let change = json!({"path": "a.tst", "text": {"version": 1}, "edits": [edit]});
    let expected = json!({"type": "apply", "edit": 0, "label": null, "changes": [change]});
    assert_eq!(apply, expected);
    page.say(json!({"type": "applied", "edit": 0, "done": true})).await;
    assert_eq!(page.end(id).await["type"], "answer");
    // The other page heard nothing of it, but hears what is for everybody.
    let execute = json!({"method": "workspace/executeCommand", "server": "tester", "generation": 1,
        "params": {"command": "tell"}});
    page.answer(execute).await;
    let notice =
        json!({"type": "notice", "level": "warning", "server": "tester", "text": "be careful"});
    let heard = other
        .socket
        .find("news", |told| {
            told["type"] != "servers"
                && *told != json!({"type": "refresh", "feature": told["feature"]})
        })
        .await;
    assert_eq!(heard, notice);
    // Those that it sent when it became ready come before.
    let refresh = json!({"type": "refresh", "feature": "codeLenses"});
    other.socket.find("a refresh", |told| *told == refresh).await;
}
