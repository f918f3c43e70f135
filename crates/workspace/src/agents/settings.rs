//! How agents are looked after. Set when the server starts; no command changes it.

use std::time::Duration;

/// How agents are looked after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentSettings {
    /// How long an agent may be quiet before what it brought goes; for ever if none.
    pub idle: Option<Duration>,
    /// How long what an agent brought stays after its session ended: it may only reconnect.
    pub grace: Duration,
    /// Whether somebody has to agree before an agent does more than look.
    pub consent: ConsentMode,
}

impl Default for AgentSettings {
    fn default() -> Self {
        Self {
            idle: Some(Duration::from_mins(30)),
            grace: Duration::from_mins(1),
            consent: ConsentMode::Given,
        }
    }
}

/// Whether somebody has to agree before an agent does more than look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConsentMode {
    /// Everybody who starts the server so agrees to every client, until they take it back.
    Given,
    /// Each client has to be agreed to; its call waits so long for that.
    Ask {
        /// How long a call waits.
        patience: Duration,
    },
}

impl ConsentMode {
    /// How long a call waits for somebody to agree, when nothing else is said.
    pub const PATIENCE: Duration = Duration::from_mins(1);
}
