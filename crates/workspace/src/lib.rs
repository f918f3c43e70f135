//! The product without any edge: the live space, its areas and their commands.
//!
//! Each area of [`areas`] has the same shape: `terminal.rs` says what it is and what it brings (`AREA`),
//! `terminal/commands.rs` declares its commands and lists them in `COMMANDS`. This crate knows no
//! transport: no HTTP, no MCP, no command line. Everything that touches the machine goes through
//! `openspace-host`.

pub mod agents;
pub mod areas;
pub mod audit;
mod bounds;
pub mod config;
pub mod consents;
pub mod content;
pub mod conversations;
mod doings;
pub mod instructions;
pub mod metrics;
mod open_space;
mod paths;
pub mod permission;
pub mod places;
pub mod refusal;
pub mod secrets;
pub mod services;
pub mod tree;
mod walls;
pub mod workspaces;

use std::collections::BTreeMap;

use openspace_space::Declared;
use schemars::Schema;

pub use open_space::{OpenError, OpenSpace, Options, open};

/// A command's context in this product.
pub type Cx = openspace_command::Cx<OpenSpace>;
/// A command's entry in this product.
pub type Entry = openspace_command::Entry<OpenSpace>;
/// The dispatcher of this product.
pub type Dispatcher = openspace_command::Dispatcher<OpenSpace>;
/// The list of commands of this product.
pub type Registry = openspace_command::Registry<OpenSpace>;

/// The compiled-in commands, area by area.
pub fn registry() -> Registry {
    let commands: Vec<&[Entry]> = areas::AREAS.iter().map(|area| area.commands).collect();
    Registry::new(&commands)
}

/// The parts of the space, area by area.
pub fn parts() -> Vec<Declared> {
    areas::AREAS.iter().flat_map(|area| area.parts).copied().collect()
}

/// The schema of each part that views are told, by name: entries by key.
pub fn part_schemas() -> BTreeMap<&'static str, Schema> {
    let parts = parts().into_iter().filter(Declared::is_published);
    parts.map(|part| (part.name(), part.schema())).collect()
}
