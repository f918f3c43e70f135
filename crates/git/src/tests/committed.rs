//! Secrets in the history.

use super::*;

async fn committed(stage: &Stage) -> Result<Bounded<String>, GitError> {
    stage.git.committed_secrets(&stage.files, FAR, &CancellationToken::new()).await
}

#[tokio::test]
async fn a_secret_that_any_branch_or_stash_ever_had_is_named_once() {
    let stage = Stage::with_commit();
    assert_eq!(committed(&stage).await, Ok(Bounded::default()));
    stage.sh(
        "echo a=1 > .env && echo b=1 > .env.example && git add -f . && git commit -qm two && \
         git rm -q --cached .env && git commit -qm three && \
         git checkout -qb other && mkdir -p deep && echo k > 'deep/my key.pem' && git add -f deep && git commit -qm four && \
         git checkout -q main && git branch -q third && echo c > .env.local && git add -f .env.local && git stash -q",
    );
    let found = [".env", ".env.local", "deep/my key.pem"].map(str::to_owned).into();
    assert_eq!(committed(&stage).await, Ok(Bounded { entries: found, total: 3 }));
}

#[tokio::test]
async fn a_link_with_the_name_of_a_secret_has_none_in_it_until_it_becomes_a_file() {
    let stage = Stage::with_commit();
    stage.sh(
        "ln -s .env .env.local && ln -s ../keys 'my key.pem' && git add -f . && git commit -qm two",
    );
    assert_eq!(committed(&stage).await, Ok(Bounded::default()));
    stage.sh("rm .env.local && echo a=1 > .env.local && git add -f . && git commit -qm three");
    let found = [".env.local"].map(str::to_owned).into();
    assert_eq!(committed(&stage).await, Ok(Bounded { entries: found, total: 1 }));
}

#[tokio::test]
async fn without_a_repository_or_a_commit_there_is_no_history() {
    let stage = Stage::empty();
    assert_eq!(committed(&stage).await, Err(GitError::NotARepository));
    stage.sh("git init -q");
    assert_eq!(committed(&stage).await, Ok(Bounded::default()));
}
