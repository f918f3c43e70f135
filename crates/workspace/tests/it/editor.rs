//! `editor.*`, without what happens when files change (see `follow`).

use openspace_buffers::highlights::HighlightsPart;
use openspace_protocol::{Event, PaneId, Range, RelPath, RevealMode, RevealTarget};
use openspace_workspace::areas::{editor::EditorsPart, layout::LayoutPart};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Bench, agent};

const TEN: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

fn range(start: u32, end: u32) -> Value {
    json!({"startLine": start, "endLine": end, "startColumn": null, "endColumn": null})
}

#[tokio::test]
async fn a_file_opens_with_nobody_looking() {
    let bench = Bench::open(&[("src/main.rs", TEN)]).await;
    let opened = bench.ok("editor.open", json!({"path": "./src/main.rs"})).await;
    let mut expected = json!({
        "path": "src/main.rs", "paneId": "p1", "alreadyOpen": false, "totalLines": null,
        "highlightId": null, "viewers": 0,
    });
    assert_eq!(opened, expected);
    let again = bench.ok("editor.open", json!({"path": "src/main.rs", "line": 10})).await;
    expected["alreadyOpen"] = json!(true);
    expected["totalLines"] = json!(10);
    assert_eq!(again, expected);
}

#[tokio::test]
async fn a_file_that_is_open_is_shown_once_more_in_a_new_pane() {
    let mut bench = Bench::open(&[("a.rs", TEN), ("b.rs", TEN)]).await;
    let shown = |bench: &Bench| -> Vec<(String, String)> {
        let state = bench.state();
        let tabs = state.part::<LayoutPart>().tabs();
        tabs.map(|(pane, tab)| (pane.to_string(), tab.content_id.clone())).collect()
    };
    let places = |places: &[(&str, &str)]| -> Vec<(String, String)> {
        places.iter().map(|(pane, path)| ((*pane).into(), (*path).into())).collect()
    };
    bench.ok("editor.open", json!({"path": "a.rs", "line": 2})).await;
    bench.ok("editor.open", json!({"path": "b.rs"})).await;
    let again = bench.ok("editor.open", json!({"path": "a.rs", "newPane": true})).await;
    assert_eq!((&again["paneId"], &again["alreadyOpen"]), (&json!("p2"), &json!(true)));
    let both = places(&[("p1", "a.rs"), ("p1", "b.rs"), ("p2", "a.rs")]);
    assert_eq!(shown(&bench), both);
    let target = json!({
        "type": "editor", "contentId": "b.rs", "targetPaneId": "p2", "splitDirection": "horizontal",
    });
    let opened = bench.ok("pane.open", target).await;
    assert_eq!((&opened["paneId"], &opened["createdPane"]), (&json!("p3"), &json!(true)));
    bench.restart().await;
    assert_eq!(shown(&bench), [both.clone(), places(&[("p3", "b.rs")])].concat());

    let one = json!({"paneId": "p3", "contentId": "b.rs"});
    let closed = bench.ok("pane.close", one).await;
    let expected = json!({"tabs": [{"type": "editor", "contentId": "b.rs"}], "panes": ["p3"]});
    assert_eq!(closed, expected);
    assert_eq!(shown(&bench), both, "the other stays");
    let message = "no tab shows `b.rs`; open are: editor `a.rs`";
    let elsewhere = json!({"paneId": "p2", "contentId": "b.rs"});
    bench.fails("pane.close", elsewhere, "not_found", message).await;

    let text = json!({"path": "a.rs", "line": 2});
    let scrolled = bench.ok("editor.scroll_to", text).await;
    assert_eq!(scrolled["paneId"], json!("p2"), "the one in front");
    bench.ok("pane.close", json!({"paneId": "p2"})).await;
    let known = |bench: &Bench| bench.state().part::<EditorsPart>().contains_key("a.rs");
    assert!(known(&bench), "a file that one pane still shows is open");
    let closed = bench.ok("editor.close", json!({"path": "a.rs"})).await;
    assert_eq!(closed, json!({"tabs": [{"type": "editor", "contentId": "a.rs"}], "panes": []}));
    assert!(!known(&bench));
}

