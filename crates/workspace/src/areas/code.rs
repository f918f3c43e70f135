//! Language servers for everybody who works in the space: what is wrong with a text, where something is, who uses it.
//!
//! One server of a kind and a project answers all who ask. It is told the text as the person sees it, saved or not, and
//! runs where agents' programs run. What it says is told with whether it had read everything; from one that has not,
//! nothing at all is no answer. Which servers there are and how they are spoken to is `openspace-languages`; here are
//! commands, names of symbols, and words.

use openspace_space::{Declared, Entries, Part};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{areas::Area, services::Starter};

pub mod actions_command;
mod addresses;
pub mod addressing;
pub(crate) mod after_edit;
mod asked_files;
mod asking;
pub mod commands;
pub mod control_commands;
pub mod definition_command;
pub mod diagnostics_command;
pub mod edits;
mod following;
pub mod format_command;
pub mod hover_command;
pub mod install_command;
mod limits;
mod listing;
mod looking;
mod page_asking;
mod page_edits;
mod page_failure;
mod page_hub;
mod page_list;
mod page_methods;
mod page_queue;
pub mod page_session;
pub mod pages;
mod persons_choice;
mod quoting;
pub mod references_command;
pub mod rename_command;
mod running;
mod server_news;
pub mod servers;
pub mod servers_command;
pub mod sources;
mod symbol_tree;
pub mod symbols_command;
mod texts;
mod whereabouts;

pub use page_hub::CodePages;
pub use page_queue::Inbox;
pub use persons_choice::PersonsChoice;
pub use servers::{CodeServers, LanguageOptions};

/// What this area brings.
pub const AREA: Area = Area {
    commands: commands::COMMANDS,
    parts: &[Declared::of::<CodeTrustPart>()],
    services: &[Starter::of::<CodeServers>(), Starter::of::<CodePages>()],
    ..Area::EMPTY
};

/// Whether language servers may run what the project brings along, by workspace.
pub struct CodeTrustPart;

impl Part for CodeTrustPart {
    const NAME: &'static str = "code-trust";
    const PUBLISHED: bool = false;
    const ANNOUNCED: bool = false;
    type Content = Entries<CodeTrust>;
}

/// What the person said of language servers that are programs of the project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CodeTrust {
    /// Whether they may run.
    pub allowed: bool,
    /// When it was said, in milliseconds since 1970.
    pub at: u64,
    /// Who said it.
    pub by: String,
}
