//! The real runner, asked over its standard streams and over a socket: what it does, and what is
//! known when it is gone.

#![expect(clippy::unwrap_used, reason = "a helper of a test may fail the test")]

mod attaching;
mod builds;
mod ends;
mod losses;
mod pipes;
mod stage;
mod writes;
