//! Changes thrown away, and what is not thrown away with them.

use super::*;

async fn discard(
    stage: &Stage,
    files: &[&str],
    include_untracked: bool,
) -> Result<DiscardReply, GitError> {
    let request = DiscardRequest { files: rels(files), include_untracked, at: 1 };
    match stage.run(GitRequest::Discard(request)).await? {
        GitReply::Discard(reply) => Ok(reply),
        other => panic!("{other:?}"),
    }
}

fn listed(paths: &[&str]) -> Bounded<Name> {
    all(paths.iter().map(|path| named(path)).collect())
}

/// What was restored and what was deleted; where it is now is asked for by itself.
fn names(reply: Result<DiscardReply, GitError>) -> (Bounded<Name>, Bounded<Name>) {
    let DiscardReply { restored, deleted } = reply.unwrap();
    let entries = deleted.entries.into_iter().map(|trashed| trashed.name).collect();
    (restored, Bounded { entries, total: deleted.total })
}

#[tokio::test]
async fn tracked_files_become_what_the_index_has() {
    let stage = Stage::with_commit();
    stage.sh("mkdir d && touch d/gone d/kept && git add . && git commit -qm d && \
              echo staged > a.txt && git add a.txt && echo more >> a.txt && rm d/gone && touch d/new");
    let reply = discard(&stage, &["a.txt", "d"], false).await;
    assert_eq!(names(reply), (listed(&["a.txt", "d/gone"]), listed(&[])));
    assert_eq!(stage.content("a.txt"), "staged\n");
    let status = stage.status().await;
    assert_eq!(status.staged, all(vec![change("a.txt", ChangeKind::Modified)]));
    assert_eq!((status.unstaged, status.untracked), (all(vec![]), listed(&["d/new"])));
    assert_eq!(discard(&stage, &["d/kept"], false).await, Ok(DiscardReply::default()));
}

#[tokio::test]
async fn untracked_files_go_to_the_trash_only_when_asked_and_only_those_named() {
    let stage = Stage::with_commit();
    stage.sh("echo two > a.txt && mkdir -p d/e && touch d/one d/e/two 'x*' xy other && \
              printf 'ignored\\n' > .git/info/exclude && touch d/ignored");
    let refused = discard(&stage, &["a.txt", "d", "x*"], false).await;
    assert_eq!(refused, Err(GitError::WouldDelete { files: vec!["d".into(), "x*".into()] }));
    assert_eq!(stage.content("a.txt"), "two\n");
    let reply = discard(&stage, &["a.txt", "d", "x*"], true).await;
    let trashed: Vec<RelPath> = reply
        .iter()
        .flat_map(|reply| &reply.deleted.entries)
        .map(|file| rel(&file.trashed))
        .collect();
    assert_eq!(names(reply), (listed(&["a.txt"]), listed(&["d/e/two", "d/one", "x*"])));
    assert_eq!(
        stage
            .sh("find . -path ./.git -prune -o -path ./.openspace -prune -o -type f -print | sort"),
        "./a.txt\n./d/ignored\n./other\n./xy"
    );
    assert!(!stage.path("d/e").exists());
    for (trashed, path) in trashed.iter().zip(["d/e/two", "d/one", "x*"]) {
        assert_eq!(stage.files.restore(trashed).unwrap(), rel(path));
    }
    assert!(stage.path("d/e/two").exists());
}

#[tokio::test]
async fn what_may_not_be_deleted_stays_and_so_does_everything_else_named() {
    let stage = Stage::with_commit();
    stage.sh("echo two > a.txt && touch .env fine && git init -q nested && touch nested/file && \
              printf 'ignored\\n' > .git/info/exclude && touch ignored");
    let protected = GitError::Protected { path: ".env".to_owned(), rule: ".env".to_owned() };
    let invalid = |message: &str| GitError::invalid(message);
    let cases = [
        (vec!["a.txt", "fine", ".env"], protected),
        (vec!["fine", "nested"], invalid("`nested/` is a repository of its own")),
        (vec!["a.txt", ""], invalid("the whole workspace is not deleted: name what is")),
        (vec![], invalid("`files` is empty")),
        (vec!["fine", "ignored"], GitError::Ignored { files: vec!["ignored".to_owned()] }),
        (vec!["fine", "lost"], GitError::NoSuchFiles { files: vec!["lost".to_owned()] }),
    ];
    for (files, error) in cases {
        assert_eq!(discard(&stage, &files, true).await, Err(error), "{files:?}");
    }
    assert_eq!(stage.content("a.txt"), "two\n");
    assert_eq!(stage.sh("ls -A"), ".env\n.git\na.txt\nfine\nignored\nnested");
}

#[tokio::test]
async fn more_files_than_the_trash_keeps_are_not_deleted() {
    let stage = Stage::with_commit();
    stage.sh("mkdir many && cd many && seq 1 201 | xargs touch");
    let error = discard(&stage, &["many"], true).await.unwrap_err();
    let reason =
        "201 untracked files are more than the 200 that the trash keeps; name fewer of them";
    assert_eq!(error, GitError::invalid(reason));
    stage.sh("rm many/1");
    let deleted = discard(&stage, &["many"], true).await.unwrap().deleted;
    assert_eq!((deleted.total, deleted.entries.len()), (200, 200));
    assert!(!stage.path("many").exists());
    stage.files.restore(&rel(&deleted.entries[0].trashed)).unwrap();
}

#[tokio::test]
async fn a_file_in_conflict_is_not_discarded() {
    let stage = Stage::with_commit();
    stage.sh("git checkout -qb other && echo theirs > a.txt && git commit -qam theirs && \
              git checkout -q main && echo ours > a.txt && git commit -qam ours");
    stage.try_sh("git merge -q other");
    let refused = discard(&stage, &["a.txt"], true).await;
    assert_eq!(refused, Err(GitError::Conflicts { files: vec!["a.txt".to_owned()] }));
}

#[tokio::test]
async fn a_workspace_inside_a_repository_discards_its_own_part() {
    let stage = Stage::at("repository/root");
    stage.sh(
        "cd .. && git init -q -b main && touch a root/a && git add . && git commit -qm first && \
              echo x > a && echo x > root/a && touch new root/new",
    );
    let reply = discard(&stage, &["a", "new"], true).await;
    assert_eq!(names(reply), (listed(&["a"]), listed(&["new"])));
    assert_eq!(stage.sh("cd .. && git status --porcelain"), " M a\n?? new");
}

#[tokio::test]
async fn before_the_first_commit_a_file_that_changed_since_can_be_unstaged() {
    let stage = Stage::empty();
    stage.sh("git init -q -b main && echo one > a && git add a && echo two > a");
    let request = RestoreRequest { files: rels(&["a"]), staged: true, ..RestoreRequest::default() };
    stage.run(GitRequest::Restore(request)).await.unwrap();
    let status = stage.status().await;
    assert_eq!((status.staged, status.untracked), (all(vec![]), listed(&["a"])));
    assert_eq!(stage.content("a"), "two\n");
}

#[tokio::test]
async fn status_leaves_the_index_as_it_is() {
    let stage = Stage::with_commit();
    // Git would like to note the new time of a file whose content is the same.
    stage.sh("touch -d '2001-01-01' a.txt");
    let before = stage.sh("sha256sum .git/index");
    assert!(stage.status().await.clean);
    assert_eq!(stage.sh("sha256sum .git/index"), before);
    stage.sh("git status -s");
    assert_ne!(stage.sh("sha256sum .git/index"), before);
}
