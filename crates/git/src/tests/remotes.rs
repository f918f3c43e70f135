//! Remotes that are folders: push, fetch, pull, clone.

use super::*;

/// A workspace with a commit, and a bare remote `origin` that has it.
fn with_remote() -> Stage {
    let stage = Stage::with_commit();
    stage.sh(
        "git clone -q --bare . ../remote && git remote add origin ../remote && git fetch -q && \
              git branch -qu origin/main",
    );
    stage
}

/// Somebody else commits to the remote's `main`.
fn elsewhere(stage: &Stage, script: &str) {
    stage.sh(&format!(
        "rm -rf ../else && git clone -q ../remote ../else && cd ../else && {script} && \
         git add -A && git commit -qm elsewhere && git push -q"
    ));
}

async fn push(stage: &Stage, request: PushRequest) -> Result<PushReply, GitError> {
    match stage.run(GitRequest::Push(request)).await? {
        GitReply::Push(reply) => Ok(reply),
        other => panic!("{other:?}"),
    }
}

async fn fetch(stage: &Stage, request: FetchRequest) -> Result<FetchReply, GitError> {
    match stage.run(GitRequest::Fetch(request)).await? {
        GitReply::Fetch(reply) => Ok(reply),
        other => panic!("{other:?}"),
    }
}

async fn pull(stage: &Stage, strategy: PullStrategy) -> Result<PullReply, GitError> {
    match stage.run(GitRequest::Pull(PullRequest { strategy, ..PullRequest::default() })).await? {
        GitReply::Pull(reply) => Ok(reply),
        other => panic!("{other:?}"),
    }
}

fn update(name: &str, change: RefChange, old: Option<&str>, new: Option<&str>) -> RefUpdate {
    let text = |oid: &str| oid.to_owned();
    RefUpdate { name: name.to_owned(), change, old: old.map(text), new: new.map(text) }
}

#[tokio::test]
async fn a_new_branch_is_pushed_and_followed() {
    let stage = with_remote();
    stage.sh("git checkout -qb feature/x && git commit -q --allow-empty -m x && git tag v1");
    stage.hook("pre-push", "touch ran");
    let oid = stage.sh("git rev-parse HEAD");
    let request = PushRequest { tags: vec!["v1".to_owned()], ..PushRequest::default() };
    let expected = PushReply {
        remote: "origin".to_owned(),
        url: stage.folder.join("root/../remote").display().to_string(),
        refs: vec![
            update("refs/heads/feature/x", RefChange::Created, None, Some(&oid)),
            update("refs/tags/v1", RefChange::Created, None, Some(&oid)),
        ],
        upstream: Some("origin/feature/x".to_owned()),
        messages: Vec::new(),
    };
    assert_eq!(push(&stage, request.clone()).await, Ok(expected.clone()));
    assert_eq!(stage.sh("git -C ../remote rev-parse feature/x v1"), format!("{oid}\n{oid}"));
    let status = stage.status().await;
    assert_eq!((status.ahead, status.behind), (Some(0), Some(0)));
    assert!(!stage.path("ran").exists());

    let again = push(&stage, PushRequest::default()).await.unwrap();
    let refs = vec![update("refs/heads/feature/x", RefChange::Unchanged, Some(&oid), Some(&oid))];
    assert_eq!(again, PushReply { refs, ..expected });
    assert!(stage.scratch_is_empty());
}

#[tokio::test]
async fn a_push_behind_the_remote_is_rejected_and_a_lease_replaces_only_what_was_seen() {
    let stage = with_remote();
    elsewhere(&stage, "touch theirs");
    stage.sh("git commit -q --amend -m mine");
    let rejected = push(&stage, PushRequest::default()).await.unwrap_err();
    let GitError::Rejected { name, .. } = &rejected else { panic!("{rejected:?}") };
    assert_eq!(name, "refs/heads/main");
    let force = PushRequest { force_with_lease: true, ..PushRequest::default() };
    let stale = push(&stage, force.clone()).await.unwrap_err();
    let GitError::Rejected { reason, .. } = &stale else { panic!("{stale:?}") };
    assert!(reason.contains("stale info"), "{reason}");

    fetch(&stage, FetchRequest::default()).await.unwrap();
    let seen = stage.sh("git rev-parse origin/main");
    let forced = push(&stage, force).await.unwrap();
    let oid = stage.sh("git rev-parse HEAD");
    let expected = [update("refs/heads/main", RefChange::Forced, Some(&seen), Some(&oid))];
    assert_eq!(forced.refs, expected);
    assert_eq!(stage.sh("git -C ../remote rev-parse main"), oid);
}

