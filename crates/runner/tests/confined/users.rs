//! The same for a server that is an ordinary user, which may do less.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use openspace_isolation::Machine;

use crate::stage::{Stage, shell};

/// A number that nobody has.
const USER: u32 = 65_432;

/// These are run once more, by another process.
const AGAIN: &[&str] = &[
    "secrets::secrets_are_hidden_from_every_reader",
    "walls::nothing_outside_can_be_changed_or_taken_over",
    "walls::sockets_of_the_machine_cannot_be_reached",
    "repositories::what_git_runs_outside_cannot_be_changed_inside",
    "repositories::protection_comes_back_when_the_person_replaces_a_file",
    "appearing::what_becomes_secret_is_hidden_before_the_next_program_starts",
    "ending::a_place_without_its_keeper_is_ended",
    "view::the_home_has_tools_and_nothing_of_the_person",
];

/// This program once more, with these tests, by what is put before it.
#[expect(clippy::disallowed_methods, reason = "a test starts itself as somebody else")]
fn again(before: &[&str], tests: &[&str], change: impl FnOnce(&mut Command)) {
    // The programs may lie where only root can go.
    let folder = tempfile::tempdir().unwrap();
    let all = |mode| std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(folder.path(), all(0o777)).unwrap();
    let program = folder.path().join("tests");
    let runner = folder.path().join("openspace-runner");
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    std::fs::copy(env!("CARGO_BIN_EXE_openspace-runner"), &runner).unwrap();
    let words: Vec<&OsStr> = before.iter().map(OsStr::new).chain([program.as_os_str()]).collect();
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).args(["--exact", "--test-threads", "2"]).args(tests).env_clear();
    command.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", folder.path());
    command.env("TEST_RUNNER", &runner).current_dir("/");
    change(&mut command);
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains(&format!("{} passed", tests.len())), "{text}");
}

#[test]
fn an_ordinary_user_has_the_same_place() {
    if shell("/".as_ref(), "id -u").trim() != "0" {
        eprintln!("not needed: this is an ordinary user");
        return;
    }
    again(&[], AGAIN, |command| {
        command.uid(USER).gid(USER);
    });
}

/// Says that this process may watch few folders.
const FEW: &str = "TEST_FEW_WATCHES";

#[test]
fn folders_that_cannot_be_watched_are_told_and_looked_at_before_each_program() {
    let few = [
        "unshare",
        "-r",
        "sh",
        "-c",
        "echo 4 > /proc/sys/user/max_inotify_watches && exec \"$@\"",
        "-",
    ];
    again(&few, &["users::with_few_watches"], |command| {
        command.env(FEW, "1");
    });
}

#[tokio::test]
async fn with_few_watches() {
    if !std::env::vars_os().any(|(name, _)| name == FEW) {
        return;
    }
    let stage = Stage::new();
    for number in 0..20 {
        stage.with(&format!("folder{number}/deep/file"), "text");
    }
    let mut place = stage.open().await;
    let (folders, reason) = place.keeper.kept().unwatched.unwrap();
    assert!(folders > 10 && reason.contains("max_user_watches"), "{folders} {reason}");
    assert!(place.statement.to_string().contains("folders are not watched"));
    stage.outside("for n in $(seq 0 19); do echo s3cret > folder$n/deep/.env; done");
    assert_eq!(place.run("cat folder*/deep/.env 2>&1 | grep -c denied").await, "20");
}

/// Says that this process may watch nothing.
const NONE: &str = "TEST_NO_WATCHES";

#[test]
fn a_machine_that_watches_nothing_more_is_told() {
    let none = [
        "unshare",
        "-r",
        "sh",
        "-c",
        "echo 0 > /proc/sys/user/max_inotify_instances && exec \"$@\"",
        "-",
    ];
    again(&none, &["users::with_no_watches"], |command| {
        command.env(NONE, "1");
    });
}

#[tokio::test]
async fn with_no_watches() {
    if !std::env::vars_os().any(|(name, _)| name == NONE) {
        return;
    }
    let error = Machine::default().start_confined(&Stage::new().spec).await.unwrap_err();
    assert!(error.to_string().contains("max_user_instances"), "{error}");
}

/// What the user of the folder cannot write stays as it is, and tools take it as it is.
#[tokio::test]
async fn caches_of_somebody_else_are_read_only() {
    let stage = Stage::furnished();
    if stage.outside("id -u").trim() != "0" {
        eprintln!("not tested: only root can give a folder to somebody else");
        return;
    }
    shell(stage.root(), "chown -R 65534:65534 . && chmod 755 ../.. ..");
    let mut place = stage.open().await;
    let script = "id -u; cat ~/.cargo/registry/index; (: > ~/.cargo/registry/new) 2>&1 | grep -c Read-only; touch ~/x new && echo made";
    assert_eq!(place.run(script).await, "65534\nknown crates\n1\nmade");
}
