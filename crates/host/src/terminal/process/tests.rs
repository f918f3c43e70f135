//! Finding and ending the processes of a terminal.

use super::*;
use crate::terminal::{Life, Size, Spawn, Terminal};

#[tokio::test]
async fn what_a_dead_server_left_behind_is_found_by_its_prefix() {
    let prefix = format!("left-behind-{}-", std::process::id());
    let spawn = |marker: String| {
        Terminal::spawn(&Spawn {
            shell: "/bin/sh".into(),
            args: vec!["-c".to_owned(), "exec sleep 1000".to_owned()],
            cwd: "/".into(),
            base_env: vec![("PATH".into(), "/usr/bin:/bin".into())],
            env: Vec::new(),
            size: Size { rows: 24, cols: 80 },
            marker,
            integration: None,
        })
        .unwrap()
    };
    let ours = [spawn(format!("{prefix}1")), spawn(format!("{prefix}2"))];
    let other = spawn(format!("not-{prefix}"));
    let reaped = prefix.clone();
    let count = tokio::task::spawn_blocking(move || reap_marked(&reaped)).await.unwrap().unwrap();
    assert_eq!(count, 2);
    for terminal in ours {
        terminal.kill().await.unwrap();
        assert!(matches!(terminal.status().life, Life::Exited(exit) if exit.signal == Some(9)));
    }
    assert!(matches!(other.status().life, Life::Running { .. }));
    other.kill().await.unwrap();
}

#[test]
fn an_empty_prefix_is_refused() {
    assert!(matches!(reap_marked(""), Err(TerminalError::MarkerEmpty)));
}

#[test]
fn a_marker_must_fit_whole() {
    let own = rustix::process::getpid().as_raw_pid();
    assert!(environment_has(own, |entry| entry.ends_with(b"\0")));
    assert!(!environment_has(own, |entry| entry == b"NO SUCH VARIABLE=\0"));
}
