//! Replacing pieces of a text by other pieces, the way an agent asks for it: "this" becomes "that".
//!
//! The piece is looked for as it is given. When it is not there, a chain of ever looser rules says
//! where it was meant, and the result names the rule. A loose rule decides only when it knows one
//! single place and the place is not much larger than what was given: better an error than a change
//! in the wrong place.
//!
//! Nothing here reads or writes files, knows patterns or expands `$&` and `\1`. Line endings and the
//! byte order mark stay as they are: an edit cannot change them.

use std::{borrow::Cow, ops::Range};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::{
    changes::{Change, Splice},
    matches::Scene,
    view::View,
};

mod changes;
mod diff;
mod error;
mod fit;
mod lines;
mod matches;
mod nearest;
mod similarity;
mod view;

#[cfg(test)]
mod tests;

pub use self::error::{EditError, Which};

/// How many edits one call may hold.
pub const MAX_EDITS: usize = 100;
/// How many matches one edit may replace.
pub const MAX_PLACES: usize = 1_000_000;
/// How large an edit may make a text. A text that is larger already may still shrink.
pub const MAX_TEXT_BYTES: usize = 64 * 1024 * 1024;
/// How long the diff may be, apart from its head and its mark.
pub const MAX_DIFF_BYTES: usize = 32 * 1024;
/// Above this size only `exact` and `line_trimmed` are tried, and nothing similar is looked for.
pub const MAX_LOOSE_BYTES: usize = 2 * 1024 * 1024;
/// Two texts that differ in a larger piece are not compared line by line.
const MAX_COMPARED_BYTES: usize = 4 * 1024 * 1024;
/// How many matches an error names.
pub const NAMED_PLACES: usize = 5;

/// One edit: what is there and what shall be there instead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replacement {
    /// The text to look for; `\n` stands for whatever line ending the file has.
    pub old: String,
    /// The text to put there, to the letter.
    pub new: String,
    /// Replace every place, not the only one.
    pub replace_all: bool,
}

/// How the place of an edit was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// The text is there as given, line endings apart.
    Exact,
    /// Every line is there, when blanks at its two ends are left out.
    LineTrimmed,
    /// The first and the last line are there and what lies between is similar.
    BlockAnchor,
    /// Every word is there, with other blanks or line breaks between them.
    WhitespaceNormalized,
    /// Of several matches that are `line_trimmed`, the only one indented alike.
    IndentationFlexible,
    /// The text is there once `\n`, `\"` and the like are read as what they stand for.
    EscapeNormalized,
    /// The text is there without the blanks and blank lines around it.
    TrimmedBoundary,
    /// The first, the last and at least half of the lines between are there.
    ContextAware,
}

/// What the edits made of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// The whole new text.
    pub text: String,
    /// How many matches were replaced, by all edits together.
    pub replacements: u64,
    /// Lines of the new text that the old one does not have.
    pub lines_added: u64,
    /// Lines of the old text that the new one does not have.
    pub lines_removed: u64,
    /// How each edit found its place, in the order of the edits.
    pub rules: Vec<Rule>,
    /// A unified diff; its last line says how much is missing when it was too long.
    pub diff: String,
    /// The diff does not show all that differs.
    pub diff_truncated: bool,
}

/// The text most like the one that was not found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Nearest {
    /// Its first line, counted from 1.
    pub line: u64,
    /// What stands there, cut short when long.
    pub text: String,
}

/// Apply all edits or none. Each edit sees what the ones before it made; the lines that an error
/// names are those of that text. The path is for the head of the diff alone.
pub fn apply(path: &str, text: &str, edits: &[Replacement]) -> Result<Edited, EditError> {
    if edits.is_empty() {
        return Err(EditError::NoEdits);
    }
    if edits.len() > MAX_EDITS {
        return Err(EditError::TooMany { count: edits.len() });
    }
    let mut current = Cow::Borrowed(text);
    let mut changes: Vec<Change> = Vec::new();
    let mut rules = Vec::with_capacity(edits.len());
    let mut replacements = 0;
    for (index, edit) in edits.iter().enumerate() {
        let which = Which { index, of: edits.len() };
        let view = View::of(&current);
        let (rule, splices) = splices(&view, edit, which)?;
        let next =
            changes::splice(&current, &splices).ok_or(EditError::TooLarge { edit: which })?;
        replacements += splices.len() as u64;
        changes = changes::compose(&changes, &splices);
        rules.push(rule);
        current = Cow::Owned(next);
    }
    let diff = diff::unified(path, text, &current, &changes);
    Ok(Edited {
        lines_added: diff.added,
        lines_removed: diff.removed,
        diff: diff.text,
        diff_truncated: diff.cut,
        text: current.into_owned(),
        replacements,
        rules,
    })
}

