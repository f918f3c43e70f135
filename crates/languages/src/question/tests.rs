//! What says nothing.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

#[test]
fn an_answer_that_says_nothing_is_known_in_all_its_forms() {
    let nothing = [
        json!(null),
        json!([]),
        json!({}),
        json!(""),
        json!({"isIncomplete": false, "items": []}),
        json!({"data": []}),
        json!({"signatures": [], "activeSignature": 0}),
        json!({"changes": {}}),
        json!({"documentChanges": []}),
        json!({"contents": ""}),
        json!({"contents": []}),
        json!({"contents": {"kind": "markdown", "value": " \n"}}),
    ];
    let something = [
        json!([1]),
        json!(0),
        json!(false),
        json!({"items": [1]}),
        json!({"contents": {"kind": "markdown", "value": "a"}}),
        json!({"contents": ["a"]}),
        json!({"changes": {"a": []}}),
        json!({"label": "a", "data": null}),
        json!({"uri": "file:///a", "range": {}}),
        json!({"changes": {}, "documentChanges": [1]}),
        json!("x".repeat(5000)),
    ];
    let is_nothing =
        |answer: &Value| says_nothing(&serde_json::value::to_raw_value(answer).unwrap());
    for answer in nothing {
        assert!(is_nothing(&answer), "{answer}");
    }
    for answer in something {
        assert!(!is_nothing(&answer), "{answer}");
    }
}

#[test]
fn states_are_words() {
    let states = [
        State::Loading { percent: Some(40), what: None },
        State::Failed { why: "no".to_owned() },
        State::Waiting { why: "it crashed".to_owned() },
    ];
    let words: Vec<String> = states.iter().map(ToString::to_string).collect();
    assert_eq!(
        words,
        ["it is loading, 40 %", "it failed: no", "it ended (it crashed) and is started again"]
    );
    assert_eq!(
        serde_json::to_value(&states[0]).unwrap(),
        json!({"state": "loading", "percent": 40})
    );
}
