//! opencode, started by the server.

mod life;
mod permissions;
mod turns;
mod walls;
