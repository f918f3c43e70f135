//! Changes put aside.

use super::*;

fn request(operation: StashOperation) -> StashRequest {
    StashRequest { operation, message: None, include_untracked: false, force: false, index: None }
}

async fn ask(stage: &Stage, request: StashRequest) -> Result<StashReply, GitError> {
    match stage.run(GitRequest::Stash(request)).await? {
        GitReply::Stash(reply) => Ok(reply),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn changes_go_aside_and_come_back() {
    let stage = Stage::with_commit();
    stage.sh("echo three >> a.txt && touch new");
    let push = StashRequest {
        message: Some("work on three".to_owned()),
        include_untracked: true,
        ..request(StashOperation::Push)
    };
    let pushed = ask(&stage, push).await.unwrap();
    let entry = StashEntry {
        index: 0,
        oid: stage.sh("git rev-parse refs/stash"),
        created: stage.sh("git log -1 --format=%cI refs/stash"),
        message: "On main: work on three".to_owned(),
    };
    let expected = StashReply { entry: Some(entry.clone()), entries: all(vec![entry.clone()]) };
    assert_eq!(pushed, expected);
    let status = stage.status().await;
    assert_eq!((status.clean, status.stashes), (true, 1));

    let listed = ask(&stage, request(StashOperation::List)).await.unwrap();
    assert_eq!(listed, StashReply { entry: None, entries: all(vec![entry.clone()]) });
    let applied = ask(&stage, request(StashOperation::Apply)).await.unwrap();
    assert_eq!(applied, expected);
    assert_eq!(stage.content("a.txt"), "one\ntwo\nthree\n");

    stage.sh("git reset -q --hard && rm new");
    let popped = ask(&stage, request(StashOperation::Pop)).await.unwrap();
    assert_eq!(popped, StashReply { entry: Some(entry), entries: all(vec![]) });
    let status = stage.status().await;
    assert_eq!(status.unstaged, all(vec![change("a.txt", ChangeKind::Modified)]));
    assert_eq!(status.untracked, all(vec![named("new")]));
}

#[tokio::test]
async fn what_cannot_be_stashed_or_taken_back_says_why() {
    let stage = Stage::with_commit();
    let nothing = ask(&stage, request(StashOperation::Push)).await;
    assert_eq!(nothing, Err(GitError::NothingToStash));
    for operation in [StashOperation::Pop, StashOperation::Apply, StashOperation::Drop] {
        let index = Some(3);
        let missing = ask(&stage, StashRequest { index, ..request(operation) }).await;
        assert_eq!(missing, Err(GitError::NoSuchStash { index: 3 }));
    }
    stage.sh("echo aside > a.txt && git stash push -q && echo mine > a.txt");
    let overwrite = ask(&stage, request(StashOperation::Pop)).await;
    assert_eq!(overwrite, Err(GitError::WouldOverwrite { files: vec!["a.txt".to_owned()] }));
    stage.sh("git commit -qam mine");
    let conflict = ask(&stage, request(StashOperation::Pop)).await;
    assert_eq!(conflict, Err(GitError::Conflicts { files: vec!["a.txt".to_owned()] }));
    stage.sh("git reset -q --hard");
    let dropped = ask(&stage, request(StashOperation::Drop)).await.unwrap();
    assert_eq!(dropped.entries, all(vec![]));
}
