//! `pane.*`.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::Bench;

async fn bench() -> Bench {
    Bench::open(&[("a.rs", "a\n"), ("b.rs", "b\n"), ("c.rs", "c\n")]).await
}

async fn open(bench: &Bench, path: &str) -> Value {
    bench.ok("pane.open", json!({"type": "editor", "contentId": path})).await
}

fn tab(path: &str) -> Value {
    json!({"type": "editor", "contentId": path, "title": path, "dirty": false, "missing": false})
}

fn key(path: &str) -> Value {
    json!({"type": "editor", "contentId": path})
}

#[tokio::test]
async fn what_is_open_already_is_brought_to_the_front() {
    let bench = bench().await;
    let mut answer =
        json!({"paneId": "p1", "createdPane": false, "alreadyOpen": false, "viewers": 0});
    assert_eq!(open(&bench, "a.rs").await, answer);
    assert_eq!(open(&bench, "b.rs").await, answer);
    answer["alreadyOpen"] = json!(true);
    assert_eq!(open(&bench, "./a.rs").await, answer);
    let beside = json!({"type": "editor", "contentId": "c.rs", "splitDirection": "vertical"});
    let beside = bench.ok("pane.open", beside).await;
    let expected = json!({"paneId": "p2", "createdPane": true, "alreadyOpen": false, "viewers": 0});
    assert_eq!(beside, expected);
}

#[tokio::test]
async fn the_list_shows_tabs_shares_and_the_tree() {
    let bench = bench().await;
    open(&bench, "a.rs").await;
    open(&bench, "b.rs").await;
    let args = json!({"type": "editor", "contentId": "c.rs", "newPane": true, "title": "third"});
    bench.ok("pane.open", args).await;
    let pane = |id: &str, tabs: Value, front: u32, active: bool, x: f64| {
        json!({
            "id": id, "area": "main", "tabs": tabs, "activeTab": front, "active": active,
            "pinned": false, "geometry": {"x": x, "y": 0.0, "width": 50.0, "height": 100.0},
        })
    };
    let mut third = tab("c.rs");
    third["title"] = json!("third");
    let expected = json!({
        "panes": [
            pane("p1", json!([tab("a.rs"), tab("b.rs")]), 1, false, 0.0),
            pane("p2", json!([third]), 0, true, 50.0),
        ],
        "tree": {
            "main": {
                "type": "split", "split": "vertical", "fractions": [0.5, 0.5],
                "children": [{"type": "pane", "id": "p1"}, {"type": "pane", "id": "p2"}],
            },
            "bottom": null, "right": null, "active": "p2",
        },
        "revision": 3,
        "observed": {},
    });
    assert_eq!(bench.ok("pane.list", json!({})).await, expected);
}

#[tokio::test]
async fn an_unknown_pane_is_never_taken_for_another() {
    let bench = bench().await;
    open(&bench, "a.rs").await;
    bench.ok("pane.split", json!({"side": "right"})).await;
    bench.ok("pane.close", json!({"paneId": "p2"})).await;
    bench.ok("pane.split", json!({"side": "below"})).await;
    let before = bench.state();
    for id in ["p2", "p9", "P1", "1", "", "p1 "] {
        let calls = [
            ("pane.open", json!({"type": "editor", "contentId": "b.rs", "targetPaneId": id})),
            ("pane.close", json!({"paneId": id})),
            ("pane.focus", json!({"paneId": id})),
            ("pane.resize", json!({"paneId": id, "height": 30})),
            ("pane.split", json!({"paneId": id, "side": "left"})),
            ("pane.move", json!({"contentId": "a.rs", "targetPaneId": id})),
            ("pane.pin", json!({"paneId": id})),
        ];
        for (command, args) in calls {
            let failure = bench.failure(command, args).await;
            let expected = json!({
                "success": false, "kind": "not_found",
                "error": format!("there is no pane `{id}`; the panes are p1, p3"),
                "hint": "pane_list shows what is open where",
            });
            assert_eq!(failure, expected, "{command}");
        }
    }
    assert_eq!(bench.state(), before);
}

