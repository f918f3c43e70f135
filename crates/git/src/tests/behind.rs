//! Git behind a wall, in a repository that others can change.

use serde_json::json;

use super::*;

/// A workspace whose git stands behind a program that becomes it.
fn behind(mut stage: Stage) -> Stage {
    stage.git.settings.behind = ["env", "BEHIND=yes"].map(OsString::from).into();
    stage
}

/// An index with one file, as no git writes it.
fn crafted(stage: &Stage, name: &str) -> Vec<u8> {
    let mut index = [b"DIRC".as_slice(), &2_u32.to_be_bytes(), &1_u32.to_be_bytes()].concat();
    let mut entry: Vec<u8> =
        [0, 0, 0, 0, 0, 0, 0o100_755, 0, 0, 0_u32].map(u32::to_be_bytes).concat();
    let blob = stage.sh("git rev-parse HEAD:a.txt");
    entry.extend(
        blob.as_bytes()
            .chunks(2)
            .map(|digits| u8::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap()),
    );
    entry.extend(u16::try_from(name.len()).unwrap().to_be_bytes());
    entry.extend(name.as_bytes());
    entry.resize(entry.len() / 8 * 8 + 8, 0);
    index.extend(entry);
    // Git does not look at the sum of what it reads here.
    index.extend([0; 20]);
    index
}

#[tokio::test]
async fn an_index_that_names_what_git_would_not_is_refused_by_whatever_writes_files() {
    for name in ["../left", ".git/hooks/pre-commit"] {
        let stage = behind(Stage::with_commit());
        stage.put(".git/index", crafted(&stage, name));
        let refused = Err(GitError::CraftedIndex { name: name.to_owned() });
        for request in [
            json!({"action": "restore", "files": ["."]}),
            json!({"action": "stash", "operation": "push"}),
            json!({"action": "checkout", "branch": "other"}),
            json!({"action": "commit", "message": "two", "all": true}),
        ] {
            let said = request.to_string();
            let request = serde_json::from_value(request).unwrap();
            assert_eq!(stage.run(request).await, refused, "{said}");
        }
        assert!(!stage.path(name).exists(), "{name}");
    }
}

#[tokio::test]
async fn what_git_wrote_itself_is_taken() {
    let stage = behind(Stage::with_commit());
    stage.put("a.txt", "changed\n");
    stage.put("ünder/b c.txt", "new\n");
    stage.sh("git add .");
    let commit = json!({"action": "commit", "message": "two"});
    stage.run(serde_json::from_value(commit).unwrap()).await.unwrap();
    assert_eq!(stage.sh("git log --format=%s"), "two\nfirst");
}

#[tokio::test]
async fn git_and_its_hooks_stand_behind_the_wall_unless_the_repository_lies_elsewhere() {
    let commit = || {
        serde_json::from_value(json!({"action": "commit", "message": "two", "all": true})).unwrap()
    };
    let stage = behind(Stage::with_commit());
    stage.hook("pre-commit", "echo \"$BEHIND\" > ../seen");
    stage.put("a.txt", "changed\n");
    stage.run(commit()).await.unwrap();
    assert_eq!(stage.sh("cat ../seen"), "yes");

    let stage = behind(Stage::at("root/inner"));
    stage.sh("cd .. && git init -q -b main && echo one > inner/a.txt && git add . && git commit -qm first");
    stage.sh("printf '#!/bin/sh\\necho \"$BEHIND\" > seen\\n' > ../.git/hooks/pre-commit && chmod +x ../.git/hooks/pre-commit");
    stage.put("a.txt", "changed\n");
    stage.run(commit()).await.unwrap();
    assert_eq!(stage.sh("cat ../seen"), "");
}

#[tokio::test]
async fn a_rebase_that_would_run_programs_is_not_gone_on_with() {
    let stage = behind(Stage::with_commit());
    stage.sh("git checkout -qb other && echo theirs > a.txt && git commit -qam theirs && \
              git checkout -q main && echo ours > a.txt && git commit -qam ours");
    stage.try_sh("git rebase -q --exec 'touch ../left' other");
    stage.sh("echo both > a.txt && git add a.txt");
    let refused = Err(GitError::RunsPrograms { lines: vec!["exec touch ../left".to_owned()] });
    for word in ["continue", "skip"] {
        let request = serde_json::from_value(json!({"action": word})).unwrap();
        assert_eq!(stage.run(request).await, refused, "{word}");
    }
    let abort = serde_json::from_value(json!({"action": "abort"})).unwrap();
    stage.run(abort).await.unwrap();
    assert_eq!(
        (stage.content("a.txt").as_str(), stage.path("../left").exists()),
        ("ours\n", false)
    );
}

#[tokio::test]
async fn a_link_or_a_pipe_among_gits_own_files_is_refused_before_git_meets_it() {
    for (script, path) in [
        ("ln -sf config .git/COMMIT_EDITMSG", ".git/COMMIT_EDITMSG"),
        ("rm .git/logs/HEAD && ln -s ../config .git/logs/HEAD", ".git/logs/HEAD"),
        ("ln -s ../../secret .git/packed-refs", ".git/packed-refs"),
        (
            "mkdir -p .git/refs/heads/a && ln -s /etc/hostname .git/refs/heads/a/b",
            ".git/refs/heads/a/b",
        ),
        ("git rev-parse HEAD > .git/MERGE_HEAD && mkfifo .git/MERGE_MSG", ".git/MERGE_MSG"),
        ("rm .git/index && mkfifo .git/index", ".git/index"),
    ] {
        let stage = behind(Stage::with_commit());
        stage.sh(script);
        let refused = Err(GitError::Misleading { path: path.to_owned() });
        assert_eq!(
            stage.run(GitRequest::Status(StatusRequest::default())).await,
            refused,
            "{script}"
        );
    }
}

#[tokio::test]
async fn a_prepared_message_that_is_a_link_or_a_pipe_is_none() {
    for script in ["ln -s ../a.txt .git/MERGE_MSG", "mkfifo .git/MERGE_MSG"] {
        let stage = Stage::with_commit();
        stage.sh(&format!("git rev-parse HEAD > .git/MERGE_HEAD && {script}"));
        assert_eq!(stage.status().await.message, None, "{script}");
    }
}
