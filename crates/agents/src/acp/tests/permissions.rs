//! Requests for permission, and requests for what is not offered.

use pretty_assertions::assert_eq;

use super::*;
use crate::model::{PermissionReply, PermissionRequest, ToolReference};

fn option(id: &str, kind: &str) -> Value {
    json!({"optionId": id, "name": format!("{kind}?"), "kind": kind})
}

async fn ask(scripted: &mut Scripted, options: Value) {
    let call = json!({"toolCallId": "c1", "title": "Run ls", "kind": "execute", "rawInput": {"command": "ls -l"}});
    let params = json!({"sessionId": "s", "toolCall": call, "options": options});
    scripted.ask("q1", "session/request_permission", params).await;
}

/// The request that is told.
async fn asked(events: &mut Subscription) -> PermissionRequest {
    loop {
        if let Event::PermissionAsked { request } = next(events).await {
            return request;
        }
    }
}

async fn answered(events: &mut Subscription) -> (PermissionId, Option<PermissionReply>) {
    loop {
        if let Event::PermissionAnswered { permission_id, reply, .. } = next(events).await {
            return (permission_id, reply);
        }
    }
}

#[tokio::test]
async fn a_request_is_told_with_all_that_can_be_answered() {
    let (agent, mut scripted, session) = in_session(able()).await;
    let mut events = agent.subscribe();
    let options = json!([
        option("a", "allow_always"),
        option("o", "allow_once"),
        option("x", "ask_mother"),
        option("r", "reject_once")
    ]);
    say(&agent, &mut scripted, &session, "go").await;
    ask(&mut scripted, options.clone()).await;
    let expected = PermissionRequest {
        id: PermissionId("s:permission:0".to_owned()),
        session_id: session,
        permission: "execute".to_owned(),
        title: Some("Run ls".to_owned()),
        patterns: vec!["ls -l".to_owned()],
        always: Vec::new(),
        replies: vec![PermissionReply::Once, PermissionReply::Always, PermissionReply::Reject],
        diffs: Vec::new(),
        details: json!({"input": {"command": "ls -l"}, "options": options}),
        tool: Some(ToolReference { message_id: None, call_id: "c1".to_owned() }),
    };
    assert_eq!(asked(&mut events).await, expected);
    assert_eq!(agent.permissions().await, Ok(vec![expected]));
}

#[tokio::test]
async fn an_answer_is_chosen_by_its_kind_and_never_by_its_place() {
    let all = json!([
        option("ra", "reject_always"),
        option("a", "allow_always"),
        option("r", "reject_once"),
        option("o", "allow_once")
    ]);
    let reject = PermissionAnswer::Reject { message: None };
    for (options, answer, outcome) in [
        (&all, PermissionAnswer::Once {}, json!({"outcome": "selected", "optionId": "o"})),
        (&all, PermissionAnswer::Always {}, json!({"outcome": "selected", "optionId": "a"})),
        (&all, reject.clone(), json!({"outcome": "selected", "optionId": "r"})),
        (&json!([option("o", "allow_once")]), reject, json!({"outcome": "cancelled"})),
    ] {
        let (agent, mut scripted, session) = in_session(able()).await;
        let mut events = agent.subscribe();
        say(&agent, &mut scripted, &session, "go").await;
        ask(&mut scripted, options.clone()).await;
        let id = asked(&mut events).await.id;
        agent.answer_permission(&id, answer.clone()).await.unwrap();
        let expected = json!({"jsonrpc": "2.0", "id": "q1", "result": {"outcome": outcome}});
        assert_eq!(scripted.heard().await, expected);
        assert_eq!(answered(&mut events).await, (id.clone(), Some(answer.reply())));
        let again = agent.answer_permission(&id, answer).await;
        assert!(matches!(again, Err(AgentError::NotFound { .. })), "{again:?}");
    }
}

