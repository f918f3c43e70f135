//! What starting a server promises: its one line, its files, and clear words when it cannot start.

use std::{net::TcpListener, os::unix::fs::PermissionsExt, path::Path};

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Server, Space, finish, read, write};

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn one_line_says_everything_a_program_needs() {
    let server = Server::start(&[]).await;
    let line: Value = serde_json::from_str(&server.printed()).unwrap();
    let (url, token) = (&server.ready.url, &server.ready.token);
    let code = server.ready.open.rsplit_once('=').unwrap().1;
    assert_eq!(
        line,
        json!({
            "url": url,
            "open": format!("{url}/open?code={code}"),
            "mcp": format!("{url}/mcp"),
            "token": token,
            "workspace": server.space.root(),
        })
    );
    assert_eq!(server.ready.mcp, format!("{url}/mcp"));
    assert_eq!(server.ready.workspace, server.space.root());
    assert_eq!(server.printed().lines().count(), 1);
    assert_eq!(token.len(), 64);
    server.stop().await;
}

#[tokio::test]
async fn secrets_are_for_their_owner_only_and_nothing_is_put_into_the_workspace() {
    let server = Server::start(&[]).await;
    let place = server.space.place();
    assert_eq!(mode(&place), 0o700);
    let mut files: Vec<(String, u32)> = std::fs::read_dir(&place)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), mode(&entry.path())))
        .collect();
    files.sort();
    let fits =
        |(name, mode): &(String, u32)| *mode == if name == "hosting" { 0o700 } else { 0o600 };
    assert!(files.iter().all(fits), "{files:?}");
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    for name in ["keys.json", "lock", "server.json", "space.db", "token"] {
        assert!(names.contains(&name), "{names:?}");
    }
    assert_eq!(read(&place.join("token")).trim(), server.ready.token);
    assert_eq!(std::fs::read_dir(server.space.root()).unwrap().count(), 0);
}

#[tokio::test]
async fn the_token_stays_the_same_and_the_runtime_file_goes_with_the_server() {
    let first = Server::start(&[]).await;
    let (space, token) = (first.space.clone(), first.ready.token.clone());
    assert!(space.place().join("server.json").exists());
    first.stop().await;
    assert!(!space.place().join("server.json").exists());
    let second = Server::start_in(&space, &[]).await;
    assert_eq!(second.ready.token, token);
}

#[tokio::test]
async fn a_second_server_says_where_the_first_is() {
    let server = Server::start(&[]).await;
    let second = server.space.run(&["serve", "--port", "0"]).await;
    assert_eq!((second.code, second.out.as_str()), (Some(1), ""));
    let expected = format!(
        "error: this workspace is already served at {} (process {})\n",
        server.ready.url,
        server.pid()
    );
    assert!(second.err.starts_with(&expected), "{}", second.err);
}

#[tokio::test]
async fn a_port_in_use_is_named() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let finished = Space::new().run(&["serve", "--port", &port.to_string()]).await;
    assert_eq!((finished.code, finished.out.as_str()), (Some(1), ""));
    let expected = format!("error: port {port} on 127.0.0.1 cannot be used\n  hint: ");
    assert!(finished.err.starts_with(&expected), "{}", finished.err);
}

#[tokio::test]
async fn nobody_else_listens_where_a_browser_may_take_localhost_to_be() {
    let server = Server::start(&[]).await;
    let port = server.ready.url.rsplit(':').next().unwrap().parse::<u16>().unwrap();
    assert!(
        TcpListener::bind(("::1", port)).is_err(),
        "a program of an agent could be taken for the space"
    );
}

