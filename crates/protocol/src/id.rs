//! Ids of things in the space. Short, readable, never reused: `p3` is pane 3 for ever.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An id that is not of the form `<letter><number>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadId(pub String);

macro_rules! numbered_id {
    ($(#[$doc:meta])* $name:ident, $letter:literal, $pattern:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(into = "String", try_from = "String")]
        #[schemars(with = "String", extend("pattern" = $pattern))]
        pub struct $name(pub u64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}{}", $letter, self.0)
            }
        }

        impl FromStr for $name {
            type Err = BadId;

            fn from_str(text: &str) -> Result<Self, BadId> {
                let digits = text.strip_prefix($letter).ok_or_else(|| BadId(text.into()))?;
                let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
                let number = digits.parse().ok().filter(|_| plain);
                number.map(Self).ok_or_else(|| BadId(text.into()))
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.to_string()
            }
        }

        impl TryFrom<String> for $name {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                text.parse().map_err(|BadId(id)| {
                    format!("`{id}` is not an id of the form {}1", $letter)
                })
            }
        }
    };
}

numbered_id!(
    /// A pane of the layout, such as `p3`.
    PaneId, "p", "^p[0-9]+$"
);
numbered_id!(
    /// A terminal, such as `t3`.
    TerminalId, "t", "^t[0-9]+$"
);
numbered_id!(
    /// A call that waits for somebody's answer, such as `a3`.
    ApprovalId, "a", "^a[0-9]+$"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_back_as_it_was_written() {
        assert_eq!("p42".parse::<PaneId>(), Ok(PaneId(42)));
        assert_eq!(TerminalId(7).to_string(), "t7");
    }

    #[test]
    fn anything_else_is_not_an_id() {
        for text in ["", "p", "t1", "p-1", "p+1", "p1x", "P1", "p99999999999999999999999"] {
            assert_eq!(text.parse::<PaneId>(), Err(BadId(text.into())), "{text}");
        }
    }
}
