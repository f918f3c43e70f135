//! The one error type at the command boundary: a kind for programs, a sentence and a hint for
//! readers, and a cause that only the log sees.

use openspace_protocol::ErrorKind;
use serde_json::{Value, json};

type Cause = Box<dyn std::error::Error + Send + Sync>;

/// The longest message or hint sent to a caller, in characters. Whatever reaches a model is capped.
const MAX_TEXT: usize = 2_000;

/// Why a command did not do what was asked.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// What a program branches on.
    pub kind: ErrorKind,
    /// One sentence, safe for any caller.
    pub message: String,
    /// What to try next.
    pub hint: Option<String>,
    /// For the log only; never sent to a caller.
    #[source]
    source: Option<Cause>,
    /// The argument that the command does not take, if that is why.
    unknown_argument: Option<String>,
    /// The question that a person was asked, if that is why.
    pub approval: Option<String>,
}

/// The result of a command.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of a kind, with one sentence for the caller.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let message = clip(message.into());
        Self { kind, message, hint: None, source: None, unknown_argument: None, approval: None }
    }

    /// The thing named does not exist.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, message)
    }

    /// An argument makes no sense.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidArgs, message)
    }

    /// The state does not allow it now.
    pub fn conflict(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Conflict, message)
    }

    /// A rule forbids it.
    pub fn denied(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Denied, message)
    }

    /// A fault of ours; the cause goes to the log.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, message)
    }

    /// Say what to try next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(clip(hint.into()));
        self
    }

    /// Keep the cause for the log.
    #[must_use]
    pub fn because(mut self, cause: impl Into<Cause>) -> Self {
        self.source = Some(cause.into());
        self
    }

    /// The same, because of a question that a person was asked.
    #[must_use]
    pub fn of_approval(mut self, approval: &impl ToString) -> Self {
        self.approval = Some(approval.to_string());
        self
    }

    /// The same, because of an argument that the command does not take.
    #[must_use]
    pub(crate) fn for_unknown(mut self, argument: String) -> Self {
        self.unknown_argument = Some(argument);
        self
    }

    /// The argument that the command does not take, if that is why.
    pub(crate) fn unknown_argument(&self) -> Option<&str> {
        self.unknown_argument.as_deref()
    }

    /// The object every caller gets for a failure.
    pub fn to_value(&self) -> Value {
        let mut value = json!({ "success": false, "error": self.message, "kind": self.kind, "hint": self.hint });
        if let Some(approval) = &self.approval {
            value["approval"] = approval.as_str().into();
        }
        value
    }

    /// The failure as a reader sees it.
    pub fn to_text(&self) -> String {
        let kind = self.kind.word();
        match &self.hint {
            Some(hint) => format!("Error ({kind}): {}\nHint: {hint}", self.message),
            None => format!("Error ({kind}): {}", self.message),
        }
    }
}

fn clip(text: String) -> String {
    match text.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_never_reaches_the_caller() {
        let error = Error::internal("the file could not be read").because("disk 3 sector 9");
        assert_eq!(
            error.to_value(),
            json!({"success": false, "error": "the file could not be read", "kind": "internal", "hint": null})
        );
    }

    #[test]
    fn a_message_is_capped() {
        let error = Error::invalid("x".repeat(10_000_000));
        assert_eq!(error.message.chars().count(), MAX_TEXT + 1);
    }
}
