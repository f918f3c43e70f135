//! `chat.review`, `chat.original`: what a session changed in files, and the text without it.
//!
//! Everybody may read a review. It is bounded: long texts are cut, and what is not there is counted.

use openspace_command::{Command, Error, Meta, Result, Shown};
use openspace_protocol::{Access, RelPath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    MAX_WORD,
    address::address,
    reviews::{self, HunkState, Missed, Pair, Review as Noted, ReviewsPart, pair::Standing, think},
    words,
};
use crate::{Cx, OpenSpace};

/// Bytes of the texts of one hunk, when all files are listed and when one is.
const CUT_OF_ALL: usize = 1_000;
const CUT_OF_ONE: usize = 32 * 1024;
/// Bytes of all texts of one answer.
const MOST_TEXT: usize = 64 * 1024;
/// Hunks of one answer.
const MOST_HUNKS: usize = 500;

/// What a session changed.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ChatReviewed")]
pub struct Reviewed {
    /// The session as `AGENT/SESSION`.
    address: String,
    /// The files, by path.
    files: Vec<ReviewedFile>,
    /// Files that it changed too, and why those changes are not here.
    missed: Vec<MissedFile>,
    /// Hunks of all files that nobody has reviewed.
    to_review: u32,
    /// Bytes of text that are not here; `path` gives more of one file.
    left_out: u64,
}

/// A file that was changed.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ChatReviewedFile")]
pub struct ReviewedFile {
    /// Its path, relative to the root.
    path: String,
    /// What became of it.
    change: FileChange,
    /// Lines that came.
    added: u32,
    /// Lines that went.
    removed: u32,
    /// The changes in it, from top to bottom.
    hunks: Vec<ReviewedHunk>,
    /// Hunks that are not here; `path` gives more of one file.
    hunks_left_out: u32,
    /// Why the text as it is now cannot be looked at; the lines are then those of the session.
    unreadable: Option<Missed>,
}

/// What became of a file.
#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ChatReviewedChange")]
pub enum FileChange {
    /// It is new.
    Added,
    /// It is gone.
    Deleted,
    /// It has other text.
    Modified,
}

/// A place in a file that was changed.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ChatReviewedHunk")]
pub struct ReviewedHunk {
    /// What it is called in `chat.accept` and `chat.undo`. It is another one when the session changes it again.
    hunk: String,
    /// Whether a person has reviewed it.
    reviewed: bool,
    /// How it stands in the file now.
    state: HunkState,
    /// The first of its lines in the file now, or the line before which some were taken out.
    line: u32,
    /// How many lines of the file now it is.
    lines: u32,
    /// The lines that it took out, perhaps cut.
    old: String,
    /// The lines that it put in, perhaps cut.
    new: String,
    /// Bytes of both that are not here.
    left_out: u64,
}

/// A file whose change is not here.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ChatReviewMissedFile")]
pub struct MissedFile {
    /// Its path.
    path: String,
    /// Why not.
    why: Missed,
}

/// Say what a session changed in files, and what of it a person has reviewed.
///
/// Told are changes by the edit tools of the space and by the agent's own; files that programs changed are named, where
/// the agent tells them. Each hunk says how it stands in the file now. Long texts are cut; `path` gives more of one file.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Review {
    /// The session: `AGENT/SESSION`, or its id alone for the default agent.
    session: String,
    /// Only this file.
    path: Option<String>,
}

impl Command<OpenSpace> for Review {
    const META: Meta =
        Meta::new("chat.review", "Chat: Changes to Review", Access::Read).shown(Shown::Searchable);
    type Output = Reviewed;

    fn summary(&self) -> String {
        format!("list changes of {}", self.session)
    }

    fn check(&self) -> Result<()> {
        self.path.as_deref().map_or(Ok(()), check_path)
    }

