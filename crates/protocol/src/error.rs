//! The kinds of failure a program can branch on. Texts are for readers, kinds are for code.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a command did not do what was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// An argument is missing, of the wrong type, unknown or makes no sense.
    InvalidArgs,
    /// The thing named does not exist (any more).
    NotFound,
    /// The thing exists, but its state does not allow this now.
    Conflict,
    /// A person said no, or it is for others only, such as a secret file; trying again will not help.
    Denied,
    /// A rule of the policy forbids it; the error names the rule, and nobody was asked.
    Policy,
    /// Somebody has to say yes first and nobody answered in time, which is no no: the same call again
    /// picks up a late answer.
    Unanswered,
    /// This kind of thing cannot be done here.
    Unsupported,
    /// A limit on calls is reached; the same call may succeed later.
    Busy,
    /// The caller's budget for this turn is used up.
    Limit,
    /// No answer came in time.
    TimedOut,
    /// The caller took the call back.
    Cancelled,
    /// The place where the work ran is gone; whether the work was done is unknown.
    Lost,
    /// The server cannot write its own state now, and this has no worth unless it is kept.
    NotSaved,
    /// A fault of ours.
    Internal,
}

impl ErrorKind {
    /// Every kind, in the order of the documentation.
    pub const ALL: [Self; 14] = [
        Self::InvalidArgs,
        Self::NotFound,
        Self::Conflict,
        Self::Denied,
        Self::Policy,
        Self::Unanswered,
        Self::Unsupported,
        Self::Busy,
        Self::Limit,
        Self::TimedOut,
        Self::Cancelled,
        Self::Lost,
        Self::NotSaved,
        Self::Internal,
    ];

    /// The word used on every wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::InvalidArgs => "invalid_args",
            Self::NotFound => "not_found",
            Self::Conflict => "conflict",
            Self::Denied => "denied",
            Self::Policy => "policy",
            Self::Unanswered => "unanswered",
            Self::Unsupported => "unsupported",
            Self::Busy => "busy",
            Self::Limit => "limit",
            Self::TimedOut => "timed_out",
            Self::Cancelled => "cancelled",
            Self::Lost => "lost",
            Self::NotSaved => "not_saved",
            Self::Internal => "internal",
        }
    }
}
