//! `workspace.git`, with real repositories.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Bench, on_disk, with};

pub(crate) async fn git(bench: &Bench, args: Value) -> Value {
    bench.ok("workspace.git", args).await
}

/// An answer with the ids and times of commits replaced by marks.
pub(crate) fn unnamed(mut value: Value) -> Value {
    match &mut value {
        Value::Object(map) => {
            for (key, value) in map.iter_mut() {
                let name = matches!(
                    key.as_str(),
                    "oid" | "short_oid" | "deleted_oid" | "head" | "old" | "new"
                );
                let time = matches!(key.as_str(), "authored" | "committed" | "created");
                *value = match value.take() {
                    Value::String(_) if name => json!("OID"),
                    Value::String(_) if time => json!("TIME"),
                    Value::Array(parents) if key == "parents" => {
                        json!(vec!["OID"; parents.len()])
                    }
                    other => unnamed(other),
                };
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = unnamed(item.take())),
        _ => {}
    }
    value
}

pub(crate) fn list(entries: Value) -> Value {
    let mut list = json!({"total": entries.as_array().unwrap().len(), "entries": null});
    list["entries"] = entries;
    list
}

fn status(differs: Value) -> Value {
    let none = list(json!([]));
    let status = json!({
        "action": "status", "branch": "main", "head": "OID", "detached": false, "upstream": null,
        "ahead": null, "behind": null, "operation": null, "message": null, "stashes": 0, "clean": false,
        "staged": none, "unstaged": none, "untracked": none, "conflicts": none, "outside": null,
    });
    with(status, differs)
}

/// A repository with one commit of `a.txt`.
pub(crate) async fn repository() -> Bench {
    let bench = Bench::open(&[("a.txt", "one\n")]).await;
    git(&bench, json!({"action": "init", "branch": "main"})).await;
    let args = json!({"action": "commit", "message": "first\n\nwhy\n", "files": ["a.txt"]});
    git(&bench, args).await;
    bench
}

/// A bare repository beside nothing else, and its address.
async fn remote(bench: &Bench) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display().to_string();
    let command = format!("git init -q --bare -b main {path}");
    assert_eq!(bench.ok("workspace.bash", json!({"command": command})).await["exit_code"], 0);
    (folder, format!("file://{path}"))
}

#[tokio::test]
async fn a_repository_is_made_and_filled() {
    let bench = Bench::open(&[("a.txt", "one\n"), ("b.txt", "one\n")]).await;
    let made = git(&bench, json!({"action": "init", "branch": "main"})).await;
    assert_eq!(made, json!({"action": "init", "branch": "main"}));
    let untracked = list(json!([{"path": "a.txt"}, {"path": "b.txt"}]));
    let fresh = git(&bench, json!({"action": "status"})).await;
    assert_eq!(fresh, status(json!({"head": null, "untracked": untracked})));
    let whole = bench.place("a.txt").display().to_string();
    let added = git(&bench, json!({"action": "add", "files": [whole]})).await;
    let staged = list(json!([{"path": "a.txt", "change": "added"}]));
    assert_eq!(added, json!({"action": "add", "staged": staged}));
    let text = "On branch main, no commit yet\nStaged:\n  added: a.txt\nUntracked:\n  b.txt";
    assert_eq!(bench.text("workspace.git", json!({"action": "status"})).await, text);
    let args = json!({"action": "commit", "message": "first", "workspace_id": "main"});
    let committed = git(&bench, args).await;
    let expected = json!({
        "action": "commit", "oid": "OID", "short_oid": "OID", "summary": "first", "branch": "main",
        "files": list(json!([{"path": "a.txt"}])),
        "totals": {"files": 1, "insertions": 1, "deletions": 0},
    });
    assert_eq!(unnamed(committed.clone()), expected);
    let args = json!({"action": "commit", "message": "second", "files": ["b.txt"]});
    let text = bench.text("workspace.git", args).await;
    let oid = git(&bench, json!({"action": "log", "max_count": 1})).await["commits"][0].take();
    let oid = oid["oid"].as_str().unwrap();
    let expected = format!("Committed {oid} on main: second\n1 file, +1 -0\nFiles:\n  b.txt");
    assert_eq!(text, expected);
    let text = format!("On branch main at {oid}\nNothing to commit: everything is clean.");
    assert_eq!(bench.text("workspace.git", json!({"action": "status"})).await, text);
}

