//! Git against a remote that wants to know who comes: the server's credentials open it, and nobody
//! ever sees them.

use std::{os::unix::fs::PermissionsExt as _, path::Path};

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{GitServer, Server, Space, bare_repository, bytes, git, write};

const TOKEN: &str = "Sesame0Zq7LmWc4XtY";
/// `robot:` and the token, as a client sends them.
const EXPECTED: &str = "Basic cm9ib3Q6U2VzYW1lMFpxN0xtV2M0WHRZ";

const AUTHOR: &str = "Robot <robot@example.org>";
const CO_AUTHOR: &str = "Ada <ada@example.org>";

/// A repository behind a password.
struct Remote {
    server: GitServer,
    repository: std::path::PathBuf,
}

impl Remote {
    async fn start(space: &Space) -> Self {
        let folder = space.folder().join("remote");
        let repository = folder.join("app.git");
        std::fs::create_dir(&folder).unwrap();
        bare_repository(&repository);
        Self { server: GitServer::start(&folder, EXPECTED).await, repository }
    }
}

/// A file that only its owner reads.
fn private(path: &Path, text: &str) -> String {
    write(path, text);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
    path.display().to_string()
}

async fn tool(server: &Server, arguments: Value) -> Value {
    let answer = server.http.post("/api/v1/workspaces/w1/git", &arguments).send().await;
    assert_eq!(answer.status, 200, "{arguments}: {}", answer.text());
    assert!(!answer.text().contains(TOKEN));
    answer.json()
}

/// Clone, change, commit and push; the token is looked for everywhere on the way.
async fn clone_commit_push(server: &Server, remote: &Remote, provider: &str) {
    let mut wanted = json!({"git_url": remote.server.url("app.git"), "provider": provider});
    if provider == "sandbox" {
        wanted["network"] = json!(true);
    }
    let created = server.http.post("/api/v1/workspaces", &wanted).send().await;
    assert_eq!(created.status, 201, "{provider}: {}", created.text());
    assert!(!created.text().contains(TOKEN));
    let file = json!({"file_path": "new.txt", "content": format!("{provider}\n")});
    let written = server.http.post("/api/v1/workspaces/w1/write", &file).send().await;
    assert_eq!(written.status, 200);
    tool(server, json!({"action": "add", "files": ["new.txt"]})).await;
    tool(server, json!({"action": "commit", "message": "Add a file"})).await;

    remote.server.hold();
    let looking = async {
        remote.server.somebody_waits().await;
        let found = processes_with(TOKEN);
        remote.server.release();
        found
    };
    let push = json!({"action": "push"});
    let (pushed, found) = tokio::join!(tool(server, push), looking);
    assert_eq!(pushed["success"], true, "{pushed}");
    assert_eq!(found, [] as [String; 0], "{provider}");
    assert!(remote.server.seen().iter().any(|header| header == EXPECTED));

    let shown =
        git(&remote.repository, &["log", "-1", "--format=%an <%ae>%n%cn <%ce>%n%B", "main"]);
    let expected = format!("{AUTHOR}\n{AUTHOR}\nAdd a file\n\nCo-authored-by: {CO_AUTHOR}");
    assert_eq!(shown, expected, "{provider}");
    let content = git(&remote.repository, &["show", "main:new.txt"]);
    assert_eq!(content, provider);
}

/// Processes whose environment or command line has a text.
fn processes_with(text: &str) -> Vec<String> {
    let entries = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let holds = |path: &Path| {
        let bytes = bytes(path).unwrap_or_default();
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    };
    entries
        .filter(|entry| entry.file_name().to_string_lossy().bytes().all(|b| b.is_ascii_digit()))
        .flat_map(|entry| ["environ", "cmdline"].map(|file| entry.path().join(file)))
        .filter(|path| holds(path))
        .map(|path| path.display().to_string())
        .collect()
}

