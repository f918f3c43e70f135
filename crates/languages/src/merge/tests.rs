//! Several answers become one, and what belongs to a process stays with it.

use pretty_assertions::assert_eq;

use super::*;
use crate::{Freshness, diagnostics::Diagnostic};

fn answer(server: &str, value: Value) -> Answer {
    Answer { origin: Origin { server: server.to_owned(), generation: 2 }, value }
}

fn mark(server: &str) -> Value {
    json!({"server": server, "generation": 2})
}

#[test]
fn completions_are_joined_from_both_forms() {
    let answers = vec![
        answer("ty", json!([{"label": "a", "data": 7}])),
        answer("ruff", json!({"isIncomplete": true, "items": [{"label": "b"}]})),
        answer("none", json!(null)),
    ];
    let of_ty = json!({"server": "ty", "generation": 2, "data": 7});
    assert_eq!(
        joined("textDocument/completion", answers),
        json!({"isIncomplete": true, "items": [{"label": "a", "data": of_ty}, {"label": "b", "data": mark("ruff")}]})
    );
    let many = vec![answer("x", Value::Array(vec![json!({}); MOST_ENTRIES + 1]))];
    let all = joined("textDocument/completion", many);
    assert_eq!(
        (all["items"].as_array().unwrap().len(), &all["isIncomplete"]),
        (MOST_ENTRIES, &json!(true))
    );
}

#[test]
fn a_command_among_actions_becomes_an_action_with_its_owner() {
    let command = json!({"title": "Fix", "command": "ruff.fix", "arguments": [1]});
    let answers = vec![
        answer("ty", json!([{"title": "Import", "kind": "quickfix"}])),
        answer("ruff", json!([command.clone()])),
    ];
    assert_eq!(
        joined("textDocument/codeAction", answers),
        json!([
            {"title": "Import", "kind": "quickfix", "data": mark("ty")},
            {"title": "Fix", "command": command, "data": mark("ruff")},
        ])
    );
}

#[test]
fn of_all_else_there_is_one_answer_and_places_are_left_alone() {
    let place = json!([{"uri": "file:///a", "range": {}}]);
    let answers = || vec![answer("ty", place.clone()), answer("ruff", json!([]))];
    assert_eq!(joined("textDocument/definition", answers()), place);
    assert_eq!(joined("textDocument/hover", Vec::new()), Value::Null);
    let lenses = vec![answer("ty", json!([{"range": {}, "command": {"command": "x"}}]))];
    assert_eq!(joined("textDocument/codeLens", lenses)[0]["data"], mark("ty"));
}

#[test]
fn a_mark_is_taken_off_again() {
    let origin = Origin { server: "ty".to_owned(), generation: 2 };
    for entry in
        [json!({"label": "a"}), json!({"label": "a", "data": {"b": [1]}}), json!({"data": null})]
    {
        let mut marked = entry.clone();
        mark_entry(&mut marked, &origin);
        assert_eq!((unmark(&mut marked), marked), (Some(origin.clone()), entry));
    }
    for mut other in [json!(null), json!({}), json!({"data": 7}), json!({"data": {"server": "a"}})]
    {
        let before = other.clone();
        assert_eq!((unmark(&mut other), other), (None, before));
    }
}

#[test]
fn reports_are_joined_with_the_name_of_who_says_it() {
    let item = |line: u32, source: Option<&str>| -> Diagnostic {
        let place = json!({"line": line, "character": 0});
        let range = json!({"start": place, "end": place});
        let mut item = json!({"range": range, "message": "m"});
        if let Some(source) = source {
            item["source"] = json!(source);
        }
        serde_json::from_value(item).unwrap()
    };
    let report = |freshness, items, failure: Option<&str>| Report {
        freshness,
        version: Some(3),
        items,
        beside: Vec::new(),
        left_out: 1,
        failure: failure.map(str::to_owned),
    };
    let of_each = vec![
        ("ty", report(Freshness::Fresh, vec![item(5, None)], None)),
        ("ruff", report(Freshness::Likely, vec![item(2, Some("Ruff"))], Some("no"))),
    ];
    let mut expected = report(
        Freshness::Likely,
        vec![item(2, Some("Ruff")), item(5, Some("ty"))],
        Some("ruff: no"),
    );
    expected.left_out = 2;
    assert_eq!(reports(of_each), Some(expected));
    assert_eq!(reports(Vec::new()), None);
}
