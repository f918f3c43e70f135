//! One reader and one writer under every name: limits, hints and protection are the same.

use openspace_command::{Caller, CallerKind};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::{
    buffers::{DISK, Page, TYPED, live, typing},
    support::{Bench, on_disk},
};

const READERS: [&str; 3] = ["file.read", "editor.read_file", "workspace.read"];
const WRITERS: [&str; 2] = ["file.write", "workspace.write"];

/// `path` is known to all of them; the tools take it as another name for `file_path`.
fn at(path: &str) -> Value {
    json!({"path": path})
}

fn write(path: &str, content: &str) -> Value {
    json!({"path": path, "content": content})
}

#[tokio::test]
async fn what_was_read_and_has_changed_is_written_over_by_no_name() {
    for reader in READERS {
        for writer in WRITERS {
            let bench = Bench::open(&[("a.txt", "one\n")]).await;
            bench.ok(reader, at("a.txt")).await;
            bench.put("a.txt", "two\n");
            let conflict = json!({
                "success": false, "error": "`a.txt` has changed since it was read",
                "kind": "conflict",
                "hint": "read the file again and make the change to what it holds now",
            });
            let failure = bench.failure(writer, write("a.txt", "mine\n")).await;
            assert_eq!(failure, conflict, "{reader}, {writer}");
            assert_eq!(on_disk(&bench.place("a.txt")), "two\n");
            bench.ok(reader, at("a.txt")).await;
            for content in ["mine\n", "mine again\n"] {
                bench.ok(writer, write("a.txt", content)).await;
                assert_eq!(on_disk(&bench.place("a.txt")), content);
            }
        }
    }
}

#[tokio::test]
async fn who_has_seen_nothing_or_something_that_is_gone_is_not_held_up() {
    for writer in WRITERS {
        let bench = Bench::open(&[("a.txt", "one\n")]).await;
        bench.ok("file.read", at("a.txt")).await;
        bench.put("a.txt", "two\n");
        let other = Caller::new(CallerKind::Agent, "other", None);
        let reply = bench.reply(other, writer, write("a.txt", "other\n")).await.to_value();
        assert_eq!(reply["success"], json!(true), "{writer}: {reply}");
        bench.remove("a.txt");
        let created = bench.ok(writer, write("a.txt", "anew\n")).await;
        assert_eq!(created["created"], json!(true), "{writer}");
    }
}

#[tokio::test]
async fn encoding_and_line_endings_stay_whoever_writes() {
    let bench = Bench::open(&[]).await;
    for writer in WRITERS {
        for (old, new) in [
            ("one\r\ntwo\r\n", "one\r\n2\r\n"),
            ("\u{feff}one\ntwo\n", "\u{feff}one\n2\n"),
            ("one\r\ntwo\n", "one\n2\n"),
        ] {
            bench.put("a.txt", old);
            bench.ok("file.read", at("a.txt")).await;
            let written = bench.ok(writer, write("a.txt", "one\n2\n")).await;
            assert_eq!(on_disk(&bench.place("a.txt")), new, "{writer}");
            assert_eq!(written["bytes"], json!(new.len()), "{writer}");
            let hash = &bench.ok("file.read", at("a.txt")).await["hash"];
            assert_eq!(&written["hash"], hash, "{writer}");
        }
    }
}

#[tokio::test]
async fn unsaved_text_is_what_a_writer_has_to_have_seen() {
    for writer in WRITERS {
        let (bench, _page) = typing().await;
        bench.ok("workspace.read", at("a.txt")).await;
        bench.put("a.txt", "one\ntwo\nthree\nfour\nfive\nsix\n");
        let stale = bench.failure(writer, write("a.txt", &format!("{TYPED}7\n"))).await;
        let found = (&stale["kind"], &stale["error"]);
        let expected = (&json!("conflict"), &json!("`a.txt` has changed since it was read"));
        assert_eq!(found, expected, "{writer}");
        bench.ok("editor.read_file", at("a.txt")).await;
        bench.ok(writer, write("a.txt", &format!("{TYPED}six\n7\n"))).await;
        assert_eq!(on_disk(&bench.place("a.txt")), format!("{DISK}six\n7\n"), "{writer}");
        assert_eq!(live(&bench, "a.txt").unwrap(), format!("{TYPED}six\n7\n"), "{writer}");
    }
}

#[tokio::test]
async fn what_is_not_there_is_explained_alike() {
    let bench = Bench::open(&[("src/main.rs", "")]).await;
    let line = json!({"path": "zzzzzz", "line": 1});
    let readers = READERS.map(|reader| (reader, at("zzzzzz")));
    let openers = [("editor.open", at("zzzzzz")), ("editor.open", line)];
    let others = [("editor.diagnostics", at("zzzzzz")), ("file.delete", at("zzzzzz"))];
    for (command, args) in readers.into_iter().chain(openers).chain(others) {
        let failure = bench.failure(command, args).await;
        let expected = json!({
            "success": false, "error": "`zzzzzz` does not exist", "kind": "not_found",
            "hint": "workspace_glob finds files by pattern",
        });
        assert_eq!(failure, expected, "{command}");
    }
    let way = json!({"from": "src/mian.rs", "to": "x"});
    for command in ["file.move", "file.copy"] {
        let failure = bench.failure(command, way.clone()).await;
        assert_eq!(failure["hint"], json!("did you mean src/main.rs?"), "{command}");
    }
}

