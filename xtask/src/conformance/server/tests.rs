//! The server's first line, and what happens when there is none.

use super::*;
use crate::tools::works;

/// Starts a shell script in place of the server.
fn start(script: &str) -> (Scratch, Result<Server>) {
    let scratch = Scratch::new("server-test").unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", script]);
    let server = Server::start(shell, &scratch, &scratch.path().join("log"));
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
    let expected = Address { mcp: "http://127.0.0.1:1/mcp".into(), token: "secret".into() };
    assert_eq!(server.address, expected);
    let process = server.child.id();
    assert!(is_running(process));
    drop(server);
    assert!(!is_running(process));
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
    let error = Address::parse(r#"{"mcp":"http://127.0.0.1:1/mcp"}"#).unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"the server's first line has no `token`: {"mcp":"http://127.0.0.1:1/mcp"}"#
    );
}
