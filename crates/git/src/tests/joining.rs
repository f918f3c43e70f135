//! Commits of elsewhere on the current branch, and the newest one taken back.

use super::*;

/// `main` and `other` have a commit each on top of the first, which change different files.
fn parted() -> Stage {
    let stage = Stage::with_commit();
    stage.sh("git checkout -qb other && echo b > b.txt && git add . && git commit -qm theirs && \
              git checkout -q main && echo c > c.txt && git add . && git commit -qm ours");
    stage
}

/// The same, but both changed `a.txt`.
fn clashing() -> Stage {
    let stage = Stage::with_commit();
    stage.sh("git checkout -qb other && echo theirs > a.txt && git commit -qam theirs && \
              git checkout -q main && echo ours > a.txt && git commit -qam ours");
    stage
}

fn of(revision: &str) -> JoinRequest {
    JoinRequest { revision: revision.to_owned() }
}

fn one_file(stage: &Stage, old: &str) -> JoinReply {
    JoinReply {
        branch: Some("main".to_owned()),
        old: old.to_owned(),
        new: stage.sh("git rev-parse HEAD"),
        totals: Totals { files: 1, insertions: 1, deletions: 0 },
    }
}

#[tokio::test]
async fn a_branch_is_merged_by_its_name() {
    let stage = parted();
    let old = stage.sh("git rev-parse HEAD");
    let merged = stage.run(GitRequest::Merge(of("other"))).await;
    assert_eq!(merged, Ok(GitReply::Merge(one_file(&stage, &old))));
    assert_eq!(stage.sh("git log -1 --format='%s|%an'"), "Merge branch 'other'|OpenSpace Agent");
    assert_eq!(stage.sh("git rev-parse HEAD^2"), stage.sh("git rev-parse other"));
    let new = stage.sh("git rev-parse HEAD");
    let nothing = JoinReply { totals: Totals::default(), ..one_file(&stage, &new) };
    let again = stage.run(GitRequest::Merge(of("other"))).await;
    assert_eq!(again, Ok(GitReply::Merge(nothing)));
}

#[tokio::test]
async fn own_commits_are_put_on_top_of_a_branch() {
    let stage = parted();
    let old = stage.sh("git rev-parse HEAD");
    let rebased = stage.run(GitRequest::Rebase(of("other"))).await;
    assert_eq!(rebased, Ok(GitReply::Rebase(one_file(&stage, &old))));
    assert_eq!(stage.sh("git log --format=%s"), "ours\ntheirs\nfirst");
}

#[tokio::test]
async fn a_commit_is_picked_and_reverted() {
    let stage = parted();
    let old = stage.sh("git rev-parse HEAD");
    let picked = stage.run(GitRequest::CherryPick(of("other"))).await;
    assert_eq!(picked, Ok(GitReply::CherryPick(one_file(&stage, &old))));
    assert_eq!(stage.sh("git log -1 --format='%s|%an|%cn'"), "theirs|Person|OpenSpace Agent");
    let picked = stage.sh("git rev-parse HEAD");
    let reverted = stage.run(GitRequest::Revert(of("HEAD"))).await;
    let totals = Totals { files: 1, insertions: 0, deletions: 1 };
    let expected = JoinReply { totals, ..one_file(&stage, &picked) };
    assert_eq!(reverted, Ok(GitReply::Revert(expected)));
    assert_eq!(stage.sh("git log -1 --format=%s; ls"), "Revert \"theirs\"\na.txt\nc.txt");
}

