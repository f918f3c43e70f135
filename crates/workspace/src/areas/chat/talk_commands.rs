//! `chat.send`, `chat.run`, `chat.wait`, `chat.abort`.

use std::time::Duration;

use openspace_agents::{
    Ability,
    model::{Failure, MessageId, ModelChoice, PromptPart, SlashCommandCall},
};
use openspace_command::{Caller, Command, Error, Intent, Meta, Result, Shown};
use openspace_protocol::Access;
use openspace_space::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Attachment, ChatDraft, Chats, ChatsPart, SessionAddress,
    address::{Found, find, find_running},
    attachments,
    commands::speaking_to,
    keep_draft,
    refusal::refused,
    session_commands::{begin, check_word, parse_model},
    waiting::{Waited, turn_over},
    words,
};
use crate::{Cx, OpenSpace, bounds::check_bounds};

/// How long a turn is waited for when nobody says how long, in milliseconds.
const WAITED: u64 = 10 * 60 * 1000;
/// How long it is waited for at most.
const LONGEST_WAIT: u64 = 60 * 60 * 1000;
/// Bytes of an answer that are given; `chat.read` gives more.
const LONGEST_ANSWER: usize = 64 * 1024;

/// What became of what was said.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ChatSaid")]
pub struct Said {
    /// The session as `AGENT/SESSION`.
    address: String,
    /// The message that was made of it.
    message_id: Option<String>,
    /// The turn, if it was waited for.
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<Turn>,
}

/// How a turn ended.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ChatTurn")]
pub struct Turn {
    /// Whether it is over; otherwise the time was, and it goes on.
    is_over: bool,
    /// What the agent said.
    answer: String,
    /// Bytes of it that are not here; `chat.read` gives them.
    left_out: u64,
    /// The last message of the answer.
    answer_id: Option<String>,
    /// Why it is not complete.
    failure: Option<Failure>,
    /// What it waits for that only a person can give, in sentences.
    asks: Vec<String>,
}

impl Turn {
    fn of(waited: Waited) -> Self {
        let Waited { is_over, mut answer, message, failure, asks } = waited;
        let whole = answer.len();
        answer.truncate(answer.floor_char_boundary(LONGEST_ANSWER));
        let left_out = (whole - answer.len()) as u64;
        let answer_id = message.map(|id| id.0);
        Self { is_over, answer, left_out, answer_id, failure, asks }
    }

    fn text(&self, address: &str) -> String {
        let mut text = self.answer.clone();
        let mut line = |words: String| {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&words);
        };
        if self.left_out > 0 {
            line(format!("({} more bytes; chat_read {address} gives them)", self.left_out));
        }
        if let Some(failure) = &self.failure {
            line(format!("The turn failed: {}", failure.message));
        }
        for ask in &self.asks {
            line(format!("Waits for a person: {ask}"));
        }
        if !self.is_over {
            line(format!("The turn goes on; chat_wait {address} waits for its end."));
        }
        text
    }
}

impl Said {
    fn text(&self) -> String {
        match &self.turn {
            Some(turn) => turn.text(&self.address),
            None => format!("Said in {}.", self.address),
        }
    }

    /// A turn that failed ends like a program that did.
    fn exit_code(&self) -> Option<u8> {
        let turn = self.turn.as_ref()?;
        (turn.failure.is_some() || !turn.is_over).then_some(1)
    }
}

/// Say something to an agent.
///
/// Left out, the session is a new one. While the agent works, what is said waits for its turn. With `wait` the answer
/// is what the agent said; without, `chat.wait` waits and `chat.read` reads.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Send {
    /// What to say.
    text: String,
    /// The session: `AGENT/SESSION`, or its id alone for the default agent. A new one when left out.
    session: Option<String>,
    /// The agent of a new session; the default agent when left out.
    agent: Option<String>,
    /// Files that go with it, with lines where only these are meant: `src/main.rs`, `src/main.rs:3-9`.
    #[serde(default)]
    files: Vec<String>,
    /// What else goes with it: files with lines, texts such as selections, pictures, agents to hand work to.
    #[serde(default)]
    attachments: Vec<Attachment>,
    /// The model: `PROVIDER/MODEL`, with `#VARIANT` behind it; what is chosen for the session when left out.
    model: Option<String>,
    /// The way of working; what is chosen for the session when left out.
    mode: Option<String>,
    /// Wait until the turn is over.
    #[serde(default)]
    wait: bool,
    /// How long to wait at most, in milliseconds; ten minutes when left out.
    #[schemars(range(min = 1, max = LONGEST_WAIT))]
    timeout_ms: Option<u64>,
}

