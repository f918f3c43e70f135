//! What chat sessions changed in files, and what of it a person has reviewed.
//!
//! It is fed by two: calls of our tools that a session makes, with the text of the file before and after, and what
//! agents tell of their own tools. Nothing is guessed: a change whose text before is not known is named and not shown.
//! The texts are kept here, within bounds; pages are told numbers. Files are only read here: what is taken back is
//! changed by the command, as any other change.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, OnceLock},
};

use openspace_command::{Caller, CallerKind, Error, Result};
use openspace_files::{FileError, LineRange};
use openspace_host::{BoxFuture, HostError, operation::ReadText};
use openspace_protocol::RelPath;
use openspace_space::{Entries, Part, State};
use openspace_text::merge::with_line_feeds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::{sync::Mutex, task::AbortHandle};

use crate::{
    OpenSpace,
    places::Place,
    services::{Base, Service},
    workspaces::MAIN,
};

pub(in crate::areas::chat) mod listen;
pub(in crate::areas::chat) mod pair;

pub use listen::start;
pub use pair::{HunkState, Pair};

/// Bytes of a text that is kept.
pub const LARGEST: usize = 256 * 1024;
/// Files of one session that are kept.
pub const MOST_FILES: usize = 200;
/// Files of one session that are named because their change is not kept.
pub const MOST_MISSED: usize = 200;
/// Sessions of which something is kept.
pub const MOST_SESSIONS: usize = 100;
/// Bytes of all texts that are kept.
pub const MOST_BYTES: usize = 8 * 1024 * 1024;

/// What each session changed, in numbers, by the address of the session.
pub struct ReviewsPart;

impl Part for ReviewsPart {
    const NAME: &'static str = "chat-reviews";
    const ANNOUNCED: bool = false;
    const FOR_AGENTS: bool = false;
    type Content = Entries<Review>;
}

/// The texts, by the address of the session and the path of the file.
pub struct ReviewTextsPart;

impl Part for ReviewTextsPart {
    const NAME: &'static str = "chat-review-texts";
    const PUBLISHED: bool = false;
    const ANNOUNCED: bool = false;
    const FOR_AGENTS: bool = false;
    type Content = Entries<Pair>;
}

/// What a session changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ChatReview")]
pub struct Review {
    /// Files by path.
    #[serde(default)]
    pub files: BTreeMap<String, Counts>,
    /// Files that it changed too, and why those changes cannot be shown.
    #[serde(default)]
    pub missed: BTreeMap<String, Missed>,
    /// When it was noted last, in milliseconds since 1970.
    #[serde(default)]
    pub noted_at: u64,
}

/// The changes of a file in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ChatReviewCounts")]
pub struct Counts {
    /// Places in it that were changed.
    pub hunks: u32,
    /// Those that a person has reviewed.
    pub reviewed: u32,
    /// Lines that came.
    pub added: u32,
    /// Lines that went.
    pub removed: u32,
    /// Counts the changes of all of this, so that a page knows when to look again.
    #[serde(default)]
    pub version: u64,
}

/// Why a change cannot be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ChatReviewMissed")]
pub enum Missed {
    /// The file is too large.
    TooLarge,
    /// It is no text, or one that may not be read.
    NotText,
    /// What was in it before is not known.
    Unknown,
    /// It changed while the session worked, by a program that it ran or by somebody else. A file that is also listed was
    /// changed in both ways.
    Meanwhile,
    /// There is no room for more.
    Full,
    /// It was kept and had to make room.
    Forgotten,
}

/// The text of a file as it is now.
#[derive(Clone, Debug)]
pub(crate) struct Now {
    /// The text with the ends of lines that it has; none when there is no file.
    pub(crate) raw: Option<String>,
    /// By what it is known to a change.
    pub(crate) hash: Option<String>,
}

impl Now {
    /// The text with line feeds.
    pub(crate) fn text(&self) -> Option<String> {
        self.raw.as_deref().map(with_line_feeds)
    }
}

