//! Agents and unsaved text: reads, edits and writes of files that a person is typing into.

use openspace_buffers::{
    Buffers, BuffersPart,
    pages::{FromPage, Inbox},
    sessions::PageSession,
};
use openspace_protocol::RelPath;
use openspace_workspace::areas::layout::LayoutPart;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Bench, in_time, on_disk};

/// A page as the server sees it.
pub(crate) struct Page {
    buffers: Buffers,
    session: PageSession,
    inbox: Inbox,
}

impl Page {
    pub(crate) fn join(bench: &Bench) -> Self {
        let buffers = bench.dispatcher().state().buffers().clone();
        let (session, inbox) = buffers.join();
        Self { buffers, session, inbox }
    }

    pub(crate) async fn send(&self, message: Value) {
        let message: FromPage = serde_json::from_value(message).unwrap();
        self.buffers.receive(&self.session, message).await.await.unwrap();
    }

    /// What it is told next; `None` when it was let go.
    pub(crate) async fn told(&mut self) -> Option<Value> {
        in_time(self.inbox.next()).await.map(|message| json!(*message))
    }

    pub(crate) async fn next(&mut self) -> Value {
        self.told().await.expect("the page is not let go")
    }

    /// Send something and give the answer.
    pub(crate) async fn ask(&mut self, message: Value) -> Value {
        self.send(message).await;
        self.next().await
    }

    pub(crate) async fn open(&mut self, path: &str, base: &str, text: &str) -> Value {
        self.ask(json!({"type": "open", "path": path, "base": base, "text": text})).await
    }

    /// Put a text in the place of another, against a version.
    pub(crate) async fn edit(
        &mut self,
        version: u64,
        start: usize,
        end: usize,
        text: &str,
    ) -> Value {
        let edits = json!([{"start": start, "end": end, "text": text}]);
        self.ask(json!({"type": "edit", "path": "a.txt", "version": version, "edits": edits})).await
    }
}

pub(crate) fn path(text: &str) -> RelPath {
    RelPath::parse(text).unwrap()
}

/// The text of a file as the person sees it.
pub(crate) fn live(bench: &Bench, file: &str) -> Option<String> {
    let live = bench.dispatcher().state().buffers().live(&path(file))?;
    Some(live.text.to_string())
}

pub(crate) const DISK: &str = "one\ntwo\nthree\nfour\nfive\n";
pub(crate) const TYPED: &str = "one\ntwo typed\nthree\nfour\nfive\n";

/// A bench with a file into whose second line somebody types.
pub(crate) async fn typing() -> (Bench, Page) {
    let bench = Bench::open(&[("a.txt", DISK)]).await;
    let mut page = Page::join(&bench);
    let opened = page.open("a.txt", DISK, TYPED).await;
    let expected = json!({
        "type": "opened", "path": "a.txt", "version": 1, "text": TYPED, "base": DISK,
        "conflicted": false,
    });
    assert_eq!(opened, expected);
    (bench, page)
}

fn edit(old: &str, new: &str) -> Value {
    json!({"file_path": "a.txt", "old_string": old, "new_string": new})
}

#[tokio::test]
async fn an_edit_beside_unsaved_lines_reaches_the_disk_and_the_buffer() {
    let (bench, mut page) = typing().await;
    let edited = bench.ok("workspace.edit", edit("four", "4")).await;
    let found = (&edited["unsaved"], &edited["replacements"], &edited["lines_added"]);
    assert_eq!(found, (&json!(true), &json!(1), &json!(1)));
    assert!(edited["diff"].as_str().unwrap().contains("-four\n+4\n"), "{edited}");
    let new_base = "one\ntwo\nthree\n4\nfive\n";
    assert_eq!(on_disk(&bench.place("a.txt")), new_base);
    assert_eq!(live(&bench, "a.txt").unwrap(), "one\ntwo typed\nthree\n4\nfive\n");
    let edits = json!([{"start": 20, "end": 24, "text": "4"}]);
    let expected = json!({
        "type": "changed", "path": "a.txt", "version": 2, "edits": edits, "by": "opencode",
        "base": new_base,
    });
    assert_eq!(page.next().await, expected);
    assert_eq!(page.edit(2, 0, 0, "x").await["type"], "accepted");
}

