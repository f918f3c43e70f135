//! Every error that a host gives arrives as it was sent.

use std::{io, path::PathBuf};

use openspace_files::{
    Action, FileError, change::ChangeError, grep::GrepError, rules::RulesError, watch::WatchError,
};
use openspace_process::ProcessError;
use openspace_protocol::{PathError, RelPath};
use openspace_terminal::TerminalError;
use openspace_text::edit::{EditError, Nearest, Rule, Which};
use serde::{Serialize, de::DeserializeOwned};

fn path() -> RelPath {
    RelPath::parse("src/a b.rs").unwrap()
}

fn source() -> io::Error {
    io::Error::from_raw_os_error(13)
}

/// What is known of an error and of all that it was caused by.
fn told(error: &dyn std::error::Error) -> Vec<String> {
    std::iter::successors(Some(error), |error| error.source()).map(ToString::to_string).collect()
}

fn arrives<E: std::error::Error + Serialize + DeserializeOwned>(sent: impl IntoIterator<Item = E>) {
    for error in sent {
        let text = serde_json::to_string(&error).unwrap();
        let arrived: E = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&arrived).unwrap(), text);
        assert_eq!(told(&arrived), told(&error));
        assert_eq!(format!("{:?}", std::mem::discriminant(&arrived)), {
            format!("{:?}", std::mem::discriminant(&error))
        });
    }
}

fn file_errors() -> Vec<FileError> {
    let rules = || RulesError { pattern: "[".to_owned(), reason: "unclosed".to_owned() };
    let mut all = vec![
        FileError::Root { source: source() },
        FileError::Outside { text: "/etc".to_owned() },
        FileError::LeadsOut { path: path() },
        FileError::DanglingLink { path: path() },
        FileError::LinkLoop { path: path() },
        FileError::NotFound { path: path() },
        FileError::Exists { path: path() },
        FileError::IsTheRoot,
        FileError::IntoItself { from: path(), to: path() },
        FileError::TooMuch { path: path(), limit: 5 },
        FileError::NotInTrash { path: path() },
        FileError::IsAFolder { path: path() },
        FileError::NotAFolder { path: path() },
        FileError::NotAFile { path: path() },
        FileError::Binary { path: path(), size: u64::MAX },
        FileError::TooLarge { path: path(), size: 3, limit: 2 },
        FileError::LineBeyondEnd { path: path(), lines: 7 },
        FileError::BadRange { start_line: Some(0), end_line: None },
        FileError::SecretTwin { path: path(), secret: path() },
        FileError::BadPattern(rules()),
        FileError::BadName { path: path(), source: source() },
        FileError::PermissionDenied { path: path(), source: source() },
        FileError::ReadOnly { path: path(), source: source() },
        FileError::NoSpace { path: path(), source: source() },
        FileError::Busy { path: RelPath::root() },
        FileError::NotDurable { path: path(), source: source() },
        FileError::Cancelled,
        FileError::Io { path: path(), source: io::Error::other("made here") },
    ];
    for source in [PathError::Parent, PathError::Absolute, PathError::Nul, PathError::TooLong] {
        all.push(FileError::BadPath { text: "x".to_owned(), source });
    }
    for action in [Action::Read, Action::Write] {
        all.push(FileError::Forbidden { path: path(), action, rule: ".env".to_owned() });
    }
    all
}

fn edit_errors() -> Vec<EditError> {
    let edit = Which { index: 1, of: 3 };
    vec![
        EditError::NoEdits,
        EditError::TooMany { count: 101 },
        EditError::NotFound { edit, nearest: None },
        EditError::NotFound { edit, nearest: Some(Nearest { line: 3, text: "x\n".to_owned() }) },
        EditError::Several { edit, rule: Rule::LineTrimmed, count: 9, lines: vec![1, 2] },
        EditError::Identical { edit },
        EditError::EmptyOld { edit },
        EditError::Disproportionate { edit, rule: Rule::BlockAnchor, line: 1, lines: 90, given: 3 },
        EditError::TooManyPlaces { edit, count: 5 },
        EditError::TooLarge { edit },
    ]
}

