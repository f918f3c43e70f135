//! The forms that opencode's refusals have.

use pretty_assertions::assert_eq;

use super::*;
use crate::{Thing, opencode::operations};

fn refusal(operation: &Operation, names: &[&str], status: u16, body: &str) -> AgentError {
    let status = StatusCode::from_u16(status).unwrap();
    of("http://127.0.0.1:1", operation, names, status, body.as_bytes())
}

#[test]
fn a_refusal_names_what_is_missing() {
    let body = r#"{"name":"NotFoundError","data":{"message":"Session not found: ses_1"}}"#;
    let missing = AgentError::NotFound { what: Thing::Session, id: "ses_1".to_owned() };
    assert_eq!(refusal(operations::ONE, &["ses_1"], 404, body), missing);

    let missing = AgentError::NotFound { what: Thing::Message, id: "msg_2".to_owned() };
    assert_eq!(refusal(operations::MESSAGE, &["ses_1", "msg_2"], 404, "{}"), missing);

    let body = r#"{"_tag":"PermissionNotFoundError","message":"no such request"}"#;
    let missing = AgentError::NotFound { what: Thing::Permission, id: "per_1".to_owned() };
    assert_eq!(refusal(operations::ANSWER_PERMISSION, &["per_1"], 404, body), missing);
}

#[test]
fn other_refusals_are_told_in_opencodes_words_or_by_their_status() {
    let refused =
        |status, message: &str| AgentError::Refused { status, message: message.to_owned() };
    let body = r#"{"name":"BadRequest","data":{"message":"must start with msg","kind":"Payload"}}"#;
    assert_eq!(
        refusal(operations::SEND, &["ses_1"], 400, body),
        refused(400, "must start with msg")
    );
    let body = r#"{"_tag":"BadRequest"}"#;
    assert_eq!(refusal(operations::MESSAGES, &["ses_1"], 400, body), refused(400, "BadRequest"));
    let said = refused(502, "502 Bad Gateway");
    assert_eq!(refusal(operations::CONFIG, &[], 502, "<html>"), said);
    assert_eq!(refusal(operations::CONFIG, &[], 404, ""), refused(404, "404 Not Found"));
}

#[test]
fn a_session_at_work_is_busy_and_a_wrong_password_is_not_allowed() {
    let busy = AgentError::Busy { session: "ses_1".to_owned() };
    assert_eq!(refusal(operations::REVERT, &["ses_1"], 409, "{}"), busy);
    let error = refusal(operations::CONFIG, &[], 401, "");
    assert!(matches!(error, AgentError::NotAllowed { .. }), "{error}");
}
