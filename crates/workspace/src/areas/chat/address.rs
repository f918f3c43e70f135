//! Which session is meant: `AGENT/SESSION`, or the id of a session alone, which is the default agent's.

use std::{fmt, sync::Arc};

use openspace_agents::{Agent, model::SessionId};
use openspace_command::{CallerKind, Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MAX_WORD;
use crate::{Cx, OpenSpace};

/// A session of an agent.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "ChatAddress")]
pub struct SessionAddress {
    /// The agent's id, such as `opencode`.
    pub agent: String,
    /// The session's id, as its agent gave it.
    pub session_id: SessionId,
}

impl fmt::Display for SessionAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.agent, self.session_id)
    }
}

/// A session, and the agent that is asked about it.
pub(super) struct Found {
    pub(super) address: SessionAddress,
    pub(super) agent: Arc<dyn Agent>,
}

/// The agent that is meant, which need not run.
pub(super) async fn agent_id(state: &OpenSpace, named: Option<&str>) -> Result<String> {
    match named {
        Some(id) => Ok(id.to_owned()),
        None => state.conversations().default_agent().await.ok_or_else(|| {
            Error::conflict("no agent is installed")
                .hint("chat_agents says which there are and how to install one")
        }),
    }
}

/// The address that is meant. Whether there is such a session is its agent's to say.
pub async fn address(state: &OpenSpace, named: &str) -> Result<SessionAddress> {
    if named.is_empty() || named.len() > MAX_WORD || named.chars().any(char::is_control) {
        return Err(Error::invalid("argument `session`: is no `AGENT/SESSION`")
            .hint("chat_sessions lists the sessions"));
    }
    // What stands before the first slash is an agent: ids of sessions with a slash are given with their agent.
    let (agent, session) = match named.split_once('/') {
        Some((agent, session)) => (agent.to_owned(), session),
        None => (agent_id(state, None).await?, named),
    };
    if session.is_empty() || agent.is_empty() {
        return Err(Error::invalid("argument `session`: names no session of an agent")
            .hint("chat_sessions lists the sessions"));
    }
    Ok(SessionAddress { agent, session_id: session.into() })
}

/// What notes are kept under: a session, or `AGENT/` for the next new one of an agent.
pub(super) async fn note_key(
    state: &OpenSpace,
    session: Option<&str>,
    agent: Option<&str>,
) -> Result<String> {
    if let Some(session) = session {
        return Ok(address(state, session).await?.to_string());
    }
    let agent = agent_id(state, agent).await?;
    if agent.is_empty() || agent.len() > MAX_WORD || agent.contains(char::is_control) {
        return Err(Error::invalid("argument `agent`: is no id of an agent"));
    }
    Ok(format!("{agent}/"))
}

/// The same where nobody was asked: what an agent wants does not start another one. What is started reads settings
/// and plugins of the workspace, which the agent may have written, and has the person's log-ins.
pub(super) async fn find_running(cx: &Cx, named: &str) -> Result<Found> {
    let address = address(&cx.state, named).await?;
    let agent = running(cx, &address.agent).await?;
    Ok(Found { address, agent })
}

/// An agent, started if it does not run, but for another agent.
pub(super) async fn running(cx: &Cx, id: &str) -> Result<Arc<dyn Agent>> {
    let conversations = cx.state.conversations();
    let is_other = matches!(cx.caller.kind, CallerKind::Agent | CallerKind::Bridge);
    if is_other && !conversations.is_running(id) {
        return Err(Error::conflict(format!(
            "`{id}` does not run, and no agent starts it unasked"
        ))
        .hint("chat_start_agent asks the person"));
    }
    conversations.agent(id).await
}

/// The session that is meant, with its agent, which is started if it does not run.
pub(super) async fn find(state: &OpenSpace, named: &str) -> Result<Found> {
    let address = address(state, named).await?;
    let agent = state.conversations().agent(&address.agent).await?;
    Ok(Found { address, agent })
}
