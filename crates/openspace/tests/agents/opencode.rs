//! opencode, started by the server.

mod chat;
mod life;
mod turns;
mod walls;
