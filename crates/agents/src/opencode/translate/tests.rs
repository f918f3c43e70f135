//! Forms that opencode uses, and forms that it may use one day.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;
use crate::model::{
    FilePlace, FileReference, LONGEST_DATA, LONGEST_TEXT, Lines, PartContent, ToolState,
};

/// What a part of this form is.
fn content(mut said: Value) -> PartContent {
    said["id"] = json!("prt_1");
    said["messageID"] = json!("msg_1");
    said["sessionID"] = json!("ses_1");
    part(said).unwrap().content
}

fn file_at(url: &str) -> FilePlace {
    match content(json!({ "type": "file", "mime": "x/y", "url": url })) {
        PartContent::File { file: FileReference { place, .. } } => place,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_part_that_is_not_known_keeps_its_name() {
    let other = |name: &str| PartContent::Other { name: name.to_owned() };
    assert_eq!(content(json!({ "type": "hologram", "depth": 3 })), other("hologram"));
    assert_eq!(content(json!({ "type": "snapshot", "snapshot": "abc" })), other("snapshot"));
    // A known one in another form is not known either.
    assert_eq!(content(json!({ "type": "text", "text": 7 })), other("text"));
    assert_eq!(part(json!({ "type": "text", "text": "of nobody" })), None);
}

#[test]
fn a_text_that_is_too_long_is_cut_and_counted() {
    let said = json!({ "type": "text", "text": "x".repeat(LONGEST_TEXT + 5) });
    let PartContent::Text { text, .. } = content(said) else { panic!() };
    assert_eq!((text.text.len(), text.left_out), (LONGEST_TEXT, 5));
}

#[test]
fn files_are_where_their_address_says() {
    let path = |path: &str, lines| FilePlace::Path { path: path.to_owned(), lines };
    let lines = Some(Lines { first: 1, last: Some(5) });
    assert_eq!(file_at("file:///a%20b.txt?start=1&end=5"), path("/a b.txt", lines));
    assert_eq!(file_at("file:///a"), path("/a", None));
    assert_eq!(file_at("data:x/y;base64,QUJD"), FilePlace::Data { base64: "QUJD".to_owned() });
    assert_eq!(file_at("note://1"), FilePlace::Link { url: "note://1".to_owned() });
    let large = format!("data:x/y;base64,{}", "A".repeat(LONGEST_DATA + 4));
    let bytes = (LONGEST_DATA as u64 + 4) / 4 * 3;
    assert_eq!(file_at(&large), FilePlace::LeftOut { bytes });
}

#[test]
fn a_tool_tells_what_it_does_to_files_while_it_runs_and_when_it_failed() {
    let tool = |state: Value| {
        let said = json!({ "type": "tool", "callID": "c", "tool": "edit", "state": state });
        let PartContent::Tool { call } = content(said) else { panic!() };
        *call
    };
    let running = tool(json!({
        "status": "running",
        "input": { "filePath": "/a" },
        "metadata": { "output": "so far", "diff": "@@ -1 +1 @@" },
        "time": { "start": 5 },
    }));
    assert_eq!(
        (running.state, running.started, running.ended),
        (ToolState::Running, Some(5), None)
    );
    assert_eq!(running.output, Some(LongText::new("so far")));
    assert_eq!(running.diffs[0].path, "/a");
    let failed = tool(json!({
        "status": "error", "input": {}, "error": "no", "time": { "start": 5, "end": 6 },
    }));
    assert_eq!((failed.state, failed.error), (ToolState::Failed, Some(LongText::new("no"))));
    let pending = tool(json!({ "status": "pending", "input": {}, "raw": "" }));
    assert_eq!((pending.state, pending.output, pending.title), (ToolState::Pending, None, None));
}

#[test]
fn failures_are_sorted_by_name_and_status() {
    let kind = |name: &str, status: Option<u16>| {
        let said = json!({ "name": name, "data": { "message": "m", "statusCode": status } });
        failure(serde_json::from_value(said).unwrap()).kind
    };
    assert_eq!(kind("APIError", Some(429)), FailureKind::RateLimit);
    assert_eq!(kind("APIError", Some(403)), FailureKind::LogIn);
    assert_eq!(kind("APIError", Some(500)), FailureKind::Provider);
    assert_eq!(kind("ProviderAuthError", None), FailureKind::LogIn);
    assert_eq!(kind("MessageAbortedError", None), FailureKind::Aborted);
    assert_eq!(kind("ContextOverflowError", None), FailureKind::ContextFull);
    assert_eq!(kind("SomethingNew", None), FailureKind::Other);
    let bare: wire::Failure = serde_json::from_value(json!({ "name": "Bare" })).unwrap();
    assert_eq!(failure(bare).message, "");
}

#[test]
fn a_status_that_is_not_known_is_not_idle() {
    let status = |kind: &str| status(serde_json::from_value(json!({ "type": kind })).unwrap());
    assert_eq!(status("idle"), SessionStatus::Idle {});
    assert_eq!(status("dreaming"), SessionStatus::Busy {});
}

#[test]
fn a_message_of_nobody_known_is_an_error() {
    let said = json!({ "role": "robot" });
    let error = message_info(said).unwrap_err().to_string();
    assert_eq!(error, "the answer to `a message` is not understood: its role is Some(\"robot\")");
}

#[test]
fn files_that_are_written_whole_or_by_a_patch_are_told_as_what_became_of_them() {
    let diffs = |tool: &str, input: Value, metadata: Value| {
        let state = json!({ "status": "completed", "input": input, "metadata": metadata });
        let said = json!({ "type": "tool", "callID": "c", "tool": tool, "state": state });
        let PartContent::Tool { call } = content(said) else { panic!() };
        let told = |diff: &FileDiff| (diff.path.clone(), diff.change, diff.text.clone());
        call.diffs.iter().map(told).collect::<Vec<_>>()
    };
    let write = |exists: bool| {
        let input = json!({ "filePath": "/w/a.txt", "content": "one\n" });
        diffs("write", input, json!({ "filepath": "/w/a.txt", "exists": exists }))
    };
    let new = DiffText::Texts { before: None, after: LongText::new("one\n") };
    assert_eq!(write(false), [("/w/a.txt".to_owned(), Some(Change::Added), new)]);
    assert_eq!(write(true), [("/w/a.txt".to_owned(), Some(Change::Modified), DiffText::Untold)]);
    let files = json!([
        { "filePath": "/w/a", "type": "update", "patch": "@@", "additions": 1, "deletions": 0 },
        { "filePath": "/w/b", "type": "delete", "patch": "@@", "additions": 0, "deletions": 1 },
        { "filePath": "/w/c", "movePath": "/w/d", "type": "move", "patch": "@@" },
    ]);
    let patch = || DiffText::Patch { patch: LongText::new("@@") };
    assert_eq!(
        diffs("apply_patch", json!({ "patchText": "" }), json!({ "diff": "@@", "files": files })),
        [
            ("/w/a".to_owned(), Some(Change::Modified), patch()),
            ("/w/b".to_owned(), Some(Change::Deleted), patch()),
            ("/w/c".to_owned(), Some(Change::Deleted), DiffText::Untold),
            ("/w/d".to_owned(), Some(Change::Added), patch()),
        ]
    );
}
