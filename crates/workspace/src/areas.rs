//! The areas: each a capability with its commands, what it keeps in the space and beside it, the
//! rules that hold there, and the tabs it shows.
//!
//! An area is one module of this folder and one line of [`AREAS`]; nothing else knows of it. What
//! several of them need (paths, words of refusal, reading and writing content) is not theirs and lies
//! beside this folder.

use openspace_space::{Declared, Rule};

use self::tabs::ShownTab;
use crate::{
    Entry,
    agents::{self, brought::Bringing},
    audit, consents, conversations, permission,
    services::Starter,
    workspaces,
};

pub mod approvals;
pub mod bridge;
pub mod catalogue;
pub mod chat;
pub mod editor;
pub mod file;
pub mod layout;
pub mod problems;
pub mod store;
pub mod tabs;
pub mod task;
pub mod terminal;
pub mod tools;
pub mod view;

/// What an area brings along.
pub struct Area {
    /// Its commands.
    pub commands: &'static [Entry],
    /// What it keeps in the space.
    pub parts: &'static [Declared],
    /// What has to hold there after every change.
    pub rules: &'static [Rule],
    /// What of it starts with the server; other services start when they are first asked for.
    pub services: &'static [Starter],
    /// The kinds of tabs whose content it knows.
    pub tabs: &'static [ShownTab],
    /// The kinds of things that go with the agent that brought them.
    pub brought: &'static [Bringing],
}

impl Area {
    /// Nothing at all; an area names what it brings over this.
    pub const EMPTY: Self =
        Self { commands: &[], parts: &[], rules: &[], services: &[], tabs: &[], brought: &[] };
}

/// The areas, in the order of every list and document.
pub const AREAS: &[Area] = &[
    layout::AREA,
    editor::AREA,
    problems::AREA,
    terminal::AREA,
    task::AREA,
    file::AREA,
    tools::AREA,
    workspaces::AREA,
    catalogue::AREA,
    view::AREA,
    store::AREA,
    approvals::AREA,
    permission::AREA,
    audit::AREA,
    agents::AREA,
    chat::AREA,
    conversations::AREA,
    consents::AREA,
];