#[tokio::test]
async fn what_the_remote_says_comes_with_its_refusal() {
    let stage = with_remote();
    stage.sh("git commit -q --allow-empty -m x && \
              printf '#!/bin/sh\\necho no entry >&2\\nexit 1\\n' > ../remote/hooks/pre-receive && \
              chmod +x ../remote/hooks/pre-receive");
    let expected = GitError::Rejected {
        name: "refs/heads/main".to_owned(),
        reason: "[remote rejected] (pre-receive hook declined)".to_owned(),
        messages: vec!["no entry".to_owned()],
    };
    assert_eq!(push(&stage, PushRequest::default()).await, Err(expected));
}

#[tokio::test]
async fn remotes_that_cannot_be_used_say_why() {
    let stage = Stage::with_commit();
    let none = GitError::NoRemote { remote: "origin".to_owned() };
    assert_eq!(push(&stage, PushRequest::default()).await, Err(none));
    stage.sh("git remote add origin ../missing");
    let away = push(&stage, PushRequest::default()).await.unwrap_err();
    assert!(matches!(away, GitError::Unreachable { .. }), "{away:?}");
    stage.sh("git remote set-url origin https://me:sesame@example.invalid/x");
    let error = push(&stage, PushRequest::default()).await.unwrap_err();
    assert_eq!(error, GitError::CredentialInUrl);
    for url in ["ext::sh -c true", "gopher://x/y", "ssh://-oProxyCommand=x/y"] {
        stage.sh(&format!("git remote set-url origin '{url}'"));
        let error = push(&stage, PushRequest::default()).await.unwrap_err();
        assert!(matches!(error, GitError::BadUrl { .. }), "{error:?}");
    }
    stage.sh("git checkout -q --detach");
    assert_eq!(push(&stage, PushRequest::default()).await, Err(GitError::Detached));
}

#[tokio::test]
async fn a_fetch_tells_what_changed_and_prunes_when_asked() {
    let stage = with_remote();
    let first = stage.sh("git rev-parse HEAD");
    stage.sh("git -C ../remote branch old && git fetch -q && git -C ../remote branch -q -D old");
    elsewhere(&stage, "touch theirs && git tag -a -m one v1 && git push -q origin v1");
    stage.sh("git -C ../remote branch new");
    let reply = fetch(&stage, FetchRequest::default()).await.unwrap();
    let oid = stage.sh("git -C ../remote rev-parse main");
    let tag = stage.sh("git -C ../remote rev-parse v1");
    let moved = vec![
        update("refs/remotes/origin/main", RefChange::Updated, Some(&first), Some(&oid)),
        update("refs/remotes/origin/new", RefChange::Created, None, Some(&oid)),
        update("refs/tags/v1", RefChange::Created, None, Some(&tag)),
    ];
    assert_eq!(reply.refs, all(moved));
    assert_eq!(stage.sh("git rev-parse origin/main origin/new v1"), format!("{oid}\n{oid}\n{tag}"));
    stage.sh("git fsck --connectivity-only");

    let prune = FetchRequest { prune: true, ..FetchRequest::default() };
    let gone = update("refs/remotes/origin/old", RefChange::Deleted, Some(&first), None);
    assert_eq!(fetch(&stage, prune.clone()).await.unwrap().refs, all(vec![gone]));

    stage.sh("git -C ../remote branch -qD new && git -C ../remote branch -f main main~1");
    let reply = fetch(&stage, prune).await.unwrap();
    let forced = vec![
        update("refs/remotes/origin/main", RefChange::Forced, Some(&oid), Some(&first)),
        update("refs/remotes/origin/new", RefChange::Deleted, Some(&oid), None),
    ];
    assert_eq!(reply.refs, all(forced));
    assert!(stage.scratch_is_empty());
}

