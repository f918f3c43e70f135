//! Waiting for the end of a turn.
//!
//! An agent says that it is idle, and it says which message an answer is for; both have to be there, for the one comes
//! early after a failure and the other again and again in a long turn. Where neither comes, because the agent was started
//! anew, it is asked.

use std::time::Duration;

use openspace_agents::{
    Agent,
    model::{Failure, Message, MessageId, MessageQuery, PartContent, Role, SessionStatus},
};
use openspace_command::Result;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::{Chats, address::Found, live::Progress, read_commands::asks, refusal::refused};
use crate::Cx;

/// How long an answer is waited for after the agent said that it is idle: it may still be written down, or never come.
const GRACE: Duration = Duration::from_secs(3);
/// Messages that are looked through for the answer.
const LOOKED_THROUGH: usize = 100;
/// How often a caller hears that it still waits: clients give up on what is silent.
const TELL_EVERY: Duration = Duration::from_secs(10);

/// How waiting ended.
pub(super) struct Waited {
    /// The turn is over; otherwise the time was.
    pub(super) is_over: bool,
    /// What was said by the agent in the turn.
    pub(super) answer: String,
    /// The last message of the answer.
    pub(super) message: Option<MessageId>,
    /// Why it is not complete.
    pub(super) failure: Option<Failure>,
    /// What it waits for that only a person can give.
    pub(super) asks: Vec<String>,
}

/// Wait until a session is idle and, if a message is given, that was answered.
pub(super) async fn turn_over(
    cx: &Cx,
    chats: &Chats,
    found: &Found,
    message: Option<&MessageId>,
    patience: Duration,
) -> Result<Waited> {
    let deadline = Instant::now() + patience;
    let mut moved = chats.moved();
    let began = Instant::now();
    let (mut told_at, mut idle_since) = (began, None);
    let is_over = loop {
        moved.mark_unchanged();
        let mut progress = chats.progress(&found.address);
        if progress.status.is_none() {
            progress.status = Some(asked(found).await?);
        }
        let is_idle = matches!(progress.status, Some(SessionStatus::Idle {}));
        let is_answered = message.is_none_or(|message| answers(&progress, message));
        let now = Instant::now();
        let was_idle = idle_since.is_some();
        idle_since = if is_idle { Some(idle_since.unwrap_or(now)) } else { None };
        if is_idle && is_answered {
            break true;
        }
        // What was told before anybody listened to this agent is only in its messages.
        if is_idle && !was_idle && said(chats, found, message).await?.iter().any(has_ended) {
            break true;
        }
        let given_up = idle_since.map(|since| since + GRACE);
        if given_up.is_some_and(|given_up| now >= given_up) {
            break true;
        }
        if now >= deadline {
            break false;
        }
        if now >= told_at + TELL_EVERY {
            told_at = now;
            let waits = asks(&progress);
            let waits = waits.first().map_or("the agent works".to_owned(), |what| {
                format!("the agent waits for a person: {what}")
            });
            cx.progress.report(began.elapsed().as_secs_f64(), None, waits);
        }
        let next = [Some(deadline), given_up, Some(told_at + TELL_EVERY)];
        let next = next.into_iter().flatten().min().unwrap_or(deadline);
        // Over either way; what it was is looked at above.
        if timeout_at(next, moved.changed()).await.is_ok_and(|moved| moved.is_err()) {
            sleep_until(next).await;
        }
    };
    let progress = chats.progress(&found.address);
    let said = said(chats, found, message).await?;
    let failed = said.iter().rev().find_map(|message| message.info.failure.clone());
    let ended = progress.ended.iter().rev();
    let ended = ended.filter(|one| message.is_none() || one.answers.as_ref() == message);
    let failure = failed.or_else(|| ended.clone().find_map(|one| one.failure.clone()));
    Ok(Waited {
        is_over,
        answer: text(&said),
        message: said.last().map(|message| message.info.id.clone()),
        failure: failure.or(progress.failure.clone()),
        asks: asks(&progress),
    })
}

fn answers(progress: &Progress, message: &MessageId) -> bool {
    progress.ended.iter().any(|ended| ended.answers.as_ref() == Some(message))
}

fn has_ended(message: &Message) -> bool {
    message.info.completed.is_some() || message.info.failure.is_some()
}

/// What the session does, as its agent says when it is asked.
pub(super) async fn asked(found: &Found) -> Result<SessionStatus> {
    let busy = found.agent.statuses().await.map_err(refused)?;
    let ours = busy.into_iter().find(|one| one.session_id == found.address.session_id);
    Ok(ours.map_or(SessionStatus::Idle {}, |one| one.status))
}

/// What the agent said to a message, or to the last one.
async fn said(chats: &Chats, found: &Found, message: Option<&MessageId>) -> Result<Vec<Message>> {
    let agent: &dyn Agent = &*found.agent;
    let session_id = found.address.session_id.clone();
    let query = MessageQuery { session_id, limit: LOOKED_THROUGH, before: None };
    let mut page = agent.messages(query).await.map_err(refused)?;
    chats.complete(&found.address, &mut page, true);
    let is_said = |message: &Message| message.info.role == Role::User;
    let from = match message {
        Some(id) => page.messages.iter().position(|one| one.info.id == *id),
        None => page.messages.iter().rposition(is_said),
    };
    let after = page.messages.into_iter().skip(from.map_or(0, |from| from + 1));
    let answer = after.filter(|one| one.info.role == Role::Assistant);
    Ok(answer.filter(|one| message.is_none() || one.info.answers.as_ref() == message).collect())
}

/// The words of messages.
fn text(messages: &[Message]) -> String {
    let parts = messages.iter().flat_map(|message| &message.parts);
    let texts = parts.filter_map(|part| match &part.content {
        PartContent::Text { text, is_synthetic: false, .. } => Some(text.text.trim()),
        _ => None,
    });
    let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
    texts.join("\n\n")
}
