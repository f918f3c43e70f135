//! What is remembered of a conversation, and what is answered without a server.

use pretty_assertions::assert_eq;

use super::*;

fn line(value: &Value) -> Line {
    message(value)
}

fn values(lines: &[Line]) -> Vec<Value> {
    lines.iter().map(|line| serde_json::from_slice(line).unwrap()).collect()
}

fn request(id: impl Into<Value>, method: &str, params: &Value) -> Line {
    let id = id.into();
    line(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
}

fn begun() -> Conversation {
    let mut talk = Conversation::default();
    talk.hear(&request(0, "initialize", &json!({"protocolVersion": "2025-06-18"})));
    let welcome = json!({"id": 0, "result": {"protocolVersion": "2025-06-18"}});
    assert!(talk.pass(&line(&welcome)));
    talk.hear(&line(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})));
    talk
}

#[test]
fn a_call_that_a_server_took_with_it_is_answered_and_not_repeated() {
    let mut talk = begun();
    talk.hear(&request("a", "tools/call", &json!({"name": "file_write"})));
    talk.hear(&request(2, "tools/call", &json!({"name": "pane_list"})));
    talk.hear(&request(3, "tools/list", &json!({})));
    assert!(talk.pass(&line(&json!({"id": 2, "result": {}}))), "this one was answered");
    let error = unknown_outcome();
    assert_eq!(
        values(&talk.lost()),
        [json!({"jsonrpc": "2.0", "id": "a", "result": {
            "content": [{"type": "text", "text": error.to_text()}],
            "structuredContent": error.to_value(),
            "isError": true,
        }})]
    );
    assert_eq!(talk.lost(), Vec::<Line>::new(), "each is answered once");
    assert_eq!(
        values(&talk.rest()),
        [
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            json!({"jsonrpc": "2.0", "id": 3, "method": "tools/list", "params": {}}),
        ]
    );
}

#[test]
fn another_server_is_told_how_the_session_began_and_what_is_watched() {
    let mut talk = begun();
    for (id, verb, uri) in [(1, "subscribe", "a"), (2, "subscribe", "b"), (3, "unsubscribe", "a")] {
        talk.hear(&request(id, &format!("resources/{verb}"), &json!({"uri": uri})));
        assert!(talk.pass(&line(&json!({"id": id, "result": {}}))));
    }
    let again = "openspace:again:1";
    let params = json!({"protocolVersion": "2025-06-18"});
    let hello = json!({"jsonrpc": "2.0", "id": again, "method": "initialize", "params": params});
    assert_eq!(values(&talk.hello().into_iter().collect::<Vec<_>>()), [hello]);
    let answer = json!({"id": again, "result": {"protocolVersion": "2025-06-18"}});
    talk.welcomed(&line(&answer)).unwrap();
    let again = "openspace:again:2";
    assert_eq!(
        values(&talk.rest()),
        [
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            json!({"jsonrpc": "2.0", "id": again, "method": "resources/subscribe", "params": {"uri": "b"}}),
        ]
    );
    assert!(!talk.pass(&line(&json!({"id": again, "result": {}}))), "nobody asked for that");
}

#[test]
fn a_server_that_speaks_another_version_is_not_taken() {
    let talk = begun();
    let older = json!({"id": "x", "result": {"protocolVersion": "2024-11-05"}});
    let error = talk.welcomed(&line(&older)).unwrap_err().to_string();
    assert_eq!(error, "the server speaks 2024-11-05, which this session does not");
    let refusal = json!({"id": "x", "error": {"code": -32_600, "message": "no"}});
    let error = talk.welcomed(&line(&refusal)).unwrap_err().to_string();
    assert_eq!(error, "the server does not take the session");
}

