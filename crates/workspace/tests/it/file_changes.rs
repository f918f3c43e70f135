//! `file.save`, `file.create_folder`, `file.move`, `file.copy`, `file.delete`, `file.restore`.

use openspace_buffers::highlights::HighlightsPart;
use openspace_workspace::areas::{editor::EditorsPart, layout::LayoutPart};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Bench, names, on_disk, person};

/// Tabs by path, and whether their content is missing.
fn tabs(bench: &Bench) -> Vec<(String, bool)> {
    let state = bench.state();
    state
        .part::<LayoutPart>()
        .tabs()
        .map(|(_, tab)| (tab.content_id.clone(), tab.missing))
        .collect()
}

fn tab(path: &str, missing: bool) -> (String, bool) {
    (path.to_owned(), missing)
}

/// Paths of highlights.
fn highlighted(bench: &Bench) -> Vec<String> {
    bench
        .state()
        .part::<HighlightsPart>()
        .values()
        .map(|highlight| highlight.path.clone())
        .collect()
}

async fn mark(bench: &Bench, path: &str) {
    bench.ok("editor.open", json!({"path": path, "line": 1, "highlight": true})).await;
}

#[tokio::test]
async fn a_save_writes_exactly_what_is_given() {
    let bench = Bench::open(&[("a.txt", "one\r\n")]).await;
    let first = bench.ok("file.save", json!({"path": "a.txt", "content": "two\n"})).await;
    let expected = json!({
        "path": "a.txt", "token": first["token"], "mtimeMs": first["mtimeMs"], "size": 4,
        "hash": first["hash"], "created": false,
    });
    assert_eq!(first, expected);
    assert_eq!(on_disk(&bench.place("a.txt")), "two\n");
    let next = json!({"path": "a.txt", "base64": "aGk=", "expectedToken": first["token"]});
    bench.ok("file.save", next.clone()).await;
    assert_eq!(on_disk(&bench.place("a.txt")), "hi");
    let failure = bench.failure("file.save", next).await;
    let expected = json!({
        "success": false, "error": "`a.txt` has changed since it was read", "kind": "conflict",
        "hint": "read it again; a save without expectedToken replaces what is there",
    });
    assert_eq!(failure, expected);
    let gone = json!({"path": "b.txt", "content": "", "expectedToken": first["token"]});
    bench.fails("file.save", gone, "conflict", "`b.txt` does not exist any more").await;
    let new = json!({"path": "a.txt", "content": "", "createOnly": true});
    bench.fails("file.save", new, "conflict", "`a.txt` exists already").await;
}

#[tokio::test]
async fn a_save_without_sense_is_refused() {
    let bench = Bench::open(&[]).await;
    let both = "give one of `content`, `base64` and `unsaved`";
    let cases = [
        (json!({}), both),
        (json!({"content": "", "base64": ""}), both),
        (
            json!({"content": "", "expectedToken": "x", "createOnly": true}),
            "give `expectedToken` or `createOnly`, and not both",
        ),
        (json!({"content": "", "unsaved": {"lineEnd": "lf"}}), both),
        (
            json!({"unsaved": {"lineEnd": "lf"}, "createOnly": true}),
            "what is unsaved is merged with the disk: leave `expectedToken` and `createOnly` out",
        ),
        (json!({"base64": "?"}), "argument `base64`: Invalid symbol 63, offset 0."),
    ];
    for (mut args, message) in cases {
        args["path"] = json!("a");
        bench.fails("file.save", args, "invalid_args", message).await;
    }
    let outside = json!({"path": "../a", "content": ""});
    assert_eq!(bench.failure("file.save", outside).await["kind"], json!("invalid_args"));
}

#[tokio::test]
async fn secrets_are_the_persons_to_change() {
    let bench = Bench::open(&[(".env", "KEY=1\n"), ("a", ""), ("node_modules/x", "")]).await;
    let calls = [
        ("file.save", json!({"path": ".env", "content": "KEY=2\n"})),
        ("file.copy", json!({"from": ".env", "to": ".env.local"})),
        ("file.move", json!({"from": ".env.local", "to": "local.txt"})),
        ("file.create_folder", json!({"path": "secrets.d"})),
        ("file.delete", json!({"path": ".env"})),
    ];
    for (command, args) in &calls {
        let failure = bench.failure(command, args.clone()).await;
        let found = json!([failure["kind"], failure["hint"]]);
        let hint = "this path is secret or protected; the person can do it, and `file_read_secret` with a reason asks them for a secret";
        assert_eq!(found, json!(["denied", hint]), "{command}: {failure}");
    }
    let mut trashed = Value::Null;
    for (command, args) in calls {
        let answer = bench.as_person(command, args).await;
        assert_eq!(answer["success"], json!(true), "{command}: {answer}");
        trashed = answer["trashed"].clone();
    }
    assert_eq!(on_disk(&bench.place("local.txt")), "KEY=2\n");
    let restore = json!({"trashed": trashed});
    assert_eq!(bench.failure("file.restore", restore.clone()).await["kind"], json!("denied"));
    assert_eq!(bench.as_person("file.restore", restore).await["path"], json!(".env"));
    for path in ["node_modules/x", ".git/config", ".openspace/config.toml"] {
        let save = json!({"path": path, "content": ""});
        let reply = bench.reply(person(), "file.save", save).await.to_value();
        assert_eq!(reply["kind"], json!("denied"), "{path}");
    }
}

