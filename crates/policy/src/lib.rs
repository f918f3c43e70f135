//! Who may do what: one table from caller, access, place and line to allow, ask or deny.
//!
//! The order is fixed. The floor comes first and nobody lifts it. What the project's file says can only make
//! the answer stricter. Then the person's own rules decide, deny before ask before allow, and where none
//! speaks, the profile does. Every answer names the rule that decided.
//!
//! This crate reads and writes texts, no files, and enforces nothing: dispatch does, and the walls of the
//! place where programs run.

mod file;
mod policy;
mod profile;
mod rule;

#[cfg(test)]
mod tests;

pub use file::{FileError, MAX_FILE_BYTES, MAX_RULES, save};
pub use policy::{PartRuling, Policy, Question, Ruling, is_asked_each_time, is_restorable};
pub use profile::Profile;
pub use rule::{Changeable, Decision, Place, Rule, RuleName, Rules, Source};
