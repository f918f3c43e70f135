//! Words shared by all sides: ids, paths, callers and classes of access, kinds of failure, the events of
//! the space, and what is said on sockets.
//!
//! Everything here is plain data. No IO, no runtime, no transport: a browser, a runner inside a
//! sandbox and the server all agree on these shapes and on nothing else.

pub mod access;
pub mod call;
pub mod caller;
pub mod confinement;
pub mod error;
pub mod event;
pub mod id;
pub mod keeping;
pub mod part;
pub mod path;
pub mod reveal;
pub mod terminal;
pub mod wire_error;

pub use access::Access;
pub use call::{CallRecord, Outcome};
pub use caller::{Caller, CallerKind};
pub use error::ErrorKind;
pub use event::{ChangeKind, Event, FileChange, Sequenced};
pub use id::{ApprovalId, PaneId, TerminalId};
pub use part::Patch;
pub use path::{PathError, RelPath};
pub use reveal::{Range, RevealMode, RevealTarget};
pub use terminal::{FromTerminalView, ToTerminalView};
