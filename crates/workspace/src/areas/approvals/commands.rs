//! `approval.list`, `approval.get` and `approval.answer`.
//!
//! Only a person answers, and who decides that is the door, not this file: a caller is a person when it came
//! with what only a person has. No agent gets in here at all, whatever a policy says.

use openspace_command::{Caller, CallerKind, Command, Error, Meta, Order, Result, Shown};
use openspace_protocol::Access;
use openspace_protocol::ApprovalId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Answered, Approval, ApprovalState, Approvals, ApprovalsPart, Channel, MAX_MESSAGE, Scope,
    queue::check_open,
    shown::shown,
    words::{in_full, one_line},
};
use crate::{Cx, Entry, OpenSpace, paths::is_person};

/// The commands of this area.
pub const COMMANDS: &[Entry] =
    &[Entry::of::<List>(), Entry::of::<Get>(), Entry::of::<AnswerQuestion>()];

/// The name under which a person calls who answers on the one-time page.
pub const PAGE: &str = "one-time page";
/// What the name of a person begins with who answers in an agent's own client.
pub const CLIENT: &str = "client ";
/// The name under which a person calls at the command line.
const COMMAND_LINE: &str = "cli";

/// A question with its id.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Listed {
    /// Its id.
    pub approval_id: ApprovalId,
    /// What is asked, and what became of it.
    #[serde(flatten)]
    pub approval: Approval,
}

/// Questions.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Approvables {
    /// Those that are open, oldest first; then, where they are wanted, those that are settled, newest first.
    approvals: Vec<Listed>,
}

/// List the calls that wait for a person's answer.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct List {
    /// Settled ones too, the last 100.
    #[serde(default)]
    settled: bool,
}

impl Command<OpenSpace> for List {
    const META: Meta =
        Meta::new("approval.list", "Approvals: List", Access::Read).shown(Shown::Hidden);
    type Output = Approvables;

    fn summary(&self) -> String {
        "list approvals".into()
    }

    async fn run(self, cx: Cx) -> Result<Approvables> {
        check_looks(&cx.caller)?;
        let state = cx.state.space().state();
        let listed = |(id, one): (&ApprovalId, &Approval)| Listed {
            approval_id: *id,
            approval: one.clone(),
        };
        let records = state.part::<ApprovalsPart>();
        let open = records.iter().filter(|(_, one)| one.is_open()).map(listed);
        let settled = records.iter().rev().filter(|(_, one)| self.settled && !one.is_open());
        Ok(Approvables { approvals: open.chain(settled.map(listed)).collect() })
    }

    fn text(listed: &Approvables) -> Option<String> {
        if listed.approvals.is_empty() {
            return Some("Nothing waits for an answer.".into());
        }
        let lines = listed.approvals.iter().map(|one| one_line(one.approval_id, &one.approval));
        Some(lines.collect::<Vec<_>>().join("\n"))
    }
}

/// Show a call that waits for a person's answer, or what became of it.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Get {
    /// Its id, such as `a3`.
    approval_id: ApprovalId,
}

impl Command<OpenSpace> for Get {
    const META: Meta =
        Meta::new("approval.get", "Approvals: Show", Access::Read).shown(Shown::Hidden);
    type Output = Listed;

    fn summary(&self) -> String {
        format!("show approval {}", self.approval_id)
    }

    async fn run(self, cx: Cx) -> Result<Listed> {
        check_looks(&cx.caller)?;
        let approval = cx.state.service::<Approvals>().get(self.approval_id)?;
        Ok(Listed { approval_id: self.approval_id, approval })
    }

    fn text(one: &Listed) -> Option<String> {
        Some(in_full(one.approval_id, &one.approval))
    }
}

/// What to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ApprovalAnswer")]
pub enum Answer {
    /// Yes, for this call.
    Once,
    /// Yes, for calls like it in this session of the caller: those that the suggested rule is about, or else
    /// exactly this one.
    Session,
    /// Yes, and save the rule that was shown, so that nobody is asked about its like again.
    Always,
    /// No.
    No,
}

impl Answer {
    const fn word(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Session => "session",
            Self::Always => "always",
            Self::No => "no",
        }
    }
}

