//! Who runs a command. The same checks hold for all; the record says who it was.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What kind of hands a caller has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallerKind {
    /// A person at a browser.
    Person,
    /// An AI agent, through MCP.
    Agent,
    /// A script or a person at a shell, through HTTP or the command line.
    Script,
    /// An outside program that adds commands.
    Bridge,
}

/// Who runs a command.
///
/// Limits, queues and the record are keyed by `id`. It names the caller, not the connection: a
/// client that reconnects is the same caller.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Caller {
    /// What kind of caller.
    pub kind: CallerKind,
    /// Name of the client, such as `opencode` or `cli`.
    pub id: String,
    /// The caller's own session, where it has one.
    pub session: Option<String>,
}

impl Caller {
    /// Longest name kept: callers choose their own names.
    const MAX_NAME: usize = 80;

    /// A caller with a name; odd characters are dropped, because names end up in logs and pages.
    pub fn new(kind: CallerKind, id: &str, session: Option<&str>) -> Self {
        Self { kind, id: clean(id), session: session.map(clean).filter(|s| !s.is_empty()) }
    }

    /// What limits, queues and history are kept by.
    pub fn key(&self) -> String {
        format!("{:?}:{}:{}", self.kind, self.id, self.session.as_deref().unwrap_or_default())
    }
}

fn clean(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | ':' | '/' | '@'))
        .take(Caller::MAX_NAME)
        .collect()
}
