//! The seam to whoever decides about calls: a guard is asked after a call was checked and before it waits
//! in its caller's line.
//!
//! A guard lets a call in, keeps it out, or takes its time while somebody decides. Only `dispatch` asks
//! it, and what it says is final. Nothing here knows how it decides: no rules, no people, no shells.

use std::sync::{Arc, OnceLock};

use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::sync::mpsc;

use openspace_protocol::Access;

use crate::{Caller, Definition, Prepared, Progress, Result};

/// Where the programs run that a call starts or types into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Site {
    /// It starts none: it stays in the space.
    #[default]
    Space,
    /// In a place whose walls hold.
    Confined,
    /// Outside of such a place, because the caller wants it so or because that is where it is.
    Outside,
    /// There is no such place on this machine, so nothing holds them.
    Unconfined,
}

impl Site {
    /// In words for a person.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Space => "in the space; no program is started",
            Self::Confined => "in the confined place",
            Self::Outside => "outside of the confined place",
            Self::Unconfined => "on this machine, not confined",
        }
    }
}

/// A line of words for a shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// As it would reach the shell; may be several lines.
    pub text: String,
    /// The name of the shell, such as `bash`.
    pub shell: String,
    /// Whether it is typed at a prompt, where more characters mean something than in a script.
    pub is_typed: bool,
}

/// A file that a line runs, as it was when somebody decided about the line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SeenFile {
    /// Its path on the machine where the line runs.
    pub path: String,
    /// A digest of what was in it; another word where there was no file.
    pub content: String,
}

/// What a call would do, as far as its class of access does not say it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Intent {
    /// Its class of access, where this very call has another than its command.
    pub access: Option<Access>,
    /// Where it takes effect.
    pub site: Site,
    /// What a shell would be told.
    pub line: Option<Line>,
    /// The folder that programs start in, as a reader knows it.
    pub folder: Option<String>,
    /// Why, in the caller's own words.
    pub reason: Option<String>,
    /// What else a person should know who decides about it, in a sentence.
    pub about: Option<String>,
    /// The thing whose state decides what the line is, such as `terminal t3`: a yes is for this one, and not for another
    /// that has got its name meanwhile.
    pub thing: Option<String>,
    /// A thing of somebody else's that the call would act in, such as `terminal t3`. Who may do so once
    /// may do so for the rest of its session.
    pub theirs: Option<String>,
    /// Whoever allows it allows this one call: what is remembered of earlier answers, and rules that allow, do
    /// not count.
    pub each_time: bool,
    /// The files that the line runs and its caller can change, as they were when it was decided about. What runs the line
    /// looks at them once more.
    pub seen: Vec<SeenFile>,
}

/// What a caller wants while somebody decides about its call.
#[derive(Clone, Debug, Default)]
pub struct Hold {
    told: Option<mpsc::Sender<String>>,
    leaves: bool,
}

impl Hold {
    /// Wait, and tell under which name it is decided about.
    pub fn telling(told: mpsc::Sender<String>) -> Self {
        Self { told: Some(told), leaves: false }
    }

    /// Do not wait: come back with the name under which it is decided about.
    pub const fn leaving() -> Self {
        Self { told: None, leaves: true }
    }

    /// Whether the caller does not wait.
    pub fn leaves(&self) -> bool {
        self.leaves
    }

    /// Somebody decides about the call under this name.
    pub fn tell(&self, name: &impl ToString) {
        if let Some(told) = &self.told
            && told.try_send(name.to_string()).is_err()
        {
            tracing::trace!("nobody wants to know that a call is held");
        }
    }
}

/// A call that wants to be let in.
pub struct Asked<'a, S: 'static> {
    /// What commands work on.
    pub state: &'a Arc<S>,
    /// Who calls.
    pub caller: &'a Caller,
    /// What is called.
    pub command: &'a Definition<S>,
    /// The arguments as they were given.
    pub arguments: &'a Map<String, Value>,
    /// One line that names things.
    pub summary: &'a str,
    /// What it would do.
    pub intent: Intent,
    /// Where to say what is waited for.
    pub progress: &'a Progress,
    /// What its caller wants while somebody decides.
    pub hold: &'a Hold,
    /// For the files that were looked at when it was decided: the call finds them in what was judged.
    pub seen: &'a OnceLock<Vec<SeenFile>>,
    pub(crate) prepared: &'a Prepared<S>,
}

impl<S: Send + Sync + 'static> Asked<'_, S> {
    /// What this very call can do to the world.
    pub fn access(&self) -> Access {
        self.intent.access.unwrap_or(self.command.access)
    }

    /// The workspace that the call works in, where it chooses one.
    pub fn workspace(&self) -> Option<&str> {
        self.prepared.workspace.as_deref()
    }

    /// What it would do, looked at more closely. It takes longer than what is in `intent`, and is worth
    /// it only for a call that would not be let in; `None` when there is nothing more to know.
    pub async fn closer(&self) -> Result<Option<Intent>> {
        self.prepared.work.closer(self.state, self.caller).await
    }
}

/// Decides which calls run.
pub trait Guard<S: 'static>: Send + Sync + 'static {
    /// Whether calls of this caller are looked at. Those of others are let in without a word.
    fn watches(&self, _caller: &Caller) -> bool {
        true
    }

    /// Let a call in, and say by what for the record; or say why not.
    ///
    /// It may take as long as somebody needs to decide. When it is dropped, its caller has taken the call
    /// back. A call that is let in at once must be so at the first look: calls of one caller keep their
    /// order only then.
    fn admit<'a>(&'a self, asked: Asked<'a, S>) -> BoxFuture<'a, Result<Option<String>>>;
}

/// Lets everybody do everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct LetAll;

impl<S: Send + Sync + 'static> Guard<S> for LetAll {
    fn watches(&self, _caller: &Caller) -> bool {
        false
    }

    fn admit<'a>(&'a self, _asked: Asked<'a, S>) -> BoxFuture<'a, Result<Option<String>>> {
        Box::pin(std::future::ready(Ok(None)))
    }
}
