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
        (
            "git gc -q && mv .git/objects/pack ../pack && ln -s ../../../pack .git/objects/pack",
            ".git/objects/pack",
        ),
        ("mkdir .git/objects/00 && ln -s /etc/hostname .git/objects/00/x", ".git/objects/00/x"),
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
async fn a_prepared_message_that_is_a_link_is_none() {
    let stage = Stage::with_commit();
    stage.sh("git rev-parse HEAD > .git/MERGE_HEAD && ln -s ../a.txt .git/MERGE_MSG");
    assert_eq!(stage.status().await.message, None);
}

#[tokio::test]
async fn a_pipe_among_gits_own_files_keeps_nobody_waiting_and_a_link_misleads_only_who_can_do_more()
{
    let status = || GitRequest::Status(StatusRequest::default());
    for file in ["HEAD", "index", "packed-refs"] {
        let stage = Stage::with_commit();
        stage.sh(&format!("rm -f .git/{file} && mkfifo .git/{file}"));
        let refused = Err(GitError::Misleading { path: format!(".git/{file}") });
        assert_eq!(stage.run(status()).await, refused);
    }
    let stage = Stage::with_commit();
    stage.sh("ln -s ../a.txt .git/COMMIT_EDITMSG.old");
    assert!(stage.status().await.clean);
}

#[tokio::test]
async fn a_repository_that_git_cannot_use_is_not_called_none() {
    for script in
        ["mv .git/HEAD .git/old && ln -s old .git/HEAD", "rm -r .git/objects", "rm .git/HEAD"]
    {
        let stage = Stage::with_commit();
        stage.sh(script);
        let request = GitRequest::Status(StatusRequest::default());
        assert_eq!(stage.run(request).await, Err(GitError::Unusable), "{script}");
    }
}

/// Whom git asked to make others stand still; they do not.
#[derive(Default)]
struct Moving(AtomicU64);

impl Credentials for Moving {
    fn ask(&self, request: CredentialRequest) -> Answer<'_> {
        NoCredentials.ask(request)
    }

    fn stand_still(&self) -> Stillness<'_> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Box::pin(std::future::ready(Err("`make` goes on".to_owned())))
    }
}

#[tokio::test]
async fn what_changes_something_is_not_done_while_others_move_and_what_looks_is() {
    let stage = behind(Stage::with_commit());
    stage.put("a.txt", "changed\n");
    // It would be refused if it were looked at before.
    stage.sh("ln -s /etc/passwd .git/MERGE_MSG");
    let refused = Err(GitError::NotStill { reason: "`make` goes on".to_owned() });
    for request in [
        json!({"action": "add", "files": ["a.txt"]}),
        json!({"action": "branch", "operation": "create", "name": "other"}),
        json!({"action": "commit", "message": "two", "all": true}),
        json!({"action": "discard", "files": ["a.txt"]}),
        json!({"action": "remote", "operation": "add", "name": "x", "url": "/x"}),
        json!({"action": "stash", "operation": "push"}),
        json!({"action": "tag", "operation": "create", "name": "x"}),
    ] {
        let (said, moving) = (request.to_string(), Moving::default());
        let request = serde_json::from_value(request).unwrap();
        assert_eq!(stage.run_with(request, &moving).await, refused, "{said}");
        assert_eq!(moving.0.load(Ordering::Relaxed), 1, "{said}");
    }
    stage.sh("rm .git/MERGE_MSG");
    let moving = Moving::default();
    for request in [
        json!({"action": "status"}),
        json!({"action": "diff"}),
        json!({"action": "log"}),
        json!({"action": "show", "revision": "HEAD"}),
        json!({"action": "blame", "path": "a.txt"}),
        json!({"action": "branch"}),
        json!({"action": "tag"}),
        json!({"action": "remote"}),
        json!({"action": "stash", "operation": "list"}),
    ] {
        let said = request.to_string();
        let request = serde_json::from_value(request).unwrap();
        stage.run_with(request, &moving).await.expect(&said);
    }
    assert_eq!(moving.0.load(Ordering::Relaxed), 0);
    // Without a wall nobody else can change the repository.
    let stage = Stage::with_commit();
    let request = json!({"action": "branch", "operation": "create", "name": "other"});
    stage.run_with(serde_json::from_value(request).unwrap(), &moving).await.unwrap();
    assert_eq!(moving.0.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn what_speaks_to_a_remote_lets_others_move_until_it_has_answered() {
    let stage = behind(Stage::with_commit());
    stage.sh("git clone -q --bare . ../far && git remote add origin ../far && git fetch -q origin");
    stage.sh("git -C ../far branch more");
    let refused = |reason: &str| Err(GitError::NotStill { reason: reason.to_owned() });
    let ask = async |request: serde_json::Value| {
        let moving = Moving::default();
        let done = stage.run_with(serde_json::from_value(request).unwrap(), &moving).await;
        assert_eq!(moving.0.load(Ordering::Relaxed), 1);
        done
    };
    assert_eq!(ask(json!({"action": "fetch"})).await, refused("`make` goes on"));
    assert_eq!(stage.sh("git branch -r --list origin/more"), "");
    stage.sh("git -c user.name=a -c user.email=a@b commit -q --allow-empty -m two");
    let pushed = ask(json!({"action": "push"})).await;
    assert_eq!(pushed, refused("the remote has it; `make` goes on"));
    assert_eq!(stage.sh("git -C ../far log -1 --format=%s"), "two");
}
