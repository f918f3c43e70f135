//! What servers want changed: in all files or in none, with what the person has not saved kept. And what an edit of an
//! agent broke.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::World;
use crate::{
    buffers::{Page, live},
    support::on_disk,
};

const A: &str = "class Widget\n  def area\n";
const B: &str = "Widget one\r\nWidget two\r\n";

fn changed(path: &str, lines: &[u32]) -> Value {
    json!({"path": path, "edits": lines.len(), "lines": lines})
}

#[tokio::test]
async fn a_symbol_is_renamed_in_all_files() {
    let world = World::open(&[("a.tst", A), ("b.tst", B)]).await;
    let args = json!({"symbol": "Widget", "new_name": "Gadget", "dry_run": true});
    let files = json!([changed("a.tst", &[1]), changed("b.tst", &[1, 2])]);
    let would = world.ok("code.rename", args).await;
    assert_eq!((&would["files"], &would["dry_run"]), (&files, &json!(true)));
    assert_eq!(on_disk(&world.bench.place("a.tst")), A);
    let done = world.ok("code.rename", json!({"symbol": "Widget", "new_name": "Gadget"})).await;
    let problems = json!({"state": "fresh", "new": [], "fixed": 0});
    let expected =
        json!({"server": "tester", "complete": true, "files": files, "problems": problems});
    assert_eq!(done, expected);
    assert_eq!(on_disk(&world.bench.place("a.tst")), "class Gadget\n  def area\n");
    assert_eq!(on_disk(&world.bench.place("b.tst")), "Gadget one\r\nGadget two\r\n");
    let nothing = "nothing is called `Widget` in this workspace";
    world
        .bench
        .fails("code.rename", json!({"symbol": "Widget", "new_name": "x"}), "not_found", nothing)
        .await;
}

#[tokio::test]
async fn what_the_person_has_not_saved_is_renamed_along_or_is_a_conflict() {
    let world = World::open(&[("a.tst", "class Widget\n\n\nlast\n"), ("b.tst", "Widget\n")]).await;
    let mut page = Page::join(&world.bench);
    page.open("a.tst", "class Widget\n\n\nlast\n", "class Widget\n\n\nlast typed\n").await;
    let done = world.ok("code.rename", json!({"symbol": "Widget", "new_name": "Gadget"})).await;
    assert_eq!(done["files"][0]["unsaved"], json!(true));
    assert_eq!(live(&world.bench, "a.tst").unwrap(), "class Gadget\n\n\nlast typed\n");
    assert_eq!(on_disk(&world.bench.place("a.tst")), "class Gadget\n\n\nlast\n");
    // The very line that is not saved, in the last of the files: nothing is changed in any.
    let mut other = Page::join(&world.bench);
    other.open("b.tst", "Gadget\n", "Gadget typed\n").await;
    let failure =
        world.bench.failure("code.rename", json!({"symbol": "Gadget", "new_name": "Widget"})).await;
    assert_eq!(failure["kind"], json!("conflict"), "{failure}");
    assert!(failure["hint"].as_str().unwrap().contains("Gadget typed"), "{failure}");
    assert_eq!(on_disk(&world.bench.place("a.tst")), "class Gadget\n\n\nlast\n");
    assert_eq!(on_disk(&world.bench.place("b.tst")), "Gadget\n");
}

#[tokio::test]
async fn a_server_that_has_not_read_everything_renames_nothing() {
    let world = World::open(&[("a.tst", A), ("loading", ""), ("half", "")]).await;
    let args = json!({"path": "a.tst", "line": 1, "column": 7, "new_name": "Gadget", "wait_s": 0});
    let failure = world.bench.failure("code.rename", args).await;
    assert_eq!(failure["kind"], json!("busy"), "{failure}");
    assert_eq!(on_disk(&world.bench.place("a.tst")), A);
}

#[tokio::test]
async fn a_file_is_formatted_as_the_person_sees_it() {
    let world = World::open(&[("a.tst", "one  \ntwo\n\n\nthree\n")]).await;
    let done = world.ok("code.format", json!({"path": "a.tst"})).await;
    assert_eq!(done["files"], json!([changed("a.tst", &[1])]));
    assert_eq!(on_disk(&world.bench.place("a.tst")), "one\ntwo\n\n\nthree\n");
    world.bench.put("a.tst", "one  \ntwo  \nthree  \n");
    let some = json!({"path": "a.tst", "line": 2, "end_line": 3});
    world.ok("code.format", some).await;
    assert_eq!(on_disk(&world.bench.place("a.tst")), "one  \ntwo\nthree\n");
    world.ok("code.format", json!({"path": "a.tst"})).await;
    let text = world.bench.text("code.format", json!({"path": "a.tst"})).await;
    assert_eq!(text, "It has that form already.");
}

