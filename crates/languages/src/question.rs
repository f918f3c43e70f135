//! What callers ask of a server, and what they get.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, value::RawValue};

/// Questions of one asker that may wait.
pub(crate) const MOST_OF_ASKER: usize = 32;
/// Questions that may wait for one server; those that are the same count once.
pub(crate) const MOST_OF_SERVER: usize = 128;
/// Those who may wait for the same answer.
pub(crate) const MOST_TOGETHER: usize = 128;
/// The largest question.
pub(crate) const LARGEST_QUESTION: usize = 16 * 1024 * 1024;

/// Whoever asks. Nothing is known of them but that they are not each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Asker(pub u64);

/// A question that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(pub(crate) u64);

/// What is asked, and how long it is worth waiting for.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Who asks.
    pub asker: Asker,
    /// The method of the protocol.
    pub method: String,
    /// Its parameters.
    pub params: Value,
    /// How long the asker waits in all.
    pub patience: Duration,
    /// What to do while the server has not read everything.
    pub while_loading: WhileLoading,
    /// Ask once more when the text changed meanwhile.
    pub again: bool,
    /// The server may have files edited while it works on this, such as for a command of its own.
    pub may_edit: bool,
    /// It means something to this process of the server alone.
    pub generation: Option<u64>,
}

impl Question {
    /// Ask at once, for ten seconds at most.
    pub fn new(asker: Asker, method: impl Into<String>, params: Value) -> Self {
        Self {
            asker,
            method: method.into(),
            params,
            patience: Duration::from_secs(10),
            while_loading: WhileLoading::Ask,
            again: false,
            may_edit: false,
            generation: None,
        }
    }
}

/// What to do with a question while the server has not read everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhileLoading {
    /// Ask at once.
    Ask,
    /// Wait so long, then ask.
    Wait(Duration),
    /// Wait so long, then give up: half an answer would do harm.
    Require(Duration),
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Reply {
    /// What the server said.
    pub value: Box<RawValue>,
    /// The server had read everything. If not there may be more; there is something in any case.
    pub complete: bool,
    /// Which process of the server said it: its data and commands mean nothing to another.
    pub generation: u64,
}

/// How a server is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum State {
    /// It does not run, and nobody wants it to.
    Stopped,
    /// It runs and has not greeted.
    Starting,
    /// It has greeted and reads.
    Loading {
        /// How far it is.
        #[serde(skip_serializing_if = "Option::is_none")]
        percent: Option<u8>,
        /// With what, in its words.
        #[serde(skip_serializing_if = "Option::is_none")]
        what: Option<String>,
    },
    /// It has read everything.
    Ready,
    /// It was asked to end.
    Ending,
    /// It crashed and is started again soon.
    Waiting {
        /// Why it ended.
        why: String,
    },
    /// It is not started again until somebody wants it.
    Failed {
        /// Why.
        why: String,
    },
}

impl std::fmt::Display for State {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Stopped => formatter.write_str("it does not run"),
            Self::Starting => formatter.write_str("it is starting"),
            Self::Loading { percent: Some(percent), .. } => {
                write!(formatter, "it is loading, {percent} %")
            }
            Self::Loading { percent: None, .. } => formatter.write_str("it is loading"),
            Self::Ready => formatter.write_str("it is ready"),
            Self::Ending => formatter.write_str("it is ending"),
            Self::Waiting { why } => write!(formatter, "it ended ({why}) and is started again"),
            Self::Failed { why } => write!(formatter, "it failed: {why}"),
        }
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AskError {
    /// There is nobody to ask.
    #[error("{server} cannot be asked: {state}")]
    NotRunning {
        /// Its name.
        server: String,
        /// How it is.
        state: State,
    },
    /// It said that there is nothing, before it had read everything: that is no answer.
    #[error("{server} is not ready: {state}; ask again in a while")]
    NotReady {
        /// Its name.
        server: String,
        /// How it is.
        state: State,
    },
    /// It ended before it answered.
    #[error("{server} ended before it answered: {why}")]
    Lost {
        /// Its name.
        server: String,
        /// Why it ended.
        why: String,
    },
    /// It took too long.
    #[error("{server} did not answer within {} ms", after.as_millis())]
    TimedOut {
        /// Its name.
        server: String,
        /// How long somebody waited.
        after: Duration,
    },
    /// The text changed while it looked.
    #[error("the text changed while {server} looked at it; ask again")]
    Changed {
        /// Its name.
        server: String,
    },
    /// What is asked means something to another process of it alone.
    #[error("{server} was started again since; what is asked belongs to the process before")]
    OtherProcess {
        /// Its name.
        server: String,
    },
    /// It said no.
    #[error("{server} refused (code {code}): {message}")]
    Refused {
        /// Its name.
        server: String,
        /// Its number for why.
        code: i64,
        /// Its words.
        message: String,
    },
    /// It has no such ability, for this document or at all.
    #[error("{server} has no {method} for this")]
    Unable {
        /// Its name.
        server: String,
        /// What was asked.
        method: String,
    },
    /// Too much waits already.
    #[error("{most} questions wait for {server} already; wait for an answer")]
    TooMany {
        /// Its name.
        server: String,
        /// What is allowed.
        most: usize,
    },
    /// The question itself is too large.
    #[error("the question has {bytes} bytes; {LARGEST_QUESTION} are sent at most")]
    TooLarge {
        /// How large.
        bytes: usize,
    },
}

/// Lists within an answer: completion, tokens, signatures, diagnostics; changes of an edit, texts of a hover.
const WITHIN: &[&str] = &["items", "signatures", "changes", "documentChanges", "contents"];

/// Whether an answer says that there is nothing. From a server that has not read everything, it says nothing at all.
pub fn says_nothing(answer: &RawValue) -> bool {
    // Long answers are something; looking into them costs.
    if answer.get().len() > 1024 {
        return false;
    }
    let Ok(answer) = serde_json::from_str::<Value>(answer.get()) else { return false };
    let is_bare = |value: &Value| match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(all) => all.is_empty(),
        Value::Object(all) => all.is_empty(),
        _ => false,
    };
    let no_tokens = |all: &serde_json::Map<String, Value>| {
        all.get("data").and_then(Value::as_array).is_some_and(Vec::is_empty)
    };
    let bare_contents = |contents: &Value| contents.get("value").is_some_and(is_bare);
    match &answer {
        Value::Object(all) => {
            let mut within = WITHIN.iter().filter_map(|name| all.get(*name)).peekable();
            is_bare(&answer)
                || no_tokens(all)
                || (within.peek().is_some() && within.all(|it| is_bare(it) || bare_contents(it)))
        }
        other => is_bare(other),
    }
}

#[cfg(test)]
mod tests;