#[tokio::test]
async fn a_pull_moves_forward() {
    let stage = with_remote();
    let first = stage.sh("git rev-parse HEAD");
    let nothing = pull(&stage, PullStrategy::FastForward).await.unwrap();
    assert_eq!((nothing.old.as_deref(), nothing.new.as_str()), (Some(&*first), &*first));
    elsewhere(&stage, "echo theirs > theirs");
    let reply = pull(&stage, PullStrategy::FastForward).await.unwrap();
    let oid = stage.sh("git -C ../remote rev-parse main");
    assert_eq!((reply.branch.as_str(), reply.from.as_str()), ("main", "origin/main"));
    assert_eq!((reply.old, reply.new), (Some(first), oid));
    assert_eq!(reply.totals, Totals { files: 1, insertions: 1, deletions: 0 });
    assert_eq!(stage.content("theirs"), "theirs\n");
}

#[tokio::test]
async fn sides_that_parted_are_joined_as_asked() {
    for (strategy, commits) in [(PullStrategy::Rebase, "3"), (PullStrategy::Merge, "4")] {
        let stage = with_remote();
        elsewhere(&stage, "touch theirs");
        stage.sh("touch mine && git add . && git commit -qm mine");
        let parted = GitError::Diverged { upstream: "origin/main".to_owned(), ahead: 1, behind: 1 };
        assert_eq!(pull(&stage, PullStrategy::FastForward).await, Err(parted));
        pull(&stage, strategy).await.unwrap();
        assert_eq!(stage.sh("git rev-list --count HEAD"), commits);
        assert_eq!(stage.sh("ls"), "a.txt\nmine\ntheirs");
    }
}

#[tokio::test]
async fn a_pull_with_a_conflict_names_the_files() {
    for (strategy, operation) in
        [(PullStrategy::Rebase, Operation::Rebase), (PullStrategy::Merge, Operation::Merge)]
    {
        let stage = with_remote();
        elsewhere(&stage, "echo theirs > a.txt");
        stage.sh("echo mine > a.txt && git commit -qam mine");
        let conflict = GitError::Conflicts { files: vec!["a.txt".to_owned()] };
        assert_eq!(pull(&stage, strategy).await, Err(conflict));
        assert_eq!(stage.status().await.operation, Some(operation));
        let again = pull(&stage, strategy).await.unwrap_err();
        assert!(matches!(again, GitError::InTheMiddle { .. }), "{again:?}");
    }
}

#[tokio::test]
async fn a_pull_keeps_uncommitted_changes() {
    let stage = with_remote();
    elsewhere(&stage, "echo theirs > a.txt");
    stage.sh("echo mine > a.txt");
    let error = GitError::WouldOverwrite { files: vec!["a.txt".to_owned()] };
    assert_eq!(pull(&stage, PullStrategy::FastForward).await, Err(error));
    assert_eq!(stage.content("a.txt"), "mine\n");
    stage.sh("git checkout -q a.txt && git checkout -qb alone");
    let error = GitError::NoUpstream { branch: "alone".to_owned() };
    assert_eq!(pull(&stage, PullStrategy::FastForward).await, Err(error));
}

