//! `workspace.read`, `workspace.write`, `workspace.edit`, and what callers have seen of a file.

use openspace_command::{Caller, CallerKind};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Bench, agent, on_disk, with};

async fn read(bench: &Bench, path: &str) -> Value {
    bench.ok("workspace.read", json!({"file_path": path})).await
}

/// An answer without its hashes, and those.
fn without_hashes(mut answer: Value) -> (Value, Vec<Value>) {
    let map = answer.as_object_mut().unwrap();
    let hashes = ["hash", "previous_hash"].map(|name| map.shift_remove(name));
    (answer, hashes.into_iter().flatten().collect())
}

/// The whole answer for a change, without hashes.
fn changed(path: &str, bytes: u64, differs: Value) -> Value {
    let answer = json!({
        "path": path, "created": false, "bytes": bytes, "replacements": 0, "lines_added": 1,
        "lines_removed": 1, "rules": [], "line_ending": "lf", "line_endings_kept": false,
        "encoding": "utf-8", "diff": "", "diff_truncated": false, "dry_run": false,
    });
    with(answer, differs)
}

#[tokio::test]
async fn text_is_read_with_line_numbers() {
    let bench = Bench::open(&[("a.rs", "one\ntwo\nthree\n"), ("empty", "")]).await;
    let (answer, hashes) = without_hashes(read(&bench, "a.rs").await);
    let expected = json!({
        "file_path": "a.rs", "type": "text", "content": "1: one\n2: two\n3: three\n",
        "start_line": 1, "end_line": 3, "total_lines": 3, "size": 14, "encoding": "utf-8",
        "line_ending": "lf", "final_newline": true, "lossy": false, "truncated": false,
        "hint": null,
    });
    assert_eq!(answer, expected);
    assert!(hashes[0].is_string());
    let text = bench.text("workspace.read", json!({"path": "a.rs"})).await;
    assert_eq!(text, "1: one\n2: two\n3: three\n");
    assert_eq!(bench.text("workspace.read", json!({"path": "empty"})).await, "(the file is empty)");
}

#[tokio::test]
async fn a_part_of_a_file_is_read_by_lines() {
    let bench = Bench::open(&[("a.rs", "one\ntwo\nthree\nfour\n")]).await;
    let whole = bench.place("a.rs").display().to_string();
    for args in [
        json!({"file_path": "a.rs", "offset": 2, "limit": 2}),
        json!({"filePath": "./a.rs", "start_line": 2, "end_line": 3}),
        json!({"path": whole, "startLine": 2, "endLine": 3}),
        json!({"file": "a.rs", "offset": 2, "limit": 2, "workspace_id": "main"}),
        json!({"filename": "a.rs", "offset": 2, "limit": 2, "workspaceId": "main"}),
        json!({"filename": "a.rs", "offset": 2, "limit": 2, "workspace": "main"}),
    ] {
        let part = bench.ok("workspace.read", args.clone()).await;
        let found = ["content", "start_line", "end_line", "total_lines", "truncated"];
        let found = found.map(|name| part[name].clone());
        let expected = json!(["2: two\n3: three\n", 2, 3, 4, true]);
        assert_eq!(json!(found), expected, "{args}");
    }
    let text = bench.text("workspace.read", json!({"path": "a.rs", "offset": 2, "limit": 2})).await;
    assert_eq!(text, "2: two\n3: three\n(lines 2-3 of 4; offset=4 goes on)");
}

#[tokio::test]
async fn folders_and_what_is_no_text_are_described() {
    let bench =
        Bench::open(&[("src/a.rs", ""), ("src/deep/b.rs", ""), ("bin", "\0\x01\x02")]).await;
    let folder = read(&bench, "src").await;
    let expected = json!({
        "file_path": "src", "type": "folder", "content": "deep/\na.rs\n", "start_entry": 1,
        "end_entry": 2, "total_entries": 2, "escaped_names": 0, "unreadable": 0,
        "truncated": false, "hint": null,
    });
    assert_eq!(folder, expected);
    assert_eq!(bench.text("workspace.read", json!({"path": "src"})).await, "deep/\na.rs\n");
    let (binary, _) = without_hashes(read(&bench, "bin").await);
    let expected = json!({"file_path": "bin", "type": "binary", "size": 3, "file_type": null});
    assert_eq!(binary, expected);
    let text = "(binary file, unknown type, 3 bytes: its content is not shown)";
    assert_eq!(bench.text("workspace.read", json!({"path": "bin"})).await, text);
    let gif = "GIF89a\x03\0\x02\0\0\0\0";
    bench.put("dot.gif", gif);
    let (image, _) = without_hashes(read(&bench, "dot.gif").await);
    let expected = json!({
        "file_path": "dot.gif", "type": "image", "mime_type": "image/gif", "width": 3, "height": 2,
        "size": 13,
    });
    assert_eq!(image, expected);
    let text = "(image, image/gif, 3x2 pixels, 13 bytes: its content is not shown)";
    assert_eq!(bench.text("workspace.read", json!({"path": "dot.gif"})).await, text);
}

