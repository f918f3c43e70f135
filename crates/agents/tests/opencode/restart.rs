//! The program is killed in the middle of a turn and comes back.

use openspace_agents::{Agent, AgentError, Event};
use openspace_scripted::Step;
use pretty_assertions::assert_eq;

use crate::support::{Talk, texts};

#[tokio::test]
async fn after_a_kill_in_mid_turn_it_is_followed_again_and_its_messages_are_still_there() {
    let mut talk = Talk::begin().await;
    let session = talk.session().await;
    talk.model.say([Step::text("Kept.")]);
    talk.turn(&session, "one").await;
    talk.model.say([Step::text("Cut off ").never_ending()]);
    talk.send(&session, "two").await;
    talk.until(|event| matches!(event, Event::TextDelta { .. }).then_some(())).await;

    talk.program.kill().await;
    talk.until(|event| {
        matches!(event, Event::Connection { connected: false, why: Some(_) }).then_some(())
    })
    .await;
    let gone = talk.agent.session(&session).await;
    assert!(matches!(gone, Err(AgentError::NotRunning { .. })), "{gone:?}");

    talk.program.start_again().await;
    talk.until(|event| matches!(event, Event::Connection { connected: true, .. }).then_some(()))
        .await;
    let why = talk.until(|event| match event {
        Event::Gap { why } => Some(why.clone()),
        _ => None,
    });
    assert_eq!(why.await, "events were not heard for a while");
    let messages = talk.messages(&session).await;
    let said: Vec<_> = messages.iter().take(3).map(texts).collect();
    assert_eq!(said, [["one"], ["Kept."], ["two"]]);
    assert_eq!(talk.agent.statuses().await.unwrap(), []);

    talk.model.say([Step::text("Back.")]);
    let (id, _) = talk.turn(&session, "three").await;
    let after = talk.messages(&session).await;
    assert_eq!(texts(after.last().unwrap()), ["Back."]);
    assert_eq!(after.last().unwrap().info.answers.as_ref(), Some(&id));
    assert!(messages.iter().all(|message| message.info.id < id));

    // Who knows that it stops says so, and nothing is asked any more.
    talk.agent.stopped("it is being updated");
    let silent = talk.agent.session(&session).await.unwrap_err().to_string();
    assert!(silent.ends_with("does not answer: it is being updated"), "{silent}");
}