#[tokio::test]
async fn a_conflict_leaves_the_operation_to_be_gone_on_with() {
    let ways = [
        (GitRequest::Merge(of("other")), Operation::Merge, Some("Merge branch 'other'")),
        (GitRequest::Rebase(of("other")), Operation::Rebase, Some("ours")),
        (GitRequest::CherryPick(of("other")), Operation::CherryPick, Some("theirs")),
    ];
    for (request, operation, message) in ways {
        let stage = clashing();
        let conflict = GitError::Conflicts { files: vec!["a.txt".to_owned()] };
        assert_eq!(stage.run(request.clone()).await, Err(conflict));
        let status = stage.status().await;
        let told = (status.operation, status.message.as_deref());
        assert_eq!(told, (Some(operation), message), "{request:?}");
        let again = stage.run(request.clone()).await;
        let middle = GitError::InTheMiddle { message: format!("{operation:?}") };
        assert_eq!(again, Err(middle), "{request:?}");
        let undone = stage.run(GitRequest::Undo(StepRequest {})).await;
        assert!(matches!(undone, Err(GitError::InTheMiddle { .. })), "{undone:?}");
    }
}

#[tokio::test]
async fn what_would_be_overwritten_stops_a_merge_and_stays() {
    let stage = parted();
    stage.put("b.txt", "mine\n");
    let refused = stage.run(GitRequest::Merge(of("other"))).await;
    assert!(refused.is_err(), "{refused:?}");
    assert_eq!(stage.content("b.txt"), "mine\n");
    assert_eq!(stage.status().await.operation, None);
    let unknown = stage.run(GitRequest::Merge(of("nowhere"))).await;
    let nowhere = GitError::NoSuchRevision { revision: "nowhere".to_owned() };
    assert_eq!(unknown, Err(nowhere));
}

#[tokio::test]
async fn the_newest_commit_is_taken_back_and_its_changes_stay_staged() {
    const UNDO: GitRequest = GitRequest::Undo(StepRequest {});
    let stage = parted();
    let (undone, first) = (stage.sh("git rev-parse HEAD"), stage.sh("git rev-parse HEAD~"));
    stage.put("a.txt", "not staged\n");
    let expected = UndoReply { undone, head: Some(first.clone()) };
    assert_eq!(stage.run(UNDO).await, Ok(GitReply::Undo(expected)));
    assert_eq!(stage.sh("git status --porcelain"), " M a.txt\nA  c.txt");
    let expected = UndoReply { undone: first, head: None };
    assert_eq!(stage.run(UNDO).await, Ok(GitReply::Undo(expected)));
    assert_eq!(stage.sh("git status --porcelain"), "AM a.txt\nA  c.txt");
    assert_eq!(stage.run(UNDO).await, Err(GitError::NoCommitYet));
}

#[tokio::test]
async fn where_two_branches_parted_is_told_also_after_merges() {
    let stage = parted();
    let base = |stage: &Stage| stage.sh("git merge-base main other");
    for script in ["true", "git merge -q --no-edit other", "git commit -q --allow-empty -m more"] {
        stage.sh(script);
        let range = Some("main...other".to_owned());
        let log = LogRequest { revision: range, limit: Some(1), ..LogRequest::default() };
        let Ok(GitReply::Log(log)) = stage.run(GitRequest::Log(log)).await else { panic!() };
        assert_eq!(log.base, Some(base(&stage)), "{script}");
    }
    stage.sh("git checkout -q --orphan alone && git commit -qm alone");
    let range = Some("main...alone".to_owned());
    let log = LogRequest { revision: range, ..LogRequest::default() };
    let Ok(GitReply::Log(log)) = stage.run(GitRequest::Log(log)).await else { panic!() };
    assert_eq!(log.base, None);
}

#[tokio::test]
async fn a_file_in_conflict_gets_its_markers_back() {
    let stage = clashing();
    stage.try_sh("git merge -q other");
    stage.sh("echo half > a.txt");
    let request = RestoreRequest { files: rels(&["a.txt"]), ..RestoreRequest::default() };
    let restored = stage.run(GitRequest::Restore(request)).await;
    let expected = RestoreReply { restored: all(vec![named("a.txt")]) };
    assert_eq!(restored, Ok(GitReply::Restore(expected)));
    let markers = "<<<<<<< ours\nours\n=======\ntheirs\n>>>>>>> theirs\n";
    assert_eq!(stage.content("a.txt"), markers);
    assert_eq!(stage.status().await.conflicts.total, 1);
}
