//! Questions of callers to the servers of a file, and why there is no answer, in words.

use std::{
    hash::{DefaultHasher, Hash as _, Hasher as _},
    slice::from_ref,
    sync::Arc,
    time::Duration,
};

use openspace_command::{Caller, Error, ErrorKind, Result};
use openspace_languages::{AskError, Asker, Question, State, WhileLoading};
use openspace_protocol::RelPath;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::{running::Running, servers::CodeServers};
use crate::{Cx, OpenSpace};

/// How long one that is ending is waited for, so that it can be started again.
const ENDS_WITHIN: Duration = Duration::from_secs(6);

/// Who said something, and whether it is all.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Told {
    /// The server that says so.
    server: String,
    /// False when it had not read everything: there may be more.
    complete: bool,
    /// What else is to be known of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Told {
    pub(super) fn by(running: &Running, complete: bool) -> Self {
        let note = (!complete).then(|| {
            format!(
                "{} has not read everything ({}): there may be more",
                running.name,
                running.server.state()
            )
        });
        Self { server: running.id.clone(), complete, note }
    }

    /// What two say together.
    pub(super) fn and(self, other: &Self) -> Self {
        let both = Self {
            server: format!("{}, {}", self.server, other.server),
            complete: self.complete && other.complete,
            note: self.note,
        };
        both.noting(other.note.clone())
    }

    pub(super) fn noting(mut self, note: Option<String>) -> Self {
        self.note = match (self.note, note) {
            (Some(one), Some(other)) => Some(format!("{other}; {one}")),
            (one, other) => one.or(other),
        };
        self
    }

    /// The end of a text for readers; nothing if there is nothing to say.
    pub(super) fn line(&self) -> String {
        self.note.as_ref().map(|note| format!("({note})")).unwrap_or_default()
    }
}

/// What a server answered.
pub(super) struct Answer {
    pub(super) value: Value,
    pub(super) complete: bool,
    pub(super) running: Arc<Running>,
}

/// Somebody who asks, and for how long he waits.
pub(super) struct Asking {
    pub(super) state: Arc<OpenSpace>,
    pub(super) servers: Arc<CodeServers>,
    asker: Asker,
    pub(super) wait: Duration,
    /// Half an answer would do harm.
    needs_all: bool,
}

impl Asking {
    pub(super) fn new(cx: &Cx, wait: Duration) -> Self {
        let servers = cx.state.service::<CodeServers>();
        Self {
            state: Arc::clone(&cx.state),
            servers,
            asker: asker(&cx.caller),
            wait,
            needs_all: false,
        }
    }

    /// The same for somebody whom half an answer would harm.
    pub(super) fn requiring(self) -> Self {
        Self { needs_all: true, ..self }
    }

    /// The servers of a file, which know it and all unsaved texts as they are now.
    pub(super) async fn file(&self, path: &RelPath) -> Result<Vec<Arc<Running>>> {
        let all = self.servers.of_file(&self.state, path).await?;
        for running in &all {
            self.tell(running, path).await?;
        }
        Ok(all)
    }

    /// Have a server know a file, and all unsaved texts, as they are now.
    pub(super) async fn tell(&self, running: &Running, path: &RelPath) -> Result<()> {
        running.tell_texts(&self.state, &self.servers, from_ref(path)).await
    }

    /// Ask one server.
    pub(super) async fn ask(
        &self,
        running: &Arc<Running>,
        method: &str,
        params: Value,
    ) -> Result<Answer, AskError> {
        awake(running).await;
        let question = Question {
            patience: self.wait.saturating_add(self.servers.answers_within()),
            while_loading: if self.needs_all {
                WhileLoading::Require(self.wait)
            } else {
                WhileLoading::Wait(self.wait)
            },
            again: true,
            ..Question::new(self.asker, method, params)
        };
        let reply = running.server.ask(question).await?;
        // It was JSON already.
        let value = serde_json::from_str(reply.value.get()).unwrap_or_default();
        Ok(Answer { value, complete: reply.complete, running: Arc::clone(running) })
    }

    /// The question by which a server does a command of its own; in its course it may ask for edits.
    pub(super) fn command(&self, params: Value) -> Question {
        Question {
            patience: self.wait.saturating_add(self.servers.answers_within()),
            while_loading: WhileLoading::Require(self.wait),
            may_edit: true,
            ..Question::new(self.asker, "workspace/executeCommand", params)
        }
    }

    /// Ask the first of these that can.
    pub(super) async fn first(
        &self,
        all: &[Arc<Running>],
        method: &str,
        params: impl Fn(&Running) -> Value,
    ) -> Result<Answer> {
        let mut unable = None;
        for running in all {
            match self.ask(running, method, params(running)).await {
                Ok(answer) => return Ok(answer),
                Err(error @ AskError::Unable { .. }) => {
                    unable.get_or_insert_with(|| refused(running, &error));
                }
                Err(error) => return Err(refused(running, &error)),
            }
        }
        Err(unable.unwrap_or_else(|| Error::internal("nobody was asked")))
    }
}

fn asker(caller: &Caller) -> Asker {
    let mut hasher = DefaultHasher::new();
    caller.key().hash(&mut hasher);
    Asker(hasher.finish())
}

/// Wait for one that is ending and was wanted again.
pub(super) async fn awake(running: &Running) {
    let mut events = running.server.subscribe();
    let until = Instant::now() + ENDS_WITHIN;
    while running.lives() && matches!(running.server.state(), State::Ending | State::Stopped) {
        if timeout_at(until, events.recv()).await.is_err() {
            return;
        }
    }
}

/// Why a server gave no answer, with the next step.
pub(super) fn refused(running: &Running, error: &AskError) -> Error {
    let message = error.to_string();
    let said = || match running.said().as_str() {
        "" => String::new(),
        said => format!("; it said: {said}"),
    };
    match error {
        AskError::NotReady { .. } => Error::new(ErrorKind::Busy, message).hint(
            "nothing is known yet, which does not mean that there is nothing; ask again, with a longer `wait_s`",
        ),
        AskError::NotRunning { .. } => {
            Error::new(ErrorKind::Unsupported, format!("{message}{}", said()))
                .hint(format!("code_restart starts {} again; code_servers says how it is", running.id))
        }
        AskError::Lost { .. } => Error::new(ErrorKind::Lost, format!("{message}{}", said()))
            .hint("it is started again by itself; ask again, or look with code_servers"),
        AskError::TimedOut { .. } => {
            Error::new(ErrorKind::TimedOut, message).hint("ask again, or something smaller")
        }
        AskError::Changed { .. } | AskError::OtherProcess { .. } => Error::conflict(message),
        AskError::Refused { .. } => Error::new(ErrorKind::Unsupported, message)
            .hint("look whether the place is right; code_symbols names what a file has"),
        AskError::Unable { .. } => {
            Error::new(ErrorKind::Unsupported, message).hint("workspace_grep finds text")
        }
        AskError::TooMany { .. } => Error::new(ErrorKind::Busy, message),
        AskError::TooLarge { .. } => Error::invalid(message),
    }
}
