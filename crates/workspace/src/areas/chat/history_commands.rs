//! `chat.fork`, `chat.revert`, `chat.unrevert`, `chat.compact`, `chat.share`, `chat.unshare`.

use openspace_agents::model::{MessageId, ModelChoice, PartId, RevertTo};
use openspace_command::{Caller, Command, Error, Intent, Meta, Result, Shown};
use openspace_protocol::Access;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ChatsPart,
    address::{Found, find, find_running},
    commands::speaking_to,
    note,
    refusal::refused,
    session_commands::{OneSession, parse_model},
};
use crate::{Cx, OpenSpace};

/// Begin a session with the messages of another.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Fork {
    /// The session: `AGENT/SESSION`, or its id alone for the default agent.
    session: String,
    /// Only the messages before this one; all when left out.
    before: Option<String>,
}

impl Command<OpenSpace> for Fork {
    const META: Meta =
        Meta::new("chat.fork", "Chat: Fork Session", Access::Edit).shown(Shown::Searchable);
    type Output = OneSession;

    fn summary(&self) -> String {
        format!("fork session {}", self.session)
    }

    async fn run(self, cx: Cx) -> Result<OneSession> {
        let found = find_running(&cx, &self.session).await?;
        let before = self.before.map(MessageId);
        let forked = found.agent.fork(&found.address.session_id, before.as_ref());
        let session = forked.await.map_err(refused)?;
        let one = OneSession::of(&cx, &found.address.agent, &*found.agent, session).await?;
        let (from, to) = (found.address.to_string(), one.listed.address.clone());
        let (seen, now) = (one.listed.session.updated.unwrap_or_default(), cx.state.now());
        cx.state
            .space()
            .change(|state| {
                let chosen = state.part::<ChatsPart>().get(from.as_str()).cloned();
                let chosen = chosen.unwrap_or_default();
                note(state, &to, now, |noted| {
                    (noted.model, noted.mode, noted.seen) = (chosen.model, chosen.mode, seen);
                });
                Ok(())
            })
            .await?;
        Ok(one)
    }

    fn text(one: &OneSession) -> Option<String> {
        Some(one.line())
    }
}

/// Undo a message and all after it, with what they did to files.
///
/// Until something is said again, `chat.unrevert` takes it back.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Revert {
    /// The session: `AGENT/SESSION`, or its id alone for the default agent.
    session: String,
    /// The first message to undo.
    message_id: String,
    /// The first part of it to undo; all of it when left out.
    part_id: Option<String>,
}

impl Command<OpenSpace> for Revert {
    const META: Meta =
        Meta::new("chat.revert", "Chat: Revert Messages", Access::Destroy).shown(Shown::Searchable);
    type Output = OneSession;

    fn summary(&self) -> String {
        format!("revert session {} to before {}", self.session, self.message_id)
    }

    async fn run(self, cx: Cx) -> Result<OneSession> {
        let found = find(&cx.state, &self.session).await?;
        let part_id = self.part_id.map(PartId);
        let to = RevertTo { message_id: MessageId(self.message_id), part_id };
        let session = found.agent.revert(&found.address.session_id, to).await.map_err(refused)?;
        OneSession::of(&cx, &found.address.agent, &*found.agent, session).await
    }

    fn text(one: &OneSession) -> Option<String> {
        Some(one.line())
    }
}

/// Take back that messages were undone.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Unrevert {
    /// The session: `AGENT/SESSION`, or its id alone for the default agent.
    session: String,
}

impl Command<OpenSpace> for Unrevert {
    const META: Meta = Meta::new("chat.unrevert", "Chat: Take Revert Back", Access::Destroy)
        .shown(Shown::Searchable);
    type Output = OneSession;

    fn summary(&self) -> String {
        format!("take back the revert of session {}", self.session)
    }

    async fn run(self, cx: Cx) -> Result<OneSession> {
        let found = find(&cx.state, &self.session).await?;
        let session = found.agent.unrevert(&found.address.session_id).await.map_err(refused)?;
        OneSession::of(&cx, &found.address.agent, &*found.agent, session).await
    }

