//! Programs: started in a session of their own, followed to their end, and ended with everything
//! they started.
//!
//! Processes are found again by session, ancestors and marker, whatever they do. Nothing here judges
//! whether a program may run, reads a file of a workspace or knows of terminals.

mod background;
pub mod content;
mod excerpt;
pub mod find;
mod follow;
pub mod pipe;
mod run;
pub mod search_path;
mod spill;
mod start;
mod text;
mod tree;
pub mod wall;

pub use background::{Background, Chunk, End, State, Status};
pub use follow::{Cause, Ending, Sink, follow};
pub use run::{
    BUDGET, Captured, Finished, FullOutput, Incomplete, LONGEST_COMMAND, Patience, ProcessError,
    Run, Stream, run,
};
pub use start::{Started, give_back_open_files, starting, take_back_open_files};
pub use tree::{
    MARKER_VARIABLE, Tree, TreeError, end, interrupt, is_running, reap_marked, resident,
};
