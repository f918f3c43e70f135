//! `chat.draft`, `chat.seen`, `chat.may_attach`: what a person was about to say and has seen, and what may go with it.

use openspace_command::{Command, Error, Meta, Result, Shown};
use openspace_protocol::Access;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Attachment, ChatDraft, MAX_DRAFT,
    address::{address, note_key},
    attachments,
    commands::check_no_agent,
    keep_draft, note,
};
use crate::{Cx, OpenSpace};

/// What a note is kept under.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Noted {
    /// The session as `AGENT/SESSION`, or `AGENT/` for the next new session of an agent.
    address: String,
}

/// Keep what a person is about to say; an empty text without attachments is no draft.
///
/// At most 64 KB with what is attached; pictures are too large for that and stay in the page.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Draft {
    /// The words.
    text: String,
    /// The session; left out, it is for the next new session of the agent.
    session: Option<String>,
    /// The agent, without a session; the default agent when left out.
    agent: Option<String>,
    /// What is to go with the words.
    #[serde(default)]
    attachments: Vec<Attachment>,
}

impl Command<OpenSpace> for Draft {
    const META: Meta = Meta::new("chat.draft", "Chat: Keep Draft", Access::View)
        .shown(Shown::Hidden)
        .idempotent()
        .observes();
    type Output = Noted;

    fn summary(&self) -> String {
        "keep a draft".into()
    }

    fn check(&self) -> Result<()> {
        if self.session.is_some() && self.agent.is_some() {
            return Err(Error::invalid("argument `agent`: a session has its own"));
        }
        attachments::check(&self.text, &self.attachments)?;
        let attached: usize = self.attachments.iter().map(Attachment::weight).sum();
        if self.text.len() + attached > MAX_DRAFT {
            return Err(Error::invalid(format!("a draft has at most {MAX_DRAFT} bytes"))
                .hint("send it, or attach a file instead of its text"));
        }
        Ok(())
    }

    async fn run(self, cx: Cx) -> Result<Noted> {
        check_no_agent(&cx.caller, "drafts")?;
        let address = note_key(&cx.state, self.session.as_deref(), self.agent.as_deref()).await?;
        let noted_at = cx.state.now();
        let draft = ChatDraft { text: self.text, attachments: self.attachments, noted_at };
        cx.state
            .space()
            .change(|state| {
                keep_draft(state, &address, draft);
                Ok(())
            })
            .await?;
        Ok(Noted { address })
    }
}

/// Say that a person has seen a session, up to a change of it.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Seen {
    /// The session.
    session: String,
    /// Up to when: `updated` of the session as it was seen.
    at: u64,
}

impl Command<OpenSpace> for Seen {
    const META: Meta = Meta::new("chat.seen", "Chat: Mark as Seen", Access::View)
        .shown(Shown::Hidden)
        .idempotent()
        .observes();
    type Output = Noted;

    fn summary(&self) -> String {
        format!("has seen {}", self.session)
    }

    async fn run(self, cx: Cx) -> Result<Noted> {
        check_no_agent(&cx.caller, "notes")?;
        let address = address(&cx.state, &self.session).await?.to_string();
        let (now, at) = (cx.state.now(), i64::try_from(self.at).unwrap_or(i64::MAX));
        cx.state
            .space()
            .change(|state| {
                // A page that comes late has not seen less.
                note(state, &address, now, |noted| noted.seen = noted.seen.max(at));
                Ok(())
            })
            .await?;
        Ok(Noted { address })
    }
}

/// Nothing is wrong with what is to be attached.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Attachable {}

/// Ask whether things may go with a prompt, before a person writes the words: secret files may not.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MayAttach {
    /// The things.
    attachments: Vec<Attachment>,
}

impl Command<OpenSpace> for MayAttach {
    const META: Meta = Meta::new("chat.may_attach", "Chat: May Be Attached", Access::Read)
        .shown(Shown::Hidden)
        .observes();
    type Output = Attachable;

    fn summary(&self) -> String {
        format!("look whether {} things may be attached", self.attachments.len())
    }

    fn check(&self) -> Result<()> {
        attachments::check("", &self.attachments)
    }

    async fn run(self, cx: Cx) -> Result<Attachable> {
        attachments::check_secrets(&cx, &self.attachments).await?;
        Ok(Attachable {})
    }
}
