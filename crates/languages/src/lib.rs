//! Language servers: one process of each for a workspace, for everybody who asks.
//!
//! [`Server`] is the machine: bytes and wishes in, bytes and events out, with the time said at each step.
//! [`LanguageServer`] drives it over a pair of streams that somebody hands in. Around them: which servers there are
//! and where they are found ([`table`], [`find`]), and how the answers of several become one ([`merge`]).
//!
//! What is told of a text says about which text it is, and a server that has not read everything never answers with
//! nothing. This crate knows no commands, no callers, no pages and no files, and starts no program.

mod abilities;
mod diagnostics;
mod documents;
mod drive;
pub mod find;
mod frame;
mod glob;
mod life;
pub mod merge;
mod message;
mod position;
mod question;
mod readiness;
mod server;
mod settings;
pub mod table;
mod uri;
mod watch;

/// Time since whoever drives a server began to count.
pub type Moment = std::time::Duration;

pub use diagnostics::{Diagnostic, Difference, Freshness, Report, Severity, difference};
pub use documents::{Document, DocumentError, LARGEST_TEXT, MOST_DOCUMENTS};
pub use drive::{AfterProcess, LanguageServer, MOST_EVENTS, Served};
pub use frame::LARGEST_BODY;
pub use life::{FAREWELL, GREETING, Limits, MIB, TooMuch, Usage, over_limits};
pub use position::{Encoding, Position, Range, byte_of, converted, position_of};
pub use question::{AskError, Asker, Question, Reply, State, Ticket, WhileLoading, says_nothing};
pub use readiness::ReadyBy;
pub use server::{EditId, Event, Feature, Folder, Level, MOST_OUTPUT, Next, Server, Setup};
pub use settings::Settings;
pub use uri::Uri;
pub use watch::FileChange;