    fn text(one: &OneSession) -> Option<String> {
        Some(one.line())
    }
}

/// What was begun.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Compacting {
    /// The session, whose turn this is now; `chat.wait` waits for its end.
    address: String,
}

/// Have a model make a summary that stands for all messages so far.
///
/// It is a turn of its own, and over when the session is idle.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Compact {
    /// The session: `AGENT/SESSION`, or its id alone for the default agent.
    session: String,
    /// The model that makes it: `PROVIDER/MODEL`; that of the session when left out.
    model: Option<String>,
}

impl Command<OpenSpace> for Compact {
    const META: Meta =
        Meta::new("chat.compact", "Chat: Compact Session", Access::Reach).shown(Shown::Searchable);
    type Output = Compacting;

    fn summary(&self) -> String {
        format!("compact session {}", self.session)
    }

    fn check(&self) -> Result<()> {
        self.model.as_deref().map(parse_model).transpose().map(drop)
    }

    fn intent(&self, _state: &OpenSpace, _caller: &Caller) -> Intent {
        speaking_to(Some(&self.session))
    }

    async fn run(self, cx: Cx) -> Result<Compacting> {
        let found = find(&cx.state, &self.session).await?;
        let given = self.model.as_deref().map(parse_model).transpose()?;
        let model = match given {
            Some(model) => model,
            None => model_of(&cx, &found).await?,
        };
        found.agent.compact(&found.address.session_id, model).await.map_err(refused)?;
        Ok(Compacting { address: found.address.to_string() })
    }

    fn text(compacting: &Compacting) -> Option<String> {
        Some(format!("{} is being compacted.", compacting.address))
    }
}

/// The model of a session: the one that is chosen, that was used last, or that the agent uses by itself.
async fn model_of(cx: &Cx, found: &Found) -> Result<ModelChoice> {
    let noted = cx.state.space().state();
    let noted = noted.part::<ChatsPart>().get(found.address.to_string().as_str()).cloned();
    if let Some(model) = noted.and_then(|noted| noted.model) {
        return Ok(model);
    }
    let id = &found.address.session_id;
    if let Some(model) = found.agent.session(id).await.map_err(refused)?.model {
        return Ok(model);
    }
    let models = found.agent.models(Some(id)).await.map_err(refused)?;
    models.default.ok_or_else(|| {
        Error::conflict("no model is chosen for this session")
            .hint("give `model`; chat_models lists them")
    })
}

/// Put a session where others can read it. Everything that was said in it leaves this machine.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Share {
    /// The session: `AGENT/SESSION`, or its id alone for the default agent.
    session: String,
}

impl Command<OpenSpace> for Share {
    const META: Meta =
        Meta::new("chat.share", "Chat: Share Session", Access::Reach).shown(Shown::Searchable);
    type Output = OneSession;

    fn summary(&self) -> String {
        format!("share session {}", self.session)
    }

    async fn run(self, cx: Cx) -> Result<OneSession> {
        let found = find(&cx.state, &self.session).await?;
        let session = found.agent.share(&found.address.session_id).await.map_err(refused)?;
        OneSession::of(&cx, &found.address.agent, &*found.agent, session).await
    }

    fn text(one: &OneSession) -> Option<String> {
        Some(one.line())
    }
}

/// Take a session away from where others can read it.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Unshare {
    /// The session: `AGENT/SESSION`, or its id alone for the default agent.
    session: String,
}

impl Command<OpenSpace> for Unshare {
    const META: Meta = Meta::new("chat.unshare", "Chat: Stop Sharing Session", Access::Reach)
        .shown(Shown::Searchable)
        .idempotent();
    type Output = OneSession;

    fn summary(&self) -> String {
        format!("stop sharing session {}", self.session)
    }

    async fn run(self, cx: Cx) -> Result<OneSession> {
        let found = find(&cx.state, &self.session).await?;
        let session = found.agent.unshare(&found.address.session_id).await.map_err(refused)?;
        OneSession::of(&cx, &found.address.agent, &*found.agent, session).await
    }

    fn text(one: &OneSession) -> Option<String> {
        Some(one.line())
    }
}