    async fn run(self, cx: Cx) -> Result<Reviewed> {
        let address = address(&cx.state, &self.session).await?.to_string();
        let only = self.path.as_deref().map(|path| cx.state.path(path)).transpose()?;
        let noted = noted(&cx, &address);
        let to_review =
            noted.files.values().map(|counts| counts.hunks.saturating_sub(counts.reviewed)).sum();
        let mut told = Told {
            cut: if only.is_some() { CUT_OF_ONE } else { CUT_OF_ALL },
            hunks: MOST_HUNKS,
            text: MOST_TEXT,
            left_out: 0,
        };
        let mut files = Vec::new();
        for path in noted.files.keys() {
            if only.as_ref().is_some_and(|only| only.as_str() != path) {
                continue;
            }
            let state = cx.state.space().state();
            if let Some(pair) = reviews::pair(&state, &address, path) {
                files.push(told.file(&cx, path, pair).await?);
            }
        }
        if let Some(only) = only.filter(|_| files.is_empty()) {
            return Err(no_change(&address, only.as_str()));
        }
        let missed = noted.missed.into_iter().map(|(path, why)| MissedFile { path, why });
        let missed = if self.path.is_some() { Vec::new() } else { missed.collect() };
        Ok(Reviewed { address, files, missed, to_review, left_out: told.left_out })
    }

    fn text(reviewed: &Reviewed) -> Option<String> {
        Some(review_text(reviewed))
    }
}

pub(super) fn check_path(path: &str) -> Result<()> {
    match path.len() {
        1..=MAX_WORD => Ok(()),
        _ => Err(Error::invalid(format!("argument `path`: must be 1 to {MAX_WORD} bytes"))),
    }
}

pub(super) fn noted(cx: &Cx, address: &str) -> Noted {
    let state = cx.state.space().state();
    state.part::<ReviewsPart>().get(address).cloned().unwrap_or_default()
}

fn no_change(address: &str, path: &str) -> Error {
    Error::not_found(format!("no change of `{path}` by {address} is kept"))
        .hint("chat_review lists what is")
}

/// What an answer has room for.
struct Told {
    cut: usize,
    hunks: usize,
    text: usize,
    left_out: u64,
}

impl Told {
    async fn file(&mut self, cx: &Cx, path: &str, pair: Pair) -> Result<ReviewedFile> {
        let now = match RelPath::parse(path) {
            Ok(path) => reviews::read(&cx.state, cx.state.place(), &path).await,
            Err(error) => return Err(Error::internal("a path that is kept is none").because(error)),
        };
        let unreadable = now.as_ref().err().copied();
        let (pair, standing) = think(move || {
            let text = match now {
                Ok(now) => now.text(),
                Err(_) => pair.made.clone(),
            };
            let standing = pair.standing(text.as_deref());
            (pair, standing)
        })
        .await?;
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let (mut added, mut removed) = (0, 0);
        for one in &standing {
            let (came, went) = pair.height(&one.change);
            added += came;
            removed += went;
        }
        let most = standing.len().min(self.hunks);
        self.hunks -= most;
        let hunks = standing.iter().take(most).map(|one| self.hunk(&pair, one)).collect();
        Ok(ReviewedFile {
            path: path.to_owned(),
            change: match (&pair.base, &pair.made) {
                (None, _) => FileChange::Added,
                (_, None) => FileChange::Deleted,
                _ => FileChange::Modified,
            },
            added: number(added),
            removed: number(removed),
            hunks,
            hunks_left_out: number(standing.len() - most),
            unreadable,
        })
    }

    fn hunk(&mut self, pair: &Pair, one: &Standing) -> ReviewedHunk {
        let (old, new) = pair.texts(&one.change);
        let before = self.left_out;
        let (old, new) = (self.take(old), self.take(new));
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        ReviewedHunk {
            hunk: one.change.id.clone(),
            reviewed: one.is_reviewed,
            state: one.state,
            line: number(one.now.start + 1),
            lines: number(one.now.len()),
            old,
            new,
            left_out: self.left_out - before,
        }
    }

