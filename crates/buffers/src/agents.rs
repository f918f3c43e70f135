//! Changes that agents make to files with unsaved text.
//!
//! An agent works on what it sees, which is the text of the buffer. Its change is carried over to
//! the base and written to disk; only then the buffer gets it too. All of that happens under
//! the file's guard, so nothing can be typed in between, and in a task of its own, so that a caller
//! who goes away leaves no half of it.

use std::sync::Arc;

use openspace_command::{Error, ErrorKind, Result};
use openspace_files::{
    change::{self, ChangeError, Changed, WriteRequest},
    hash,
};
use openspace_host::{HostError, operation::ChangeFile};
use openspace_protocol::RelPath;
use openspace_text::{
    edit::{self, Edited, Replacement},
    merge::{self, Clash, Splice},
    offsets,
};

use super::{
    Buffers, Inner, MAX_TEXT, Step, Words,
    buffer::{Shared, TextGuard},
    disk::{Absorbed, Disk, Found, IfApart, is_emptied},
    too_large, work,
};

/// How often a change starts again because another program changed the file meanwhile.
const ATTEMPTS: usize = 5;
/// Characters of each side that a conflict shows.
const SHOWN: usize = 700;

/// What an agent wants of a file.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// Replace pieces.
    Edit(Vec<change::Edit>),
    /// Replace all of it.
    Write(String),
}

/// A change that an agent asks for.
#[derive(Clone, Debug)]
pub struct Request {
    /// What to do.
    pub wanted: Wanted,
    /// The hash that the agent knows the file by.
    pub expected: Option<String>,
    /// Only say what would change.
    pub dry_run: bool,
    /// Who asks.
    pub by: String,
}

impl Buffers {
    /// Change a file whose guard is held; `None` when it has no unsaved text, and then nothing was
    /// done. The guard is given back.
    pub async fn change(
        &self,
        guard: TextGuard,
        request: Request,
    ) -> (Option<TextGuard>, Result<Option<Changed>>) {
        if guard.known().is_none() {
            return (Some(guard), Ok(None));
        }
        let inner = Arc::clone(&self.inner);
        let made = tokio::spawn(async move {
            let made = inner.change(&guard, &request).await;
            (guard, made)
        });
        match made.await {
            Ok((guard, made)) => (Some(guard), made),
            Err(error) => (None, Err(Error::internal("the change broke off").because(error))),
        }
    }
}

/// A change that fits.
struct Plan {
    /// What the file on disk shall hold.
    raw: String,
    base: Shared,
    text: Shared,
    edits: Vec<offsets::Edit>,
    edited: Option<Edited>,
}

impl Inner {
    async fn change(
        self: &Arc<Self>,
        guard: &TextGuard,
        request: &Request,
    ) -> Result<Option<Changed>> {
        let path = guard.path();
        for _ in 0..ATTEMPTS {
            let disk = self.read_disk(path).await?;
            let if_apart = if is_emptied(guard, &disk) { IfApart::Wait } else { IfApart::Conflict };
            match self.absorb(guard, &disk, if_apart).await? {
                Absorbed::NoBuffer => return Ok(None),
                Absorbed::InStep => {}
                Absorbed::Apart => return Err(apart(path, &disk)),
            }
            let Disk::Text(found) = disk else { return Err(apart(path, &disk)) };
            let (base, text) = self.expected(guard, request.expected.as_deref())?;
            let disk_hash = found.hash.clone();
            let previous = hash(text.as_bytes());
            let plan = {
                let (path, wanted) = (path.clone(), request.wanted.clone());
                let refused = self.refused;
                work(move || plan(&path, &base, &text, &found, wanted, refused)).await??
            };
            if plan.text.len() > MAX_TEXT {
                return Err(too_large(path));
            }
            let write = WriteRequest {
                path: path.clone(),
                content: plan.raw,
                expected_hash: Some(disk_hash),
                dry_run: request.dry_run,
            };
            let mut changed = match self.host.ask(ChangeFile { request: write }).await {
                Ok(changed) => changed,
                Err(HostError::Change(ChangeError::Stale { .. })) => continue,
                Err(error) => return Err((self.refused)(error)),
            };
            let base_hash = std::mem::replace(&mut changed.hash, hash(plan.text.as_bytes()));
            changed.previous_hash = Some(previous);
            if let Some(edited) = plan.edited {
                describe(&mut changed, edited);
            }
            if !request.dry_run {
                if let Some(buffer) = guard.known().as_mut() {
                    buffer.forget_handed_out();
                }
                let text = (!plan.edits.is_empty()).then_some((plan.text, plan.edits));
                let base = Some((plan.base, Some(base_hash)));
                self.commit(guard, Step { text, base, by: request.by.clone(), edit: None }, None);
                if let Some(buffer) = guard.known().as_mut() {
                    buffer.hand_out_hash();
                }
            }
            return Ok(Some(changed));
        }
        Err(Error::conflict(format!("`{path}` is changed by another program all the time"))
            .hint("try again"))
    }

