//! Every state that a work tree can be in.

use super::ChangeKind::{Added, Deleted, Modified, TypeChanged};
use super::*;

#[tokio::test]
async fn a_repository_without_commits_has_a_branch_and_no_head() {
    let stage = Stage::empty();
    stage.sh("git init -q -b trunk && touch new staged && git add staged");
    let expected = StatusReply {
        branch: Some("trunk".to_owned()),
        staged: all(vec![change("staged", Added)]),
        untracked: all(vec![named("new")]),
        ..StatusReply::default()
    };
    assert_eq!(stage.status().await, expected);
}

#[tokio::test]
async fn each_way_to_differ_is_told_apart() {
    let prepare = "printf '1\\n2\\n3\\n4\\n5\\n' > b && touch c d && ln -s a.txt e && git add . && git commit -qm two";
    let renamed = Change {
        name: named("moved"),
        change: ChangeKind::Renamed,
        old_path: Some("b".to_owned()),
    };
    let cases = [
        ("true", vec![], vec![], vec![]),
        ("echo x >> a.txt", vec![], vec![change("a.txt", Modified)], vec![]),
        ("echo x >> a.txt; git add .", vec![change("a.txt", Modified)], vec![], vec![]),
        (
            "echo x >> a.txt; git add .; echo y >> a.txt",
            vec![change("a.txt", Modified)],
            vec![change("a.txt", Modified)],
            vec![],
        ),
        ("rm c", vec![], vec![change("c", Deleted)], vec![]),
        ("git rm -q c", vec![change("c", Deleted)], vec![], vec![]),
        ("git rm -q --cached c", vec![change("c", Deleted)], vec![], vec![named("c")]),
        ("git mv b moved", vec![renamed], vec![], vec![]),
        ("rm e; echo x > e", vec![], vec![change("e", TypeChanged)], vec![]),
        ("echo x > f; git add -N f", vec![], vec![change("f", Added)], vec![]),
        ("mkdir -p x/y; touch x/y/z", vec![], vec![], vec![named("x/y/z")]),
        ("touch 'a\nb' ' c'", vec![], vec![], vec![named(" c"), named("a\nb")]),
    ];
    for (script, staged, unstaged, untracked) in cases {
        let stage = Stage::with_commit();
        stage.sh(&format!("{prepare}; {script}"));
        let expected = StatusReply {
            branch: Some("main".to_owned()),
            head: Some(stage.sh("git rev-parse HEAD")),
            clean: staged.is_empty() && unstaged.is_empty() && untracked.is_empty(),
            staged: all(staged),
            unstaged: all(unstaged),
            untracked: all(untracked),
            ..StatusReply::default()
        };
        assert_eq!(stage.status().await, expected, "{script}");
    }
}

#[tokio::test]
async fn names_that_are_not_utf8_are_shown_and_flagged() {
    let stage = Stage::with_commit();
    stage.sh("touch \"$(printf 'b\\377d')\"");
    let expected = all(vec![Name { path: "b\u{fffd}d".to_owned(), lossy: true }]);
    assert_eq!(stage.status().await.untracked, expected);
}

#[tokio::test]
async fn a_detached_head_has_no_branch() {
    let stage = Stage::with_commit();
    stage.sh("git checkout -q --detach");
    let status = stage.status().await;
    assert_eq!((status.branch, status.detached, status.clean), (None, true, true));
}

#[tokio::test]
async fn operations_in_the_middle_and_their_conflicts_are_told() {
    let both = "git checkout -qb other && echo theirs > a.txt && git commit -qam theirs && \
                git checkout -q main && echo ours > a.txt && git commit -qam ours; ";
    let conflict = Conflict { name: named("a.txt"), conflict: ConflictKind::BothModified };
    let cases = [
        ("git merge -q other", Operation::Merge),
        ("git rebase -q other", Operation::Rebase),
        ("git cherry-pick other", Operation::CherryPick),
        ("echo more > a.txt; git commit -qam more; git revert --no-edit HEAD~1", Operation::Revert),
    ];
    for (script, operation) in cases {
        let stage = Stage::with_commit();
        stage.sh(both);
        stage.try_sh(script);
        let status = stage.status().await;
        let expected = (Some(operation), all(vec![conflict.clone()]), false);
        assert_eq!((status.operation, status.conflicts, status.clean), expected, "{script}");
    }
    let stage = Stage::with_commit();
    stage.sh("git bisect start -q");
    assert_eq!(stage.status().await.operation, Some(Operation::Bisect));
}