#[tokio::test]
async fn a_door_without_a_lock_opens_on_loopback_only() {
    let space = Space::new();
    for host in ["0.0.0.0", "::"] {
        let finished = space.run(&["serve", "--port", "0", "--host", host, "--no-auth"]).await;
        assert_eq!((finished.code, finished.out.as_str()), (Some(1), ""));
        let expected = format!("error: --no-auth is only possible on loopback, not on {host}\n");
        assert!(finished.err.starts_with(&expected), "{}", finished.err);
    }
    assert!(!space.state().exists(), "nothing is made for a server that cannot start");
    let finished = space.run(&["serve", "--port", "0", "--no-auth"]).await;
    let expected = "error: --no-auth: programs of agents could call this server as anybody";
    assert!(finished.err.starts_with(expected), "{}", finished.err);
    let server = Server::start_in(&space, &["--no-auth", "--agents-network", "off"]).await;
    assert_eq!(server.http.stranger("GET", "/api/state").send().await.status, 200);
    let foreign = server.http.stranger("GET", "/api/state").header("host", "evil.example");
    assert_eq!(foreign.send().await.status, 403, "a page can still not rebind its way in");
}

#[tokio::test]
async fn a_folder_that_is_none_is_named() {
    let space = Space::new();
    space.file("notes.txt", "");
    for (folder, expected) in [
        ("nowhere", "error: the folder nowhere cannot be opened"),
        ("notes.txt", "is not a folder\n  hint: give the folder you want to work in"),
    ] {
        let finished = space.run(&["serve", folder, "--port", "0"]).await;
        assert_eq!((finished.code, finished.out.as_str()), (Some(1), ""));
        assert!(finished.err.contains(expected), "{}", finished.err);
    }
}

#[tokio::test]
async fn a_state_folder_that_cannot_be_used_is_named() {
    let space = Space::new();
    write(&space.state(), "a file, not a folder");
    let finished = space.run(&["serve", "--port", "0"]).await;
    assert_eq!((finished.code, finished.out.as_str()), (Some(1), ""));
    let expected = format!("error: the state folder {}/", space.state().display());
    assert!(finished.err.starts_with(&expected), "{}", finished.err);
    assert!(finished.err.contains("hint: pass --state-dir"), "{}", finished.err);
}

#[tokio::test]
async fn a_workspace_that_cannot_be_written_can_be_read() {
    let space = Space::new();
    space.file("notes.txt", "one\n");
    std::fs::set_permissions(space.root(), PermissionsExt::from_mode(0o555)).unwrap();
    let server = Server::start_in(&space, &[]).await;
    let text = server.call("file.read", json!({"path": "notes.txt"})).await;
    assert_eq!(text["content"], "one\n");
    // Modes do not bind the superuser.
    if !rustix::process::geteuid().is_root() {
        let body = json!({"path": "new.txt", "content": ""});
        let answer = server.http.post("/api/commands/file.write", &body).send().await;
        assert_eq!((answer.status, &answer.json()["kind"]), (403, &json!("denied")));
    }
    drop(server);
    std::fs::set_permissions(space.root(), PermissionsExt::from_mode(0o755)).unwrap();
}

#[tokio::test]
async fn without_a_home_the_program_still_finds_its_way_or_says_what_is_missing() {
    let space = Space::new();
    let mut command = space.bare();
    command.arg("token");
    let finished = finish(command).await;
    assert_eq!((finished.code, finished.out.as_str()), (Some(1), ""));
    // With a user database there is a home folder all the same.
    let known = "error: no OpenSpace server runs for . or a folder above it";
    let unknown = "error: there is no home folder to keep state in\n  hint: set HOME";
    assert!(
        finished.err.starts_with(known) || finished.err.starts_with(unknown),
        "{}",
        finished.err
    );
}

#[tokio::test]
async fn state_is_kept_where_the_environment_says() {
    let space = Space::new();
    let home = space.folder().join("home");
    for (variables, kept) in [
        (vec![("HOME", home.clone())], home.join(".local/state/openspace")),
        (
            vec![("HOME", home.clone()), ("XDG_STATE_HOME", home.join("x"))],
            home.join("x/openspace"),
        ),
        // A relative path counts as none.
        (
            vec![("HOME", home.join("b")), ("XDG_STATE_HOME", "y".into())],
            home.join("b/.local/state/openspace"),
        ),
    ] {
        let mut command = space.bare();
        command.arg("mcp").envs(variables);
        // It serves alone and ends at once, because nobody is at its standard input.
        finish(command).await;
        assert_eq!(std::fs::read_dir(&kept).unwrap().count(), 1, "{}", kept.display());
    }
}
