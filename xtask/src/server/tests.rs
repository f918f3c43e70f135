//! The server's first line, and what happens when there is none.

use super::*;
use crate::{scratch::Scratch, tools::works};

/// Starts a shell script in place of the server.
fn start(script: &str) -> (Scratch, Result<Server>) {
    let scratch = Scratch::new("server-test").unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", script]);
    let server = Server::start(shell, &scratch.path().join("log"));
    (scratch, server)
}

fn is_running(process: u32) -> bool {
    works(&["sh", "-c", &format!("kill -0 {process}")])
}

#[test]
fn the_address_is_read_from_the_first_line_and_the_server_ends_with_its_owner() {
    let script = r#"echo '{"url":"u","mcp":"http://127.0.0.1:1/mcp","token":"secret"}'
        exec sleep 600"#;
    let (_scratch, server) = start(script);
    let server = server.unwrap();
    let expected =
        Address { url: "u".into(), mcp: "http://127.0.0.1:1/mcp".into(), token: "secret".into() };
    assert_eq!(server.address, expected);
    let process = server.child.id();
    assert!(is_running(process));
    drop(server);
    assert!(!is_running(process));
}

#[test]
fn a_server_that_is_asked_to_stop_may_end_in_order() {
    let script = r#"trap 'touch "$0"; exit' TERM
        echo '{"url":"u","mcp":"m","token":"t"}'
        while :; do sleep 0.01; done"#;
    let scratch = Scratch::new("server-test").unwrap();
    let ended = scratch.path().join("ended");
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).arg(&ended);
    let server = Server::start(shell, &scratch.path().join("log")).unwrap();
    assert!(server.ready_after > Duration::ZERO);
    server.stop().unwrap();
    assert!(ended.exists());
}

#[test]
fn a_server_that_ends_early_is_reported_with_its_log() {
    let (_scratch, server) = start("echo no such folder >&2; exit 1");
    let error = format!("{:#}", server.err().unwrap());
    assert_eq!(
        error,
        "the server did not get ready:\nno such folder\n: it ended without printing a line"
    );
}

#[test]
fn a_line_without_a_token_is_refused() {
    let error = Address::parse(r#"{"url":"u","mcp":"m"}"#).unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"the server's first line has no `token`: {"url":"u","mcp":"m"}"#
    );
}