#[tokio::test]
async fn a_clone_fills_an_empty_workspace() {
    let source = with_remote();
    source.sh("git commit -q --allow-empty -m second && git push -q && git branch other && \
               git push -q origin other && git tag v1 && git push -q origin v1");
    let url = source.folder.join("remote").display().to_string();
    let head = Some(source.sh("git rev-parse HEAD"));
    let clone = |depth, branch: Option<&str>| {
        let branch = branch.map(str::to_owned);
        GitRequest::Clone(CloneRequest { url: format!("file://{url}"), branch, depth })
    };
    let stage = Stage::empty();
    let expected = CloneReply {
        url: format!("file://{url}"),
        branch: "main".to_owned(),
        head: head.clone(),
        shallow: false,
    };
    assert_eq!(stage.run(clone(None, None)).await, Ok(GitReply::Clone(expected.clone())));
    let status = stage.status().await;
    assert_eq!((status.clean, status.upstream.as_deref()), (true, Some("origin/main")));
    assert_eq!(stage.sh("git rev-parse --abbrev-ref origin/HEAD && git tag"), "origin/main\nv1");
    assert_eq!(stage.run(clone(None, None)).await, Err(GitError::NotEmpty));

    let stage = Stage::empty();
    let missing = GitError::NoSuchBranch { branch: "missing".to_owned() };
    assert_eq!(stage.run(clone(None, Some("missing"))).await, Err(missing));
    let expected = CloneReply { branch: "other".to_owned(), shallow: true, ..expected };
    assert_eq!(stage.run(clone(Some(1), Some("other"))).await, Ok(GitReply::Clone(expected)));
    assert_eq!(stage.sh("git rev-list --count HEAD && git fsck 2>&1"), "1");
    fetch(&stage, FetchRequest::default()).await.unwrap();
    stage.sh("git commit -q --allow-empty -m third");
    push(&stage, PushRequest::default()).await.unwrap();
    assert!(stage.scratch_is_empty());
}

#[tokio::test]
async fn an_empty_or_missing_repository_is_cloned_honestly() {
    let stage = Stage::empty();
    let path = stage.folder.join("remote").display().to_string();
    let request = GitRequest::Clone(CloneRequest { url: path.clone(), branch: None, depth: None });
    let error = stage.run(request.clone()).await.unwrap_err();
    assert!(matches!(error, GitError::Unreachable { .. }), "{error:?}");
    assert_eq!(stage.sh("ls -A"), "");
    stage.sh("git init -q --bare -b trunk ../remote");
    let GitReply::Clone(reply) = stage.run(request).await.unwrap() else { panic!() };
    assert_eq!(reply.head, None);
    stage.put("a", "");
    stage.commit(commit("first", &["a"])).await.unwrap();
    push(&stage, PushRequest::default()).await.unwrap();
}

#[tokio::test]
async fn remotes_are_added_listed_and_forgotten_and_no_password_is_kept() {
    let stage = Stage::with_commit();
    let remote = async |operation, name: Option<&str>, url: Option<&str>| {
        let text = |text: &str| text.to_owned();
        let request = RemoteRequest { operation, name: name.map(text), url: url.map(text) };
        match stage.run(GitRequest::Remote(request)).await? {
            GitReply::Remote(reply) => Ok(reply.remotes),
            other => panic!("{other:?}"),
        }
    };
    let info = |name: &str, url: &str| RemoteInfo { name: name.into(), url: Some(url.into()) };
    let add = RemoteOperation::Add;
    assert_eq!(remote(RemoteOperation::List, None, None).await, Ok(all(vec![])));
    let url = "https://me@git.example/a.git";
    let origin = info("origin", "https://git.example/a.git");
    assert_eq!(remote(add, Some("origin"), Some(url)).await, Ok(all(vec![origin.clone()])));
    let again = remote(add, Some("origin"), Some(url)).await;
    assert_eq!(again, Err(GitError::invalid("there is a remote `origin` already")));
    let secret = remote(add, Some("other"), Some("https://me:word@git.example/a.git")).await;
    assert_eq!(secret, Err(GitError::CredentialInUrl));
    let program = remote(add, Some("other"), Some("ext::sh -c true")).await;
    assert!(matches!(program, Err(GitError::BadUrl { .. })), "{program:?}");
    let rule = "`add` needs `name` and `url`, `remove` a `name`";
    assert_eq!(remote(add, Some("other"), None).await, Err(GitError::invalid(rule)));
    assert_eq!(remote(RemoteOperation::List, None, None).await, Ok(all(vec![origin])));
    let gone = remote(RemoteOperation::Remove, Some("origin"), None).await;
    assert_eq!(gone, Ok(all(vec![])));
    let missing = remote(RemoteOperation::Remove, Some("origin"), None).await;
    assert_eq!(missing, Err(GitError::NoRemote { remote: "origin".to_owned() }));
}
