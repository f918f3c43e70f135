//! Files for callers: commands that read, write, find and rearrange them.

pub mod change_commands;
pub mod commands;
pub mod save_command;
pub mod whereabouts;
