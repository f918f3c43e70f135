//! Tags, and logs that start at several places.

use super::*;

async fn tag(stage: &Stage, request: TagRequest) -> Result<TagReply, GitError> {
    match stage.run(GitRequest::Tag(request)).await? {
        GitReply::Tag(reply) => Ok(reply),
        other => panic!("{other:?}"),
    }
}

fn create(name: &str) -> TagRequest {
    let (operation, name) = (TagOperation::Create, Some(name.to_owned()));
    TagRequest { operation, name, ..TagRequest::default() }
}

#[tokio::test]
async fn tags_are_made_listed_and_deleted() {
    let stage = Stage::with_commit();
    let first = stage.sh("git rev-parse HEAD");
    stage.sh("git commit -q --allow-empty -m second");
    let made = tag(&stage, TagRequest { revision: Some("HEAD~".into()), ..create("v1") }).await;
    let time = stage.sh("git log -1 --format=%cI HEAD~");
    let v1 = TagInfo {
        name: "v1".to_owned(),
        oid: first.clone(),
        annotated: false,
        created: time,
        summary: "first".to_owned(),
    };
    assert_eq!(made, Ok(TagReply { tags: all(vec![v1]), ..TagReply::default() }));
    let message = Some("The second\n\nwith words".to_owned());
    let made = tag(&stage, TagRequest { message, ..create("release/2") }).await.unwrap();
    let told = &made.tags.entries[0];
    let expected = ("release/2", true, "The second");
    assert_eq!((told.name.as_str(), told.annotated, told.summary.as_str()), expected);
    assert_eq!(told.oid, stage.sh("git rev-parse HEAD"));
    let exists = GitError::TagExists { tag: "v1".to_owned() };
    assert_eq!(tag(&stage, create("v1")).await, Err(exists));
    let listed = tag(&stage, TagRequest::default()).await.unwrap().tags;
    let mut names: Vec<&str> = listed.entries.iter().map(|tag| tag.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["release/2", "v1"]);
    let delete = TagRequest { operation: TagOperation::Delete, ..create("v1") };
    let deleted =
        TagReply { deleted: Some("v1".into()), deleted_oid: Some(first), ..TagReply::default() };
    assert_eq!(tag(&stage, delete.clone()).await, Ok(deleted));
    assert_eq!(tag(&stage, delete).await, Err(GitError::NoSuchTag { tag: "v1".to_owned() }));
    assert_eq!(stage.sh("git tag"), "release/2");
}

#[tokio::test]
async fn names_that_cannot_be_tags_are_refused() {
    let stage = Stage::with_commit();
    for name in ["-d", "a..b", "a b", ""] {
        let refused = tag(&stage, create(name)).await;
        assert!(matches!(refused, Err(GitError::InvalidRequest { .. })), "{name}: {refused:?}");
    }
    let nameless = TagRequest { name: None, ..create("") };
    assert_eq!(tag(&stage, nameless).await, Err(GitError::invalid("`name` is missing")));
}

#[tokio::test]
async fn a_log_starts_at_every_branch_or_at_several_revisions() {
    let stage = Stage::with_commit();
    stage.sh("git checkout -qb other && git commit -q --allow-empty -m other && git tag t && \
              git checkout -q main && git branch -qD other && git commit -q --allow-empty -m main");
    let log = async |request: LogRequest| match stage.run(GitRequest::Log(request)).await {
        Ok(GitReply::Log(log)) => {
            let mut summaries: Vec<String> =
                log.commits.into_iter().map(|commit| commit.summary).collect();
            summaries[..2].sort();
            summaries
        }
        other => panic!("{other:?}"),
    };
    let all = log(LogRequest { all: true, ..LogRequest::default() }).await;
    assert_eq!(all, ["main", "other", "first"]);
    let revisions = vec!["main".to_owned(), "t".to_owned()];
    let both = log(LogRequest { revisions: revisions.clone(), ..LogRequest::default() }).await;
    assert_eq!(both, ["main", "other", "first"]);
    let request = LogRequest { all: true, revisions, ..LogRequest::default() };
    let refused = stage.run(GitRequest::Log(request)).await;
    let reason = "`revision`, `revisions` and `all` exclude each other";
    assert_eq!(refused, Err(GitError::invalid(reason)));
    let many = LogRequest { revisions: vec!["main".to_owned(); 101], ..LogRequest::default() };
    let refused = stage.run(GitRequest::Log(many)).await;
    assert_eq!(refused, Err(GitError::invalid("`revisions` has more than 100")));
}

#[tokio::test]
async fn an_amended_commit_keeps_its_message_when_none_is_given() {
    let stage = Stage::with_commit();
    stage.sh("echo three >> a.txt");
    let request =
        CommitRequest { message: None, amend: true, all: true, ..CommitRequest::default() };
    assert_eq!(stage.commit(request).await.unwrap().summary, "first");
    assert_eq!(stage.sh("git rev-list --count HEAD"), "1");
    let without = CommitRequest { allow_empty: true, ..CommitRequest::default() };
    let missing = GitError::invalid("`message` is missing");
    assert_eq!(stage.commit(without).await, Err(missing));
}
