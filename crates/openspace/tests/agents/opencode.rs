//! opencode, started by the server.

mod chat;
mod life;
mod permissions;
mod review;
mod setup;
mod story;
mod turns;
mod walls;
mod written;
