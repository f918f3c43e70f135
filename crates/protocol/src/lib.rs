//! Words shared by all sides: ids, paths, kinds of failure, and the events of the space.
//!
//! Everything here is plain data. No IO, no runtime, no transport: a browser, a runner inside a
//! sandbox and the server all agree on these shapes and on nothing else.

pub mod confinement;
pub mod error;
pub mod event;
pub mod id;
pub mod part;
pub mod path;
pub mod wire_error;

pub use error::ErrorKind;
pub use event::{ChangeKind, Event, FileChange, Sequenced};
pub use id::{PaneId, TerminalId};
pub use part::Patch;
pub use path::{PathError, RelPath};
