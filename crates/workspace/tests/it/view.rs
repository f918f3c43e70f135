//! `view.report` and what it changes for others.

use openspace_workspace::areas::view::commands::{attach, detach};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::{Bench, with};

#[tokio::test]
async fn a_report_shows_in_what_others_are_told() {
    let bench = Bench::open(&[("a.rs", "1\n2\n")]).await;
    let space = bench.dispatcher().state().space();
    attach(space, "v1").unwrap();
    attach(space, "v2").unwrap();
    let opened = bench.ok("editor.open", json!({"path": "a.rs"})).await;
    assert_eq!(opened["viewers"], json!(2));
    let editor = json!({
        "path": "a.rs", "line": 2, "column": 1, "firstVisibleLine": 1, "lastVisibleLine": 2,
        "selection": "1:1-2:1",
    });
    let pane = json!({
        "paneId": "p1", "x": 0.0, "y": 10.5, "width": 800.0, "height": 600.0, "visible": true,
    });
    let view = json!({"panes": [pane], "editors": [editor]});
    let answer = bench.as_person("view.report", json!({"viewId": "v1", "view": view})).await;
    assert_eq!(answer, json!({"success": true}));
    let panes = bench.ok("pane.list", json!({})).await;
    assert_eq!(panes["observed"], json!({"v1": view, "v2": {"panes": [], "editors": []}}));
    let state = bench.ok("editor.state", json!({})).await;
    let mut observed = editor;
    observed["view"] = json!("v1");
    assert_eq!(state["editors"][0]["observed"], json!([observed]));
    detach(space, "v1");
    let panes = bench.ok("pane.list", json!({})).await;
    assert_eq!(panes["observed"], json!({"v2": {"panes": [], "editors": []}}));
}

#[tokio::test]
async fn what_an_agent_opens_goes_beside_the_pane_that_a_person_types_in_and_the_answer_says_so() {
    let files = ["a.rs", "b.rs", "c.rs", "d.rs", "e.rs"].map(|path| (path, "1\n"));
    let bench = Bench::open(&files).await;
    attach(bench.dispatcher().state().space(), "v1").unwrap();
    bench.ok("editor.open", json!({"path": "a.rs"})).await;
    bench.ok("editor.open", json!({"path": "b.rs", "newPane": true})).await;
    let report = json!({"viewId": "v1", "view": {"typedIn": "p2"}});
    bench.as_person("view.report", report).await;
    let pane = async |args| bench.ok("editor.open", args).await["paneId"].clone();
    assert_eq!(pane(json!({"path": "c.rs", "mode": "suggest-only"})).await, json!("p2"));
    assert_eq!(pane(json!({"path": "d.rs"})).await, json!("p1"));
    bench.ok("pane.focus", json!({"paneId": "p2"})).await;
    let own = bench.as_person("editor.open", json!({"path": "e.rs"})).await;
    assert_eq!(own["paneId"], json!("p2"), "the person's own file");
    let wrong = json!({"viewId": "v1", "view": {"typedIn": "elsewhere"}});
    let message = "argument `view.typedIn`: `elsewhere` is not an id of the form p1";
    bench.fails("view.report", wrong, "invalid_args", message).await;
}

#[tokio::test]
async fn only_an_attached_browser_reports() {
    let bench = Bench::open(&[]).await;
    let args = json!({"viewId": "v1", "view": {}});
    let message = "no browser `v1` is attached";
    bench.fails("view.report", args, "not_found", message).await;
    attach(bench.dispatcher().state().space(), "v1").unwrap();
    let pane = json!({"paneId": "p1", "x": 0, "y": 0, "width": 1, "height": 1, "visible": true});
    let view = json!({"panes": vec![pane; 1_001]});
    let message = "argument `view`: at most 1000 panes and 1000 editors";
    let args = json!({"viewId": "v1", "view": view});
    bench.fails("view.report", args, "invalid_args", message).await;
}

#[tokio::test]
async fn so_many_browsers_attach_and_no_more() {
    let bench = Bench::open(&[]).await;
    let space = bench.dispatcher().state().space();
    for view in 0..64 {
        attach(space, &format!("v{view}")).unwrap();
    }
    let error = attach(space, "v64").unwrap_err();
    assert_eq!(error.to_string(), "64 browsers are attached already");
}