#[tokio::test]
async fn the_last_pane_loses_its_tabs_and_stays() {
    let bench = bench().await;
    open(&bench, "a.rs").await;
    let closed = bench.ok("pane.close", json!({"paneId": "p1"})).await;
    assert_eq!(closed, json!({"tabs": [key("a.rs")], "panes": []}));
    let message = "p1 is the last pane of the main area, which always keeps one";
    bench.fails("pane.close", json!({"paneId": "p1"}), "conflict", message).await;
}

#[tokio::test]
async fn a_tab_is_closed_by_its_content() {
    let bench = bench().await;
    open(&bench, "a.rs").await;
    let args = json!({"type": "editor", "contentId": "b.rs", "newPane": true});
    bench.ok("pane.open", args).await;
    let closed = bench.ok("pane.close", json!({"contentId": "b.rs"})).await;
    assert_eq!(closed, json!({"tabs": [key("b.rs")], "panes": ["p2"]}));
    let message = "no tab shows `b.rs`; open are: editor `a.rs`";
    bench.fails("pane.close", json!({"contentId": "b.rs"}), "not_found", message).await;
}

#[tokio::test]
async fn content_open_as_two_kinds_needs_the_kind() {
    let bench = Bench::open(&[("t1", "a file with the name of a terminal\n")]).await;
    bench.ok("pane.open", json!({"type": "editor", "contentId": "t1"})).await;
    bench.ok("terminal.create", json!({})).await;
    let message = "`t1` is open as editor, terminal; say which";
    for command in ["pane.close", "pane.focus"] {
        bench.fails(command, json!({"contentId": "t1"}), "conflict", message).await;
    }
    let closed = bench.ok("pane.close", json!({"contentId": "t1", "type": "editor"})).await;
    assert_eq!(closed["tabs"], json!([{"type": "editor", "contentId": "t1"}]));
}

#[tokio::test]
async fn only_kinds_that_are_shown_somewhere_are_offered_and_opened() {
    let bench = Bench::open(&[("talk.deck.md", "# Talk\n")]).await;
    let offered = json!(["editor", "terminal"]);
    for command in ["pane.open", "pane.close", "pane.focus", "pane.move"] {
        let schema = &bench.dispatcher().registry().find(command).unwrap().input;
        assert_eq!(schema["properties"]["type"]["enum"], offered, "{command}");
    }
    for kind in ["presentation", "whiteboard", "chat"] {
        let args = json!({"type": kind, "contentId": "talk.deck.md"});
        let message = format!("this space has no tabs of the kind `{kind}`");
        bench.fails("pane.open", args, "unsupported", &message).await;
    }
}

#[tokio::test]
async fn a_pane_or_a_content_is_named() {
    let bench = bench().await;
    let message = "give `paneId` or `contentId`";
    bench.fails("pane.focus", json!({}), "invalid_args", message).await;
    let both = json!({"paneId": "p1", "contentId": "a.rs"});
    let message = "give `paneId` or `contentId`, not both";
    bench.fails("pane.focus", both, "invalid_args", message).await;
    let message = "give `paneId`, `contentId` or both";
    bench.fails("pane.close", json!({}), "invalid_args", message).await;
}

#[tokio::test]
async fn focus_decides_where_the_next_thing_opens() {
    let bench = bench().await;
    open(&bench, "a.rs").await;
    let split = bench.ok("pane.split", json!({"paneId": "p1", "side": "left"})).await;
    assert_eq!(split, json!({"paneId": "p2"}));
    assert_eq!(open(&bench, "b.rs").await["paneId"], json!("p2"));
    let focused = bench.ok("pane.focus", json!({"contentId": "a.rs"})).await;
    assert_eq!(focused, json!({"paneId": "p1"}));
    assert_eq!(open(&bench, "c.rs").await["paneId"], json!("p1"));
    let focused = bench.ok("pane.focus", json!({"paneId": "p2"})).await;
    assert_eq!(focused, json!({"paneId": "p2"}));
}

#[tokio::test]
async fn a_pane_is_resized_in_percent_of_the_window() {
    let bench = bench().await;
    bench.ok("pane.split", json!({"side": "right"})).await;
    let resized = bench.ok("pane.resize", json!({"paneId": "p2", "width": 30})).await;
    let geometry = json!({"x": 70.0, "y": 0.0, "width": 30.0, "height": 100.0});
    assert_eq!(resized["pane"]["geometry"], geometry);
}