#[tokio::test]
async fn sides_that_deleted_a_file_are_told_apart() {
    let stage = Stage::with_commit();
    stage.sh("git checkout -qb other && git rm -q a.txt && git commit -qm gone && \
              git checkout -q main && echo ours > a.txt && git commit -qam ours");
    stage.try_sh("git merge -q other");
    let conflict = Conflict { name: named("a.txt"), conflict: ConflictKind::DeletedByThem };
    assert_eq!(stage.status().await.conflicts, all(vec![conflict]));
}

#[tokio::test]
async fn the_upstream_is_compared() {
    let stage = Stage::with_commit();
    stage.sh("git clone -q --bare . ../remote && git remote add origin ../remote && \
              git fetch -q && git branch -qu origin/main && \
              git commit -q --allow-empty -m one && git commit -q --allow-empty -m two");
    let status = stage.status().await;
    let upstream = (status.upstream.as_deref(), status.ahead, status.behind);
    assert_eq!(upstream, (Some("origin/main"), Some(2), Some(0)));
    stage.sh("git update-ref -d refs/remotes/origin/main");
    let status = stage.status().await;
    let upstream = (status.upstream.as_deref(), status.ahead, status.behind);
    assert_eq!(upstream, (Some("origin/main"), None, None));
}

#[tokio::test]
async fn a_workspace_inside_a_repository_sees_its_own_part() {
    let stage = Stage::at("repository/root");
    stage.sh("cd .. && git init -q -b main && touch outer root/inner && git add . && \
              git commit -qm first && echo x > outer && echo x > root/inner && touch new root/new && \
              echo y > staged && git add staged");
    let expected = StatusReply {
        branch: Some("main".to_owned()),
        head: Some(stage.sh("git rev-parse HEAD")),
        unstaged: all(vec![change("inner", Modified)]),
        untracked: all(vec![named("new")]),
        outside: Some(Outside { staged: 1, unstaged: 1, untracked: 1, conflicts: 0 }),
        ..StatusReply::default()
    };
    assert_eq!(stage.status().await, expected);
    let diff = stage.diff(DiffRequest::default()).await;
    assert_eq!(diff.staged.unwrap(), Changes::default());
    let files = diff.unstaged.unwrap().files;
    assert_eq!(files.iter().map(|file| file.name.path.as_str()).collect::<Vec<_>>(), ["inner"]);
}

#[tokio::test]
async fn long_lists_are_cut_and_counted() {
    let stage = Stage::with_commit();
    stage.sh("mkdir many && cd many && seq 1 1005 | xargs touch");
    let untracked = stage.status().await.untracked;
    assert_eq!((untracked.entries.len(), untracked.total), (1000, 1005));
}

#[tokio::test]
async fn a_submodule_is_changed_by_another_commit_and_git_never_runs_inside_it() {
    let stage = Stage::with_commit();
    stage.sh("git clone -q . ../other && \
              git -c protocol.file.allow=always submodule --quiet add ../other sub 2>/dev/null && \
              git commit -qm sub && touch sub/new && echo x >> sub/a.txt && \
              printf '#!/bin/sh\\ntouch ran\\n' > hook && chmod +x hook && echo hook >> .git/info/exclude && \
              echo ran >> .git/info/exclude && git -C sub config core.fsmonitor \"$PWD/hook\"");
    assert_eq!(stage.status().await.unstaged, all(vec![]));
    stage.sh("git -C sub -c core.fsmonitor= commit -qam inside");
    assert_eq!(stage.status().await.unstaged, all(vec![change("sub", Modified)]));
    stage.sh("test ! -e ran && test ! -e sub/ran");
}
