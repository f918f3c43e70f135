//! One file of a review: the text before the session first changed it, the text as the session left it, and which of
//! the hunks between the two a person has reviewed.
//!
//! What others change meanwhile is no change of the session: it is taken over into both texts, except where it touches
//! lines that the session changed. Only texts are compared here; nothing is read or written.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use openspace_files::hash;
use openspace_text::merge::{self, Hunk, Splice};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Digits that tell hunks of a file apart.
const ID: usize = 12;

/// A file that a session changed. Texts have line feeds at the ends of lines; a text that is missing is a file that is
/// not there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Pair {
    /// The text before the first change of the session, with what others changed since.
    pub(in crate::areas::chat) base: Option<String>,
    /// The text as the session left it.
    pub(in crate::areas::chat) made: Option<String>,
    /// The hunks that a person has reviewed.
    #[serde(default)]
    pub(in crate::areas::chat) reviewed: BTreeSet<String>,
}

/// A change of some lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::areas::chat) struct Change {
    /// What tells it from other changes of the file: it is made of the lines, so it is another one when they change.
    pub(in crate::areas::chat) id: String,
    /// Lines of the text before, from zero.
    pub(in crate::areas::chat) old: Range<usize>,
    /// Lines of the text after.
    pub(in crate::areas::chat) new: Range<usize>,
}

/// How a change stands in the text as it is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ChatHunkState")]
pub enum HunkState {
    /// As the session made it.
    Made,
    /// Somebody changed the same lines since.
    Changed,
    /// It was taken back.
    Gone,
}

/// A change, and where it is in the text as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::areas::chat) struct Standing {
    pub(in crate::areas::chat) change: Change,
    pub(in crate::areas::chat) state: HunkState,
    /// Its lines in the text now; where they were, if they are not as they were made.
    pub(in crate::areas::chat) now: Range<usize>,
    pub(in crate::areas::chat) is_reviewed: bool,
}

/// Lines of a text; a file that is not there has none.
fn lines(text: Option<&str>) -> Vec<&str> {
    text.map(merge::lines).unwrap_or_default()
}

impl Pair {
    /// A file before and after the first change of a session.
    pub(super) fn new(before: Option<String>, after: Option<String>) -> Self {
        Self { base: before, made: after, reviewed: BTreeSet::new() }
    }

    /// About how many bytes are kept of it.
    pub(super) fn weight(&self) -> usize {
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        text(&self.base) + text(&self.made)
    }

    /// What the session changed.
    pub(in crate::areas::chat) fn changes(&self) -> Vec<Change> {
        let (old, new) = (lines(self.base.as_deref()), lines(self.made.as_deref()));
        let hunks = match (&self.base, &self.made) {
            (Some(_), Some(_)) => merge::hunks(&old, &new),
            (None, None) => Vec::new(),
            // The file itself came or went.
            _ => vec![Hunk { old: 0..old.len(), new: 0..new.len() }],
        };
        let mut seen: BTreeMap<String, u32> = BTreeMap::new();
        let change = |hunk: Hunk| {
            let mut text = old[hunk.old.clone()].join("\n");
            text.push('\0');
            text.push_str(&new[hunk.new.clone()].join("\n"));
            let mut id = hash(text.as_bytes());
            id.truncate(ID);
            let count = seen.entry(id.clone()).or_default();
            *count += 1;
            if *count > 1 {
                id = format!("{id}-{count}");
            }
            Change { id, old: hunk.old, new: hunk.new }
        };
        hunks.into_iter().map(change).collect()
    }

    fn ids(&self) -> BTreeSet<String> {
        self.changes().into_iter().map(|change| change.id).collect()
    }

    /// The session changed the file again.
    pub(super) fn changed(&self, before: Option<&str>, after: Option<&str>) -> Self {
        let mut pair = self.followed(before);
        pair.made = after.map(str::to_owned);
        let ids = pair.ids();
        pair.reviewed.retain(|id| ids.contains(id));
        pair
    }

    /// The same after others changed the file to this.
    pub(in crate::areas::chat) fn followed(&self, now: Option<&str>) -> Self {
        if self.made.as_deref() == now {
            return self.clone();
        }
        let base = match (&self.base, &self.made, now) {
            (Some(base), Some(made), Some(now)) => {
                let (theirs, _) = merge::carry_over_apart(base, made, now);
                Some(merge::apply(base, &theirs))
            }
            (None, Some(_), Some(_)) => None,
            // Somebody deleted it, or put another in its place: nothing of the session is left.
            _ => now.map(str::to_owned),
        };
        let mut pair = Self { base, made: now.map(str::to_owned), reviewed: self.reviewed.clone() };
        let (old, new) = (self.ids(), pair.ids());
        // Changes of others in reviewed lines leave them reviewed.
        if old.difference(&new).all(|gone| self.reviewed.contains(gone)) {
            pair.reviewed.extend(new.difference(&old).cloned());
        }
        pair.reviewed.retain(|id| new.contains(id));
        pair
    }

