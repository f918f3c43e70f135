//! Unsaved text while other programs change the file, and while nobody is there.

use std::time::Duration;

use openspace_buffers::{Buffers, BuffersPart};
use openspace_workspace::areas::layout::LayoutPart;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::{
    buffers::{DISK, Page, TYPED, live, path, typing},
    support::{Bench, in_time, on_disk, person, until},
};

fn buffers(bench: &Bench) -> &Buffers {
    bench.dispatcher().state().buffers()
}

/// Wait for a value of the part that tells of unsaved files.
async fn marked(view: &mut crate::support::Follower, expected: Value) {
    while view.changed("buffers").await != expected {}
}

#[tokio::test]
async fn what_another_program_writes_beside_is_absorbed() {
    let (bench, mut page) = typing().await;
    let sed = json!({"command": "sed -i s/four/4/ a.txt"});
    bench.ok("workspace.bash", sed).await;
    let new_base = "one\ntwo\nthree\n4\nfive\n";
    let expected = json!({
        "type": "changed", "path": "a.txt", "version": 2, "by": "another program",
        "edits": [{"start": 20, "end": 24, "text": "4"}], "base": new_base,
    });
    assert_eq!(page.next().await, expected);
    assert_eq!(live(&bench, "a.txt").unwrap(), TYPED.replace("four", "4"));
}

#[tokio::test]
async fn what_another_program_writes_into_unsaved_lines_is_left_to_the_person() {
    let (bench, _page) = typing().await;
    let mut view = bench.attach();
    bench.put("a.txt", &DISK.replace("two", "zwei"));
    marked(&mut view, json!({"a.txt": {"conflicted": true}})).await;
    assert_eq!(live(&bench, "a.txt").unwrap(), TYPED);
    let edit = json!({"file_path": "a.txt", "old_string": "four", "new_string": "4"});
    let failure = bench.failure("workspace.edit", edit).await;
    let message = "`a.txt` was changed on disk in lines in which the person has unsaved changes; nothing was changed";
    assert_eq!((&failure["kind"], &failure["error"]), (&json!("conflict"), &json!(message)));
    bench.put("a.txt", DISK);
    marked(&mut view, json!({"a.txt": {"conflicted": false}})).await;
    bench.remove("a.txt");
    marked(&mut view, json!({"a.txt": {"conflicted": true, "deleted": true}})).await;
    assert_eq!(live(&bench, "a.txt").unwrap(), TYPED);
}

#[tokio::test]
async fn a_program_that_empties_the_file_first_takes_nothing_away() {
    let (bench, mut page) = typing().await;
    let rewrite = "cp a.txt b.txt; : > a.txt; sleep 0.1; sed s/five/5/ b.txt > a.txt";
    bench.ok("workspace.bash", json!({"command": rewrite})).await;
    assert_eq!(page.next().await["edits"], json!([{"start": 25, "end": 29, "text": "5"}]));
    assert_eq!(live(&bench, "a.txt").unwrap(), TYPED.replace("five", "5"));
}

#[tokio::test]
async fn an_agent_meets_what_is_on_disk_now_even_if_nobody_told() {
    let (bench, _page) = typing().await;
    for number in 0..20 {
        bench.put("a.txt", &on_disk(&bench.place("a.txt")).replace("five", "five!"));
        let (old, new) = match number % 2 {
            0 => ("four", "4"),
            _ => ("4", "four"),
        };
        let edit = json!({"edits": [{"old_string": old, "new_string": new}], "file_path": "a.txt",
            "expected_hash": null});
        // What it has seen is out of date each time, so it looks first.
        bench.ok("workspace.read", json!({"file_path": "a.txt"})).await;
        let mut answer = bench.call("workspace.edit", edit.clone()).await;
        while answer["success"] == json!(false) {
            assert_eq!(answer["error"], "`a.txt` has changed since it was read");
            bench.ok("workspace.read", json!({"file_path": "a.txt"})).await;
            answer = bench.call("workspace.edit", edit.clone()).await;
        }
    }
    let five = format!("five{}", "!".repeat(20));
    assert_eq!(on_disk(&bench.place("a.txt")), DISK.replace("five", &five));
    assert_eq!(live(&bench, "a.txt").unwrap(), TYPED.replace("five", &five));
}

