//! What lets code run outside later: git's configuration and hooks, and the workspace's own.

use openspace_protocol::keeping::News;

use crate::stage::{BESIDE, Fact, Stage, read};

/// A repository with a submodule, a linked work tree and another repository in it.
fn stage() -> Stage {
    let stage = Stage::furnished().with_attack();
    stage.with("file", "text\n");
    stage.outside(
        "export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a \
         GIT_COMMITTER_EMAIL=a@b GIT_ALLOW_PROTOCOL=file\n\
         git init -q . && git add file && git commit -q -m first\n\
         git config user.name a; git config user.email a@b; git config commit.gpgsign false\n\
         git init -q ../../lib && git -C ../../lib commit -q --allow-empty -m lib\n\
         git submodule --quiet add ../../lib vendor/lib && git commit -q -m module\n\
         git worktree add -q ../../tree\n\
         git init -q nested && git -C nested commit -q --allow-empty -m nested\n\
         mkdir -p .husky && echo 'exit 0' > .husky/pre-commit && chmod +x .husky/pre-commit && git config core.hooksPath .husky\n\
         git config include.path ../.gitsettings && echo '[alias]' > .gitsettings",
    );
    stage
}

const GIT: &[Fact] = &[
    ("the configuration cannot be written", "./attack write .git/config", "EROFS"),
    (
        "the configuration cannot be set",
        "git config alias.x '!evil' 2>&1 | grep -c -i -e busy -e 'read-only'",
        "1",
    ),
    (
        "the configuration cannot be replaced",
        "echo x > .git/c; ./attack rename .git/c .git/config",
        "EBUSY",
    ),
    ("the configuration cannot be removed", "./attack unlink .git/config", "EBUSY"),
    ("the configuration cannot change places", "./attack exchange .git/c .git/config", "EBUSY"),
    ("hooks cannot be made", "./attack create .git/hooks/post-checkout", "EROFS"),
    ("the folder of hooks cannot be moved", "./attack rename .git/hooks .git/h", "EBUSY"),
    (
        "the folder of hooks cannot be replaced",
        "mkdir .git/h; ./attack exchange .git/h .git/hooks",
        "EBUSY",
    ),
    (
        "the repository cannot be moved away",
        "./attack rename .git x; mkdir .git 2>&1 | grep -c exists",
        "EBUSY\n1",
    ),
    ("the repository cannot change places", "mkdir -p y; ./attack exchange y .git", "EBUSY"),
    (
        "the workspace cannot be moved away",
        "./attack rename $PWD $PWD.x | sed s/EROFS/EBUSY/",
        "EBUSY",
    ),
    (
        "objects of other projects cannot be named",
        "./attack write .git/objects/info/alternates; ./attack unlink .git/objects/info/alternates",
        "EROFS\nEBUSY",
    ),
    (
        "objects of other projects cannot be named by folders that change places",
        "mkdir -p o/info; ./attack rename .git/objects/info .git/objects/i; ./attack exchange o .git/objects",
        "EBUSY\nEXDEV",
    ),
    (
        "objects of other projects cannot be named in a submodule",
        "./attack write .git/modules/vendor/lib/objects/info/alternates",
        "EROFS",
    ),
    (
        "hooks elsewhere cannot be written",
        "./attack write .husky/pre-commit; ./attack create .husky/post-merge",
        "EROFS\nEROFS",
    ),
    ("included configuration cannot be written", "./attack write .gitsettings", "EROFS"),
    (
        "linked work trees cannot be redirected",
        "./attack write .git/worktrees/tree/commondir; ./attack rename .git/worktrees .git/x",
        "EROFS\nEBUSY",
    ),
    (
        "configuration of a submodule cannot be written",
        "./attack write .git/modules/vendor/lib/config",
        "EROFS",
    ),
    (
        "hooks of a submodule cannot be made",
        "./attack create .git/modules/vendor/lib/hooks/post-checkout",
        "EROFS",
    ),
    (
        "the repository of a submodule cannot be moved",
        "cd .git; ../attack rename modules/vendor/lib modules/vendor/x; ../attack rename modules/vendor modules/x; ../attack rename modules x",
        "EBUSY\nEBUSY\nEBUSY",
    ),
    (
        "the file that names it cannot be changed",
        "./attack write vendor/lib/.git; ./attack unlink vendor/lib/.git",
        "EROFS\nEBUSY",
    ),
    (
        "configuration of a repository inside cannot be written",
        "./attack write nested/.git/config; ./attack rename nested/.git x",
        "EROFS\nEBUSY",
    ),
    (
        "hooks of a repository inside cannot be made",
        "./attack create nested/.git/hooks/pre-commit",
        "EROFS",
    ),
    (
        "the workspace's own folder cannot be written",
        "./attack create .openspace/config.toml; ./attack rename .openspace x",
        "EROFS\nEBUSY",
    ),
    (
        "a commit can be made",
        "echo more >> file; git -c core.hooksPath=/dev/null commit -qam more 2>&1; git log --oneline | wc -l",
        "3",
    ),
    (
        "a hook outside runs inside",
        "git commit -q --allow-empty -m hooked 2>&1; git log -1 --format=%s",
        "hooked",
    ),
    (
        "branches can be made and left",
        "git switch -qc topic 2>&1; git switch -q - 2>&1; git branch | wc -l",
        "3",
    ),
    (
        "a commit in a submodule can be made",
        "cd vendor/lib; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x 2>&1; git log -1 --format=%s",
        "x",
    ),
    (
        "ordinary files that tools run are ordinary",
        "echo x > .envrc; mkdir -p .vscode; echo {} > .vscode/tasks.json; ls .vscode",
        "tasks.json",
    ),
];