    /// Each change, and how it stands in the text now.
    pub(in crate::areas::chat) fn standing(&self, now: Option<&str>) -> Vec<Standing> {
        let (base, made, here) =
            (lines(self.base.as_deref()), lines(self.made.as_deref()), lines(now));
        let is_whole = self.base.is_none() || self.made.is_none() || now.is_none();
        let others = if is_whole { Vec::new() } else { merge::hunks(&made, &here) };
        let stand = |change: Change| {
            let (state, place) = if !is_whole {
                find(&base, &made, &here, &others, &change)
            } else if self.made.as_deref() == now {
                (HunkState::Made, 0..here.len())
            } else if self.base.as_deref() == now {
                (HunkState::Gone, 0..here.len())
            } else {
                (HunkState::Changed, 0..here.len())
            };
            let is_reviewed = self.reviewed.contains(&change.id);
            Standing { change, state, now: place, is_reviewed }
        };
        self.changes().into_iter().map(stand).collect()
    }

    /// The lines that a change took out and those that it put in.
    pub(in crate::areas::chat) fn texts(&self, change: &Change) -> (String, String) {
        let (old, new) = (lines(self.base.as_deref()), lines(self.made.as_deref()));
        (old[change.old.clone()].join("\n"), new[change.new.clone()].join("\n"))
    }

    /// How many lines came and went by a change. What stands behind the end of the last line is none.
    pub(in crate::areas::chat) fn height(&self, change: &Change) -> (usize, usize) {
        let count = |text: Option<&str>, range: &Range<usize>| {
            let lines = lines(text);
            let is_end =
                range.end == lines.len() && lines.last().is_some_and(|last| last.is_empty());
            range.len().saturating_sub(usize::from(is_end))
        };
        (count(self.made.as_deref(), &change.new), count(self.base.as_deref(), &change.old))
    }

    /// The text now without these changes, which stand in it as they were made.
    pub(in crate::areas::chat) fn taken_out(
        &self,
        now: &str,
        changes: &[&Standing],
    ) -> Option<String> {
        let base = self.base.as_deref()?;
        let base = merge::lines(base);
        let splice = |standing: &&Standing| Splice {
            old: standing.now.clone(),
            new: base[standing.change.old.clone()].iter().map(|line| (*line).to_owned()).collect(),
        };
        let splices: Vec<Splice> = changes.iter().map(splice).collect();
        Some(merge::apply_raw(now, &splices))
    }

    /// The same after these changes were taken back.
    pub(in crate::areas::chat) fn without(&self, ids: &BTreeSet<String>) -> Self {
        let made = match (&self.base, &self.made) {
            (Some(base), Some(made)) => {
                let base = merge::lines(base);
                let gone = self.changes().into_iter().filter(|change| ids.contains(&change.id));
                let splice = |change: Change| Splice {
                    old: change.new,
                    new: base[change.old].iter().map(|line| (*line).to_owned()).collect(),
                };
                let splices: Vec<Splice> = gone.map(splice).collect();
                Some(merge::apply(made, &splices))
            }
            (base, _) => base.clone(),
        };
        let mut pair = Self { base: self.base.clone(), made, reviewed: self.reviewed.clone() };
        let left = pair.ids();
        pair.reviewed.retain(|id| left.contains(id));
        pair
    }
}

/// Where a change is in the text now, among the changes of others.
fn find(
    base: &[&str],
    made: &[&str],
    now: &[&str],
    others: &[Hunk],
    change: &Change,
) -> (HunkState, Range<usize>) {
    let touches = |other: &&Hunk| merge::overlap(&other.old, &change.new);
    let is_before = |other: &&Hunk| other.old.end <= change.new.start && !touches(other);
    let grown: isize = others.iter().filter(is_before).map(Hunk::growth).sum();
    let touching: Vec<&Hunk> = others.iter().filter(touches).collect();
    let (Some(first), Some(last)) = (touching.first(), touching.last()) else {
        let start = change.new.start.saturating_add_signed(grown);
        return (HunkState::Made, start..start + change.new.len());
    };
    // The lines that somebody touched, as they were made and as they are.
    let whole = first.old.start.min(change.new.start)..last.old.end.max(change.new.end);
    let start = whole.start.saturating_add_signed(grown);
    let growth: isize = touching.iter().map(|other| other.growth()).sum();
    let end = whole.end.saturating_add_signed(grown + growth).min(now.len());
    let here = start.min(end)..end;
    let head = &made[whole.start..change.new.start];
    let tail = &made[change.new.end..whole.end];
    let before: Vec<&str> =
        head.iter().chain(&base[change.old.clone()]).chain(tail).copied().collect();
    let state = if now[here.clone()] == before[..] { HunkState::Gone } else { HunkState::Changed };
    (state, here)
}

#[cfg(test)]
mod tests;
