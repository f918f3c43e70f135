//! `chat.read`, `chat.messages`, `chat.todos`, `chat.diff`.
//!
//! `chat.messages` is for pages: everything, as the agent says it, and how it fits to the events that are told meanwhile.
//! `chat.read` is for readers who pay for each word: what was said and done, cut, with the way to the rest.

use std::fmt::Write as _;

use openspace_agents::model::{
    FileDiff, MOST_MESSAGES, Message, MessageId, MessageQuery, Role, Todo,
};
use openspace_command::{Command, Meta, Result, Shown};
use openspace_protocol::Access;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Chats,
    address::{Found, find_running},
    live::Progress,
    refusal::refused,
    session_commands::check_word,
    waiting::asked,
    words::{self, ReadMessage},
};
use crate::{Cx, OpenSpace, bounds::check_bounds};

/// Messages that `chat.read` gives when nobody says how many.
const READ: usize = 6;
/// Messages that it gives at most.
const MOST_READ: usize = 50;
/// Bytes that it gives of one text when several messages are read, and when one is.
const CUT_OF_MANY: usize = 4 * 1024;
const CUT_OF_ONE: usize = 48 * 1024;
/// Bytes of texts that it gives in all; what is over is told as left out.
const READ_BYTES: usize = 64 * 1024;
/// Messages that a page is given when it does not say how many.
const SHOWN: usize = 40;
/// Bytes that a page is given at once; then it asks for fewer messages.
const SHOWN_BYTES: usize = 24 * 1024 * 1024;

/// Messages as a page shows them.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ChatMessages")]
pub struct ShownMessages {
    /// The session as `AGENT/SESSION`.
    address: String,
    /// The messages, oldest first.
    messages: Vec<Message>,
    /// Where older ones go on, for `before`; missing when these are the oldest.
    older: Option<String>,
    /// All events up to this number are in them: leave out those that were told with one that is not higher.
    number: u64,
}

/// Read messages as they are, for a page that shows them.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Messages {
    /// The session.
    session: String,
    /// How many at most; 40 when left out. Fewer come when they are large.
    #[schemars(range(min = 1, max = MOST_MESSAGES))]
    limit: Option<usize>,
    /// Only those before here: `older` of the answer before.
    before: Option<String>,
}

impl Command<OpenSpace> for Messages {
    const META: Meta =
        Meta::new("chat.messages", "Chat: Messages", Access::Read).shown(Shown::Hidden).observes();
    type Output = ShownMessages;

    fn summary(&self) -> String {
        format!("show messages of {}", self.session)
    }

    fn check(&self) -> Result<()> {
        check_bounds("limit", self.limit, 1..=MOST_MESSAGES)
    }

    async fn run(self, cx: Cx) -> Result<ShownMessages> {
        let chats = Chats::of(&cx.state);
        let found = find_running(&cx, &self.session).await?;
        let is_newest = self.before.is_none();
        let mut limit = self.limit.unwrap_or(SHOWN);
        loop {
            let session_id = found.address.session_id.clone();
            let query = MessageQuery { session_id, limit, before: self.before.clone() };
            let mut page = found.agent.messages(query).await.map_err(refused)?;
            let number = chats.complete(&found.address, &mut page, is_newest);
            let size = |message: &Message| serde_json::to_vec(message).map_or(0, |text| text.len());
            if limit > 1 && page.messages.iter().map(size).sum::<usize>() > SHOWN_BYTES {
                // Where the page goes on is the agent's word, so fewer have to be asked for.
                limit = limit.div_ceil(4);
                continue;
            }
            let address = found.address.to_string();
            return Ok(ShownMessages {
                address,
                messages: page.messages,
                older: page.older,
                number,
            });
        }
    }
}

/// What was said in a session.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadOut {
    /// The session as `AGENT/SESSION`.
    address: String,
    /// What it does: `idle`, `busy`, `retry` or, when nothing was told of it yet, `unknown`.
    state: String,
    /// What was said and done, oldest first.
    messages: Vec<ReadMessage>,
    /// Where older messages go on, for `before`; missing when these are the oldest.
    older: Option<String>,
    /// Bytes of text that are not here; `message` gives more of one message.
    left_out: u64,
    /// What it waits for that only a person can give, in sentences.
    asks: Vec<String>,
}

/// Read what was said and done in a session, the newest messages of it.
///
/// Long texts are cut; `message` gives more of one message, `before` goes on with older ones.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Read {
    /// The session: `AGENT/SESSION`, or its id alone for the default agent.
    session: String,
    /// How many messages at most; 6 when left out.
    #[schemars(range(min = 1, max = MOST_READ))]
    limit: Option<usize>,
    /// Only those before here: `older` of the answer before.
    before: Option<String>,
    /// Only this message, with more of its texts.
    message: Option<String>,
}

impl Command<OpenSpace> for Read {
    const META: Meta = Meta::new("chat.read", "Chat: Read", Access::Read).shown(Shown::Searchable);
    type Output = ReadOut;

    fn summary(&self) -> String {
        format!("read session {}", self.session)
    }