#[tokio::test]
async fn another_name_of_a_secret_is_the_persons_too() {
    let bench = Bench::open(&[(".env", "KEY=1\n"), ("a", "1\n")]).await;
    std::fs::hard_link(bench.place(".env"), bench.place("hard.txt")).unwrap();
    let calls = [
        ("file.read", json!({"path": "hard.txt"})),
        ("workspace.read", json!({"path": "hard.txt"})),
        ("workspace.edit", json!({"path": "hard.txt", "old_string": "KEY", "new_string": "K"})),
        ("file.copy", json!({"from": "hard.txt", "to": "x"})),
        ("editor.read_file", json!({"path": "hard.txt"})),
        ("workspace.grep", json!({"path": "hard.txt", "pattern": "KEY"})),
    ];
    for (command, args) in calls {
        let failure = bench.failure(command, args).await;
        let expected = json!({
            "success": false, "kind": "denied",
            "error": "`hard.txt` is another name of the secret file `.env`",
            "hint": "`file_read_secret` with a reason asks the person for the secret, by its own name",
        });
        assert_eq!(failure, expected, "{command}");
    }
    let found = bench.ok("workspace.grep", json!({"pattern": "1", "output_mode": "count"})).await;
    assert_eq!(found["skipped_secret"], json!(2), "{found}");
    bench.as_person("file.copy", json!({"from": "hard.txt", "to": "x"})).await;
    assert_eq!(on_disk(&bench.place("x")), "KEY=1\n");
}

#[tokio::test]
async fn a_folder_is_created_once() {
    let bench = Bench::open(&[("file", "")]).await;
    for created in [true, false] {
        let answer = bench.ok("file.create_folder", json!({"path": "./a/b/"})).await;
        assert_eq!(answer, json!({"path": "a/b", "created": created}));
    }
    let message = "`file` exists already";
    bench.fails("file.create_folder", json!({"path": "file"}), "conflict", message).await;
}

#[tokio::test]
async fn tabs_and_highlights_follow_what_is_moved() {
    let bench = Bench::open(&[("src/a.rs", "1\n2\n"), ("src/b.rs", "1\n"), ("c.rs", "1\n")]).await;
    for path in ["src/a.rs", "c.rs"] {
        mark(&bench, path).await;
    }
    let mut view = bench.attach();
    let moved = bench.ok("file.move", json!({"from": "src", "to": "lib/core"})).await;
    let expected = json!({"from": "src", "path": "lib/core", "replaced": null});
    assert_eq!(moved, expected);
    assert_eq!(tabs(&bench), [tab("lib/core/a.rs", false), tab("c.rs", false)]);
    assert_eq!(highlighted(&bench), ["lib/core/a.rs", "c.rs"]);
    let editors: Vec<String> =
        bench.state().part::<EditorsPart>().keys().map(ToString::to_string).collect();
    assert_eq!(editors, ["c.rs", "lib/core/a.rs"]);
    let told = view.changed("highlights").await;
    assert_eq!(told["h1"]["path"], json!("lib/core/a.rs"));

    // At its new place the file is followed.
    bench.put("lib/core/a.rs", "new\n1\n2\n");
    let told = view.changed("highlights").await;
    assert_eq!(told["h1"]["ranges"][0]["startLine"], json!(2));
}

#[tokio::test]
async fn a_move_replaces_only_what_it_is_told_to_and_that_can_be_restored() {
    let bench = Bench::open(&[("a.rs", "new"), ("b.rs", "old")]).await;
    bench.ok("editor.open", json!({"path": "a.rs"})).await;
    bench.ok("editor.open", json!({"path": "b.rs"})).await;
    let args = json!({"from": "a.rs", "to": "b.rs"});
    let failure = bench.failure("file.move", args).await;
    let expected = json!({
        "success": false, "error": "`b.rs` exists already", "kind": "conflict",
        "hint": "choose another name; a move or a copy replaces what is there with overwrite",
    });
    assert_eq!(failure, expected);
    let args = json!({"from": "a.rs", "to": "b.rs", "overwrite": true});
    let moved = bench.ok("file.move", args).await;
    assert_eq!(
        (on_disk(&bench.place("b.rs")).as_str(), tabs(&bench).as_slice()),
        ("new", &[tab("b.rs", false)][..])
    );
    bench.ok("file.delete", json!({"path": "b.rs"})).await;
    let restored = bench.ok("file.restore", json!({"trashed": moved["replaced"]})).await;
    assert_eq!(restored, json!({"path": "b.rs"}));
    assert_eq!(on_disk(&bench.place("b.rs")), "old");
}

