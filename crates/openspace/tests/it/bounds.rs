//! What a server may use at once, and who cannot use it up.

use std::time::{Duration, Instant};

use pretty_assertions::assert_eq;
use rustix::process::{Resource, Rlimit, Signal, getrlimit, setrlimit};
use serde_json::json;
use tokio::{io::AsyncWriteExt, net::TcpStream};

use crate::support::{
    Server, Space, bytes, eventually, git, in_time, read, send_signal, still_there, write,
};

/// A server that was started with these limits on open files.
async fn with_open_files(soft: u64, hard: u64, arguments: &[&str]) -> Server {
    let space = Space::new();
    let command = space.program_by("prlimit", &[format!("--nofile={soft}:{hard}")]);
    Server::start_by(command, &space, arguments).await
}

/// The limits on open files of a process, as the system tells them.
fn open_files(pid: u32) -> (String, String) {
    let text = read(std::path::Path::new(&format!("/proc/{pid}/limits")));
    let line = text.lines().find(|line| line.starts_with("Max open files")).unwrap();
    let words: Vec<&str> = line.split_whitespace().collect();
    (words[3].to_owned(), words[4].to_owned())
}

#[tokio::test]
async fn the_server_may_open_more_files_and_what_it_starts_may_not() {
    for provider in ["local", "runner"] {
        let server = with_open_files(300, 3000, &["--provider", provider]).await;
        assert_eq!(open_files(server.pid()), ("3000".into(), "3000".into()), "{provider}");
        assert!(server.log().contains("few files may be open at once"), "{}", server.log());
        let run = server.call("workspace.bash", json!({"command": "ulimit -Sn; ulimit -Hn"})).await;
        assert_eq!(run["stdout"], "300\n3000\n", "{provider}: {run}");
        server.call("terminal.create", json!({"title": "sh"})).await;
        let text = "echo soft=$(ulimit -Sn)\n";
        server.call("terminal.send", json!({"terminalId": "sh", "text": text})).await;
        eventually("the terminal's limit", || async {
            let read = server.call("terminal.read_output", json!({"terminalId": "sh"})).await;
            crate::support::shows(&read, "soft=300").then_some(())
        })
        .await;
        server.stop().await;
    }
}

#[tokio::test]
async fn a_thousand_connections_that_say_nothing_lock_nobody_out() {
    // The test itself holds the other ends.
    let own = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: own.maximum, ..own }).unwrap();
    let server = with_open_files(512, 512, &[]).await;
    let mut silent = Vec::new();
    for number in 0..1_000 {
        let mut stream = TcpStream::connect(&server.http.authority).await.unwrap();
        if number % 2 == 0 {
            // It may be ended already.
            drop(stream.write_all(b"GET / HTTP/1.1\r\nhost: ").await);
        }
        silent.push(stream);
    }
    let asked = Instant::now();
    assert_eq!(server.call("pane.list", json!({})).await["success"], json!(true));
    assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
    assert!(!server.log().contains("nobody can connect"), "{}", server.log());
    drop(silent);
    server.stop().await;
}

#[tokio::test]
async fn a_server_that_waits_for_its_runner_can_be_asked_to_stop() {
    use std::os::unix::fs::PermissionsExt as _;

    let space = Space::new();
    let (runner, started) = (space.folder().join("runner"), space.folder().join("started"));
    write(&runner, format!("#!/bin/sh\necho $$ > {}\nexec sleep 600\n", started.display()));
    std::fs::set_permissions(&runner, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = space.program();
    command.args(["serve", "--port", "0", "--agents-place", "shared", "--provider", "runner"]);
    command.arg("--runner").arg(&runner);
    let mut command = tokio::process::Command::from(command);
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped());
    let child = command.kill_on_drop(true).spawn().unwrap();
    let server = child.id().unwrap();
    eventually("the runner", || async { bytes(&started).filter(|text| !text.is_empty()) }).await;
    let runners = crate::support::descendants(server);
    assert_eq!(runners.len(), 1, "{runners:?}");
    send_signal(server, Signal::TERM);
    let ended = in_time("the end of the server", child.wait_with_output()).await.unwrap();
    let error = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{error}");
    assert!(error.contains("asked to stop (terminate) before it was ready"), "{error}");
    eventually("the end of the runner", || async {
        still_there(&runners).is_empty().then_some(())
    })
    .await;
}

fn names(space: &Space) -> Vec<String> {
    let entries = std::fs::read_dir(space.root()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with(".openspace-")).collect()
}

#[tokio::test]
async fn a_write_that_is_killed_half_way_leaves_nothing_in_the_project() {
    let space = Space::new();
    git(&space.root(), &["init", "-q"]);
    let content = "x".repeat(4 * 1024 * 1024);
    for round in 0..10_u64 {
        let server = Server::start_in(&space, &["--max-calls-per-turn", "1000"]).await;
        assert_eq!(names(&space), Vec::<String>::new(), "a start leaves nothing of before");
        let writes = (0..4).map(|number| {
            let (path, new) = (format!("new-{round}-{number}"), number % 2 == 0);
            let path = if new { path } else { format!("old-{number}") };
            let ask = server
                .http
                .post("/api/commands/file.write", &json!({"path": path, "content": content}));
            tokio::spawn(ask.try_send())
        });
        let writes: Vec<_> = writes.collect();
        // Each round dies at another moment of the writes.
        tokio::time::sleep(Duration::from_millis(round * 15)).await;
        server.kill().await;
        for write in writes {
            drop(write.await.unwrap());
        }
    }
    let server = Server::start_in(&space, &[]).await;
    assert_eq!(names(&space), Vec::<String>::new());
    let status = git(&space.root(), &["status", "--porcelain"]);
    assert!(!status.contains(".openspace-"), "{status}");
    server.stop().await;
}
