//! What files hold: one way to read it and one way to change it, under every command that does.
//!
//! Commands have names and forms of their own; limits, hints and protection are the same for all. What
//! is not saved counts as the content. Whether a path may be read or written is the host's to say, and
//! nobody overwrites what they have not seen (see [`seen`]).

pub(crate) mod reading;
pub mod seen;
pub(crate) mod writing;
