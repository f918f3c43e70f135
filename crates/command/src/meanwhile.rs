//! The seam to whoever knows what people did since an agent's last call, so that its next answer says it.
//!
//! Nothing here knows what people do. What is told is masked with the answer that it goes with.

use serde_json::Value;

use crate::Caller;

/// The field of an answer that says it.
pub(crate) const FIELD: &str = "since_your_last_call";

/// What people did since a caller's last call.
#[derive(Clone, Debug, PartialEq)]
pub struct Since {
    /// For programs.
    pub data: Value,
    /// The same for readers, in one line.
    pub line: String,
}

/// Knows what people did.
pub trait Meanwhile: Send + Sync + 'static {
    /// What they did since the last call of this caller; nothing if that was nothing, and before the first call. It
    /// is told once.
    fn since_last_call(&self, caller: &Caller) -> Option<Since>;
}
