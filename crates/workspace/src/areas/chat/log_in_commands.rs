//! `chat.log_in`, `chat.open_log_in`, `chat.finish_log_in`, `chat.log_out`: a person logs in to who offers models.
//!
//! A key goes one way, to the agent, which keeps it in its own place: it is in no answer, no summary and no record, and from
//! the moment it is given it is masked wherever it comes up. Nothing is kept here.

use std::{collections::BTreeMap, sync::Arc};

use openspace_agents::{
    Agent,
    model::{Key, KeyLogIn, LogInPage, PageLogIn, ProviderSetting},
};
use openspace_command::{Error, Meta, Result, Shown};
use openspace_protocol::Access;
use openspace_secrets::Value as Secret;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    MAX_WORD, by_person::PersonsCommand, refusal::refused, session_commands::check_word,
    setup_commands::asked, setup_words as words,
};
use crate::Cx;

/// Answers that go with a log-in.
const MOST_ANSWERS: usize = 20;

/// The facts of a log-in: it waits for somebody else, so it holds up no other call.
const fn meta(id: &'static str, title: &'static str) -> Meta {
    Meta::new(id, title, Access::Edit).shown(Shown::Searchable).parallel()
}

/// Something that a provider asks for beside a key.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LogInAnswer {
    /// Under which name it is asked for.
    name: String,
    /// What is answered.
    value: String,
}

/// A provider after a log-in or a log-out.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ProviderSetUp")]
pub struct SetUp {
    /// The agent.
    agent: String,
    /// The provider as the agent has it now.
    provider: ProviderSetting,
    /// Whether the agent goes by it already; otherwise from its next start on, because it is at work.
    is_in_use: bool,
}

impl SetUp {
    fn line(&self) -> String {
        words::set_up(&self.agent, &self.provider, self.is_in_use)
    }

    async fn of(agent: (String, Arc<dyn Agent>), provider: &str, is_in_use: bool) -> Result<Self> {
        let (id, agent) = agent;
        let providers = agent.providers().await.map_err(refused)?;
        let provider = providers.into_iter().find(|it| it.id == provider).ok_or_else(|| {
            Error::not_found(format!("{id} does not offer `{provider}` any more"))
                .hint("chat_providers lists who offers models")
        })?;
        Ok(Self { agent: id, provider, is_in_use })
    }
}

/// Log in to a provider of models with a key.
///
/// The key goes to the agent, which keeps it in its own place; it is told to nobody. Only the person can: in the browser,
/// or at their own shell, where it is read from standard input.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LogIn {
    /// The provider's id, such as `anthropic`.
    provider: String,
    /// The key.
    key: Key,
    /// The agent; the default agent when left out.
    agent: Option<String>,
    /// What the provider asks for beside, by name, as `chat.providers` says.
    answers: Option<Vec<LogInAnswer>>,
}

impl PersonsCommand for LogIn {
    const META: Meta = meta("chat.log_in", "Chat: Log In to a Provider").idempotent();
    type Output = SetUp;

    fn summary(&self) -> String {
        format!("log in to {}", shown(&self.provider))
    }

    fn check(&self) -> Result<()> {
        check_word("provider", Some(&self.provider))?;
        check_answers(self.answers.as_deref())
    }

    async fn run(self, cx: Cx) -> Result<SetUp> {
        hide(&cx, &self.provider, &self.key).await;
        let asked = asked(&cx, self.agent.as_deref()).await?;
        let log_in = KeyLogIn {
            provider: self.provider.clone(),
            key: self.key,
            answers: by_name(self.answers),
        };
        let is_in_use = asked.1.log_in(log_in).await.map_err(refused)?;
        SetUp::of(asked, &self.provider, is_in_use).await
    }

    fn text(set_up: &SetUp) -> Option<String> {
        Some(set_up.line())
    }
}

/// Have the agent forget the key or log-in that it keeps for a provider.
///
/// What comes from the environment or from its configuration stays. Only the person can.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LogOut {
    /// The provider's id.
    provider: String,
    /// The agent; the default agent when left out.
    agent: Option<String>,
}

impl PersonsCommand for LogOut {
    const META: Meta = Meta::new("chat.log_out", "Chat: Log Out of a Provider", Access::Edit)
        .shown(Shown::Searchable)
        .idempotent();
    type Output = SetUp;

    fn summary(&self) -> String {
        format!("log out of {}", shown(&self.provider))
    }

    fn check(&self) -> Result<()> {
        check_word("provider", Some(&self.provider))
    }

    async fn run(self, cx: Cx) -> Result<SetUp> {
        let asked = asked(&cx, self.agent.as_deref()).await?;
        let is_in_use = asked.1.log_out(&self.provider).await.map_err(refused)?;
        SetUp::of(asked, &self.provider, is_in_use).await
    }

