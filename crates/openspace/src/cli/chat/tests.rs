//! What is printed of a turn.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

fn heard(events: &[Value]) -> Turn {
    let mut turn = Turn { asked: "said".into(), ..Turn::default() };
    for event in events {
        turn.hear(event).unwrap();
    }
    turn
}

fn message(id: &str, role: &str, answers: Option<&str>, completed: Option<i64>) -> Value {
    let message = json!({"id": id, "role": role, "answers": answers, "completed": completed, "failure": null});
    json!({"type": "message_updated", "message": message})
}

fn text(message: &str, id: &str, text: &str) -> Value {
    let content = json!({"type": "text", "text": {"text": text}, "isSynthetic": false});
    json!({"type": "part_updated", "part": {"id": id, "messageId": message, "content": content}})
}

fn delta(part: &str, delta: &str) -> Value {
    json!({"type": "text_delta", "partId": part, "field": "text", "delta": delta})
}

#[test]
fn only_the_answer_is_printed_and_each_word_once() {
    let turn = heard(&[
        message("said", "user", None, None),
        text("said", "q", "a question"),
        message("other", "assistant", Some("before"), None),
        text("other", "o", "an answer to another"),
        message("answer", "assistant", Some("said"), None),
        text("answer", "p", ""),
        delta("p", "Good "),
        delta("p", "day"),
        delta("unknown", "nobody knows where this begins"),
        text("answer", "p", "Good day."),
        message("answer", "assistant", Some("said"), Some(1)),
        json!({"type": "status", "status": {"state": "idle"}}),
    ]);
    assert_eq!(turn.printed, "Good day.");
    assert!(turn.has_ended() && turn.idle_since.is_some() && turn.failure.is_none());
}

#[test]
fn a_failure_after_a_tool_is_heard_though_the_agent_is_idle_before_it_says_so() {
    let idle = json!({"type": "status", "status": {"state": "idle"}});
    let mut turn = heard(&[
        message("tool", "assistant", Some("said"), Some(1)),
        message("next", "assistant", Some("said"), None),
        idle,
    ]);
    assert!(!turn.has_ended());
    let mut failed = message("next", "assistant", Some("said"), Some(2));
    failed["message"]["failure"] = json!({"message": "no credit"});
    turn.hear(&failed).unwrap();
    assert_eq!((turn.has_ended(), turn.failure.as_deref()), (true, Some("no credit")));
}

#[test]
fn a_question_is_told_with_what_can_be_chosen() {
    let choices =
        json!([{"label": "blue", "description": ""}, {"label": "r\u{1b}ed", "description": ""}]);
    let told = json!({"question": "Which\ncolour?", "choices": choices});
    assert_eq!(asked(&told), "Which colour? (blue | r ed)");
    assert_eq!(asked(&json!({"question": "Why?", "choices": []})), "Why?");
}

#[test]
fn a_failure_ends_a_turn_and_more_work_begins_it_again() {
    let mut failed = message("answer", "assistant", Some("said"), None);
    failed["message"]["failure"] = json!({"message": "no credit"});
    let mut turn = heard(&[failed, json!({"type": "status", "status": {"state": "idle"}})]);
    assert_eq!(turn.failure.as_deref(), Some("no credit"));
    turn.hear(&json!({"type": "status", "status": {"state": "busy"}})).unwrap();
    assert_eq!(turn.idle_since, None);
}

#[test]
fn what_a_terminal_acts_on_is_not_printed() {
    assert_eq!(plain("a\u{1b}[2Jb\n\tc"), "a[2Jb\n\tc");
    assert_eq!(one_line("a\nb\u{202e}\u{7}"), "a b⟨U+202E⟩");
    assert_eq!(
        plain("a\u{202e}b \u{1f469}\u{200d}\u{1f4bb}"),
        "a⟨U+202E⟩b \u{1f469}\u{200d}\u{1f4bb}"
    );
    assert_eq!(encoded("opencode/ses 1"), "opencode%2Fses%201");
}