/// Files beneath a folder that hold a text, their names too.
fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                folders.push(entry.path());
            }
            let content = if kind.is_file() { bytes(&entry.path()) } else { None };
            let content = content.unwrap_or_default();
            let inside = content.windows(text.len()).any(|window| window == text.as_bytes());
            if inside || entry.file_name().to_string_lossy().contains(text) {
                found.push(entry.path().display().to_string());
            }
        }
    }
    found
}

/// Nothing of the server's state, of its workspaces or of its log has the token.
async fn nothing_has_it(server: Server) {
    let log = server.http.get("/api/v1/audit").send().await;
    let text = log.text();
    assert!(text.contains("git push"), "{text}");
    assert!(!text.contains(TOKEN) && !text.contains(EXPECTED), "{text}");
    for path in ["/api/state", "/instructions", "/api/v1/workspaces"] {
        assert!(!server.http.get(path).send().await.text().contains(TOKEN), "{path}");
    }
    let space = server.space.clone();
    assert!(!server.log().contains(TOKEN), "{}", server.log());
    server.stop().await;
    for secret in [TOKEN, EXPECTED.trim_start_matches("Basic ")] {
        assert_eq!(files_with(&space.state(), secret), [] as [String; 0]);
        assert_eq!(files_with(&space.root(), secret), [] as [String; 0]);
        assert_eq!(files_with(&space.folder().join("home"), secret), [] as [String; 0]);
    }
}

#[tokio::test]
async fn a_file_of_tokens_opens_the_remote_from_every_kind_of_place() {
    for provider in ["local", "runner", "sandbox"] {
        let space = Space::new();
        let remote = Remote::start(&space).await;
        let line = format!("http://robot:{TOKEN}@{}\n", remote.server.address);
        let file = private(&space.folder().join("tokens"), &line);
        let options =
            ["--git-token-file", &file, "--git-author", AUTHOR, "--git-co-author", CO_AUTHOR];
        let server = Server::start_in(&space, &options).await;
        clone_commit_push(&server, &remote, provider).await;
        nothing_has_it(server).await;
    }
}

#[tokio::test]
async fn a_command_that_knows_the_token_opens_it_too() {
    let space = Space::new();
    let remote = Remote::start(&space).await;
    let answer = format!("username=robot\npassword={TOKEN}\n");
    let file = private(&space.folder().join("answer"), &answer);
    let asked = space.folder().join("asked").display().to_string();
    let command = format!("cat > {asked}; cat {file}");
    let options = [
        "--git-credential-command",
        &command,
        "--git-author",
        AUTHOR,
        "--git-co-author",
        CO_AUTHOR,
    ];
    let server = Server::start_in(&space, &options).await;
    clone_commit_push(&server, &remote, "local").await;
    let question = crate::support::read(Path::new(&asked));
    let host = &remote.server.address;
    assert_eq!(question, format!("protocol=http\nhost={host}\npath=app.git\n\n"));
    nothing_has_it(server).await;
}

#[tokio::test]
async fn without_credentials_a_remote_that_wants_them_is_refused_with_a_hint() {
    let space = Space::new();
    let remote = Remote::start(&space).await;
    let line = format!("http://robot:{TOKEN}@elsewhere.example\n");
    let file = private(&space.folder().join("tokens"), &line);
    let server = Server::start_in(&space, &["--git-token-file", &file]).await;
    let wanted = json!({"git_url": remote.server.url("app.git")});
    let refused = server.http.post("/api/v1/workspaces", &wanted).send().await;
    let value = refused.json();
    assert_eq!((refused.status, &value["kind"]), (403, &json!("denied")), "{value}");
    assert!(value["hint"].is_string(), "{value}");
    assert_eq!(remote.server.seen(), [] as [String; 0], "what is for another host stays here");
    let listed = server.call("workspace.list", json!({})).await;
    assert_eq!(listed["workspaces"].as_array().unwrap().len(), 1, "nothing half-made stays");
}
