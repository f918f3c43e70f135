//! opencode, started by the server.

mod life;
mod turns;
mod walls;
