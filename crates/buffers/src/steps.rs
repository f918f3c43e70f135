//! Edits of pages in the store, one by one, since the whole text was last written.
//!
//! A step is small, so it is written at once, however large the text is. What a page is told waits for
//! that. The next whole text takes the place of its steps.

use std::collections::{BTreeMap, BTreeSet};

use openspace_files::hash;
use openspace_protocol::RelPath;
use openspace_space::{Aside, Saving};
use openspace_text::offsets::{self, Edit};
use serde::{Deserialize, Serialize};

use super::{Inner, authors::EditId, buffer::Buffer, lock};

/// What the store calls the steps; each is under its version and path.
pub(super) const STEPS: &str = "buffer-step";

/// A part, a key and a value of the store, or that it is to be removed.
pub(super) type Entry = (&'static str, String, Option<String>);

/// An edit of a page.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Edited {
    edits: Vec<Edit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    edit: Option<EditId>,
    /// The hash of the text before: a step of another text, left by a program that knew no steps, is
    /// none of this one.
    before: String,
}

/// The steps of one file, by the version that each made.
pub(super) type Steps = BTreeMap<u64, Edited>;

impl Edited {
    pub(super) fn new(before: &str, edits: Vec<Edit>, edit: Option<EditId>) -> Self {
        Self { edits, edit, before: hash(before.as_bytes()) }
    }
}

/// Which steps the store has, by file.
#[derive(Default)]
pub(super) struct Logged(BTreeMap<RelPath, BTreeSet<u64>>);

impl Logged {
    pub(super) fn remember(&mut self, path: &RelPath, versions: impl Iterator<Item = u64>) {
        self.0.entry(path.clone()).or_default().extend(versions);
    }

    /// The entries to be removed because the text of this version has them.
    pub(super) fn forget(&mut self, path: &RelPath, version: u64) -> Vec<Entry> {
        let Some(mut gone) = self.0.remove(path) else { return Vec::new() };
        let later = version.checked_add(1).map(|next| gone.split_off(&next)).unwrap_or_default();
        if !later.is_empty() {
            self.0.insert(path.clone(), later);
        }
        gone.into_iter().map(|version| (STEPS, key(path, version), None)).collect()
    }
}

fn key(path: &RelPath, version: u64) -> String {
    format!("{version} {path}")
}

fn parsed(key: &str) -> Result<(RelPath, u64), String> {
    let (version, path) = key.split_once(' ').ok_or("it has no version")?;
    let version = version.parse().map_err(|_| "its version is no number")?;
    Ok((RelPath::parse(path).map_err(|error| error.to_string())?, version))
}

impl Inner {
    /// Hand the step that made a version to the store.
    pub(super) fn keep_step(&self, path: &RelPath, version: u64, step: &Edited) -> Saving {
        let value = match serde_json::to_string(step) {
            Ok(value) => value,
            Err(error) => {
                tracing::error!(%path, %error, "an edit cannot be kept by itself");
                return self.keep_now(path).1;
            }
        };
        let mut logged = lock(&self.keeping);
        logged.remember(path, std::iter::once(version));
        self.store.save([(STEPS, key(path, version), Some(value))])
    }
}

/// The steps that an earlier run has kept.
#[derive(Default)]
pub(super) struct Restored {
    pub(super) steps: BTreeMap<RelPath, Steps>,
    pub(super) unreadable: Vec<Aside>,
}

impl Restored {
    pub(super) fn read(entries: BTreeMap<String, String>) -> Self {
        let mut restored = Self::default();
        for (key, value) in entries {
            let step = serde_json::from_str(&value).map_err(|error| error.to_string());
            match parsed(&key).and_then(|(path, version)| Ok((path, version, step?))) {
                Ok((path, version, step)) => {
                    restored.steps.entry(path).or_default().insert(version, step);
                }
                Err(why) => {
                    restored.unreadable.push(Aside { part: STEPS.to_owned(), key, why });
                }
            }
        }
        restored
    }
}

/// Bring a text to where the steps after it lead.
pub(super) fn apply(buffer: &mut Buffer, path: &RelPath, mut steps: Steps) {
    while let Some(step) = steps.remove(&(buffer.version + 1)) {
        if step.before != hash(buffer.text.as_bytes()) {
            tracing::warn!(%path, "an edit of another text is left out");
            return;
        }
        match offsets::apply(&buffer.text, &step.edits) {
            Ok(text) => buffer.text = text.into(),
            Err(error) => {
                tracing::error!(%path, %error, "an edit that was kept does not fit");
                return;
            }
        }
        buffer.version += 1;
        if let Some(edit) = &step.edit {
            buffer.authors.made(edit);
        }
    }
}