#[tokio::test]
async fn changes_are_shown_staged_and_not() {
    let bench = repository().await;
    bench.put("a.txt", "one\ntwo\n");
    git(&bench, json!({"action": "add", "files": ["a.txt"]})).await;
    bench.put("a.txt", "one\ntwo\nthree\n");
    let file = |hunks: &str| {
        json!({
            "files": [{"path": "a.txt", "change": "modified", "insertions": 1, "deletions": 0,
                "hunks": hunks}],
            "totals": {"files": 1, "insertions": 1, "deletions": 0}, "truncated": false,
        })
    };
    let (one, two) = ("@@ -1 +1,2 @@\n one\n+two\n", "@@ -1,2 +1,3 @@\n one\n two\n+three\n");
    let diff = git(&bench, json!({"action": "diff"})).await;
    assert_eq!(diff, json!({"action": "diff", "staged": file(one), "unstaged": file(two)}));
    let head = "1 file, +1 -0\n--- a.txt: modified, +1 -0\n";
    let text = format!("Staged: {head}{one}\nNot staged: {head}{two}");
    assert_eq!(bench.text("workspace.git", json!({"action": "diff"})).await, text.trim_end());
    for args in [json!({"staged": true}), json!({"cached": true})] {
        let mut args = args;
        args["action"] = json!("diff");
        args["paths"] = json!(["a.txt"]);
        assert_eq!(git(&bench, args).await, json!({"action": "diff", "staged": file(one)}));
    }
    let args = json!({"action": "diff", "rev": "HEAD", "stat_only": true, "context": 0});
    let text = "Changes: 1 file, +2 -0\n--- a.txt: modified, +2 -0";
    assert_eq!(bench.text("workspace.git", args).await, text);
    let nothing = json!({"action": "diff", "staged": true, "paths": ["b.txt"]});
    assert_eq!(bench.text("workspace.git", nothing).await, "Staged: nothing");
    let args = json!({"action": "restore", "files": ["a.txt"], "staged": true});
    let restored = json!({"action": "restore", "restored": list(json!([{"path": "a.txt"}]))});
    assert_eq!(git(&bench, args).await, restored);
    assert_eq!(git(&bench, json!({"action": "restore", "files": ["a.txt"]})).await, restored);
    assert_eq!(on_disk(&bench.place("a.txt")), "one\n");
}

#[tokio::test]
async fn commits_are_listed_and_shown() {
    let bench = repository().await;
    bench.put("a.txt", "two\n");
    git(&bench, json!({"action": "commit", "message": "second", "all": true})).await;
    let log = git(&bench, json!({"action": "log", "limit": 1, "skip": 1})).await;
    let first = json!({
        "oid": "OID", "short_oid": "OID", "parents": [],
        "author": "OpenSpace Agent <agent@openspace.invalid>", "authored": "TIME",
        "committed": "TIME", "refs": [], "summary": "first", "body": "why",
    });
    assert_eq!(unnamed(log.clone()), json!({"action": "log", "commits": [first], "more": false}));
    let (oid, time) = (&log["commits"][0]["oid"], &log["commits"][0]["authored"]);
    let (oid, time) = (oid.as_str().unwrap(), time.as_str().unwrap());
    let author = "Author: OpenSpace Agent <agent@openspace.invalid>";
    let commit = format!("commit {oid}\n{author}\nDate: {time}\n\n    first\n\n    why");
    let text = bench.text("workspace.git", json!({"action": "log", "limit": 1, "skip": 1})).await;
    assert_eq!(text, commit);
    let text = bench.text("workspace.git", json!({"action": "log", "limit": 1})).await;
    assert!(text.starts_with("commit ") && text.contains(" (HEAD -> main)\n"), "{text}");
    assert!(text.ends_with("\n(there are more: ask again with a larger `skip`)"), "{text}");
    for name in ["revision", "rev", "commit", "ref"] {
        let text = bench.text("workspace.git", json!({"action": "show", name: "HEAD~1"})).await;
        let changes = "1 file, +1 -0\n--- a.txt: added, +1 -0\n@@ -0,0 +1 @@\n+one";
        assert_eq!(text, format!("{commit}\n\n{changes}"));
    }
    for name in ["path", "file_path", "filePath"] {
        let args = json!({"action": "show", name: "a.txt", "revision": "HEAD~1"});
        let file = json!({
            "action": "file", "path": "a.txt", "oid": oid, "size": 4, "binary": false,
            "content": "one\n", "truncated": false,
        });
        assert_eq!(git(&bench, args.clone()).await, file);
        let text = format!("a.txt at {oid}, 4 bytes\none");
        assert_eq!(bench.text("workspace.git", args).await, text);
    }
}

