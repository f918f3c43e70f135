//! What pages and the server say to each other about conversations, and the queue to each page.
//!
//! A page hears of all agents and of what sessions do; the words of a conversation it hears only of the sessions that it
//! follows. Nothing is said here: that is a command, on record. A page that is too slow loses what waits for it and is told
//! `gap` and how everything is now; it never holds up an agent or another page.

use std::{
    collections::{HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use openspace_agents::{
    Event,
    model::{PermissionRequest, QuestionRequest, StatusOfSession},
};
use openspace_command::Error;
use openspace_protocol::ErrorKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use super::SessionAddress;
use crate::conversations::AgentState;

/// Sessions that one page may follow.
pub const MOST_FOLLOWED: usize = 32;
/// Pages that may listen at once; the oldest is let go for another.
const MOST_PAGES: usize = 64;
/// Messages that may wait for a page.
const MOST_WAITING: usize = 4_096;
/// Bytes that may wait for a page.
const MOST_WAITING_BYTES: usize = 32 * 1024 * 1024;

/// What a page says.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum FromChatPage {
    /// Tell everything of these sessions from now on, and of no other. Answered by `following`.
    Follow {
        /// The sessions, at most 32.
        sessions: Vec<SessionAddress>,
    },
}

/// What a page is told.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum ToChatPage {
    /// The agents there are. Told first, and whenever one changes.
    Agents {
        /// Each, as it is now.
        agents: Vec<AgentState>,
        /// The one that is meant where none is named.
        default_agent: Option<String>,
    },
    /// What the sessions of an agent do. Told of each agent that runs, when the page comes and after a gap.
    Standing {
        /// Which agent.
        agent: String,
        /// Sessions that are not idle; all others are.
        statuses: Vec<StatusOfSession>,
        /// Requests for permission that wait.
        permissions: Vec<PermissionRequest>,
        /// Questions that wait.
        questions: Vec<QuestionRequest>,
    },
    /// From here on everything of these sessions is told. What was said before is read with `chat.messages`.
    Following {
        /// The sessions.
        sessions: Vec<SessionAddress>,
        /// The number of the last event that was told before.
        number: u64,
    },
    /// An agent told something.
    Told {
        /// Which agent.
        agent: String,
        /// The number of the event, which only grows. What `chat.messages` gives has all events up to a number in it:
        /// leave those out.
        number: u64,
        /// What it told.
        event: Arc<Event>,
    },
    /// What is shown may be old: read it again.
    Gap {
        /// Of which agent; of all when missing.
        agent: Option<String>,
        /// Why.
        why: String,
        /// The number of the last event before.
        number: u64,
    },
    /// What the page said was not done.
    Error {
        /// Why.
        error: String,
        /// What a program branches on.
        kind: ErrorKind,
        /// What to try next.
        hint: Option<String>,
    },
}

impl ToChatPage {
    /// A failure in words for a page.
    pub fn failure(error: &Error) -> Self {
        let hint = error.hint.clone();
        Self::Error { error: error.message.clone(), kind: error.kind, hint }
    }

    /// As it is sent.
    pub(super) fn text(&self) -> Option<Arc<str>> {
        match serde_json::to_string(self) {
            Ok(text) => Some(text.into()),
            Err(error) => {
                tracing::error!(%error, "pages cannot be told of a conversation");
                None
            }
        }
    }
}

/// Which session an event is about, if about one.
pub fn session_of(event: &Event) -> Option<&openspace_agents::model::SessionId> {
    match event {
        Event::Gap { .. } | Event::Connection { .. } | Event::CatalogueChanged { .. } => None,
        Event::SessionCreated { session } | Event::SessionUpdated { session } => Some(&session.id),
        Event::MessageUpdated { message } => Some(&message.session_id),
        Event::PartUpdated { part } => Some(&part.session_id),
        Event::PermissionAsked { request } => Some(&request.session_id),
        Event::QuestionAsked { request } => Some(&request.session_id),
        Event::SessionDeleted { session_id }
        | Event::Status { session_id, .. }
        | Event::MessageRemoved { session_id, .. }
        | Event::TextDelta { session_id, .. }
        | Event::PartRemoved { session_id, .. }
        | Event::PermissionAnswered { session_id, .. }
        | Event::QuestionAnswered { session_id, .. }
        | Event::Todos { session_id, .. }
        | Event::Diff { session_id, .. }
        | Event::Compacted { session_id } => Some(session_id),
        Event::Error { session_id, .. } | Event::Other { session_id, .. } => session_id.as_ref(),
    }
}