#[tokio::test]
async fn a_file_opens_beside_the_active_pane() {
    let bench = Bench::open(&[("a", "x"), ("b", "x")]).await;
    bench.ok("editor.open", json!({"path": "a"})).await;
    let opened = bench.ok("editor.open", json!({"path": "b", "newPane": true})).await;
    assert_eq!(opened["paneId"], json!("p2"));
}

#[tokio::test]
async fn opening_a_line_reveals_and_marks_it() {
    let bench = Bench::open(&[("a.rs", TEN)]).await;
    let mut view = bench.attach();
    let args = json!({
        "path": "a.rs", "line": 3, "endLine": 5, "column": 1, "endColumn": 2, "highlight": true,
        "mode": "suggest-only",
    });
    let opened = bench.ok("editor.open", args).await;
    assert_eq!(opened["highlightId"], json!("h1"));
    view.changed("agents").await;
    let target = RevealTarget {
        path: RelPath::parse("a.rs").unwrap(),
        pane: Some(PaneId(1)),
        range: Some(Range {
            start_line: 3,
            end_line: 5,
            start_column: Some(1),
            end_column: Some(2),
        }),
        mode: Some(RevealMode::SuggestOnly),
        by: agent(),
    };
    assert_eq!(view.next().await.event, Event::Reveal { target }, "before what it goes with");
    let shown = json!({"startLine": 3, "endLine": 5, "startColumn": 1, "endColumn": 2});
    let highlights = view.changed("highlights").await;
    let expected = json!({"h1": {
        "path": "a.rs", "ranges": [shown], "color": "yellow", "note": null, "by": "opencode",
    }});
    assert_eq!(highlights, expected);
}

#[tokio::test]
async fn each_wish_to_show_something_is_told_once_also_when_nothing_changes_by_it() {
    let bench = Bench::open(&[("a.rs", TEN), ("b.rs", TEN)]).await;
    bench.as_person("editor.open", json!({"path": "a.rs", "line": 2})).await;
    bench.as_person("editor.open", json!({"path": "b.rs"})).await;
    let mut view = bench.attach();
    bench.as_person("editor.scroll_to", json!({"path": "a.rs", "line": 2})).await;
    bench.as_person("editor.open", json!({"path": "a.rs", "line": 2})).await;
    bench.as_person("pane.list", json!({})).await;
    let mut seen = Vec::new();
    for _ in 0..6 {
        seen.push(match &view.next().await.event {
            Event::Reveal { target } => format!("reveal {}", target.path),
            Event::Changed { patches } => {
                let parts: Vec<&str> = patches.keys().map(String::as_str).collect();
                format!("changed {}", parts.join(" "))
            }
            Event::CallEnded { record } => format!("ended {}", record.command),
            other => panic!("{other:?}"),
        });
    }
    let expected = [
        "reveal a.rs",
        "changed layout",
        "ended openspace.editor.scroll_to",
        "reveal a.rs",
        "ended openspace.editor.open",
        "ended openspace.pane.list",
    ];
    assert_eq!(seen, expected);
}

#[tokio::test]
async fn scrolling_brings_a_file_to_the_front_of_its_pane_and_leaves_the_active_pane() {
    let bench = Bench::open(&[("a.rs", TEN), ("b.rs", TEN), ("c.rs", TEN)]).await;
    bench.ok("editor.open", json!({"path": "a.rs"})).await;
    bench.ok("editor.open", json!({"path": "b.rs"})).await;
    bench.ok("editor.open", json!({"path": "c.rs", "newPane": true})).await;
    bench.ok("editor.scroll_to", json!({"path": "a.rs", "line": 4})).await;
    let state = bench.ok("editor.state", json!({})).await;
    let editors = state["editors"].as_array().unwrap();
    let shown: Vec<(&str, bool)> = editors
        .iter()
        .map(|editor| (editor["path"].as_str().unwrap(), editor["active"] == true))
        .collect();
    assert_eq!(shown, [("a.rs", true), ("b.rs", false), ("c.rs", true)]);
    assert_eq!(state["activePath"], "c.rs");
}