#[tokio::test]
async fn branches_come_and_go() {
    let bench = repository().await;
    let branch = |name: &str, current: bool| {
        json!({
            "name": name, "remote": false, "current": current, "oid": "OID", "upstream": null,
            "ahead": null, "behind": null, "committed": "TIME", "summary": "first",
        })
    };
    let args = json!({"action": "branch", "operation": "create", "name": "x"});
    let created = unnamed(git(&bench, args).await);
    let of = |branches: Value| json!({"action": "branch", "branches": list(branches)});
    assert_eq!(created, of(json!([branch("x", false)])));
    let args = json!({"action": "branch", "operation": "rename", "name": "x", "new_name": "y"});
    assert_eq!(unnamed(git(&bench, args).await), of(json!([branch("y", false)])));
    let all = git(&bench, json!({"action": "branch"})).await;
    assert_eq!(unnamed(all.clone()), of(json!([branch("main", true), branch("y", false)])));
    let oid = all["branches"]["entries"][0]["oid"].as_str().unwrap();
    let text = bench.text("workspace.git", json!({"action": "branch"})).await;
    assert_eq!(text, format!("Branches:\n  * main {oid} first\n  - y {oid} first"));
    let checkout = |branch: Value, created: bool, previous: Value| {
        json!({
            "action": "checkout", "branch": branch, "head": "OID", "created": created,
            "previous": previous, "upstream": null,
        })
    };
    let args = json!({"action": "checkout", "branch": "z"});
    assert_eq!(unnamed(git(&bench, args).await), checkout(json!("z"), true, json!("main")));
    let args = json!({"action": "checkout", "branch": "main", "create": false});
    assert_eq!(unnamed(git(&bench, args).await), checkout(json!("main"), false, json!("z")));
    let args = json!({"action": "checkout", "ref": "HEAD"});
    assert_eq!(unnamed(git(&bench, args).await), checkout(json!(null), false, json!("main")));
    let text = bench.text("workspace.git", json!({"action": "status"})).await;
    assert!(text.starts_with(&format!("On no branch, at {oid}\n")), "{text}");
    let args = json!({"action": "branch", "operation": "delete", "name": "y", "force": true});
    assert_eq!(bench.text("workspace.git", args).await, format!("Deleted y, which was at {oid}"));
}

#[tokio::test]
async fn changes_are_put_aside_and_taken_back() {
    let bench = repository().await;
    bench.put("a.txt", "two\n");
    bench.put("new.txt", "");
    let entry = json!({"index": 0, "oid": "OID", "created": "TIME", "message": "On main: later"});
    let push = json!({
        "action": "stash", "operation": "push", "message": "later", "include_untracked": true,
    });
    let pushed = unnamed(git(&bench, push).await);
    let entries = list(json!([entry]));
    assert_eq!(pushed, json!({"action": "stash", "entry": entry, "entries": entries}));
    assert_eq!(on_disk(&bench.place("a.txt")), "one\n");
    let listed = unnamed(git(&bench, json!({"action": "stash", "operation": "list"})).await);
    assert_eq!(listed, json!({"action": "stash", "entries": entries}));
    let status = bench.text("workspace.git", json!({"action": "status"})).await;
    assert!(status.contains("\nStash entries: 1\n"), "{status}");
    git(&bench, json!({"action": "stash", "operation": "apply", "index": 0})).await;
    assert_eq!(on_disk(&bench.place("a.txt")), "two\n");
    let dropped = unnamed(git(&bench, json!({"action": "stash", "operation": "drop"})).await);
    let none = list(json!([]));
    assert_eq!(dropped, json!({"action": "stash", "entry": entry, "entries": none}));
}

