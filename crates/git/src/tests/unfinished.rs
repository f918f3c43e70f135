//! Operations that stopped in the middle, and how they end.

use super::*;

const CONTINUE: GitRequest = GitRequest::Continue(StepRequest {});
const SKIP: GitRequest = GitRequest::Skip(StepRequest {});
const ABORT: GitRequest = GitRequest::Abort(StepRequest {});

/// A file that both branches changed, twice on `main`; `main` is checked out.
fn parted() -> Stage {
    let stage = Stage::with_commit();
    stage.sh("git checkout -qb other && echo theirs > a.txt && git commit -qam theirs && \
              git checkout -q main && echo ours > a.txt && git commit -qam ours && \
              echo more > a.txt && git commit -qam more");
    stage
}

fn told(stage: &Stage, operation: Operation) -> StepReply {
    StepReply {
        operation,
        finished: true,
        branch: Some("main".to_owned()),
        head: Some(stage.sh("git rev-parse HEAD")),
    }
}

fn in_conflict() -> Result<GitReply, GitError> {
    Err(GitError::Conflicts { files: vec!["a.txt".to_owned()] })
}

#[tokio::test]
async fn a_merge_goes_on_when_its_conflicts_are_staged() {
    let mut stage = parted();
    stage.git.settings.co_author =
        Some(Identity { name: "Ada".to_owned(), email: "ada@example.org".to_owned() });
    stage.try_sh("git merge -q other");
    assert_eq!(stage.run(CONTINUE).await, in_conflict());
    let skipped = stage.run(SKIP).await;
    assert_eq!(skipped, Err(GitError::invalid("a merge has no commit to skip: use `abort`")));
    stage.sh("echo both > a.txt && git add a.txt");
    let merged = stage.run(CONTINUE).await;
    assert_eq!(merged, Ok(GitReply::Continue(told(&stage, Operation::Merge))));
    let message = "Merge branch 'other'\n\nCo-authored-by: Ada <ada@example.org>";
    assert_eq!(stage.sh("git log -1 --format=%B"), message);
    assert_eq!(stage.sh("git log -1 --format=%an"), "OpenSpace Agent");
    assert_eq!(stage.sh("git rev-parse HEAD^2"), stage.sh("git rev-parse other"));
    assert_eq!(stage.run(CONTINUE).await, Err(GitError::NothingUnfinished));
}

#[tokio::test]
async fn a_rebase_stops_at_each_conflict_and_keeps_its_authors() {
    let stage = parted();
    stage.try_sh("git rebase -q other");
    stage.sh("echo first > a.txt && git add a.txt");
    assert_eq!(stage.run(CONTINUE).await, in_conflict());
    assert_eq!(stage.status().await.operation, Some(Operation::Rebase));
    stage.sh("echo second > a.txt && git add a.txt");
    let ended = stage.run(CONTINUE).await;
    assert_eq!(ended, Ok(GitReply::Continue(told(&stage, Operation::Rebase))));
    assert_eq!(
        stage.sh("git log --format='%an|%cn|%s'"),
        "Person|OpenSpace Agent|more\nPerson|OpenSpace Agent|ours\nPerson|Person|theirs\n\
         Person|Person|first"
    );
}

#[tokio::test]
async fn a_rebase_goes_on_without_the_commit_it_stopped_at() {
    let stage = parted();
    stage.try_sh("git rebase -q other");
    assert_eq!(stage.run(SKIP).await, in_conflict());
    let ended = stage.run(SKIP).await;
    assert_eq!(ended, Ok(GitReply::Skip(told(&stage, Operation::Rebase))));
    assert_eq!(stage.sh("git log --format=%s"), "theirs\nfirst");
}

#[tokio::test]
async fn giving_up_brings_everything_back() {
    let cases = [
        ("git merge -q other", Operation::Merge),
        ("git rebase -q other", Operation::Rebase),
        ("git cherry-pick other", Operation::CherryPick),
        ("git revert --no-edit HEAD~1", Operation::Revert),
        ("git format-patch -q --stdout other~1..other | git am -q -3", Operation::Apply),
        ("git bisect start -q", Operation::Bisect),
    ];
    for (script, operation) in cases {
        let stage = parted();
        let before = stage.sh("git rev-parse HEAD");
        stage.try_sh(script);
        assert_eq!(stage.status().await.operation, Some(operation), "{script}");
        let given_up = stage.run(ABORT).await;
        assert_eq!(given_up, Ok(GitReply::Abort(told(&stage, operation))), "{script}");
        assert_eq!(stage.sh("git rev-parse HEAD"), before);
        let status = stage.status().await;
        assert_eq!((status.operation, status.clean), (None, true), "{script}");
        assert_eq!(stage.run(ABORT).await, Err(GitError::NothingUnfinished));
    }
}

#[tokio::test]
async fn a_commit_of_which_nothing_is_left_can_be_skipped() {
    let stage = parted();
    stage.try_sh("git cherry-pick other");
    stage.sh("echo more > a.txt && git add a.txt");
    assert_eq!(stage.run(CONTINUE).await, Err(GitError::NothingLeft));
    let skipped = stage.run(SKIP).await;
    assert_eq!(skipped, Ok(GitReply::Skip(told(&stage, Operation::CherryPick))));
}

#[tokio::test]
async fn a_hook_that_will_not_have_it_is_named() {
    let stage = parted();
    stage.try_sh("git merge -q other");
    stage.hook("pre-commit", "echo no; exit 3");
    stage.sh("echo both > a.txt && git add a.txt");
    let failed = GitError::HookFailed {
        hook: "pre-commit".to_owned(),
        exit_code: Some(3),
        output: "no".to_owned(),
    };
    assert_eq!(stage.run(CONTINUE).await, Err(failed));
    assert_eq!(stage.status().await.operation, Some(Operation::Merge));
}

#[tokio::test]
async fn a_bisect_can_only_be_given_up() {
    let stage = parted();
    stage.sh("git bisect start -q");
    let reason = GitError::invalid("a bisect can only be given up, with `abort`");
    for request in [CONTINUE, SKIP] {
        assert_eq!(stage.run(request).await, Err(reason.clone()));
    }
}
