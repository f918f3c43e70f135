//! The live space: parts that areas declare, changes that are told as changes, and the store.
//!
//! The space knows no area. Whoever keeps something in it declares a [`Part`]; a change works on a
//! copy of the state and is told as a patch, saved as the rows that differ, and remembered in a
//! stream of bounded size. It does no IO but that of the store and runs no programs.

mod entries;
mod events;
mod part;
mod space;
mod state;
pub mod store;

pub use entries::{Counter, Entries, Key, Updated};
pub use events::{Events, Listener, News, Told};
pub use part::{Declared, Part};
pub use space::{Attached, Rule, Snapshot, Space};
pub use state::State;
pub use store::{Aside, Saving, Store, StoreError};
