//! `chat.accept`, `chat.undo`: what a person says to what a session changed in files.
//!
//! What is undone is changed like any other text: in the file as the person sees it, with nothing lost that somebody else
//! wrote. Only a person, or a script of theirs, says that something was reviewed.

use std::collections::BTreeSet;

use openspace_buffers::agents::Wanted;
use openspace_command::{Command, Error, Meta, Result, Shown};
use openspace_protocol::{Access, RelPath};
use openspace_text::merge::with_line_feeds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    MAX_WORD,
    address::address,
    commands::check_no_agent,
    review_commands::{check_path, kept, noted},
    reviews::{self, HunkState, Pair, Reviews, pair::Standing, think},
    words,
};
use crate::{
    Cx, OpenSpace,
    areas::file::change_commands::delete,
    content::writing::{self, Change},
};

/// Hunks that are named in one call.
const MOST_NAMED: usize = 1_000;

/// What is left to review.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ChatReviewLeft")]
pub struct Left {
    /// The session as `AGENT/SESSION`.
    address: String,
    /// Hunks that this was about.
    hunks: u32,
    /// Hunks of all files of the session that nobody has reviewed.
    to_review: u32,
}

impl Left {
    fn of(cx: &Cx, address: String, hunks: usize) -> Self {
        let files = noted(cx, &address).files;
        let open = files.values().map(|counts| counts.hunks.saturating_sub(counts.reviewed));
        let (to_review, hunks) = (open.sum(), u32::try_from(hunks).unwrap_or(u32::MAX));
        Self { address, hunks, to_review }
    }
}

/// Say that a person has reviewed what a session changed and keeps it, or has not.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Accept {
    /// The session: `AGENT/SESSION`, or its id alone for the default agent.
    session: String,
    /// The file; all files when left out.
    path: Option<String>,
    /// The hunks of the file, as `chat.review` names them; all when left out.
    #[serde(default)]
    hunks: Vec<String>,
    /// Take it back: nobody has reviewed it.
    #[serde(default)]
    undone: bool,
}

impl Command<OpenSpace> for Accept {
    const META: Meta = Meta::new("chat.accept", "Chat: Accept Changes", Access::View)
        .shown(Shown::Searchable)
        .idempotent();
    type Output = Left;

    fn summary(&self) -> String {
        let verb = if self.undone { "take back the review of" } else { "accept" };
        match &self.path {
            Some(path) => format!("{verb} {path} of {}", self.session),
            None => format!("{verb} all changes of {}", self.session),
        }
    }

    fn check(&self) -> Result<()> {
        check_hunks(&self.hunks)?;
        match &self.path {
            Some(path) => check_path(path),
            None if self.hunks.is_empty() => Ok(()),
            None => Err(Error::invalid("argument `hunks`: needs `path`")),
        }
    }

    async fn run(self, cx: Cx) -> Result<Left> {
        check_no_agent(&cx.caller, "reviews")?;
        let address = address(&cx.state, &self.session).await?.to_string();
        let paths: Vec<String> = match &self.path {
            Some(path) => vec![cx.state.path(path)?.into()],
            None => noted(&cx, &address).files.into_keys().collect(),
        };
        let mut count = 0;
        for path in &paths {
            let parsed = cx.state.path(path)?;
            let pair = kept(&cx, &address, &parsed)?;
            let wanted = wanted(&pair, &self.hunks, path)?;
            count += wanted.len();
            let is_reviewed = !self.undone;
            let reviews = cx.state.service::<Reviews>();
            let step = move |known: Option<Pair>| {
                known.map(|pair| reviews::reviewed(pair, &wanted, is_reviewed))
            };
            reviews.put(&cx.state, &address, path, step).await?;
        }
        Ok(Left::of(&cx, address, count))
    }

    fn text(left: &Left) -> Option<String> {
        Some(format!("{} hunks; {} left to review.", left.hunks, left.to_review))
    }
}

fn check_hunks(hunks: &[String]) -> Result<()> {
    if hunks.len() > MOST_NAMED {
        return Err(Error::invalid(format!("argument `hunks`: at most {MOST_NAMED}")));
    }
    if hunks.iter().any(|hunk| hunk.is_empty() || hunk.len() > MAX_WORD) {
        return Err(Error::invalid("argument `hunks`: is no name of a hunk")
            .hint("chat_review names the hunks"));
    }
    Ok(())
}

