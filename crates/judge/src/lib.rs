//! What a command line would do, told before it runs: its simple commands one by one, what is dangerous in
//! each, and what cannot be known from the text.
//!
//! A line is read twice, by a scanner of our own (`prepare`) and by a bash grammar (`tree`), and both must
//! agree; what hides in arguments (`bash -c`, `env`, `xargs`, here-documents …) is read again. Whatever is
//! left unclear is a [`Doubt`], never a guess.
//!
//! This crate protects nobody. It tells a person what is about to happen and spares them questions about
//! what is harmless; a program can do whatever it likes once it runs, and only the walls around it hold.
//! It does no IO, knows no files, no callers and no rules: who may do what is decided elsewhere.

mod command;
mod danger;
mod doubt;
mod finding;
mod harmless;
mod inner;
mod options;
mod ours;
mod part;
mod paths;
mod pattern;
mod prepare;
mod products;
mod read;
mod sources;
mod suggest;
mod tree;
mod word;

#[cfg(test)]
mod tests;

pub use doubt::Doubt;
pub use finding::{Danger, Finding};
pub use part::{Judged, Part};
pub use pattern::{Pattern, PatternError};
pub use read::{MAX_LINE_BYTES, Shell, read};
pub use sources::Source;
pub use suggest::suggest;
pub use word::Word;