#[tokio::test]
async fn an_answer_that_the_agent_does_not_take_leaves_the_request_waiting() {
    let (agent, mut scripted, session) = in_session(able()).await;
    let mut events = agent.subscribe();
    say(&agent, &mut scripted, &session, "go").await;
    ask(&mut scripted, json!([option("o", "allow_once")])).await;
    let request = asked(&mut events).await;
    assert_eq!(request.replies, [PermissionReply::Once, PermissionReply::Reject]);
    let refused = agent.answer_permission(&request.id, PermissionAnswer::Always {}).await;
    assert!(matches!(refused, Err(AgentError::Invalid { .. })), "{refused:?}");
    let words = PermissionAnswer::Reject { message: Some("no".to_owned()) };
    let refused = agent.answer_permission(&request.id, words).await;
    assert!(matches!(refused, Err(AgentError::Unsupported { .. })), "{refused:?}");
    assert_eq!(agent.permissions().await.unwrap(), [request]);
}

#[tokio::test]
async fn stopping_takes_requests_back() {
    let (agent, mut scripted, session) = in_session(able()).await;
    let mut events = agent.subscribe();
    say(&agent, &mut scripted, &session, "go").await;
    ask(&mut scripted, json!([option("o", "allow_once")])).await;
    let id = asked(&mut events).await.id;
    agent.abort(&session).await.unwrap();
    assert_eq!(scripted.heard().await["method"], "session/cancel");
    let expected =
        json!({"jsonrpc": "2.0", "id": "q1", "result": {"outcome": {"outcome": "cancelled"}}});
    assert_eq!(scripted.heard().await, expected);
    assert_eq!(answered(&mut events).await, (id, None));
    assert_eq!(agent.permissions().await, Ok(Vec::new()));
}

#[tokio::test]
async fn a_turn_that_ends_takes_its_requests_along() {
    let (agent, mut scripted, session) = in_session(able()).await;
    let mut events = agent.subscribe();
    let call = say(&agent, &mut scripted, &session, "go").await;
    ask(&mut scripted, json!([option("o", "allow_once")])).await;
    let id = asked(&mut events).await.id;
    scripted.answer(&call, json!({"stopReason": "end_turn"})).await;
    assert_eq!(answered(&mut events).await, (id, None));
    until_idle(&mut events).await;
}

#[tokio::test]
async fn files_and_terminals_of_ours_are_not_offered() {
    let (mut scripted, reader, writer) = Scripted::new();
    let (agent, params) = tokio::join!(AcpAgent::connect(reader, writer, setup()), async {
        let (id, params) = scripted.asked("initialize").await;
        scripted.answer(&id, json!({"protocolVersion": 1})).await;
        params
    });
    let _agent = agent.unwrap();
    let expected = json!({"protocolVersion": 1, "clientCapabilities": {
        "fs": {"readTextFile": false, "writeTextFile": false}, "terminal": false, "auth": {"terminal": false}},
        "clientInfo": {"name": "openspace", "version": "0.0.0"}});
    assert_eq!(params, expected);
    for method in ["fs/read_text_file", "fs/write_text_file", "terminal/create", "anything"] {
        scripted.ask("q", method, json!({"path": "/etc/passwd"})).await;
        let error = json!({"code": -32601, "message": "Method not found"});
        assert_eq!(scripted.heard().await, json!({"jsonrpc": "2.0", "id": "q", "error": error}));
    }
}

#[tokio::test]
async fn too_many_requests_are_cancelled_and_told() {
    let (agent, mut scripted, session) = in_session(able()).await;
    let mut events = agent.subscribe();
    say(&agent, &mut scripted, &session, "go").await;
    for _ in 0..65 {
        ask(&mut scripted, json!([option("o", "allow_once")])).await;
    }
    assert_eq!(scripted.heard().await["result"]["outcome"]["outcome"], "cancelled");
    assert_eq!(agent.permissions().await.unwrap().len(), 64);
    let failure = loop {
        if let Event::Error { failure, .. } = next(&mut events).await {
            break failure;
        }
    };
    assert!(failure.message.contains("more than 64 requests"), "{failure:?}");
}