#[tokio::test]
async fn a_report_makes_no_record_no_revision_and_no_write() {
    let bench = Bench::open(&[("a.rs", "1\n")]).await;
    let state = bench.dispatcher().state();
    attach(state.space(), "v1").unwrap();
    bench.ok("editor.open", json!({"path": "a.rs"})).await;
    let (revision, saved) = (state.space().events().revision(), state.store().entries().unwrap());
    let mut view = bench.attach();
    let report = |line: u32| {
        let editor = json!({"path": "a.rs", "line": line, "column": 1, "firstVisibleLine": 1,
            "lastVisibleLine": 2, "selection": null});
        json!({"viewId": "v1", "view": {"panes": [], "editors": [editor]}})
    };
    for line in 1..=20 {
        assert_eq!(bench.as_person("view.report", report(line)).await, json!({"success": true}));
    }
    let told = view.changed("views").await;
    assert_eq!(told["v1"]["editors"][0]["line"], json!(1));
    while view.changed("views").await["v1"]["editors"][0]["line"] != json!(20) {}
    assert_eq!(state.space().events().revision(), revision);
    state.store().flush().done().await.unwrap();
    assert_eq!(state.store().entries().unwrap(), saved);
    let commands: Vec<String> = bench.audit().await.into_iter().map(|r| r.command).collect();
    assert_eq!(commands, ["openspace.editor.open"]);
}

#[tokio::test]
async fn what_no_browser_can_see_is_refused() {
    let bench = Bench::open(&[]).await;
    attach(bench.dispatcher().state().space(), "v1").unwrap();
    let pane = |differs| {
        let pane =
            json!({"paneId": "p1", "x": 0, "y": 0, "width": 1, "height": 1, "visible": true});
        json!({"panes": [with(pane, differs)]})
    };
    let editor = |differs| {
        let editor = json!({"path": "a.rs", "line": 1, "column": 1, "firstVisibleLine": 1,
            "lastVisibleLine": 1});
        json!({"editors": [with(editor, differs)]})
    };
    let from_one = "lines and columns count from 1";
    for (view, at, why) in [
        (pane(json!({"x": 1e300})), "panes[0].x", "must be -1000000 to 1000000 pixels"),
        (pane(json!({"y": -1e7})), "panes[0].y", "must be -1000000 to 1000000 pixels"),
        (pane(json!({"width": -1})), "panes[0].width", "must be 0 to 1000000 pixels"),
        (pane(json!({"height": 1e7})), "panes[0].height", "must be 0 to 1000000 pixels"),
        (pane(json!({"paneId": "x"})), "panes[0].paneId", "is not the id of a pane, such as `p1`"),
        (editor(json!({"line": 0})), "editors[0].line", from_one),
        (editor(json!({"column": 0})), "editors[0].column", from_one),
        (editor(json!({"firstVisibleLine": 0})), "editors[0].firstVisibleLine", from_one),
        (
            editor(json!({"firstVisibleLine": 2})),
            "editors[0].lastVisibleLine",
            "comes before `firstVisibleLine`",
        ),
        (editor(json!({"path": ""})), "editors[0].path", "must be 1 to 4096 bytes"),
        (
            editor(json!({"selection": "x".repeat(5_000)})),
            "editors[0].selection",
            "must be 1 to 4096 bytes",
        ),
    ] {
        let message = format!("argument `view.{at}`: {why}");
        let args = json!({"viewId": "v1", "view": view});
        bench.fails("view.report", args, "invalid_args", &message).await;
    }
    let message = "argument `selected`: at most 1000 paths of 1 to 4096 bytes";
    for selected in [json!(vec!["a"; 1_001]), json!([""]), json!(["x".repeat(5_000)])] {
        let args = json!({"viewId": "v1", "view": {}, "selected": selected});
        bench.fails("view.report", args, "invalid_args", message).await;
    }
    let panes = bench.ok("pane.list", json!({})).await;
    assert_eq!(panes["observed"], json!({"v1": {"panes": [], "editors": []}}));
}