#[tokio::test]
async fn an_edit_of_unsaved_lines_is_a_conflict_that_shows_both_sides() {
    let (bench, mut page) = typing().await;
    let failure = bench.failure("workspace.edit", edit("two typed\nthree", "2\n3")).await;
    let expected = json!({
        "success": false, "kind": "conflict",
        "error": "the person has unsaved changes in line 2 of `a.txt` that this change touches; nothing was changed",
        "hint": "leave those lines alone, or ask the person to save.\nThe person's lines:\ntwo typed\nYours:\n2\n3",
    });
    assert_eq!(failure, expected);
    assert_eq!(on_disk(&bench.place("a.txt")), DISK);
    assert_eq!(live(&bench, "a.txt").unwrap(), TYPED);
    assert_eq!(page.edit(1, 0, 0, "x").await["version"], 2, "nobody else made a version");
}

#[tokio::test]
async fn edits_are_made_to_what_the_person_sees() {
    let (bench, _page) = typing().await;
    let failure = bench.failure("workspace.edit", edit("two\nthree", "x")).await;
    assert_eq!(failure["kind"], "conflict", "that is not there any more: {failure}");
    let dry = json!({
        "file_path": "a.txt", "old_string": "five", "new_string": "5", "dry_run": true,
    });
    assert_eq!(bench.ok("workspace.edit", dry).await["dry_run"], true);
    assert_eq!(
        (on_disk(&bench.place("a.txt")), live(&bench, "a.txt").unwrap()),
        (DISK.into(), TYPED.into())
    );
    let after = bench.ok("workspace.edit", edit("two typed\n", "two typed\nnew\n")).await;
    assert_eq!(after["unsaved"], true);
    assert_eq!(on_disk(&bench.place("a.txt")), "one\ntwo\nnew\nthree\nfour\nfive\n");
}

#[tokio::test]
async fn a_whole_write_goes_together_with_unsaved_lines() {
    let writes = [
        // Made from what is on disk, and from what the person sees.
        "one\ntwo\nthree\nfour\n5\n",
        "one\ntwo typed\nthree\nfour\n5\n",
    ];
    for (command, name) in [("workspace.write", "file_path"), ("file.write", "path")] {
        for content in writes {
            let (bench, _page) = typing().await;
            bench.ok(command, json!({name: "a.txt", "content": content})).await;
            assert_eq!(on_disk(&bench.place("a.txt")), writes[0]);
            assert_eq!(live(&bench, "a.txt").unwrap(), writes[1]);
        }
        let (bench, _page) = typing().await;
        let failure = bench.failure(command, json!({name: "a.txt", "content": "all new\n"})).await;
        assert_eq!(failure["kind"], "conflict");
        assert!(failure["hint"].as_str().unwrap().contains("two typed"), "{failure}");
        assert_eq!(on_disk(&bench.place("a.txt")), DISK);
        assert_eq!(live(&bench, "a.txt").unwrap(), TYPED);
    }
}

#[tokio::test]
async fn reads_give_the_unsaved_text_and_say_so() {
    let (bench, _page) = typing().await;
    for command in ["file.read", "editor.read_file"] {
        let read = bench.ok(command, json!({"path": "a.txt", "startLine": 2, "endLine": 2})).await;
        let expected = json!({
            "content": "two typed\n", "startLine": 2, "endLine": 2, "totalLines": 5, "size": 30,
            "hash": read["hash"], "encoding": "utf-8", "lossy": false, "truncated": false,
            "unsaved": true,
        });
        assert_eq!(read, expected);
        let text = bench.text(command, json!({"path": "a.txt"})).await;
        assert!(text.ends_with("(with unsaved changes of the person)"), "{text}");
        let beyond = bench.failure(command, json!({"path": "a.txt", "startLine": 6})).await;
        assert_eq!(beyond["kind"], "invalid_args");
    }
    let read =
        bench.ok("workspace.read", json!({"file_path": "a.txt", "offset": 2, "limit": 1})).await;
    let expected = json!({
        "file_path": "a.txt", "type": "text", "content": "2: two typed\n", "start_line": 2,
        "end_line": 2, "total_lines": 5, "size": 30, "hash": read["hash"], "encoding": "utf-8",
        "line_ending": "lf", "final_newline": true, "lossy": false, "truncated": true,
        "hint": "lines 2-2 of 5; offset=3 goes on", "unsaved": true,
    });
    assert_eq!(read, expected);
    let text = bench.text("workspace.read", json!({"file_path": "a.txt"})).await;
    assert!(text.ends_with("5: five\n(with unsaved changes of the person)"), "{text}");
}

