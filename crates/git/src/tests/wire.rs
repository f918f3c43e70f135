//! Requests, replies and errors as they travel.

use serde_json::json;

use super::*;

fn read(value: serde_json::Value) -> Result<GitRequest, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

#[test]
fn requests_are_read_with_their_defaults() {
    let cases = [
        (json!({"action": "status"}), GitRequest::Status(StatusRequest::default())),
        (json!({"action": "diff"}), GitRequest::Diff(DiffRequest::default())),
        (json!({"action": "branch"}), GitRequest::Branch(BranchRequest::default())),
        (json!({"action": "push"}), GitRequest::Push(PushRequest::default())),
        (
            json!({"action": "checkout", "branch": "feature/new-thing"}),
            GitRequest::Checkout(branch("feature/new-thing")),
        ),
        (
            json!({"action": "commit", "message": "fix: update port", "files": ["src/server.ts"]}),
            GitRequest::Commit(commit("fix: update port", &["src/server.ts"])),
        ),
    ];
    for (value, request) in cases {
        assert_eq!(value["action"], request.action());
        let written = serde_json::to_value(&request).unwrap();
        assert_eq!(read(written), Ok(request.clone()));
        assert_eq!(read(value), Ok(request));
    }
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    for (value, reason) in [
        (json!({"action": "status", "path": "x"}), "unknown field `path`"),
        (json!({"action": "frobnicate"}), "unknown variant `frobnicate`"),
        (json!({"action": "add", "files": ["../x"]}), "the path contains `..`"),
        (json!({"action": "blame"}), "missing field `path`"),
    ] {
        let error = read(value).unwrap_err();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn the_schema_says_what_a_request_may_hold() {
    let schema = serde_json::to_value(schemars::schema_for!(GitRequest)).unwrap();
    let commit = schema["oneOf"]
        .as_array()
        .unwrap()
        .iter()
        .find(|variant| variant["properties"]["action"]["const"] == "commit")
        .unwrap();
    assert_eq!(commit["required"], json!(["action"]));
    assert_eq!(commit["additionalProperties"], json!(false));
    let undocumented: Vec<&String> = commit["properties"]
        .as_object()
        .unwrap()
        .iter()
        .filter(|(name, property)| *name != "action" && property["description"].is_null())
        .map(|(name, _)| name)
        .collect();
    assert_eq!(undocumented, Vec::<&String>::new());
}

#[test]
fn replies_and_errors_come_back_as_they_were() {
    let reply = GitReply::Status(StatusReply {
        staged: all(vec![change("a", ChangeKind::Added)]),
        untracked: all(vec![Name { path: "b\u{fffd}".to_owned(), lossy: true }]),
        ..StatusReply::default()
    });
    let value = serde_json::to_value(&reply).unwrap();
    assert_eq!(value["staged"], json!({"entries": [{"path": "a", "change": "added"}], "total": 1}));
    assert_eq!(serde_json::from_value::<GitReply>(value).unwrap(), reply);

    let error = GitError::Locked { file: ".git/index.lock".to_owned() };
    let value = serde_json::to_value(&error).unwrap();
    assert_eq!(value, json!({"kind": "locked", "file": ".git/index.lock"}));
    assert_eq!(serde_json::from_value::<GitError>(value).unwrap(), error);
}
