//! opencode, started by the server.

mod chat;
mod life;
mod permissions;
mod setup;
mod turns;
mod walls;
