//! What a host can do: one struct per operation, with the type of its answer.
//!
//! The structs are the protocol of the runner too, so they hold plain data only. No permission, no
//! caller and no default that a command could choose is known here. Operations with `person` are
//! told whether a person asks, whose own secrets may then be read and written.

use openspace_files::{
    BytesRead, Copied, Inspected, LineRange, Listing, Moved, Names, Stat, TextRead, TrashItem,
    Trashed, Written,
    change::{Changed, EditRequest, Expected, Saved, WriteRequest},
    glob::{GlobQuery, Globbed},
    grep::{FileMatches, GrepQuery, Grepped},
    search::{Found, NamesFound, Query},
    secrets::SecretFiles,
    view::View,
    watch::tree::TreeNews,
};
use openspace_git::{Bounded, GitAnswer, GitQuestion, GitReply, GitRequest, Name, StoredContent};
use openspace_process::{self as process, Finished};
use openspace_protocol::{RelPath, TerminalId};
use openspace_terminal::{
    self as terminal, Interrupted, ReadRequest, RunOutcome, RunRequest, Size,
};
use serde::{Deserialize, Serialize};

use crate::host::Location;

mod pipe;

pub use pipe::{PipeInput, PipeOutput, PipedProgram, WINDOW};

/// Something a host can do.
pub trait Operation: Into<Request> + 'static {
    /// Its answer.
    type Output;
    /// What the host tells while it runs.
    type Item: Send + 'static;
    /// What the caller may say while it runs.
    type Input: Send + 'static;

    /// Take the answer out of a reply; `None` when the reply is to something else.
    fn output(reply: Reply) -> Option<Self::Output>;

    /// Take an item of this operation; `None` when it is one of another.
    fn item(item: Item) -> Option<Self::Item>;

    /// An item of this operation as one of any.
    fn any_item(item: Self::Item) -> Item;

    /// Take an input of this operation; `None` when it is one of another.
    fn input(input: Input) -> Option<Self::Input>;

    /// An input of this operation as one of any.
    fn any_input(input: Self::Input) -> Input;
}

/// What is told or said where nothing is: there is no value of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Nothing {}

macro_rules! or_nothing {
    () => {
        Nothing
    };
    ($type:ty) => {
        $type
    };
}

/// Each line is an operation and its answer, then in brackets what the host tells while it runs, then
/// what the caller may say.
macro_rules! operations {
    ($($name:ident => $output:ty $([tells $item:ty $(, hears $input:ty)?])?,)*) => {
        /// Any operation.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        #[expect(missing_docs, reason = "each variant is the operation of that name")]
        pub enum Request { $($name($name),)* }

        /// Any answer.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        #[expect(missing_docs, reason = "each variant answers the operation of that name")]
        pub enum Reply { $($name($output),)* }

        /// What any operation tells while it runs.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[expect(missing_docs, reason = "each variant belongs to the operation of that name")]
        pub enum Item { $($name(or_nothing!($($item)?)),)* }

        /// What a caller tells any operation while it runs.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[expect(missing_docs, reason = "each variant belongs to the operation of that name")]
        pub enum Input { $($name(or_nothing!($($($input)?)?)),)* }

        impl Request {
            /// Tells inputs of this operation from those of others.
            pub(crate) fn hears(&self) -> fn(&Input) -> bool {
                match self {
                    $(Self::$name(_) => |input| matches!(input, Input::$name(_)),)*
                }
            }
        }

        $(
            impl From<$name> for Request {
                fn from(operation: $name) -> Self {
                    Self::$name(operation)
                }
            }

            impl Operation for $name {
                type Output = $output;
                type Item = or_nothing!($($item)?);
                type Input = or_nothing!($($($input)?)?);

                fn output(reply: Reply) -> Option<$output> {
                    match reply {
                        Reply::$name(output) => Some(output),
                        _ => None,
                    }
                }

                fn item(item: Item) -> Option<Self::Item> {
                    match item {
                        Item::$name(item) => Some(item),
                        _ => None,
                    }
                }

                fn any_item(item: Self::Item) -> Item {
                    Item::$name(item)
                }

                fn input(input: Input) -> Option<Self::Input> {
                    match input {
                        Input::$name(input) => Some(input),
                        _ => None,
                    }
                }

                fn any_input(input: Self::Input) -> Input {
                    Input::$name(input)
                }
            }
        )*
    };
}

