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

impl CallerKind {
    /// Its word for readers.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Agent => "agent",
            Self::Script => "script",
            Self::Bridge => "bridge",
        }
    }
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

    /// A caller with a name; odd characters are dropped, because names end up in logs and pages. Agents choose their
    /// names: one that would pass for somebody else is told to be an agent's.
    pub fn new(kind: CallerKind, id: &str, session: Option<&str>) -> Self {
        let mut id = clean(id);
        if kind == CallerKind::Agent && is_of_others(&id) {
            id = clean(&format!("agent {}", id.trim()));
        }
        Self { kind, id, session: session.map(clean).filter(|s| !s.is_empty()) }
    }

    /// What limits, queues and history are kept by.
    pub fn key(&self) -> String {
        format!("{:?}:{}:{}", self.kind, self.id, self.session.as_deref().unwrap_or_default())
    }
}

/// Names under which people, scripts and the server itself are known, as they are compared.
const OF_OTHERS: [&str; 19] = [
    "bridge",
    "browser",
    "cli",
    "commandline",
    "http",
    "human",
    "me",
    "nobody",
    "onetimepage",
    "openspace",
    "owner",
    "page",
    "people",
    "person",
    "script",
    "server",
    "theperson",
    "user",
    "you",
];

/// Whether a name is read as that of somebody who is no agent, whatever signs stand in it.
fn is_of_others(name: &str) -> bool {
    let letters: String = name.chars().filter(|c| c.is_alphanumeric()).collect();
    OF_OTHERS.contains(&letters.to_lowercase().as_str())
}

fn clean(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | ':' | '/' | '@'))
        .take(Caller::MAX_NAME)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_has_no_name_that_passes_for_somebody_else() {
        let name = |kind, id| Caller::new(kind, id, None).id;
        for (given, told) in [
            ("cli", "agent cli"),
            (" CLI", "agent CLI"),
            ("c.l.i", "agent c.l.i"),
            ("Person", "agent Person"),
            ("one-time page", "agent one-time page"),
            ("\u{202e}browser", "agent browser"),
            ("claude-cli", "claude-cli"),
            ("opencode", "opencode"),
        ] {
            assert_eq!(name(CallerKind::Agent, given), told);
        }
        assert_eq!(name(CallerKind::Person, "cli"), "cli");
        assert_eq!(name(CallerKind::Script, "cli"), "cli");
    }
}