#[tokio::test]
async fn unsaved_text_outlives_browsers_and_the_server() {
    let (mut bench, mut page) = typing().await;
    bench.ok("editor.open", json!({"path": "a.txt"})).await;
    assert_eq!(page.edit(1, 0, 3, "ONE").await["version"], 2);
    let typed = TYPED.replace("one", "ONE");
    drop(page);
    bench.restart().await;
    assert_eq!(live(&bench, "a.txt").unwrap(), typed);
    assert_eq!(json!(bench.state().part::<BuffersPart>()), json!({"a.txt": {"conflicted": false}}));
    assert!(bench.state().part::<LayoutPart>().tabs().all(|(_, tab)| tab.dirty));
    let mut page = Page::join(&bench);
    let opened = page.ask(json!({"type": "attach", "path": "a.txt"})).await;
    assert_eq!((&opened["text"], &opened["base"]), (&json!(typed), &json!(DISK)));

    bench.shut_down().await;
    bench.put("a.txt", &DISK.replace("five", "5"));
    bench.restart().await;
    assert_eq!(live(&bench, "a.txt").unwrap(), typed.replace("five", "5"));
    bench.ok("editor.discard", json!({"path": "a.txt"})).await;
    bench.restart().await;
    assert_eq!(live(&bench, "a.txt"), None);
    assert!(bench.state().part::<LayoutPart>().tabs().all(|(_, tab)| !tab.dirty));
}

#[tokio::test]
async fn typing_is_kept_without_a_shutdown() {
    let (bench, mut page) = typing().await;
    page.edit(1, 0, 0, "more ").await;
    let store = bench.dispatcher().state().store();
    let kept = || {
        let saved = store.entries().unwrap();
        let kept: Value = serde_json::from_str(saved.get("buffer-text")?.get("a.txt")?).unwrap();
        Some(kept["text"] == json!(format!("more {TYPED}")))
    };
    until(|| kept() == Some(true)).await;
    bench.ok("editor.discard", json!({"path": "a.txt"})).await;
    until(|| kept().is_none()).await;
}

#[tokio::test]
async fn what_was_saved_is_not_unsaved_any_more() {
    let (bench, mut page) = typing().await;
    assert_eq!(page.edit(1, 0, 0, "x").await["type"], "accepted");
    // The save is of the text before the last key.
    bench.put("a.txt", TYPED);
    buffers(&bench).saved(&path("a.txt"), TYPED.as_bytes()).await.unwrap();
    let mut told = page.next().await;
    if told["type"] == "changed" {
        told = page.next().await;
    }
    assert_eq!(told, json!({"type": "based", "path": "a.txt", "base": TYPED}));
    let typed = format!("x{TYPED}");
    assert_eq!(live(&bench, "a.txt").unwrap(), typed);
    bench.put("a.txt", &typed);
    buffers(&bench).saved(&path("a.txt"), typed.as_bytes()).await.unwrap();
    assert_eq!(page.next().await, json!({"type": "closed", "path": "a.txt", "reason": "saved"}));
    assert_eq!(live(&bench, "a.txt"), None);
    let late = page.edit(2, 0, 0, "y").await;
    assert_eq!((&late["type"], &late["kind"]), (&json!("error"), &json!("not_found")));
}

#[tokio::test]
async fn the_server_saves_what_is_unsaved_with_what_came_to_the_disk() {
    let (bench, mut page) = typing().await;
    bench.put("a.txt", &DISK.replace("four", "4"));
    let save = json!({"path": "a.txt", "unsaved": {"lineEnd": "crlf", "byteOrderMark": true}});
    let saved = bench.as_person("file.save", save.clone()).await;
    let merged = TYPED.replace("four", "4");
    assert_eq!(live(&bench, "a.txt"), None);
    let written = format!("\u{feff}{}", merged.replace('\n', "\r\n"));
    assert_eq!(on_disk(&bench.place("a.txt")), written);
    assert_eq!((&saved["size"], &saved["created"]), (&json!(written.len()), &json!(false)));
    // The page has the same, in the order of things.
    let told = page.next().await;
    assert_eq!(
        (&told["type"], &told["base"]),
        (&json!("changed"), &json!(DISK.replace("four", "4")))
    );
    assert_eq!(page.next().await, json!({"type": "closed", "path": "a.txt", "reason": "saved"}));
    // Nothing is unsaved any more: nothing is written, and the answer is about what is there.
    assert_eq!(bench.as_person("file.save", save).await, saved);
}

#[tokio::test]
async fn what_only_the_person_can_bring_together_is_not_saved_and_nor_is_it_by_an_agent() {
    let (bench, _page) = typing().await;
    let save = || json!({"path": "a.txt", "unsaved": {"lineEnd": "lf"}});
    let whose = "what is unsaved in `a.txt` is the person's to save";
    bench.fails("file.save", save(), "denied", whose).await;
    let foreign = DISK.replace("two", "zwei");
    bench.put("a.txt", &foreign);
    let failure = bench.reply(person(), "file.save", save()).await.to_value();
    let message = "`a.txt` was changed on disk in lines in which the person has unsaved changes; nothing was changed";
    assert_eq!((&failure["kind"], &failure["error"]), (&json!("conflict"), &json!(message)));
    assert_eq!(
        (on_disk(&bench.place("a.txt")), live(&bench, "a.txt").unwrap()),
        (foreign, TYPED.to_owned())
    );
    bench.remove("a.txt");
    let failure = bench.reply(person(), "file.save", save()).await.to_value();
    let gone = "`a.txt` is not on disk any more";
    assert_eq!((&failure["kind"], &failure["error"]), (&json!("not_found"), &json!(gone)));
    assert_eq!(live(&bench, "a.txt").unwrap(), TYPED);
}

