//! What goes into `dispatch` and what comes out: a call and its reply.
//!
//! They carry; nothing here decides, runs or records.

use std::time::Duration;

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::{Budget, Caller, Hold, Progress, Result, Since, Unmask, masking, meanwhile, render};

/// Who reads the answer to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reader {
    /// Its caller.
    Caller,
    /// Somebody who made it in the caller's name.
    Another,
}

/// A request to run a command.
pub struct Call {
    /// Who calls.
    pub caller: Caller,
    /// Name of the command, in any of its forms.
    pub command: String,
    /// Arguments by name.
    pub args: Value,
    /// Where progress goes.
    pub(crate) progress: Progress,
    /// Cancel it to take the call back.
    pub cancel: CancellationToken,
    /// What the caller wants while somebody decides about it.
    pub(crate) hold: Hold,
    /// Whether the caller wants the answer as text too.
    pub(crate) wants_text: bool,
    /// Part of another call: neither counted nor queued again, and masked with that one.
    pub(crate) nested: bool,
    /// Who reads the answer.
    pub(crate) reader: Reader,
    /// Whether an agent is answered with secrets to be seen.
    pub(crate) unmask: Unmask,
    /// Part of a call that does nothing else, so that it takes that one's place among those running.
    pub(crate) passed_on: bool,
    /// Which call it is, to know it again when it fails again; none where nobody counts.
    pub(crate) repeated: Option<u64>,
}

impl Call {
    /// The same, with the answer as text too.
    #[must_use]
    pub fn with_text(self, wants_text: bool) -> Self {
        Self { wants_text, ..self }
    }

    /// The same, with somebody listening to its progress.
    #[must_use]
    pub fn with_progress(self, progress: Progress) -> Self {
        Self { progress, ..self }
    }

    /// The same, with what its caller wants while somebody decides about it.
    #[must_use]
    pub fn with_hold(self, hold: Hold) -> Self {
        Self { hold, ..self }
    }

    /// The same, made in the caller's name by somebody who reads the answer for it.
    #[must_use]
    pub fn unseen(self) -> Self {
        Self { reader: Reader::Another, ..self }
    }

    /// A call with no progress wanted.
    pub fn new(caller: Caller, command: &str, args: Value) -> Self {
        Self {
            caller,
            command: command.to_owned(),
            args,
            progress: Progress::default(),
            cancel: CancellationToken::new(),
            hold: Hold::default(),
            wants_text: false,
            nested: false,
            reader: Reader::Caller,
            unmask: Unmask::default(),
            passed_on: false,
            repeated: None,
        }
    }
}

/// What a caller gets back.
#[derive(Debug)]
pub struct Reply {
    /// Canonical id, or the name asked for when there is no such command.
    pub command: String,
    /// True when there is no such command.
    pub unknown: bool,
    /// The answer's data, or why there is none.
    pub result: Result<Map<String, Value>>,
    /// The answer for readers, when it was wanted.
    pub text: Option<String>,
    /// How the program ended that it ran, as a shell tells it.
    pub exit_code: Option<u8>,
    /// What the caller has left.
    pub budget: Budget,
    /// What the caller has to know besides, in one sentence: that nothing can be saved now, or that its
    /// line is nearly full.
    pub warning: Option<String>,
    /// What people did since an agent's last call.
    pub since: Option<Since>,
    /// How many secrets were masked in it.
    pub masked: usize,
    /// How long it took.
    pub elapsed: Duration,
}

impl Reply {
    /// The object every caller gets: `{success: true, …}` or `{success: false, error, kind, hint}`.
    pub fn to_value(&self) -> Value {
        match &self.result {
            Ok(data) => {
                let mut answer = Map::with_capacity(data.len() + 1);
                answer.insert("success".into(), true.into());
                answer.extend(data.iter().map(|(key, value)| (key.clone(), value.clone())));
                self.with_notes(answer)
            }
            Err(error) => match error.to_value() {
                Value::Object(answer) => self.with_notes(answer),
                other => other,
            },
        }
    }

    /// The answer with what every answer may say besides.
    fn with_notes(&self, mut answer: Map<String, Value>) -> Value {
        if let Some(warning) = &self.warning {
            answer.insert("warning".into(), warning.as_str().into());
        }
        if self.masked > 0 {
            answer.insert("masked".into(), self.masked.into());
        }
        if let Some(since) = &self.since {
            answer.insert(meanwhile::FIELD.into(), since.data.clone());
        }
        Value::Object(answer)
    }

    /// The answer as a reader sees it, complete.
    pub fn to_text(&self) -> String {
        let mut text = match (&self.result, &self.text) {
            (Err(error), _) => error.to_text(),
            (Ok(_), Some(text)) => text.clone(),
            (Ok(data), None) if data.is_empty() => "Done.".into(),
            (Ok(data), None) => render(&Value::Object(data.clone())),
        };
        if self.masked > 0 {
            text.push('\n');
            text.push_str(&masking::told(self.masked));
        }
        if let Some(warning) = &self.warning {
            text.push_str("\nWarning: ");
            text.push_str(warning);
        }
        if let Some(since) = &self.since {
            text.push('\n');
            text.push_str(&since.line);
        }
        text
    }
}
