//! What a turn knows of what was told, and how a late reader is given it.

use openspace_agents::model::{FailureKind, PermissionId, PermissionReply, SessionId, ToolState};
use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

fn session() -> SessionId {
    "ses".into()
}

fn info(id: &str, role: Role, completed: Option<i64>) -> MessageInfo {
    MessageInfo {
        id: id.into(),
        session_id: session(),
        role,
        created: 1,
        completed,
        answers: (role == Role::Assistant).then(|| "said".into()),
        mode: None,
        model: None,
        usage: None,
        cost: None,
        finish: None,
        failure: None,
        is_summary: false,
        diffs: Vec::new(),
    }
}

fn text(message: &str, id: &str, text: &str) -> Part {
    let content = PartContent::Text {
        text: LongText::new(text),
        is_synthetic: false,
        started: None,
        ended: None,
    };
    Part { id: id.into(), message_id: message.into(), session_id: session(), content }
}

fn delta(message: &str, part: &str, delta: &str) -> Event {
    Event::TextDelta {
        session_id: session(),
        message_id: message.into(),
        part_id: part.into(),
        field: TextField::Text,
        delta: delta.into(),
    }
}

fn status(status: SessionStatus) -> Event {
    Event::Status { session_id: session(), status }
}

fn turn(events: &[Event]) -> Turn {
    let mut turn = Turn::default();
    for (number, event) in (1..).zip(events) {
        turn.apply(event, number);
    }
    turn
}

fn page(messages: &[(MessageInfo, Vec<Part>)]) -> MessagePage {
    let message = |(info, parts): &(MessageInfo, Vec<Part>)| Message {
        info: info.clone(),
        parts: parts.clone(),
        parts_left_out: 0,
    };
    MessagePage { messages: messages.iter().map(message).collect(), older: None }
}

#[test]
fn who_comes_in_the_middle_is_given_what_was_said_already() {
    let (said, answer) = (info("said", Role::User, None), info("answer", Role::Assistant, None));
    let turn = turn(&[
        status(SessionStatus::Busy {}),
        Event::MessageUpdated { message: answer.clone() },
        Event::PartUpdated { part: text("answer", "p", "") },
        delta("answer", "p", "Good "),
        delta("answer", "p", "day"),
        // Nobody knows how this one begins.
        delta("answer", "q", "lost"),
    ]);
    // The agent keeps the text to itself until it is whole.
    let mut late =
        page(&[(said.clone(), Vec::new()), (answer.clone(), vec![text("answer", "p", "")])]);
    turn.complete(&mut late, true);
    let whole =
        page(&[(said.clone(), Vec::new()), (answer, vec![text("answer", "p", "Good day")])]);
    assert_eq!(late, whole);
    // An answer that was read before the message began has it too, an older page has not.
    let mut early = page(&[(said.clone(), Vec::new())]);
    turn.complete(&mut early, true);
    assert_eq!(early, whole);
    let mut older = page(&[(said, Vec::new())]);
    turn.complete(&mut older, false);
    assert_eq!(older.messages.len(), 1);
}

#[test]
fn words_of_an_answer_that_broke_off_are_given_as_far_as_they_were_heard() {
    let answer = info("answer", Role::Assistant, None);
    let mut turn = turn(&[
        status(SessionStatus::Busy {}),
        Event::MessageUpdated { message: answer.clone() },
        Event::PartUpdated { part: text("answer", "p", "") },
        delta("answer", "p", "Good day"),
    ]);
    assert!(turn.break_off());
    assert_eq!(turn.progress(), Progress::default(), "what it does is not known any more");
    let given = |turn: &Turn, completed: Option<i64>, parts: Vec<Part>| {
        let mut page = page(&[(info("answer", Role::Assistant, completed), parts)]);
        turn.complete(&mut page, true);
        page.messages.remove(0).parts
    };
    let heard = vec![text("answer", "p", "Good day")];
    // An agent that came back has the beginning of it at most.
    assert_eq!(given(&turn, None, Vec::new()), heard);
    assert_eq!(given(&turn, None, vec![text("answer", "p", "Good")]), heard);
    // One that was only not heard for a while has it, and perhaps otherwise.
    for whole in ["Good day to you", "Bad day"] {
        let parts = vec![text("answer", "p", whole)];
        assert_eq!(given(&turn, None, parts.clone()), parts);
    }
    assert_eq!(given(&turn, Some(2), Vec::new()), []);
    turn.apply(&status(SessionStatus::Busy {}), 9);
    assert_eq!(given(&turn, None, Vec::new()), [], "it may go on with it");
    turn.apply(&status(SessionStatus::Idle {}), 10);
    assert_eq!(given(&turn, None, Vec::new()), heard, "also after another turn");
    let long = "x".repeat(MOST_BROKEN - size_of::<Part>());
    turn.apply(&status(SessionStatus::Busy {}), 11);
    turn.apply(&Event::PartUpdated { part: text("other", "q", &long) }, 12);
    assert!(turn.break_off());
    assert_eq!(given(&turn, None, Vec::new()), [], "the newest have room");
}

