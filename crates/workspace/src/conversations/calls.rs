//! Which session a call of our tools belongs to: the one that works, or the one whose call is told to be under way.
//!
//! A call comes with the agent's key and no session. What the agent tells says which of its sessions work and
//! which tools they call with which arguments. Where that does not leave exactly one, the session is not known:
//! it is never guessed.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use openspace_agents::{
    Event,
    model::{PartContent, PartId, SessionId, SessionStatus, StatusOfSession, ToolState},
};
use serde_json::Value;
use tokio::{
    sync::Notify,
    time::{Instant, timeout_at},
};

/// Under which name an agent has our server.
const SERVER: &str = "openspace";
/// Calls that are known at once.
const MOST_CALLS: usize = 1_000;
/// Sessions that are known to work at once.
const MOST_BUSY: usize = 1_000;
/// How long a call waits for the agent to tell of it: both are on their way at the same moment.
const TOLD_WITHIN: Duration = Duration::from_secs(1);

/// What the sessions of one agent do now.
#[derive(Default)]
pub(super) struct Calls {
    known: Mutex<Known>,
    told: Notify,
}

#[derive(Default)]
struct Known {
    busy: BTreeSet<SessionId>,
    calls: BTreeMap<PartId, UnderWay>,
}

/// A call of a tool that is under way.
struct UnderWay {
    session: SessionId,
    tool: String,
    input: Value,
}

/// Whose call it is.
enum Looked {
    One(SessionId),
    Several,
    /// Nothing was told of it yet.
    NotTold,
}

impl Calls {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The agent told something. Says which session began to work with it.
    pub(super) fn hear(&self, event: &Event) -> Option<SessionId> {
        let mut known = self.known();
        let began = match event {
            Event::Status { session_id, status: SessionStatus::Idle {} }
            | Event::SessionDeleted { session_id } => {
                known.busy.remove(session_id);
                known.calls.retain(|_, call| call.session != *session_id);
                None
            }
            Event::Status { session_id, .. } if known.busy.len() < MOST_BUSY => {
                known.busy.insert(session_id.clone()).then(|| session_id.clone())
            }
            Event::PartUpdated { part } => {
                let PartContent::Tool { call } = &part.content else { return None };
                let is_over = matches!(call.state, ToolState::Completed | ToolState::Failed);
                // Arguments that were cut cannot be compared.
                if is_over || call.input_left_out > 0 {
                    known.calls.remove(&part.id);
                } else if known.calls.len() < MOST_CALLS {
                    let (session, tool) = (part.session_id.clone(), call.tool.clone());
                    let under_way = UnderWay { session, tool, input: call.input.clone() };
                    known.calls.insert(part.id.clone(), under_way);
                }
                None
            }
            _ => None,
        };
        drop(known);
        self.told.notify_waiters();
        began
    }

    /// What was told before is not known to be so any more: these sessions work.
    pub(super) fn begin_anew(&self, busy: Vec<StatusOfSession>) {
        let mut known = self.known();
        known.calls.clear();
        let busy = busy.into_iter().filter(|it| !matches!(it.status, SessionStatus::Idle {}));
        known.busy = busy.map(|it| it.session_id).take(MOST_BUSY).collect();
        drop(known);
        self.told.notify_waiters();
    }

    /// The session that a call with these arguments belongs to, if there is exactly one.
    pub(super) async fn session_of(&self, tool: &str, input: &Value) -> Option<SessionId> {
        let until = Instant::now() + TOLD_WITHIN;
        loop {
            let told = self.told.notified();
            match self.look(tool, input) {
                Looked::One(session) => return Some(session),
                Looked::Several => return None,
                Looked::NotTold => {}
            }
            if timeout_at(until, told).await.is_err() {
                return None;
            }
        }
    }

    /// Whose call this is, as far as it was told.
    fn look(&self, tool: &str, input: &Value) -> Looked {
        let known = self.known();
        if let (Some(only), 1) = (known.busy.first(), known.busy.len()) {
            return Looked::One(only.clone());
        }
        let name = presented(tool);
        let is_it = |call: &&UnderWay| call.tool == name && call.input == *input;
        let sessions: BTreeSet<&SessionId> =
            known.calls.values().filter(is_it).map(|call| &call.session).collect();
        match (sessions.first(), sessions.len()) {
            (None, _) => Looked::NotTold,
            (Some(one), 1) => Looked::One((*one).clone()),
            _ => Looked::Several,
        }
    }
}

/// The name that an agent gives to a tool of ours.
fn presented(tool: &str) -> String {
    let plain = |letter: char| match letter {
        letter if letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-') => letter,
        _ => '_',
    };
    format!("{SERVER}_{}", tool.chars().map(plain).collect::<String>())
}

#[cfg(test)]
mod tests {
    use openspace_agents::model::{MessageId, Part, ToolCall};
    use pretty_assertions::assert_eq;
    use serde_json::json;

    use super::*;

    fn busy(session: &str) -> Event {
        Event::Status { session_id: SessionId(session.into()), status: SessionStatus::Busy {} }
    }

    fn calls(session: &str, part: &str, path: &str) -> Event {
        let call = ToolCall {
            call_id: part.into(),
            tool: "openspace_editor_open".into(),
            title: None,
            state: ToolState::Running,
            input: json!({ "path": path }),
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
        let part = Part {
            id: PartId(part.into()),
            message_id: MessageId("m".into()),
            session_id: SessionId(session.into()),
            content: PartContent::Tool { call: Box::new(call) },
        };
        Event::PartUpdated { part }
    }

    #[tokio::test(start_paused = true)]
    async fn the_one_that_works_is_it_else_the_one_that_makes_this_very_call_and_else_nobody() {
        let told = Calls::default();
        let of = |path: &'static str| {
            let told = &told;
            async move { told.session_of("editor.open", &json!({ "path": path })).await.map(|it| it.0) }
        };
        assert_eq!(of("a").await, None);
        assert_eq!(told.hear(&busy("one")), Some(SessionId("one".into())));
        assert_eq!(told.hear(&busy("one")), None);
        assert_eq!(of("a").await.as_deref(), Some("one"));
        told.hear(&busy("two"));
        assert_eq!(of("a").await, None);
        told.hear(&calls("two", "p1", "a"));
        assert_eq!(of("a").await.as_deref(), Some("two"));
        assert_eq!(of("b").await, None);
        told.hear(&calls("one", "p2", "a"));
        assert_eq!(of("a").await, None);
        told.hear(&Event::SessionDeleted { session_id: SessionId("one".into()) });
        assert_eq!(of("a").await.as_deref(), Some("two"));
    }
}