operations! {
    Configure => (),
    StatPath => Stat,
    MayRead => (),
    NearNames => Vec<String>,
    ReadText => TextRead,
    WriteFile => Written,
    ListFolder => Listing,
    FindFiles => Found,
    FindNames => NamesFound,
    ViewPath => View,
    ChangeFile => Changed,
    EditFile => Changed,
    InspectPath => Inspected,
    ListNames => Names,
    ReadBytes => BytesRead,
    ReadSecrets => SecretFiles,
    WriteBytes => Saved,
    MakeFolder => bool,
    MovePath => Moved,
    CopyPath => Copied,
    DeletePath => Trashed,
    RestorePath => RelPath,
    ListTrash => Vec<TrashItem>,
    Glob => Globbed,
    Grep => Grepped [tells FileMatches],
    Git => GitReply [tells GitQuestion, hears GitAnswer],
    GitContent => StoredContent,
    GitIgnored => Bounded<Name>,
    GitCommittedSecrets => Bounded<String>,
    Run => Finished [tells Output],
    StartRun => u32,
    ReadRun => process::Chunk,
    WaitRun => process::Status,
    KillRun => process::Status,
    Pipe => process::pipe::Ended [tells PipeOutput, hears PipeInput],
    PipeMemory => Vec<Option<u64>>,
    FindProgram => Option<std::path::PathBuf>,
    OpenTerminal => terminal::Status,
    TerminalStatus => terminal::Status,
    ReadTerminal => terminal::Reading,
    WriteTerminal => (),
    ResizeTerminal => (),
    RunInTerminal => RunOutcome [tells Typed],
    InterruptTerminal => Interrupted,
    FollowTerminal => () [tells u64],
    AttachTerminal => () [tells terminal::Chunk],
    EndTerminal => (),
    CloseTerminal => (),
    FollowFiles => () [tells FileNews],
    WatchFile => (),
    UnwatchFile => bool,
    FollowTree => () [tells TreeNews],
    LookAt => (),
    LookAround => Vec<process::wall::Reach>,
    LookInto => Vec<process::content::Content>,
    EndAll => (),
}

/// A command that is to be run in a terminal is typed there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Typed;

macro_rules! structs {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Debug, Serialize, Deserialize)]
            pub struct $name { $($(#[$field_doc])* pub $field: $type,)* }
        )*
    };
}

