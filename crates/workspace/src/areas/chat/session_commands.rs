//! `chat.sessions`, `chat.create`, `chat.rename`, `chat.delete`.

use std::{collections::HashMap, sync::Arc};

use openspace_agents::{
    Agent,
    model::{
        MOST_SESSIONS, ModelChoice, NewSession, Session, SessionId, SessionQuery, SessionStatus,
    },
};
use openspace_command::{Command, Error, Meta, Result, Shown};
use openspace_protocol::Access;
use openspace_space::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Chats, ChatsPart, MAX_WORD, SessionAddress,
    address::{agent_id, find, find_running, running},
    forget, note,
    refusal::refused,
    words,
};
use crate::{Cx, OpenSpace, bounds::check_bounds};

/// A session.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ChatSession")]
pub struct ListedSession {
    /// What it is named by here: `AGENT/SESSION`.
    pub(super) address: String,
    /// Its agent.
    pub(super) agent: String,
    /// What its agent says of it.
    pub(super) session: Session,
    /// What it does.
    pub(super) status: SessionStatus,
    /// Whether something changed in it since a person saw it last.
    pub(super) unread: bool,
}

impl ListedSession {
    pub(super) fn of(state: &State, agent: &str, session: Session, status: SessionStatus) -> Self {
        let session_id = session.id.clone();
        let address = SessionAddress { agent: agent.to_owned(), session_id }.to_string();
        let noted = state.part::<ChatsPart>().get(address.as_str());
        let changed = session.updated.or(session.created).unwrap_or_default();
        let unread = noted.is_some_and(|noted| changed > noted.seen);
        Self { address, agent: agent.to_owned(), session, status, unread }
    }
}

/// One session.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OneSession {
    /// The session as it is now.
    #[serde(flatten)]
    pub(super) listed: ListedSession,
}

impl OneSession {
    /// The session as its agent just said it is, with what it does now.
    pub(super) async fn of(cx: &Cx, id: &str, agent: &dyn Agent, session: Session) -> Result<Self> {
        let busy = agent.statuses().await.map_err(refused)?;
        let status = busy.into_iter().find(|one| one.session_id == session.id);
        let status = status.map_or(SessionStatus::Idle {}, |one| one.status);
        let state = cx.state.space().state();
        Ok(Self { listed: ListedSession::of(&state, id, session, status) })
    }

    pub(super) fn line(&self) -> String {
        words::session(&self.listed)
    }
}

/// Sessions.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsListed {
    /// The sessions, the one that changed last first.
    sessions: Vec<ListedSession>,
    /// Where the list goes on, for `after`; missing when there are no more.
    next: Option<String>,
}

/// List the sessions of an agent, the one that changed last first.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Sessions {
    /// The agent; the default agent when left out.
    agent: Option<String>,
    /// Only those with this in their title.
    search: Option<String>,
    /// Those of sub-agents too.
    #[serde(default)]
    all: bool,
    /// How many at most; 50 when left out.
    #[schemars(range(min = 1, max = MOST_SESSIONS))]
    limit: Option<usize>,
    /// Go on from here: `next` of the answer before.
    after: Option<String>,
}

/// Sessions that are listed when nobody says how many.
const LISTED: usize = 50;

impl Command<OpenSpace> for Sessions {
    const META: Meta =
        Meta::new("chat.sessions", "Chat: Sessions", Access::Read).shown(Shown::Searchable);
    type Output = SessionsListed;

    fn summary(&self) -> String {
        format!("list sessions of {}", self.agent.as_deref().unwrap_or("the default agent"))
    }

    fn check(&self) -> Result<()> {
        check_bounds("limit", self.limit, 1..=MOST_SESSIONS)
    }

    async fn run(self, cx: Cx) -> Result<SessionsListed> {
        let id = agent_id(&cx.state, self.agent.as_deref()).await?;
        let agent = running(&cx, &id).await?;
        Chats::of(&cx.state);
        let query = SessionQuery {
            search: self.search.filter(|words| !words.is_empty()),
            only_roots: !self.all,
            limit: Some(self.limit.unwrap_or(LISTED)),
            after: self.after,
        };
        let page = agent.sessions(query).await.map_err(refused)?;
        let busy = agent.statuses().await.map_err(refused)?;
        let mut busy: HashMap<SessionId, SessionStatus> =
            busy.into_iter().map(|one| (one.session_id, one.status)).collect();
        let state = cx.state.space().state();
        let listed = page.sessions.into_iter().map(|mut session| {
            // What an undoing did is read with the session itself: here it would be most of the answer.
            if let Some(reverted) = &mut session.reverted {
                reverted.diff = None;
            }
            let status = busy.remove(&session.id).unwrap_or(SessionStatus::Idle {});
            ListedSession::of(&state, &id, session, status)
        });
        Ok(SessionsListed { sessions: listed.collect(), next: page.next })
    }

    fn text(listed: &SessionsListed) -> Option<String> {
        Some(words::sessions(&listed.sessions, listed.next.as_deref()))
    }
}

/// Begin a session with an agent. Nothing is said yet.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Create {
    /// What it is about; left out, the agent finds a title.
    title: Option<String>,
    /// The agent; the default agent when left out.
    agent: Option<String>,
    /// The model: `PROVIDER/MODEL`, with `#VARIANT` behind it for a variant.
    ///
    /// What is chosen for new sessions when left out.
    model: Option<String>,
    /// The way of working, such as `plan`.
    mode: Option<String>,
}

impl Command<OpenSpace> for Create {
    const META: Meta =
        Meta::new("chat.create", "Chat: New Session", Access::Edit).shown(Shown::Searchable);
    type Output = OneSession;

