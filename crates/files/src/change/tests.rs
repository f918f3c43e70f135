//! Writes and edits: what they tell, what they keep and what they refuse.

use std::{fs, os::unix::fs::MetadataExt as _};

use super::*;
use crate::files::tests::{Stage, rel};

mod encodings;
mod together;

fn write_request(path: &str, content: &str) -> WriteRequest {
    WriteRequest {
        path: rel(path),
        content: content.to_owned(),
        expected_hash: None,
        dry_run: false,
    }
}

fn edit_request(path: &str, edits: &[(&str, &str)]) -> EditRequest {
    let edit = |(old, new): &(&str, &str)| Edit {
        old_string: (*old).to_owned(),
        new_string: (*new).to_owned(),
        replace_all: false,
    };
    EditRequest {
        path: rel(path),
        edits: edits.iter().map(edit).collect(),
        expected_hash: None,
        dry_run: false,
    }
}

fn write(stage: &Stage, request: &WriteRequest) -> Result<Changed, ChangeError> {
    Changes::default().write(&stage.files, request, &|| false)
}

fn edit(stage: &Stage, request: &EditRequest) -> Result<Changed, ChangeError> {
    Changes::default().edit(&stage.files, request, &|| false)
}

fn bytes(stage: &Stage, path: &str) -> Vec<u8> {
    let (mut file, _) = stage.files.open_regular(&rel(path)).unwrap();
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut file, &mut bytes).unwrap();
    bytes
}

#[test]
fn a_write_creates_folders_and_tells_what_it_did() {
    let stage = Stage::new();
    let changed = write(&stage, &write_request("src/new/a.ts", "one\ntwo\n")).unwrap();
    assert_eq!(
        changed,
        Changed {
            path: rel("src/new/a.ts"),
            created: true,
            bytes: 8,
            hash: hash(b"one\ntwo\n"),
            previous_hash: None,
            replacements: 0,
            lines_added: 2,
            lines_removed: 0,
            rules: vec![],
            line_ending: LineEnding::Lf,
            line_endings_kept: false,
            encoding: Encoding::Utf8,
            diff: "--- a/src/new/a.ts\n+++ b/src/new/a.ts\n@@ -0,0 +1,2 @@\n+one\n+two\n"
                .to_owned(),
            diff_truncated: false,
            dry_run: false,
        }
    );
    assert_eq!(stage.content("src/new/a.ts"), "one\ntwo\n");
}

#[test]
fn a_write_over_a_file_tells_the_difference_and_keeps_the_mode() {
    let stage = Stage::new();
    stage.put("a", "1\n2\n3\n");
    fs::set_permissions(stage.path("a"), std::os::unix::fs::PermissionsExt::from_mode(0o750))
        .unwrap();
    let changed = write(&stage, &write_request("a", "1\nII\n3\n")).unwrap();
    assert_eq!(
        (changed.created, changed.lines_added, changed.lines_removed, changed.previous_hash),
        (false, 1, 1, Some(hash(b"1\n2\n3\n")))
    );
    assert_eq!(changed.diff, "--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n 1\n-2\n+II\n 3\n");
    assert_eq!(fs::metadata(stage.path("a")).unwrap().mode() & 0o777, 0o750);
    let again = write(&stage, &write_request("a", "1\nII\n3\n")).unwrap();
    assert_eq!((again.diff.as_str(), again.lines_added, again.lines_removed), ("", 0, 0));
}

#[test]
fn an_edit_tells_what_it_did() {
    let stage = Stage::new();
    stage.put("a", "const port = 3000\nrest\n");
    let request = edit_request("a", &[("port = 3000", "port = 8080"), ("rest", "rest\nmore")]);
    let changed = edit(&stage, &request).unwrap();
    let new = "const port = 8080\nrest\nmore\n";
    assert_eq!(
        changed,
        Changed {
            path: rel("a"),
            created: false,
            bytes: 28,
            hash: hash(new.as_bytes()),
            previous_hash: Some(hash(b"const port = 3000\nrest\n")),
            replacements: 2,
            lines_added: 2,
            lines_removed: 1,
            rules: vec![Rule::Exact, Rule::Exact],
            line_ending: LineEnding::Lf,
            line_endings_kept: false,
            encoding: Encoding::Utf8,
            diff: "--- a/a\n+++ b/a\n@@ -1,2 +1,3 @@\n-const port = 3000\n+const port = 8080\n \
                   rest\n+more\n"
                .to_owned(),
            diff_truncated: false,
            dry_run: false,
        }
    );
    assert_eq!(stage.content("a"), new);
}

