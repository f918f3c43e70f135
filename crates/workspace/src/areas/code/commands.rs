//! The commands of this area, and what their arguments have in common.

use openspace_command::{Error, Result};

use super::{
    actions_command::Actions,
    control_commands::{Restart, Stop, Trust},
    definition_command::Definition,
    diagnostics_command::Diagnostics,
    format_command::Format,
    hover_command::Hover,
    install_command::Install,
    references_command::References,
    rename_command::Rename,
    servers_command::Servers,
    symbols_command::Symbols,
};
use crate::{Entry, bounds::check_bounds};

/// The commands of this area.
pub const COMMANDS: &[Entry] = &[
    Entry::of::<Diagnostics>(),
    Entry::of::<Symbols>(),
    Entry::of::<Definition>(),
    Entry::of::<References>(),
    Entry::of::<Hover>(),
    Entry::of::<Rename>(),
    Entry::of::<Format>(),
    Entry::of::<Actions>(),
    Entry::of::<Servers>(),
    Entry::of::<Install>(),
    Entry::of::<Restart>(),
    Entry::of::<Stop>(),
    Entry::of::<Trust>(),
];

/// Seconds that a caller may wait for a server.
pub(super) const MOST_WAIT: u32 = 60;
/// Seconds that a caller waits who does not say.
const USUAL_WAIT: u32 = 10;
/// Bytes of the name of a symbol.
const LONGEST_NAME: usize = 500;

/// How long a caller waits for a server that has not read everything.
pub(super) fn wait(wait_s: Option<u32>) -> std::time::Duration {
    std::time::Duration::from_secs(wait_s.unwrap_or(USUAL_WAIT).into())
}

pub(super) fn check_wait(wait_s: Option<u32>) -> Result<()> {
    check_bounds("wait_s", wait_s, 0..=MOST_WAIT)
}

pub(super) fn check_name(argument: &str, name: &str) -> Result<()> {
    if name.trim().is_empty() || name.len() > LONGEST_NAME {
        return Err(Error::invalid(format!(
            "argument `{argument}`: must be 1 to {LONGEST_NAME} bytes"
        )));
    }
    Ok(())
}
