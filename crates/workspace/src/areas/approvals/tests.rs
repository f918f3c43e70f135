//! What is shown of arguments, by what a call is known again, and what is allowed for a session.

use openspace_command::{Caller, CallerKind};
use pretty_assertions::assert_eq;
use serde_json::{Map, Value, json};

use super::{
    Grant, Grants, ShownArgument,
    shown::{arguments, digest, shown},
};

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

#[test]
fn the_same_arguments_have_the_same_digest_in_any_order_and_no_others_do() {
    let one = digest(&object(&json!({"a": "x", "b": [1, {"c": null, "d": true}]})));
    assert_eq!(digest(&object(&json!({"b": [1, {"d": true, "c": null}], "a": "x"}))), one);
    assert_eq!(one.len(), 64);
    let others = [
        json!({"a": "x", "b": [1, {"c": null, "d": false}]}),
        json!({"a": "x", "b": [1, {"c": null}, "d"]}),
        json!({"a": "xb", "": [1]}),
        json!({"a": "x"}),
        json!({"ax": ""}),
        json!({"a": ["x"]}),
        json!({"a": {"x": ""}}),
        json!({"a": 1}),
        json!({"a": "1"}),
        json!({}),
    ];
    let mut all: Vec<String> = others.iter().map(|other| digest(&object(other))).collect();
    all.push(one);
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), others.len() + 1);
}

#[test]
fn what_is_shown_has_no_secret_no_trick_and_a_bound() {
    let given = object(&json!({
        "command": "curl -H 'Authorization: Bearer abcdefgh12345678' x\nls",
        "content": "y ".repeat(1_000_000),
        "list": ["a", 1],
        "trick": "safe\u{202e}gnp.\u{1b}[2J",
    }));
    let shown = arguments(&given);
    let of = |name: &str| {
        let found = shown.iter().find(|ShownArgument { name: one, .. }| one == name);
        found.unwrap().value.clone()
    };
    assert_eq!(of("command"), "curl -H 'Authorization: Bearer ***' x\nls");
    assert_eq!(of("list"), r#"["a",1]"#);
    assert_eq!(of("trick"), "safe\u{fffd}gnp.\u{fffd}[2J");
    assert_eq!(of("content").chars().count(), 2_001);
    let many: Map<String, Value> =
        (0..1_000).map(|n| (format!("a{n}"), json!("z".repeat(5_000)))).collect();
    let letters: usize = arguments(&many).iter().map(|one| one.value.chars().count()).sum();
    assert!(letters < 8_200, "{letters}");
}

#[test]
fn a_secret_at_the_cut_is_not_shown() {
    for before in 7_960..8_010 {
        let text = format!("{} ghp_0123456789abcdefghijklmnop", "x".repeat(before));
        assert!(!shown(&text, 2_000).contains("0123"));
    }
}

#[test]
fn what_is_allowed_for_a_session_is_allowed_for_that_caller_only() {
    let grants = Grants::default();
    let caller = |session| Caller::new(CallerKind::Agent, "opencode", Some(session));
    let thing = Grant::Thing("terminal t1".into());
    grants.give(&caller("s1"), thing.clone(), "browser");
    grants.give(&caller("s1"), Grant::Rule("a rule".into()), "cli");
    assert_eq!(grants.by(&caller("s1"), &thing).as_deref(), Some("browser"));
    assert_eq!(grants.by(&caller("s2"), &thing), None);
    assert_eq!(grants.rules(&caller("s1")), [("a rule".to_owned(), "cli".to_owned())]);
    grants.forget(&caller("s1"));
    assert_eq!(grants.by(&caller("s1"), &thing), None);
    for number in 0..2_000 {
        grants.give(&caller("s1"), Grant::Thing(number.to_string()), "browser");
    }
    assert_eq!(grants.by(&caller("s1"), &Grant::Thing("0".into())), None);
    assert!(grants.by(&caller("s1"), &Grant::Thing("1999".into())).is_some());
}
