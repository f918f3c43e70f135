//! Branches and switching between them.

use super::*;

fn operation(operation: BranchOperation, name: &str) -> BranchRequest {
    BranchRequest { operation, name: Some(name.to_owned()), ..BranchRequest::default() }
}

async fn ask(stage: &Stage, request: BranchRequest) -> Result<BranchReply, GitError> {
    match stage.run(GitRequest::Branch(request)).await? {
        GitReply::Branch(reply) => Ok(reply),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn branches_are_listed_with_what_they_follow() {
    let stage = Stage::with_commit();
    stage.sh("git clone -q --bare . ../remote && git remote add origin ../remote && \
              git fetch -q && git branch -qu origin/main && git branch lost && \
              git config branch.lost.remote origin && git config branch.lost.merge refs/heads/lost && \
              git commit -q --allow-empty -m second");
    let first = stage.sh("git rev-parse HEAD~1");
    let date = |name: &str| stage.sh(&format!("git log -1 --format=%cI {name}"));
    let origin = BranchInfo {
        name: "origin/main".to_owned(),
        remote: true,
        current: false,
        oid: first.clone(),
        upstream: None,
        upstream_gone: false,
        ahead: None,
        behind: None,
        committed: date("HEAD~1"),
        summary: "first".to_owned(),
    };
    let lost = BranchInfo {
        name: "lost".to_owned(),
        remote: false,
        upstream: Some("origin/lost".to_owned()),
        upstream_gone: true,
        ..origin.clone()
    };
    let main = BranchInfo {
        name: "main".to_owned(),
        remote: false,
        current: true,
        oid: stage.sh("git rev-parse HEAD"),
        upstream: Some("origin/main".to_owned()),
        ahead: Some(1),
        behind: Some(0),
        committed: date("HEAD"),
        summary: "second".to_owned(),
        ..origin.clone()
    };
    let listed = ask(&stage, BranchRequest::default()).await.unwrap().branches;
    assert_eq!(listed, all(vec![lost, main, origin]));
}

#[tokio::test]
async fn branches_are_created_renamed_and_deleted() {
    let stage = Stage::with_commit();
    stage.sh("git commit -q --allow-empty -m second");
    let first = stage.sh("git rev-parse HEAD~1");
    let create = BranchRequest {
        start_point: Some("HEAD~1".to_owned()),
        ..operation(BranchOperation::Create, "one")
    };
    let made = ask(&stage, create.clone()).await.unwrap().branches.entries;
    assert_eq!((made[0].name.as_str(), &made[0].oid, made[0].current), ("one", &first, false));
    let exists = GitError::BranchExists { branch: "one".to_owned() };
    assert_eq!(ask(&stage, create).await, Err(exists));

    let rename = BranchRequest {
        new_name: Some("feature/two".to_owned()),
        ..operation(BranchOperation::Rename, "one")
    };
    let renamed = ask(&stage, rename).await.unwrap().branches.entries;
    assert_eq!(renamed[0].name, "feature/two");

    let delete = operation(BranchOperation::Delete, "feature/two");
    let deleted = BranchReply {
        deleted: Some("feature/two".to_owned()),
        deleted_oid: Some(first),
        ..BranchReply::default()
    };
    assert_eq!(ask(&stage, delete.clone()).await, Ok(deleted));
    let missing = GitError::NoSuchBranch { branch: "feature/two".to_owned() };
    assert_eq!(ask(&stage, delete).await, Err(missing));
}

#[tokio::test]
async fn a_branch_with_commits_of_its_own_is_deleted_by_force_only() {
    let stage = Stage::with_commit();
    stage.sh("git checkout -qb own && git commit -q --allow-empty -m own && git checkout -q main");
    let delete = operation(BranchOperation::Delete, "own");
    let error = GitError::NotMerged { branch: "own".to_owned() };
    assert_eq!(ask(&stage, delete.clone()).await, Err(error));
    ask(&stage, BranchRequest { force: true, ..delete }).await.unwrap();
    assert_eq!(stage.sh("git branch --format='%(refname:short)'"), "main");
}

#[tokio::test]
async fn names_that_git_does_not_accept_are_refused() {
    let stage = Stage::with_commit();
    for name in ["", "-x", "a..b", "a b", "a/", "/a", "a.lock", ".a", "a~1", "@", "HEAD", "a\nb"] {
        let error = ask(&stage, operation(BranchOperation::Create, name)).await.unwrap_err();
        assert!(matches!(error, GitError::InvalidRequest { .. }), "{name}: {error:?}");
    }
}

#[tokio::test]
async fn a_branch_that_is_missing_is_created() {
    let stage = Stage::with_commit();
    stage.sh("git commit -q --allow-empty -m second");
    let head = stage.sh("git rev-parse HEAD");
    let expected = CheckoutReply {
        branch: Some("feature/new-thing".to_owned()),
        head: Some(head.clone()),
        created: true,
        previous: Some("main".to_owned()),
        upstream: None,
    };
    assert_eq!(stage.checkout(branch("feature/new-thing")).await, Ok(expected.clone()));

    let back = CheckoutReply {
        branch: Some("main".to_owned()),
        created: false,
        previous: Some("feature/new-thing".to_owned()),
        ..expected.clone()
    };
    assert_eq!(stage.checkout(branch("main")).await, Ok(back));

    let from = CheckoutRequest { start_point: Some("HEAD~1".to_owned()), ..branch("old") };
    let reply = stage.checkout(from).await.unwrap();
    assert_eq!(reply.head, Some(stage.sh("git rev-parse main~1")));

    let detached =
        CheckoutRequest { revision: Some("main".to_owned()), ..CheckoutRequest::default() };
    let expected = CheckoutReply {
        branch: None,
        created: false,
        previous: Some("old".to_owned()),
        ..expected
    };
    assert_eq!(stage.checkout(detached).await, Ok(expected));

    let missing = CheckoutRequest { create: Some(false), ..branch("missing") };
    let error = GitError::NoSuchBranch { branch: "missing".to_owned() };
    assert_eq!(stage.checkout(missing).await, Err(error));
    let new = CheckoutRequest { create: Some(true), ..branch("main") };
    let error = GitError::BranchExists { branch: "main".to_owned() };
    assert_eq!(stage.checkout(new).await, Err(error));
    let both = CheckoutRequest { revision: Some("main".to_owned()), ..branch("x") };
    assert!(matches!(stage.checkout(both).await, Err(GitError::InvalidRequest { .. })));
}

#[tokio::test]
async fn a_branch_of_the_remote_is_followed() {
    let stage = Stage::with_commit();
    stage.sh("git branch theirs && git clone -q --bare . ../remote && git branch -qD theirs && \
              git remote add origin ../remote && git fetch -q");
    let reply = stage.checkout(branch("theirs")).await.unwrap();
    assert_eq!((reply.created, reply.upstream.as_deref()), (true, Some("origin/theirs")));
}

#[tokio::test]
async fn before_the_first_commit_another_branch_can_be_chosen() {
    let stage = Stage::empty();
    stage.sh("git init -q -b main");
    let reply = stage.checkout(branch("other")).await.unwrap();
    assert_eq!((reply.branch.as_deref(), reply.head), (Some("other"), None));
}

#[tokio::test]
async fn uncommitted_changes_are_not_overwritten() {
    let stage = Stage::with_commit();
    stage.sh("git checkout -qb other && echo x > a.txt && echo x > b && git add . && \
              git commit -qm x && git checkout -q main && echo mine > a.txt");
    let error = GitError::WouldOverwrite { files: vec!["a.txt".to_owned()] };
    assert_eq!(stage.checkout(branch("other")).await, Err(error));
    stage.sh("git checkout -q a.txt && echo mine > b");
    let error = GitError::WouldOverwrite { files: vec!["b".to_owned()] };
    assert_eq!(stage.checkout(branch("other")).await, Err(error));
    assert_eq!(stage.content("b"), "mine\n");
}
