//! Agents that the server starts: a real opencode in a real confined place, with a model that says what a test
//! has written.

mod opencode;
mod support;