#[test]
fn errors_of_files_and_edits_arrive_as_they_were_sent() {
    arrives(file_errors());
    arrives(edit_errors());
    arrives([RulesError { pattern: "!".to_owned(), reason: "no".to_owned() }]);
    arrives(file_errors().into_iter().map(ChangeError::File));
    arrives(edit_errors().into_iter().map(ChangeError::Edit));
    for found in [None, Some("ab".to_owned())] {
        arrives([ChangeError::Stale { path: path(), expected: "cd".to_owned(), found }]);
    }
    arrives([ChangeError::NotText { path: path(), offset: 12 }]);
}

#[test]
fn errors_of_searches_and_watching_arrive_as_they_were_sent() {
    arrives([
        GrepError::BadPattern { pattern: "(".to_owned(), diagnostic: "open".to_owned() },
        GrepError::NeedsMultiline { pattern: "\n".to_owned() },
        GrepError::UnknownType { name: "x".to_owned() },
        GrepError::OffsetTooLarge { offset: 5 },
        GrepError::File(FileError::Cancelled),
    ]);
    arrives([WatchError::File(FileError::NotFound { path: path() })]);
}

#[test]
fn errors_of_programs_and_terminals_arrive_as_they_were_sent() {
    let stage = || PathBuf::from("/bin/sh");
    arrives([
        ProcessError::CommandEmpty,
        ProcessError::CommandHasNul,
        ProcessError::CommandTooLong { bytes: 9 },
        ProcessError::PathRelative(stage()),
        ProcessError::FolderMissing(stage()),
        ProcessError::SpillMissing(stage()),
        ProcessError::ShellMissing(stage()),
        ProcessError::ShellNotExecutable(stage()),
        ProcessError::MarkerEmpty,
        ProcessError::Spawn { shell: stage(), source: source() },
        ProcessError::ProgramName("./a".to_owned()),
        ProcessError::ProgramMissing { program: "a".to_owned(), looked: vec!["/b".to_owned()] },
        ProcessError::NotStarted { program: stage(), reason: "no".to_owned() },
        ProcessError::HasNul { what: "argument 1".to_owned() },
        ProcessError::VariableName("=".to_owned()),
        ProcessError::Cancelled,
        ProcessError::StillRunning(vec![1, 2]),
        ProcessError::FutureCursor { since: 2, current: 1 },
        ProcessError::Reread { path: stage(), source: source() },
        ProcessError::Wait(source()),
    ]);
    arrives([
        TerminalError::ShellMissing(stage()),
        TerminalError::ShellNotExecutable(stage()),
        TerminalError::FolderMissing(stage()),
        TerminalError::PathRelative(stage()),
        TerminalError::Size { rows: 0, cols: 1 },
        TerminalError::Spawn { shell: stage(), source: source() },
        TerminalError::MarkerEmpty,
        TerminalError::Ended,
        TerminalError::WriteBlocked { taken: 1, size: 2 },
        TerminalError::FutureCursor { since: 2, current: 1 },
        TerminalError::Device(source()),
        TerminalError::StillRunning(vec![7]),
    ]);
}

#[test]
fn a_path_that_is_not_text_does_not_stop_its_error() {
    let name = std::os::unix::ffi::OsStringExt::from_vec(b"/bin/\xff".to_vec());
    let name: std::ffi::OsString = name;
    let error = TerminalError::ShellMissing(PathBuf::from(name));
    let arrived: TerminalError =
        serde_json::from_str(&serde_json::to_string(&error).unwrap()).unwrap();
    assert_eq!(arrived.to_string(), "the shell /bin/\u{fffd} does not exist");
}

#[test]
fn an_error_of_the_system_keeps_its_kind() {
    let error = FileError::Root { source: source() };
    let arrived = serde_json::from_str(&serde_json::to_string(&error).unwrap()).unwrap();
    let FileError::Root { source } = arrived else { panic!("{arrived:?}") };
    assert_eq!(source.kind(), io::ErrorKind::PermissionDenied);
}
