//! The agents' place, with the real runner and the real keeper: what is there, what is not, and ways
//! out of it.

#![expect(clippy::unwrap_used, reason = "a helper of a test may fail the test")]

mod stage;
mod view;
