//! opencode, started by the server.

mod chat;
mod life;
mod permissions;
mod story;
mod turns;
mod walls;
mod written;
