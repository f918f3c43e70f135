//! Staging and committing.

use super::*;

#[tokio::test]
async fn a_commit_of_files_takes_exactly_these() {
    let mut stage = Stage::with_commit();
    stage.git.settings.co_author =
        Some(Identity { name: "A Person".to_owned(), email: "a@example.org".to_owned() });
    stage.sh("touch gone also && git add . && git commit -qm more");
    stage.sh("rm gone && git rm -q also && echo new > new && echo x >> a.txt && git add a.txt && \
              touch later");
    let reply = stage.commit(commit("Change files\n\nBecause.", &["new", "gone", "also"])).await;
    let reply = reply.unwrap();
    let expected = CommitReply {
        oid: stage.sh("git rev-parse HEAD"),
        short_oid: stage.sh("git rev-parse --short HEAD"),
        summary: "Change files".to_owned(),
        branch: Some("main".to_owned()),
        files: all(vec![named("also"), named("gone"), named("new")]),
        totals: Totals { files: 3, insertions: 1, deletions: 0 },
    };
    assert_eq!(reply, expected);
    let who = "OpenSpace Agent <agent@openspace.invalid>";
    assert_eq!(stage.sh("git log -1 --format='%an <%ae>%n%cn <%ce>'"), format!("{who}\n{who}"));
    assert_eq!(
        stage.sh("git log -1 --format=%B"),
        "Change files\n\nBecause.\n\nCo-authored-by: A Person <a@example.org>"
    );
    let status = stage.status().await;
    assert_eq!(status.staged, all(vec![change("a.txt", ChangeKind::Modified)]));
    assert_eq!(status.untracked, all(vec![named("later")]));
}

#[tokio::test]
async fn a_person_commits_in_the_name_that_git_finds_and_in_no_made_up_one() {
    let mut stage = Stage::with_commit();
    stage.git.settings.co_author =
        Some(Identity { name: "A Person".to_owned(), email: "a@example.org".to_owned() });
    stage.git = stage.git.for_a_person();
    stage.put("a.txt", "changed\n");
    assert_eq!(stage.commit(commit("whose?", &["a.txt"])).await, Err(GitError::NoIdentity));
    assert_eq!(stage.sh("git rev-list --count HEAD"), "1");

    let shown = "git log -1 --format='%an <%ae>, %cn <%ce>: %B'";
    stage.sh("git config user.name Ada && git config user.email ada@example.org");
    stage.commit(commit("mine", &["a.txt"])).await.unwrap();
    assert_eq!(stage.sh(shown), "Ada <ada@example.org>, Ada <ada@example.org>: mine");

    stage.git.settings.base_env.push(("GIT_AUTHOR_NAME".into(), "Countess".into()));
    stage.commit(CommitRequest { allow_empty: true, ..commit("said", &[]) }).await.unwrap();
    assert_eq!(stage.sh(shown), "Countess <ada@example.org>, Ada <ada@example.org>: said");
}

#[tokio::test]
async fn a_commit_without_files_takes_what_is_staged_or_all_that_is_known() {
    let stage = Stage::with_commit();
    stage.sh("echo x >> a.txt && touch b c && git add b");
    let first = stage.commit(commit("staged", &[])).await.unwrap();
    assert_eq!(first.files, all(vec![named("b")]));
    let all_known = CommitRequest { all: true, ..commit("all", &[]) };
    let second = stage.commit(all_known).await.unwrap();
    assert_eq!(second.files, all(vec![named("a.txt")]));
    assert_eq!(stage.status().await.untracked, all(vec![named("c")]));
}

#[tokio::test]
async fn the_first_commit_and_an_amended_one_are_commits_too() {
    let stage = Stage::empty();
    stage.sh("git init -q -b main && echo x > a");
    let amend = CommitRequest { amend: true, ..commit("better", &[]) };
    assert_eq!(stage.commit(amend.clone()).await, Err(GitError::NoCommitYet));
    let first = stage.commit(commit("first", &["."])).await.unwrap();
    assert_eq!(first.totals, Totals { files: 1, insertions: 1, deletions: 0 });
    let amended = stage.commit(amend).await.unwrap();
    assert_eq!((amended.summary.as_str(), amended.totals), ("better", first.totals));
    assert_eq!(stage.sh("git rev-list --count HEAD"), "1");
}

#[tokio::test]
async fn a_commit_that_makes_no_sense_says_why() {
    let stage = Stage::with_commit();
    stage.put(".gitignore", "*.log\n");
    stage.put("x.log", "");
    stage.sh("git add .gitignore && git commit -qm ignore");
    let names = |files: &[&str]| files.iter().map(|&file| file.to_owned()).collect::<Vec<_>>();
    let cases = [
        (commit("x", &[]), GitError::NothingToCommit),
        (commit("x", &["a.txt"]), GitError::NothingToCommit),
        (commit(" \n", &[]), GitError::invalid("the message is empty")),
        (
            commit("x", &["a.txt", "missing", "also/missing"]),
            GitError::NoSuchFiles { files: names(&["missing", "also/missing"]) },
        ),
        (commit("x", &["x.log"]), GitError::Ignored { files: names(&["x.log"]) }),
    ];
    for (request, error) in cases {
        assert_eq!(stage.commit(request).await, Err(error));
    }
    let empty = CommitRequest { allow_empty: true, ..commit("empty", &[]) };
    assert_eq!(stage.commit(empty).await.unwrap().totals, Totals::default());
}