#[tokio::test]
async fn commits_travel_to_and_from_a_remote() {
    let bench = repository().await;
    let (_folder, url) = remote(&bench).await;
    let add = format!("git remote add origin {url}");
    bench.ok("workspace.bash", json!({"command": add})).await;
    let push = json!({"action": "push", "set_upstream": true});
    let pushed = unnamed(git(&bench, push).await);
    let update = |name: &str, change: &str, old: Value| json!({"name": name, "change": change, "old": old, "new": "OID"});
    let expected = json!({
        "action": "push", "remote": "origin", "url": url, "upstream": "origin/main",
        "refs": [update("refs/heads/main", "created", json!(null))], "messages": [],
    });
    assert_eq!(pushed, expected);
    let text = bench.text("workspace.git", json!({"action": "status"})).await;
    assert!(text.contains("\nFollows origin/main: 0 ahead, 0 behind\n"), "{text}");

    bench.ok("workspace.create", json!({"git_url": url})).await;
    let there = |mut args: Value| {
        args["workspaceId"] = json!("w1");
        args
    };
    bench.ok("workspace.write", there(json!({"path": "b.txt", "content": "1\n"}))).await;
    let commit = json!({"action": "commit", "message": "from w1", "files": ["b.txt"]});
    git(&bench, there(commit)).await;
    git(&bench, there(json!({"action": "push", "timeout": 60_000}))).await;

    let fetched = unnamed(git(&bench, json!({"action": "fetch", "prune": true})).await);
    let refs = list(json!([update("refs/remotes/origin/main", "updated", json!("OID"))]));
    let expected = json!({"action": "fetch", "remote": "origin", "url": url, "refs": refs});
    assert_eq!(fetched, expected);
    let pull = json!({"action": "pull", "strategy": "fast_forward", "timeoutMs": 60_000});
    let pulled = unnamed(git(&bench, pull).await);
    let expected = json!({
        "action": "pull",
        "fetched": {"remote": "origin", "url": url, "refs": list(json!([]))},
        "branch": "main", "from": "origin/main", "old": "OID", "new": "OID",
        "totals": {"files": 1, "insertions": 1, "deletions": 0},
    });
    assert_eq!(pulled, expected);
    assert_eq!(on_disk(&bench.place("b.txt")), "1\n");
}

#[tokio::test]
async fn what_git_cannot_do_is_told_with_the_next_step() {
    let bench = Bench::open(&[("a.txt", "one\n"), (".env", "K=1\n")]).await;
    let cases = [
        (
            json!({"action": "status"}),
            "not_found",
            "the workspace is not in a git repository",
            "use the action `init` or `clone` first",
        ),
        (
            json!({"action": "clone", "url": "file:///nowhere"}),
            "conflict",
            "the workspace folder is not empty",
            "clone needs an empty workspace",
        ),
    ];
    let none = "command_help shows which arguments go with which action";
    let later = [
        (json!({"action": "log"}), "conflict", "there is no commit yet", "make a first commit"),
        (
            json!({"action": "commit", "message": "x"}),
            "conflict",
            "there is nothing to commit",
            "see `status`; name new files in `files`, or set `all` for changed ones",
        ),
        (
            json!({"action": "fetch"}),
            "not_found",
            "there is no remote `origin`",
            "list remotes with the action `remote`, or add one with its operation `add`",
        ),
        (
            json!({"action": "show", "path": ".env"}),
            "denied",
            "the content of `.env` is secret by the rule `.env`",
            "secret files are listed, but their content is never shown",
        ),
        (
            json!({"action": "status", "paths": ["/etc"]}),
            "denied",
            "`/etc` is outside the workspace",
            "only paths beneath the workspace root can be used",
        ),
        (
            json!({"action": "push", "force": true}),
            "invalid_args",
            "action `push`: unknown argument `force`, expected one of `remote`, `branch`, `tags`, `force_with_lease`, `set_upstream`",
            none,
        ),
        (
            json!({"action": "commit"}),
            "invalid_args",
            "action `commit`: missing argument `message`",
            none,
        ),
        (
            json!({"action": "stash"}),
            "invalid_args",
            "action `stash`: missing argument `operation`",
            none,
        ),
        (
            json!({"action": "branch", "operation": "burn"}),
            "invalid_args",
            "action `branch`: unknown variant `burn`, expected one of `list`, `create`, `delete`, `rename`",
            none,
        ),
    ];
    for (args, kind, error, hint) in cases {
        let expected = json!({"success": false, "error": error, "kind": kind, "hint": hint});
        assert_eq!(bench.failure("workspace.git", args).await, expected);
    }
    git(&bench, json!({"action": "init"})).await;
    for (args, kind, error, hint) in later {
        let expected = json!({"success": false, "error": error, "kind": kind, "hint": hint});
        assert_eq!(bench.failure("workspace.git", args).await, expected);
    }
    for timeout in [0, 3_600_001] {
        let args = json!({"action": "status", "timeout_ms": timeout});
        let message = "argument `timeout_ms`: must be 1 to 3600000";
        bench.fails("workspace.git", args, "invalid_args", message).await;
    }
    let failure = bench.failure("workspace.git", json!({"action": "fly"})).await;
    assert!(failure["error"].as_str().unwrap().starts_with("argument `action`: unknown variant"));
}

/// A repository whose branch `other` changed `a.txt` too.
pub(crate) async fn parted() -> Bench {
    let bench = repository().await;
    for (branch, text) in [("other", "theirs\n"), ("main", "ours\n")] {
        git(&bench, json!({"action": "checkout", "branch": branch})).await;
        bench.put("a.txt", text);
        git(&bench, json!({"action": "commit", "message": branch, "all": true})).await;
    }
    bench
}

