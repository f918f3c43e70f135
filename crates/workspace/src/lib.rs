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
pub mod events;
pub mod file;
pub mod instructions;
pub mod layout;
mod paths;
pub mod places;
pub mod problems;
pub mod refusal;
pub mod space;
pub mod store;
pub mod terminal;
pub mod tools;
pub mod tree;
pub mod view;
mod workspace;
pub mod workspaces;

pub use workspace::{OpenError, Options, Workspace, open};

/// A command's context in this product.
pub type Cx = openspace_command::Cx<Workspace>;
/// A command's entry in this product.
pub type Entry = openspace_command::Entry<Workspace>;
/// The dispatcher of this product.
pub type Dispatcher = openspace_command::Dispatcher<Workspace>;
/// The list of commands of this product.
pub type Registry = openspace_command::Registry<Workspace>;

/// The compiled-in commands, area by area, in the order of every list and document.
pub fn registry() -> Registry {
    Registry::new(&[
        layout::commands::COMMANDS,
        editor::commands::COMMANDS,
        problems::commands::COMMANDS,
        terminal::commands::COMMANDS,
        file::commands::COMMANDS,
        tools::COMMANDS,
        workspaces::commands::COMMANDS,
        catalogue::commands::COMMANDS,
        view::commands::COMMANDS,
        audit::commands::COMMANDS,
    ])
}