#[tokio::test]
async fn what_cannot_be_read_is_refused() {
    let bench = Bench::open(&[("src/main.rs", "1\n"), (".env", "KEY=1\n")]).await;
    let cases = [
        (
            json!({"path": "a", "offset": 0}),
            "invalid_args",
            "argument `offset`: lines count from 1",
        ),
        (json!({"path": "a", "limit": 0}), "invalid_args", "argument `limit`: must be at least 1"),
        (
            json!({"path": "a", "limit": 1, "end_line": 1}),
            "invalid_args",
            "arguments `limit` and `end_line` say the same: give one",
        ),
        (
            json!({"path": "a", "offset": 3, "end_line": 2}),
            "invalid_args",
            "argument `end_line`: comes before `offset`",
        ),
        (json!({"path": "src/main.rs", "offset": 2}), "invalid_args", "`src/main.rs` has 1 lines"),
        (json!({"path": ".env"}), "denied", "reading `.env` is not allowed by the rule `.env`"),
        (json!({"path": "/etc/passwd"}), "denied", "`/etc/passwd` is outside the workspace"),
        (
            json!({"path": "../x"}),
            "invalid_args",
            "`../x` cannot be used as a path: the path contains `..`",
        ),
        (json!({"path": "a", "workspace": "w9"}), "not_found", "there is no workspace `w9`"),
    ];
    for (args, kind, message) in cases {
        bench.fails("workspace.read", args, kind, message).await;
    }
    let near = bench.failure("workspace.read", json!({"path": "src/mian.rs"})).await;
    let expected = json!({
        "success": false, "error": "`src/mian.rs` does not exist", "kind": "not_found",
        "hint": "did you mean src/main.rs?",
    });
    assert_eq!(near, expected);
    let far = bench.failure("workspace.read", json!({"path": "zzzzzz"})).await;
    assert_eq!(far["hint"], "workspace_glob finds files by pattern");
}

#[tokio::test]
async fn a_write_creates_or_replaces_a_file() {
    let bench = Bench::open(&[]).await;
    let args = json!({"file_path": "new/deep/a.txt", "content": "one\n"});
    let (created, hashes) = without_hashes(bench.ok("workspace.write", args).await);
    let diff = "--- a/new/deep/a.txt\n+++ b/new/deep/a.txt\n@@ -0,0 +1,1 @@\n+one\n";
    let differs = json!({"created": true, "lines_removed": 0, "diff": diff});
    assert_eq!(created, changed("new/deep/a.txt", 4, differs));
    for (path, content) in [("filePath", "text"), ("path", "contents"), ("file", "content")] {
        let args = json!({path: "new/deep/a.txt", content: content, "workspaceId": "main"});
        bench.ok("workspace.write", args).await;
        assert_eq!(on_disk(&bench.place("new/deep/a.txt")), content);
    }
    let args = json!({"filename": "new/deep/a.txt", "content": "two\n", "dryRun": true});
    let text = bench.text("workspace.write", args).await;
    assert!(text.starts_with("Would change new/deep/a.txt: +1 -1 lines, 4 bytes, hash "), "{text}");
    assert!(text.contains("\n-content\n"), "{text}");
    assert_eq!(on_disk(&bench.place("new/deep/a.txt")), "content", "nothing was written");
    let args = json!({"path": "new/deep/a.txt", "content": "", "expectedHash": hashes[0]});
    let failure = bench.failure("workspace.write", args).await;
    assert_eq!(failure["kind"], "conflict");
}

#[tokio::test]
async fn line_endings_of_a_file_stay() {
    let bench = Bench::open(&[("dos.txt", "one\r\ntwo\r\n")]).await;
    let args = json!({"path": "dos.txt", "content": "one\nTWO\n"});
    let reply = bench.reply(agent(), "workspace.write", args).await;
    let answer = reply.to_value();
    let found = (&answer["line_ending"], &answer["line_endings_kept"], &answer["bytes"]);
    assert_eq!(found, (&json!("crlf"), &json!(true), &json!(10)));
    assert_eq!(on_disk(&bench.place("dos.txt")), "one\r\nTWO\r\n");
    assert!(reply.to_text().contains("\nThe file's CRLF line endings were kept.\n"));
}

