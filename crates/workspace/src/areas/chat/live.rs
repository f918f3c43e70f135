//! What happens in conversations right now: heard once from all agents, numbered, told to pages, and kept as far as a
//! turn goes.
//!
//! An agent may keep the text of a part to itself until it is whole, and tells it in pieces that nobody hears twice. So the
//! turn that is under way is kept here, within bounds: who comes in its middle is given what was said already, and the
//! number up to which. Nothing here outlives the server, and nothing here asks an agent.

pub mod turn;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak},
    time::Duration,
};

use openspace_agents::{
    AgentError, Event,
    model::{MessagePage, SessionStatus, StatusOfSession},
};
use openspace_host::BoxFuture;
use tokio::{sync::watch, task::AbortHandle};

use self::turn::Turn;
pub use self::turn::{Outcome, Progress};
use super::{
    SessionAddress,
    pages::{Page, Pages, ToChatPage, session_of},
};
use crate::{
    OpenSpace,
    conversations::{Conversations, Running, Told},
    services::{Base, Service},
};

/// Sessions whose turns are kept; the one that was quiet for longest is forgotten for another.
const MOST_TURNS: usize = 64;
/// How long an agent may take to say what its sessions do.
const STANDING_WITHIN: Duration = Duration::from_secs(10);

/// What happens in conversations.
pub struct Chats {
    inner: Arc<Inner>,
    listening: OnceLock<AbortHandle>,
}

struct Inner {
    pages: Pages,
    book: Mutex<Book>,
    /// The number of the last event.
    moved: watch::Sender<u64>,
}

#[derive(Default)]
struct Book {
    number: u64,
    turns: HashMap<SessionAddress, Turn>,
}

impl Service for Chats {
    fn start(_base: &Base) -> Self {
        let inner =
            Inner { pages: Pages::default(), book: Mutex::default(), moved: watch::Sender::new(0) };
        Self { inner: Arc::new(inner), listening: OnceLock::new() }
    }

    fn stop(&self) -> BoxFuture<'_, ()> {
        if let Some(listening) = self.listening.get() {
            listening.abort();
        }
        self.inner.pages.close();
        Box::pin(std::future::ready(()))
    }
}

impl Chats {
    /// What happens in the conversations of a space; it is listened to from the first time on.
    pub fn of(state: &OpenSpace) -> Arc<Self> {
        let chats = state.service::<Self>();
        chats.listening.get_or_init(|| {
            let mut told = state.conversations().subscribe();
            let (inner, conversations) =
                (Arc::clone(&chats.inner), Arc::downgrade(state.conversations()));
            let listening = async move {
                while let Some((agent, told)) = told.next().await {
                    match told {
                        Told::Event(event) => {
                            inner.event(&agent, &event);
                            if let Event::Gap { .. } = &*event {
                                tell_standing(&inner, &conversations, agent);
                            }
                        }
                        Told::State(_) => {
                            let Some(conversations) = conversations.upgrade() else { return };
                            inner.pages.tell(&agents(&conversations).await);
                        }
                    }
                }
            };
            tokio::spawn(listening).abort_handle()
        });
        chats
    }

    /// A page that listens. It has to be told how everything is.
    pub fn join(&self) -> Page {
        self.inner.pages.join()
    }

    /// Tell a page how everything is: which agents there are, and what their sessions do.
    pub async fn welcome(&self, state: &OpenSpace, page: &Arc<Page>) {
        let agents = agents(state.conversations()).await;
        page.tell(&agents);
        let ToChatPage::Agents { agents, .. } = agents else { return };
        for agent in agents.into_iter().filter(|agent| agent.state == Running::Running) {
            let (inner, page) = (Arc::clone(&self.inner), Arc::clone(page));
            let conversations = Arc::clone(state.conversations());
            // An agent that is slow to say it holds up nobody.
            tokio::spawn(async move {
                if let Some(standing) = inner.standing(&conversations, &agent.id).await {
                    page.tell(&standing);
                }
            });
        }
    }

    /// A page hears of these sessions from here on.
    pub fn follow(&self, page: &Page, sessions: Vec<SessionAddress>) {
        // Under the lock, so that no event is told in between.
        let book = self.inner.book();
        page.follow(sessions.iter().cloned());
        page.tell(&ToChatPage::Following { sessions, number: book.number });
    }

    /// The number of the last event, told to a page that lost some.
    pub fn tell_gap(&self, page: &Page, why: &str) {
        let number = self.inner.book().number;
        page.tell(&ToChatPage::Gap { agent: None, why: why.to_owned(), number });
    }

