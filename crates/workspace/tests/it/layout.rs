//! `layout.*`: layouts saved under a name.

use openspace_workspace::areas::layout::LayoutPart;
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::Bench;

#[tokio::test]
async fn a_saved_layout_comes_back() {
    let bench = Bench::open(&[("a.rs", ""), ("b.rs", ""), ("c.rs", "")]).await;
    bench.ok("editor.open", json!({"path": "a.rs"})).await;
    bench.ok("editor.open", json!({"path": "b.rs", "newPane": true})).await;
    let saved = bench.ok("layout.save", json!({"name": "review"})).await;
    assert_eq!(saved, json!({"layouts": ["review"]}));
    let before = bench.state().part::<LayoutPart>().clone();
    bench.ok("pane.close", json!({"paneId": "p2"})).await;
    bench.ok("editor.open", json!({"path": "c.rs"})).await;
    let applied = bench.ok("layout.apply", json!({"name": "review"})).await;
    let closed = json!([{"type": "editor", "contentId": "c.rs"}]);
    assert_eq!(applied, json!({"missing": [], "kept": [], "closed": closed}));
    assert_eq!(*bench.state().part::<LayoutPart>(), before);
}

#[tokio::test]
async fn content_that_is_gone_leaves_a_placeholder() {
    let bench = Bench::open(&[("a.rs", "")]).await;
    bench.ok("editor.open", json!({"path": "a.rs"})).await;
    bench.ok("layout.save", json!({"name": "one"})).await;
    bench.ok("editor.close", json!({"path": "a.rs"})).await;
    bench.remove("a.rs");
    let applied = bench.ok("layout.apply", json!({"name": "one"})).await;
    let missing = json!([{"type": "editor", "contentId": "a.rs"}]);
    assert_eq!(applied, json!({"missing": missing, "kept": [], "closed": []}));
    let state = bench.ok("editor.state", json!({})).await;
    assert_eq!(state["editors"][0]["missing"], json!(true));
}

#[tokio::test]
async fn a_running_terminal_stays_whatever_layout_is_applied() {
    let bench = Bench::open(&[]).await;
    bench.ok("layout.save", json!({"name": "empty"})).await;
    bench.ok("terminal.create", json!({})).await;
    let applied = bench.ok("layout.apply", json!({"name": "empty"})).await;
    let kept = json!([{"type": "terminal", "contentId": "t1"}]);
    assert_eq!(applied, json!({"missing": [], "kept": kept, "closed": []}));
}

#[tokio::test]
async fn layouts_are_listed_and_deleted() {
    let bench = Bench::open(&[]).await;
    for name in ["b", "a"] {
        bench.ok("layout.save", json!({"name": name})).await;
    }
    assert_eq!(bench.ok("layout.list", json!({})).await, json!({"layouts": ["a", "b"]}));
    let left = bench.ok("layout.delete", json!({"name": "a"})).await;
    assert_eq!(left, json!({"layouts": ["b"]}));
    for command in ["layout.delete", "layout.apply"] {
        let message = "no layout is named `a`; the saved ones are: b";
        bench.fails(command, json!({"name": "a"}), "not_found", message).await;
    }
    for name in ["", " x", "a\nb"] {
        let message = "a layout's name has 1 to 64 printable characters and no space at its ends";
        bench.fails("layout.save", json!({"name": name}), "invalid_args", message).await;
    }
}
