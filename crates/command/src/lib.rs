//! The control plane: one declaration per command, one registry, one `dispatch`.
//!
//! A command is a struct of arguments that implements [`Command`]. Everything else (MCP tool, HTTP
//! endpoint, command line, palette entry, documentation, permission, audit record) is read from
//! that declaration. This crate knows how a call is checked, limited, run and recorded. It does not
//! know what any command does, and it does not know any transport.
//!
//! `S` is the state that commands work on; the product chooses it.

mod arguments;
mod audit;
mod call;
mod command;
mod context;
pub mod declared;
mod dispatch;
mod error;
mod guard;
mod limits;
mod listing;
mod masking;
mod meanwhile;
mod registry;
mod render;
mod repeats;
mod schema;
mod supervisor;

pub use audit::Recorder;
pub use call::{Call, Reply};
pub use command::{Command, Does, Entry, Focus, Meta, Order, Prepared, Set, Shown};
pub use context::{Cx, Progress, ProgressUpdate};
pub use dispatch::{Dispatcher, Now, WeakDispatcher};
pub use error::{Error, Result};
pub use guard::{Asked, Guard, Hold, Intent, LetAll, Line, SeenFile, Site};
pub use limits::{Budget, Limits, Load, Recent};
pub use masking::{Masks, TokensAlone, Unmask};
pub use meanwhile::{Meanwhile, Since};
pub use openspace_protocol::{CallRecord as Record, Caller, CallerKind, ErrorKind, Outcome};
pub use registry::{
    Definition, DefinitionError, Listing, Registry, canonical_id, one_slip_apart, tool_name,
    words_of,
};
pub use render::render;
pub use supervisor::{Attendance, Beginning, Supervisor};