/// Read a file as the person sees it, or say why it cannot be shown.
pub(crate) async fn read(state: &OpenSpace, place: &Place, path: &RelPath) -> Result<Now, Missed> {
    let live = if place.id() == MAIN { state.buffers().live(path) } else { None };
    // Whether the file may be read is the host's to say, unsaved or not.
    let range = LineRange::default();
    let read = place.ask(ReadText { path: path.clone(), range, person: false }).await;
    let (text, hash) = match (live, read) {
        (Some(live), Ok(_) | Err(HostError::File(FileError::NotFound { .. }))) => {
            ((*live.text).to_owned(), Some(live.hash))
        }
        (None, Ok(read)) if read.lossy => return Err(Missed::NotText),
        (None, Ok(read)) if read.truncated => return Err(Missed::TooLarge),
        (None, Ok(read)) => (read.content, read.hash),
        (None, Err(HostError::File(FileError::NotFound { .. }))) => {
            return Ok(Now { raw: None, hash: None });
        }
        (_, Err(HostError::File(FileError::TooLarge { .. }))) => return Err(Missed::TooLarge),
        (_, Err(_)) => return Err(Missed::NotText),
    };
    if text.len() > LARGEST { Err(Missed::TooLarge) } else { Ok(Now { raw: Some(text), hash }) }
}

/// Under which key the text of a file is kept. No address of a session has a line feed in it.
fn key(address: &str, path: &str) -> String {
    format!("{address}\n{path}")
}

/// The file of a session, if something of it is kept.
pub(super) fn pair(state: &State, address: &str, path: &str) -> Option<Pair> {
    state.part::<ReviewTextsPart>().get(key(address, path).as_str()).cloned()
}

/// The reviews of a server.
pub struct Reviews {
    /// Held while a pair is read, thought about and put back.
    alone: Mutex<()>,
    listening: OnceLock<AbortHandle>,
}

impl Service for Reviews {
    fn start(_base: &Base) -> Self {
        Self { alone: Mutex::default(), listening: OnceLock::new() }
    }

    fn stop(&self) -> BoxFuture<'_, ()> {
        if let Some(listening) = self.listening.get() {
            listening.abort();
        }
        Box::pin(std::future::ready(()))
    }
}

/// Comparing texts takes a while.
pub(super) async fn think<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|join| Error::internal("texts could not be compared").because(join))
}

impl Reviews {
    /// The session that makes a call, if the call is one of a chat session.
    pub(crate) async fn session_of(state: &OpenSpace, caller: &Caller) -> Option<String> {
        let session = caller.session.as_deref().filter(|_| caller.kind == CallerKind::Agent)?;
        let known = state.conversations().has_session(&caller.id, session).await;
        known.then(|| format!("{}/{session}", caller.id))
    }

    /// A session changed a file: its text before and after.
    pub(crate) async fn changed(
        &self,
        state: &OpenSpace,
        address: &str,
        path: &RelPath,
        before: Option<String>,
        after: Option<String>,
    ) -> Result<()> {
        if before == after {
            return Ok(());
        }
        self.put(state, address, path.as_str(), move |known| {
            Some(match known {
                Some(pair) => pair.changed(before.as_deref(), after.as_deref()),
                None => Pair::new(before, after),
            })
        })
        .await
    }

    /// A session changed a file in a way that cannot be shown.
    pub(crate) async fn missed(
        &self,
        state: &OpenSpace,
        address: &str,
        path: &RelPath,
        why: Missed,
    ) -> Result<()> {
        let now = state.now();
        let change = |state: &mut State| {
            miss(state, address, path.as_str(), why, now);
            Ok(())
        };
        state.space().change(change).await
    }

    /// Put another pair in the place of what is known of a file; nothing when no change is left of it.
    pub(super) async fn put(
        &self,
        state: &OpenSpace,
        address: &str,
        path: &str,
        step: impl FnOnce(Option<Pair>) -> Option<Pair> + Send + 'static,
    ) -> Result<()> {
        let _alone = self.alone.lock().await;
        let known = pair(&state.space().state(), address, path);
        let put = think(move || {
            let next = step(known)?;
            let counts = counts(&next);
            (counts.hunks > 0).then_some((next, counts))
        })
        .await?;
        let now = state.now();
        let change = |state: &mut State| {
            keep(state, address, path, put, now);
            Ok(())
        };
        state.space().change(change).await
    }

    fn listen(&self, task: impl FnOnce() -> AbortHandle) {
        self.listening.get_or_init(task);
    }
}

/// The changes of a file in numbers.
fn counts(pair: &Pair) -> Counts {
    let mut counts = Counts::default();
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    for change in pair.changes() {
        counts.hunks += 1;
        counts.reviewed += u32::from(pair.reviewed.contains(&change.id));
        let (added, removed) = pair.height(&change);
        counts.added = counts.added.saturating_add(number(added));
        counts.removed = counts.removed.saturating_add(number(removed));
    }
    counts
}

