//! `chat.answer`: a person answers what an agent asks.
//!
//! A request for permission that the policy has somebody asked about is a question among all others, and is answered with
//! `approval.answer`; the agent then hears of it. Here its own questions are answered, and a request that is still the
//! agent's alone.

use openspace_agents::model::{PermissionAnswer, PermissionId, QuestionId};
use openspace_command::{Command, Error, Meta, Order, Result, Shown};
use openspace_protocol::Access;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MAX_WORD, address::agent_id, refusal::refused};
use crate::{Cx, OpenSpace, paths::is_person};

/// Questions that one request may have, and answers to one question.
const MOST_ANSWERS: usize = 100;

/// What was answered.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Answered {
    /// The request.
    request: String,
    /// Whether it was dismissed without an answer.
    dismissed: bool,
}

/// How a request for permission is answered. `always` is a rule: `approval.answer` saves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ChatPermission")]
pub enum Permission {
    /// Yes, this time.
    Once,
    /// No.
    No,
}

/// Answer what an agent asks a person: its questions, or a request for permission.
///
/// Only a person answers. Give `answers` for questions, `permission` for a request for permission, and nothing to
/// dismiss questions.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Answer {
    /// The id of the request.
    request: String,
    /// The agent; the default agent when left out.
    agent: Option<String>,
    /// The answers, a list for each question: labels of choices, or own words.
    answers: Option<Vec<Vec<String>>>,
    /// The answer to a request for permission.
    permission: Option<Permission>,
    /// What the agent is told with a no.
    message: Option<String>,
}

impl Command<OpenSpace> for Answer {
    const META: Meta = Meta {
        order: Order::Parallel,
        ..Meta::new("chat.answer", "Chat: Answer", Access::Edit).shown(Shown::Searchable)
    };
    type Output = Answered;

    fn summary(&self) -> String {
        format!("answer {}", self.request)
    }

    fn check(&self) -> Result<()> {
        if self.request.is_empty() || self.request.len() > MAX_WORD {
            return Err(Error::invalid("argument `request`: is no id of a request"));
        }
        if self.answers.is_some() && self.permission.is_some() {
            return Err(Error::invalid("give `answers` or `permission`, not both"));
        }
        if self.message.is_some() && self.permission != Some(Permission::No) {
            return Err(Error::invalid("argument `message`: goes with `permission` `no` only"));
        }
        let words = self.answers.iter().flatten().flatten().chain(&self.message);
        if words.into_iter().any(|word| word.len() > 16 * MAX_WORD) {
            return Err(Error::invalid(format!("an answer has at most {} bytes", 16 * MAX_WORD)));
        }
        let lists = self.answers.iter().flatten().map(Vec::len);
        if lists.chain(self.answers.as_ref().map(Vec::len)).any(|count| count > MOST_ANSWERS) {
            return Err(Error::invalid(format!("argument `answers`: at most {MOST_ANSWERS}")));
        }
        Ok(())
    }

    async fn run(self, cx: Cx) -> Result<Answered> {
        if !is_person(&cx.caller) {
            return Err(Error::denied("only a person answers for a person").hint(
                "answer in the browser, or with `openspace chat answer` at the person's own shell",
            ));
        }
        let id = agent_id(&cx.state, self.agent.as_deref()).await?;
        let agent = cx.state.conversations().agent(&id).await?;
        let question = QuestionId(self.request.clone());
        let dismissed = self.answers.is_none() && self.permission.is_none();
        let answered = match (self.answers, self.permission) {
            (Some(answers), _) => agent.answer_question(&question, answers).await,
            (None, None) => agent.reject_question(&question).await,
            (None, Some(permission)) => {
                let answer = match permission {
                    Permission::Once => PermissionAnswer::Once {},
                    Permission::No => PermissionAnswer::Reject { message: self.message },
                };
                agent.answer_permission(&PermissionId(self.request.clone()), answer).await
            }
        };
        answered.map_err(refused)?;
        Ok(Answered { request: self.request, dismissed })
    }

    fn text(answered: &Answered) -> Option<String> {
        let Answered { request, dismissed } = answered;
        Some(format!("{request} is {}.", if *dismissed { "dismissed" } else { "answered" }))
    }
}