/// Answer a call that waits for a person.
///
/// The first answer counts. Agents and scripts cannot answer.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AnswerQuestion {
    /// Which one, such as `a3`.
    approval_id: ApprovalId,
    /// What to answer.
    answer: Answer,
    /// What to tell the agent.
    #[schemars(length(max = MAX_MESSAGE))]
    message: Option<String>,
}

impl Command<OpenSpace> for AnswerQuestion {
    const META: Meta = Meta {
        order: Order::Parallel,
        ..Meta::new("approval.answer", "Approvals: Answer", Access::Edit).shown(Shown::Hidden)
    };
    type Output = Listed;

    fn summary(&self) -> String {
        format!("answer {}: {}", self.approval_id, self.answer.word())
    }

    fn check(&self) -> Result<()> {
        if self.message.as_ref().is_some_and(|message| message.chars().count() > MAX_MESSAGE) {
            let most = format!("argument `message`: has more than {MAX_MESSAGE} characters");
            return Err(Error::invalid(most));
        }
        Ok(())
    }

    async fn run(self, cx: Cx) -> Result<Listed> {
        if !is_person(&cx.caller) {
            return Err(Error::denied("only a person answers for a person").hint(
                "answer in the browser, or with `openspace approve` at the person's own shell",
            ));
        }
        let approvals = cx.state.service::<Approvals>();
        let _alone = approvals.answering.lock().await;
        let id = self.approval_id;
        let question = approvals.get(id)?;
        check_open(id, &question)?;
        if self.answer == Answer::Always {
            let Some(rule) = &question.question.always else {
                let hint = if question.question.each_time {
                    "answer `once`"
                } else {
                    "answer `once` or `session`"
                };
                return Err(
                    Error::conflict(format!("there is no rule to save for {id}")).hint(hint)
                );
            };
            cx.state.permission().save_rule(&rule.text).await?;
        }
        if self.answer == Answer::Session && question.question.each_time {
            let message = format!("{id} is asked about each time, so a yes counts once");
            return Err(Error::conflict(message).hint("answer `once` or `no`"));
        }
        let message = self.message.as_deref().map(str::trim).filter(|message| !message.is_empty());
        let answered = Answered {
            channel: channel(&cx.caller),
            by: by(&cx.caller),
            message: message.map(|message| shown(message, MAX_MESSAGE)),
            answered_at: cx.state.now(),
            used_at: None,
        };
        let yes = |scope| ApprovalState::Approved { scope, answered: answered.clone() };
        let answer = match self.answer {
            Answer::Once => yes(Scope::Once),
            Answer::Session => yes(Scope::Session),
            Answer::Always => yes(Scope::Always),
            Answer::No => ApprovalState::Denied { answered },
        };
        let approval = approvals.settle(id, answer).await?;
        cx.state.doings().answered(&approval);
        cx.state.counts().approval(channel(&cx.caller).word(), self.answer.word());
        Ok(Listed { approval_id: id, approval })
    }

    fn text(one: &Listed) -> Option<String> {
        Some(format!("{}: {}", one.approval_id, one.approval.outcome()))
    }
}

/// An agent hears of its own questions by its calls, and of those of others not at all.
fn check_looks(caller: &Caller) -> Result<()> {
    match caller.kind {
        CallerKind::Person | CallerKind::Script => Ok(()),
        CallerKind::Agent | CallerKind::Bridge => {
            Err(Error::denied("questions for a person are not shown to agents")
                .hint("the call that waits says what became of it"))
        }
    }
}

fn channel(caller: &Caller) -> Channel {
    match caller.id.as_str() {
        COMMAND_LINE => Channel::CommandLine,
        PAGE => Channel::Page,
        id if id.starts_with(CLIENT) => Channel::Client,
        _ => Channel::Browser,
    }
}

/// Who answers, where the channel does not say it.
fn by(caller: &Caller) -> String {
    match channel(caller) {
        Channel::Client => caller.id.strip_prefix(CLIENT).unwrap_or(&caller.id).to_owned(),
        _ => String::new(),
    }
}