structs! {
    /// Use these rules from now on, besides the built-in ones.
    Configure {
        /// Patterns of files that may not be read.
        secret: Vec<String>,
        /// Patterns of files that may not be written.
        protected: Vec<String>,
    }
    /// What is at a path.
    StatPath { path: RelPath, }
    /// Whether a file is there and may be shown.
    MayRead { path: RelPath, person: bool, }
    /// Paths that may have been meant by one that is not there.
    NearNames { path: RelPath, }
    /// Read a text file, or some lines of it.
    ReadText { path: RelPath, range: LineRange, person: bool, }
    /// Create a file or replace its content.
    WriteFile {
        path: RelPath,
        #[serde(with = "serde_bytes")]
        content: Vec<u8>,
    }
    /// List a folder.
    ListFolder { path: RelPath, recursive: bool, limit: usize, }
    /// Find files by name.
    FindFiles { query: Query, }
    /// Find files by name for somebody who types: from memory while the tree is followed, so what
    /// changed in this very moment may be missing.
    FindNames {
        /// Letters of the path; empty for all files by name.
        query: String,
        limit: u32,
    }
    /// Show a file or folder to a reader, with numbered lines.
    ViewPath {
        location: Location,
        /// The first line or entry, counting from 1.
        offset: Option<u64>,
        /// The most lines or entries.
        limit: Option<u64>,
    }
    /// Write a text file, keeping what the old one has of form.
    ChangeFile { request: WriteRequest, }
    /// Replace pieces of a text file.
    EditFile { request: EditRequest, }
    /// What is at a path, for whoever wants to change it later.
    InspectPath { path: RelPath, person: bool, }
    /// The names in a folder, all of them.
    ListNames { path: RelPath, limit: usize, }
    /// Read a file as it is.
    ReadBytes { path: RelPath, person: bool, }
    /// Read the files whose content is secret, for whoever has to hide it.
    ReadSecrets {
        /// Only those among these paths; all that there are when left out.
        among: Option<Vec<RelPath>>,
    }
    /// Write a file exactly as given, if it still is what is expected.
    WriteBytes {
        path: RelPath,
        #[serde(with = "serde_bytes")]
        content: Vec<u8>,
        expected: Expected,
        person: bool,
    }
    /// Make a folder; false when it is there already.
    MakeFolder { path: RelPath, person: bool, }
    /// Move a file or a folder. What it replaces goes to the trash.
    MovePath {
        from: RelPath,
        to: RelPath,
        overwrite: bool,
        /// The time, in milliseconds since 1970.
        at: u64,
        person: bool,
    }
    /// Copy a file or a folder. What it replaces goes to the trash.
    CopyPath {
        from: RelPath,
        to: RelPath,
        overwrite: bool,
        /// The time, in milliseconds since 1970.
        at: u64,
        person: bool,
    }
    /// Move a file or a folder to the trash.
    DeletePath {
        path: RelPath,
        /// The time, in milliseconds since 1970.
        at: u64,
        person: bool,
    }
    /// Bring something back from the trash; the answer is where it is again.
    RestorePath { trashed: RelPath, person: bool, }
    /// Say what can be brought back from the trash, the newest first.
    ListTrash {}
    /// Find files by pattern.
    Glob { query: GlobQuery, }
    /// Search contents. To a listener the matches are told as they are found, in no order, and the
    /// answer has only the counts.
    Grep { query: GrepQuery, }
    /// Do something with git. Asks by items for credentials, and that others stand still.
    Git {
        request: GitRequest,
        /// Whether commits are a person's own.
        person: bool,
        /// Whether hooks of the repository run.
        hooks: bool,
        timeout_ms: u64,
    }
    /// A file as git has it.
    GitContent {
        path: RelPath,
        /// What names a commit; the index when left out.
        revision: Option<String>,
        person: bool,
        timeout_ms: u64,
    }
    /// What git ignores in the workspace.
    GitIgnored { timeout_ms: u64, }
    /// Secret files that were ever committed.
    GitCommittedSecrets { timeout_ms: u64, }
    /// Run a shell command to its end. Its output comes as items too.
    Run { program: Program, }
    /// Run a shell command in the background; the answer is the number of its process.
    StartRun {
        /// The caller's name for the run.
        run: u64,
        program: Program,
    }
    /// The output of a run from a cursor on.
    ReadRun { run: u64, since: u64, }
    /// Wait for the end of a run, at most so long.
    WaitRun { run: u64, patience_ms: u64, }
    /// End a run.
    KillRun { run: u64, }
    /// Start a program and speak with it until it ends. Without inputs its standard input is empty; with
    /// them the caller has to say what it took of the output (`PipeInput::Took`). There must be a listener;
    /// when it leaves, the program is stopped. The answer comes after all that it wrote.
    Pipe { program: PipedProgram, }
    /// Bytes of memory that programs with a pipe use, each with all that it started; nothing for one that does not run.
    PipeMemory {
        /// The numbers of their processes, as `PipeOutput::Started` told them.
        pids: Vec<u32>,
    }
    /// Look for a program without starting it.
    FindProgram {
        /// Its name, or an absolute path.
        program: String,
        /// Absolute folders in which it is looked for before the `PATH` of the place.
        folders: Vec<std::path::PathBuf>,
    }
    /// Start a shell in a new terminal.
    OpenTerminal {
        /// The caller's name for it.
        id: TerminalId,
        /// The default shell when left out.
        shell: Option<std::path::PathBuf>,
        folder: RelPath,
        size: Size,
    }
    /// How a terminal is.
    TerminalStatus { id: TerminalId, }
    /// What a terminal shows, as text.
    ReadTerminal { id: TerminalId, request: ReadRequest, }
    /// Type into a terminal.
    WriteTerminal {
        id: TerminalId,
        /// The view in which somebody typed it, if it was one.
        view: Option<u64>,
        #[serde(with = "serde_bytes")]
        bytes: Vec<u8>,
    }
    /// Set a terminal's size.
    ResizeTerminal { id: TerminalId, size: Size, }
    /// Run a command in a terminal and wait.
    RunInTerminal { id: TerminalId, request: RunRequest, }
    /// Interrupt what runs in a terminal.
    InterruptTerminal { id: TerminalId, }
    /// Tell, as items, how often a terminal has changed so far, until it is closed.
    FollowTerminal { id: TerminalId, }
    /// Tell, as items, everything a view of a terminal needs, until its program ends.
    AttachTerminal {
        id: TerminalId,
        /// The caller's number for the view, never used before.
        view: u64,
    }
    /// End everything in a terminal; what it shows stays.
    EndTerminal { id: TerminalId, }
    /// End everything in a terminal and forget it.
    CloseTerminal { id: TerminalId, }
    /// Tell, as items, when watched files change. Only the newest follower is told.
    FollowFiles {}
    /// Watch a file, which need not exist. Watched twice, it must be unwatched twice.
    WatchFile { path: RelPath, }
    /// Take back one watch; false when the file was not watched.
    UnwatchFile { path: RelPath, }
    /// Tell, as items, when anything in the tree changes: `Following` once that is so, then the
    /// changes in batches. Only the newest follower is told.
    FollowTree {}
    /// Tell of changes in these folders too, although git ignores them. A folder that is not there
    /// is told of when it comes; the folders named last count.
    LookAt { paths: Vec<RelPath>, }
    /// What the kernel lets programs do with these paths, which may lie anywhere. Nothing is opened.
    LookAround { paths: Vec<std::path::PathBuf>, }
    /// What is in files that a program would be made of, by a digest; they may lie anywhere. Links are followed.
    LookInto { paths: Vec<std::path::PathBuf>, }
    /// End every terminal, every run and every program with a pipe: the place is about to be left.
    EndAll {}
}

/// What a program printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// Where.
    pub stream: process::Stream,
    /// What.
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
}

/// What is told of watched files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileNews {
    /// From now on changed files are told.
    Following,
    /// A watched file changed.
    Changed(RelPath),
}

/// A shell command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The command line.
    pub command: String,
    /// The folder to run in.
    pub folder: RelPath,
    /// Without it the command may run for ever.
    pub timeout_ms: Option<u64>,
    /// Variables on top of the place's environment.
    pub environment: Vec<(String, String)>,
}
