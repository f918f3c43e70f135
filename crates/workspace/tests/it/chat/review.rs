//! What sessions changed: kept, shown, accepted and undone.

use openspace_agents::{
    Event,
    model::{
        Change, DiffText, FileDiff, Location, LongText, MessageId, Part, PartContent,
        SessionStatus, ToolCall, ToolState,
    },
};

use pretty_assertions::assert_eq;

use super::*;
use crate::{buffers::Page as TextPage, support::on_disk};

const SESSION: &str = "opencode/ses_1";
const LINES: &str = "a\nb\nc\nd\ne\nf\ng\n";

/// A bench with a session and a file.
async fn reviewing(puppet: &Arc<Puppet>) -> Bench {
    let bench = bench(puppet).await;
    bench.put("x.txt", LINES);
    bench.said("chat.create", json!({"agent": "opencode"})).await;
    bench
}

fn of_session() -> Caller {
    Caller::new(CallerKind::Agent, "opencode", Some("ses_1"))
}

impl Bench {
    /// The session edits a file with our tool.
    async fn edits(&self, path: &str, old: &str, new: &str) {
        let args = json!({"file_path": path, "old_string": old, "new_string": new});
        let answer = self.reply(of_session(), "workspace.edit", args).await.to_value();
        assert_eq!(answer["success"], true, "{answer}");
    }

    async fn writes(&self, path: &str, content: &str) {
        let args = json!({"file_path": path, "content": content});
        let answer = self.reply(of_session(), "workspace.write", args).await.to_value();
        assert_eq!(answer["success"], true, "{answer}");
    }

    /// Files with their hunks: the lines, whether it was reviewed, how it stands.
    async fn reviewed(&self) -> Value {
        let review = self.said("chat.review", json!({"session": SESSION})).await;
        let hunk = |hunk: &Value| {
            let lines = format!("{}>{}", text(&hunk["old"]), text(&hunk["new"]));
            json!([lines, hunk["reviewed"], hunk["state"], hunk["line"]])
        };
        let file = |file: &Value| {
            let hunks: Vec<Value> = file["hunks"].as_array().unwrap().iter().map(hunk).collect();
            json!([file["path"], file["change"], hunks])
        };
        json!(review["files"].as_array().unwrap().iter().map(file).collect::<Vec<_>>())
    }

    async fn hunk(&self, path: &str, index: usize) -> String {
        let args = json!({"session": SESSION, "path": path});
        let review = self.said("chat.review", args).await;
        text(&review["files"][0]["hunks"][index]["hunk"])
    }

    async fn missed(&self) -> Value {
        self.said("chat.review", json!({"session": SESSION})).await["missed"].take()
    }

