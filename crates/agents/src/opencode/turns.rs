//! Requests that opencode answers when a turn is over, for those who want to know only that it began.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::{Inner, http::Ask, locked};
use crate::{AgentError, Event};

/// Turns that are waited for at the same time.
const MOST_TURNS: usize = 64;

impl Inner {
    /// Ask, and end when an event says that the turn began, or with the answer when that is earlier, such as a refusal. What
    /// goes wrong later is told as an event by opencode itself.
    pub(super) async fn begin(
        self: &Arc<Self>,
        ask: Ask<'static>,
        began: impl Fn(&Event) -> bool + Send,
    ) -> Result<(), AgentError> {
        let mut events = self.feed.subscribe();
        let (sender, mut answer) = oneshot::channel();
        let inner = Arc::clone(self);
        let asked = async move {
            // Whoever asked may know enough already.
            let _known = sender.send(inner.ask(ask).await.map(drop));
        };
        {
            let mut turns = locked(&self.turns);
            while turns.try_join_next().is_some() {}
            if turns.len() >= MOST_TURNS {
                let what = "the number of turns that are waited for".to_owned();
                return Err(AgentError::TooLarge { what, limit: MOST_TURNS as u64 });
            }
            turns.spawn(asked);
        }
        loop {
            tokio::select! {
                answer = &mut answer => return answer.unwrap_or_else(|_| Err(self.ended())),
                event = events.next() => match event {
                    Some(event) if began(&event) => return Ok(()),
                    Some(_) => {}
                    None => return answer.await.unwrap_or_else(|_| Err(self.ended())),
                },
            }
        }
    }

    fn ended(&self) -> AgentError {
        let agent = format!("opencode at {}", self.http.address.url());
        AgentError::NotRunning { agent, why: "the conversation was ended".to_owned() }
    }
}