    fn check(&self) -> Result<()> {
        check_word("message", self.message.as_deref())?;
        check_bounds("limit", self.limit, 1..=MOST_READ)
    }

    async fn run(self, cx: Cx) -> Result<ReadOut> {
        let chats = Chats::of(&cx.state);
        let found = find_running(&cx, &self.session).await?;
        let Found { address, agent } = &found;
        let (messages, older, cut) = if let Some(id) = self.message {
            let id = MessageId(id);
            let one = agent.message(&address.session_id, &id).await.map_err(refused)?;
            (vec![one], None, CUT_OF_ONE)
        } else {
            let session_id = address.session_id.clone();
            let limit = self.limit.unwrap_or(READ);
            let query = MessageQuery { session_id, limit, before: self.before.clone() };
            let mut page = agent.messages(query).await.map_err(refused)?;
            chats.complete(address, &mut page, self.before.is_none());
            (page.messages, page.older, CUT_OF_MANY)
        };
        let mut progress = chats.progress(address);
        if progress.status.is_none() {
            // Nothing of it was told since somebody listens to this agent.
            progress.status = Some(asked(&found).await?);
        }
        let (messages, left_out) = words::read(&messages, cut, READ_BYTES);
        Ok(ReadOut {
            address: address.to_string(),
            state: words::state(progress.status.as_ref()).to_owned(),
            messages,
            older,
            left_out,
            asks: asks(&progress),
        })
    }

    fn text(read: &ReadOut) -> Option<String> {
        let mut text = words::messages(&read.messages);
        if read.left_out > 0 {
            text.push_str("\n(texts are cut; `message` gives more of one)");
        }
        // Writing to a String cannot fail.
        if let Some(older) = &read.older {
            let _ = write!(text, "\n(older messages: before {older})");
        }
        for ask in &read.asks {
            let _ = write!(text, "\nWaits for a person: {ask}");
        }
        let state = &read.state;
        let _ = write!(text, "\n{}: {state}", read.address);
        Some(text.trim_start().to_owned())
    }
}

/// What a session waits for that only a person can give.
pub(super) fn asks(progress: &Progress) -> Vec<String> {
    let permission = progress.permissions.iter().map(|request| {
        let what = request.title.clone().unwrap_or_else(|| request.patterns.join(", "));
        words::one_line(&format!("may it do this: {} {what}", request.permission))
    });
    let questions = progress.questions.iter().flat_map(|request| &request.questions);
    permission.chain(questions.map(|one| words::one_line(&one.question))).collect()
}

/// What is to be done.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TodosListed {
    /// The list, in the agent's order.
    todos: Vec<Todo>,
}

/// List what an agent means to do in a session.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Todos {
    /// The session: `AGENT/SESSION`, or its id alone for the default agent.
    session: String,
}

impl Command<OpenSpace> for Todos {
    const META: Meta =
        Meta::new("chat.todos", "Chat: Todos", Access::Read).shown(Shown::Searchable);
    type Output = TodosListed;

    fn summary(&self) -> String {
        format!("todos of {}", self.session)
    }

    async fn run(self, cx: Cx) -> Result<TodosListed> {
        let found = find_running(&cx, &self.session).await?;
        let todos = found.agent.todos(&found.address.session_id).await.map_err(refused)?;
        Ok(TodosListed { todos })
    }

    fn text(listed: &TodosListed) -> Option<String> {
        Some(words::lines(listed.todos.iter().map(words::todo), "Nothing is to be done."))
    }
}

/// What was done to files.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Changes {
    /// The message that began the turn.
    message: String,
    /// File by file.
    diffs: Vec<FileDiff>,
}

/// Say what a turn of a session did to files.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Diff {
    /// The session: `AGENT/SESSION`, or its id alone for the default agent.
    session: String,
    /// The message of the person that began the turn; the last one when left out.
    message: Option<String>,
}

impl Command<OpenSpace> for Diff {
    const META: Meta =
        Meta::new("chat.diff", "Chat: Changes of a Turn", Access::Read).shown(Shown::Searchable);
    type Output = Changes;

    fn summary(&self) -> String {
        format!("changes of {}", self.session)
    }

    fn check(&self) -> Result<()> {
        check_word("message", self.message.as_deref())
    }

    async fn run(self, cx: Cx) -> Result<Changes> {
        let found = find_running(&cx, &self.session).await?;
        let id = &found.address.session_id;
        let message = if let Some(message) = self.message {
            MessageId(message)
        } else {
            let query = MessageQuery { session_id: id.clone(), limit: MOST_MESSAGES, before: None };
            let page = found.agent.messages(query).await.map_err(refused)?;
            let mut said = page.messages.into_iter().rev().map(|message| message.info);
            let said = said.find(|message| message.role == Role::User);
            said.map(|message| message.id).ok_or_else(|| {
                openspace_command::Error::not_found("nothing was said in this session yet")
            })?
        };
        let diffs = found.agent.diff(id, &message).await.map_err(refused)?;
        Ok(Changes { message: message.0, diffs })
    }

    fn text(changes: &Changes) -> Option<String> {
        Some(words::lines(changes.diffs.iter().map(words::diff), "No file was changed."))
    }
}
