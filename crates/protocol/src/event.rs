//! What views are told: ordered events, each a fact about the space after it happened.
//!
//! A change of the state is one event, whatever it changed, and tells only that: a view that applies
//! every patch to a snapshot holds the server's state. Bulk data (PTY bytes) never travels here.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CallRecord, Patch, RelPath, RevealTarget};

/// One event with its place in the order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sequenced {
    /// Counts from 1 since the server started, without gaps.
    pub seq: u64,
    /// The space's revision after this event.
    pub revision: u64,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The space changed (`layout`, `editors`, `highlights`, `terminals`, …). All patches of one
    /// change come together.
    Changed {
        /// What changed, by part.
        patches: BTreeMap<String, Patch>,
    },
    /// Files or folders beneath the root changed on disk.
    FilesChanged {
        /// What is known of it, by path.
        changes: Vec<FileChange>,
        /// Anything may have changed besides: look again at all that is shown.
        rescan: bool,
    },
    /// A file or folder was moved. It is told once, before the change that gives its tabs their new
    /// paths: who applies that change knows that it is the same file.
    FileMoved {
        /// Where it was.
        from: RelPath,
        /// Where it is now.
        to: RelPath,
    },
    /// What the person set for all workspaces was changed, by a page of this or another server or by
    /// hand.
    UserDataChanged {
        /// Which file of it: `settings.json`, `keybindings.json`, …
        name: String,
    },
    /// A view should bring something to the person's eyes. It is told once, before the change that
    /// puts it into the layout: who applies that change knows why.
    Reveal {
        /// What to show, and where; never where the keyboard goes.
        target: RevealTarget,
    },
    /// Commands were added or removed.
    CatalogueChanged {
        /// Counts up with each change.
        version: u64,
    },
    /// A command ended; the same facts as its audit record.
    CallEnded {
        /// The audit record.
        record: CallRecord,
    },
}

/// A file or folder that changed on disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileChange {
    /// Its path.
    pub path: RelPath,
    /// What became of it. What goes with a folder that is deleted is not told one by one.
    pub change: ChangeKind,
}

/// What became of a file or folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It was not there before.
    Created,
    /// It has other content, or other rights.
    Changed,
    /// It is gone.
    Deleted,
}

#[cfg(test)]
mod tests;