#[test]
fn requests_and_results_travel_as_plain_data() {
    let asked: WriteRequest = serde_json::from_str(r#"{"path":"a","content":"x"}"#).unwrap();
    assert_eq!(asked, write_request("a", "x"));
    let asked: EditRequest =
        serde_json::from_str(r#"{"path":"a","edits":[{"old_string":"x","new_string":"y"}]}"#)
            .unwrap();
    assert_eq!(asked, edit_request("a", &[("x", "y")]));
    let changed = write(&Stage::new(), &write_request("a", "x")).unwrap();
    let sent = serde_json::to_string(&changed).unwrap();
    assert_eq!(serde_json::from_str::<Changed>(&sent).unwrap(), changed);
}

#[test]
fn all_edits_are_made_or_none() {
    let stage = Stage::new();
    stage.put("a", "x y\n");
    let error = edit(&stage, &edit_request("a", &[("x", "z"), ("w", "v")])).unwrap_err();
    assert_eq!(error.to_string(), "old_string not found in content (edit 2 of 2)");
    assert_eq!(stage.content("a"), "x y\n");
}

#[test]
fn a_dry_run_tells_all_and_writes_nothing() {
    let stage = Stage::new();
    stage.put("a", "x\n");
    let before = stage.everything();
    let dry = WriteRequest { dry_run: true, ..write_request("new/b", "y\n") };
    let changed = write(&stage, &dry).unwrap();
    assert_eq!((changed.created, changed.bytes, changed.dry_run), (true, 2, true));
    let dry = EditRequest { dry_run: true, ..edit_request("a", &[("x", "y")]) };
    let changed = edit(&stage, &dry).unwrap();
    assert_eq!((changed.hash, changed.dry_run), (hash(b"y\n"), true));
    assert_eq!((stage.content("a"), stage.everything()), ("x\n".to_owned(), before));
    for path in [".env", "node_modules/a", ""] {
        let dry = WriteRequest { dry_run: true, ..write_request(path, "y\n") };
        let wet = WriteRequest { dry_run: false, ..dry.clone() };
        assert_eq!(
            write(&stage, &dry).unwrap_err().to_string(),
            write(&stage, &wet).unwrap_err().to_string()
        );
    }
}

#[test]
fn a_change_of_a_file_that_is_not_the_expected_one_is_refused() {
    let stage = Stage::new();
    stage.put("a", "now\n");
    let seen = hash(b"then\n");
    let stale = |error: ChangeError| match error {
        ChangeError::Stale { path, expected, found } => (path, expected, found),
        other => panic!("{other:?}"),
    };
    for (path, found) in [("a", Some(hash(b"now\n"))), ("gone", None)] {
        let write_it =
            WriteRequest { expected_hash: Some(seen.clone()), ..write_request(path, "new") };
        let edit_it = EditRequest {
            expected_hash: Some(seen.clone()),
            ..edit_request(path, &[("now", "x")])
        };
        let expected = (rel(path), seen.clone(), found);
        assert_eq!(stale(write(&stage, &write_it).unwrap_err()), expected);
        assert_eq!(stale(edit(&stage, &edit_it).unwrap_err()), expected);
    }
    assert_eq!(stage.content("a"), "now\n");
    assert_eq!(stage.everything(), ["outside", "root", "root/a"]);
    let expected_hash = Some(hash(b"now\n"));
    let changed =
        write(&stage, &WriteRequest { expected_hash, ..write_request("a", "x") }).unwrap();
    let expected_hash = Some(changed.hash);
    edit(&stage, &EditRequest { expected_hash, ..edit_request("a", &[("x", "y")]) }).unwrap();
    assert_eq!(stage.content("a"), "y");
}

#[test]
fn an_edit_creates_nothing() {
    let stage = Stage::new();
    let missing = edit(&stage, &edit_request("a", &[("x", "y")])).unwrap_err();
    assert!(matches!(missing, ChangeError::File(FileError::NotFound { .. })), "{missing:?}");
    let empty = edit(&stage, &edit_request("a", &[("", "y")])).unwrap_err();
    assert!(matches!(empty, ChangeError::Edit(EditError::EmptyOld { .. })), "{empty:?}");
    assert!(empty.hint().unwrap().contains("use write"));
    assert_eq!(stage.everything(), ["outside", "root"]);
}

#[test]
fn files_that_are_too_large_are_not_edited_but_can_be_replaced() {
    let stage = Stage::new();
    stage.put("a", "");
    let file = fs::OpenOptions::new().write(true).open(stage.path("a")).unwrap();
    file.set_len(MAX_EDIT_BYTES + 1).unwrap();
    let message = "`a` has 67108865 bytes, and the limit is 67108864";
    let error = edit(&stage, &edit_request("a", &[("x", "y")])).unwrap_err();
    assert_eq!(error.to_string(), message);
    let expected_hash = Some(hash(b""));
    let error = write(&stage, &WriteRequest { expected_hash, ..write_request("a", "x") });
    assert_eq!(error.unwrap_err().to_string(), message);
    let changed = write(&stage, &write_request("a", "x\n")).unwrap();
    assert_eq!(
        (changed.previous_hash, changed.diff.as_str(), changed.diff_truncated, changed.created),
        (None, "", true, false)
    );
    assert_eq!(stage.content("a"), "x\n");
}

#[test]
fn a_binary_file_is_not_edited_but_can_be_replaced() {
    let stage = Stage::new();
    stage.put("a", b"x\0y");
    let error = edit(&stage, &edit_request("a", &[("x", "y")])).unwrap_err();
    assert_eq!(error.to_string(), "`a` is not text; it has 3 bytes");
    let changed = write(&stage, &write_request("a", "text\n")).unwrap();
    assert_eq!(
        (changed.previous_hash, changed.diff.as_str(), changed.diff_truncated),
        (Some(hash(b"x\0y")), "", true)
    );
}

#[test]
fn a_long_diff_is_cut_and_says_so() {
    let stage = Stage::new();
    let lines = |letter: &str| format!("{letter}\n").repeat(20_000);
    stage.put("a", lines("x"));
    let changed = write(&stage, &write_request("a", &lines("yy"))).unwrap();
    assert!(changed.diff_truncated && changed.diff.len() < 40_000);
    assert_eq!((changed.lines_added, changed.lines_removed), (20_000, 20_000));
    let all = Edit { replace_all: true, ..edit_request("a", &[("yy", "z")]).edits.remove(0) };
    let changed =
        edit(&stage, &EditRequest { edits: vec![all], ..edit_request("a", &[]) }).unwrap();
    assert!(changed.diff_truncated && changed.diff.len() < 40_000);
    assert_eq!((changed.replacements, changed.lines_added), (20_000, 20_000));
}

#[test]
fn a_very_large_difference_is_counted_and_not_shown() {
    let stage = Stage::new();
    stage.put("a", format!("head\n{}tail\n", "x\n".repeat(3_000_000)));
    let changed = write(&stage, &write_request("a", "head\ny\ntail\n")).unwrap();
    assert_eq!(
        (changed.lines_added, changed.lines_removed, changed.diff, changed.diff_truncated),
        (1, 3_000_000, String::new(), true)
    );
}

#[test]
fn secret_files_are_neither_read_nor_written() {
    let stage = Stage::new();
    stage.put(".env", "KEY=1\n");
    let error = edit(&stage, &edit_request(".env", &[("KEY", "X")])).unwrap_err();
    assert_eq!(error.to_string(), "reading `.env` is not allowed by the rule `.env`");
    let error = write(&stage, &write_request(".env", "")).unwrap_err();
    assert_eq!(error.to_string(), "writing `.env` is not allowed by the rule `.env`");
}

#[test]
fn a_cancelled_change_writes_nothing() {
    let stage = Stage::new();
    stage.put("a", "x");
    let error = Changes::default().write(&stage.files, &write_request("a", "y"), &|| true);
    assert!(matches!(error, Err(ChangeError::File(FileError::Cancelled))), "{error:?}");
    let error = Changes::default().edit(&stage.files, &edit_request("a", &[("x", "y")]), &|| true);
    assert!(matches!(error, Err(ChangeError::File(FileError::Cancelled))), "{error:?}");
    assert_eq!(stage.content("a"), "x");
}