/// Whether only those hear of it who follow its session: the words of a conversation.
fn is_for_followers(event: &Event) -> bool {
    matches!(
        event,
        Event::MessageUpdated { .. }
            | Event::MessageRemoved { .. }
            | Event::PartUpdated { .. }
            | Event::TextDelta { .. }
            | Event::PartRemoved { .. }
            | Event::Todos { .. }
            | Event::Diff { .. }
            | Event::Other { .. }
    )
}

/// The pages that listen.
#[derive(Debug, Default)]
pub(super) struct Pages {
    listening: Mutex<Vec<Weak<Queue>>>,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    more: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    messages: VecDeque<Arc<str>>,
    bytes: usize,
    followed: HashSet<SessionAddress>,
    /// Messages were thrown away, and the page does not know yet.
    has_lost: bool,
    is_closed: bool,
}

impl Pages {
    /// Another page listens.
    pub(super) fn join(&self) -> Page {
        let queue = Arc::new(Queue::default());
        let mut listening = locked(&self.listening);
        listening.retain(|known| known.strong_count() > 0);
        if listening.len() >= MOST_PAGES
            && let Some(oldest) = listening.remove(0).upgrade()
        {
            oldest.close();
        }
        listening.push(Arc::downgrade(&queue));
        Page { queue }
    }

    /// Tell all pages something.
    pub(super) fn tell(&self, message: &ToChatPage) {
        self.put(|| message.text(), |_| true);
    }

    /// Tell of an event those whom it is for.
    pub(super) fn tell_event(&self, agent: &str, event: &Arc<Event>, number: u64) {
        let followed = is_for_followers(event).then(|| session_of(event).cloned()).flatten();
        let address = followed.map(|session_id| SessionAddress { agent: agent.into(), session_id });
        let told = || {
            let (agent, event) = (agent.to_owned(), Arc::clone(event));
            ToChatPage::Told { agent, number, event }.text()
        };
        self.put(told, |waiting| match &address {
            Some(address) => waiting.followed.contains(address),
            None => !is_for_followers(event),
        });
    }

    /// The text is made once, and only if somebody wants it.
    fn put(&self, text: impl FnOnce() -> Option<Arc<str>>, wants: impl Fn(&Waiting) -> bool) {
        let queues: Vec<_> = locked(&self.listening).iter().filter_map(Weak::upgrade).collect();
        let wanting = |queue: &Arc<Queue>| wants(&locked(&queue.waiting));
        let queues: Vec<_> = queues.into_iter().filter(wanting).collect();
        if queues.is_empty() {
            return;
        }
        let Some(text) = text() else { return };
        for queue in queues {
            queue.push(Arc::clone(&text));
        }
    }

    /// Nothing more is told.
    pub(super) fn close(&self) {
        for queue in locked(&self.listening).iter().filter_map(Weak::upgrade) {
            queue.close();
        }
    }
}

impl Queue {
    fn push(&self, text: Arc<str>) {
        let mut waiting = locked(&self.waiting);
        if waiting.is_closed {
            return;
        }
        if waiting.messages.len() >= MOST_WAITING || waiting.bytes + text.len() > MOST_WAITING_BYTES
        {
            // What waits is useless without what is lost now, and so is this message.
            waiting.messages = VecDeque::new();
            waiting.bytes = 0;
            waiting.has_lost = true;
        } else {
            waiting.bytes += text.len();
            waiting.messages.push_back(text);
        }
        self.more.notify_one();
    }

    fn close(&self) {
        locked(&self.waiting).is_closed = true;
        self.more.notify_one();
    }
}

/// What is next for a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// A message as it is sent.
    Text(Arc<str>),
    /// It was too slow, and what waited is gone: it has to be told anew how everything is.
    Lost,
}

/// A page that listens, until this is dropped.
#[derive(Debug)]
pub struct Page {
    queue: Arc<Queue>,
}

impl Page {
    /// What is next; `None` when the page is let go. Nothing is lost when this is given up before it is done.
    pub async fn next(&self) -> Option<Next> {
        loop {
            {
                let mut waiting = locked(&self.queue.waiting);
                if std::mem::take(&mut waiting.has_lost) {
                    return Some(Next::Lost);
                }
                if let Some(text) = waiting.messages.pop_front() {
                    waiting.bytes -= text.len();
                    return Some(Next::Text(text));
                }
                if waiting.is_closed {
                    return None;
                }
            }
            self.queue.more.notified().await;
        }
    }

    /// Tell this page alone.
    pub fn tell(&self, message: &ToChatPage) {
        if let Some(text) = message.text() {
            self.queue.push(text);
        }
    }

    /// Hear of these sessions, and of no other.
    pub(super) fn follow(&self, sessions: impl IntoIterator<Item = SessionAddress>) {
        locked(&self.queue.waiting).followed = sessions.into_iter().collect();
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