#[tokio::test]
async fn a_secret_is_opened_no_more_than_read_also_when_it_is_missing() {
    let bench = Bench::open(&[]).await;
    let message = "reading `.env` is not allowed by the rule `.env`";
    let line = json!({"path": ".env", "line": 1});
    for (command, args) in
        [("file.read", at(".env")), ("editor.open", at(".env")), ("editor.open", line)]
    {
        bench.fails(command, args, "denied", message).await;
    }
    let opened = bench.as_person("editor.open", at(".env")).await;
    assert_eq!(opened["kind"], json!("not_found"));
}

#[tokio::test]
async fn only_a_file_is_opened() {
    let bench = Bench::open(&[("src/main.rs", "x\n")]).await;
    for args in [at("src"), json!({"path": "src", "line": 1})] {
        let failure = bench.failure("editor.open", args).await;
        let expected = json!({
            "success": false, "error": "`src` is not a file", "kind": "invalid_args",
            "hint": "file_list shows what is in a folder",
        });
        assert_eq!(failure, expected);
    }
}

#[tokio::test]
async fn unsaved_text_is_shown_as_the_saved_file_would_be() {
    let bench = Bench::open(&[("a.txt", DISK), ("saved.txt", "")]).await;
    let mut page = Page::join(&bench);
    let typed = format!("{}\n{}", "x".repeat(2003), "0123456789\n".repeat(9000));
    page.open("a.txt", DISK, &typed).await;
    bench.put("saved.txt", &typed);
    let pages = [json!({}), json!({"offset": 5000, "limit": 2}), json!({"offset": 9002})];
    let lines = [json!({}), json!({"startLine": 9001}), json!({"startLine": 2, "endLine": 3})];
    let calls = pages.map(|args| ("workspace.read", args)).into_iter();
    for (command, args) in calls.chain(lines.map(|args| ("file.read", args))) {
        let of = async |path: &str| {
            let mut args = args.clone();
            args["path"] = json!(path);
            let mut answer = bench.call(command, args).await.to_string();
            answer = answer.replace(path, "the file").replace(r#","unsaved":true"#, "");
            answer
        };
        assert_eq!(of("a.txt").await, of("saved.txt").await, "{command} {args}");
    }
}

#[tokio::test]
async fn a_line_is_opened_in_the_text_that_the_person_sees() {
    let (bench, mut page) = typing().await;
    page.edit(1, TYPED.len(), TYPED.len(), "six\nseven\n").await;
    let opened = bench.ok("editor.open", json!({"path": "a.txt", "line": 7})).await;
    assert_eq!(opened["totalLines"], json!(7));
    let message = "there is no line 8 in `a.txt`, which has 7 lines";
    let args = json!({"path": "a.txt", "line": 8, "endLine": 9});
    bench.fails("editor.open", args, "invalid_args", message).await;
}

#[tokio::test]
async fn to_open_a_file_is_not_to_have_read_it() {
    let bench = Bench::open(&[("a.txt", DISK)]).await;
    bench.ok("editor.open", json!({"path": "a.txt", "line": 2})).await;
    bench.put("a.txt", "changed\n");
    bench.ok("file.write", write("a.txt", "mine\n")).await;
}

#[tokio::test]
async fn a_nul_far_into_a_file_makes_it_binary_for_every_reader_and_writer() {
    let bench = Bench::open(&[]).await;
    let bytes = format!("{}\0 and more text\n", "a line of text\n".repeat(1_000));
    bench.put("late.bin", &bytes);
    for (command, args) in [
        ("file.read", json!({"path": "late.bin"})),
        ("file.read", json!({"path": "late.bin", "startLine": 2, "endLine": 3})),
        ("editor.read_file", json!({"path": "late.bin"})),
        ("editor.open", json!({"path": "late.bin", "line": 1})),
        (
            "workspace.edit",
            json!({"file_path": "late.bin", "old_string": "more", "new_string": "x"}),
        ),
    ] {
        let failure = bench.failure(command, args).await;
        assert_eq!(failure["kind"], "unsupported", "{command}: {failure}");
    }
    let read = bench.ok("workspace.read", json!({"file_path": "late.bin"})).await;
    let told = (&read["type"], read.get("content"), &read["size"]);
    assert_eq!(told, (&json!("binary"), None, &json!(bytes.len())), "{read}");
    let mut page = Page::join(&bench);
    let text = bytes.replace('\0', "");
    assert_eq!(page.open("late.bin", &text, &format!("x{text}")).await["kind"], "unsupported");
    assert_eq!(on_disk(&bench.place("late.bin")), bytes);
}
