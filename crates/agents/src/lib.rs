//! A conversation with an agent, whichever agent it is.
//!
//! [`Agent`] is the one trait: sessions, prompts, a stream of events, questions to a person, and the abilities that only
//! some agents have. What is said is the [`model`]. An implementation speaks to an agent that somebody else started; this
//! crate starts no program and knows nothing of panes, commands or pages.
//!
//! Nothing here grows without a bound, and nothing leaves here that could be a key.

pub mod acp;
mod agent;
mod capabilities;
mod error;
mod event;
pub mod feed;
pub mod interceptor;
pub mod known;
pub mod model;
pub mod opencode;
mod recent;
pub mod written;

pub use agent::{Agent, Answer, BoxFuture};
pub use capabilities::{Ability, Capabilities};
pub use error::{AgentError, Thing};
pub use event::{Event, TextField};
pub use feed::{Feed, Subscription};