#[tokio::test]
async fn what_git_runs_outside_cannot_be_changed_inside() {
    for provider in BESIDE {
        let stage = stage();
        let config = read(&stage.root().join(".git/config"));
        let mut place = stage.open_beside(provider).await;
        place.check(GIT).await;
        assert_eq!(read(&stage.root().join(".git/config")), config, "{provider}");
        assert_eq!(place.keeper.kept().unprotected, Vec::new(), "{provider}");
    }
}

#[tokio::test]
async fn protection_comes_back_when_the_person_replaces_a_file() {
    for provider in BESIDE {
        let stage = stage();
        let mut place = stage.open_beside(provider).await;
        stage.outside("git config alias.mine status; git -C vendor/lib config alias.mine status");
        // The keeper may have made the folders anew before the person does.
        stage.outside(
            "git -C nested config alias.mine status; rm -r .git/hooks; mkdir -p .git/hooks",
        );
        let script = "for f in .git/config .git/modules/vendor/lib/config nested/.git/config; do ./attack write $f; done; \
                      ./attack create .git/hooks/x; git config alias.mine";
        assert_eq!(place.run(script).await, "EROFS\nEROFS\nEROFS\nEROFS\nstatus", "{provider}");
        stage.outside("rm -rf .openspace; mkdir -p .openspace");
        assert_eq!(place.run("./attack create .openspace/x").await, "EROFS", "{provider}");
    }
}

#[tokio::test]
async fn hooks_and_the_own_folder_are_there_before_anybody_could_make_them() {
    for provider in BESIDE {
        let stage = Stage::new().with_attack();
        stage.outside("git init -q . && rm -rf .git/hooks");
        let mut place = stage.open_beside(provider).await;
        let script =
            "./attack create .git/hooks/pre-commit; ./attack create .openspace/config.toml";
        assert_eq!(place.run(script).await, "EROFS\nEROFS", "{provider}");
        assert!(stage.root().join(".openspace").is_dir(), "{provider}");
        drop(place.keeper);
        place.process.end().await;
        stage.gone(".openspace").await;
        assert!(stage.root().join(".git/hooks").is_dir(), "{provider}");
    }
}

#[tokio::test]
async fn a_file_that_would_redirect_git_is_taken_away() {
    let stage = Stage::new();
    stage.outside("git init -q .");
    let mut place = stage.open().await;
    let mut news = place.keeper.news();
    place.run("mkdir -p evil/hooks; echo ../evil > .git/commondir").await;
    assert_eq!(place.run("cat .git/commondir 2>&1 | grep -c 'No such'").await, "1");
    assert_eq!(news.try_recv().unwrap(), News::Removed { path: ".git/commondir".to_owned() });
    assert!(!stage.root().join(".git/commondir").exists());
}