#[tokio::test]
async fn a_save_waits_for_a_program_that_has_just_emptied_the_file() {
    let (bench, _page) = typing().await;
    let mut view = bench.attach();
    bench.put("a.txt", "");
    // A program that takes its time between the two steps of its writing.
    let program = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        bench.put("a.txt", &DISK.replace("five", "5"));
    };
    let save = json!({"path": "a.txt", "unsaved": {"lineEnd": "lf"}});
    let (saved, ()) = tokio::join!(bench.as_person("file.save", save), program);
    let merged = TYPED.replace("five", "5");
    assert_eq!(on_disk(&bench.place("a.txt")), merged);
    assert_eq!((&saved["size"], live(&bench, "a.txt")), (&json!(merged.len()), None));
    // Nobody was asked to decide anything.
    assert_eq!(view.changed("buffers").await, json!({}));
}

#[tokio::test]
async fn a_file_that_stays_empty_is_a_conflict_with_what_is_typed_into_it() {
    let (bench, _page) = typing().await;
    bench.put("a.txt", "");
    let save = json!({"path": "a.txt", "unsaved": {"lineEnd": "lf"}});
    let failure = bench.reply(person(), "file.save", save).await.to_value();
    assert_eq!(failure["kind"], "conflict");
    let kept = (on_disk(&bench.place("a.txt")), live(&bench, "a.txt").unwrap());
    assert_eq!(kept, (String::new(), TYPED.to_owned()));
}

#[tokio::test]
async fn a_text_typed_back_to_what_is_on_disk_is_saved() {
    let (_bench, mut page) = typing().await;
    assert_eq!(page.edit(1, 7, 13, "").await["version"], 2);
    assert_eq!(page.next().await, json!({"type": "closed", "path": "a.txt", "reason": "saved"}));
}

#[tokio::test]
async fn unsaved_text_follows_a_move_and_goes_with_a_deletion() {
    let (bench, mut page) = typing().await;
    let moved = json!({"command": "mkdir -p new/deep && mv a.txt new/deep/b.txt"});
    bench.ok("workspace.bash", moved).await;
    buffers(&bench).renamed(&path("a.txt"), &path("new/deep/b.txt")).await.unwrap();
    let to = "new/deep/b.txt";
    let closed = json!({"type": "closed", "path": "a.txt", "reason": "moved", "to": to});
    assert_eq!(page.next().await, closed);
    let opened = page.ask(json!({"type": "attach", "path": to})).await;
    assert_eq!((&opened["text"], &opened["conflicted"]), (&json!(TYPED), &json!(false)));
    bench.ok("workspace.bash", json!({"command": "mv new old"})).await;
    buffers(&bench).renamed(&path("new"), &path("old")).await.unwrap();
    assert_eq!(page.next().await["to"], "old/deep/b.txt");
    assert_eq!(
        json!(bench.state().part::<BuffersPart>()),
        json!({"old/deep/b.txt": {"conflicted": false}})
    );
    page.ask(json!({"type": "attach", "path": "old/deep/b.txt"})).await;
    buffers(&bench).deleted(&path("old")).await;
    assert_eq!(page.next().await["reason"], "deleted");
    assert_eq!(json!(bench.state().part::<BuffersPart>()), json!({}));
}

#[tokio::test]
async fn highlights_move_with_what_is_typed() {
    let (bench, mut page) = typing().await;
    let ranges = json!([{"startLine": 4, "endLine": 4}]);
    bench.ok("editor.highlight", json!({"path": "a.txt", "ranges": ranges})).await;
    let mut view = bench.attach();
    page.edit(1, 0, 0, "new\nlines\n").await;
    let moved = view.changed("highlights").await;
    assert_eq!(moved["h1"]["ranges"][0]["startLine"], 6);
    let last = json!([{"startLine": 7, "endLine": 7}]);
    bench.ok("editor.highlight", json!({"path": "a.txt", "ranges": last})).await;
    let edit = json!({"file_path": "a.txt", "old_string": "three\n", "new_string": ""});
    bench.ok("workspace.edit", edit).await;
    let start = |value: &Value| value["h1"]["ranges"][0]["startLine"].clone();
    in_time(async { while start(&view.changed("highlights").await) != json!(5) {} }).await;
    bench.ok("editor.discard", json!({"path": "a.txt"})).await;
    in_time(async { while start(&view.changed("highlights").await) != json!(3) {} }).await;
}