#[test]
fn what_is_removed_is_not_given() {
    let answer = info("answer", Role::Assistant, Some(2));
    let turn = turn(&[
        Event::MessageUpdated { message: answer.clone() },
        Event::PartRemoved {
            session_id: session(),
            message_id: "answer".into(),
            part_id: "p".into(),
        },
        Event::MessageRemoved { session_id: session(), message_id: "gone".into() },
    ]);
    let mut read = page(&[
        (info("gone", Role::Assistant, None), Vec::new()),
        (answer.clone(), vec![text("answer", "p", "x"), text("answer", "q", "y")]),
    ]);
    turn.complete(&mut read, true);
    assert_eq!(read, page(&[(answer, vec![text("answer", "q", "y")])]));
}

#[test]
fn a_turn_is_forgotten_when_the_next_one_begins() {
    let (idle, busy) = (SessionStatus::Idle {}, SessionStatus::Busy {});
    let ended = Event::MessageUpdated { message: info("one", Role::Assistant, Some(2)) };
    let mut turn = turn(&[status(busy.clone()), ended, status(idle.clone())]);
    let outcome =
        |id: &str| Outcome { message: id.into(), answers: Some("said".into()), failure: None };
    assert_eq!(turn.progress().ended, [outcome("one")]);
    assert_eq!(turn.progress().status, Some(idle));
    turn.apply(&status(busy.clone()), 4);
    let progress = Progress { status: Some(busy), ..Progress::default() };
    assert_eq!((turn.progress(), turn.touched()), (progress, 4));
}

#[test]
fn what_waits_for_a_person_waits_until_it_is_answered() {
    let request = PermissionRequest {
        id: PermissionId("per".into()),
        session_id: session(),
        permission: "bash".into(),
        title: None,
        patterns: vec!["make".into()],
        always: Vec::new(),
        replies: vec![PermissionReply::Once],
        diffs: Vec::new(),
        details: json!({}),
        tool: None,
    };
    let mut turn = turn(&[Event::PermissionAsked { request: request.clone() }]);
    assert_eq!(turn.progress().permissions, std::slice::from_ref(&request));
    let answered =
        Event::PermissionAnswered { session_id: session(), permission_id: request.id, reply: None };
    turn.apply(&answered, 2);
    assert_eq!(turn.progress(), Progress::default());
}

#[test]
fn a_failure_is_told_with_what_it_answers() {
    let failure = Failure {
        kind: FailureKind::RateLimit,
        name: "APIError".into(),
        message: "slow down".into(),
        status: Some(429),
        is_retryable: true,
    };
    let message =
        MessageInfo { failure: Some(failure.clone()), ..info("answer", Role::Assistant, None) };
    let turn = turn(&[Event::MessageUpdated { message }]);
    let failure = Some(failure);
    let outcome = Outcome { message: "answer".into(), answers: Some("said".into()), failure };
    assert_eq!(turn.progress().ended, [outcome]);
}

#[test]
fn a_turn_that_never_ends_keeps_within_its_bounds() {
    let mut turn = Turn::default();
    let long = "x".repeat(200 * 1024);
    for number in 0..100 {
        let id = format!("m{number}");
        let message = info(&id, Role::Assistant, None);
        turn.apply(&Event::MessageUpdated { message }, number);
        turn.apply(&Event::PartUpdated { part: text(&id, &id, &long) }, number);
    }
    assert!(turn.bytes <= MOST_BYTES, "{} bytes", turn.bytes);
    assert_eq!(turn.messages.last().unwrap().id, "m99".into());
    // One part alone has its own bound.
    for _ in 0..5 {
        turn.apply(&delta("m99", "m99", &long), 200);
    }
    let mut read = page(&[(info("m99", Role::Assistant, None), vec![text("m99", "m99", "")])]);
    turn.complete(&mut read, true);
    let PartContent::Text { text, .. } = &read.messages[0].parts[0].content else { panic!() };
    assert_eq!(
        (text.text.len(), text.left_out),
        (LONGEST_TEXT, (6 * long.len() - LONGEST_TEXT) as u64)
    );
}

#[test]
fn what_a_tool_puts_out_grows_too() {
    use openspace_agents::model::ToolCall;
    let call = ToolCall {
        call_id: "c".into(),
        tool: "bash".into(),
        title: None,
        state: ToolState::Running,
        input: json!({}),
        input_left_out: 0,
        output: None,
        error: None,
        started: None,
        ended: None,
        attachments: Vec::new(),
        diffs: Vec::new(),
        locations: Vec::new(),
        child_session: None,
    };
    let tool = |output: Option<&str>| {
        let call = ToolCall { output: output.map(LongText::new), ..call.clone() };
        let content = PartContent::Tool { call: Box::new(call) };
        Part { id: "t".into(), message_id: "m".into(), session_id: session(), content }
    };
    let grown = Event::TextDelta {
        session_id: session(),
        message_id: "m".into(),
        part_id: "t".into(),
        field: TextField::Output,
        delta: "done".into(),
    };
    let turn = turn(&[Event::PartUpdated { part: tool(None) }, grown]);
    let message = info("m", Role::Assistant, None);
    let mut read = page(&[(message.clone(), vec![tool(None)])]);
    turn.complete(&mut read, true);
    assert_eq!(read, page(&[(message, vec![tool(Some("done"))])]));
}