#[test]
fn a_session_that_had_not_begun_begins_with_the_next_server() {
    let mut talk = Conversation::default();
    let hello = request(0, "initialize", &json!({"protocolVersion": "2025-06-18"}));
    talk.hear(&hello);
    assert_eq!(talk.lost(), Vec::<Line>::new());
    assert_eq!(talk.hello(), None);
    assert_eq!(talk.rest(), [hello], "the client still waits for the answer");
}

#[test]
fn while_there_is_no_server_calls_fail_and_questions_wait() {
    let mut talk = begun();
    let call = request(1, "tools/call", &json!({"name": "pane_list"}));
    let answers = values(&talk.answer_for_nobody(&call, false, Some("the disk is full".into())));
    assert_eq!(
        answers[0]["result"]["structuredContent"],
        json!({
            "success": false,
            "error": "no server runs for this workspace at the moment (the disk is full); nothing was done",
            "kind": "busy",
            "hint": "try again in a few seconds: the next server is joined by itself",
        })
    );
    let ping = request(2, "ping", &json!({}));
    let pong = json!({"jsonrpc": "2.0", "id": 2, "result": {}});
    assert_eq!(values(&talk.answer_for_nobody(&ping, false, None)), [pong]);
    let list = request(3, "tools/list", &json!({}));
    assert_eq!(talk.answer_for_nobody(&list, false, None), Vec::<Line>::new());
    assert!(talk.rest().contains(&list));
    let answers = values(&talk.give_up(None));
    assert_eq!(answers.len(), 1);
    assert_eq!(
        (&answers[0]["id"], &answers[0]["error"]["data"]["kind"]),
        (&json!(3), &json!("busy"))
    );
    let late = values(&talk.answer_for_nobody(&request(4, "tools/list", &json!({})), true, None));
    assert_eq!(late[0]["id"], 4);
    assert!(talk.under_way.is_empty());
}

#[test]
fn no_more_questions_wait_than_can_be_kept() {
    let mut talk = begun();
    for id in 0..MOST_HELD {
        let list = request(id, "tools/list", &json!({}));
        assert_eq!(talk.answer_for_nobody(&list, false, None), Vec::<Line>::new());
    }
    let list = request("more", "tools/list", &json!({}));
    assert_eq!(values(&talk.answer_for_nobody(&list, false, None))[0]["id"], "more");
    assert_eq!(talk.under_way.len(), MOST_HELD);
}

#[test]
fn a_call_that_was_taken_back_is_not_answered() {
    let mut talk = begun();
    talk.hear(&request("a", "tools/call", &json!({"name": "workspace_bash"})));
    let cancelled = json!({"method": "notifications/cancelled", "params": {"requestId": "a"}});
    talk.hear(&line(&cancelled));
    assert_eq!(talk.lost(), Vec::<Line>::new());
}

#[test]
fn results_of_the_era_without_sessions_name_their_kind() {
    let mut talk = Conversation::default();
    talk.hear(&request(1, "subscriptions/listen", &json!({})));
    let end = json!({"id": 1, "result": {"resultType": "complete"}});
    assert!(!talk.pass(&line(&end)), "it ends when the client wants it");
    talk.hear(&request(2, "tools/call", &json!({"name": "pane_list"})));
    assert_eq!(values(&talk.lost())[0]["result"]["resultType"], "complete");
    assert_eq!(talk.hello(), None);
    assert_eq!(values(&talk.rest())[0]["method"], "subscriptions/listen", "it listens again");
    assert!(talk.pass(&line(&json!({"id": 1, "error": {"code": -32_602, "message": "no"}}))));
    assert_eq!(talk.rest(), Vec::<Line>::new(), "that was refused");
}

#[test]
fn what_is_no_message_is_the_servers_affair() {
    let mut talk = begun();
    for odd in ["", "\n", "not json\n", "[]\n", "{\"id\": 5}\n"] {
        talk.hear(odd.as_bytes());
        assert!(talk.pass(odd.as_bytes()));
        assert_eq!(talk.answer_for_nobody(odd.as_bytes(), true, None), Vec::<Line>::new());
    }
}
