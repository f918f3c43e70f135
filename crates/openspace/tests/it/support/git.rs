//! Repositories, and a loopback server that hands them out to who knows the password.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Arc, Mutex},
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    task::JoinHandle,
};

/// Git with nothing of this machine's configuration.
fn program() -> Command {
    #[expect(clippy::disallowed_methods, reason = "what a test needs git for starts here only")]
    let mut command = Command::new("git");
    command
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", "/nonexistent")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .stdin(Stdio::null());
    command
}

/// Run git in a folder and give what it printed.
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> String {
    let author = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org"];
    let output = program().args(author).args(arguments).current_dir(folder).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", text(output.stderr));
    text(output.stdout).trim().to_owned()
}

/// A bare repository with one commit of one file `README.md` on `main`.
pub(crate) fn bare_repository(path: &Path) {
    let work = path.with_extension("work");
    std::fs::create_dir_all(&work).unwrap();
    git(&work, &["init", "--quiet", "--initial-branch", "main"]);
    super::write(&work.join("README.md"), "# Read me\n");
    git(&work, &["add", "."]);
    git(&work, &["commit", "--quiet", "--message", "first"]);
    let (work, path) = (work.to_str().unwrap(), path.to_str().unwrap());
    git(Path::new(work), &["clone", "--quiet", "--bare", work, path]);
}

/// Ends when dropped.
pub(crate) struct GitServer {
    pub(crate) address: String,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

struct Shared {
    folder: PathBuf,
    /// The only value of `authorization` that is let in.
    expected: String,
    seen: Mutex<Vec<String>>,
    /// A push needs one; all are taken away while a test looks around.
    gate: Semaphore,
    waiting: Semaphore,
}

impl Drop for GitServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl GitServer {
    /// Serve the repositories in a folder to who sends this header.
    pub(crate) async fn start(folder: &Path, expected: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let shared = Arc::new(Shared {
            folder: folder.to_owned(),
            expected: expected.to_owned(),
            seen: Mutex::default(),
            gate: Semaphore::new(Semaphore::MAX_PERMITS),
            waiting: Semaphore::new(0),
        });
        let accepting = Arc::clone(&shared);
        let task = tokio::spawn(async move {
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                tokio::spawn(serve(Arc::clone(&accepting), socket));
            }
        });
        Self { address, shared, task }
    }

    pub(crate) fn url(&self, name: &str) -> String {
        format!("http://{}/{name}", self.address)
    }

    /// The credentials that came.
    pub(crate) fn seen(&self) -> Vec<String> {
        self.shared.seen.lock().unwrap().clone()
    }

    /// From now on a push waits for [`GitServer::release`].
    pub(crate) fn hold(&self) {
        self.shared.gate.forget_permits(Semaphore::MAX_PERMITS);
    }

    pub(crate) async fn somebody_waits(&self) {
        super::in_time("a push", self.shared.waiting.acquire()).await.unwrap().forget();
    }

    pub(crate) fn release(&self) {
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
    let given = request.header("authorization").map(str::to_owned);
    shared.seen.lock().unwrap().extend(given.clone());
    let answer = if given.as_ref() == Some(&shared.expected) {
        if request.method == "POST" && request.path.ends_with("/git-receive-pack") {
            shared.waiting.add_permits(1);
            shared.gate.acquire().await.unwrap().forget();
        }
        backend(&shared.folder, request).await
    } else {
        b"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"git\"\r\n\
          Content-Length: 0\r\nConnection: close\r\n\r\n"
            .to_vec()
    };
    // Whoever asked may be gone.
    if socket.write_all(&answer).await.is_ok() {
        drop(socket.shutdown().await);
    }
}

/// Git sends small bodies with their length; these tests send no large ones.
async fn read(socket: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = find_end(&bytes) {
            break at;
        }
        if socket.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..end].to_vec()).ok()?;
    let mut lines = head.lines();
    let mut words = lines.next()?.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let (path, query) = (path.to_owned(), query.to_owned());
    let mut request = Request { method, path, query, headers, body: bytes.split_off(end + 4) };
    assert_eq!(request.header("transfer-encoding"), None, "a body without a length");
    let length = request.header("content-length").map_or(0, |text| text.parse().unwrap());
    while request.body.len() < length {
        if socket.read_buf(&mut request.body).await.ok()? == 0 {
            return None;
        }
    }
    Some(request)
}

fn find_end(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|window| window == b"\r\n\r\n")
}

async fn backend(folder: &Path, request: Request) -> Vec<u8> {
    let mut command = program();
    command
        .arg("http-backend")
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
        .stdout(Stdio::piped());
    let mut child = tokio::process::Command::from(command).kill_on_drop(true).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let feed = async move {
        // It may answer before it has read everything.
        drop(input.write_all(&request.body).await);
    };
    let (output, ()) = tokio::join!(child.wait_with_output(), feed);
    let output = output.unwrap().stdout;
    let at = find_end(&output).unwrap();
    let (head, body) = (String::from_utf8_lossy(&output[..at]), &output[at + 4..]);
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
