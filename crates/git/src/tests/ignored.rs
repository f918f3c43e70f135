//! What git ignores.

use super::*;

async fn ignored(stage: &Stage) -> Result<Vec<String>, GitError> {
    let cancel = CancellationToken::new();
    let found = stage.git.ignored(&stage.files, FAR, &cancel).await?;
    let mut paths: Vec<String> = found.entries.into_iter().map(|name| name.path).collect();
    paths.sort();
    Ok(paths)
}

#[tokio::test]
async fn ignored_files_and_whole_folders_are_named_and_nothing_else() {
    let stage = Stage::with_commit();
    stage.sh("printf 'build/\\n*.log\\n' > .gitignore && mkdir -p build/deep src && touch build/deep/a build/b");
    stage.sh("touch one.log src/two.log src/new.rs && git add -f one.log");
    assert_eq!(ignored(&stage).await, Ok(vec!["build".to_owned(), "src/two.log".to_owned()]));
}

#[tokio::test]
async fn outside_a_repository_it_says_so() {
    assert_eq!(ignored(&Stage::empty()).await, Err(GitError::NotARepository));
}