    fn summary(&self) -> String {
        format!("begin a session with {}", self.agent.as_deref().unwrap_or("the default agent"))
    }

    fn check(&self) -> Result<()> {
        check_word("title", self.title.as_deref())?;
        check_word("mode", self.mode.as_deref())?;
        self.model.as_deref().map(parse_model).transpose().map(drop)
    }

    async fn run(self, cx: Cx) -> Result<OneSession> {
        let id = agent_id(&cx.state, self.agent.as_deref()).await?;
        drop(running(&cx, &id).await?);
        let model = self.model.as_deref().map(parse_model).transpose()?;
        let begun = begin(&cx, self.agent.as_deref(), self.title, model, self.mode).await?;
        OneSession::of(&cx, &begun.id, &*begun.agent, begun.session).await
    }

    fn text(one: &OneSession) -> Option<String> {
        Some(one.line())
    }
}

/// A session that began.
pub(super) struct Begun {
    /// The id of its agent.
    pub(super) id: String,
    pub(super) agent: Arc<dyn Agent>,
    pub(super) session: Session,
}

/// Begin a session with what is given, or else chosen for new ones. It is noted, so that what happens in it counts as
/// unread.
pub(super) async fn begin(
    cx: &Cx,
    agent: Option<&str>,
    title: Option<String>,
    model: Option<ModelChoice>,
    mode: Option<String>,
) -> Result<Begun> {
    let id = agent_id(&cx.state, agent).await?;
    let agent = cx.state.conversations().agent(&id).await?;
    Chats::of(&cx.state);
    let chosen = cx.state.space().state();
    let chosen = chosen.part::<ChatsPart>().get(format!("{id}/").as_str()).cloned();
    let chosen = chosen.unwrap_or_default();
    let (model, mode) = (model.or(chosen.model), mode.or(chosen.mode));
    let new = NewSession { title, model: model.clone(), mode: mode.clone() };
    let session = agent.create(new).await.map_err(refused)?;
    let address = SessionAddress { agent: id.clone(), session_id: session.id.clone() }.to_string();
    let (seen, now) = (session.updated.or(session.created).unwrap_or_default(), cx.state.now());
    cx.state
        .space()
        .change(|state| {
            note(state, &address, now, |noted| {
                (noted.model, noted.mode, noted.seen) = (model, mode, seen);
            });
            Ok(())
        })
        .await?;
    Ok(Begun { id, agent, session })
}

/// A model as it is written: `PROVIDER/MODEL#VARIANT`, where an agent without providers has none before the slash.
pub(super) fn parse_model(written: &str) -> Result<ModelChoice> {
    let (name, variant) = match written.rsplit_once('#') {
        Some((name, variant)) if !variant.is_empty() => (name, Some(variant.to_owned())),
        _ => (written, None),
    };
    let (provider, model) = name.split_once('/').unwrap_or(("", name));
    if model.is_empty() || written.len() > MAX_WORD {
        return Err(Error::invalid("argument `model`: is no `PROVIDER/MODEL`")
            .hint("chat_models lists the models"));
    }
    Ok(ModelChoice { provider: provider.to_owned(), model: model.to_owned(), variant })
}

/// A word of bounded length.
pub(super) fn check_word(argument: &str, word: Option<&str>) -> Result<()> {
    match word {
        Some(word) if word.trim().is_empty() || word.len() > MAX_WORD => {
            Err(Error::invalid(format!("argument `{argument}`: must be 1 to {MAX_WORD} bytes")))
        }
        _ => Ok(()),
    }
}

/// Give a session another title.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Rename {
    /// The session: `AGENT/SESSION`, or its id alone for the default agent.
    session: String,
    /// The title.
    title: String,
}

impl Command<OpenSpace> for Rename {
    const META: Meta = Meta::new("chat.rename", "Chat: Rename Session", Access::Edit)
        .shown(Shown::Searchable)
        .idempotent();
    type Output = OneSession;

    fn summary(&self) -> String {
        format!("rename session {}", self.session)
    }

    fn check(&self) -> Result<()> {
        check_word("title", Some(&self.title))
    }

    async fn run(self, cx: Cx) -> Result<OneSession> {
        let found = find_running(&cx, &self.session).await?;
        let session = &found.address.session_id;
        let session = found.agent.rename(session, &self.title).await.map_err(refused)?;
        OneSession::of(&cx, &found.address.agent, &*found.agent, session).await
    }

    fn text(one: &OneSession) -> Option<String> {
        Some(one.line())
    }
}

/// What is gone.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Deleted {
    /// The session that is gone.
    address: String,
}

/// Delete a session with all it holds. It cannot be had back.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Delete {
    /// The session: `AGENT/SESSION`, or its id alone for the default agent.
    session: String,
}

impl Command<OpenSpace> for Delete {
    const META: Meta =
        Meta::new("chat.delete", "Chat: Delete Session", Access::Destroy).shown(Shown::Searchable);
    type Output = Deleted;

    fn summary(&self) -> String {
        format!("delete session {}", self.session)
    }

    async fn run(self, cx: Cx) -> Result<Deleted> {
        let found = find(&cx.state, &self.session).await?;
        found.agent.delete(&found.address.session_id).await.map_err(refused)?;
        let address = found.address.to_string();
        let change = |state: &mut State| {
            forget(state, &address);
            Ok(())
        };
        cx.state.space().change(change).await?;
        Ok(Deleted { address })
    }

    fn text(deleted: &Deleted) -> Option<String> {
        Some(format!("{} is deleted.", deleted.address))
    }
}