    /// Put what was told since into messages as their agent gave them, and say up to which event they are complete.
    pub fn complete(
        &self,
        address: &SessionAddress,
        page: &mut MessagePage,
        is_newest: bool,
    ) -> u64 {
        let book = self.inner.book();
        if let Some(turn) = book.turns.get(address) {
            turn.complete(page, is_newest);
        }
        book.number
    }

    /// How far the turn is that a message of the person began.
    pub fn progress(&self, address: &SessionAddress) -> Progress {
        self.inner.book().turns.get(address).map(Turn::progress).unwrap_or_default()
    }

    /// Moves with every event.
    pub fn moved(&self) -> watch::Receiver<u64> {
        self.inner.moved.subscribe()
    }
}

/// Tell all pages what the sessions of an agent do, once it has said it.
fn tell_standing(inner: &Arc<Inner>, conversations: &Weak<Conversations>, agent: String) {
    let (inner, conversations) = (Arc::clone(inner), Weak::clone(conversations));
    tokio::spawn(async move {
        let Some(conversations) = conversations.upgrade() else { return };
        if let Some(standing) = inner.standing(&conversations, &agent).await {
            inner.pages.tell(&standing);
        }
    });
}

/// The agents there are, as pages are told.
async fn agents(conversations: &Conversations) -> ToChatPage {
    ToChatPage::Agents {
        agents: conversations.agents().await,
        default_agent: conversations.default_agent().await,
    }
}

impl Inner {
    /// What the sessions of an agent that runs do, as it says when it is asked; nothing when it does not say it.
    async fn standing(
        &self,
        conversations: &Arc<Conversations>,
        agent: &str,
    ) -> Option<ToChatPage> {
        let before = self.book().number;
        let asking = async {
            let asked = conversations.agent(agent).await.ok()?;
            let (statuses, permissions, questions) =
                tokio::join!(asked.statuses(), asked.permissions(), asked.questions());
            let questions = match questions {
                Err(AgentError::Unsupported { .. }) => Vec::new(),
                questions => questions.ok()?,
            };
            Some((statuses.ok()?, permissions.ok()?, questions))
        };
        let asked = tokio::time::timeout(STANDING_WITHIN, asking).await.ok().flatten();
        let Some((mut statuses, permissions, questions)) = asked else {
            tracing::debug!(agent, "an agent does not say what its sessions do");
            return None;
        };
        // What was told while it was asked is newer than what it said.
        let book = self.book();
        for (address, turn) in book.turns.iter().filter(|(address, _)| address.agent == agent) {
            if let Some(status) = turn.progress().status.filter(|_| turn.touched() > before) {
                statuses.retain(|one| one.session_id != address.session_id);
                if status != (SessionStatus::Idle {}) {
                    let session_id = address.session_id.clone();
                    statuses.push(StatusOfSession { session_id, status });
                }
            }
        }
        Some(ToChatPage::Standing { agent: agent.to_owned(), statuses, permissions, questions })
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn event(&self, agent: &str, event: &Arc<Event>) {
        let mut book = self.book();
        book.number += 1;
        let number = book.number;
        book.apply(agent, event, number);
        // Told under the lock: whoever follows from a number on hears all that comes after it.
        match &**event {
            Event::Gap { why } => {
                let (agent, why) = (Some(agent.to_owned()), why.clone());
                self.pages.tell(&ToChatPage::Gap { agent, why, number });
            }
            _ => self.pages.tell_event(agent, event, number),
        }
        drop(book);
        self.moved.send_replace(number);
    }
}

impl Book {
    fn apply(&mut self, agent: &str, event: &Event, number: u64) {
        match event {
            // What is known of its turns may lack something now.
            Event::Gap { .. } | Event::Connection { connected: false, .. } => {
                self.turns.retain(|address, turn| address.agent != agent || turn.break_off());
            }
            Event::SessionDeleted { session_id } => {
                let session_id = session_id.clone();
                self.turns.remove(&SessionAddress { agent: agent.to_owned(), session_id });
            }
            event => {
                let Some(session_id) = session_of(event).cloned() else { return };
                let address = SessionAddress { agent: agent.to_owned(), session_id };
                if !self.turns.contains_key(&address) {
                    self.make_room();
                }
                self.turns.entry(address).or_default().apply(event, number);
            }
        }
    }

    fn make_room(&mut self) {
        if self.turns.len() < MOST_TURNS {
            return;
        }
        let quietest = self.turns.iter().min_by_key(|(_, turn)| turn.touched());
        if let Some(quietest) = quietest.map(|(address, _)| address.clone()) {
            self.turns.remove(&quietest);
        }
    }
}