#[tokio::test]
async fn what_is_offered_is_listed_and_done() {
    let world = World::open(&[("a.tst", "wrong\nfine\n")]).await;
    let action = |title: &str| json!({"title": title, "kind": "quickfix", "server": "tester"});
    let listed = world.ok("code.actions", json!({"path": "a.tst", "line": 1})).await;
    let actions = json!([action("Make it right"), action("Mend by command")]);
    assert_eq!(listed, json!({"actions": actions, "total": 2, "files": []}));
    let none = world.bench.text("code.actions", json!({"path": "a.tst", "line": 2})).await;
    assert_eq!(none, "Nothing is offered there.");
    let apply = |title: &str| json!({"path": "a.tst", "line": 1, "apply": title});
    let done = world.ok("code.actions", apply("Make it right")).await;
    let files = json!([changed("a.tst", &[1])]);
    let problems = json!({"state": "fresh", "new": [], "fixed": 1});
    let expected = json!({"actions": [], "total": 0, "applied": "Make it right", "files": files,
        "problems": problems});
    assert_eq!(done, expected);
    assert_eq!(on_disk(&world.bench.place("a.tst")), "right\nfine\n");
    world.bench.put("a.tst", "wrong again\n");
    let done = world.ok("code.actions", apply("Mend by command")).await;
    assert_eq!(done["files"], files);
    assert_eq!(on_disk(&world.bench.place("a.tst")), "mended again\n");
    let message = "nothing is called `Make it right` on these lines";
    world.bench.fails("code.actions", apply("Make it right"), "not_found", message).await;
}

#[tokio::test]
async fn an_edit_says_what_it_broke_and_what_it_mended() {
    let world = World::open(&[("a.tst", "odd\nfine\n"), ("b.tst", "fine\n")]).await;
    let edit =
        |old: &str, new: &str| json!({"file_path": "a.tst", "old_string": old, "new_string": new});
    // Nothing runs yet, and nothing is started for it.
    let answer = world.ok("workspace.edit", edit("fine", "fine ")).await;
    assert_eq!(answer["problems"], Value::Null);
    assert_eq!(world.ok("code.servers", json!({})).await["servers"], json!([]));
    world.ok("code.symbols", json!({"path": "b.tst"})).await;
    // A file that nobody asked about, with a problem that was there before.
    let answer = world.ok("workspace.edit", edit("fine ", "x\nwrong")).await;
    let new = "3:1 error: this is wrong [tester T1]";
    let expected = json!({"state": "fresh", "new": [new], "fixed": 0});
    assert_eq!(answer["problems"], expected);
    let text = world.bench.text("workspace.edit", edit("wrong", "fine")).await;
    assert!(text.contains("\nProblems: nothing new, 1 fixed."), "{text}");
    let write = json!({"file_path": "c.tst", "content": "wrong\n"});
    let answer = world.ok("workspace.write", write).await;
    assert_eq!(answer["problems"]["new"].as_array().map(Vec::len), Some(1), "{answer}");
    let write = json!({"file_path": "c.txt", "content": "wrong\n"});
    assert_eq!(world.ok("workspace.write", write).await["problems"], Value::Null);
}

#[tokio::test]
async fn an_edit_does_not_wait_for_a_server_that_loads() {
    let world = World::open(&[("a.tst", "fine\n"), ("loading", "")]).await;
    world.bench.failure("code.symbols", json!({"path": "a.tst", "wait_s": 0})).await;
    let edit = json!({"file_path": "a.tst", "old_string": "fine", "new_string": "wrong"});
    let answer = world.ok("workspace.edit", edit).await;
    let problems = &answer["problems"];
    let state = json!("pending: Tester: it is loading; ask code_diagnostics");
    assert_eq!((&problems["state"], &problems["new"]), (&state, &json!([])));
}

#[tokio::test]
async fn a_rename_breaks_what_a_server_says_that_it_breaks() {
    let world = World::open(&[("a.tst", A), ("b.tst", "Widget\n")]).await;
    let args = json!({"symbol": "Widget", "path": "a.tst", "new_name": "wrong"});
    let done = world.ok("code.rename", args).await;
    let new = json!(["1:7 error: this is wrong [tester T1]"]);
    let expected = json!({"state": "fresh", "new": new, "fixed": 0,
        "elsewhere": ["b.tst: 1 new error(s)"]});
    assert_eq!(done["problems"], expected);
}

#[tokio::test]
async fn what_is_typed_while_an_agent_renames_is_kept() {
    let world = World::open(&[("a.tst", A), ("b.tst", "Widget\n\n\nlast\n")]).await;
    world.ok("code.symbols", json!({"path": "a.tst"})).await;
    let mut page = Page::join(&world.bench);
    for turn in 0..10 {
        let (old, new) = if turn % 2 == 0 { ("Widget", "Gadget") } else { ("Gadget", "Widget") };
        let disk = format!("{old}\n\n\nlast\n");
        let typed = format!("{old}\n\n\nlast typed\n");
        let rename = json!({"symbol": old, "path": "a.tst", "new_name": new});
        let (answer, _) = tokio::join!(
            world.bench.call("code.rename", rename),
            page.open("b.tst", &disk, &typed),
        );
        // It is renamed everywhere, or nowhere because the text changed in that very moment.
        let is_done = answer["success"] == json!(true);
        let name = if is_done { new } else { old };
        if !is_done {
            assert_eq!(answer["kind"], json!("conflict"), "{answer}");
        }
        assert_eq!(on_disk(&world.bench.place("a.tst")), A.replace("Widget", name));
        assert_eq!(on_disk(&world.bench.place("b.tst")), format!("{name}\n\n\nlast\n"));
        let seen = live(&world.bench, "b.tst").unwrap_or_default();
        assert_eq!(seen, format!("{name}\n\n\nlast typed\n"), "turn {turn}: {answer}");
        world.ok("editor.discard", json!({"path": "b.tst"})).await;
        world.bench.put("a.tst", &A.replace("Widget", new));
        world.bench.put("b.tst", &format!("{new}\n\n\nlast\n"));
        page = Page::join(&world.bench);
    }
}