/// The hunks that are named, or all: each has to be there.
fn wanted(pair: &Pair, named: &[String], path: &str) -> Result<BTreeSet<String>> {
    let there: BTreeSet<String> = pair.changes().into_iter().map(|change| change.id).collect();
    if named.is_empty() {
        return Ok(there);
    }
    match named.iter().find(|hunk| !there.contains(*hunk)) {
        None => Ok(named.iter().cloned().collect()),
        Some(missing) => {
            let missing = words::one_line(missing);
            Err(Error::not_found(format!(
                "there is no hunk {missing} in `{path}`; nothing was done"
            ))
            .hint("it may have been changed since; chat_review names the hunks"))
        }
    }
}

/// Take back what a session changed in a file.
///
/// Hunks that were accepted stay unless they are named. What somebody else changed in the same lines, saved or not, is
/// never lost: then it is a conflict and nothing is done. A file that is new goes to the trash.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Undo {
    /// The session: `AGENT/SESSION`, or its id alone for the default agent.
    session: String,
    /// The file.
    path: String,
    /// The hunks, as `chat.review` names them; all that nobody accepted when left out.
    #[serde(default)]
    hunks: Vec<String>,
}

impl Command<OpenSpace> for Undo {
    const META: Meta =
        Meta::new("chat.undo", "Chat: Undo Changes", Access::Edit).shown(Shown::Searchable);
    type Output = Left;

    fn summary(&self) -> String {
        format!("undo changes of {} in {}", self.session, self.path)
    }

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    fn check(&self) -> Result<()> {
        check_path(&self.path)?;
        check_hunks(&self.hunks)
    }

    async fn run(self, cx: Cx) -> Result<Left> {
        check_no_agent(&cx.caller, "reviews")?;
        let address = address(&cx.state, &self.session).await?.to_string();
        let path = cx.state.path(&self.path)?;
        let pair = kept(&cx, &address, &path)?;
        let mut wanted = wanted(&pair, &self.hunks, path.as_str())?;
        if self.hunks.is_empty() {
            wanted.retain(|hunk| !pair.reviewed.contains(hunk));
        }
        if wanted.is_empty() {
            return Err(Error::conflict(format!("all changes of `{path}` are accepted"))
                .hint("name the hunks to undo them all the same"));
        }
        let now = reviews::read(&cx.state, cx.state.place(), &path).await;
        let now = now.map_err(|_| {
            Error::conflict(format!("`{path}` cannot be read as text now; nothing was undone"))
                .hint("look at the file, and change it by hand")
        })?;
        take_out(&cx, &path, pair, now, &wanted).await?;
        let count = wanted.len();
        let step = move |known: Option<Pair>| known.map(|pair| pair.without(&wanted));
        let reviews = cx.state.service::<Reviews>();
        reviews.put(&cx.state, &address, path.as_str(), step).await?;
        Ok(Left::of(&cx, address, count))
    }

    fn text(left: &Left) -> Option<String> {
        Some(format!("{} hunks undone; {} left to review.", left.hunks, left.to_review))
    }
}

/// Change the file so that these hunks are not in it.
async fn take_out(
    cx: &Cx,
    path: &RelPath,
    pair: Pair,
    now: reviews::Now,
    wanted: &BTreeSet<String>,
) -> Result<()> {
    let reviews::Now { raw, hash } = now;
    let (pair, raw, standing) = think(move || {
        let text = raw.as_deref().map(with_line_feeds);
        let standing = pair.standing(text.as_deref());
        (pair, raw, standing)
    })
    .await?;
    let standing: Vec<&Standing> =
        standing.iter().filter(|one| wanted.contains(&one.change.id)).collect();
    if let Some(one) = standing.iter().find(|one| one.state == HunkState::Changed) {
        let line = one.now.start + 1;
        return Err(Error::conflict(format!(
            "somebody else changed the same lines of `{path}` (line {line}); nothing was undone"
        ))
        .hint("change those lines by hand, and undo the other hunks by their names"));
    }
    // What was taken back by hand is not there to be taken out.
    let there: Vec<&Standing> =
        standing.into_iter().filter(|one| one.state == HunkState::Made).collect();
    if there.is_empty() {
        return Ok(());
    }
    if pair.base.is_none() {
        if cx.state.buffers().is_unsaved(path) {
            return Err(Error::conflict(format!(
                "`{path}` has unsaved changes; nothing was undone"
            ))
            .hint("save or discard them first"));
        }
        return delete(cx, path, false).await.map(drop);
    }
    let (text, expected_hash) = match (raw, pair.base.as_ref()) {
        (Some(raw), _) => (pair.taken_out(&raw, &there), hash),
        // The session deleted the file: it comes back as it was.
        (None, base) => (base.cloned(), None),
    };
    let text = text.ok_or_else(|| Error::internal("a text to go back to is missing"))?;
    let change = Change { wanted: Wanted::Write(text), expected_hash, dry_run: false };
    writing::change(cx, cx.state.place(), path, change).await.map(drop)
}