    fn text(set_up: &SetUp) -> Option<String> {
        Some(set_up.line())
    }
}

/// A page to log in at.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LogInOpened {
    /// The page.
    #[serde(flatten)]
    page: LogInPage,
}

/// Begin to log in through a page of the provider; `chat.finish_log_in` ends it.
///
/// Only the person can.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpenLogIn {
    /// The provider's id.
    provider: String,
    /// Which of its ways to log in, from 0, as `chat.providers` lists them.
    #[schemars(range(max = 1_000))]
    way: u32,
    /// The agent; the default agent when left out.
    agent: Option<String>,
    /// What the provider asks for beside, by name, as `chat.providers` says.
    answers: Option<Vec<LogInAnswer>>,
}

impl PersonsCommand for OpenLogIn {
    const META: Meta = meta("chat.open_log_in", "Chat: Begin a Log-in in a Page");
    type Output = LogInOpened;

    fn summary(&self) -> String {
        format!("begin to log in to {}", shown(&self.provider))
    }

    fn check(&self) -> Result<()> {
        check_word("provider", Some(&self.provider))?;
        check_way(self.way)?;
        check_answers(self.answers.as_deref())
    }

    async fn run(self, cx: Cx) -> Result<LogInOpened> {
        let (_, agent) = asked(&cx, self.agent.as_deref()).await?;
        let log_in = PageLogIn {
            provider: self.provider,
            way: usize::try_from(self.way).unwrap_or(usize::MAX),
            answers: by_name(self.answers),
        };
        Ok(LogInOpened { page: agent.begin_log_in(log_in).await.map_err(refused)? })
    }

    fn text(opened: &LogInOpened) -> Option<String> {
        Some(words::page(&opened.page))
    }
}

/// End a log-in that began in a page: with the code that the page gave, or by waiting until the agent has heard of it.
///
/// Only the person can.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FinishLogIn {
    /// The provider's id.
    provider: String,
    /// Which of its ways to log in, as it was begun.
    #[schemars(range(max = 1_000))]
    way: u32,
    /// The code that the page gave, if it gives one.
    code: Option<Key>,
    /// The agent; the default agent when left out.
    agent: Option<String>,
}

impl PersonsCommand for FinishLogIn {
    const META: Meta = meta("chat.finish_log_in", "Chat: End a Log-in in a Page");
    type Output = SetUp;

    fn summary(&self) -> String {
        format!("end the log-in to {}", shown(&self.provider))
    }

    fn check(&self) -> Result<()> {
        check_word("provider", Some(&self.provider))?;
        check_way(self.way)
    }

    async fn run(self, cx: Cx) -> Result<SetUp> {
        if let Some(code) = &self.code {
            hide(&cx, &self.provider, code).await;
        }
        let asked = asked(&cx, self.agent.as_deref()).await?;
        let way = usize::try_from(self.way).unwrap_or(usize::MAX);
        let is_in_use =
            asked.1.finish_log_in(&self.provider, way, self.code).await.map_err(refused)?;
        SetUp::of(asked, &self.provider, is_in_use).await
    }

    fn text(set_up: &SetUp) -> Option<String> {
        Some(set_up.line())
    }
}

/// From now on it is masked in all that agents and records get.
async fn hide(cx: &Cx, provider: &str, key: &Key) {
    let secret = Secret::new(&format!("key of {}", shown(provider)), key.reveal());
    cx.state.secrets().learn(secret).await;
}

/// An id that somebody typed: a key that was put in its place by mistake is cut to nothing of use.
fn shown(provider: &str) -> String {
    let is_id = provider.len() <= 40
        && provider.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    if is_id && !provider.starts_with("sk-") { provider.to_owned() } else { "(no id)".to_owned() }
}

fn check_way(way: u32) -> Result<()> {
    match way {
        0..=1_000 => Ok(()),
        _ => Err(Error::invalid("argument `way`: must be 0 to 1000")),
    }
}

fn check_answers(answers: Option<&[LogInAnswer]>) -> Result<()> {
    let answers = answers.unwrap_or_default();
    if answers.len() > MOST_ANSWERS {
        return Err(Error::invalid(format!("argument `answers`: at most {MOST_ANSWERS}")));
    }
    let mut words = answers.iter().flat_map(|it| [&it.name, &it.value]);
    if words.any(|word| word.len() > MAX_WORD) {
        return Err(Error::invalid(format!("argument `answers`: at most {MAX_WORD} bytes each")));
    }
    Ok(())
}

fn by_name(answers: Option<Vec<LogInAnswer>>) -> BTreeMap<String, String> {
    answers.into_iter().flatten().map(|it| (it.name, it.value)).collect()
}
