//! A loopback server that hands repositories out over HTTP, behind a name and a password.

use std::process::Stdio;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use super::*;

/// Ends when dropped.
pub(super) struct Server {
    pub(super) address: String,
    shared: Arc<Shared>,
    task: tokio::task::JoinHandle<()>,
}

struct Shared {
    folder: PathBuf,
    /// `Basic …`, or nothing when everybody may come in.
    expected: Option<String>,
    /// Where to send everybody instead.
    redirect: Option<String>,
    /// The credentials that came.
    seen: Mutex<Vec<String>>,
    /// Held while a test looks around: one is needed for each push.
    gate: Semaphore,
    waiting: Semaphore,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// Serves the repositories in a folder.
    pub(super) async fn start(folder: &Path, expected: Option<String>) -> Self {
        Self::with(folder, expected, None).await
    }

    pub(super) async fn redirecting(folder: &Path, to: String) -> Self {
        Self::with(folder, None, Some(to)).await
    }

    async fn with(folder: &Path, expected: Option<String>, redirect: Option<String>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let shared = Arc::new(Shared {
            folder: folder.to_owned(),
            expected,
            redirect,
            seen: Mutex::default(),
            gate: Semaphore::new(Semaphore::MAX_PERMITS),
            waiting: Semaphore::new(0),
        });
        let task = tokio::spawn({
            let shared = Arc::clone(&shared);
            async move {
                loop {
                    let (socket, _) = listener.accept().await.unwrap();
                    tokio::spawn(serve(Arc::clone(&shared), socket));
                }
            }
        });
        Self { address, shared, task }
    }

    pub(super) fn url(&self, name: &str) -> String {
        format!("http://{}/{name}", self.address)
    }

    pub(super) fn seen(&self) -> Vec<String> {
        self.shared.seen.lock().unwrap().clone()
    }

    /// From now on a push waits for [`Server::release`].
    pub(super) fn hold(&self) {
        self.shared.gate.forget_permits(Semaphore::MAX_PERMITS);
    }

    pub(super) async fn somebody_waits(&self) {
        self.shared.waiting.acquire().await.unwrap().forget();
    }

    pub(super) fn release(&self) {
        self.shared.gate.add_permits(1);
    }
}

struct Request {
    method: String,
    path: String,
    query: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

async fn serve(shared: Arc<Shared>, mut socket: TcpStream) {
    let Some(request) = read(&mut socket).await else { return };
    if let Some(authorization) = request.header("authorization") {
        shared.seen.lock().unwrap().push(authorization.to_owned());
    }
    let answer = if let Some(to) = &shared.redirect {
        let target = format!("{to}{}?{}", request.path, request.query);
        format!("HTTP/1.1 302 Found\r\nLocation: {target}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            .into_bytes()
    } else if shared.expected.is_some()
        && request.header("authorization") != shared.expected.as_deref()
    {
        b"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"git\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            .to_vec()
    } else {
        if request.method == "POST" && request.path.ends_with("/git-receive-pack") {
            shared.waiting.add_permits(1);
            shared.gate.acquire().await.unwrap().forget();
        }
        backend(&shared.folder, request).await
    };
    // Whoever asked may be gone, as some tests want it.
    if socket.write_all(&answer).await.is_ok() {
        drop(socket.shutdown().await);
    }
}

async fn read(socket: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = find(&bytes, b"\r\n\r\n") {
            break at;
        }
        if socket.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..end].to_vec()).ok()?;
    let mut body = bytes[end + 4..].to_vec();
    let mut lines = head.lines();
    let mut words = lines.next()?.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let (path, query) = (path.to_owned(), query.to_owned());
    let mut request = Request { method, path, query, headers, body: Vec::new() };
    if request.header("transfer-encoding") == Some("chunked") {
        while find(&body, b"\r\n0\r\n\r\n").is_none() && !body.starts_with(b"0\r\n\r\n") {
            if socket.read_buf(&mut body).await.ok()? == 0 {
                return None;
            }
        }
        let mut rest = body.as_slice();
        while let Some(at) = find(rest, b"\r\n") {
            let size = usize::from_str_radix(std::str::from_utf8(&rest[..at]).ok()?, 16).ok()?;
            rest = &rest[at + 2..];
            request.body.extend_from_slice(&rest[..size]);
            rest = &rest[(size + 2).min(rest.len())..];
            if size == 0 {
                break;
            }
        }
    } else {
        let length =
            request.header("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
        while body.len() < length {
            if socket.read_buf(&mut body).await.ok()? == 0 {
                return None;
            }
        }
        request.body = body;
    }
    Some(request)
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

#[expect(clippy::disallowed_methods, reason = "this server is a part of the tests")]
async fn backend(folder: &Path, request: Request) -> Vec<u8> {
    let mut child = tokio::process::Command::new("git")
        .arg("http-backend")
        .env_clear()
        .envs(environment(folder))
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_PROJECT_ROOT", folder)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("REMOTE_USER", "somebody")
        .env("REMOTE_ADDR", "127.0.0.1")
        .env("REQUEST_METHOD", &request.method)
        .env("PATH_INFO", &request.path)
        .env("QUERY_STRING", &request.query)
        .env("CONTENT_TYPE", request.header("content-type").unwrap_or_default())
        .env("CONTENT_LENGTH", request.body.len().to_string())
        .env("HTTP_CONTENT_ENCODING", request.header("content-encoding").unwrap_or_default())
        .env("GIT_PROTOCOL", request.header("git-protocol").unwrap_or_default())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let body = request.body;
    let feed = tokio::spawn(async move {
        drop(input.write_all(&body).await);
    });
    let output = child.wait_with_output().await.unwrap().stdout;
    feed.await.unwrap();
    let at = find(&output, b"\r\n\r\n").unwrap();
    let head = String::from_utf8(output[..at].to_vec()).unwrap();
    let body = &output[at + 4..];
    let status = head.lines().find_map(|line| line.strip_prefix("Status: ")).unwrap_or("200 OK");
    let others: String = head
        .lines()
        .filter(|line| !line.starts_with("Status: "))
        .flat_map(|line| [line, "\r\n"])
        .collect();
    let length = body.len();
    let mut answer = format!(
        "HTTP/1.1 {status}\r\n{others}Content-Length: {length}\r\nConnection: close\r\n\r\n"
    )
    .into_bytes();
    answer.extend_from_slice(body);
    answer
}