#[tokio::test]
async fn the_hash_of_a_read_can_be_expected_while_the_person_goes_on_typing() {
    let (bench, mut page) = typing().await;
    let hash = bench.ok("file.read", json!({"path": "a.txt"})).await["hash"].clone();
    assert_eq!(page.edit(1, 13, 13, "!").await["type"], "accepted");
    let expecting = |old: &str, new: &str, hash: &Value| {
        let mut args = edit(old, new);
        args["expected_hash"] = hash.clone();
        args
    };
    let edited = bench.ok("workspace.edit", expecting("four", "4", &hash)).await;
    let stale = bench.failure("workspace.edit", expecting("five", "5", &hash)).await;
    let found = (&stale["kind"], &stale["error"]);
    assert_eq!(found, (&json!("conflict"), &json!("`a.txt` has changed since it was read")));
    bench.ok("workspace.edit", expecting("five", "5", &edited["hash"])).await;
    assert_eq!(live(&bench, "a.txt").unwrap(), "one\ntwo typed!\nthree\n4\n5\n");
}

#[tokio::test]
async fn what_an_agent_read_before_the_typing_began_it_may_still_edit() {
    let bench = Bench::open(&[("a.txt", DISK)]).await;
    bench.ok("workspace.read", json!({"file_path": "a.txt"})).await;
    let mut page = Page::join(&bench);
    page.open("a.txt", DISK, TYPED).await;
    bench.ok("workspace.edit", edit("four", "4")).await;
    assert_eq!(page.next().await["type"], "changed");
    assert_eq!(page.ask(json!({"type": "attach", "path": "a.txt"})).await["version"], 2);
}

#[tokio::test]
async fn encoding_and_line_ends_are_kept() {
    for (disk, edited) in [
        ("\u{feff}one\r\ntwo\r\nthree\r\n", "\u{feff}one\r\ntwo\r\n3\r\nx\r\n"),
        ("one\r\ntwo\nthree\n", "one\r\ntwo\n3\nx\n"),
        ("one\ntwo\nthree", "one\ntwo\n3\nx"),
    ] {
        let bench = Bench::open(&[("a.txt", disk)]).await;
        let mut page = Page::join(&bench);
        let base = disk.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        page.open("a.txt", &base, &base.replace("one", "1")).await;
        bench.ok("workspace.edit", edit("three", "3\nx")).await;
        assert_eq!(on_disk(&bench.place("a.txt")), edited);
    }
}

#[tokio::test]
async fn other_files_and_workspaces_have_no_unsaved_text() {
    let (bench, _page) = typing().await;
    bench.ok("workspace.create", json!({})).await;
    let write = json!({"file_path": "a.txt", "content": "other\n", "workspace_id": "w1"});
    assert_eq!(bench.ok("workspace.write", write).await.get("unsaved"), None);
    let read =
        bench.ok("workspace.read", json!({"file_path": "a.txt", "workspace_id": "w1"})).await;
    assert_eq!((&read["content"], read.get("unsaved")), (&json!("1: other\n"), None));
}

#[tokio::test]
async fn discarded_text_is_gone_everywhere() {
    let (bench, mut page) = typing().await;
    bench.ok("editor.open", json!({"path": "a.txt"})).await;
    let is_dirty = || bench.state().part::<LayoutPart>().tabs().any(|(_, tab)| tab.dirty);
    assert!(is_dirty());
    assert_eq!(json!(bench.state().part::<BuffersPart>()), json!({"a.txt": {"conflicted": false}}));
    bench.ok("editor.discard", json!({"path": "a.txt"})).await;
    let closed = json!({"type": "closed", "path": "a.txt", "reason": "discarded"});
    assert_eq!(page.next().await, closed);
    assert!(!is_dirty());
    assert_eq!(json!(bench.state().part::<BuffersPart>()), json!({}));
    let read = bench.ok("file.read", json!({"path": "a.txt"})).await;
    assert_eq!((&read["content"], read.get("unsaved")), (&json!(DISK), None));
    let message = "`a.txt` has no unsaved changes";
    bench.fails("editor.discard", json!({"path": "a.txt"}), "not_found", message).await;
}