/// How the person set up git, and what is then tried inside.
const SETTINGS: &[Fact] = &[
    (
        "git config core.hooksPath .husky/_",
        "mv .husky x 2>/dev/null; mkdir -p .husky/_; ./attack create .husky/_/pre-commit; ./attack rename .husky x",
        "EROFS\nEBUSY",
    ),
    (
        "git config core.hooksPath $PWD/.hooks",
        "./attack create .hooks/pre-commit; ./attack rename .hooks x",
        "EROFS\nEBUSY",
    ),
    (
        "printf '[core]\\n\\thooksPath = .h # ours\\n' >> .git/config",
        "mkdir -p .h; ./attack create .h/pre-commit",
        "EROFS",
    ),
    (
        "mkdir sub && echo '[include] path = sub/b' > a && touch sub/b && git config include.path ../a",
        "./attack write a; ./attack write sub/b; ./attack rename sub x; mkdir sub 2>/dev/null; ./attack unlink sub/b",
        "EROFS\nEROFS\nEBUSY\nEBUSY",
    ),
    (
        "git config include.path ../deep/er/settings",
        "./attack write deep/er/settings; ./attack unlink deep/er/settings; ./attack rename deep x",
        "EROFS\nEBUSY\nEBUSY",
    ),
    (
        "rm -rf .git && git init -q --separate-git-dir=meta .",
        "./attack write meta/config; ./attack create meta/hooks/x; ./attack rename meta y; ./attack write .git; ./attack unlink .git",
        "EROFS\nEROFS\nEBUSY\nEROFS\nEBUSY",
    ),
    (
        "git config extensions.worktreeConfig true",
        "./attack write .git/config.worktree; ./attack unlink .git/config.worktree",
        "EROFS\nEBUSY",
    ),
    (
        "mkdir sub && touch sub/real && ln -s sub/real settings && git config include.path ../settings",
        "./attack write settings; ./attack write sub/real; ./attack unlink sub/real; ./attack rename sub x",
        "EROFS\nEROFS\nEBUSY\nEBUSY",
    ),
    (
        "mkdir shared && ln -s $PWD/shared linked && git config core.hooksPath linked/hooks",
        "./attack create shared/hooks/pre-commit; ./attack rename shared x",
        "EROFS\nEBUSY",
    ),
    (
        "rm -r .git/hooks && ln -s ../.githooks .git/hooks",
        "./attack create .githooks/pre-commit; ./attack rename .githooks x",
        "EROFS\nEBUSY",
    ),
];

#[tokio::test]
async fn whatever_settings_of_git_name_is_protected() {
    for ((settings, script, expected), provider) in
        SETTINGS.iter().flat_map(|fact| BESIDE.map(|provider| (fact, provider)))
    {
        let stage = Stage::new().with_attack();
        stage.outside("git init -q .");
        stage.outside(settings);
        let mut place = stage.open_beside(provider).await;
        assert_eq!(place.run(script).await, *expected, "{settings}, {provider}");
        assert_eq!(place.keeper.kept().unprotected, Vec::new(), "{settings}, {provider}");
    }
}

#[tokio::test]
async fn a_link_to_settings_of_git_that_is_changed_makes_the_repository_one_that_appeared() {
    let settings = "git init -q . && mkdir sub && touch sub/real && ln -s sub/real settings && \
                    git config include.path ../settings && rm -r .git/hooks && ln -s ../sub .git/hooks";
    for change in [
        "ln -sfn main.c settings",
        "rm settings; echo > settings",
        "rm .git/hooks; mkdir .git/hooks",
    ] {
        let stage = Stage::new();
        stage.outside(settings);
        let mut place = stage.open().await;
        place.run("git status; ls -l .git/hooks settings").await;
        place.keeper.drain().await.unwrap();
        assert_eq!(place.keeper.kept().repositories.len(), 0, "{change}");
        place.run(change).await;
        place.keeper.drain().await.unwrap();
        let told: Vec<String> = place.keeper.kept().repositories.into_iter().collect();
        assert_eq!(told, [".git"], "{change}");
    }
}

