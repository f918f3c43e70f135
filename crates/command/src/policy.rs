//! Who may do what: a table from caller and access to allow, ask or deny.
//!
//! Policy judges; only `dispatch` enforces. The table is set when the server starts and no command
//! can change it.

use openspace_protocol::{Access, Caller, CallerKind};

/// What the table says about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Run it.
    Allow,
    /// Somebody has to say yes first.
    Ask,
    /// Never.
    Deny,
}

/// The table. The first rule that matches decides; without one the call is allowed.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    rules: Vec<(Option<CallerKind>, Option<Access>, Decision)>,
}

impl Policy {
    /// Add a rule; `None` matches every kind of caller or access.
    #[must_use]
    pub fn rule(
        mut self,
        kind: Option<CallerKind>,
        access: Option<Access>,
        decision: Decision,
    ) -> Self {
        self.rules.push((kind, access, decision));
        self
    }

    /// What the table says.
    pub fn decide(&self, caller: &Caller, access: Access) -> Decision {
        self.rules
            .iter()
            .find(|(kind, class, _)| {
                kind.is_none_or(|kind| kind == caller.kind)
                    && class.is_none_or(|class| class == access)
            })
            .map_or(Decision::Allow, |(_, _, decision)| *decision)
    }
}
