//! Unsaved text whose file was deleted, and text that has no file yet.

use openspace_buffers::BuffersPart;
use openspace_workspace::areas::layout::LayoutPart;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::{
    buffers::{Page, TYPED, live, typing},
    support::{Bench, names, on_disk},
};

const UNTITLED: &str = "untitled:Untitled-1";

fn marks(bench: &Bench) -> Value {
    json!(bench.state().part::<BuffersPart>())
}

/// A bench where a person types into a text without a file, whose tab is open.
async fn noting() -> (Bench, Page) {
    let bench = Bench::open(&[("a.txt", "one\n")]).await;
    let mut page = Page::join(&bench);
    let opened = page.open(UNTITLED, "", "a note\n").await;
    let expected = json!({
        "type": "opened", "path": UNTITLED, "version": 1, "text": "a note\n", "base": "",
        "conflicted": false,
    });
    assert_eq!(opened, expected);
    let tabs = json!([{"type": "editor", "contentId": UNTITLED}]);
    let main = json!({"root": {"pane": {"id": "p1", "tabs": tabs, "activeTab": 0}}});
    bench
        .as_person("layout.propose", json!({"knownPanes": ["p1"], "knownTabs": [], "main": main}))
        .await;
    (bench, page)
}

#[tokio::test]
async fn what_an_agent_deletes_keeps_its_unsaved_text_and_is_made_again_by_a_save() {
    let (bench, mut page) = typing().await;
    bench.ok("editor.open", json!({"path": "a.txt"})).await;
    let deleted = bench.ok("file.delete", json!({"path": "a.txt"})).await;
    assert_eq!(deleted["unsaved"], json!(["a.txt"]));
    assert_eq!(marks(&bench), json!({"a.txt": {"conflicted": true, "deleted": true}}));
    assert_eq!(live(&bench, "a.txt").unwrap(), TYPED);
    let read = bench.ok("editor.read_file", json!({"path": "a.txt"})).await;
    assert_eq!((&read["content"], &read["unsaved"]), (&json!(TYPED), &json!(true)));

    let save = json!({"path": "a.txt", "content": TYPED, "createOnly": true});
    let saved = bench.as_person("file.save", save).await;
    assert_eq!(saved["created"], true);
    assert_eq!(on_disk(&bench.place("a.txt")), TYPED);
    assert_eq!(page.next().await, json!({"type": "closed", "path": "a.txt", "reason": "saved"}));
    assert_eq!(marks(&bench), json!({}));
}

#[tokio::test]
async fn unsaved_text_of_a_deleted_folder_is_in_step_again_when_that_is_restored() {
    let bench = Bench::open(&[("src/a.txt", "one\n"), ("b.txt", "one\n")]).await;
    let mut page = Page::join(&bench);
    page.open("src/a.txt", "one\n", "one typed\n").await;
    page.open("b.txt", "one\n", "two\n").await;
    let deleted = bench.ok("file.delete", json!({"path": "src"})).await;
    assert_eq!(deleted["unsaved"], json!(["src/a.txt"]));
    let rest = json!({"conflicted": false});
    let gone = json!({"conflicted": true, "deleted": true});
    assert_eq!(marks(&bench), json!({"b.txt": rest, "src/a.txt": gone}));
    bench.ok("file.restore", json!({"trashed": deleted["trashed"]})).await;
    let buffers = bench.dispatcher().state().buffers();
    buffers.file_changed(&crate::buffers::path("src/a.txt")).await;
    assert_eq!(marks(&bench), json!({"b.txt": rest, "src/a.txt": rest}));
    assert_eq!(live(&bench, "src/a.txt").unwrap(), "one typed\n");
}

#[tokio::test]
async fn what_the_person_deletes_goes_with_its_unsaved_text() {
    let (bench, mut page) = typing().await;
    let deleted = bench.as_person("file.delete", json!({"path": "a.txt"})).await;
    assert_eq!(deleted.get("unsaved"), None);
    assert_eq!(page.next().await, json!({"type": "closed", "path": "a.txt", "reason": "deleted"}));
    assert_eq!(marks(&bench), json!({}));
}

