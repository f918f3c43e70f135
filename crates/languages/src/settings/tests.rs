//! Settings and their sections.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

#[test]
fn names_with_dots_are_objects_within_objects() {
    let settings = Settings::new(json!({"a.b.c": 1, "a": {"b": {"d": 2}}, "e": [3]}));
    assert_eq!(settings.all(), &json!({"a": {"b": {"c": 1, "d": 2}}, "e": [3]}));
    let laid = settings.with(json!({"a.b.c": 4, "e": null, "f.g": true}));
    assert_eq!(laid.all(), &json!({"a": {"b": {"c": 4, "d": 2}}, "e": null, "f": {"g": true}}));
    assert_eq!(Settings::new(json!(7)).all(), &json!({}));
}

#[test]
fn each_section_that_is_asked_for_is_answered() {
    let settings = Settings::new(json!({"python": {"analysis": {"mode": "strict"}}}));
    let items = json!({"items": [
        {"section": "python.analysis"}, {"scopeUri": "file:///a", "section": "python.none.x"}, {}, 7,
    ]});
    let all = json!({"python": {"analysis": {"mode": "strict"}}});
    assert_eq!(settings.answer(&items), json!([{"mode": "strict"}, null, all, all]));
    assert_eq!(settings.answer(&json!(null)), json!([]));
    let many: Vec<Value> = vec![json!({"section": "python.analysis.mode"}); 1001];
    let answered = settings.answer(&json!({"items": many}));
    assert_eq!((&answered[999], &answered[1000]), (&json!("strict"), &Value::Null));
}
