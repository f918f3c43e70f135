//! Secrets that would be taken along with all the rest.

use serde_json::json;

use super::*;

async fn ask(stage: &Stage, request: serde_json::Value) -> Result<(), GitError> {
    stage.run(serde_json::from_value(request).unwrap()).await.map(drop)
}

/// A repository in whose index and folder somebody has put secrets.
fn stage() -> Stage {
    let stage = Stage::with_commit();
    stage.sh(
        "echo KEY=1 > .env && echo .env > .gitignore && git add .gitignore && git commit -qm ignored && \
         mkdir -p deep && echo k > deep/server.pem && echo three >> a.txt && \
         git update-index --add --cacheinfo 100644,$(git rev-parse HEAD:a.txt),.env",
    );
    stage
}

fn refused(files: &[&str]) -> Result<(), GitError> {
    Err(GitError::SecretsAlong { files: files.iter().map(ToString::to_string).collect() })
}

#[tokio::test]
async fn secrets_that_no_commit_has_are_left_out_of_all() {
    let stage = stage();
    for (request, files) in [
        (json!({"action": "commit", "message": "all", "all": true}), &[".env"][..]),
        (json!({"action": "add", "files": ["."]}), &[".env", "deep/server.pem"]),
        (json!({"action": "add", "files": ["deep"]}), &["deep/server.pem"]),
        (json!({"action": "commit", "message": "deep", "files": ["deep"]}), &["deep/server.pem"]),
        (json!({"action": "stash", "operation": "push"}), &[".env"]),
        (
            json!({"action": "stash", "operation": "push", "include_untracked": true}),
            &[".env", "deep/server.pem"],
        ),
    ] {
        for force in [false, true] {
            let mut request = request.clone();
            request["force"] = force.into();
            // Only a person means it.
            assert_eq!(ask(&stage, request.clone()).await, refused(files), "{request}");
        }
    }
    assert_eq!(stage.sh("git log --format=%s && cat .env"), "ignored\nfirst\nKEY=1");
}

#[tokio::test]
async fn a_person_who_means_it_takes_them_along() {
    let mut stage = stage();
    stage.sh("git config user.name Person && git config user.email person@example.org");
    stage.git = stage.git.for_a_person();
    let add = json!({"action": "add", "files": ["deep/server.pem"]});
    assert_eq!(ask(&stage, add).await, refused(&["deep/server.pem"]));
    ask(&stage, json!({"action": "add", "files": ["deep/server.pem"], "force": true}))
        .await
        .unwrap();
    ask(&stage, json!({"action": "commit", "message": "all", "all": true, "force": true}))
        .await
        .unwrap();
    assert_eq!(stage.sh("git show --format= --name-only HEAD"), ".env\na.txt\ndeep/server.pem");
}

#[tokio::test]
async fn a_secret_that_is_committed_as_it_is_is_in_nobodys_way_and_another_in_its_name_is() {
    let stage = Stage::with_commit();
    stage.sh("echo KEY=1 > .env && git add -f .env && git commit -qm two && echo three >> a.txt");
    ask(&stage, json!({"action": "commit", "message": "three", "all": true})).await.unwrap();
    stage.sh("echo KEY=2 > .env && echo four >> a.txt");
    let all = json!({"action": "commit", "message": "four", "all": true});
    assert_eq!(ask(&stage, all).await, refused(&[".env"]));
    assert_eq!(stage.sh("git show HEAD:.env"), "KEY=1");
}

#[tokio::test]
async fn all_the_rest_goes_along_by_name() {
    let stage = stage();
    ask(&stage, json!({"action": "commit", "message": "one file", "files": ["a.txt"]}))
        .await
        .unwrap();
    assert_eq!(stage.sh("git show --format= --name-only HEAD"), "a.txt");
}
