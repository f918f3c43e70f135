//! `workspace.git`: commits of elsewhere on the current branch, the newest one taken back, remotes.

use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::on_disk;
use crate::tools_git::{git, list, parted, repository, unnamed};

#[tokio::test]
async fn a_merge_that_stops_can_be_started_over_in_a_file_and_is_committed_with_its_message() {
    let bench = parted().await;
    let merge = json!({"action": "merge", "revision": "other"});
    let failure = bench.failure("workspace.git", merge.clone()).await;
    assert_eq!(
        (&failure["kind"], &failure["error"]),
        (&json!("conflict"), &json!("in conflict: a.txt"))
    );
    bench.put("a.txt", "half\n");
    git(&bench, json!({"action": "restore", "files": ["a.txt"]})).await;
    let markers = "<<<<<<< ours\nours\n=======\ntheirs\n>>>>>>> theirs\n";
    assert_eq!(on_disk(&bench.place("a.txt")), markers);
    let status = git(&bench, json!({"action": "status"})).await;
    assert_eq!(status["message"], "Merge branch 'other'");
    bench.put("a.txt", "both\n");
    git(&bench, json!({"action": "add", "files": ["a.txt"]})).await;
    git(&bench, json!({"action": "continue"})).await;
    let again = git(&bench, merge).await;
    let none = json!({"files": 0, "insertions": 0, "deletions": 0});
    let expected =
        json!({"action": "merge", "branch": "main", "old": "OID", "new": "OID", "totals": none});
    assert_eq!(unnamed(again), expected);
}

#[tokio::test]
async fn commits_are_put_elsewhere_reverted_and_taken_back() {
    let bench = repository().await;
    let first = git(&bench, json!({"action": "status"})).await["head"].clone();
    git(&bench, json!({"action": "checkout", "branch": "other"})).await;
    bench.put("b.txt", "b\n");
    let picked = json!({"action": "commit", "message": "b", "files": ["b.txt"]});
    git(&bench, picked).await;
    git(&bench, json!({"action": "checkout", "branch": "main"})).await;
    for action in ["cherry_pick", "revert"] {
        let revision = if action == "revert" { "HEAD" } else { "other" };
        let done = git(&bench, json!({"action": action, "revision": revision})).await;
        assert_eq!((&done["branch"], &done["totals"]["files"]), (&json!("main"), &json!(1)));
        assert_eq!(bench.place("b.txt").exists(), action == "cherry_pick");
        let undone = git(&bench, json!({"action": "undo"})).await;
        assert_eq!(undone["undone"], done["new"]);
        let again = json!({"action": "commit", "message": "again"});
        git(&bench, again).await;
    }
    let rebased = git(&bench, json!({"action": "rebase", "revision": "other"})).await;
    assert_eq!(rebased["branch"], "main");
    let log = git(&bench, json!({"action": "log", "revision": "main...other"})).await;
    let other =
        git(&bench, json!({"action": "show", "revision": "other", "stat_only": true})).await;
    assert_eq!(log["base"], other["commit"]["oid"]);
    assert_eq!(other["commit"]["parents"], json!([first]));
}

#[tokio::test]
async fn remotes_are_added_and_forgotten() {
    let bench = repository().await;
    let url = "https://git.example/a.git";
    let add = json!({"action": "remote", "operation": "add", "name": "origin", "url": url});
    let expected =
        json!({"action": "remote", "remotes": list(json!([{"name": "origin", "url": url}]))});
    assert_eq!(git(&bench, add).await, expected);
    assert_eq!(git(&bench, json!({"action": "remote"})).await, expected);
    let secret = json!({
        "action": "remote", "operation": "add", "name": "b", "url": "https://a:b@git.example/",
    });
    let failure = bench.failure("workspace.git", secret).await;
    assert_eq!(failure["kind"], "invalid_args");
    let remove = json!({"action": "remote", "operation": "remove", "name": "origin"});
    assert_eq!(git(&bench, remove).await, json!({"action": "remote", "remotes": list(json!([]))}));
}