    /// Base and text, if they are what the caller expects.
    fn expected(&self, guard: &TextGuard, expected: Option<&str>) -> Result<(Shared, Shared)> {
        let slot = guard.known();
        let Some(buffer) = slot.as_ref() else {
            return Err(Error::internal("the buffer is gone under its guard"));
        };
        match expected {
            Some(expected) if !buffer.is_known_by(expected) => {
                let path = guard.path().clone();
                let found = Some(hash(buffer.text.as_bytes()));
                let stale = ChangeError::Stale { path, expected: expected.to_owned(), found };
                Err((self.refused)(HostError::Change(stale)))
            }
            _ => Ok((buffer.base.clone(), buffer.text.clone())),
        }
    }
}

fn plan(
    path: &RelPath,
    base: &str,
    text: &str,
    found: &Found,
    wanted: Wanted,
    refused: Words,
) -> Result<Plan> {
    let (new, edited) = match wanted {
        Wanted::Edit(edits) => {
            let mut edited =
                apply(path, text, edits).map_err(|error| refused(HostError::Change(error)))?;
            let new = merge::with_line_feeds(&std::mem::take(&mut edited.text));
            (new, Some(edited))
        }
        Wanted::Write(content) => {
            let content = content.strip_prefix('\u{feff}').unwrap_or(&content);
            (merge::with_line_feeds(content), None)
        }
    };
    let (new, splices) = match merge::carry_over(base, text, &new) {
        Ok(splices) => (new, splices),
        // Who wrote the whole file may have read it before the person typed.
        Err(clashes) if edited.is_none() => match merge::merge(base, &new, text) {
            Ok(merged) => (merged.text, merged.own),
            Err(_) => return Err(touches(path, &clashes, &new, text)),
        },
        Err(clashes) => return Err(touches(path, &clashes, &new, text)),
    };
    Ok(Plan {
        raw: merge::apply_raw(&found.raw, &splices),
        base: base_with(base, &splices),
        edits: offsets::between(text, &new),
        text: new.into(),
        edited,
    })
}

fn base_with(base: &str, splices: &[Splice]) -> Shared {
    merge::apply(base, splices).into()
}

fn apply(path: &RelPath, text: &str, edits: Vec<change::Edit>) -> Result<Edited, ChangeError> {
    let replacements: Vec<Replacement> = edits
        .into_iter()
        .map(|edit| Replacement {
            old: edit.old_string,
            new: edit.new_string,
            replace_all: edit.replace_all,
        })
        .collect();
    edit::apply(path.as_str(), text, &replacements).map_err(ChangeError::Edit)
}

/// Say of a change on disk what it did to the text that the agent sees.
fn describe(changed: &mut Changed, edited: Edited) {
    changed.replacements = edited.replacements;
    changed.lines_added = edited.lines_added;
    changed.lines_removed = edited.lines_removed;
    changed.rules = edited.rules;
    changed.diff_truncated = edited.diff_truncated;
    changed.diff = edited.diff;
}

/// The change touches what is not saved: both sides are shown, nothing is changed.
fn touches(path: &RelPath, clashes: &[Clash], new: &str, text: &str) -> Error {
    let Some(first) = clashes.first() else {
        return Error::internal("a conflict without lines");
    };
    let (new, text) = (merge::lines(new), merge::lines(text));
    let lines = match first.two.len() {
        0 => format!("after line {}, where they removed some,", first.two.start),
        1 => format!("in line {}", first.two.start + 1),
        _ => format!("in lines {}-{}", first.two.start + 1, first.two.end),
    };
    let others = match clashes.len() {
        1 => String::new(),
        many => format!(" (and at {} more places)", many - 1),
    };
    Error::conflict(format!(
        "the person has unsaved changes {lines} of `{path}`{others} that this change touches; nothing was changed"
    ))
    .hint(format!(
        "leave those lines alone, or ask the person to save.\nThe person's lines:\n{}\nYours:\n{}",
        shown(&text[first.two.clone()]),
        shown(&new[first.one.clone()]),
    ))
}

fn shown(lines: &[&str]) -> String {
    if lines.is_empty() {
        return "(none)".to_owned();
    }
    let text = lines.join("\n");
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// The disk and the unsaved text do not go together, so an agent's change would have no place.
pub(super) fn apart(path: &RelPath, disk: &Disk) -> Error {
    match disk {
        Disk::Text(found) if found.text.is_empty() => {
            Error::conflict(format!("`{path}` has just been emptied by another program"))
                .hint("try again")
        }
        Disk::Text(_) => Error::conflict(format!(
            "`{path}` was changed on disk in lines in which the person has unsaved changes; nothing was changed"
        ))
        .hint("ask the person to save or to discard what is not saved"),
        Disk::Missing => Error::conflict(format!(
            "`{path}` is gone from the disk, but the person has unsaved text of it; nothing was changed"
        ))
        .hint("ask the person to save it or to close it"),
        Disk::NoFile => Error::conflict(format!(
            "`{path}` is text of the person that has no file yet; nothing was changed"
        ))
        .hint("read it, and write a file of your own, or ask the person to save it under a name"),
        Disk::Unusable(reason) => {
            let error = reason.again();
            let kind = if error.kind == ErrorKind::Denied { error.kind } else { ErrorKind::Conflict };
            Error::new(kind, format!("the person has unsaved changes, and {}", error.message))
                .hint("ask the person to save")
        }
    }
}