#[tokio::test]
async fn a_line_beyond_the_end_is_refused() {
    let bench = Bench::open(&[("a.rs", TEN), ("empty", "")]).await;
    bench.ok("editor.open", json!({"path": "a.rs"})).await;
    let ranges = json!([range(1, 2), range(9, 11)]);
    let calls = [
        ("editor.open", json!({"path": "a.rs", "line": 11})),
        ("editor.open", json!({"path": "a.rs", "line": 3, "endLine": 11})),
        ("editor.scroll_to", json!({"path": "a.rs", "line": 11})),
        ("editor.highlight", json!({"path": "a.rs", "ranges": ranges})),
    ];
    for (command, args) in calls {
        let failure = bench.failure(command, args).await;
        let expected = json!({
            "success": false, "kind": "invalid_args", "hint": "use a line from 1 to 10",
            "error": "there is no line 11 in `a.rs`, which has 10 lines",
        });
        assert_eq!(failure, expected, "{command}");
    }
    let failure = bench.failure("editor.open", json!({"path": "empty", "line": 1})).await;
    assert_eq!(failure["hint"], json!("the file is empty; open it without a line"));
    assert!(bench.state().part::<HighlightsPart>().is_empty());
}

#[tokio::test]
async fn a_range_without_sense_is_refused() {
    let bench = Bench::open(&[("a.rs", TEN)]).await;
    let needed = "argument `line`: needed for a range or a highlight";
    let cases = [
        (json!({"line": 0}), "the range: lines and columns count from 1"),
        (
            json!({"line": 5, "endLine": 4}),
            "the range: it ends in line 4, before its start in line 5",
        ),
        (
            json!({"line": 5, "column": 4, "endColumn": 3}),
            "the range: it ends in column 3, before its start in column 4",
        ),
        (json!({"endLine": 4}), needed),
        (json!({"column": 4}), needed),
        (json!({"endColumn": 4}), needed),
        (json!({"highlight": true}), needed),
    ];
    for (mut args, message) in cases {
        args["path"] = json!("a.rs");
        bench.fails("editor.open", args, "invalid_args", message).await;
    }
}

#[tokio::test]
async fn only_an_open_file_scrolls() {
    let bench = Bench::open(&[("a.rs", TEN)]).await;
    let args = json!({"path": "a.rs", "line": 7, "column": 2});
    let failure = bench.failure("editor.scroll_to", args.clone()).await;
    assert_eq!(
        failure,
        json!({
            "success": false, "error": "`a.rs` is not open", "kind": "conflict",
            "hint": "editor_open opens it",
        })
    );
    bench.ok("editor.open", json!({"path": "a.rs"})).await;
    let scrolled = bench.ok("editor.scroll_to", args).await;
    assert_eq!(scrolled, json!({"path": "a.rs", "paneId": "p1", "viewers": 0}));
    let revealed = json!({"startLine": 7, "endLine": 7, "startColumn": 2, "endColumn": null});
    let state = bench.ok("editor.state", json!({})).await;
    assert_eq!(state["editors"][0]["revealed"], revealed);
}

#[tokio::test]
async fn the_state_tells_what_is_open_and_in_front() {
    let bench = Bench::open(&[("a.rs", TEN), ("b.rs", TEN)]).await;
    let nothing = json!({"editors": [], "activePath": null, "viewers": 0});
    assert_eq!(bench.ok("editor.state", json!({})).await, nothing);
    bench.ok("editor.open", json!({"path": "a.rs", "line": 2, "highlight": true})).await;
    bench.ok("editor.open", json!({"path": "b.rs"})).await;
    let editor = |path: &str, active: bool, revealed: Value, highlights: Value| {
        json!({
            "path": path, "paneId": "p1", "active": active, "dirty": false, "missing": false,
            "revealed": revealed, "highlights": highlights, "observed": [],
        })
    };
    let editors = [
        editor("a.rs", false, range(2, 2), json!(["h1"])),
        editor("b.rs", true, Value::Null, json!([])),
    ];
    let expected = json!({"editors": editors, "activePath": "b.rs", "viewers": 0});
    assert_eq!(bench.ok("editor.state", json!({})).await, expected);
}

