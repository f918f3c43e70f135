//! Tabs of files with unsaved text: who may close them.

use openspace_workspace::areas::layout::LayoutPart;
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::{
    buffers::{Page, TYPED, live, typing},
    support::Bench,
};

/// A bench with an unsaved file beside another, both in the first pane.
async fn both_open() -> (Bench, Page) {
    let (bench, page) = typing().await;
    bench.put("b.txt", "");
    for path in ["a.txt", "b.txt"] {
        bench.ok("editor.open", json!({"path": path})).await;
    }
    (bench, page)
}

fn tabs(bench: &Bench) -> Vec<(String, bool)> {
    let state = bench.state();
    let tabs = state.part::<LayoutPart>().tabs();
    tabs.map(|(_, tab)| (tab.content_id.clone(), tab.dirty)).collect()
}

fn open() -> Vec<(String, bool)> {
    vec![("a.txt".to_owned(), true), ("b.txt".to_owned(), false)]
}

#[tokio::test]
async fn a_tab_with_unsaved_text_is_closed_by_no_command() {
    let (bench, _page) = both_open().await;
    bench.ok("pane.split", json!({"paneId": "p1", "side": "right"})).await;
    let closes = [
        ("editor.close", json!({"path": "a.txt"})),
        ("pane.close", json!({"contentId": "a.txt"})),
        ("pane.close", json!({"paneId": "p1"})),
    ];
    for (command, args) in closes {
        let failure = bench.failure(command, args).await;
        let expected = json!({
            "success": false, "kind": "conflict",
            "error": "`a.txt` has unsaved changes; nothing was closed",
            "hint": "ask the person to save, or to close it in their browser, which asks what to do with the text",
        });
        assert_eq!(failure, expected);
        assert_eq!(tabs(&bench), open());
    }
    bench.ok("editor.close", json!({"path": "b.txt"})).await;
    bench.ok("editor.discard", json!({"path": "a.txt"})).await;
    bench.ok("pane.close", json!({"paneId": "p1"})).await;
    assert_eq!(tabs(&bench), []);
}

#[tokio::test]
async fn a_saved_layout_keeps_unsaved_text_in_sight() {
    let (bench, _page) = typing().await;
    bench.put("b.txt", "");
    bench.ok("layout.save", json!({"name": "empty"})).await;
    for path in ["a.txt", "b.txt"] {
        bench.ok("editor.open", json!({"path": path})).await;
    }
    bench.ok("layout.apply", json!({"name": "empty"})).await;
    assert_eq!(tabs(&bench), [("a.txt".to_owned(), true)]);
    assert_eq!(live(&bench, "a.txt").unwrap(), TYPED);
}

#[tokio::test]
async fn the_person_closes_it_and_others_cannot_in_their_name() {
    let (bench, _page) = both_open().await;
    let tabs_left = json!([{"type": "editor", "contentId": "b.txt"}]);
    let proposal = json!({
        "knownPanes": ["p1"],
        "knownTabs": [{"type": "editor", "contentId": "a.txt"}, {"type": "editor", "contentId": "b.txt"}],
        "main": {"root": {"pane": {"id": "p1", "tabs": tabs_left, "activeTab": 0}}},
    });
    let message = "`a.txt` has unsaved changes; nothing was closed";
    bench.fails("layout.propose", proposal.clone(), "conflict", message).await;
    assert_eq!(tabs(&bench), open());
    let done = bench.as_person("layout.propose", proposal).await;
    assert_eq!(done["success"], true, "{done}");
    assert_eq!(tabs(&bench), [("b.txt".to_owned(), false)]);
}
