//! What goes wrong in a turn: it is stopped, a model fails, too much is said.

use openspace_agents::{
    Agent, Event,
    model::{FailureKind, LONGEST_TEXT, LongText, PartContent, Prompt, SessionStatus, ToolState},
};
use openspace_scripted::{End, Step};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::{Talk, calls, texts};

#[tokio::test]
async fn a_turn_is_stopped_in_the_middle_of_a_stream_and_of_a_tool() {
    let talk = Talk::begin_with(json!({ "permission": { "bash": "allow" } })).await;
    let session = talk.session().await;
    talk.model.say([Step::text("It never ends ").never_ending()]);
    talk.send(&session, "Begin").await;
    talk.until(|event| matches!(event, Event::TextDelta { .. }).then_some(())).await;
    let status = talk.agent.statuses().await.unwrap();
    assert_eq!((status.len(), &status[0].status), (1, &SessionStatus::Busy {}));
    talk.agent.abort(&session).await.unwrap();
    talk.until_idle(&session).await;
    let messages = talk.messages(&session).await;
    let failure = messages.last().unwrap().info.failure.as_ref().unwrap();
    assert_eq!(failure.kind, FailureKind::Aborted);
    assert_eq!(texts(messages.last().unwrap()), ["It never ends "]);

    let sleep = json!({ "command": "echo begun; sleep 600", "description": "Sleeps" });
    talk.model.say([Step::tool("bash", sleep)]);
    talk.send(&session, "Sleep").await;
    talk.until(|event| match event {
        Event::PartUpdated { part } => match &part.content {
            PartContent::Tool { call } => {
                let so_far =
                    call.output.as_ref().is_some_and(|output| output.text.contains("begun"));
                (call.state == ToolState::Running && so_far).then_some(())
            }
            _ => None,
        },
        _ => None,
    })
    .await;
    talk.agent.abort(&session).await.unwrap();
    talk.until_idle(&session).await;
    let messages = talk.messages(&session).await;
    assert!(calls(&messages)[0].state != ToolState::Running, "{messages:#?}");

    // Nothing to stop is no fault, and it can go on.
    talk.agent.abort(&session).await.unwrap();
    talk.model.say([Step::text("Here again.")]);
    talk.turn(&session, "Go on").await;
    assert_eq!(texts(talk.messages(&session).await.last().unwrap()), ["Here again."]);
}

#[tokio::test]
async fn what_a_provider_refuses_is_told_and_what_it_delays_is_tried_again() {
    let talk = Talk::begin().await;
    let session = talk.session().await;
    for (status, kind) in [(400, FailureKind::Provider), (401, FailureKind::LogIn)] {
        talk.model.say([Step::refused(status, "not like this")]);
        let (failure, events) = talk.failed_turn(&session, "x").await;
        assert_eq!((failure.kind, failure.status), (kind, Some(status)));
        assert_eq!(failure.message, "not like this");
        let messages = talk.messages(&session).await;
        assert_eq!(messages.last().unwrap().info.failure.as_ref(), Some(&failure));
        let told = Event::Error { session_id: Some(session.clone()), failure };
        assert!(events.contains(&told), "{events:#?}");
    }

    let limited =
        End::Refused { status: 429, message: "too fast".to_owned(), retry_after_ms: Some(50) };
    talk.model.say([Step { end: limited, ..Step::default() }, Step::text("Slowly.")]);
    let (_, events) = talk.turn(&session, "y").await;
    let waited = events.iter().find_map(|event| match event {
        Event::Status { status: SessionStatus::Retry { attempt, message, next }, .. } => {
            Some((*attempt, message.as_str(), next.is_some()))
        }
        _ => None,
    });
    assert_eq!(waited, Some((1, "too fast", true)));
    assert_eq!(texts(talk.messages(&session).await.last().unwrap()), ["Slowly."]);

    let empty = talk.agent.send(&session, Prompt::default()).await.unwrap_err().to_string();
    assert_eq!(empty, "the prompt is not valid: it says nothing");
}

#[tokio::test]
async fn ten_megabytes_of_text_are_told_in_bounds() {
    const WHOLE: usize = 10 * 1024 * 1024;
    let talk = Talk::begin().await;
    let session = talk.session().await;
    talk.model.say([Step { filler: WHOLE, ..Step::default() }]);
    let (_, events) = talk.turn(&session, "Say much").await;
    let grown: usize = events
        .iter()
        .map(|event| if let Event::TextDelta { delta, .. } = event { delta.len() } else { 0 })
        .sum();
    assert_eq!(grown, LONGEST_TEXT);
    let messages = talk.messages(&session).await;
    let told: Vec<&LongText> = messages[1]
        .parts
        .iter()
        .filter_map(|part| match &part.content {
            PartContent::Text { text, .. } => Some(text),
            _ => None,
        })
        .collect();
    let expected =
        LongText { text: "x".repeat(LONGEST_TEXT), left_out: (WHOLE - LONGEST_TEXT) as u64 };
    assert!(told == [&expected], "{} texts", told.len());
    assert!(talk.told.lock().unwrap().len() < 4 * 1024 * 1024);
}