#[tokio::test]
async fn a_pattern_in_a_name_is_only_a_name() {
    let stage = Stage::with_commit();
    stage.sh("touch '*' ':(top)x' b");
    let reply = stage.commit(commit("stars", &["*", ":(top)x"])).await.unwrap();
    assert_eq!(reply.files, all(vec![named("*"), named(":(top)x")]));
}

#[tokio::test]
async fn conflicts_stop_a_commit_until_they_are_resolved() {
    let stage = Stage::with_commit();
    stage.sh("git checkout -qb other && echo theirs > a.txt && git commit -qam theirs && \
              git checkout -q main && echo ours > a.txt && git commit -qam ours");
    stage.try_sh("git merge -q other");
    let conflict = Err(GitError::Conflicts { files: vec!["a.txt".to_owned()] });
    assert_eq!(stage.commit(commit("merge", &[])).await, conflict);
    let partly = stage.commit(commit("merge", &["a.txt"])).await.unwrap_err();
    assert!(matches!(partly, GitError::InTheMiddle { .. }), "{partly:?}");
    stage.put("a.txt", "both\n");
    let add = GitRequest::Add(AddRequest { files: rels(&["a.txt"]), ..AddRequest::default() });
    let staged =
        GitReply::Add(AddReply { staged: all(vec![change("a.txt", ChangeKind::Modified)]) });
    assert_eq!(stage.run(add).await, Ok(staged));
    stage.commit(commit("merge", &[])).await.unwrap();
    assert_eq!(stage.sh("git rev-list --parents -1 HEAD | wc -w"), "3");
}

#[tokio::test]
async fn a_hook_that_refuses_is_named_with_what_it_said() {
    let stage = Stage::with_commit();
    stage.hook("pre-commit", "true");
    stage.hook("commit-msg", "echo write better; exit 3");
    stage.put("b", "");
    let error = stage.commit(commit("bad", &["b"])).await.unwrap_err();
    let expected = GitError::HookFailed {
        hook: "commit-msg".to_owned(),
        exit_code: Some(3),
        output: "write better".to_owned(),
    };
    assert_eq!(error, expected);
    assert_eq!(stage.status().await.staged, all(vec![change("b", ChangeKind::Added)]));
    assert!(stage.scratch_is_empty());
}

#[tokio::test]
async fn files_are_staged_and_taken_back() {
    let stage = Stage::with_commit();
    stage.sh("rm a.txt && touch b");
    let add = GitRequest::Add(AddRequest { files: rels(&["a.txt", "b"]), ..AddRequest::default() });
    let both = vec![change("a.txt", ChangeKind::Deleted), change("b", ChangeKind::Added)];
    assert_eq!(stage.run(add).await, Ok(GitReply::Add(AddReply { staged: all(both) })));
    let restore = |files: &[&str], staged| {
        GitRequest::Restore(RestoreRequest {
            files: rels(files),
            staged,
            ..RestoreRequest::default()
        })
    };
    let restored = |files: &[&str]| {
        let names = files.iter().map(|file| named(file)).collect();
        Ok(GitReply::Restore(RestoreReply { restored: all(names) }))
    };
    assert_eq!(stage.run(restore(&["."], true)).await, restored(&["a.txt", "b"]));
    assert_eq!(stage.run(restore(&["a.txt"], false)).await, restored(&["a.txt"]));
    assert_eq!(stage.content("a.txt"), "one\ntwo\n");
    let missing = GitError::NoSuchFiles { files: vec!["b".to_owned()] };
    assert_eq!(stage.run(restore(&["b"], false)).await, Err(missing));

    stage.sh("echo three > a.txt && git commit -qam three");
    let old = RestoreRequest {
        files: rels(&["a.txt"]),
        staged: false,
        source: Some("HEAD~1".to_owned()),
        ..RestoreRequest::default()
    };
    assert_eq!(stage.run(GitRequest::Restore(old)).await, restored(&["a.txt"]));
    assert_eq!(stage.content("a.txt"), "one\ntwo\n");
}

#[tokio::test]
async fn before_the_first_commit_files_can_be_taken_out_of_the_index() {
    let stage = Stage::empty();
    stage.sh("git init -q && touch a && git add a");
    let request = RestoreRequest { files: rels(&["a"]), staged: true, ..RestoreRequest::default() };
    stage.run(GitRequest::Restore(request)).await.unwrap();
    assert_eq!(stage.status().await.untracked, all(vec![named("a")]));
}