#[tokio::test]
async fn a_closed_file_is_forgotten_but_keeps_its_highlights() {
    let bench = Bench::open(&[("a.rs", TEN)]).await;
    bench.ok("editor.open", json!({"path": "a.rs", "line": 2, "highlight": true})).await;
    let closed = bench.ok("editor.close", json!({"path": "a.rs"})).await;
    let tab = json!({"type": "editor", "contentId": "a.rs"});
    assert_eq!(closed, json!({"tabs": [tab], "panes": []}));
    let state = bench.state();
    assert_eq!((state.part::<EditorsPart>().len(), state.part::<HighlightsPart>().len()), (0, 1));
    let message = "no tab shows editor `a.rs`; open are: none";
    bench.fails("editor.close", json!({"path": "a.rs"}), "not_found", message).await;
}

#[tokio::test]
async fn reading_as_the_person_sees_it_is_reading_the_file() {
    let bench = Bench::open(&[("a.rs", TEN)]).await;
    let args = json!({"path": "a.rs", "startLine": 9});
    let seen = bench.ok("editor.read_file", args.clone()).await;
    assert_eq!(seen, bench.ok("file.read", args).await);
    assert_eq!(seen["content"], json!("9\n10\n"));
}

#[tokio::test]
async fn highlights_live_side_by_side_and_are_replaced_by_id() {
    let bench = Bench::open(&[("a.rs", TEN)]).await;
    let args = json!({
        "path": "a.rs", "ranges": [{"startLine": 2, "endLine": 3}], "color": "#00ff00", "note": "why",
    });
    let first = bench.ok("editor.highlight", args).await;
    let expected = json!({
        "highlightId": "h1", "path": "a.rs", "ranges": [range(2, 3)], "open": false, "viewers": 0,
    });
    assert_eq!(first, expected);
    for line in [5, 6] {
        let ranges = json!([{"startLine": line, "endLine": line}]);
        let args = json!({"path": "a.rs", "ranges": ranges, "highlightId": "mine", "color": "red"});
        bench.ok("editor.highlight", args).await;
    }
    let highlight = |ranges: Value, color: &str, note: Value| json!({"path": "a.rs", "ranges": ranges, "color": color, "note": note, "by": "opencode"});
    let expected = json!({
        "h1": highlight(json!([range(2, 3)]), "#00ff00", json!("why")),
        "mine": highlight(json!([range(6, 6)]), "red", Value::Null),
    });
    assert_eq!(json!(bench.state().part::<HighlightsPart>()), expected);
}

#[tokio::test]
async fn a_highlight_that_makes_no_sense_is_refused() {
    let bench = Bench::open(&[("a.rs", TEN)]).await;
    let one = json!([{"startLine": 1, "endLine": 1}]);
    let many = vec![json!({"startLine": 1, "endLine": 1}); 101];
    let cases = [
        (json!({"ranges": []}), "argument `ranges`: give 1 to 100"),
        (json!({"ranges": many}), "argument `ranges`: give 1 to 100"),
        (
            json!({"ranges": [{"startLine": 1, "endLine": 1}, {"startLine": 0, "endLine": 1}]}),
            "argument `ranges[1]`: lines and columns count from 1",
        ),
        (
            json!({"ranges": one, "color": "mauve"}),
            "argument `color`: must be one of yellow, green, blue, red, purple, orange or #rrggbb",
        ),
        (
            json!({"ranges": one, "note": "x".repeat(2001)}),
            "argument `note`: at most 2000 characters",
        ),
        (
            json!({"ranges": one, "highlightId": ""}),
            "argument `highlightId`: 1 to 100 printable characters",
        ),
    ];
    for (mut args, message) in cases {
        args["path"] = json!("a.rs");
        bench.fails("editor.highlight", args, "invalid_args", message).await;
    }
}

