//! The messages as they are on the wire.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::*;

fn edit() -> Edit {
    Edit { start: 1, end: 2, text: "x".into() }
}

fn shared(text: &str) -> Shared {
    Shared::from(text.to_owned())
}

#[test]
fn a_page_says_this() {
    let path = || "a.rs".to_owned();
    let messages = [
        (
            json!({"type": "open", "path": "a.rs", "base": "old", "text": "new"}),
            FromPage::Open { path: path(), base: "old".into(), text: "new".into(), edit: None },
        ),
        (
            json!({"type": "attach", "path": "a.rs"}),
            FromPage::Attach { path: path(), unsure: None },
        ),
        (
            json!({"type": "attach", "path": "a.rs", "unsure": {"page": "p", "number": 7}}),
            FromPage::Attach { path: path(), unsure: Some(EditId { page: "p".into(), number: 7 }) },
        ),
        (
            json!({
                "type": "edit", "path": "a.rs", "version": 3,
                "edits": [{"start": 1, "end": 2, "text": "x"}],
            }),
            FromPage::Edit { path: path(), version: 3, edits: vec![edit()], edit: None },
        ),
        (json!({"type": "detach", "path": "a.rs"}), FromPage::Detach { path: path() }),
    ];
    for (said, message) in messages {
        assert_eq!(serde_json::from_value::<FromPage>(said).unwrap(), message);
    }
}

#[test]
fn what_a_page_may_not_say_is_refused_with_a_reason() {
    let refused =
        |said: Value| serde_json::from_value::<FromPage>(said).map_err(|error| error.to_string());
    let reasons = [
        (json!({"path": "a.rs"}), "missing field `type`"),
        (
            json!({"type": "fly"}),
            "unknown variant `fly`, expected one of `open`, `attach`, `edit`, `detach`",
        ),
        (json!({"type": "attach"}), "missing field `path`"),
        (
            json!({"type": "attach", "path": "a", "x": 1}),
            "unknown field `x`, expected `path` or `unsure`",
        ),
    ];
    for (said, reason) in reasons {
        assert_eq!(refused(said), Err(reason.to_owned()));
    }
}

#[test]
fn a_page_is_told_this() {
    let path = || "a.rs".to_owned();
    let changed = |base| ToPage::Changed {
        path: path(),
        version: 2,
        edits: vec![edit()],
        by: "opencode".into(),
        base,
    };
    let edits = json!([{"start": 1, "end": 2, "text": "x"}]);
    let messages = [
        (
            ToPage::Opened {
                path: path(),
                version: 1,
                text: shared("new"),
                base: shared("old"),
                conflicted: false,
                made: false,
            },
            json!({
                "type": "opened", "path": "a.rs", "version": 1, "text": "new", "base": "old",
                "conflicted": false,
            }),
        ),
        (
            ToPage::Accepted { path: path(), version: 2 },
            json!({"type": "accepted", "path": "a.rs", "version": 2}),
        ),
        (
            ToPage::Stale { path: path(), version: 2 },
            json!({"type": "stale", "path": "a.rs", "version": 2}),
        ),
        (
            changed(None),
            json!({
                "type": "changed", "path": "a.rs", "version": 2, "edits": edits, "by": "opencode",
            }),
        ),
        (
            changed(Some(shared("disk"))),
            json!({
                "type": "changed", "path": "a.rs", "version": 2, "edits": edits, "by": "opencode",
                "base": "disk",
            }),
        ),
        (
            ToPage::Based { path: path(), base: shared("disk") },
            json!({"type": "based", "path": "a.rs", "base": "disk"}),
        ),
        (
            ToPage::Closed { path: path(), reason: Reason::Saved, to: None },
            json!({"type": "closed", "path": "a.rs", "reason": "saved"}),
        ),
        (
            ToPage::Closed { path: path(), reason: Reason::Moved, to: Some("b.rs".into()) },
            json!({"type": "closed", "path": "a.rs", "reason": "moved", "to": "b.rs"}),
        ),
        (
            ToPage::failure(Some(path()), &Error::conflict("not now").hint("later")),
            json!({
                "type": "error", "path": "a.rs", "error": "not now", "kind": "conflict",
                "hint": "later",
            }),
        ),
        (
            ToPage::failure(None, &Error::invalid("what?")),
            json!({"type": "error", "error": "what?", "kind": "invalid_args", "hint": null}),
        ),
    ];
    for (message, told) in messages {
        assert_eq!(json!(message), told);
    }
}
