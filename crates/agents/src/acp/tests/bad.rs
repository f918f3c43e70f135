//! Agents that die, hang, lie, flood or talk nonsense: all of it is bounded and told, and nothing hangs.

use pretty_assertions::assert_eq;

use super::*;
use crate::{
    acp::line::LONGEST_LINE,
    feed::MOST_WAITING,
    model::{FailureKind, MOST_PARTS},
};

/// The words of the next failure that belongs to no session.
async fn complaint(events: &mut Subscription) -> String {
    loop {
        if let Event::Error { session_id: None, failure } = next(events).await {
            return failure.message;
        }
    }
}

/// A call that proves that the agent is still listened to.
async fn still_works(agent: &AcpAgent, scripted: &mut Scripted) {
    create(agent, scripted, json!({"sessionId": "another"})).await;
}

#[tokio::test]
async fn an_agent_that_dies_in_a_turn_fails_it_with_words() {
    let (agent, mut scripted, session) = in_session(able()).await;
    let mut events = agent.subscribe();
    say(&agent, &mut scripted, &session, "go").await;
    scripted.chunk("agent_message_chunk", "half").await;
    drop(scripted);
    let told = until_idle(&mut events).await;
    let failure = messages(&agent, &session).await.pop().unwrap().info.failure.unwrap();
    let words = "Scripted ended in the middle of it: it closed its output";
    assert_eq!((failure.kind, failure.message.as_str()), (FailureKind::Other, words));
    assert!(
        told.contains(&Event::Error { session_id: Some(session.clone()), failure }),
        "{told:?}"
    );
    let why = "it closed its output".to_owned();
    let gone = AgentError::NotRunning { agent: "Scripted".to_owned(), why };
    assert_eq!(agent.send(&session, Prompt::text("more")).await, Err(gone.clone()));
    assert_eq!(agent.create(NewSession::default()).await, Err(gone));
}

