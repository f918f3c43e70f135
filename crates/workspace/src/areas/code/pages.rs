//! What pages and the server say to each other about languages.
//!
//! A page names files as the workspace does and knows no language server's addresses, versions or numbers of questions.
//! What it asks is asked for it; what comes back says which process of which server said it.

use openspace_command::{Error, ErrorKind};
use openspace_languages::{Feature, Level, Range};
use openspace_protocol::RelPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Files that a page may show at once.
pub const MOST_SHOWN: usize = 100;
/// Questions of a page that may wait for an answer.
pub const MOST_ASKED: usize = 32;

/// What a page says.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(
    tag = "type",
    rename_all = "camelCase",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum FromLanguagePage {
    /// These files are shown in editors, and no others: their servers are started if they may be.
    Shown {
        /// All of them, at most 100.
        paths: Vec<RelPath>,
    },
    /// Ask a language server. Answered by `answer` or `failed`, unless it is cancelled.
    Ask {
        /// The page's own number for it.
        id: u64,
        /// A method of the protocol, one of a fixed list.
        method: String,
        /// The file that it is about.
        path: Option<RelPath>,
        /// The text of that file that the page shows. If the server side has another, the question is `stale`.
        text: Option<ShownText>,
        /// Its parameters, without `textDocument`.
        #[serde(default)]
        params: Map<String, Value>,
        /// Whom to ask: the `server` of an answer before. Left out, those of the file.
        server: Option<String>,
        /// With `server`: the `generation` of that answer.
        generation: Option<u64>,
    },
    /// The page waits no longer.
    Cancel {
        /// For which answer.
        id: u64,
    },
    /// What became of an edit that it was told to `apply`.
    Applied {
        /// Which.
        edit: u64,
        /// Whether it was made, all of it.
        done: bool,
        /// If not, why.
        why: Option<String>,
    },
}

/// By what the text of a file is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ShownText {
    /// Unsaved text.
    Version(TextVersion),
    /// Any text.
    Hash(TextHash),
}

/// A version of a live buffer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TextVersion {
    /// As `/api/buffers` counts.
    pub version: u64,
}

/// What a text hashes to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TextHash {
    /// FNV-1a of 64 bits over the text as UTF-8, with line feeds and without a byte order mark, in 16 digits.
    pub hash: String,
}

impl ShownText {
    /// The hash of a text with line feeds.
    pub(super) fn hashed(text: &str) -> Self {
        Self::Hash(TextHash { hash: hash(text) })
    }
}

/// FNV-1a: a page can count it without a library. It tells texts apart by accident alone, not by intent.
pub(super) fn hash(text: &str) -> String {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

/// What a page is told.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ToLanguagePage {
    /// How all language servers are. Told first, and whenever that changes.
    Servers {
        /// Those that were wanted for some file, whether they run or not.
        servers: Vec<PageServer>,
        /// Languages of files that pages show and no server is used for.
        absent: Vec<AbsentLanguage>,
    },
    /// All languages whose files servers are known for. Told once.
    Kinds {
        /// Each, by the names of its files.
        kinds: Vec<LanguageKind>,
    },
    /// What was asked is answered.
    Answer {
        /// The page's number for it.
        id: u64,
        /// One for each server that was asked.
        answers: Vec<PageAnswer>,
    },
    /// What was asked is not answered.
    Failed {
        /// The page's number for it.
        id: u64,
        /// What a program branches on.
        kind: NotAnswered,
        /// Why.
        error: String,
        /// What to try next.
        hint: Option<String>,
    },
    /// A server wants these files edited, in the course of a command that this page has it do. Answered by `applied`.
    Apply {
        /// Its number.
        edit: u64,
        /// The server's words for it.
        label: Option<String>,
        /// The files.
        changes: Vec<PageChange>,
    },
    /// What was answered before is not so any more; ask again.
    Refresh {
        /// What.
        feature: PageFeature,
    },
    /// A server tells people something.
    Notice {
        /// How bad it is.
        level: NoticeLevel,
        /// Which server.
        server: String,
        /// Its words.
        text: String,
    },
    /// What the page said was not understood.
    Error {
        /// Why.
        error: String,
        /// What a program branches on.
        kind: ErrorKind,
        /// What to try next.
        hint: Option<String>,
    },
}

/// A language server, as pages know it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageServer {
    /// What `code.restart` and `code.stop` call it.
    pub id: String,
    /// What answers call it, which differs from its id where several projects have one.
    pub server: String,
    /// What people call it.
    pub name: String,
    /// The folder that it works on, relative to the root.
    pub root: String,
    /// For which languages.
    pub languages: Vec<String>,
    /// How it is.
    pub state: PageServerState,
    /// How far it has loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percent: Option<u8>,
    /// With what it is busy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
    /// Why it does not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Bytes of memory of all its processes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// Where its program was found: `settings`, `project` or `PATH`.
    pub found_in: String,
    /// Which process of it this is.
    pub generation: u64,
    /// Methods that it has, each with its options or `true`.
    pub abilities: Map<String, Value>,
}

/// How a server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum PageServerState {
    /// It does not run, and nobody wants it to.
    Stopped,
    /// It runs and has not greeted.
    Starting,
    /// It reads.
    Loading,
    /// It has read everything.
    Ready,
    /// It was asked to end.
    Ending,
    /// It crashed and is started again soon.
    Waiting,
    /// It is not started again by itself.
    Failed,
}

