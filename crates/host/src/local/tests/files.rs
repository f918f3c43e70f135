//! Facts about files of a host.

use openspace_files::{FileError, LineRange, MAX_BYTES, change::Expected, view::View};

use super::stage::{Stage, program, rel};
use crate::{
    HostError, Location,
    operation::{
        Configure, DeletePath, ReadBytes, ReadRun, ReadText, RestorePath, Run, StatPath,
        TerminalStatus, ViewPath, WaitRun, WriteBytes, WriteFile,
    },
};

fn read(path: &str) -> ReadText {
    ReadText { path: rel(path), range: LineRange::default(), person: false }
}

fn rules(secret: &[&str], protected: &[&str]) -> Configure {
    let owned = |patterns: &[&str]| patterns.iter().map(ToString::to_string).collect();
    Configure { secret: owned(secret), protected: owned(protected) }
}

pub(crate) async fn rules_are_swapped_whole_and_bad_ones_change_nothing(stage: Stage) {
    stage.folder.put("a", "a\n");
    stage.folder.put("b", "b\n");
    let readable = async |path| match stage.ask(read(path)).await {
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    };
    let secret = |name| Err(format!("reading `{name}` is not allowed by the rule `{name}`"));
    stage.ask(rules(&["a"], &[])).await.unwrap();
    assert_eq!((readable("a").await, readable("b").await), (secret("a"), Ok(())));
    stage.ask(rules(&["b"], &["c"])).await.unwrap();
    assert_eq!((readable("a").await, readable("b").await), (Ok(()), secret("b")));
    let refused = stage.ask(rules(&["a", "{"], &[])).await.unwrap_err();
    assert!(matches!(refused, HostError::File(FileError::BadPattern(_))), "{refused:?}");
    assert_eq!((readable("a").await, readable("b").await), (Ok(()), secret("b")));
    let protected = stage.ask(WriteFile { path: rel("c"), content: Vec::new() }).await.unwrap_err();
    assert_eq!(protected.to_string(), "writing `c` is not allowed by the rule `c`");
}

pub(crate) async fn what_is_not_there_is_unknown(stage: Stage) {
    let errors = [
        stage.ask(ReadRun { run: 7, since: 0 }).await.map(drop).unwrap_err(),
        stage.ask(WaitRun { run: 8, patience_ms: 0 }).await.map(drop).unwrap_err(),
        stage.ask(TerminalStatus { id: super::terminals::id(9) }).await.map(drop).unwrap_err(),
        stage.ask(StatPath { path: rel("x") }).await.map(drop).unwrap_err(),
    ];
    assert_eq!(
        errors.map(|error| error.to_string()),
        [
            "there is no run 7 here",
            "there is no run 8 here",
            "there is no terminal t9 here",
            "`x` does not exist"
        ]
    );
}

pub(crate) async fn full_outputs_are_read_by_location_and_nothing_else_there(stage: Stage) {
    let finished = stage.ask(Run { program: program("seq 100000") }).await.unwrap();
    let full = finished.full.unwrap();
    assert_eq!((full.bytes, full.incomplete), (588_895, None));
    let location = stage.host.facts().locate(full.path.to_str().unwrap()).unwrap();
    assert!(matches!(location, Location::Output(_)), "{location:?}");
    let wanted = ViewPath { location, offset: Some(99_999), limit: None };
    let View::Text(view) = stage.ask(wanted).await.unwrap() else { panic!("not text") };
    assert_eq!(view.content, "99999: 99999\n100000: 100000\n");

    let up = stage.folder.path().join("output/../root");
    let refused = stage.host.facts().locate(up.to_str().unwrap());
    assert!(matches!(refused, Err(FileError::Outside { .. })), "{refused:?}");
    let location = Location::Output(rel("missing"));
    let missing = stage.ask(ViewPath { location, offset: None, limit: None }).await.unwrap_err();
    assert!(matches!(missing, HostError::File(FileError::NotFound { .. })), "{missing:?}");
}

pub(crate) async fn what_is_deleted_is_restored_and_the_largest_file_is_read_whole(stage: Stage) {
    let (path, person) = (rel("deep/a.bin"), false);
    let content = vec![7; usize::try_from(MAX_BYTES).unwrap()];
    let write = WriteBytes {
        path: path.clone(),
        content: content.clone(),
        expected: Expected::Nothing,
        person,
    };
    let saved = stage.ask(write).await.unwrap();
    let deleted = stage.ask(DeletePath { path: path.clone(), at: 5, person }).await.unwrap();
    let restored = stage.ask(RestorePath { trashed: deleted.trashed, person }).await.unwrap();
    let read = stage.ask(ReadBytes { path: path.clone(), person }).await.unwrap();
    assert_eq!((restored, read.token), (path, saved.token));
    assert!(read.content == content);
}