#[tokio::test]
async fn highlights_are_bounded() {
    let bench = Bench::open(&[("a.rs", TEN)]).await;
    let args =
        |id: u32| json!({"path": "a.rs", "ranges": [range(1, 1)], "highlightId": id.to_string()});
    bench.ok("editor.highlight", args(0)).await;
    let filled = bench.dispatcher().state().space().change_now(|state| {
        let highlights = state.part_mut::<HighlightsPart>();
        let one = highlights.get("0").unwrap().clone();
        highlights.extend((1..499).map(|id| (id.to_string(), one.clone())));
        Ok(())
    });
    filled.unwrap();
    bench.ok("editor.highlight", args(499)).await;
    let message = "there are 500 highlights already";
    bench.fails("editor.highlight", args(500), "conflict", message).await;
    let marked = json!({"path": "a.rs", "line": 1, "highlight": true});
    bench.fails("editor.open", marked, "conflict", message).await;
    bench.ok("editor.highlight", args(7)).await;
}

#[tokio::test]
async fn highlights_are_cleared_by_id_by_file_or_all() {
    let bench = Bench::open(&[("a.rs", TEN), ("b.rs", TEN)]).await;
    for (path, id) in [("a.rs", "a1"), ("a.rs", "a2"), ("b.rs", "b1"), ("b.rs", "b2")] {
        let args = json!({"path": path, "ranges": [range(1, 1)], "highlightId": id});
        bench.ok("editor.highlight", args).await;
    }
    let failure = bench.failure("editor.clear_highlight", json!({"highlightId": "x"})).await;
    let found = (&failure["kind"], &failure["error"], &failure["hint"]);
    let expected = (
        &json!("not_found"),
        &json!("there is no highlight `x`"),
        &json!("highlights: a1, a2, b1, b2"),
    );
    assert_eq!(found, expected);
    let cases = [
        (json!({"highlightId": "a2"}), json!(["a2"])),
        (json!({"path": "./b.rs"}), json!(["b1", "b2"])),
        (json!({}), json!(["a1"])),
        (json!({}), json!([])),
    ];
    for (args, cleared) in cases {
        let answer = bench.ok("editor.clear_highlight", args).await;
        assert_eq!(answer, json!({"cleared": cleared}));
    }
    let both = json!({"highlightId": "a", "path": "b.rs"});
    let message = "give `highlightId` or `path`, not both";
    bench.fails("editor.clear_highlight", both, "invalid_args", message).await;
}

#[tokio::test]
async fn where_much_is_open_the_state_lists_what_matters_unless_all_is_asked_for() {
    let names: Vec<String> = (0..100).map(|number| format!("file-{number:03}.txt")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "1\n")).collect();
    let bench = Bench::open(&files).await;
    for name in &names {
        bench.ok("editor.open", json!({"path": name})).await;
    }
    let short = bench.ok("editor.state", json!({})).await;
    let listed: Vec<&str> = short["editors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|editor| editor["path"].as_str().unwrap())
        .collect();
    let expected: Vec<&str> = names[..12].iter().chain(names.last()).map(String::as_str).collect();
    assert_eq!(listed, expected, "the first of them, and the one in front");
    assert_eq!((&short["editorCount"], &short["activePath"]), (&json!(100), &json!(names[99])));
    assert!(short.to_string().len() < 4_000, "{}", short.to_string().len());
    let all = bench.ok("editor.state", json!({"all": true})).await;
    assert_eq!(all["editors"].as_array().unwrap().len(), 100);
    assert_eq!(all.get("editorCount"), None);
}
