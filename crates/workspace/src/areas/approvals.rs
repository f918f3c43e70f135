//! Approvals: calls that wait until somebody decides, and what was decided.
//!
//! A question is kept in the space, so views are told of it, it survives a restart, and whoever is first
//! to answer settles it. What a rule asks about and who may answer is not decided here; nor does a question
//! run anything. An agent sees none of them: it hears of its own by the call that waits.

use openspace_command::{Caller, Site};
use openspace_protocol::ApprovalId;
use openspace_space::{Counter, Declared, Entries, Part};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{areas::Area, services::Starter};

pub mod commands;
mod grants;
mod queue;
pub mod shown;
#[cfg(test)]
mod tests;
pub mod words;

pub use grants::{Grant, Grants};
pub use queue::{Approvals, Entered, Held, Outcome};

/// What this area brings.
pub const AREA: Area = Area {
    commands: commands::COMMANDS,
    parts: &[Declared::of::<ApprovalsPart>(), Declared::of::<ApprovalCounter>()],
    services: &[Starter::of::<Approvals>()],
    ..Area::EMPTY
};

/// Questions that may be open at once, of all callers together.
pub const MAX_OPEN: usize = 100;
/// Questions of one client that may be open at once.
pub const MAX_OPEN_OF_ONE: usize = 20;
/// Settled questions that are kept.
pub const MAX_SETTLED: usize = 100;
/// How long an answer counts for which no call waits any more, in milliseconds.
pub const LATE_FOR: u64 = 30 * 60 * 1000;
/// Longest line for a shell that is shown, in characters.
pub const MAX_LINE: usize = 8_000;
/// Longest message of who answers, in characters.
pub const MAX_MESSAGE: usize = 1_000;

/// Questions by id, open and settled.
pub type ApprovalRecords = Entries<Approval, ApprovalId>;

/// The questions.
pub struct ApprovalsPart;

impl Part for ApprovalsPart {
    const NAME: &'static str = "approvals";
    const ANNOUNCED: bool = false;
    const FOR_AGENTS: bool = false;
    type Content = ApprovalRecords;
}

/// The last question's number.
pub struct ApprovalCounter;

impl Part for ApprovalCounter {
    const NAME: &'static str = "approval-counter";
    const PUBLISHED: bool = false;
    type Content = Counter;
}

/// A call that needs somebody's yes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Approval {
    /// What is asked.
    #[serde(flatten)]
    pub question: Question,
    /// When it was asked, in milliseconds since 1970.
    pub asked_at: u64,
    /// Whether the call waits for the answer right now.
    pub waiting: bool,
    /// Without a call that waits: until when the same call again picks up an answer, in milliseconds since
    /// 1970.
    #[serde(default)]
    pub until: Option<u64>,
    /// What became of it.
    #[serde(flatten)]
    pub state: ApprovalState,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ApprovalQuestion")]
pub struct Question {
    /// Canonical id of the command.
    pub command: String,
    /// What it would do, in one line.
    pub summary: String,
    /// Its arguments as a reader is shown them: without secrets, and cut where they are long.
    pub arguments: Vec<ShownArgument>,
    /// A digest of the arguments and of the line that was judged, so that the same call is known again.
    pub digest: String,
    /// What a shell would be told.
    #[serde(default)]
    pub line: Option<ShownLine>,
    /// The folder that programs would start in.
    #[serde(default)]
    pub folder: Option<String>,
    /// Who calls.
    pub caller: Caller,
    /// Where programs would run.
    pub site: Site,
    /// Why, in the caller's own words.
    #[serde(default)]
    pub reason: Option<String>,
    /// A thing of the person's that the call would act in, such as `terminal t3`: a yes counts for the rest
    /// of the caller's session.
    #[serde(default)]
    pub theirs: Option<String>,
    /// The rule that has somebody asked.
    pub rule: String,
    /// Why it does, in a sentence.
    pub why: String,
    /// The rule that the answer `always` saves; without one there is no such answer.
    #[serde(default)]
    pub always: Option<SuggestedRule>,
    /// A yes counts for this call alone: the answers are `once` and `no`.
    #[serde(default)]
    pub each_time: bool,
}

