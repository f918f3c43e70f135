//! What is said with a program that has a pipe: what to start, and what flows while it runs.
//!
//! Each direction has a window. Who sends bytes sends at most [`WINDOW`] of them more than the other
//! side has said it took, so nothing waits on the way, and a stop or the end of a stream is never
//! behind bytes that nobody takes. Who does not keep to it is held up by the conversation itself, and
//! what it says then waits behind its own bytes.

use std::path::PathBuf;

use openspace_process as process;
use openspace_protocol::RelPath;
use serde::{Deserialize, Serialize};

/// How many bytes of a stream may be on their way.
pub const WINDOW: usize = 256 * 1024;

/// A program with its arguments, which no shell reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PipedProgram {
    /// A name, looked for in `folders` and then in the `PATH`, or an absolute path in the place.
    pub program: String,
    pub arguments: Vec<String>,
    /// The folder to run in.
    pub folder: RelPath,
    /// Absolute folders of the place in which its name is looked for first.
    pub folders: Vec<PathBuf>,
    /// Variables of the place's environment that it does not get.
    pub without: Vec<String>,
    /// Variables on top of the rest.
    pub environment: Vec<(String, String)>,
}

impl PipedProgram {
    /// A program without arguments in the root of the workspace.
    pub fn new(program: impl Into<String>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            folder: RelPath::root(),
            folders: Vec::new(),
            without: Vec::new(),
            environment: Vec::new(),
        }
    }

    /// The same with these arguments.
    #[must_use]
    pub fn with<A: Into<String>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }
}

/// What is told of a program with a pipe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PipeOutput {
    /// It runs. Told once, before all else.
    Started {
        /// The number of its process.
        pid: u32,
    },
    /// It wrote something.
    Bytes {
        /// Where.
        stream: process::Stream,
        /// What, as it is.
        #[serde(with = "serde_bytes")]
        bytes: Vec<u8>,
    },
    /// Nothing more will come from this stream.
    Closed(process::Stream),
    /// It has taken so many more bytes of its input.
    Took(u64),
    /// It takes no more input: the rest is thrown away.
    Deaf,
}

/// What a caller says to a program with a pipe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PipeInput {
    /// For its standard input.
    Bytes(#[serde(with = "serde_bytes")] Vec<u8>),
    /// Its standard input ends here.
    Close,
    /// The caller has taken so many more bytes of a stream.
    Took {
        /// Of which.
        stream: process::Stream,
        /// How many.
        bytes: u64,
    },
    /// Ask all its processes to end, and end those that are still there after this long.
    Stop {
        /// How long.
        patience_ms: u64,
    },
}
