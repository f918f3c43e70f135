//! The agents' place, with the real runner and the real keeper: what is there, what is not, and ways
//! out of it.
//!
//! Facts stand in tables: a sentence, a script that tries the opposite, and what the script has to
//! write. Each table shares one place.

#![expect(clippy::unwrap_used, reason = "a helper of a test may fail the test")]

mod appearing;
mod blame;
mod ending;
mod pipes;
mod repositories;
mod secrets;
mod stage;
mod still;
mod users;
mod view;
mod walls;
mod work;
