//! Parts of files, staged and unstaged; conflict markers.

use super::*;

fn part(lines: &str) -> AddRequest {
    AddRequest { files: rels(&["a.txt"]), lines: Some(lines.to_owned()), ..AddRequest::default() }
}

async fn add(stage: &Stage, request: AddRequest) -> Result<AddReply, GitError> {
    match stage.run(GitRequest::Add(request)).await? {
        GitReply::Add(reply) => Ok(reply),
        other => panic!("{other:?}"),
    }
}

async fn unstage(stage: &Stage, lines: &str) -> Result<GitReply, GitError> {
    let request = RestoreRequest {
        files: rels(&["a.txt"]),
        staged: true,
        lines: Some(lines.to_owned()),
        ..RestoreRequest::default()
    };
    stage.run(GitRequest::Restore(request)).await
}

fn index(stage: &Stage) -> String {
    stage.sh("git cat-file blob :a.txt")
}

/// Ten lines are committed; 1 is changed, 4 is gone, two come after 6 and 10 is two.
fn ten() -> Stage {
    let stage = Stage::empty();
    stage.sh("git init -q -b main && seq 1 10 > a.txt && git add . && git commit -qm first");
    stage.put("a.txt", "one\n2\n3\n5\n6\nnew\nmore\n7\n8\n9\nten\neleven\n");
    stage
}

#[tokio::test]
async fn the_changes_on_some_lines_are_staged_and_the_file_stays_as_it_is() {
    let stage = ten();
    let staged = AddReply { staged: all(vec![change("a.txt", ChangeKind::Modified)]) };
    assert_eq!(add(&stage, part("7")).await, Ok(staged));
    assert_eq!(index(&stage), "1\n2\n3\n4\n5\n6\nmore\n7\n8\n9\n10");
    add(&stage, part("3,12")).await.unwrap();
    assert_eq!(index(&stage), "1\n2\n3\n5\n6\nmore\n7\n8\n9\nten\neleven");
    add(&stage, part("1-12")).await.unwrap();
    assert!(stage.content("a.txt").ends_with("ten\neleven\n"));
    let status = stage.status().await;
    assert_eq!((status.staged.total, status.unstaged.total), (1, 0));
    assert!(stage.scratch_is_empty());
}

#[tokio::test]
async fn unsaved_text_is_what_is_staged() {
    let stage = ten();
    let content = Some("1\n2\n3\n4\n5\n6\n7\n8\n9\nTEN\n".to_owned());
    add(&stage, AddRequest { content, ..part("10") }).await.unwrap();
    assert_eq!(index(&stage), "1\n2\n3\n4\n5\n6\n7\n8\n9\nTEN");
}

#[tokio::test]
async fn the_changes_on_some_lines_are_taken_out_of_the_index() {
    let stage = ten();
    stage.sh("git add a.txt");
    unstage(&stage, "1,6").await.unwrap();
    assert_eq!(index(&stage), "1\n2\n3\n5\n6\nmore\n7\n8\n9\nten\neleven");
    unstage(&stage, "3-100").await.unwrap();
    assert_eq!(stage.status().await.staged.total, 0);
    assert!(stage.content("a.txt").starts_with("one\n2\n3\n5\n"));
}

#[tokio::test]
async fn a_workspace_inside_a_repository_stages_parts_of_its_own_files() {
    let stage = Stage::at("repository/root");
    stage.sh(
        "cd .. && git init -q -b main && seq 1 3 > root/a.txt && git add . && git commit -qm x",
    );
    stage.put("a.txt", "one\n2\nthree\n");
    add(&stage, part("3")).await.unwrap();
    assert_eq!(stage.sh("cd .. && git ls-files"), "root/a.txt");
    assert_eq!(stage.sh("git cat-file blob :./a.txt"), "1\n2\nthree");
}

#[tokio::test]
async fn what_cannot_be_staged_in_parts_is_told() {
    let stage = ten();
    let there = GitError::NoChangeThere { path: "a.txt".to_owned() };
    assert_eq!(add(&stage, part("2")).await, Err(there.clone()));
    assert_eq!(unstage(&stage, "1").await, Err(there));
    stage.put("new", "x\n");
    stage.put("bytes", [0, 1, 2]);
    stage.sh("git add bytes && ln -s a.txt link && git add link");
    stage.put("bytes", [0, 1, 3]);
    stage.put(".env", "K=1\n");
    stage.sh("git add .env && echo K=2 > .env");
    let secret = GitError::Secret { path: ".env".to_owned(), rule: ".env".to_owned() };
    let cases = [
        (vec!["new"], GitError::invalid("git does not know `new` yet: stage all of it")),
        (vec!["link"], GitError::invalid("`link` is no plain file")),
        (vec!["bytes"], GitError::invalid("`bytes` is no text")),
        (vec!["a.txt", "new"], GitError::invalid("`lines` are those of one file")),
        (vec![".env"], secret),
    ];
    for (files, error) in cases {
        let request = AddRequest { files: rels(&files), ..part("1") };
        assert_eq!(add(&stage, request).await, Err(error), "{files:?}");
    }
}

#[tokio::test]
async fn a_file_with_conflict_markers_is_staged_only_with_a_word() {
    let stage = Stage::with_commit();
    stage.sh("git checkout -qb other && echo theirs > a.txt && git commit -qam theirs && \
              git checkout -q main && echo ours > a.txt && git commit -qam ours");
    stage.try_sh("git merge -q other");
    let whole = |force| AddRequest { files: rels(&["a.txt"]), force, ..AddRequest::default() };
    let refused = GitError::ConflictMarkers { files: vec!["a.txt".to_owned()] };
    assert_eq!(add(&stage, whole(false)).await, Err(refused.clone()));
    let everything = AddRequest { files: rels(&[""]), ..AddRequest::default() };
    assert_eq!(add(&stage, everything).await, Err(refused));
    let conflicts = GitError::Conflicts { files: vec!["a.txt".to_owned()] };
    assert_eq!(add(&stage, part("1")).await, Err(conflicts));
    assert_eq!(stage.status().await.conflicts.total, 1);
    stage.put("a.txt", "both\n");
    add(&stage, whole(false)).await.unwrap();
    assert_eq!(stage.status().await.conflicts.total, 0);
    stage.sh("git checkout -q --merge a.txt");
    add(&stage, whole(true)).await.unwrap();
    assert_eq!(stage.status().await.conflicts.total, 0);
}
