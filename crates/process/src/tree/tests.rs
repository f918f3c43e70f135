//! Finding and ending the processes of a tree.

use std::os::unix::process::ExitStatusExt as _;

use tokio::process::Command;

use super::*;
use crate::start::Started;

#[expect(clippy::disallowed_methods, reason = "a test starts what the code under test must find")]
fn sleeper(marker: &str) -> Started {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "exec sleep 1000"]).env_clear().env("PATH", "/usr/bin:/bin");
    Started::spawn(&mut command, marker).unwrap()
}

#[tokio::test]
async fn what_a_dead_server_left_behind_is_found_by_its_prefix() {
    let prefix = format!("left-behind-{}-", std::process::id());
    let ours = [sleeper(&format!("{prefix}1")), sleeper(&format!("{prefix}2"))];
    let mut other = sleeper(&format!("not-{prefix}"));
    let count = tokio::task::spawn_blocking(move || reap_marked(&prefix)).await.unwrap().unwrap();
    assert_eq!(count, 2);
    for mut started in ours {
        assert_eq!(started.child.wait().await.unwrap().signal(), Some(9));
        started.over();
    }
    assert_eq!(other.child.try_wait().unwrap(), None);
}

#[test]
fn an_empty_prefix_is_refused() {
    assert!(matches!(reap_marked(""), Err(TreeError::MarkerEmpty)));
}

#[test]
fn a_marker_must_fit_whole() {
    let own = rustix::process::getpid().as_raw_pid();
    assert!(environment_has(own, |entry| entry.ends_with(b"\0")));
    assert!(!environment_has(own, |entry| entry == b"NO SUCH VARIABLE=\0"));
}
