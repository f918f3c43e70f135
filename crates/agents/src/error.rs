//! Why an agent did not do what was asked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Ability;

/// Why an agent did not do what was asked. No text in it holds a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum AgentError {
    /// Nobody answers where the agent was said to be. It may come back.
    #[error("{agent} does not answer: {why}")]
    NotRunning {
        /// Where it was looked for.
        agent: String,
        /// What was noticed.
        why: String,
    },
    /// It wants a password or a log-in, and has none or a wrong one from us.
    #[error("{agent} wants to know who asks: {why}")]
    NotAllowed {
        /// Which agent.
        agent: String,
        /// What it said.
        why: String,
    },
    /// The agent said no.
    #[error("the agent refused (status {status}): {message}")]
    Refused {
        /// The status of its answer.
        status: u16,
        /// Its words.
        message: String,
    },
    /// The thing named does not exist (any more).
    #[error("there is no {what} `{id}`")]
    NotFound {
        /// What was looked for.
        what: Thing,
        /// By which id.
        id: String,
    },
    /// It works on something that must end first.
    #[error("the session `{session}` is busy: wait until it is idle, or stop it")]
    Busy {
        /// The session.
        session: String,
    },
    /// This agent has no such ability.
    #[error("this agent cannot do that ({what}): {why}")]
    Unsupported {
        /// What was asked for.
        what: Ability,
        /// Why it is not there.
        why: String,
    },
    /// No answer came in time.
    #[error("no answer to `{what}` within {after_ms} ms")]
    TimedOut {
        /// What was asked.
        what: String,
        /// How long we waited.
        after_ms: u64,
    },
    /// The agent said something that we do not understand.
    #[error("the answer to `{what}` is not understood: {why}")]
    Protocol {
        /// What was asked.
        what: String,
        /// What is wrong with the answer.
        why: String,
    },
    /// Something is larger than its bound, and was neither sent nor read.
    #[error("{what} is too large: more than {limit} bytes")]
    TooLarge {
        /// What.
        what: String,
        /// What is allowed.
        limit: u64,
    },
    /// What was asked makes no sense.
    #[error("{what} is not valid: {why}")]
    Invalid {
        /// What.
        what: String,
        /// Why.
        why: String,
    },
}

/// What can be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Thing {
    /// A session.
    Session,
    /// A message of a session.
    Message,
    /// A request for permission that waits.
    Permission,
    /// A question that waits.
    Question,
    /// A model.
    Model,
    /// A way of working, which some call an agent.
    Mode,
    /// A slash command.
    Command,
    /// A provider of models.
    Provider,
}

impl std::fmt::Display for Thing {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Session => "session",
            Self::Message => "message",
            Self::Permission => "request for permission",
            Self::Question => "question",
            Self::Model => "model",
            Self::Mode => "mode",
            Self::Command => "slash command",
            Self::Provider => "provider",
        })
    }
}
