//! The laws of the link, over streams in memory and real sockets.

mod attaching;
mod breaks;
mod calls;
mod fuzz;
mod garbage;
mod greetings;
mod stage;
mod windows;
