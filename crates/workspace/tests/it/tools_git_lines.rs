//! `workspace.git` where lines of files matter: parts, conflicts, blame; and tags.

use pretty_assertions::assert_eq;
use serde_json::json;

use crate::{
    buffers::Page,
    support::on_disk,
    tools_git::{git, list, parted, repository, start, unnamed},
};

#[tokio::test]
async fn a_part_of_unsaved_text_is_staged_and_unstaged() {
    let bench = repository().await;
    let mut page = Page::join(&bench);
    page.open("a.txt", "one\n", "zero\none\ntwo\n").await;
    let staged = json!({
        "action": "add", "staged": list(json!([{"path": "a.txt", "change": "modified"}])),
    });
    let args = json!({"action": "add", "files": ["a.txt"], "lines": "3"});
    assert_eq!(git(&bench, args.clone()).await, staged);
    let hunks = |staged: &serde_json::Value| staged["staged"]["files"][0]["hunks"].clone();
    let diff = git(&bench, json!({"action": "diff", "staged": true})).await;
    assert_eq!(hunks(&diff), "@@ -1 +1,2 @@\n one\n+two\n");
    assert_eq!(on_disk(&bench.place("a.txt")), "one\n");
    let nothing = json!({
        "success": false, "kind": "not_found",
        "error": "nothing on these lines of `a.txt` differs",
        "hint": "see `diff` for where the changes are",
    });
    assert_eq!(bench.failure("workspace.git", args).await, nothing);
    let args = json!({"action": "restore", "files": ["a.txt"], "staged": true, "lines": "2"});
    let restored = json!({"action": "restore", "restored": list(json!([{"path": "a.txt"}]))});
    assert_eq!(git(&bench, args).await, restored);
    let diff = git(&bench, json!({"action": "diff", "staged": true})).await;
    assert_eq!(diff["staged"]["files"], json!([]));
    let args = json!({"action": "add", "files": ["a.txt"], "lines": "x"});
    let message = "`lines` is `x`: give numbers from 1 such as `12`, `3-7` or `1,5-9`";
    bench.fails("workspace.git", args, "invalid_args", message).await;
}

#[tokio::test]
async fn a_conflict_with_markers_is_staged_only_with_force() {
    let bench = parted().await;
    start(&bench, "merge other").await;
    let mut args = json!({"action": "add", "files": ["a.txt"]});
    let refused = json!({
        "success": false, "kind": "conflict", "error": "conflict markers are left in: a.txt",
        "hint": "edit each file until no conflict marker is left, or set `force` if they belong \
                 there",
    });
    assert_eq!(bench.failure("workspace.git", args.clone()).await, refused);
    args["force"] = json!(true);
    assert_eq!(git(&bench, args).await["staged"]["total"], 1);
}

#[tokio::test]
async fn lines_are_told_with_the_commits_that_they_come_from() {
    let bench = repository().await;
    let mut page = Page::join(&bench);
    page.open("a.txt", "one\n", "one\ntwo\n").await;
    let blame = json!({"action": "blame", "path": "a.txt"});
    let author = "OpenSpace Agent <agent@openspace.invalid>";
    let expected = json!({
        "action": "blame", "path": "a.txt",
        "lines": [
            {"first": 1, "last": 1, "oid": "OID"},
            {"first": 2, "last": 2, "oid": null},
        ],
        "commits": [{
            "oid": "OID", "short_oid": "OID", "author": author, "authored": "TIME",
            "summary": "first",
        }],
    });
    let told = git(&bench, blame.clone()).await;
    let commit = told["commits"][0].clone();
    assert_eq!(unnamed(told), expected);
    let word = |key: &str| commit[key].as_str().unwrap().to_owned();
    let (short, time) = (word("short_oid"), word("authored"));
    let text = format!("a.txt\n1: {short} {time} {author} first\n2: in no commit yet");
    assert_eq!(bench.text("workspace.git", blame).await, text);
    let args = json!({"action": "blame", "path": "b.txt"});
    let message = "there is no file `b.txt` in `HEAD`";
    bench.fails("workspace.git", args, "not_found", message).await;
}

#[tokio::test]
async fn tags_are_made_listed_and_deleted() {
    let bench = repository().await;
    let args = json!({"action": "tag", "operation": "create", "name": "v1", "message": "The one"});
    let tag = json!({
        "name": "v1", "oid": "OID", "annotated": true, "created": "TIME", "summary": "The one",
    });
    let tags = json!({"action": "tag", "tags": list(json!([tag]))});
    let made = git(&bench, args.clone()).await;
    assert_eq!(unnamed(made.clone()), tags);
    assert_eq!(unnamed(git(&bench, json!({"action": "tag"})).await), tags);
    let oid = made["tags"]["entries"][0]["oid"].as_str().unwrap();
    let text = bench.text("workspace.git", json!({"action": "tag"})).await;
    assert_eq!(text, format!("Tags:\n  v1 {oid} The one"));
    let exists = "the tag `v1` exists already";
    bench.fails("workspace.git", args, "conflict", exists).await;
    let log = git(&bench, json!({"action": "log", "all": true})).await;
    assert_eq!(log["commits"][0]["refs"], json!(["HEAD -> main", "tag: v1"]));
    let log = git(&bench, json!({"action": "log", "revisions": ["v1", "main"]})).await;
    assert_eq!(log["commits"].as_array().unwrap().len(), 1);
    let delete = json!({"action": "tag", "operation": "delete", "name": "v1"});
    let text = bench.text("workspace.git", delete.clone()).await;
    assert_eq!(text, format!("Deleted v1, which was at {oid}"));
    bench.fails("workspace.git", delete, "not_found", "there is no tag `v1`").await;
}

#[tokio::test]
async fn a_commit_is_amended_with_its_own_message_and_shown_without_its_lines() {
    let bench = repository().await;
    bench.put("a.txt", "two\n");
    let args = json!({"action": "commit", "amend": true, "all": true});
    assert_eq!(git(&bench, args).await["summary"], "first");
    let shown = git(&bench, json!({"action": "show", "stat_only": true})).await;
    assert_eq!(shown["commit"]["body"], "why");
    let file = json!({"path": "a.txt", "change": "added", "insertions": 1, "deletions": 0});
    assert_eq!(shown["changes"]["files"], json!([file]));
}