#[tokio::test]
async fn an_agent_that_dies_fails_calls_that_wait_and_takes_requests_back() {
    let (agent, mut scripted, session) = in_session(able()).await;
    let mut events = agent.subscribe();
    let params = json!({"sessionId": session.0, "toolCall": {"toolCallId": "c"}, "options": []});
    scripted.ask("q", "session/request_permission", params).await;
    let (created, ()) = tokio::join!(agent.create(NewSession::default()), async {
        scripted.asked("session/new").await;
        drop(scripted);
    });
    assert!(matches!(created, Err(AgentError::NotRunning { .. })), "{created:?}");
    loop {
        if let Event::Connection { connected, why } = next(&mut events).await {
            assert_eq!((connected, why.as_deref()), (false, Some("it closed its output")));
            break;
        }
    }
    assert_eq!(agent.permissions().await, Ok(Vec::new()));
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_never_answers_is_not_waited_for_forever() {
    let (scripted, reader, writer) = Scripted::new();
    let refused = AcpAgent::connect(reader, writer, setup()).await.err();
    let what = "initialize".to_owned();
    assert_eq!(refused, Some(AgentError::TimedOut { what, after_ms: 60_000 }));
    drop(scripted);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_never_reads_is_given_up() {
    let (agent, _scripted, session) = in_session(able()).await;
    let mut events = agent.subscribe();
    agent.send(&session, Prompt::text("x".repeat(1024 * 1024))).await.unwrap();
    let told = until_idle(&mut events).await;
    let words = "it read nothing for 30 s";
    assert!(told.iter().any(
        |event| matches!(event, Event::Error { failure, .. } if failure.message.contains(words))
    ));
}

#[tokio::test]
async fn an_agent_of_another_version_is_refused() {
    let (mut scripted, reader, writer) = Scripted::new();
    let (refused, ()) = tokio::join!(AcpAgent::connect(reader, writer, setup()), async {
        let (id, _) = scripted.asked("initialize").await;
        scripted.answer(&id, json!({"protocolVersion": 7})).await;
    });
    let why = "it speaks version 7 of ACP, and we speak 1".to_owned();
    assert_eq!(refused.err(), Some(AgentError::Protocol { what: "initialize".to_owned(), why }));
}

#[tokio::test]
async fn garbage_is_told_and_skipped() {
    let (agent, mut scripted, _) = in_session(able()).await;
    let mut events = agent.subscribe();
    for (garbage, words) in [
        (&b"Debugger listening on port 9229\n"[..], "a line that is no message"),
        (b"{\"jsonrpc\":\"2.0\"}\n", "a line that is no message"),
        (b"[1,2]\n", "a line that is no message"),
        (b"\xff\xfe\n", "a line that is not UTF-8"),
        (b"{\"id\":999,\"result\":{}}\n", "an answer to `999`, which nobody asked"),
        (b"{\"id\":{\"a\":1},\"result\":{}}\n", "an id that is none"),
        (b"{\"id\":null,\"method\":\"x\"}\n", "an id that is none"),
        (b"{\"method\":\"session/update\",\"params\":{}}\n", "an update that is none"),
        (b"{\"method\":\"session/update\"}\n", "an update that is none"),
    ] {
        scripted.write(b"\n\r\n").await;
        scripted.write(garbage).await;
        let told = complaint(&mut events).await;
        assert!(told.starts_with("Scripted said ") && told.contains(words), "{told}");
    }
    still_works(&agent, &mut scripted).await;
}

#[tokio::test]
async fn a_line_that_is_too_long_is_skipped_and_one_of_ten_megabytes_is_not_kept() {
    let (agent, mut scripted, session) = in_session(able()).await;
    let mut events = agent.subscribe();
    let (mut line, size) = (vec![b'x'; LONGEST_LINE + 1], LONGEST_LINE + 1);
    line.push(b'\n');
    scripted.write(&line).await;
    let told = complaint(&mut events).await;
    assert_eq!(told, format!("Scripted said a line of {size} bytes; {LONGEST_LINE} are read"));
    let call = say(&agent, &mut scripted, &session, "go").await;
    scripted.chunk("agent_message_chunk", &"y".repeat(10 * 1024 * 1024)).await;
    scripted.answer(&call, json!({"stopReason": "end_turn"})).await;
    until_idle(&mut events).await;
    let [PartContent::Text { text, .. }] = &answer(&agent, &session).await[..] else { panic!() };
    assert_eq!(text.text.len() as u64 + text.left_out, 10 * 1024 * 1024);
    assert_eq!(text.text.len(), crate::model::LONGEST_TEXT);
    still_works(&agent, &mut scripted).await;
}

#[tokio::test]
async fn an_agent_that_talks_nothing_but_garbage_is_left() {
    let (agent, mut scripted, _) = in_session(able()).await;
    let mut events = agent.subscribe();
    scripted.write("nonsense\n".repeat(1500).as_bytes()).await;
    let mut complaints = 0;
    let why = loop {
        match next(&mut events).await {
            Event::Error { .. } => complaints += 1,
            Event::Connection { why, .. } => break why.unwrap(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!((complaints, why.as_str()), (20, "it said 1000 lines that are no messages"));
}

#[tokio::test]
async fn a_flood_of_updates_is_bounded_and_the_slow_are_told_of_the_gap() {
    let (agent, mut scripted, session) = in_session(able()).await;
    let mut slow = agent.subscribe();
    let call = say(&agent, &mut scripted, &session, "go").await;
    for number in 0..MOST_WAITING {
        let id = number.to_string();
        scripted
            .update(json!({"sessionUpdate": "tool_call", "toolCallId": id, "title": "t"}))
            .await;
        let update = json!({"sessionUpdate": "tool_call_update", "toolCallId": "0", "title": id});
        scripted.update(update).await;
    }
    scripted.answer(&call, json!({"stopReason": "end_turn"})).await;
    let mut has_gap = false;
    loop {
        match next(&mut slow).await {
            Event::Gap { .. } => has_gap = true,
            Event::Status { status: SessionStatus::Idle {}, .. } => break,
            _ => {}
        }
    }
    assert!(has_gap);
    let newest = messages(&agent, &session).await.pop().unwrap();
    let expected = (MOST_PARTS, (MOST_WAITING - MOST_PARTS) as u64);
    assert_eq!((newest.parts.len(), newest.parts_left_out), expected);
}

#[tokio::test]
async fn updates_of_sessions_that_nobody_began_are_few_and_silent() {
    let (agent, mut scripted, _) = in_session(able()).await;
    let mut events = agent.subscribe();
    for number in 0..9 {
        let content = json!({"type": "text", "text": "boo"});
        let update = json!({"sessionUpdate": "agent_message_chunk", "content": content});
        scripted.update_of(&format!("ghost{number}"), update).await;
    }
    let told = complaint(&mut events).await;
    assert_eq!(told, "Scripted said something of a session that nobody began: ghost8");
    still_works(&agent, &mut scripted).await;
}

#[tokio::test]
async fn an_answer_of_another_form_is_not_taken_for_one() {
    let (agent, mut scripted) = connected(able()).await;
    for answer in
        [json!({}), json!("s"), json!(null), json!({"sessionId": 7}), json!({"sessionId": ""})]
    {
        let (refused, ()) = tokio::join!(agent.create(NewSession::default()), async {
            let (id, _) = scripted.asked("session/new").await;
            scripted.answer(&id, answer).await;
        });
        assert!(matches!(refused, Err(AgentError::Protocol { .. })), "{refused:?}");
    }
}

#[tokio::test]
async fn a_request_that_is_none_is_answered_as_such() {
    let (agent, mut scripted, _) = in_session(able()).await;
    let mut events = agent.subscribe();
    scripted.ask("q", "session/request_permission", json!({"sessionId": "s"})).await;
    assert_eq!(scripted.heard().await["error"]["code"], -32602);
    let told = complaint(&mut events).await;
    assert!(told.contains("a request for permission that is none"), "{told}");
}

#[tokio::test]
async fn a_session_does_not_grow_without_end() {
    let (agent, mut scripted, session) = in_session(able()).await;
    let text = "z".repeat(200 * 1024);
    let mut events = agent.subscribe();
    for _ in 0..100 {
        let call = say(&agent, &mut scripted, &session, "go").await;
        scripted.chunk("agent_message_chunk", &text).await;
        scripted.answer(&call, json!({"stopReason": "end_turn"})).await;
        until_idle(&mut events).await;
    }
    let kept = messages(&agent, &session).await;
    let bytes: usize = kept.iter().flat_map(|it| &it.parts).map(crate::acp::weight::part).sum();
    assert!((100..200).contains(&kept.len()) || kept.len() == 100, "{}", kept.len());
    assert!(bytes <= crate::acp::MOST_KEPT_BYTES, "{bytes}");
    assert_eq!(kept.last().unwrap().info.id.0, "s:199");
    let gone = agent.message(&session, &crate::model::MessageId("s:0".to_owned())).await;
    assert!(matches!(gone, Err(AgentError::NotFound { .. })), "{gone:?}");
}

#[tokio::test]
async fn dropping_the_agent_ends_the_connection() {
    let (agent, mut scripted, session) = in_session(able()).await;
    say(&agent, &mut scripted, &session, "go").await;
    let mut events = agent.subscribe();
    drop(agent);
    assert_eq!(events.next().await, None);
    assert!(scripted.is_left().await);
}
