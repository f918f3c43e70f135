//! For tests alone: a model that says what a script says.
//!
//! It speaks the chat completions with streaming that agents speak to models, and nothing else. It is strict: a request
//! that an honest server would refuse is refused, so that a test sees it. What an agent is to hear is a [`Step`]; each
//! request with tools takes one, from the script of its session if it has one, else from the script for all. Requests
//! without tools are for titles and summaries and get an answer of their own.
//!
//! Everything asked is in the log. It listens on this machine only and is gone when it is dropped.

mod answer;
mod request;
mod script;
mod server;

pub use request::Asked;
pub use script::{CallOfTool, End, Step};
pub use server::Scripted;

#[cfg(test)]
mod tests;