    fn text_of(&self, path: &str) -> Option<String> {
        self.place(path).exists().then(|| on_disk(&self.place(path)))
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn what_a_session_changes_is_listed_and_what_others_change_is_not() {
    let bench = reviewing(&Puppet::echo()).await;
    bench.edits("x.txt", "b", "B").await;
    // Another agent, and a session that nobody knows.
    bench
        .ok("workspace.edit", json!({"file_path": "x.txt", "old_string": "d", "new_string": "D"}))
        .await;
    let unknown = Caller::new(CallerKind::Agent, "opencode", Some("ses_9"));
    let args = json!({"file_path": "y.txt", "content": "of nobody\n"});
    bench.reply(unknown, "workspace.write", args).await;
    bench.reply(of_session(), "workspace.read", json!({"file_path": "x.txt"})).await;
    bench.edits("x.txt", "f", "F").await;
    bench.writes("new.txt", "new\n").await;
    assert_eq!(
        bench.reviewed().await,
        json!([
            ["new.txt", "added", [[">new\n", false, "made", 1]]],
            ["x.txt", "modified", [["b>B", false, "made", 2], ["f>F", false, "made", 6]]],
        ])
    );
    let original = json!({"session": SESSION, "path": "x.txt"});
    let original = bench.said("chat.original", original).await;
    assert_eq!(original["text"], "a\nb\nc\nD\ne\nf\ng\n");
    let told = bench.reply(person(), "chat.review", json!({"session": SESSION})).await.to_text();
    assert!(told.starts_with("A new.txt  +1 -0\n  [ ] "), "{told}");
    assert!(told.ends_with("      -f\n      +F\n3 to review."), "{told}");
    // Views are told numbers.
    let space = bench.dispatcher().state().space().snapshot();
    let counts = &space.parts["chat-reviews"][SESSION]["files"]["x.txt"];
    assert_eq!((&counts["hunks"], &counts["reviewed"]), (&json!(2), &json!(0)));
    assert!(!space.parts.contains_key("chat-review-texts"), "texts are told to no view");
}

#[tokio::test]
async fn what_was_reviewed_stays_so_until_the_session_changes_it_also_after_a_restart() {
    let mut bench = reviewing(&Puppet::echo()).await;
    bench.edits("x.txt", "b", "B").await;
    bench.edits("x.txt", "f", "F").await;
    let first = bench.hunk("x.txt", 0).await;
    let accept = json!({"session": SESSION, "path": "x.txt", "hunks": [first]});
    let left = bench.said("chat.accept", accept).await;
    assert_eq!(left, json!({"address": SESSION, "hunks": 1, "toReview": 1}));
    bench.restart().await;
    let again = Puppet::echo();
    bench.dispatcher().state().conversations().hand_in("opencode", Arc::clone(&again) as _);
    bench.said("chat.create", json!({"agent": "opencode"})).await;
    let hunks = |first: bool, second: bool| {
        json!([["x.txt", "modified", [["b>B", first, "made", 2], ["f>F", second, "made", 6]]]])
    };
    assert_eq!(bench.reviewed().await, hunks(true, false));
    bench.said("chat.accept", json!({"session": SESSION})).await;
    assert_eq!(bench.reviewed().await, hunks(true, true));
    // Another change of the second leaves the first reviewed.
    bench.edits("x.txt", "F", "F2").await;
    let expected = json!([["b>B", true, "made", 2], ["f>F2", false, "made", 6]]);
    assert_eq!(bench.reviewed().await[0][2], expected);
    let taken_back = json!({"session": SESSION, "path": "x.txt", "undone": true});
    assert_eq!(bench.said("chat.accept", taken_back).await["toReview"], 2);
}

#[tokio::test]
async fn hunks_files_and_new_files_are_undone() {
    let bench = reviewing(&Puppet::echo()).await;
    bench.edits("x.txt", "b", "B").await;
    bench.edits("x.txt", "d\n", "").await;
    bench.edits("x.txt", "f", "F").await;
    bench.writes("folder/new.txt", "new\n").await;
    let second = bench.hunk("x.txt", 1).await;
    let undo = json!({"session": SESSION, "path": "x.txt", "hunks": [second]});
    let left = bench.said("chat.undo", undo.clone()).await;
    assert_eq!((&left["hunks"], &left["toReview"]), (&json!(1), &json!(3)));
    assert_eq!(on_disk(&bench.place("x.txt")), "a\nB\nc\nd\ne\nF\ng\n");
    let (kind, _) = bench.refused(person(), "chat.undo", undo).await;
    assert_eq!(kind, "not_found", "a hunk that is gone is not undone twice");
    // What was accepted stays.
    let first = bench.hunk("x.txt", 0).await;
    bench.said("chat.accept", json!({"session": SESSION, "path": "x.txt", "hunks": [first]})).await;
    bench.said("chat.undo", json!({"session": SESSION, "path": "x.txt"})).await;
    assert_eq!(on_disk(&bench.place("x.txt")), "a\nB\nc\nd\ne\nf\ng\n");
    let (kind, error) =
        bench.refused(person(), "chat.undo", json!({"session": SESSION, "path": "x.txt"})).await;
    assert_eq!((&*kind, &*error), ("conflict", "all changes of `x.txt` are accepted"));
    bench.said("chat.undo", json!({"session": SESSION, "path": "folder/new.txt"})).await;
    assert_eq!(bench.text_of("folder/new.txt"), None);
    assert_eq!(bench.reviewed().await, json!([["x.txt", "modified", [["b>B", true, "made", 2]]]]));
}

#[tokio::test]
async fn nothing_that_somebody_else_wrote_is_lost_by_undoing() {
    let bench = reviewing(&Puppet::echo()).await;
    bench.edits("x.txt", "b", "B").await;
    bench.edits("x.txt", "f", "F").await;
    let now = "a\nB\nc\nd\ne\nF\ng\n";
    let mut page = TextPage::join(&bench);
    // The person types into the first hunk, and into another line, and saves none of it.
    page.open("x.txt", now, "a\nB mine\nc\nd mine\ne\nF\ng\n").await;
    let undo = |hunk: String| json!({"session": SESSION, "path": "x.txt", "hunks": [hunk]});
    let first = bench.hunk("x.txt", 0).await;
    let refused = bench.refused(person(), "chat.undo", undo(first.clone())).await;
    let why = "somebody else changed the same lines of `x.txt` (line 2); nothing was undone";
    assert_eq!(refused, ("conflict".into(), why.into()));
    let second = bench.hunk("x.txt", 1).await;
    bench.said("chat.undo", undo(second)).await;
    assert_eq!(on_disk(&bench.place("x.txt")), "a\nB\nc\nd\ne\nf\ng\n");
    let live = bench.ok("workspace.read", json!({"file_path": "x.txt"})).await;
    assert!(text(&live["content"]).contains("d mine"), "{live}");
    assert!(text(&live["content"]).contains("B mine"), "{live}");
    // Saved lines of somebody else are not lost either.
    let bench = reviewing(&Puppet::echo()).await;
    bench.edits("x.txt", "b", "B").await;
    bench.put("x.txt", "a\nB theirs\nc\nd\ne\nf\ng\n");
    let (kind, _) = bench.refused(person(), "chat.undo", undo(first)).await;
    assert_eq!(kind, "conflict");
    assert_eq!(on_disk(&bench.place("x.txt")), "a\nB theirs\nc\nd\ne\nf\ng\n");
    // What the person took back by hand needs no undoing.
    bench.put("x.txt", LINES);
    assert_eq!(bench.reviewed().await[0][2], json!([["b>B", false, "gone", 2]]));
    bench.said("chat.undo", json!({"session": SESSION, "path": "x.txt"})).await;
    assert_eq!(bench.reviewed().await, json!([]));
}

#[tokio::test]
async fn agents_read_reviews_and_do_not_answer_for_a_person() {
    let bench = reviewing(&Puppet::echo()).await;
    bench.edits("x.txt", "b", "B").await;
    let review = bench.ok("chat.review", json!({"session": SESSION})).await;
    assert_eq!(review["toReview"], 1);
    for (command, args) in [
        ("chat.accept", json!({"session": SESSION})),
        ("chat.undo", json!({"session": SESSION, "path": "x.txt"})),
    ] {
        let (kind, _) = bench.refused(of_session(), command, args).await;
        assert_eq!(kind, "denied", "{command}");
    }
    bench.reply(script(), "chat.accept", json!({"session": SESSION})).await;
    assert_eq!(bench.reviewed().await[0][2], json!([["b>B", true, "made", 2]]));
}

#[tokio::test]
async fn a_review_goes_with_its_session() {
    let puppet = Puppet::echo();
    let bench = reviewing(&puppet).await;
    bench.edits("x.txt", "b", "B").await;
    bench.said("chat.delete", json!({"session": SESSION})).await;
    let gone = |bench: &Bench| {
        let state = bench.state();
        let texts = state.part::<ReviewTextsPart>().len();
        (texts, state.part::<ReviewsPart>().contains_key(SESSION))
    };
    assert_eq!(gone(&bench), (0, false));
    // Also when the agent says that it is gone.
    bench.said("chat.create", json!({"agent": "opencode"})).await;
    bench.edits("x.txt", "B", "b").await;
    assert_eq!(gone(&bench), (1, true));
    puppet.tell(Event::SessionDeleted { session_id: "ses_1".into() });
    crate::support::until(|| gone(&bench) == (0, false)).await;
}

/// What an agent tells of a tool of its own.
fn tool(tool: &str, input: Value, state: ToolState, diffs: Vec<FileDiff>) -> Event {
    let path = text(&input["filePath"]);
    let call = ToolCall {
        call_id: "c".into(),
        tool: tool.into(),
        title: None,
        state,
        input,
        input_left_out: 0,
        output: None,
        error: None,
        started: None,
        ended: None,
        attachments: Vec::new(),
        diffs,
        locations: vec![Location { path, line: None }],
        child_session: None,
    };
    let part = Part {
        id: "prt".into(),
        message_id: MessageId("msg".into()),
        session_id: "ses_1".into(),
        content: PartContent::Tool { call: Box::new(call) },
    };
    Event::PartUpdated { part }
}

#[tokio::test]
async fn what_an_agent_changes_with_its_own_tools_is_listed_and_what_is_not_known_is_named() {
    let puppet = Puppet::echo();
    let bench = reviewing(&puppet).await;
    let path = |name: &str| bench.place(name).to_string_lossy().into_owned();
    let diff = |name: &str, change, text| FileDiff {
        path: path(name),
        change,
        additions: None,
        deletions: None,
        text,
    };
    let patch = |patch: &str| DiffText::Patch { patch: LongText::new(patch) };
    // An edit, told with its diff after the file was changed.
    bench.put("x.txt", "a\nB\nc\nd\ne\nf\ng\n");
    let edited = diff("x.txt", None, patch("@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"));
    let input = json!({"filePath": path("x.txt")});
    puppet.tell(tool("edit", input, ToolState::Completed, vec![edited]));
    // A file that is written anew, after it was read.
    let read = json!({"filePath": path("src/a.rs")});
    puppet.tell(tool("read", read, ToolState::Completed, Vec::new()));
    let listed = async || bench.reviewed().await.as_array().unwrap().len();
    in_time(async {
        while listed().await < 1 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    // Each thing that is told is over before the next: what was read is known once a later one is.
    bench.put("z.txt", "new\n");
    let new = diff("z.txt", Some(Change::Added), DiffText::Untold);
    let input = json!({"filePath": path("z.txt"), "content": "new\n"});
    puppet.tell(tool("write", input, ToolState::Completed, vec![new]));
    in_time(async {
        while listed().await < 2 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    bench.put("src/a.rs", "one\nTWO\n");
    let written = diff("src/a.rs", Some(Change::Modified), DiffText::Untold);
    let input = json!({"filePath": path("src/a.rs"), "content": "one\nTWO\n"});
    puppet.tell(tool("write", input, ToolState::Completed, vec![written]));
    // One of which nobody knows what was in it.
    bench.put("old.txt", "what was here?\n");
    let unknown = diff("old.txt", Some(Change::Modified), DiffText::Untold);
    let input = json!({"filePath": path("old.txt"), "content": "what was here?\n"});
    puppet.tell(tool("write", input, ToolState::Completed, vec![unknown]));
    // And one that a program changed.
    let content = PartContent::Patch { files: vec![path("x.txt"), path("by-program.txt")] };
    let part = Part {
        id: "prt_2".into(),
        message_id: MessageId("msg".into()),
        session_id: "ses_1".into(),
        content,
    };
    puppet.tell(Event::PartUpdated { part });
    in_time(async {
        while bench.missed().await.as_array().unwrap().len() < 2 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(
        bench.reviewed().await,
        json!([
            ["src/a.rs", "modified", [["two>TWO", false, "made", 2]]],
            ["x.txt", "modified", [["b>B", false, "made", 2]]],
            ["z.txt", "added", [[">new\n", false, "made", 1]]],
        ])
    );
    let missed = json!([
        {"path": "by-program.txt", "why": "meanwhile"}, {"path": "old.txt", "why": "unknown"},
    ]);
    assert_eq!(bench.missed().await, missed);
}

#[tokio::test]
async fn a_file_that_a_program_changed_beside_a_tool_is_named_as_well() {
    let puppet = Puppet::echo();
    let bench = reviewing(&puppet).await;
    let path = |name: &str| bench.place(name).to_string_lossy().into_owned();
    let told = |content| {
        let (id, message_id) = ("prt_2".into(), MessageId("msg".into()));
        let part = Part { id, message_id, session_id: "ses_1".into(), content };
        puppet.tell(Event::PartUpdated { part });
    };
    let idle = || {
        let status = SessionStatus::Idle {};
        puppet.tell(Event::Status { session_id: "ses_1".into(), status });
    };
    let changed = || told(PartContent::Patch { files: vec![path("x.txt"), path("src/a.rs")] });
    let run = json!({"command": "sed -i s/d/D/ x.txt"});
    bench.edits("x.txt", "b", "B").await;
    bench.edits("src/a.rs", "two", "TWO").await;
    // A turn without programs: what differs is the person's.
    bench.put("src/a.rs", "one\nTWO\nthree\n");
    changed();
    idle();
    puppet.tell(tool("bash", run, ToolState::Completed, Vec::new()));
    bench.put("x.txt", "a\nB\nc\nD\ne\nf\ng\n");
    told(PartContent::Patch { files: vec![path("x.txt")] });
    idle();
    in_time(async {
        while bench.missed().await.as_array().unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(bench.missed().await, json!([{"path": "x.txt", "why": "meanwhile"}]));
    let listed = json!([
        ["src/a.rs", "modified", [["two>TWO", false, "made", 2]]],
        ["x.txt", "modified", [["b>B", false, "made", 2]]],
    ]);
    assert_eq!(bench.reviewed().await, listed);
}

#[tokio::test]
async fn there_is_a_bound_and_what_is_over_it_is_named() {
    let bench = reviewing(&Puppet::echo()).await;
    bench.writes("large.txt", &"x\n".repeat(LARGEST / 2 + 1)).await;
    for number in 0..=MOST_FILES {
        bench.writes(&format!("f{number:03}.txt"), "x\n").await;
    }
    let missed = json!([
        {"path": format!("f{MOST_FILES:03}.txt"), "why": "full"},
        {"path": "large.txt", "why": "too_large"},
    ]);
    assert_eq!(bench.missed().await, missed);
    let review = bench.said("chat.review", json!({"session": SESSION})).await;
    assert_eq!(review["files"].as_array().unwrap().len(), MOST_FILES);
}