/// A rule that would answer a question for good.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SuggestedRule {
    /// What it would allow, in a few words.
    pub about: String,
    /// The rule as it would stand in the policy file.
    pub text: String,
}

/// An argument as a reader is shown it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShownArgument {
    /// Its name.
    pub name: String,
    /// Its value as text.
    pub value: String,
}

/// A line for a shell as a reader is shown it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShownLine {
    /// The line itself.
    pub text: String,
    /// The simple commands in it, and what each of them got.
    pub parts: Vec<ShownPart>,
    /// What cannot be known of it, in sentences.
    pub doubts: Vec<String>,
}

/// One simple command of a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShownPart {
    /// The command with its arguments.
    pub text: String,
    /// `allow`, `ask` or `deny`.
    pub decision: String,
    /// The rule that says so.
    pub rule: String,
    /// What is dangerous in it, in sentences.
    #[serde(default)]
    pub dangers: Vec<String>,
}

/// What became of a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum ApprovalState {
    /// Nobody has answered yet.
    Open,
    /// Somebody said yes.
    Approved {
        /// For how much.
        scope: Scope,
        /// Who, and how.
        answered: Answered,
    },
    /// Somebody said no.
    Denied {
        /// Who, and how.
        answered: Answered,
    },
    /// Nobody answered while an answer could count.
    Expired {
        /// When that was over, in milliseconds since 1970.
        at: u64,
    },
    /// The caller took the call back.
    TakenBack {
        /// When, in milliseconds since 1970.
        at: u64,
    },
}

/// For how much a yes counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ApprovalScope")]
pub enum Scope {
    /// For this call.
    Once,
    /// For calls like it in this session of the caller, while the server runs.
    Session,
    /// For what the rule says that was saved with it.
    Always,
}

/// Who answered, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Answered {
    /// By which way.
    pub channel: Channel,
    /// Who, as far as that is known.
    pub by: String,
    /// What was said to the caller.
    #[serde(default)]
    pub message: Option<String>,
    /// When, in milliseconds since 1970.
    pub answered_at: u64,
    /// When the call took the answer, in milliseconds since 1970; each is taken once.
    #[serde(default)]
    pub used_at: Option<u64>,
}

/// The way that an answer came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ApprovalChannel")]
pub enum Channel {
    /// The page of the workbench.
    Browser,
    /// `openspace approve`.
    CommandLine,
    /// The one-time page.
    Page,
    /// The agent's own client, which asked its person.
    Client,
}

impl Channel {
    /// Its word for readers.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Browser => "browser",
            Self::CommandLine => "command line",
            Self::Page => "one-time page",
            Self::Client => "client",
        }
    }
}

impl Scope {
    /// Its word for readers.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Session => "for the session",
            Self::Always => "always",
        }
    }
}

impl Approval {
    /// Whether an answer is still wanted.
    pub fn is_open(&self) -> bool {
        self.state == ApprovalState::Open
    }

    /// What became of it, in a few words.
    pub fn outcome(&self) -> String {
        match &self.state {
            ApprovalState::Open => "open".into(),
            ApprovalState::Approved { scope, answered } => {
                format!("approved {} by {}", scope.word(), answered.who())
            }
            ApprovalState::Denied { answered } => format!("denied by {}", answered.who()),
            ApprovalState::Expired { .. } => "expired: nobody answered in time".into(),
            ApprovalState::TakenBack { .. } => "taken back by its caller".into(),
        }
    }

    /// Whether it is about the same call: the same client, command, arguments and line.
    fn is_about(&self, other: &Question) -> bool {
        let Question { command, digest, caller, .. } = &self.question;
        *digest == other.digest
            && *command == other.command
            && (caller.kind, &caller.id) == (other.caller.kind, &other.caller.id)
    }
}

impl Answered {
    /// The channel, and who it was where that says more.
    pub fn who(&self) -> String {
        let word = self.channel.word();
        if self.by.is_empty() || self.by == word {
            word.into()
        } else {
            format!("{word} ({})", self.by)
        }
    }
}
