//! A running server.

use std::{
    path::PathBuf,
    process::{Child, Command, ExitStatus},
    time::Instant,
};

use rustix::process::Signal;
use serde::Deserialize;
use serde_json::Value;

use super::{
    Http, LOOK_EVERY, Mcp, PATIENCE, Space, Streaming, eventually,
    process::{create, ended, read, send_signal},
};

/// What a server says when it is ready; no more and no less.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ready {
    pub(crate) url: String,
    pub(crate) open: String,
    pub(crate) mcp: String,
    pub(crate) token: String,
    pub(crate) workspace: PathBuf,
}

/// Nobody is there to answer in most tests: without a profile of their own they are asked nothing.
pub(crate) fn unasked(arguments: &[&str]) -> &'static [&'static str] {
    if arguments.contains(&"--profile") { &[] } else { &["--profile", "off"] }
}

/// A running server; stopped when dropped.
pub(crate) struct Server {
    pub(crate) ready: Ready,
    pub(crate) space: Space,
    pub(crate) http: Http,
    child: Child,
    out: PathBuf,
    log: PathBuf,
}

impl Server {
    /// Serve a new space.
    pub(crate) async fn start(arguments: &[&str]) -> Self {
        Self::start_in(&Space::new(), arguments).await
    }

    /// Serve a space.
    pub(crate) async fn start_in(space: &Space, arguments: &[&str]) -> Self {
        Self::start_by(space.program(), space, arguments).await
    }

    /// Serve a space with the program as some command starts it.
    pub(crate) async fn start_by(mut command: Command, space: &Space, arguments: &[&str]) -> Self {
        let (out, log) = (space.folder().join("stdout"), space.folder().join("stderr"));
        command.arg("serve").arg(space.root()).args(["--port", "0", "--json"]).args(arguments);
        command.args(unasked(arguments));
        let mut child = command.stdout(create(&out)).stderr(create(&log)).spawn().unwrap();
        let line = eventually("a line from the server", || {
            if let Some(status) = child.try_wait().unwrap() {
                panic!("the server ended with {status}: {}", read(&log));
            }
            let text = read(&out);
            async move { text.ends_with('\n').then_some(text) }
        })
        .await;
        let ready: Ready = serde_json::from_str(&line).unwrap();
        let http = Http::new(&ready.url, &ready.token);
        Self { ready, space: space.clone(), http, child, out, log }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What it has printed, whole.
    pub(crate) fn printed(&self) -> String {
        read(&self.out)
    }

    /// What it has logged.
    pub(crate) fn log(&self) -> String {
        read(&self.log)
    }

    /// Run a command and expect success.
    pub(crate) async fn call(&self, id: &str, arguments: Value) -> Value {
        let answer = self.http.post(&format!("/api/commands/{id}"), &arguments).send().await;
        let value = answer.json();
        assert_eq!(
            (answer.status, &value["success"]),
            (200, &true.into()),
            "{id} {arguments}: {value}"
        );
        value
    }

    /// An MCP session.
    pub(crate) async fn mcp(&self) -> Mcp {
        Mcp::connect(&self.http, "/mcp").await
    }

    /// The live events from now on; the snapshot has been read.
    pub(crate) async fn events(&self) -> Streaming {
        let mut events = self.http.get("/api/events").open().await;
        assert_eq!(events.next().await.unwrap().event, "snapshot");
        events
    }

    /// Ask it to stop and expect a clean end.
    pub(crate) async fn stop(mut self) {
        send_signal(self.pid(), Signal::TERM);
        let status = super::in_time("the end of the server", ended(&mut self.child)).await;
        assert!(status.success(), "{status}: {}", self.log());
    }

    /// End it as a crash would.
    pub(crate) async fn kill(mut self) -> Space {
        self.child.kill().unwrap();
        super::in_time("the end of the server", ended(&mut self.child)).await;
        self.space.clone()
    }

    fn end(&mut self) -> ExitStatus {
        if let Some(status) = self.child.try_wait().unwrap() {
            return status;
        }
        send_signal(self.pid(), Signal::TERM);
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            std::thread::sleep(LOOK_EVERY);
        }
        self.child.kill().unwrap();
        self.child.wait().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let status = self.end();
        if std::thread::panicking() {
            println!("the server ended with {status} and had logged:\n{}", self.log());
        } else {
            assert_eq!(self.printed().lines().count(), 1, "{}", self.printed());
        }
    }
}