#[tokio::test]
async fn an_edit_replaces_pieces_and_tells_how() {
    let bench = Bench::open(&[("a.rs", "const PORT = 3000\nlet a = 1\nlet a = 1\n")]).await;
    let args = json!({"file_path": "a.rs", "old_string": "3000", "new_string": "8080"});
    let reply = bench.reply(agent(), "workspace.edit", args).await;
    let mut answer = reply.to_value();
    answer.as_object_mut().unwrap().shift_remove("success");
    let (answer, hashes) = without_hashes(answer);
    let diff = "--- a/a.rs\n+++ b/a.rs\n@@ -1,3 +1,3 @@\n-const PORT = 3000\n+const PORT = 8080\n let a = 1\n let a = 1\n";
    let differs = json!({"replacements": 1, "rules": ["exact"], "diff": diff});
    assert_eq!(answer, changed("a.rs", 38, differs));
    let text = format!(
        "Edited a.rs: +1 -1 lines, 38 bytes, hash {}\n1 replacement(s), matched by: exact\n{diff}",
        hashes[0].as_str().unwrap()
    );
    assert_eq!(reply.to_text(), text);
    let all =
        json!({"path": "a.rs", "oldString": "a = 1", "newString": "b = 2", "replaceAll": true});
    assert_eq!(bench.ok("workspace.edit", all).await["replacements"], 2);
    let several = json!({"file": "a.rs", "edits": [
        {"oldText": "8080", "newText": "1"},
        {"old_str": "b = 2\n", "new_str": "", "replaceAll": true},
    ]});
    assert_eq!(bench.ok("workspace.edit", several).await["rules"], json!(["exact", "exact"]));
    assert_eq!(on_disk(&bench.place("a.rs")), "const PORT = 1\nlet let ");
    for (old, new) in [("old_str", "new_str"), ("oldText", "newText"), ("old_text", "new_text")] {
        let there = json!({"filename": "a.rs", old: "PORT = 1", new: "PORT = 2"});
        bench.ok("workspace.edit", there).await;
        let back = json!({"filePath": "a.rs", old: "PORT = 2", new: "PORT = 1"});
        bench.ok("workspace.edit", back).await;
    }
    let dry = json!({"path": "a.rs", "old_string": "1", "new_string": "2", "dry_run": true});
    let text = bench.text("workspace.edit", dry).await;
    assert!(text.starts_with("Would change a.rs: +1 -1 lines, 23 bytes"), "{text}");
    assert_eq!(on_disk(&bench.place("a.rs")), "const PORT = 1\nlet let ");
}

#[tokio::test]
async fn an_edit_that_does_not_fit_is_refused_whole() {
    let bench = Bench::open(&[("a.rs", "let a = 1\nlet a = 1\n"), ("bin", "\0\x01")]).await;
    let edit = |old: &str, new: &str| json!({"path": "a.rs", "old_string": old, "new_string": new});
    let cases = [
        (edit("zzz", "x"), "conflict", "old_string not found in content"),
        (edit("a = 1", "x"), "conflict", "Found multiple matches for old_string"),
        (
            edit("a", "a"),
            "invalid_args",
            "No changes to apply: new_string is what is there already",
        ),
        (edit("", "a"), "invalid_args", "old_string is empty"),
        (json!({"path": "a.rs", "edits": []}), "invalid_args", "No edits given"),
        (
            json!({"path": "a.rs", "edits": [
                {"old_string": "let a = 1\nlet", "new_string": "x"},
                {"old_string": "zzz", "new_string": "x"},
            ]}),
            "conflict",
            "old_string not found in content (edit 2 of 2)",
        ),
        (
            json!({"path": "a.rs", "edits": [], "new_string": ""}),
            "invalid_args",
            "arguments `edits` and `old_string`/`new_string`: give one or the other",
        ),
        (
            json!({"path": "a.rs", "edits": [], "replace_all": true}),
            "invalid_args",
            "argument `replace_all`: say it in each of `edits`",
        ),
        (json!({"path": "a.rs"}), "invalid_args", "argument `old_string`: is missing"),
        (
            json!({"path": "a.rs", "old_string": "a"}),
            "invalid_args",
            "argument `new_string`: is missing",
        ),
        (
            json!({"path": "b.rs", "old_string": "a", "new_string": "b"}),
            "not_found",
            "`b.rs` does not exist",
        ),
        (
            json!({"path": "bin", "old_string": "a", "new_string": "b"}),
            "unsupported",
            "`bin` is not text; it has 2 bytes",
        ),
        (
            json!({"path": ".git/config", "old_string": "a", "new_string": "b"}),
            "denied",
            "reading `.git/config` is not allowed by the rule `.git`",
        ),
    ];
    for (args, kind, message) in cases {
        bench.fails("workspace.edit", args, kind, message).await;
    }
    let several = bench.failure("workspace.edit", edit("a = 1", "x")).await;
    let hint = "2 places match, on lines 1, 2: give more lines around the place meant, or set \
                replace_all";
    assert_eq!(several["hint"], hint);
    let missing = bench.text("workspace.edit", edit("let b = 1", "x")).await;
    let text = "Error (conflict): old_string not found in content\nHint: the most similar text is on \
                line 1:\nlet a = 1";
    assert_eq!(missing, text);
    assert_eq!(on_disk(&bench.place("a.rs")), "let a = 1\nlet a = 1\n");
}

