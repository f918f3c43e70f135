//! opencode, started by the server.

mod chat;
mod life;
mod permissions;
mod turns;
mod walls;