#[tokio::test]
async fn what_was_deleted_is_listed_newest_first_and_can_be_restored() {
    let bench = Bench::open(&[("a.txt", "one\n"), ("src/b.txt", "two\n")]).await;
    assert_eq!(bench.ok("file.list_deleted", json!({})).await, json!({"items": []}));
    let first = bench.ok("file.delete", json!({"path": "src"})).await;
    bench.advance(1_000);
    let second = bench.ok("file.delete", json!({"path": "a.txt"})).await;
    let listed = bench.ok("file.list_deleted", json!({})).await;
    let at = listed["items"][1]["deletedAt"].as_u64().unwrap();
    let expected = json!({"items": [
        {"path": "a.txt", "kind": "file", "deletedAt": at + 1_000, "trashed": second["trashed"]},
        {"path": "src", "kind": "folder", "deletedAt": at, "trashed": first["trashed"]},
    ]});
    assert_eq!(listed, expected);
    bench.ok("file.restore", json!({"trashed": first["trashed"]})).await;
    assert_eq!(on_disk(&bench.place("src/b.txt")), "two\n");
    let listed = bench.ok("file.list_deleted", json!({})).await;
    assert_eq!(listed["items"][0]["path"], "a.txt");
    assert_eq!(listed["items"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn text_without_a_file_is_kept_shown_and_read_like_any_unsaved_text() {
    let (mut bench, page) = noting().await;
    let state = bench.ok("editor.state", json!({})).await;
    let editor = &state["editors"][0];
    let seen = (&editor["path"], &editor["dirty"], &editor["missing"]);
    assert_eq!(seen, (&json!(UNTITLED), &json!(true), &json!(false)));
    let read = bench.ok("editor.read_file", json!({"path": UNTITLED})).await;
    assert_eq!((&read["content"], &read["unsaved"]), (&json!("a note\n"), &json!(true)));
    let text = bench.text("workspace.read", json!({"file_path": UNTITLED})).await;
    assert_eq!(text, "1: a note\n(with unsaved changes of the person)");
    bench.ok("editor.open", json!({"path": UNTITLED, "line": 1})).await;

    drop(page);
    bench.restart().await;
    assert_eq!(marks(&bench), json!({UNTITLED: {"conflicted": false}}));
    assert_eq!(live(&bench, UNTITLED).unwrap(), "a note\n");
    let state = bench.state();
    let tabs = state.part::<LayoutPart>().tabs().map(|(_, tab)| tab);
    let tabs: Vec<_> = tabs.map(|tab| (tab.content_id.as_str(), tab.dirty, tab.missing)).collect();
    assert_eq!(tabs, [(UNTITLED, true, false)]);
    assert_eq!(names(&bench.place("")), ["a.txt"], "nothing of it is in the workspace");
}

#[tokio::test]
async fn text_without_a_file_ends_when_it_is_emptied_and_never_reaches_the_disk_by_its_name() {
    let (bench, mut page) = noting().await;
    let edit = json!({"file_path": UNTITLED, "old_string": "note", "new_string": "change"});
    let message =
        "`untitled:Untitled-1` is text of the person that has no file yet; nothing was changed";
    bench.fails("workspace.edit", edit, "conflict", message).await;
    let emptied = json!([{"start": 0, "end": 7, "text": ""}]);
    let edit = json!({"type": "edit", "path": UNTITLED, "version": 1, "edits": emptied});
    assert_eq!(page.ask(edit).await["type"], "accepted");
    assert_eq!(page.next().await, json!({"type": "closed", "path": UNTITLED, "reason": "saved"}));
    assert_eq!(marks(&bench), json!({}));

    let message = "`untitled:Untitled-1` is the name of a text that has no file";
    let save = json!({"path": UNTITLED, "content": "x"});
    bench.fails("file.save", save.clone(), "invalid_args", message).await;
    bench.fails("file.write", save, "invalid_args", message).await;
    assert_eq!(page.open(UNTITLED, "base", "text").await["kind"], "invalid_args");
    assert_eq!(names(&bench.place("")), ["a.txt"]);
}
