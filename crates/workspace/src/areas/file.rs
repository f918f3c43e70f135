//! Files for callers: commands that read, write, find and rearrange them.

use crate::{areas::Area, services::Starter, tree::TreeFollower};

pub mod change_commands;
pub mod commands;
pub mod save_command;
pub mod secret_command;
pub mod whereabouts;

/// What this area brings.
pub const AREA: Area = Area {
    commands: commands::COMMANDS,
    services: &[Starter::of::<TreeFollower>()],
    ..Area::EMPTY
};
