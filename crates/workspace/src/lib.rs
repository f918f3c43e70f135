//! The product without any edge: the live space, its areas and their commands.
//!
//! Each area has the same shape: `terminal.rs` says what it is, `terminal/commands.rs` declares its
//! commands and lists them in `COMMANDS`. This crate knows no transport: no HTTP, no MCP, no
//! command line. Everything that touches the machine goes through `openspace-host`.

pub mod agents;
pub mod audit;
pub mod bridge;
pub mod buffers;
pub mod catalogue;
pub mod config;
pub mod content;
pub mod editor;

pub mod file;
pub mod instructions;
pub mod layout;
mod paths;
pub mod places;
pub mod problems;
pub mod refusal;

pub mod terminal;
pub mod tools;
pub mod tree;
pub mod view;
mod workspace;
pub mod workspaces;

use std::collections::BTreeMap;

use openspace_space::{Declared, Rule};
use schemars::Schema;

pub use workspace::{OpenError, Options, Workspace, open};

/// A command's context in this product.
pub type Cx = openspace_command::Cx<Workspace>;
/// A command's entry in this product.
pub type Entry = openspace_command::Entry<Workspace>;
/// The dispatcher of this product.
pub type Dispatcher = openspace_command::Dispatcher<Workspace>;
/// The list of commands of this product.
pub type Registry = openspace_command::Registry<Workspace>;

/// What an area brings along. Nothing central grows with a new one but the list of them.
pub struct Area {
    /// Its commands.
    pub commands: &'static [Entry],
    /// What it keeps in the space.
    pub parts: &'static [Declared],
    /// What has to hold there after every change.
    pub rules: &'static [Rule],
}

/// The areas, in the order of every list and document.
pub const AREAS: &[Area] = &[
    layout::AREA,
    editor::AREA,
    problems::AREA,
    terminal::AREA,
    file::AREA,
    tools::AREA,
    workspaces::AREA,
    catalogue::AREA,
    view::AREA,
    audit::AREA,
    agents::AREA,
    buffers::AREA,
];

/// The compiled-in commands, area by area.
pub fn registry() -> Registry {
    let commands: Vec<&[Entry]> = AREAS.iter().map(|area| area.commands).collect();
    Registry::new(&commands)
}

/// The parts of the space, area by area.
pub fn parts() -> Vec<Declared> {
    AREAS.iter().flat_map(|area| area.parts).copied().collect()
}

/// The schema of each part that views are told, by name: entries by key.
pub fn part_schemas() -> BTreeMap<&'static str, Schema> {
    let parts = parts().into_iter().filter(Declared::is_published);
    parts.map(|part| (part.name(), part.schema())).collect()
}
