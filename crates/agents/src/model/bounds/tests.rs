//! What is too long becomes shorter and says so.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

#[test]
fn a_long_text_is_cut_between_characters_and_says_how_much_is_missing() {
    assert_eq!(LongText::within("häuser", 6), LongText { text: "häuse".into(), left_out: 1 });
    assert_eq!(LongText::within("häuser", 2), LongText { text: "h".into(), left_out: 6 });
    assert_eq!(LongText::within("häuser", 7), LongText { text: "häuser".into(), left_out: 0 });
}

#[test]
fn a_name_is_shortened_with_an_ellipsis() {
    assert_eq!(shortened("short"), "short");
    let long = shortened(&"ä".repeat(LONGEST_NAME));
    assert_eq!((long.len(), long.chars().last()), (LONGEST_NAME - 1, Some('…')));
}

#[test]
fn a_value_keeps_its_form_and_loses_what_does_not_fit() {
    let small = json!({ "path": "a.txt", "lines": [1, 2], "deep": { "is": true } });
    assert_eq!(bounded_value(small.clone(), 1000), (small, 0));

    let long = json!({ "path": "a.txt", "content": "x".repeat(100), "after": 1 });
    let (value, left_out) = bounded_value(long, 60);
    assert_eq!(value, json!({ "path": "a.txt", "content": "x".repeat(20) }));
    assert_eq!(left_out, 80 + 6);
}

#[test]
fn a_value_of_many_small_entries_is_bounded_too() {
    let many = Value::Array(vec![json!({}); 100_000]);
    let (value, left_out) = bounded_value(many, 8000);
    let kept = value.as_array().unwrap().len();
    assert_eq!((kept, left_out), (999, (100_000 - 999) * 2));
}
