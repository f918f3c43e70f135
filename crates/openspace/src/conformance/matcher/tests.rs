//! Every word of the matchers.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::{Matcher, Mismatch};

fn fits(matcher: &Value, found: &Value) -> bool {
    Matcher::parse(matcher).unwrap().check(Some(found)).is_empty()
}

#[test]
fn each_word_accepts_what_it_says_and_nothing_else() {
    let table = json!([
        [{"a": 1}, {"a": 1, "b": 2}, {"a": 2}],
        [{"$exact": true, "a": 1}, {"a": 1}, {"a": 1, "b": 2}],
        [{"a": {"$absent": true}}, {}, {"a": null}],
        [{"a": null}, {"a": null}, {}],
        [{"a": {"$any": true}}, {"a": null}, {}],
        [[1, {"x": 2}], [1, {"x": 2, "y": 3}], [1]],
        [{"$contains": "b"}, "abc", "ac"],
        [{"$contains": ["a", "c"]}, "abc", "ab"],
        [{"$lacks": "b"}, "ac", "abc"],
        [{"$matches": "^a+$"}, "aaa", "ab"],
        [{"$length": 2}, "éé", "a"],
        [{"$length": {"$between": [1, 2]}}, [1], []],
        [{"$between": [1, 2]}, 2, 3],
        [{"$each": {"a": 1}}, [{"a": 1}, {"a": 1, "b": 1}], [{"a": 1}, {}]],
        [{"$has": "x"}, ["y", "x"], ["y"]],
        [{"$contains": "a", "$lacks": "b"}, "ac", "ab"],
        [{"$all": [{"$has": 1}, {"$length": 2}]}, [1, 2], [1]],
    ]);
    for row in table.as_array().unwrap() {
        assert!(fits(&row[0], &row[1]), "{row}");
        assert!(!fits(&row[0], &row[2]), "{row}");
    }
}

#[test]
fn a_mismatch_says_where_and_what() {
    let matcher = Matcher::parse(&json!({"a": [{"b": "x"}], "c": true})).unwrap();
    let found = json!({"a": [{"b": "y"}]});
    let mismatch = |at: &str, expected: &str, found: &str| Mismatch {
        at: at.into(),
        expected: expected.into(),
        found: found.into(),
    };
    assert_eq!(
        matcher.check(Some(&found)),
        [mismatch("/a/0/b", "\"x\"", "\"y\""), mismatch("/c", "true", "nothing")]
    );
}

#[test]
fn a_word_that_makes_no_sense_is_an_error() {
    for (matcher, error) in [
        (json!({"$contain": "a"}), "there is no matcher `$contain`"),
        (json!({"$any": true, "a": 1}), "$any stands among other keys"),
        (json!({"$any": false}), "$any takes true, not false"),
        (json!({"$between": [2, 1]}), "$between takes two numbers in order, not [2,1]"),
        (json!({"$contains": []}), "$contains takes a text or texts, not []"),
        (json!({"a": {"$matches": 1}}), "$matches takes an expression, not 1"),
    ] {
        assert_eq!(Matcher::parse(&matcher).unwrap_err().to_string(), error);
    }
}

#[test]
fn texts_in_a_matcher_can_be_changed() {
    let matcher = json!({"a": "{x}", "b": {"$contains": "{x}!"}, "c": [{"$has": "{x}"}]});
    let matcher = Matcher::parse(&matcher).unwrap().map_texts(&|text| text.replace("{x}", "y"));
    assert_eq!(matcher.check(Some(&json!({"a": "y", "b": "y!", "c": [["y"]]}))), []);
}
