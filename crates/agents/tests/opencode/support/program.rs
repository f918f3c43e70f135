//! The program itself: started with a home of its own, ended with the test.
#![expect(
    clippy::disallowed_methods,
    reason = "starts the program that is tested, in folders of its own"
)]

use std::{
    env,
    fs::{self, File},
    net::{Ipv4Addr, TcpListener},
    ops::Range,
    path::{Path, PathBuf},
    process::{self, Stdio},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use http_body_util::{BodyExt, Empty};
use hyper::{Request, body::Bytes, client::conn::http1};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    net::TcpStream,
    process::{Child, ChildStdout, Command},
    time::timeout,
};

use super::PATIENCE;

pub(crate) const PASSWORD: &str = "wq8-password-of-the-test";
/// Said when it may be asked, and not before.
const LISTENS: &str = "opencode server listening on ";
/// Ports that the system gives nobody by itself.
const PORTS: Range<u16> = 20_000..32_000;
/// Times that it may end before it listens.
const MOST_STARTS: usize = 5;
/// Without these it would look for its plugin in the registry for a minute and more.
const PACKAGE: &str = r#"{"dependencies":{"@opencode-ai/plugin":"1.18.33"}}"#;
const LOCK: &str =
    r#"{"lockfileVersion":3,"packages":{"":{"dependencies":{"@opencode-ai/plugin":"1.18.33"}}}}"#;

/// A running opencode.
pub(crate) struct Program {
    child: Child,
    /// Kept open, so that it can print.
    output: Lines<BufReader<ChildStdout>>,
    folder: TempDir,
    config: String,
    pub(crate) project: PathBuf,
    pub(crate) url: String,
}

impl Program {
    pub(crate) async fn start(config: &Value) -> Self {
        let folder = TempDir::new().unwrap();
        // As opencode names it: without links.
        let project = folder.path().canonicalize().unwrap().join("project");
        fs::create_dir(&project).unwrap();
        fs::write(project.join("a.txt"), "one\ntwo\nthree\n").unwrap();
        git(&project, &["init", "--quiet", "--initial-branch=main"]).await;
        git(&project, &["add", "."]).await;
        git(&project, &["commit", "--quiet", "--message=first"]).await;
        let settings = folder.path().join("config/opencode");
        fs::create_dir_all(settings.join("node_modules")).unwrap();
        fs::write(settings.join("package.json"), PACKAGE).unwrap();
        fs::write(settings.join("package-lock.json"), LOCK).unwrap();
        let config = config.to_string();
        let port = port().to_string();
        let (child, output, url) = spawn(folder.path(), &project, &config, &port).await;
        Self { child, output, folder, config, project, url }
    }

    /// End it without a word.
    pub(crate) async fn kill(&mut self) {
        self.child.kill().await.unwrap();
    }

    /// Start it again at the same address.
    pub(crate) async fn start_again(&mut self) {
        let port = self.url.rsplit(':').next().unwrap().to_owned();
        let started = spawn(self.folder.path(), &self.project, &self.config, &port).await;
        (self.child, self.output, self.url) = started;
    }
}

/// A free port that stays free while the program is away. opencode's own choice is 4096 whenever nobody has it, so that
/// another opencode would take it meanwhile; and so might anybody who asks the system for a port.
fn port() -> u16 {
    // Each test is a process of its own, so each begins to look elsewhere.
    let step = process::id() % u32::try_from(PORTS.len()).unwrap();
    let first = PORTS.start + u16::try_from(step).unwrap();
    let is_free = |port: &u16| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok();
    (first..PORTS.end).chain(PORTS.start..first).find(is_free).expect("no port is free")
}

/// Started until it listens. One that follows a kill may end at once, as long as what the killed one had started holds
/// the port; whoever supervises it starts it again, and so is it done here.
async fn spawn(
    folder: &Path,
    project: &Path,
    config: &str,
    port: &str,
) -> (Child, Lines<BufReader<ChildStdout>>, String) {
    let mut ended = Vec::new();
    while ended.len() < MOST_STARTS {
        match spawned(folder, project, config, port).await {
            Ok(running) => return running,
            Err(why) => ended.push(why),
        }
    }
    panic!("opencode ended each time: {ended:#?}")
}

/// Started once; how it ended and what it complained of, where it did not listen.
async fn spawned(
    folder: &Path,
    project: &Path,
    config: &str,
    port: &str,
) -> Result<(Child, Lines<BufReader<ChildStdout>>, String), String> {
    let complaints = folder.join("complaints");
    let program = env::var("OPENSPACE_OPENCODE")
        .expect("run it with `cargo xtask test`, which names an opencode in OPENSPACE_OPENCODE");
    let mut command = Command::new(program);
    command
        .args(["serve", "--hostname", "127.0.0.1", "--port", port])
        .current_dir(project)
        .env_clear()
        .env("PATH", env::var("PATH").unwrap())
        .env("HOME", folder)
        .env("XDG_DATA_HOME", folder.join("data"))
        .env("XDG_CONFIG_HOME", folder.join("config"))
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .env("XDG_STATE_HOME", folder.join("state"))
        .env("NPM_CONFIG_FETCH_RETRIES", "0")
        .env("OPENCODE_CONFIG_CONTENT", config)
        .env("OPENCODE_SERVER_PASSWORD", PASSWORD)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(File::create(&complaints).unwrap())
        .kill_on_drop(true);
    for switch in [
        "AUTOUPDATE",
        "MODELS_FETCH",
        "LSP_DOWNLOAD",
        "DEFAULT_PLUGINS",
        "EXTERNAL_SKILLS",
        "CLAUDE_CODE",
    ] {
        command.env(format!("OPENCODE_DISABLE_{switch}"), "1");
    }
    let mut child = command.spawn().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    let url = timeout(PATIENCE, async {
        while let Some(line) = output.next_line().await.unwrap() {
            if let Some(url) = line.strip_prefix(LISTENS) {
                return Some(url.to_owned());
            }
        }
        None
    });
    if let Some(url) = url.await.expect("opencode did not listen in time") {
        return Ok((child, output, url));
    }
    let status = child.wait().await.unwrap();
    Err(format!("{status}: {}", fs::read_to_string(complaints).unwrap()))
}

async fn git(project: &Path, arguments: &[&str]) {
    let status = Command::new("git")
        .args(["-c", "user.name=Test", "-c", "user.email=test@example.org"])
        .args(arguments)
        .current_dir(project)
        .status();
    assert!(status.await.unwrap().success(), "git {arguments:?}");
}

/// What a file holds.
pub(super) fn read(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok()
}

/// What it says of its own API.
pub(crate) async fn document(program: &Program) -> Value {
    let authority = program.url.strip_prefix("http://").unwrap();
    let stream = TcpStream::connect(authority).await.unwrap();
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
    let driver = tokio::spawn(connection);
    let user = STANDARD.encode(format!("opencode:{PASSWORD}"));
    let request = Request::get("/doc")
        .header("host", authority)
        .header("authorization", format!("Basic {user}"))
        .body(Empty::<Bytes>::new())
        .unwrap();
    let answer = sender.send_request(request).await.unwrap();
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    driver.abort();
    serde_json::from_slice(&body).unwrap()
}