#[tokio::test]
async fn whoever_redirects_git_again_and_again_loses_the_place() {
    for provider in BESIDE {
        let stage = Stage::new();
        stage.outside("git init -q .");
        let mut place = stage.open_beside(provider).await;
        place.begin("while :; do echo ../evil > .git/commondir; done").await;
        let lost = place.keeper.lost().await.0;
        assert!(lost.contains("`.git/commondir`"), "{provider}: {lost}");
        place.process.ended().await;
    }
}

#[tokio::test]
async fn a_repository_that_takes_the_place_of_another_is_told() {
    let stage = Stage::new();
    stage.outside("git init -q nested");
    let mut place = stage.open().await;
    place.run("mv nested moved && git init -q nested").await;
    place.keeper.drain().await.unwrap();
    let told: Vec<String> = place.keeper.kept().repositories.into_iter().collect();
    assert_eq!(told, ["moved/.git", "nested/.git"]);
    assert_eq!(place.run("(: >> moved/.git/config) 2>&1 | grep -c Read-only").await, "1");
}

#[tokio::test]
async fn what_of_git_is_shown_or_missing_is_said() {
    let stage = Stage::new();
    stage.outside("git init -q . && git remote add origin https://me:s3cret@example.org/x");
    let told = stage.open().await.statement;
    let caveat = "`.git/config` can be read inside: it holds a credential".to_owned();
    assert!(told.caveats.contains(&caveat), "{told}");

    let stage = Stage::new();
    stage.outside(
        "git init -q ../main && git -C ../main -c user.name=a -c user.email=a@b commit -q --allow-empty -m x \
         && rmdir ../app && git -C ../main worktree add -q ../app",
    );
    let mut place = stage.open().await;
    assert!(place.statement.to_string().contains("`.git` is a file"), "{}", place.statement);
    assert_eq!(place.run("git status 2>&1 | grep -c 'not a git repository'; ls ../main 2>&1 | grep -c 'No such'").await, "1\n1");
    assert_eq!(place.run("(: > .git) 2>&1 | grep -c Read-only").await, "1");
}

#[tokio::test]
async fn a_repository_that_is_made_inside_is_told() {
    for provider in BESIDE {
        let stage = Stage::new();
        let mut place = stage.open_beside(provider).await;
        place.run("git init -q made && git -C made config alias.x '!evil'").await;
        place.run("mkdir -p deep/er/.git; git init -q . 2>/dev/null; true").await;
        place.keeper.drain().await.unwrap();
        let told: Vec<String> = place.keeper.kept().repositories.into_iter().collect();
        assert_eq!(told, [".git", "deep/er/.git", "made/.git"], "{provider}");
    }
}

#[tokio::test]
async fn what_cannot_be_protected_is_told() {
    let stage = Stage::new();
    stage.outside("git init -q ../real && ln -s ../real/.git .git");
    let place = stage.open().await;
    let told = place.keeper.kept().unprotected;
    assert_eq!(told, [(".git".to_owned(), "it is a symbolic link".to_owned())]);
    let caveat = "`.git` can be changed inside: it is a symbolic link".to_owned();
    assert!(place.statement.caveats.contains(&caveat), "{}", place.statement);
}

/// Who works with objects of another repository did so before.
#[tokio::test]
async fn objects_elsewhere_are_named_by_the_person_alone_and_nothing_is_left_behind() {
    let stage = Stage::new();
    stage.with("file", "text\n").committed();
    let alternates = ".git/objects/info/alternates";
    let mut place = stage.open().await;
    assert_eq!(
        place
            .run(&format!("wc -c < {alternates}; git fsck 2>&1; git gc -q; git log --format=%s"))
            .await,
        "0\nfirst"
    );
    drop(place);
    stage.gone(alternates).await;
    stage.outside("git clone -q --reference . . ../referring && git -C ../referring gc -q");
    let theirs = read(&stage.root().join("../referring").join(alternates));
    assert!(!theirs.is_empty());
    stage.with(alternates, &theirs);
    let mut place = stage.open().await;
    assert_eq!(
        place.run(&format!("cat {alternates}; : > {alternates}; echo $?")).await.lines().last(),
        Some("1")
    );
    drop(place);
    stage.gone(".openspace").await;
    assert_eq!(read(&stage.root().join(alternates)), theirs);
}
