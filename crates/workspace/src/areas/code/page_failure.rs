//! Why a page gets no answer: failures of commands and of language servers in the words of its socket.

use openspace_command::{Error, ErrorKind};
use openspace_languages::AskError;

use super::pages::{NotAnswered, ToLanguagePage};

/// Why a page gets no answer, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) kind: NotAnswered,
    pub(super) error: String,
    pub(super) hint: Option<String>,
}

impl Failure {
    pub(super) fn new(kind: NotAnswered, error: impl Into<String>) -> Self {
        Self { kind, error: error.into(), hint: None }
    }

    pub(super) fn stale(error: impl Into<String>) -> Self {
        Self::new(NotAnswered::Stale, error)
    }

    pub(super) fn invalid(error: impl Into<String>) -> Self {
        Self::new(NotAnswered::InvalidArgs, error)
    }

    pub(super) fn told(self, id: u64) -> ToLanguagePage {
        let Self { kind, error, hint } = self;
        ToLanguagePage::Failed { id, kind, error, hint }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let kind = match error.kind {
            ErrorKind::InvalidArgs => NotAnswered::InvalidArgs,
            ErrorKind::NotFound => NotAnswered::NotFound,
            ErrorKind::Conflict => NotAnswered::Stale,
            ErrorKind::Denied | ErrorKind::Policy | ErrorKind::Unanswered => NotAnswered::Denied,
            ErrorKind::Unsupported => NotAnswered::Unsupported,
            ErrorKind::Busy | ErrorKind::Limit => NotAnswered::Busy,
            ErrorKind::TimedOut => NotAnswered::TimedOut,
            ErrorKind::Lost | ErrorKind::Cancelled => NotAnswered::Lost,
            _ => NotAnswered::Internal,
        };
        Self { kind, error: error.message, hint: error.hint }
    }
}

impl From<AskError> for Failure {
    fn from(error: AskError) -> Self {
        let kind = match &error {
            AskError::NotReady { .. } | AskError::TooMany { .. } => NotAnswered::Busy,
            AskError::NotRunning { .. } | AskError::Unable { .. } => NotAnswered::Unsupported,
            AskError::Lost { .. } => NotAnswered::Lost,
            AskError::TimedOut { .. } => NotAnswered::TimedOut,
            AskError::Changed { .. } => NotAnswered::Changed,
            AskError::OtherProcess { .. } => NotAnswered::Stale,
            AskError::Refused { .. } => NotAnswered::Refused,
            AskError::TooLarge { .. } => NotAnswered::InvalidArgs,
        };
        Self::new(kind, error.to_string())
    }
}