impl Send {
    /// All that goes with it.
    fn attached(&self) -> impl Iterator<Item = Attachment> + '_ {
        let files = self.files.iter().map(|written| attachments::file(written));
        files.chain(self.attachments.iter().cloned())
    }
}

impl Command<OpenSpace> for Send {
    const META: Meta =
        Meta::new("chat.send", "Chat: Send", Access::Reach).shown(Shown::Searchable).parallel();
    type Output = Said;

    fn summary(&self) -> String {
        format!("say something in {}", self.session.as_deref().unwrap_or("a new session"))
    }

    fn paths(&self) -> Vec<String> {
        let path = |attachment: Attachment| match attachment {
            Attachment::File { path, .. } => Some(path),
            _ => None,
        };
        self.attached().filter_map(path).collect()
    }

    fn check(&self) -> Result<()> {
        let attached: Vec<Attachment> = self.attached().collect();
        attachments::check(&self.text, &attached)?;
        if self.text.trim().is_empty() && attached.is_empty() {
            return Err(Error::invalid("argument `text`: says nothing"));
        }
        if self.session.is_some() && self.agent.is_some() {
            return Err(Error::invalid("argument `agent`: a session has its own"));
        }
        check_word("mode", self.mode.as_deref())?;
        check_bounds("timeoutMs", self.timeout_ms, 1..=LONGEST_WAIT)?;
        self.model.as_deref().map(parse_model).transpose().map(drop)
    }

    fn intent(&self, _state: &OpenSpace, _caller: &Caller) -> Intent {
        speaking_to(self.session.as_deref().or(self.agent.as_deref()))
    }

    async fn run(self, cx: Cx) -> Result<Said> {
        let chats = Chats::of(&cx.state);
        let attached = self.attached().collect();
        let mut prompt = attachments::prompt(&cx, &self.text, attached).await?;
        let model = self.model.as_deref().map(parse_model).transpose()?;
        let found = if let Some(session) = &self.session {
            find(&cx.state, session).await?
        } else {
            let (model, mode) = (model.clone(), self.mode.clone());
            let begun = begin(&cx, self.agent.as_deref(), None, model, mode).await?;
            let address = SessionAddress { agent: begun.id, session_id: begun.session.id };
            Found { address, agent: begun.agent }
        };
        if prompt.parts.iter().any(|part| matches!(part, PromptPart::Image { .. })) {
            found.agent.capabilities().check(Ability::Images).map_err(refused)?;
        }
        (prompt.model, prompt.mode) = chosen(&cx, &found.address, model, self.mode);
        let sent = found.agent.send(&found.address.session_id, prompt).await;
        let id = match sent {
            Ok(id) => id,
            // Who is refused must know the session that was begun for it.
            Err(error) if self.session.is_none() => {
                let mut error = refused(error);
                error.message = format!("{} ({} was begun)", error.message, found.address);
                return Err(error);
            }
            Err(error) => return Err(refused(error)),
        };
        drop_draft(&cx, &found.address, self.session.is_none()).await?;
        said(&cx, &chats, &found, id, self.wait, self.timeout_ms).await
    }

    fn text(said: &Said) -> Option<String> {
        Some(said.text())
    }

    fn exit_code(said: &Said) -> Option<u8> {
        said.exit_code()
    }
}

/// What is given, or else was chosen for the session.
fn chosen(
    cx: &Cx,
    address: &SessionAddress,
    model: Option<ModelChoice>,
    mode: Option<String>,
) -> (Option<ModelChoice>, Option<String>) {
    let state = cx.state.space().state();
    let noted = state.part::<ChatsPart>().get(address.to_string().as_str()).cloned();
    let noted = noted.unwrap_or_default();
    (model.or(noted.model), mode.or(noted.mode))
}

/// A person's draft is gone once they said it.
async fn drop_draft(cx: &Cx, address: &SessionAddress, was_new: bool) -> Result<()> {
    if !crate::paths::is_person(&cx.caller) {
        return Ok(());
    }
    let key = if was_new { format!("{}/", address.agent) } else { address.to_string() };
    let forget = |state: &mut State| {
        keep_draft(state, &key, ChatDraft::default());
        Ok(())
    };
    cx.state.space().change(forget).await
}

async fn said(
    cx: &Cx,
    chats: &Chats,
    found: &Found,
    id: MessageId,
    wait: bool,
    timeout_ms: Option<u64>,
) -> Result<Said> {
    let turn = if wait {
        let patience = Duration::from_millis(timeout_ms.unwrap_or(WAITED));
        Some(Turn::of(turn_over(cx, chats, found, Some(&id), patience).await?))
    } else {
        None
    };
    Ok(Said { address: found.address.to_string(), message_id: Some(id.0), turn })
}

