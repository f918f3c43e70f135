//! `chat.draft`, `chat.seen`, `chat.review`: what a person was about to say, has seen and has reviewed.

use openspace_command::{Command, Error, Meta, Result, Shown};
use openspace_protocol::Access;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Attachment, ChatDraft, MAX_DRAFT, MAX_REVIEWED, MAX_WORD,
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

/// Say that a person has reviewed what a session did to a file, or has not.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Review {
    /// The session.
    session: String,
    /// The file, as the change names it.
    path: String,
    /// A word for the change that was reviewed, such as its digest: another change is not reviewed. Left out, the file
    /// counts as not reviewed.
    change: Option<String>,
}

impl Command<OpenSpace> for Review {
    const META: Meta = Meta::new("chat.review", "Chat: Mark as Reviewed", Access::View)
        .shown(Shown::Hidden)
        .idempotent()
        .observes();
    type Output = Noted;

    fn summary(&self) -> String {
        format!("reviewed {} of {}", self.path, self.session)
    }

    fn check(&self) -> Result<()> {
        let words = [("path", Some(&self.path)), ("change", self.change.as_ref())];
        for (name, word) in words {
            if word.is_some_and(|word| word.is_empty() || word.len() > MAX_WORD) {
                let message = format!("argument `{name}`: must be 1 to {MAX_WORD} bytes");
                return Err(Error::invalid(message));
            }
        }
        Ok(())
    }

    async fn run(self, cx: Cx) -> Result<Noted> {
        check_no_agent(&cx.caller, "notes")?;
        let address = address(&cx.state, &self.session).await?.to_string();
        let now = cx.state.now();
        cx.state
            .space()
            .change(|state| {
                let mut is_full = false;
                note(state, &address, now, |noted| {
                    let is_new = !noted.reviewed.contains_key(&self.path);
                    match self.change {
                        Some(_) if is_new && noted.reviewed.len() >= MAX_REVIEWED => is_full = true,
                        Some(change) => drop(noted.reviewed.insert(self.path, change)),
                        None => drop(noted.reviewed.remove(&self.path)),
                    }
                });
                if is_full {
                    let message = format!("{MAX_REVIEWED} files of {address} are reviewed already");
                    return Err(Error::conflict(message));
                }
                Ok(())
            })
            .await?;
        Ok(Noted { address })
    }
}
