//! Bytes are written as given, and only over what was expected.

use std::{sync::Arc, thread};

use super::*;
use crate::{
    change::{Edit, EditRequest},
    files::tests::{Stage, rel},
};

fn save(
    files: &Files,
    path: &str,
    content: &[u8],
    expected: &Expected,
) -> Result<Saved, ChangeError> {
    Changes::default().save(files, &rel(path), content, expected, &|| false)
}

#[test]
fn bytes_are_written_as_given_and_their_token_is_the_files() {
    let stage = Stage::new();
    let content = b"\xef\xbb\xbfa\r\nb\0\xff";
    let saved = save(&stage.files, "new/a", content, &Expected::Anything).unwrap();
    let found = stage.files.inspect(&rel("new/a")).unwrap();
    let expected = Saved {
        created: true,
        size: 9,
        token: found.token,
        modified: found.modified,
        hash: hash(content),
    };
    assert_eq!(saved, expected);
    assert_eq!(stage.files.read_bytes(&rel("new/a"), &|| false).unwrap().content, content);
    let again = save(&stage.files, "new/a", b"b", &Expected::Token(saved.token)).unwrap();
    assert_eq!((again.created, again.size), (false, 1));
}

#[test]
fn another_token_or_a_missing_file_is_a_conflict() {
    let stage = Stage::new();
    stage.put("a", "one");
    let token = stage.files.inspect(&rel("a")).unwrap().token;
    stage.files.write(&rel("a"), b"two").unwrap();
    let expected = Expected::Token(token);
    let stale = save(&stage.files, "a", b"three", &expected).unwrap_err();
    assert_eq!(stale.to_string(), "`a` has changed since it was read");
    let gone = save(&stage.files, "b", b"three", &expected).unwrap_err();
    assert_eq!(gone.to_string(), "`b` does not exist any more");
    let taken = save(&stage.files, "a", b"three", &Expected::Nothing).unwrap_err();
    assert_eq!(taken.to_string(), "`a` exists already");
    assert_eq!((stage.content("a"), stage.path("b").exists()), ("two".to_owned(), false));
}

#[test]
fn a_link_stays_and_its_file_is_judged() {
    let stage = Stage::new();
    stage.put("a", "one");
    stage.put("deep/.env", "KEY=1");
    stage.link("a", "link");
    stage.link("deep/.env", "innocent");
    let token = stage.files.inspect(&rel("link")).unwrap().token;
    save(&stage.files, "link", b"two", &Expected::Token(token)).unwrap();
    assert_eq!(stage.content("a"), "two");
    assert!(stage.files.inspect(&rel("link")).unwrap().link);
    for path in ["deep/.env", "innocent"] {
        assert!(save(&stage.files, path, b"", &Expected::Anything).is_err(), "{path}");
    }
    let person = stage.files.for_a_person();
    save(&person, "innocent", b"KEY=2", &Expected::Anything).unwrap();
    assert_eq!(stage.content("deep/.env"), "KEY=2");
    for path in [".git/config", "node_modules/x", ".openspace/config.toml"] {
        assert!(save(&person, path, b"", &Expected::Anything).is_err(), "{path}");
    }
}

/// Everybody adds one line to what they read; whoever comes too late reads again.
#[test]
fn saves_and_edits_of_many_lose_nothing() {
    const EACH: usize = 10;
    let stage = Stage::new();
    stage.put("a", "end\n");
    let changes = Arc::new(Changes::default());
    let add = |line: String| loop {
        let read = stage.files.read_bytes(&rel("a"), &|| false).unwrap();
        let content = [line.as_bytes(), &read.content].concat();
        let expected = Expected::Token(read.token);
        match changes.save(&stage.files, &rel("a"), &content, &expected, &|| false) {
            Ok(_) => return,
            Err(ChangeError::Stale { .. }) => {}
            Err(error) => panic!("{error:?}"),
        }
    };
    let edit = |line: String| {
        let edit = Edit {
            old_string: "end\n".to_owned(),
            new_string: format!("{line}end\n"),
            replace_all: false,
        };
        let request =
            EditRequest { path: rel("a"), edits: vec![edit], expected_hash: None, dry_run: false };
        changes.edit(&stage.files, &request, &|| false).unwrap();
    };
    thread::scope(|scope| {
        for who in 0..3 {
            let (add, edit) = (&add, &edit);
            scope.spawn(move || (0..EACH).for_each(|n| add(format!("save {who} {n}\n"))));
            scope.spawn(move || (0..EACH).for_each(|n| edit(format!("edit {who} {n}\n"))));
        }
    });
    let content = stage.content("a");
    let mut lines: Vec<&str> = content.lines().collect();
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), 6 * EACH + 1, "{content}");
}
