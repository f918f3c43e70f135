//! Diffs, history, and what of them is secret.

use super::*;

fn file(path: &str, change: ChangeKind, counts: (u64, u64), hunks: &str) -> FileDiff {
    FileDiff {
        name: named(path),
        change,
        old_path: None,
        binary: false,
        insertions: counts.0,
        deletions: counts.1,
        hidden: false,
        hunks: hunks.to_owned(),
        truncated: false,
    }
}

fn changes(files: Vec<FileDiff>) -> Changes {
    let totals = Totals {
        files: files.len() as u64,
        insertions: files.iter().map(|file| file.insertions).sum(),
        deletions: files.iter().map(|file| file.deletions).sum(),
    };
    Changes { files, totals, truncated: false }
}

#[tokio::test]
async fn staged_and_unstaged_changes_come_apart() {
    let stage = Stage::with_commit();
    stage.sh("echo three >> a.txt && git add . && echo four >> a.txt");
    let staged = "@@ -1,2 +1,3 @@\n one\n two\n+three\n";
    let unstaged = "@@ -1,3 +1,4 @@\n one\n two\n three\n+four\n";
    let expected = DiffReply {
        staged: Some(changes(vec![file("a.txt", ChangeKind::Modified, (1, 0), staged)])),
        unstaged: Some(changes(vec![file("a.txt", ChangeKind::Modified, (1, 0), unstaged)])),
        between: None,
    };
    assert_eq!(stage.diff(DiffRequest::default()).await, expected);
    let only = stage.diff(DiffRequest { staged: Some(true), ..DiffRequest::default() }).await;
    assert_eq!(only, DiffReply { unstaged: None, ..expected.clone() });
    let only = stage.diff(DiffRequest { staged: Some(false), ..DiffRequest::default() }).await;
    assert_eq!(only, DiffReply { staged: None, ..expected });
    let stat = DiffRequest { stat_only: true, staged: Some(true), ..DiffRequest::default() };
    let expected = changes(vec![file("a.txt", ChangeKind::Modified, (1, 0), "")]);
    assert_eq!(stage.diff(stat).await.staged, Some(expected));
}

#[tokio::test]
async fn renames_binaries_links_and_strange_names_have_the_right_hunks() {
    let stage = Stage::with_commit();
    stage.sh(
        "seq 1 20 > old && printf 'a\\0b' > binary && ln -s x link && touch 'tab\tb' ' s ' && \
              git add . && git commit -qm two && \
              git mv old new && echo 21 >> new && printf 'a\\0c' > binary && rm link && \
              echo text > link && echo x > 'tab\tb' && echo -- > ' s ' && git add .",
    );
    let diff = stage.diff(DiffRequest { context: Some(0), ..DiffRequest::default() }).await;
    let expected = changes(vec![
        file(" s ", ChangeKind::Modified, (1, 0), "@@ -0,0 +1 @@\n+--\n"),
        FileDiff { binary: true, ..file("binary", ChangeKind::Modified, (0, 0), "") },
        file(
            "link",
            ChangeKind::TypeChanged,
            (1, 1),
            "@@ -1 +0,0 @@\n-x\n\\ No newline at end of file\n@@ -0,0 +1 @@\n+text\n",
        ),
        FileDiff {
            old_path: Some("old".to_owned()),
            ..file("new", ChangeKind::Renamed, (1, 0), "@@ -20,0 +21 @@\n+21\n")
        },
        file("tab\tb", ChangeKind::Modified, (1, 0), "@@ -0,0 +1 @@\n+x\n"),
    ]);
    let unstaged = Some(Changes::default());
    assert_eq!(diff, DiffReply { staged: Some(expected), unstaged, between: None });
}

#[tokio::test]
async fn settings_of_a_repository_do_not_change_what_is_read() {
    let stage = Stage::with_commit();
    stage.sh("git config diff.noprefix true && git config color.ui always && \
              git config diff.external false && git config diff.mnemonicPrefix true && \
              git config diff.context 0 && git config core.quotePath true && \
              git config diff.suppressBlankEmpty true && echo three >> a.txt");
    let hunks = "@@ -1,2 +1,3 @@\n one\n two\n+three\n";
    let expected = changes(vec![file("a.txt", ChangeKind::Modified, (1, 0), hunks)]);
    assert_eq!(stage.diff(DiffRequest::default()).await.unstaged, Some(expected));
}

#[tokio::test]
async fn a_file_in_conflict_is_shown_once() {
    let stage = Stage::with_commit();
    stage.sh("git checkout -qb other && echo theirs > a.txt && git commit -qam theirs && \
              git checkout -q main && echo ours > a.txt && git commit -qam ours");
    stage.try_sh("git merge -q other");
    let diff = stage.diff(DiffRequest::default()).await.unstaged.unwrap();
    assert_eq!((diff.totals.files, diff.files.len()), (1, 1));
    assert_eq!(diff.files[0].change, ChangeKind::Unmerged);
    assert!(diff.files[0].hunks.contains("++<<<<<<< HEAD\n +ours\n"), "{}", diff.files[0].hunks);
}