/// Files of one language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LanguageKind {
    /// Its name in the protocol.
    pub id: String,
    /// How names of its files end, with the dot.
    pub extensions: Vec<String>,
    /// Whole names of files.
    pub names: Vec<String>,
}

/// A language that no server is used for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AbsentLanguage {
    /// Its name in the protocol.
    pub language: String,
    /// Servers that could be.
    pub servers: Vec<AbsentServer>,
    /// Files of it that are shown, some of them.
    pub paths: Vec<RelPath>,
}

/// A server that is not used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AbsentServer {
    /// What `code.install` calls it.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// Why it is not used.
    pub why: WhyAbsent,
    /// How a person installs it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub install: Option<String>,
}

/// Why a server is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum WhyAbsent {
    /// Its program was not found.
    NotInstalled,
    /// Its program is the project's, and the person has not said that those may run.
    NotTrusted,
    /// Nothing confines programs on this machine, and the person has not said that it may run all the same.
    NotConfined,
}

/// What one server answered.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageAnswer {
    /// Who.
    pub server: String,
    /// Which process of it: what an item carries for later means something to this one alone.
    pub generation: u64,
    /// False when it had not read everything: there may be more.
    pub complete: bool,
    /// What the protocol says, with the files of the workspace as `workspace:` and others as `openspace-source:`.
    pub value: Value,
    /// Of an edit of files: the texts that it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<KnownText>,
}

/// The text of a file that an edit is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KnownText {
    /// The file.
    pub path: RelPath,
    /// By what its text is known; nothing when it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<ShownText>,
}

/// Edits of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PageChange {
    /// The file.
    pub path: RelPath,
    /// The text that they are about.
    pub text: ShownText,
    /// All of them about that text.
    pub edits: Vec<PageEdit>,
}

/// A place in a text that gets another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageEdit {
    /// Where, counted as the protocol does: from 0, in UTF-16.
    pub range: PageRange,
    /// What stands there afterwards.
    pub new_text: String,
}

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PageRange {
    /// Where it begins.
    pub start: PagePosition,
    /// Where it ends.
    pub end: PagePosition,
}

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PagePosition {
    /// From 0.
    pub line: u32,
    /// From 0, in UTF-16.
    pub character: u32,
}

impl From<Range> for PageRange {
    fn from(range: Range) -> Self {
        let place = |place: openspace_languages::Position| PagePosition {
            line: place.line,
            character: place.character,
        };
        Self { start: place(range.start), end: place(range.end) }
    }
}

/// What is to be asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "they are named as in the protocol")]
pub enum PageFeature {
    SemanticTokens,
    InlayHints,
    CodeLenses,
    Diagnostics,
    FoldingRanges,
}

impl PageFeature {
    /// All, for whoever may have missed which.
    pub(super) const ALL: [Self; 4] =
        [Self::SemanticTokens, Self::InlayHints, Self::CodeLenses, Self::FoldingRanges];

    /// Nothing for what no page shows.
    pub(super) fn of(feature: Feature) -> Option<Self> {
        match feature {
            Feature::SemanticTokens => Some(Self::SemanticTokens),
            Feature::InlayHint => Some(Self::InlayHints),
            Feature::CodeLens => Some(Self::CodeLenses),
            Feature::Diagnostics => Some(Self::Diagnostics),
            Feature::FoldingRange => Some(Self::FoldingRanges),
            Feature::InlineValue => None,
        }
    }
}

/// How bad a notice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "they say what they are")]
pub enum NoticeLevel {
    Error,
    Warning,
    Info,
}

impl From<Level> for NoticeLevel {
    fn from(level: Level) -> Self {
        match level {
            Level::Error => Self::Error,
            Level::Warning => Self::Warning,
            Level::Information => Self::Info,
        }
    }
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum NotAnswered {
    /// The server side has another text than the page shows, or another process than the item is of. Nothing was asked.
    Stale,
    /// The text changed while the server looked.
    Changed,
    /// It has not read everything, or too much is asked already.
    Busy,
    /// There is no server for it, or none that can.
    Unsupported,
    /// It may not be.
    Denied,
    /// It took too long.
    TimedOut,
    /// The server ended before it answered.
    Lost,
    /// The server said no.
    Refused,
    /// The question is none.
    InvalidArgs,
    /// There is no such file.
    NotFound,
    /// A fault of ours.
    Internal,
}

impl ToLanguagePage {
    /// A failure of what no question was.
    pub fn failure(error: &Error) -> Self {
        let hint = error.hint.clone();
        Self::Error { error: error.message.clone(), kind: error.kind, hint }
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use serde_json::json;

    use super::*;

    #[test]
    fn the_hash_of_a_text_is_the_published_one() {
        assert_eq!(hash(""), "cbf29ce484222325");
        assert_eq!(hash("a"), "af63dc4c8601ec8c");
        assert_eq!(hash("foobar"), "85944171f73967e8");
    }

    #[test]
    fn a_text_is_known_by_its_version_or_its_hash() {
        let read = |text: Value| serde_json::from_value::<ShownText>(text).ok();
        assert_eq!(
            read(json!({"version": 3})),
            Some(ShownText::Version(TextVersion { version: 3 }))
        );
        assert_eq!(read(json!({"hash": hash("")})), Some(ShownText::hashed("")));
        assert_eq!(read(json!({"version": 3, "hash": ""})), None);
        assert_eq!(read(json!({})), None);
    }
}
