//! Files as git has them.

use super::*;

async fn content(stage: &Stage, path: &str, revision: Option<&str>) -> Result<Vec<u8>, GitError> {
    let cancel = CancellationToken::new();
    let stored = stage.git.content(&stage.files, &rel(path), revision, FAR, &cancel).await;
    stored.map(|stored| stored.content)
}

fn missing(path: &str, revision: &str) -> Result<Vec<u8>, GitError> {
    Err(GitError::NotInRevision { path: path.to_owned(), revision: revision.to_owned() })
}

#[tokio::test]
async fn bytes_are_those_of_the_commit_or_of_the_index() {
    let stage = Stage::with_commit();
    let binary: Vec<u8> = (0..=255).cycle().take(200_000).collect();
    stage.put("deep/b.bin", &binary);
    stage
        .sh("git add deep && printf 'staged\\r\\n' > a.txt && git add a.txt && echo later > a.txt");
    assert_eq!(content(&stage, "a.txt", Some("HEAD")).await, Ok(b"one\ntwo\n".to_vec()));
    assert_eq!(content(&stage, "a.txt", None).await, Ok(b"staged\r\n".to_vec()));
    assert_eq!(content(&stage, "deep/b.bin", None).await, Ok(binary));
    assert_eq!(content(&stage, "deep/b.bin", Some("HEAD")).await, missing("deep/b.bin", "HEAD"));
    for path in ["deep", "", "nothing", "*"] {
        let shown = if path.is_empty() { "." } else { path };
        assert_eq!(content(&stage, path, None).await, missing(shown, "index"));
        assert_eq!(content(&stage, path, Some("HEAD")).await, missing(shown, "HEAD"));
    }
}

#[tokio::test]
async fn a_file_in_conflict_has_its_sides_and_what_was_before_and_nothing_in_the_index() {
    let stage = Stage::with_commit();
    stage.sh("git checkout -qb other && echo theirs > a.txt && git commit -qam theirs && git checkout -q main");
    stage.sh("echo ours > a.txt && git commit -qam ours && ! git merge -q other");
    assert_eq!(content(&stage, "a.txt", Some(":1")).await, Ok(b"one\ntwo\n".to_vec()));
    assert_eq!(content(&stage, "a.txt", Some(":2")).await, Ok(b"ours\n".to_vec()));
    assert_eq!(content(&stage, "a.txt", Some(":3")).await, Ok(b"theirs\n".to_vec()));
    assert_eq!(content(&stage, "a.txt", None).await, missing("a.txt", "index"));
    stage.sh("echo both > a.txt && git add a.txt");
    assert_eq!(content(&stage, "a.txt", Some(":2")).await, missing("a.txt", ":2"));
    assert_eq!(content(&stage, "a.txt", None).await, Ok(b"both\n".to_vec()));
}

#[tokio::test]
async fn what_has_no_content_says_why() {
    let stage = Stage::empty();
    assert_eq!(content(&stage, "a", None).await, Err(GitError::NotARepository));
    stage.sh("git init -q -b main");
    let unknown = |revision: &str| Err(GitError::NoSuchRevision { revision: revision.to_owned() });
    assert_eq!(content(&stage, "a", Some("HEAD")).await, unknown("HEAD"));
    assert_eq!(content(&stage, "a", Some("--help")).await, unknown("--help"));
    stage.sh("echo KEY > .env && git add -f .env");
    let secret = GitError::Secret { path: ".env".to_owned(), rule: ".env".to_owned() };
    assert_eq!(content(&stage, ".env", None).await, Err(secret));
    let cancel = CancellationToken::new();
    let person = stage.files.for_a_person();
    let stored = stage.git.content(&person, &rel(".env"), None, FAR, &cancel).await.unwrap();
    assert_eq!(stored.content, b"KEY\n");
}

#[tokio::test]
async fn a_workspace_inside_a_repository_sees_its_own_files() {
    let stage = Stage::at("repository/inner");
    stage.put("a.txt", "inner\n");
    stage.sh(
        "cd .. && git init -q -b main && echo outer > a.txt && git add . && git commit -qm first",
    );
    for revision in [None, Some("HEAD")] {
        assert_eq!(content(&stage, "a.txt", revision).await, Ok(b"inner\n".to_vec()));
    }
}