/// What a person starts in a shell and does not finish.
pub(crate) async fn start(bench: &Bench, words: &str) {
    let command = format!("git -c user.name=P -c user.email=p@example.org {words}");
    assert_eq!(bench.ok("workspace.bash", json!({"command": command})).await["exit_code"], 1);
}

#[tokio::test]
async fn a_person_commits_in_their_own_name_and_an_agent_in_its() {
    let bench = repository().await;
    let named = "git config user.name Ada && git config user.email ada@example.org";
    bench.ok("workspace.bash", json!({"command": named})).await;
    let commit =
        |message: &str| json!({"action": "commit", "message": message, "allow_empty": true});
    assert_eq!(bench.as_person("workspace.git", commit("hers")).await["success"], true);
    git(&bench, commit("its")).await;
    let log = git(&bench, json!({"action": "log", "limit": 2})).await;
    let authors: Vec<&Value> =
        log["commits"].as_array().unwrap().iter().map(|commit| &commit["author"]).collect();
    assert_eq!(authors, ["OpenSpace Agent <agent@openspace.invalid>", "Ada <ada@example.org>"]);
}

#[tokio::test]
async fn changes_are_thrown_away_and_new_files_only_when_asked() {
    let bench = repository().await;
    bench.put("a.txt", "two\n");
    bench.put("new.txt", "");
    let mut args = json!({"action": "discard", "files": ["a.txt", "new.txt"]});
    let expected = json!({
        "success": false, "kind": "conflict",
        "error": "git does not know these, so they would be deleted: new.txt",
        "hint": "set `include_untracked` to move them to the trash",
    });
    assert_eq!(bench.failure("workspace.git", args.clone()).await, expected);
    assert_eq!(on_disk(&bench.place("a.txt")), "two\n");
    args["include_untracked"] = json!(true);
    let discarded = git(&bench, args).await;
    let trashed = discarded["deleted"]["entries"][0]["trashed"].clone();
    let expected = json!({
        "action": "discard", "restored": list(json!([{"path": "a.txt"}])),
        "deleted": list(json!([{"path": "new.txt", "trashed": trashed}])),
    });
    assert_eq!(discarded, expected);
    assert_eq!(on_disk(&bench.place("a.txt")), "one\n");
    assert!(!bench.place("new.txt").exists());
    bench.ok("file.restore", json!({"trashed": trashed})).await;
    assert!(bench.place("new.txt").exists());
    bench.put(".env", "K=1\n");
    let args = json!({"action": "discard", "files": [".env"], "include_untracked": true});
    let message = "`.env` may not be deleted, by the rule `.env`";
    bench.fails("workspace.git", args, "denied", message).await;
}

#[tokio::test]
async fn a_merge_is_finished_or_given_up() {
    let bench = parted().await;
    let done = |action: &str, operation: &str| {
        json!({
            "action": action, "operation": operation, "finished": true, "branch": "main",
            "head": "OID",
        })
    };
    start(&bench, "merge other").await;
    let status = git(&bench, json!({"action": "status"})).await;
    let conflicts = list(json!([{"path": "a.txt", "conflict": "both_modified"}]));
    assert_eq!((&status["operation"], &status["conflicts"]), (&json!("merge"), &conflicts));
    let failure = bench.failure("workspace.git", json!({"action": "continue"})).await;
    assert_eq!(failure["error"], "in conflict: a.txt");
    let given_up = git(&bench, json!({"action": "abort"})).await;
    assert_eq!(unnamed(given_up), done("abort", "merge"));
    assert_eq!(on_disk(&bench.place("a.txt")), "ours\n");

    start(&bench, "merge other").await;
    bench.put("a.txt", "both\n");
    git(&bench, json!({"action": "add", "files": ["a.txt"]})).await;
    let merged = git(&bench, json!({"action": "continue"})).await;
    assert_eq!(unnamed(merged), done("continue", "merge"));

    bench.ok("workspace.bash", json!({"command": "git reset -q --hard HEAD~1"})).await;
    start(&bench, "rebase other").await;
    let skipped = git(&bench, json!({"action": "skip"})).await;
    assert_eq!(unnamed(skipped), done("skip", "rebase"));
    assert_eq!(on_disk(&bench.place("a.txt")), "theirs\n");
    let expected = json!({
        "success": false, "kind": "conflict", "error": "git is not in the middle of anything",
        "hint": "`status` tells what git is in the middle of",
    });
    assert_eq!(bench.failure("workspace.git", json!({"action": "abort"})).await, expected);
}