#[tokio::test]
async fn what_makes_no_sense_is_not_moved_or_copied() {
    let bench = Bench::open(&[("src/main.rs", "")]).await;
    for command in ["file.move", "file.copy"] {
        let failure = bench.failure(command, json!({"from": "src/mian.rs", "to": "x"})).await;
        let expected = json!({
            "success": false, "error": "`src/mian.rs` does not exist", "kind": "not_found",
            "hint": "did you mean src/main.rs?",
        });
        assert_eq!(failure, expected, "{command}");
        let message = "`src` cannot be put into itself, at `src/new`";
        let args = json!({"from": "src", "to": "src/new"});
        bench.fails(command, args, "invalid_args", message).await;
        let message = "the root of the workspace itself cannot be changed";
        bench.fails(command, json!({"from": "", "to": "x"}), "invalid_args", message).await;
    }
}

#[tokio::test]
async fn a_copy_is_another_file() {
    let bench = Bench::open(&[("src/a.rs", "abc"), ("src/deep/b.rs", "d")]).await;
    mark(&bench, "src/a.rs").await;
    let copied = bench.ok("file.copy", json!({"from": "src", "to": "twin"})).await;
    let expected =
        json!({"from": "src", "path": "twin", "entries": 4, "bytes": 4, "replaced": null});
    assert_eq!(copied, expected);
    assert_eq!(names(&bench.place("twin")), ["a.rs", "deep"]);
    assert_eq!(
        (tabs(&bench), highlighted(&bench)),
        (vec![tab("src/a.rs", false)], vec!["src/a.rs".to_owned()])
    );
}

#[tokio::test]
async fn tabs_of_what_is_deleted_wait_for_it() {
    let bench = Bench::open(&[("src/a.rs", "1\n"), ("b.rs", "1\n")]).await;
    for path in ["src/a.rs", "b.rs"] {
        mark(&bench, path).await;
    }
    let deleted = bench.ok("file.delete", json!({"path": "src"})).await;
    let trashed = deleted["trashed"].as_str().unwrap();
    assert!(trashed.starts_with(".openspace/trash/018bcfe56800-"), "{trashed}");
    assert_eq!(deleted, json!({"path": "src", "trashed": trashed}));
    assert_eq!(tabs(&bench), [tab("src/a.rs", true), tab("b.rs", false)]);
    assert_eq!(highlighted(&bench), ["b.rs"]);
    let found = bench.ok("file.search", json!({"query": "a.rs"})).await;
    assert_eq!(found["total"], json!(0), "the trash is not searched: {found}");
    let read = bench.failure("file.read", json!({"path": format!("{trashed}/a.rs")})).await;
    assert_eq!(read["kind"], json!("denied"));
    let restored = bench.ok("file.restore", json!({"trashed": trashed})).await;
    assert_eq!(restored, json!({"path": "src"}));
    assert_eq!(tabs(&bench), [tab("src/a.rs", false), tab("b.rs", false)]);
    let failure = bench.failure("file.restore", json!({"trashed": trashed})).await;
    let expected = json!({
        "success": false, "kind": "not_found",
        "error": format!("there is nothing at `{trashed}` in the trash that can be restored"),
        "hint": "give the path that file_delete told; only the newest 200 deletions are kept",
    });
    assert_eq!(failure, expected);
}

#[tokio::test]
async fn a_file_that_is_saved_again_is_no_longer_missing() {
    let bench = Bench::open(&[("a.rs", "1\n")]).await;
    bench.ok("editor.open", json!({"path": "a.rs"})).await;
    bench.ok("file.delete", json!({"path": "a.rs"})).await;
    assert_eq!(tabs(&bench), [tab("a.rs", true)]);
    bench.ok("file.save", json!({"path": "a.rs", "content": "2\n"})).await;
    assert_eq!(tabs(&bench), [tab("a.rs", false)]);
}

#[tokio::test]
async fn changes_are_on_record_without_contents() {
    let bench = Bench::open(&[("a", "")]).await;
    bench.ok("file.save", json!({"path": "a", "content": "CONTENT"})).await;
    bench.ok("file.move", json!({"from": "a", "to": "b"})).await;
    bench.ok("file.delete", json!({"path": "b"})).await;
    let records = bench.audit().await;
    let told: Vec<(String, Vec<String>)> =
        records.into_iter().map(|record| (record.summary, record.paths)).collect();
    let owned = |paths: &[&str]| paths.iter().map(ToString::to_string).collect::<Vec<_>>();
    let expected = [
        ("save a".to_owned(), owned(&["a"])),
        ("move a to b".to_owned(), owned(&["a", "b"])),
        ("delete b".to_owned(), owned(&["b"])),
    ];
    assert_eq!(told, expected);
}
