//! What an agent says why it did not do something, in words for a caller: the kind, the sentence, the next step.

use openspace_agents::{AgentError, Thing};
use openspace_command::{Error, ErrorKind};

/// Put a failure of an agent into words for a caller.
#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` hands over")]
pub fn refused(error: AgentError) -> Error {
    let message = error.to_string();
    match error {
        AgentError::NotRunning { .. } => Error::new(ErrorKind::Lost, message)
            .hint("whether it was done is unknown; chat_agents says how the agent is, and the next call starts it again"),
        AgentError::NotAllowed { .. } => Error::denied(message)
            .hint("log in with chat_log_in, or with the agent's own program; chat_agents says how"),
        AgentError::Refused { .. } => Error::conflict(message),
        AgentError::NotFound { what, .. } => Error::not_found(message).hint(match what {
            Thing::Session => "chat_sessions lists the sessions of an agent",
            Thing::Message => "chat_read says which messages there are",
            Thing::Model => "chat_models lists the models",
            Thing::Provider => "chat_providers lists who offers models",
            Thing::Mode => "chat_modes lists the ways of working",
            Thing::Command => "chat_commands lists the slash commands",
            Thing::Permission | Thing::Question => "it was answered, or nobody waits for it any more",
        }),
        AgentError::Busy { .. } => {
            Error::conflict(message).hint("chat_wait waits until it is idle, chat_abort stops it")
        }
        AgentError::Unsupported { .. } => Error::new(ErrorKind::Unsupported, message)
            .hint("chat_agents says what each agent can do"),
        AgentError::TimedOut { .. } => Error::new(ErrorKind::TimedOut, message)
            .hint("whether it was done is unknown: look before you try again"),
        AgentError::Protocol { .. } => Error::new(ErrorKind::Lost, message)
            .hint("the agent may be of a version that is not known here; chat_agents says more"),
        AgentError::TooLarge { .. } | AgentError::Invalid { .. } => Error::invalid(message),
    }
}
