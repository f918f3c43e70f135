//! opencode, started by the server.

mod chat;
mod life;
mod permissions;
mod review;
mod setup;
mod turns;
mod walls;