#[tokio::test]
async fn nobody_overwrites_what_they_have_not_seen() {
    let bench = Bench::open(&[("a.txt", "one\n")]).await;
    let edit = json!({"path": "a.txt", "old_string": "o", "new_string": "0"});
    let write = json!({"path": "./a.txt", "content": "mine\n"});
    read(&bench, "a.txt").await;
    bench.put("a.txt", "two\n");
    let conflict = json!({
        "success": false, "error": "`a.txt` has changed since it was read", "kind": "conflict",
        "hint": "read the file again and make the change to what it holds now",
    });
    for command in ["workspace.edit", "workspace.write"] {
        let args = if command == "workspace.edit" { &edit } else { &write };
        assert_eq!(bench.failure(command, args.clone()).await, conflict);
        let mut dry = args.clone();
        dry["dry_run"] = json!(true);
        assert_eq!(bench.failure(command, dry).await, conflict);
    }
    assert_eq!(on_disk(&bench.place("a.txt")), "two\n");

    let other = Caller::new(CallerKind::Agent, "other", None);
    let reply = bench.reply(other, "workspace.edit", edit.clone()).await.to_value();
    assert_eq!(reply["success"], json!(true), "one who has seen nothing is not held up");
    assert_eq!(bench.failure("workspace.edit", edit.clone()).await, conflict);

    read(&bench, "a.txt").await;
    let args = json!({"path": "a.txt", "old_string": "tw", "new_string": "TWO\nTWO\n"});
    bench.ok("workspace.edit", args).await;
    for word in ["three\n", "four\n"] {
        bench.ok("workspace.write", json!({"path": "a.txt", "content": word})).await;
    }
    let again = json!({"path": "a.txt", "old_string": "four", "new_string": "five"});
    bench.ok("workspace.edit", again).await;
    bench.remove("a.txt");
    let gone = bench.failure("workspace.edit", edit).await;
    assert_eq!(
        (&gone["kind"], &gone["error"]),
        (&json!("not_found"), &json!("`a.txt` does not exist"))
    );
    let created = bench.ok("workspace.write", write).await;
    assert_eq!(created["created"], json!(true), "what is gone cannot be lost");
}

#[tokio::test]
async fn a_change_can_ask_for_the_content_it_was_made_for() {
    let bench = Bench::open(&[("a.txt", "one\n")]).await;
    let hash = read(&bench, "a.txt").await["hash"].clone();
    bench.put("a.txt", "two\n");
    let now = read(&bench, "a.txt").await["hash"].clone();
    for name in ["expected_hash", "expectedHash"] {
        let args = json!({"path": "a.txt", "content": "x\n", name: hash});
        assert_eq!(bench.failure("workspace.write", args).await["kind"], "conflict");
    }
    let args = json!({
        "path": "a.txt", "old_string": "two", "new_string": "three", "expected_hash": now,
    });
    let edited = bench.ok("workspace.edit", args).await;
    assert_eq!(edited["previous_hash"], now);
    assert_eq!(edited["hash"], read(&bench, "a.txt").await["hash"]);
}

#[tokio::test]
async fn what_was_read_or_written_by_other_commands_was_seen_too() {
    let bench = Bench::open(&[("a.txt", "one\n")]).await;
    read(&bench, "a.txt").await;
    bench.ok("file.write", json!({"path": "a.txt", "content": "two\n"})).await;
    let edit = json!({"path": "a.txt", "old_string": "two", "new_string": "three"});
    bench.ok("workspace.edit", edit).await;
    bench.put("a.txt", "four\n");
    bench.ok("editor.read_file", json!({"path": "a.txt"})).await;
    let edit = json!({"path": "a.txt", "old_string": "four", "new_string": "five"});
    bench.ok("workspace.edit", edit).await;
}