/// Keep what is known of a file now, within the bounds.
fn keep(state: &mut State, address: &str, path: &str, put: Option<(Pair, Counts)>, now: u64) {
    let key = key(address, path);
    let known = state.part::<ReviewsPart>().get(address).cloned().unwrap_or_default();
    let version = known.files.get(path).map_or(0, |counts| counts.version) + 1;
    let Some((pair, counts)) = put else {
        if known.files.contains_key(path) {
            state.part_mut::<ReviewTextsPart>().remove(key.as_str());
            let review = state.part_mut::<ReviewsPart>().or_default(address);
            review.files.remove(path);
            review.noted_at = now;
        }
        drop_if_empty(state, address);
        return;
    };
    let weight = pair.weight();
    let is_new = !known.files.contains_key(path);
    if (is_new && known.files.len() >= MOST_FILES) || !make_room(state, address, &key, weight) {
        state.part_mut::<ReviewTextsPart>().remove(key.as_str());
        state.part_mut::<ReviewsPart>().or_default(address).files.remove(path);
        miss(state, address, path, Missed::Full, now);
        return;
    }
    state.part_mut::<ReviewTextsPart>().insert(key.as_str(), pair);
    let review = state.part_mut::<ReviewsPart>().or_default(address);
    review.files.insert(path.to_owned(), Counts { version, ..counts });
    review.noted_at = now;
    while state.part::<ReviewsPart>().len() > MOST_SESSIONS && forget_oldest(state, address, false)
    {
    }
}

/// Name a file whose change is not kept.
fn miss(state: &mut State, address: &str, path: &str, why: Missed, now: u64) {
    let review = state.part_mut::<ReviewsPart>().or_default(address);
    if review.missed.len() < MOST_MISSED || review.missed.contains_key(path) {
        review.missed.insert(path.to_owned(), why);
    }
    review.noted_at = now;
    while state.part::<ReviewsPart>().len() > MOST_SESSIONS && forget_oldest(state, address, false)
    {
    }
}

/// Make room for a text; whether there is.
fn make_room(state: &mut State, address: &str, key: &str, weight: usize) -> bool {
    loop {
        let others = state.part::<ReviewTextsPart>().iter().filter(|(known, _)| &***known != key);
        let kept: usize = others.map(|(_, pair)| pair.weight()).sum();
        if kept + weight <= MOST_BYTES {
            return true;
        }
        if !forget_oldest(state, address, true) {
            return false;
        }
    }
}

/// Forget the session that was changed longest ago, but for this one; whether there was one. Its files stay named if
/// only their texts have to go.
fn forget_oldest(state: &mut State, but: &str, only_texts: bool) -> bool {
    let others = state
        .part::<ReviewsPart>()
        .iter()
        .filter(|(address, review)| &***address != but && !(only_texts && review.files.is_empty()));
    let oldest =
        others.min_by_key(|(_, review)| review.noted_at).map(|(address, _)| address.clone());
    let Some(oldest) = oldest else { return false };
    forget_texts(state, &oldest);
    if only_texts {
        let review = state.part_mut::<ReviewsPart>().or_default(&*oldest);
        for path in std::mem::take(&mut review.files).into_keys() {
            if review.missed.len() < MOST_MISSED {
                review.missed.insert(path, Missed::Forgotten);
            }
        }
    } else {
        state.part_mut::<ReviewsPart>().remove(&*oldest);
    }
    true
}

fn forget_texts(state: &mut State, address: &str) {
    let prefix = key(address, "");
    let texts = state.part::<ReviewTextsPart>().keys();
    let gone: Vec<Arc<str>> = texts.filter(|key| key.starts_with(&prefix)).cloned().collect();
    for key in gone {
        state.part_mut::<ReviewTextsPart>().remove(&*key);
    }
}

fn drop_if_empty(state: &mut State, address: &str) {
    let review = state.part::<ReviewsPart>().get(address);
    if review.is_some_and(|review| review.files.is_empty() && review.missed.is_empty()) {
        state.part_mut::<ReviewsPart>().remove(address);
    }
}

/// Forget all that a session changed: the session is gone.
pub(super) fn forget(state: &mut State, address: &str) {
    forget_texts(state, address);
    if state.part::<ReviewsPart>().contains_key(address) {
        state.part_mut::<ReviewsPart>().remove(address);
    }
}

/// The same file after these hunks count as reviewed, or do not.
pub(super) fn reviewed(mut pair: Pair, hunks: &BTreeSet<String>, is_reviewed: bool) -> Pair {
    for change in pair.changes().into_iter().filter(|change| hunks.contains(&change.id)) {
        if is_reviewed {
            pair.reviewed.insert(change.id);
        } else {
            pair.reviewed.remove(&change.id);
        }
    }
    pair
}