#[tokio::test]
async fn a_huge_diff_is_cut_at_lines_and_counted_whole() {
    let stage = Stage::with_commit();
    stage.sh("for n in 1 2 3 4; do seq 1 100000 > $n; done && git add .");
    let staged = stage.diff(DiffRequest::default()).await.staged.unwrap();
    assert_eq!(staged.totals, Totals { files: 4, insertions: 400_000, deletions: 0 });
    assert!(staged.truncated);
    let text: usize = staged.files.iter().map(|file| file.hunks.len()).sum();
    assert!(text > BUDGET - 100 && text <= BUDGET, "{text}");
    for file in &staged.files {
        assert!(file.truncated);
        assert!(file.hunks.is_empty() || file.hunks.ends_with('\n'));
        assert_eq!(file.insertions, 100_000);
    }
}

#[tokio::test]
async fn revisions_and_ranges_are_compared() {
    let stage = Stage::with_commit();
    stage.sh("git checkout -qb other && echo three >> a.txt && git commit -qam more && \
              git checkout -q main && touch b && git add . && git commit -qm b");
    let more = file("a.txt", ChangeKind::Modified, (1, 0), "@@ -2,0 +3 @@ one\n+three\n");
    let cases = [
        ("main...other", vec![more.clone()]),
        ("main..other", vec![more, file("b", ChangeKind::Deleted, (0, 0), "")]),
        ("HEAD~1", vec![file("b", ChangeKind::Added, (0, 0), "")]),
    ];
    for (revision, files) in cases {
        let revision = Some(revision.to_owned());
        let mut diff = stage
            .diff(DiffRequest { revision, context: Some(0), ..DiffRequest::default() })
            .await
            .between
            .unwrap();
        for file in &mut diff.files {
            file.hunks = file.hunks.replace("@@ two", "@@ one");
        }
        assert_eq!(diff, changes(files));
    }
    for bad in ["nothing", "HEAD:a.txt", "main..nothing"] {
        let request = DiffRequest { revision: Some(bad.to_owned()), ..DiffRequest::default() };
        let error = stage.run(GitRequest::Diff(request)).await.unwrap_err();
        assert!(matches!(error, GitError::NoSuchRevision { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn the_content_of_secrets_is_never_shown() {
    let stage = Stage::with_commit();
    stage.sh("echo TOKEN=sesame > .env && mkdir keys && echo sesame > keys/id_rsa && \
              git add -f . && git commit -qm secrets && \
              git mv .env plain.txt && echo more >> plain.txt && echo sesame2 > keys/id_rsa && \
              git add -f .");
    let staged = stage.diff(DiffRequest::default()).await.staged.unwrap();
    let hidden = |file: FileDiff| FileDiff { hidden: true, ..file };
    let expected = changes(vec![
        hidden(file("keys/id_rsa", ChangeKind::Modified, (1, 1), "")),
        hidden(FileDiff {
            old_path: Some(".env".to_owned()),
            ..file("plain.txt", ChangeKind::Renamed, (1, 0), "")
        }),
    ]);
    assert_eq!(staged, expected);

    let shown = stage.run(GitRequest::Show(ShowRequest::default())).await.unwrap();
    assert!(!format!("{shown:?}").contains("sesame"), "{shown:?}");
    let GitReply::Show(shown) = shown else { panic!("{shown:?}") };
    assert_eq!(shown.commit.summary, "secrets");
    assert!(shown.changes.files.iter().all(|file| file.hidden));

    for path in [".env", "keys/id_rsa"] {
        let request = ShowRequest { path: Some(rel(path)), ..ShowRequest::default() };
        let error = stage.run(GitRequest::Show(request)).await.unwrap_err();
        assert!(matches!(error, GitError::Secret { .. }), "{error:?}");
    }
    for revision in ["HEAD:.env", ":.env", "HEAD:keys/id_rsa"] {
        let request = ShowRequest { revision: Some(revision.to_owned()), ..ShowRequest::default() };
        let error = stage.run(GitRequest::Show(request)).await.unwrap_err();
        assert!(matches!(error, GitError::NoSuchRevision { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn another_name_of_a_secret_is_not_shown() {
    let stage = Stage::with_commit();
    stage.sh("echo TOKEN=sesame > .env && ln -f .env a.txt");
    let changed = stage.diff(DiffRequest::default()).await.unstaged.unwrap();
    let hidden = FileDiff { hidden: true, ..file("a.txt", ChangeKind::Modified, (1, 2), "") };
    assert_eq!(changed, changes(vec![hidden]));
    let twin = GitError::SecretTwin { path: "a.txt".to_owned() };
    let blame = BlameRequest { path: rel("a.txt"), ..BlameRequest::default() };
    assert_eq!(stage.run(GitRequest::Blame(blame)).await.unwrap_err(), twin);
    let show = ShowRequest { path: Some(rel("a.txt")), ..ShowRequest::default() };
    assert_eq!(stage.run(GitRequest::Show(show)).await.unwrap_err(), twin);
}

#[tokio::test]
async fn a_file_is_shown_as_it_was() {
    let stage = Stage::with_commit();
    stage.sh("mkdir d && seq 1 20000 > d/long && printf 'a\\0' > d/binary && git add . && \
              git commit -qm second && echo now > a.txt && git commit -qam third");
    let show = async |revision: &str, path: &str| {
        let request = ShowRequest {
            revision: Some(revision.to_owned()),
            path: Some(rel(path)),
            ..ShowRequest::default()
        };
        stage.run(GitRequest::Show(request)).await
    };
    let oid = |revision: &str| stage.sh(&format!("git rev-parse {revision}"));
    let expected = FileReply {
        path: "a.txt".to_owned(),
        oid: oid("HEAD~1"),
        size: 8,
        binary: false,
        content: "one\ntwo\n".to_owned(),
        truncated: false,
    };
    assert_eq!(show("HEAD~1", "a.txt").await, Ok(GitReply::File(expected)));
    let expected = FileReply {
        path: "d/binary".to_owned(),
        oid: oid("HEAD"),
        size: 2,
        binary: true,
        content: String::new(),
        truncated: false,
    };
    assert_eq!(show("main", "d/binary").await, Ok(GitReply::File(expected)));
    let Ok(GitReply::File(long)) = show("main", "d/long").await else { panic!() };
    assert!(long.truncated && long.content.len() <= BUDGET && long.content.ends_with('\n'));
    for (revision, path) in [("HEAD~2", "d/long"), ("HEAD", "d"), ("HEAD", "missing")] {
        let error = show(revision, path).await.unwrap_err();
        assert!(matches!(error, GitError::NotInRevision { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn the_log_tells_commits_page_by_page() {
    let stage = Stage::with_commit();
    stage.sh("git tag v1 && touch b && git add b && git commit -qm 'second\n\nwith a body' && \
              git commit -q --allow-empty -m third");
    let log = async |request: LogRequest| match stage.run(GitRequest::Log(request)).await {
        Ok(GitReply::Log(log)) => log,
        other => panic!("{other:?}"),
    };
    let summaries = |log: &LogReply| {
        log.commits.iter().map(|commit| commit.summary.clone()).collect::<Vec<_>>()
    };
    let whole = log(LogRequest::default()).await;
    assert_eq!(
        (summaries(&whole), whole.more),
        (vec!["third".into(), "second".into(), "first".into()], false)
    );
    let second = &whole.commits[1];
    assert_eq!(
        (second.body.as_str(), second.author.as_str(), &second.parents),
        ("with a body", "Person <person@example.org>", &vec![stage.sh("git rev-parse v1")])
    );
    assert_eq!(whole.commits[0].refs, ["HEAD -> main"]);
    assert_eq!(whole.commits[2].refs, ["tag: v1"]);

    let page = log(LogRequest { limit: Some(1), skip: 1, ..LogRequest::default() }).await;
    assert_eq!((summaries(&page), page.more), (vec!["second".into()], true));
    let of_b = log(LogRequest { path: Some(rel("b")), ..LogRequest::default() }).await;
    assert_eq!(summaries(&of_b), ["second"]);
    let range =
        log(LogRequest { revision: Some("v1..".to_owned()), ..LogRequest::default() }).await;
    assert_eq!(summaries(&range), ["third", "second"]);

    let bare = Stage::empty();
    bare.sh("git init -q");
    let request = GitRequest::Log(LogRequest::default());
    assert_eq!(bare.run(request).await, Err(GitError::NoCommitYet));
}

#[tokio::test]
async fn a_merge_is_shown_against_its_first_parent() {
    let stage = Stage::with_commit();
    stage.sh("git checkout -qb other && touch b && git add b && git commit -qm b && \
              git checkout -q main && touch c && git add c && git commit -qm c && \
              git merge -q --no-edit other");
    let shown = stage.run(GitRequest::Show(ShowRequest::default())).await.unwrap();
    let GitReply::Show(shown) = shown else { panic!("{shown:?}") };
    assert_eq!(shown.changes, changes(vec![file("b", ChangeKind::Added, (0, 0), "")]));
}
