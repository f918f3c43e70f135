//! An agent that somebody hands in: it runs already, and nobody here started it.

use std::sync::Arc;

use openspace_agents::Agent;

use super::{Confined, Conversations, start::Started};

/// Why one that is handed in is not confined.
const HANDED_WHY: &str = "it was handed in, and whoever did so knows where it runs";

impl Conversations {
    /// Talk to this agent under the id of one that is known, instead of the one that would be started. Tests hand in
    /// agents that do what the test says.
    pub fn hand_in(self: &Arc<Self>, id: &str, agent: Arc<dyn Agent>) {
        let slot = self.slot(id);
        let started = Started {
            agent,
            confined: Confined::no(HANDED_WHY),
            program: None,
            silence: Box::new(|_| {}),
            calls: Arc::default(),
            note: None,
            _key: None,
        };
        self.runs(id, &slot, started, self.way(id));
    }
}