#[tokio::test]
async fn a_size_that_cannot_be_is_refused() {
    let bench = bench().await;
    bench.ok("pane.split", json!({"side": "right"})).await;
    let before = bench.state();
    for width in [0.0, 150.0, -5.0] {
        let message = format!("the width of p2 in percent can be 5 to 95, not {width}");
        let args = json!({"paneId": "p2", "width": width});
        bench.fails("pane.resize", args, "invalid_args", &message).await;
    }
    let message = "give a width or a height";
    bench.fails("pane.resize", json!({"paneId": "p2"}), "invalid_args", message).await;
    let message = "the height of p2 cannot change: it fills the window in that direction";
    let args = json!({"paneId": "p2", "width": 40, "height": 30});
    bench.fails("pane.resize", args, "conflict", message).await;
    assert_eq!(bench.state(), before, "a refused change leaves everything as it was");
}

#[tokio::test]
async fn a_tab_moves_to_another_pane() {
    let bench = bench().await;
    open(&bench, "a.rs").await;
    bench.ok("pane.split", json!({"side": "right"})).await;
    let args = json!({"contentId": "a.rs", "targetPaneId": "p2"});
    let moved = bench.ok("pane.move", args).await;
    assert_eq!(moved, json!({"from": "p1", "to": "p2", "closedPane": true}));
}

#[tokio::test]
async fn a_pinned_pane_outlives_its_tabs() {
    let bench = bench().await;
    open(&bench, "a.rs").await;
    let args = json!({"type": "editor", "contentId": "b.rs", "newPane": true});
    bench.ok("pane.open", args).await;
    let pinned = bench.ok("pane.pin", json!({"paneId": "p2"})).await;
    assert_eq!(pinned, json!({"paneId": "p2", "pinned": true}));
    let closed = bench.ok("pane.close", json!({"contentId": "b.rs"})).await;
    assert_eq!(closed["panes"], json!([]));
    let unpinned = bench.ok("pane.pin", json!({"paneId": "p2", "pinned": false})).await;
    assert_eq!(unpinned, json!({"paneId": "p2", "pinned": false}));
}

#[tokio::test]
async fn content_that_does_not_exist_is_not_opened() {
    let bench = bench().await;
    let failure = bench.failure("pane.open", json!({"type": "editor", "contentId": "a.sr"})).await;
    assert_eq!(failure["hint"], json!("did you mean a.rs?"));
    let args = json!({"type": "terminal", "contentId": "t1"});
    bench.fails("pane.open", args, "not_found", "there is no terminal `t1`").await;
    let args = json!({"type": "chat", "contentId": "x"});
    bench
        .fails("pane.open", args, "unsupported", "this space has no tabs of the kind `chat`")
        .await;
    let args = json!({"type": "editor", "contentId": "."});
    bench.fails("pane.open", args, "invalid_args", "`.` is not a file").await;
}

#[tokio::test]
async fn a_list_of_much_is_short_and_all_of_it_is_there_on_request() {
    let names: Vec<String> = (0..45).map(|number| format!("{number:02}")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
    let bench = Bench::open(&files).await;
    for (number, name) in names.iter().enumerate() {
        let args = json!({"type": "editor", "contentId": name, "newPane": number == 40});
        bench.ok("pane.open", args).await;
        if number + 1 == 40 {
            let few = bench.ok("pane.list", json!({})).await;
            assert_eq!(
                (shown(&few["panes"][0]).len(), &few["panes"][0]["listed"]),
                (40, &Value::Null)
            );
        }
    }
    bench.ok("pane.open", json!({"type": "editor", "contentId": "20"})).await;
    let short = bench.ok("pane.list", json!({})).await;
    assert_eq!(shown(&short["panes"][0]), ["17", "18", "19", "20", "21", "22"]);
    assert_eq!(short["panes"][0]["listed"], json!({"first": 17, "total": 40}));
    assert_eq!(shown(&short["panes"][1]), ["40", "41", "42", "43", "44"]);
    let whole = bench.ok("pane.list", json!({"all": true})).await;
    let tabs = [shown(&whole["panes"][0]), shown(&whole["panes"][1])].concat();
    assert_eq!(tabs, names);
}

fn shown(pane: &Value) -> Vec<&str> {
    pane["tabs"].as_array().unwrap().iter().map(|tab| tab["contentId"].as_str().unwrap()).collect()
}
