//! A turn: what is said to an agent, and how it ended.

use std::{sync::Arc, time::Duration};

use agent_client_protocol_schema::v1::{
    AGENT_METHOD_NAMES as METHODS, ContentBlock, PromptRequest, PromptResponse, StopReason,
};
use tokio::time::sleep;

use super::{
    book,
    client::{AcpAgent, Shared},
    content, failure,
    history::Piece,
    peer::CallError,
};
use crate::{
    AgentError, Event,
    model::{Failure, FailureKind, MessageId, Prompt, SessionId, Usage},
};

/// How long an agent may take to stop before it is told again: some lose the word when it comes too soon.
const STOP_AGAIN: Duration = Duration::from_secs(1);
/// How often it is told before a person hears that it does not stop.
const MOST_STOPS: u32 = 10;

impl AcpAgent {
    pub(super) async fn prompt(
        &self,
        session: &SessionId,
        prompt: Prompt,
    ) -> Result<MessageId, AgentError> {
        let shared = &self.shared;
        shared.open(session).await?;
        shared.check_idle(session)?;
        let (model, mode) = (prompt.model.clone(), prompt.mode.clone());
        let (blocks, pieces) = content::prompt(prompt, &shared.capabilities())?;
        if let Some(model) = model {
            for setting in shared.book.look(session, |entry| entry.options.set_model(&model))?? {
                shared.set(session, setting).await?;
            }
        }
        if let Some(mode) = mode
            && let Some(setting) =
                shared.book.look(session, |entry| entry.options.set_mode(&mode))??
        {
            shared.set(session, setting).await?;
        }
        let message = shared.begin_turn(session, pieces)?;
        self.meanwhile(Arc::clone(shared).turn(session.clone(), blocks));
        Ok(message)
    }

    pub(super) async fn stop(&self, session: &SessionId) -> Result<(), AgentError> {
        let turn = self.shared.book.look(session, |entry| entry.turn)?;
        let Some(turn) = turn else { return Ok(()) };
        self.shared.cancel(session).await?;
        let (shared, session) = (Arc::clone(&self.shared), session.clone());
        self.meanwhile(async move {
            for _ in 1..MOST_STOPS {
                sleep(STOP_AGAIN).await;
                if !shared.is_at_work(&session, turn) || shared.cancel(&session).await.is_err() {
                    return;
                }
            }
            sleep(STOP_AGAIN).await;
            shared.tell_of_no_stop(&session, turn);
        });
        Ok(())
    }
}

impl Shared {
    fn check_idle(&self, session: &SessionId) -> Result<(), AgentError> {
        match self.book.look(session, |entry| entry.turn)? {
            None => Ok(()),
            Some(_) => Err(AgentError::Busy { session: session.0.clone() }),
        }
    }

    fn begin_turn(&self, session: &SessionId, pieces: Vec<Piece>) -> Result<MessageId, AgentError> {
        if let Some(why) = self.book.over() {
            return Err(AgentError::NotRunning { agent: self.book.agent.clone(), why });
        }
        self.book.change(session, |entry, now, events| {
            if entry.turn.is_some() {
                return Err(AgentError::Busy { session: session.0.clone() });
            }
            entry.turns += 1;
            entry.turn = Some(entry.turns);
            let message = entry.history.prompt(pieces, now, events);
            events.push(entry.status());
            Ok(message)
        })?
    }

    async fn turn(self: Arc<Self>, session: SessionId, prompt: Vec<ContentBlock>) {
        let request = PromptRequest::new(session.0.clone(), prompt);
        let answer = self.peer.call(METHODS.session_prompt, &request, None).await;
        self.take_back(&session).await;
        self.end_turn(&session, answer);
    }

    fn end_turn(&self, session: &SessionId, answer: Result<PromptResponse, CallError>) {
        let (finish, failure, usage) = match answer {
            Ok(answer) => (Some(answer.stop_reason), stopped(answer.stop_reason), answer.usage),
            Err(error) => (None, Some(failure::of_turn(error, &self.book.agent)), None),
        };
        let usage = usage.map(|usage| Usage {
            input: usage.input_tokens,
            output: usage.output_tokens,
            reasoning: usage.thought_tokens.unwrap_or(0),
            cache_read: usage.cached_read_tokens.unwrap_or(0),
            cache_write: usage.cached_write_tokens.unwrap_or(0),
        });
        let ended = self.book.change(session, |entry, now, events| {
            let told = failure.clone();
            let change = |info: &mut crate::model::MessageInfo| {
                info.finish = finish.map(|reason| word(reason).to_owned());
                info.failure = told;
                info.usage = usage.or(info.usage);
            };
            entry.history.end_turn(change, now, events);
            entry.turn = None;
            if let Some(failure) = failure {
                events.push(Event::Error { session_id: Some(session.clone()), failure });
            }
            events.push(entry.status());
        });
        // A session that was deleted meanwhile has nothing to end.
        drop(ended);
    }

    fn is_at_work(&self, session: &SessionId, turn: u64) -> bool {
        self.book.look(session, |entry| entry.turn) == Ok(Some(turn))
    }

    fn tell_of_no_stop(&self, session: &SessionId, turn: u64) {
        if !self.is_at_work(session, turn) {
            return;
        }
        let (agent, seconds) = (&self.book.agent, (STOP_AGAIN * MOST_STOPS).as_secs());
        let message = format!("{agent} did not stop within {seconds} s; end it if it has to stop");
        let failure = book::failure(FailureKind::Other, "not_stopped", &message);
        self.book.tell(Event::Error { session_id: Some(session.clone()), failure });
    }
}

/// Why a turn ended, if not because all was said.
fn stopped(reason: StopReason) -> Option<Failure> {
    let (kind, message) = match reason {
        StopReason::EndTurn => return None,
        StopReason::MaxTokens => (FailureKind::OutputLength, "the model wrote as much as it may"),
        StopReason::MaxTurnRequests => {
            (FailureKind::Other, "the agent asked the model as often as it may in one turn")
        }
        StopReason::Refusal => (FailureKind::ContentFilter, "the model refused to go on"),
        StopReason::Cancelled => (FailureKind::Aborted, "it was stopped"),
        _ => (FailureKind::Other, "the agent ended the turn for a reason that is not known"),
    };
    Some(book::failure(kind, word(reason), message))
}

fn word(reason: StopReason) -> &'static str {
    match reason {
        StopReason::EndTurn => "end_turn",
        StopReason::MaxTokens => "max_tokens",
        StopReason::MaxTurnRequests => "max_turn_requests",
        StopReason::Refusal => "refusal",
        StopReason::Cancelled => "cancelled",
        _ => "unknown",
    }
}
