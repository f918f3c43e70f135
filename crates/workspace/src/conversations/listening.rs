//! Hearing what all agents tell, and how they are, as one stream.
//!
//! Each agent keeps what was not heard yet, with a bound; nothing is kept twice. Whoever is too slow, and
//! whoever hears an agent for the first time or again after a new start, is told of a gap: read then what you
//! show.

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    sync::{Arc, Weak},
    task::Poll,
};

use openspace_agents::{Event, Subscription};
use tokio::sync::{broadcast, watch};

use super::{AgentState, Conversations};

/// What is heard.
#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    /// Something that the agent tells.
    Event(Arc<Event>),
    /// How the agent is now.
    State(Box<AgentState>),
}

/// Somebody who hears.
pub struct Listening {
    pub(super) conversations: Weak<Conversations>,
    pub(super) changes: broadcast::Receiver<AgentState>,
    /// Moves whenever an agent can be heard anew.
    pub(super) starts: watch::Receiver<u64>,
    pub(super) heard: Vec<Heard>,
}

/// An agent that is heard.
pub(super) struct Heard {
    pub(super) agent: String,
    /// Which start of it.
    pub(super) start: u64,
    pub(super) stream: Subscription,
}

enum Next {
    Changed(Result<Box<AgentState>, broadcast::error::RecvError>),
    Started(bool),
    Told(usize, Option<Arc<Event>>),
}

impl Listening {
    /// The next of it, with the agent's id; `None` when no more will come. Nothing is lost when the future is
    /// dropped.
    pub async fn next(&mut self) -> Option<(String, Told)> {
        loop {
            if let Some(gap) = self.hear_new() {
                return Some(gap);
            }
            match self.either().await {
                Next::Changed(Ok(state)) => {
                    return Some((state.id.clone(), Told::State(state)));
                }
                Next::Changed(Err(broadcast::error::RecvError::Lagged(_))) => {
                    // What was missed is how agents are: hear all of them anew.
                    self.heard.clear();
                    self.starts.mark_changed();
                }
                Next::Changed(Err(broadcast::error::RecvError::Closed)) | Next::Started(false) => {
                    return None;
                }
                Next::Started(true) => {}
                Next::Told(index, Some(event)) => {
                    let agent = self.heard[index].agent.clone();
                    // Who told something is asked last the next time: nobody drowns the others.
                    self.heard.rotate_left(index + 1);
                    return Some((agent, Told::Event(event)));
                }
                Next::Told(index, None) => {
                    self.heard.remove(index);
                }
            }
        }
    }

    /// Begin to hear an agent that is not heard yet in this start of it.
    fn hear_new(&mut self) -> Option<(String, Told)> {
        if !self.starts.has_changed().unwrap_or(false) {
            return None;
        }
        let running = self.conversations.upgrade()?.running();
        self.heard.retain(|heard| {
            running.iter().any(|(agent, start, _)| *agent == heard.agent && *start == heard.start)
        });
        let is_heard = |agent: &str| self.heard.iter().any(|heard| heard.agent == agent);
        let Some((agent, start, it)) = running.into_iter().find(|(agent, ..)| !is_heard(agent))
        else {
            self.starts.mark_unchanged();
            return None;
        };
        self.heard.push(Heard { agent: agent.clone(), start, stream: it.subscribe() });
        let why = "this agent is heard from now on".to_owned();
        Some((agent, Told::Event(Arc::new(Event::Gap { why }))))
    }

    /// Whatever comes first.
    async fn either(&mut self) -> Next {
        type Coming<'a> = Pin<Box<dyn Future<Output = Next> + Send + 'a>>;
        let Self { changes, starts, heard, .. } = self;
        let mut coming: Vec<Coming<'_>> = vec![
            Box::pin(async { Next::Changed(changes.recv().await.map(Box::new)) }),
            Box::pin(async {
                let is_there = starts.changed().await.is_ok();
                // It is looked at again who is heard.
                starts.mark_changed();
                Next::Started(is_there)
            }),
        ];
        for (index, one) in heard.iter_mut().enumerate() {
            coming.push(Box::pin(async move { Next::Told(index, one.stream.next().await) }));
        }
        poll_fn(|cx| {
            for one in &mut coming {
                if let Poll::Ready(next) = one.as_mut().poll(cx) {
                    return Poll::Ready(next);
                }
            }
            Poll::Pending
        })
        .await
    }
}