/// Run a slash command of an agent in a session.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Run {
    /// The session: `AGENT/SESSION`, or its id alone for the default agent.
    session: String,
    /// Its name, without the slash.
    name: String,
    /// What stands behind it.
    arguments: Option<String>,
    /// Wait until the turn is over.
    #[serde(default)]
    wait: bool,
    /// How long to wait at most, in milliseconds; ten minutes when left out.
    #[schemars(range(min = 1, max = LONGEST_WAIT))]
    timeout_ms: Option<u64>,
}

impl Command<OpenSpace> for Run {
    const META: Meta = Meta::new("chat.run", "Chat: Run Slash Command", Access::Reach)
        .shown(Shown::Searchable)
        .parallel();
    type Output = Said;

    fn summary(&self) -> String {
        format!("run /{} in {}", self.name, self.session)
    }

    fn check(&self) -> Result<()> {
        check_word("name", Some(&self.name))?;
        check_bounds("timeoutMs", self.timeout_ms, 1..=LONGEST_WAIT)?;
        attachments::check(self.arguments.as_deref().unwrap_or_default(), &[])
    }

    fn intent(&self, _state: &OpenSpace, _caller: &Caller) -> Intent {
        speaking_to(Some(&self.session))
    }

    async fn run(self, cx: Cx) -> Result<Said> {
        let chats = Chats::of(&cx.state);
        let found = find(&cx.state, &self.session).await?;
        let (model, mode) = chosen(&cx, &found.address, None, None);
        let name = self.name.trim_start_matches('/').to_owned();
        let arguments = self.arguments.unwrap_or_default();
        let call = SlashCommandCall { name, arguments, message_id: None, model, mode };
        let id = found.agent.command(&found.address.session_id, call).await.map_err(refused)?;
        drop_draft(&cx, &found.address, false).await?;
        said(&cx, &chats, &found, id, self.wait, self.timeout_ms).await
    }

    fn text(said: &Said) -> Option<String> {
        Some(said.text())
    }

    fn exit_code(said: &Said) -> Option<u8> {
        said.exit_code()
    }
}

/// Wait until a session is idle; the answer is what its agent said last.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Wait {
    /// The session: `AGENT/SESSION`, or its id alone for the default agent.
    session: String,
    /// How long to wait at most, in milliseconds; ten minutes when left out.
    #[schemars(range(min = 1, max = LONGEST_WAIT))]
    timeout_ms: Option<u64>,
}

impl Command<OpenSpace> for Wait {
    const META: Meta = Meta::new("chat.wait", "Chat: Wait", Access::Read).shown(Shown::Searchable);
    type Output = Said;

    fn summary(&self) -> String {
        format!("wait for {}", self.session)
    }

    fn check(&self) -> Result<()> {
        check_bounds("timeoutMs", self.timeout_ms, 1..=LONGEST_WAIT)
    }

    async fn run(self, cx: Cx) -> Result<Said> {
        let chats = Chats::of(&cx.state);
        let found = find_running(&cx, &self.session).await?;
        let patience = Duration::from_millis(self.timeout_ms.unwrap_or(WAITED));
        let turn = turn_over(&cx, &chats, &found, None, patience).await?;
        let address = found.address.to_string();
        Ok(Said { address, message_id: None, turn: Some(Turn::of(turn)) })
    }

    fn text(said: &Said) -> Option<String> {
        Some(said.text())
    }

    fn exit_code(said: &Said) -> Option<u8> {
        said.exit_code()
    }
}

/// What was stopped.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Aborted {
    /// The session as `AGENT/SESSION`.
    address: String,
}

/// Stop what an agent does in a session. One that does nothing is no error.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Abort {
    /// The session: `AGENT/SESSION`, or its id alone for the default agent.
    session: String,
}

impl Command<OpenSpace> for Abort {
    const META: Meta = Meta::new("chat.abort", "Chat: Stop", Access::Destroy)
        .shown(Shown::Searchable)
        .parallel()
        .idempotent();
    type Output = Aborted;

    fn summary(&self) -> String {
        format!("stop session {}", self.session)
    }

    async fn run(self, cx: Cx) -> Result<Aborted> {
        let found = find(&cx.state, &self.session).await?;
        found.agent.abort(&found.address.session_id).await.map_err(refused)?;
        Ok(Aborted { address: found.address.to_string() })
    }

    fn text(aborted: &Aborted) -> Option<String> {
        Some(words::stopped(&aborted.address))
    }
}
