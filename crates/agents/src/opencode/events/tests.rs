//! Events that are told, dropped, kept by name, or wrong.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

fn told(kind: &str, properties: Value) -> Result<Option<Event>, String> {
    let payload = wire::Payload { id: None, r#type: kind.to_owned(), properties };
    event(payload).map_err(|error| error.to_string())
}

#[test]
fn what_is_not_known_keeps_its_name_and_its_session() {
    let other = |session: Option<&str>| {
        let session_id = session.map(SessionId::from);
        Ok(Some(Event::Other { name: "garden.watered".to_owned(), session_id }))
    };
    assert_eq!(told("garden.watered", json!({})), other(None));
    assert_eq!(told("garden.watered", json!({ "sessionID": "ses_1" })), other(Some("ses_1")));
}

#[test]
fn noise_is_not_told() {
    for kind in NOISE {
        assert_eq!(told(kind, json!({})), Ok(None), "{kind}");
    }
}

#[test]
fn what_lacks_something_is_wrong_and_names_it() {
    let error = told("session.status", json!({ "sessionID": "ses_1" })).unwrap_err();
    assert!(error.contains("status of session.status"), "{error}");
    let error = told("message.part.updated", json!({ "part": {} })).unwrap_err();
    assert!(error.contains("whose"), "{error}");
}

#[test]
fn a_delta_of_something_else_than_text_is_no_text() {
    let delta = |field: &str| {
        let ids = json!({ "sessionID": "s", "messageID": "m", "partID": "p" });
        let mut properties = ids;
        properties["field"] = json!(field);
        properties["delta"] = json!("x");
        told("message.part.delta", properties).unwrap().unwrap()
    };
    assert!(matches!(delta("text"), Event::TextDelta { field: TextField::Text, .. }));
    assert!(matches!(delta("image"), Event::Other { .. }));
}

#[test]
fn answers_to_questions_and_permissions_are_told() {
    let ids = json!({ "sessionID": "ses_1", "requestID": "que_1" });
    let answered = |answers| {
        let (session_id, question_id) = (SessionId::from("ses_1"), QuestionId::from("que_1"));
        Ok(Some(Event::QuestionAnswered { session_id, question_id, answers }))
    };
    assert_eq!(told("question.rejected", ids), answered(None));
    let ids = json!({ "sessionID": "ses_1", "requestID": "que_1", "answers": [["a"], []] });
    assert_eq!(told("question.replied", ids), answered(Some(vec![vec!["a".to_owned()], vec![]])));
    let ids = json!({ "sessionID": "ses_1", "requestID": "per_1", "reply": "always" });
    let (session_id, permission_id) = (SessionId::from("ses_1"), PermissionId::from("per_1"));
    let reply = Some(PermissionReply::Always);
    let expected = Event::PermissionAnswered { session_id, permission_id, reply };
    assert_eq!(told("permission.replied", ids), Ok(Some(expected)));
}
