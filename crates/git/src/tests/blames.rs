//! Which commit lines come from.

use super::*;

async fn blame(stage: &Stage, request: BlameRequest) -> Result<BlameReply, GitError> {
    match stage.run(GitRequest::Blame(request)).await? {
        GitReply::Blame(reply) => Ok(reply),
        other => panic!("{other:?}"),
    }
}

fn of(path: &str) -> BlameRequest {
    BlameRequest { path: rel(path), ..BlameRequest::default() }
}

fn lines(first: u32, last: u32, oid: Option<&str>) -> BlamedLines {
    BlamedLines { first, last, oid: oid.map(str::to_owned) }
}

#[tokio::test]
async fn lines_come_from_commits_and_unsaved_ones_from_none() {
    let stage = Stage::with_commit();
    stage.sh("printf 'one\\nTWO\\nthree\\n' > a.txt && git commit -qam second");
    let (first, second) = (stage.sh("git rev-parse HEAD~"), stage.sh("git rev-parse HEAD"));
    let whole = blame(&stage, of("a.txt")).await.unwrap();
    assert_eq!(whole.lines, [lines(1, 1, Some(&first)), lines(2, 3, Some(&second))]);
    let told: Vec<(&str, &str, &str)> = whole
        .commits
        .iter()
        .map(|commit| (commit.oid.as_str(), commit.author.as_str(), commit.summary.as_str()))
        .collect();
    let person = "Person <person@example.org>";
    assert_eq!(told, [(first.as_str(), person, "first"), (second.as_str(), person, "second")]);
    let part =
        blame(&stage, BlameRequest { lines: Some("3".into()), ..of("a.txt") }).await.unwrap();
    assert_eq!(part.lines, [lines(3, 3, Some(&second))]);
    assert_eq!(part.commits.len(), 1);
    let content = Some("zero\none\n".to_owned());
    let unsaved = blame(&stage, BlameRequest { content, ..of("a.txt") }).await.unwrap();
    assert_eq!(unsaved.lines, [lines(1, 1, None), lines(2, 2, Some(&first))]);
    let revision = Some("HEAD~".to_owned());
    let before = blame(&stage, BlameRequest { revision, ..of("a.txt") }).await.unwrap();
    assert_eq!(before.lines, [lines(1, 2, Some(&first))]);
    assert!(stage.scratch_is_empty());
}

#[tokio::test]
async fn what_has_no_history_is_told() {
    let stage = Stage::with_commit();
    stage.put("new", "x\n");
    stage.put(".env", "K=1\n");
    let missing = GitError::NotInRevision { path: "new".to_owned(), revision: "HEAD".to_owned() };
    assert_eq!(blame(&stage, of("new")).await, Err(missing));
    let secret = GitError::Secret { path: ".env".to_owned(), rule: ".env".to_owned() };
    assert_eq!(blame(&stage, of(".env")).await, Err(secret));
    stage.sh("rm a.txt");
    let gone = GitError::NoSuchFiles { files: vec!["a.txt".to_owned()] };
    assert_eq!(blame(&stage, of("a.txt")).await, Err(gone));
    stage.sh("git checkout -q a.txt");
    let beyond = BlameRequest { lines: Some("9".into()), ..of("a.txt") };
    assert_eq!(blame(&stage, beyond).await, Err(GitError::invalid("`a.txt` has only 2 lines")));
    let many = BlameRequest { lines: Some("1-1001".into()), ..of("a.txt") };
    assert_eq!(blame(&stage, many).await, Err(GitError::invalid("`lines` are more than 1000")));
    let empty = Stage::empty();
    empty.sh("git init -q -b main && echo x > a.txt && git add .");
    assert_eq!(blame(&empty, of("a.txt")).await, Err(GitError::NoCommitYet));
}