/// How two whole texts differ.
pub struct Compared {
    pub lines_added: u64,
    pub lines_removed: u64,
    pub diff: String,
    /// The diff does not show all that differs.
    pub truncated: bool,
}

/// Compare two whole texts. Differences that are too large are counted and not shown.
pub fn compare(path: &str, old: &str, new: &str) -> Compared {
    let Some(change) = changes::between(old, new) else {
        return Compared {
            lines_added: 0,
            lines_removed: 0,
            diff: String::new(),
            truncated: false,
        };
    };
    if change.old.len().max(change.new.len()) > MAX_COMPARED_BYTES {
        return Compared {
            lines_added: lines::count(&new[change.new]),
            lines_removed: lines::count(&old[change.old]),
            diff: String::new(),
            truncated: true,
        };
    }
    let diff = diff::unified(path, old, new, &[change]);
    Compared {
        lines_added: diff.added,
        lines_removed: diff.removed,
        truncated: diff.cut,
        diff: diff.text,
    }
}

/// What one edit changes, in bytes of the text as it is.
fn splices(
    view: &View,
    edit: &Replacement,
    which: Which,
) -> Result<(Rule, Vec<Splice>), EditError> {
    let (old, new) = (view.read(&edit.old), view.read(&edit.new));
    if old.is_empty() {
        return Err(EditError::EmptyOld { edit: which });
    }
    if old == new {
        return Err(EditError::Identical { edit: which });
    }
    let text = view.text();
    let exact = exact_places(text, &old, edit.replace_all, which)?;
    // Many matches times a long text is asked about before it is made.
    let mut room = MAX_TEXT_BYTES.max(text.len());
    let mut splice = |range: Range<usize>, fitted: &str| {
        let text = view.spell(&range, fitted).into_owned();
        room = room.checked_sub(text.len()).ok_or(EditError::TooLarge { edit: which })?;
        Ok(Splice { range: view.raw(&range), text })
    };
    if !exact.is_empty() {
        let splices = exact.into_iter().map(|start| splice(start..start + old.len(), &new));
        return Ok((Rule::Exact, splices.collect::<Result<_, _>>()?));
    }
    let scene = Scene::of(text, &old);
    let (rule, matches) = scene.find(edit.replace_all, which)?;
    let mut splices = Vec::with_capacity(matches.len());
    for place in &matches {
        let (range, fitted) = fit::fit(&scene, rule, place, &new);
        if text[range.clone()] != fitted {
            splices.push(splice(range, &fitted)?);
        }
    }
    if splices.is_empty() {
        return Err(EditError::Identical { edit: which });
    }
    Ok((rule, splices))
}

/// Where the text stands as given: nowhere, at one place, or at all matches if all are wanted.
fn exact_places(text: &str, old: &str, all: bool, which: Which) -> Result<Vec<usize>, EditError> {
    let mut found = text.match_indices(old).map(|(start, _)| start);
    let wanted = if all { MAX_PLACES } else { NAMED_PLACES };
    let mut matches: Vec<usize> = found.by_ref().take(wanted).collect();
    let mut count = matches.len() + found.count();
    if all {
        return if count > MAX_PLACES {
            Err(EditError::TooManyPlaces { edit: which, count })
        } else {
            Ok(matches)
        };
    }
    // Places that overlap are as ambiguous as matches that do not.
    if let [only] = matches[..]
        && let Some(overlap) = lines::find_after(text, old, only)
    {
        matches.push(overlap);
        count = 2;
    }
    if count > 1 {
        let lines = lines::numbers(text, &matches);
        return Err(EditError::Several { edit: which, rule: Rule::Exact, count, lines });
    }
    Ok(matches)
}
