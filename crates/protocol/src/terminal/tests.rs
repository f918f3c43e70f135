//! The messages as they are on the wire.

use serde_json::{Value, json};

use super::*;

#[test]
fn a_view_says_this() {
    let said = json!({"type": "resize", "rows": 40, "cols": 120});
    let resize = FromTerminalView::Resize { rows: 40, cols: 120 };
    assert_eq!(json!(resize), said);
    assert_eq!(serde_json::from_value::<FromTerminalView>(said).unwrap(), resize);
}

#[test]
fn what_a_view_may_not_say_is_refused_with_a_reason() {
    let refused = |said: Value| {
        serde_json::from_value::<FromTerminalView>(said).map_err(|error| error.to_string())
    };
    let reasons = [
        (json!({"rows": 40, "cols": 120}), "missing field `type`"),
        (json!({"type": "fly"}), "unknown variant `fly`, expected `resize`"),
        (json!({"type": "resize", "rows": 40}), "missing field `cols`"),
        (
            json!({"type": "resize", "rows": 40, "cols": 120, "x": 1}),
            "unknown field `x`, expected `rows` or `cols`",
        ),
        (
            json!({"type": "resize", "rows": 70_000, "cols": 120}),
            "invalid value: integer `70000`, expected u16",
        ),
    ];
    for (said, reason) in reasons {
        assert_eq!(refused(said), Err(reason.to_owned()));
    }
}

#[test]
fn a_view_is_told_this() {
    let messages = [
        (
            ToTerminalView::Repaint { rows: 24, cols: 80 },
            json!({"type": "repaint", "rows": 24, "cols": 80}),
        ),
        (
            ToTerminalView::Resized { rows: 24, cols: 80 },
            json!({"type": "resized", "rows": 24, "cols": 80}),
        ),
        (ToTerminalView::Answers { answers: true }, json!({"type": "answers", "answers": true})),
        (
            ToTerminalView::Ended { code: Some(7), signal: None },
            json!({"type": "ended", "code": 7, "signal": null}),
        ),
        (
            ToTerminalView::Error {
                error: "no".into(),
                kind: ErrorKind::InvalidArgs,
                hint: Some("try this".into()),
            },
            json!({"type": "error", "error": "no", "kind": "invalid_args", "hint": "try this"}),
        ),
    ];
    for (message, told) in messages {
        assert_eq!(json!(message), told);
        assert_eq!(serde_json::from_value::<ToTerminalView>(told).unwrap(), message);
    }
}
