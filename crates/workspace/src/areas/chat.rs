//! Conversations with agents: commands for people, scripts and other agents, what is noted beside the
//! conversations, and what pages hear of them while they happen.
//!
//! The conversation itself is the agent's: it is asked for it, and nothing of it is kept in the space. What is kept
//! there is small and a person's own: drafts, choices, what was seen, and what sessions changed in files, for review.
//! No agent is started or stopped here but by the service of conversations; what an agent may do is decided elsewhere.

use openspace_agents::model::ModelChoice;
use openspace_space::{Declared, Entries, Part};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::areas::Area;

pub mod address;
pub mod answer_command;
pub mod attachments;
pub mod by_person;
pub mod choice_commands;
pub mod commands;
pub mod history_commands;
pub mod live;
pub mod log_in_commands;
pub mod note_commands;
pub mod pages;
pub mod read_commands;
pub mod refusal;
pub mod review_commands;
pub mod reviews;
pub mod session_commands;
pub mod setup_commands;
mod setup_words;
pub mod talk_commands;
pub mod verdict_commands;
mod waiting;
pub mod words;

pub use address::SessionAddress;
pub use attachments::Attachment;
pub use live::Chats;

/// What this area brings.
pub const AREA: Area = Area {
    commands: commands::COMMANDS,
    parts: &[
        Declared::of::<ChatsPart>(),
        Declared::of::<ChatDraftsPart>(),
        Declared::of::<reviews::ReviewsPart>(),
        Declared::of::<reviews::ReviewTextsPart>(),
    ],
    ..Area::EMPTY
};

/// Sessions of which something is noted; the one that was noted longest ago is forgotten for another.
pub const MAX_NOTED: usize = 500;
/// Drafts that are kept; the oldest is forgotten for another.
pub const MAX_DRAFTS: usize = 100;
/// Bytes of a draft, with what is attached to it.
pub const MAX_DRAFT: usize = 64 * 1024;
/// Bytes of a path, of what tells one state of a file from another, of an id.
pub const MAX_WORD: usize = 1_024;

/// What is noted of sessions, by address. `AGENT/` is what the next new session of an agent begins with.
pub struct ChatsPart;

impl Part for ChatsPart {
    const NAME: &'static str = "chats";
    const ANNOUNCED: bool = false;
    const FOR_AGENTS: bool = false;
    type Content = Entries<ChatNote>;
}

/// What a person was about to say, by the address of the session.
pub struct ChatDraftsPart;

impl Part for ChatDraftsPart {
    const NAME: &'static str = "chat-drafts";
    const ANNOUNCED: bool = false;
    const FOR_AGENTS: bool = false;
    type Content = Entries<ChatDraft>;
}

/// What is noted of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatNote {
    /// The model that is chosen for what is said next.
    #[serde(default)]
    pub model: Option<ModelChoice>,
    /// The way of working that is chosen for what is said next.
    #[serde(default)]
    pub mode: Option<String>,
    /// Up to which change of the session a person has seen it, in milliseconds since 1970 as its agent says them. A
    /// session that changed since is unread; one of which nothing is noted is not.
    #[serde(default)]
    pub seen: i64,
    /// When this was noted, in milliseconds since 1970.
    #[serde(default)]
    pub noted_at: u64,
}

/// What a person was about to say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatDraft {
    /// The words.
    pub text: String,
    /// What is to go with them.
    #[serde(default)]
    pub attachments: Vec<Attachment>,
    /// When it was written, in milliseconds since 1970.
    #[serde(default)]
    pub noted_at: u64,
}

/// Keep the newest of some entries.
fn keep_newest<V: Clone>(entries: &mut Entries<V>, most: usize, noted_at: impl Fn(&V) -> u64) {
    while entries.len() > most {
        let oldest = entries.iter().min_by_key(|(_, entry)| noted_at(entry));
        let Some(oldest) = oldest.map(|(key, _)| key.clone()) else { return };
        entries.remove(&*oldest);
    }
}

/// Note something of a session.
pub(crate) fn note(
    state: &mut openspace_space::State,
    address: &str,
    now: u64,
    change: impl FnOnce(&mut ChatNote),
) {
    let notes = state.part_mut::<ChatsPart>();
    let noted = notes.or_default(address);
    change(noted);
    noted.noted_at = now;
    keep_newest(notes, MAX_NOTED, |noted| noted.noted_at);
}

/// Keep what somebody is about to say; an empty draft is none.
pub(crate) fn keep_draft(state: &mut openspace_space::State, address: &str, draft: ChatDraft) {
    if draft.text.is_empty() && draft.attachments.is_empty() {
        if state.part::<ChatDraftsPart>().contains_key(address) {
            state.part_mut::<ChatDraftsPart>().remove(address);
        }
        return;
    }
    let drafts = state.part_mut::<ChatDraftsPart>();
    drafts.insert(address, draft);
    keep_newest(drafts, MAX_DRAFTS, |draft| draft.noted_at);
}

/// Forget all that is noted of a session.
pub(crate) fn forget(state: &mut openspace_space::State, address: &str) {
    if state.part::<ChatsPart>().contains_key(address) {
        state.part_mut::<ChatsPart>().remove(address);
    }
    if state.part::<ChatDraftsPart>().contains_key(address) {
        state.part_mut::<ChatDraftsPart>().remove(address);
    }
    reviews::forget(state, address);
}
