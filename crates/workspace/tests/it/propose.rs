//! `layout.propose`: the window as a person has it, through dispatch.

use openspace_command::Outcome;
use openspace_layout::Layout;
use openspace_protocol::part::Content as _;
use openspace_workspace::areas::{editor::EditorsPart, layout::LayoutPart};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Bench, with};

fn tab(kind: &str, id: &str) -> Value {
    json!({"type": kind, "contentId": id})
}

fn pane(id: impl Into<Value>, tabs: &[Value]) -> Value {
    let active = if tabs.is_empty() { Value::Null } else { json!(tabs.len() - 1) };
    json!({"pane": {"id": id.into(), "tabs": tabs, "activeTab": active}})
}

/// A page that knows panes and tabs, and has this in the middle.
fn window(known_panes: &[&str], known_tabs: &[Value], root: &Value) -> Value {
    json!({"knownPanes": known_panes, "knownTabs": known_tabs, "main": {"root": root},
        "bottom": null, "right": null})
}

async fn propose(bench: &Bench, window: Value) -> Value {
    let answer = bench.as_person("layout.propose", window).await;
    assert_eq!(answer["success"], json!(true), "{answer}");
    answer
}

#[tokio::test]
async fn a_person_opens_splits_and_closes() {
    let bench = Bench::open(&[("a.rs", ""), ("b.rs", "")]).await;
    bench.as_person("editor.open", json!({"path": "a.rs"})).await;
    let mut view = bench.attach();
    let revision = view.snapshot.revision;
    let (a, b) = (tab("editor", "a.rs"), tab("editor", "./b.rs"));
    let root = json!({"split": {"split": "vertical", "fractions": [3, 1],
        "children": [pane(json!("p1"), std::slice::from_ref(&a)), pane(Value::Null, &[b])]}});
    let window = with(window(&["p1"], std::slice::from_ref(&a), &root), json!({"activePane": 1}));
    let answer = propose(&bench, window.clone()).await;
    assert_eq!(answer["opened"], json!([tab("editor", "b.rs")]));
    assert_eq!((&answer["closed"], &answer["paneIds"]), (&json!([]), &json!(["p1", "p2"])));
    assert_eq!(answer["revision"], json!(revision + 1));
    let told = serde_json::from_value(view.changed("layout").await).unwrap();
    assert_eq!(answer["layout"], json!(Layout::from_entries(told).unwrap()));
    assert_eq!(answer["layout"], json!(bench.state().part::<LayoutPart>()));
    let expected = json!({"split": {"split": "vertical", "fractions": [0.75, 0.25], "children": [
        {"pane": {"id": "p1", "tabs": [with(a, json!({"title": "a.rs", "dirty": false,
            "missing": false}))], "activeTab": 0, "pinned": false}},
        {"pane": {"id": "p2", "tabs": [{"type": "editor", "contentId": "b.rs", "title": "b.rs",
            "dirty": false, "missing": false}], "activeTab": 0, "pinned": false}},
    ]}});
    assert_eq!(answer["layout"]["main"], json!({"root": expected, "active": "p2"}));

    let known = [tab("editor", "a.rs"), tab("editor", "b.rs")];
    let only = pane(json!("p2"), &known[1..]);
    let answer = propose(&bench, self::window(&["p1", "p2"], &known, &only)).await;
    assert_eq!(answer["closed"], json!([tab("editor", "a.rs")]));
    assert_eq!(
        bench.state().part::<EditorsPart>().len(),
        0,
        "nothing is known about a closed file"
    );
    let again = propose(&bench, self::window(&["p2"], &known[1..], &only)).await;
    assert_eq!(again["revision"], answer["revision"], "nothing changed");
    let records = bench.audit().await;
    let proposals = records.iter().filter(|record| record.command.ends_with(".propose"));
    let told: Vec<(&str, Outcome)> =
        proposals.map(|record| (record.summary.as_str(), record.outcome)).collect();
    let done = |summary| (summary, Outcome::Done);
    let expected = [done("open ./b.rs"), done("close a.rs, close p1"), done("arrange the window")];
    assert_eq!(told, expected);
}