    fn take(&mut self, mut text: String) -> String {
        let whole = text.len();
        text.truncate(text.floor_char_boundary(self.cut.min(self.text)));
        self.text -= text.len();
        self.left_out += (whole - text.len()) as u64;
        text
    }
}

fn review_text(reviewed: &Reviewed) -> String {
    let mut lines = Vec::new();
    for file in &reviewed.files {
        let sign = match file.change {
            FileChange::Added => "A",
            FileChange::Deleted => "D",
            FileChange::Modified => "M",
        };
        let path = words::one_line(&file.path);
        lines.push(format!("{sign} {path}  +{} -{}", file.added, file.removed));
        for hunk in &file.hunks {
            let mark = if hunk.reviewed { "[x]" } else { "[ ]" };
            let state = match hunk.state {
                HunkState::Made => "",
                HunkState::Changed => ", changed since",
                HunkState::Gone => ", taken back",
            };
            lines.push(format!("  {mark} {}  line {}{state}", hunk.hunk, hunk.line));
            let side = |sign: &str, text: &str| -> Vec<String> {
                if text.is_empty() {
                    return Vec::new();
                }
                words::plain(text).split('\n').map(|line| format!("      {sign}{line}")).collect()
            };
            lines.extend(side("-", &hunk.old));
            lines.extend(side("+", &hunk.new));
            if hunk.left_out > 0 {
                lines.push(format!("      ({} more bytes)", hunk.left_out));
            }
        }
        if file.hunks_left_out > 0 {
            lines.push(format!("  ({} more hunks; `path` gives them)", file.hunks_left_out));
        }
    }
    for missed in &reviewed.missed {
        let why = match missed.why {
            Missed::TooLarge => "too large to be kept",
            Missed::NotText => "no text that may be read",
            Missed::Unknown => "what was in it before is not known",
            Missed::Meanwhile => {
                "changed while it worked, by a program or by somebody else: whose hand it was is not known, \
                 so it is not shown; git diff shows it"
            }
            Missed::Full => "there was no room for more",
            Missed::Forgotten => "forgotten to make room for newer sessions",
        };
        lines.push(format!("? {}  ({why})", words::one_line(&missed.path)));
    }
    if lines.is_empty() {
        return "No change of a file is known.".into();
    }
    lines.push(format!("{} to review.", reviewed.to_review));
    lines.join("\n")
}

/// The text that a file would have without what a session changed.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ChatOriginal")]
pub struct OriginalText {
    /// The text, with what others changed; missing when there would be no file.
    text: Option<String>,
}

/// Give the text that a file would have without what a session changed, for a page that shows both.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Original {
    /// The session.
    session: String,
    /// The file.
    path: String,
}

impl Command<OpenSpace> for Original {
    const META: Meta = Meta::new("chat.original", "Chat: Text Before Changes", Access::Read)
        .shown(Shown::Hidden)
        .observes();
    type Output = OriginalText;

    fn summary(&self) -> String {
        format!("show {} before {}", self.path, self.session)
    }

    fn check(&self) -> Result<()> {
        check_path(&self.path)
    }

    async fn run(self, cx: Cx) -> Result<OriginalText> {
        let address = address(&cx.state, &self.session).await?.to_string();
        let path = cx.state.path(&self.path)?;
        let pair = kept(&cx, &address, &path)?;
        let now = reviews::read(&cx.state, cx.state.place(), &path).await;
        let text = think(move || match now {
            Ok(now) => pair.followed(now.text().as_deref()).base,
            Err(_) => pair.base,
        });
        Ok(OriginalText { text: text.await? })
    }
}

pub(super) fn kept(cx: &Cx, address: &str, path: &RelPath) -> Result<Pair> {
    let state = cx.state.space().state();
    reviews::pair(&state, address, path.as_str()).ok_or_else(|| no_change(address, path.as_str()))
}