#[tokio::test]
async fn what_an_agent_opened_meanwhile_stays() {
    let bench = Bench::open(&[("a.rs", ""), ("b.rs", ""), ("c.rs", "")]).await;
    bench.ok("editor.open", json!({"path": "b.rs"})).await;
    bench.ok("editor.open", json!({"path": "c.rs", "newPane": true})).await;
    let a = [tab("editor", "a.rs")];
    let answer = propose(&bench, window(&["p1"], &[], &pane(json!("p1"), &a))).await;
    assert_eq!((&answer["opened"], &answer["closed"]), (&json!(a), &json!([])));
    let shown = bench.ok("pane.list", json!({})).await;
    let tabs = |pane: &Value| -> Vec<String> {
        let tabs = pane["tabs"].as_array().unwrap();
        tabs.iter().map(|tab| tab["contentId"].as_str().unwrap().to_owned()).collect()
    };
    let shown: Vec<Vec<String>> = shown["panes"].as_array().unwrap().iter().map(tabs).collect();
    assert_eq!(shown, [vec!["b.rs", "a.rs"], vec!["c.rs"]]);
}

#[tokio::test]
async fn content_is_checked_before_anything_changes() {
    let bench = Bench::open(&[("a.rs", ""), (".env", "SECRET=1"), ("src/b.rs", "")]).await;
    bench.ok("terminal.create", json!({"title": "build"})).await;
    bench.ok("pane.close", json!({"contentId": "t1"})).await;
    let before = bench.state().part::<LayoutPart>().clone();
    for (opened, kind) in [
        (tab("editor", "../a.rs"), "invalid_args"),
        (tab("editor", "src"), "invalid_args"),
        (tab("chat", "c1"), "unsupported"),
    ] {
        let window = window(&["p1"], &[], &pane(json!("p1"), &[tab("editor", "a.rs"), opened]));
        let answer = bench.as_person("layout.propose", window).await;
        assert_eq!((&answer["success"], &answer["kind"]), (&json!(false), &json!(kind)));
        assert_eq!(*bench.state().part::<LayoutPart>(), before);
    }
    let opened = [tab("editor", "gone.rs"), tab("terminal", "t1"), tab("terminal", "t9")];
    let answer = propose(&bench, window(&["p1"], &[], &pane(json!("p1"), &opened))).await;
    let pane = &answer["layout"]["main"]["root"]["pane"];
    let expected = json!([
        {"type": "editor", "contentId": "gone.rs", "title": "gone.rs", "dirty": false,
            "missing": true},
        {"type": "terminal", "contentId": "t1", "title": "build", "dirty": false,
            "missing": false},
    ]);
    assert_eq!((&pane["tabs"], &pane["activeTab"]), (&expected, &json!(1)));
}

#[tokio::test]
async fn a_secret_file_has_a_tab_when_a_person_opens_it_only() {
    let bench = Bench::open(&[(".env", "SECRET=1")]).await;
    let secret = pane("p1", &[tab("editor", ".env")]);
    let refused = bench.failure("layout.propose", window(&["p1"], &[], &secret)).await;
    assert_eq!(refused["kind"], "denied");
    let answer = propose(&bench, window(&["p1"], &[], &secret)).await;
    assert_eq!(answer["opened"], json!([{"type": "editor", "contentId": ".env"}]));
    let read = bench.failure("editor.read_file", json!({"path": ".env"})).await;
    assert_eq!(read["kind"], "denied");
}

#[tokio::test]
async fn panes_move_and_dividers_too() {
    let bench = Bench::open(&[("a.rs", ""), ("b.rs", "")]).await;
    bench.ok("editor.open", json!({"path": "a.rs"})).await;
    bench.ok("editor.open", json!({"path": "b.rs", "newPane": true})).await;
    let args = json!({"paneId": "p2", "besidePaneId": "p1", "side": "above"});
    let moved = bench.ok("pane.move_beside", args).await;
    let children = json!([{"type": "pane", "id": "p2"}, {"type": "pane", "id": "p1"}]);
    let main = json!({"type": "split", "split": "horizontal", "fractions": [0.5, 0.5],
        "children": children});
    assert_eq!(moved["tree"]["main"], main);
    let args = json!({"firstPaneId": "p2", "secondPaneId": "p1", "fractions": [300, 100]});
    let divided = bench.ok("pane.divide", args).await;
    assert_eq!(divided["tree"]["main"]["fractions"], json!([0.75, 0.25]));
    let args = json!({"paneId": "p9", "besidePaneId": "p1", "side": "left"});
    let message = "there is no pane `p9`; the panes are p2, p1";
    bench.fails("pane.move_beside", args, "not_found", message).await;
}
