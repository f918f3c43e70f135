//! Where the work is done: `--provider` and what goes with it, from start to end.

use std::os::unix::fs::PermissionsExt as _;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Server, Space, Stdio, write};

#[tokio::test]
async fn a_whole_space_is_served_from_a_sandbox() {
    let server = Server::start(&["--provider", "sandbox"]).await;
    server.space.file("a.txt", "one\n");
    let main = server.call("workspace.get", json!({"workspace_id": "main"})).await;
    assert_eq!(main["isolation"]["network"], "none", "{main}");
    let inside = main["root_inside"].as_str().unwrap();
    let ran = server.call("workspace.bash", json!({"command": "pwd; cat a.txt; echo two > b.txt"}));
    assert_eq!(ran.await["stdout"], format!("{inside}\none\n"));
    assert_eq!(crate::support::read(&server.space.root().join("b.txt")), "two\n");
    let read = server.call("file.read", json!({"path": "b.txt"})).await;
    assert_eq!(read["content"], "two\n");
    server.call("editor.open", json!({"path": "b.txt"})).await;
    server.call("terminal.create", json!({"title": "sh"})).await;
    let run = json!({"terminalId": "sh", "command": "pwd"});
    let ran = server.call("terminal.run", run).await;
    assert!(ran.to_string().contains(inside), "{ran}");
    let secret = server.space.place().join("token");
    let look = format!("cat {}; ls {}", secret.display(), server.space.folder().display());
    let looked = server.call("workspace.bash", json!({"command": look})).await;
    assert_eq!((&looked["stdout"], &looked["exit_code"]), (&json!(""), &json!(2)), "{looked}");
    let instructions = server.http.get("/instructions").send().await.text();
    assert!(instructions.contains("- main, the one above: sandbox without network\n"));
    let page = server.http.get("/status").send().await.text();
    let folder = server.space.root().display().to_string();
    assert!(page.contains(&folder), "the page names the folder as the person knows it");
}

#[tokio::test]
async fn the_network_of_a_sandbox_is_there_when_it_was_asked_for() {
    let reach = |server: &Server| {
        let address = server.http.authority.replace(':', "/");
        json!({"command": format!("exec 3<>/dev/tcp/{address} && echo reached")})
    };
    let open = Server::start(&["--provider", "sandbox", "--network"]).await;
    assert_eq!(open.call("workspace.bash", reach(&open)).await["stdout"], "reached\n");
    let shut = Server::start(&["--provider", "sandbox"]).await;
    assert_eq!(shut.call("workspace.bash", reach(&shut)).await["stdout"], "");
}

#[tokio::test]
async fn limits_of_the_command_line_hold() {
    let limits = r#"{"open_files": 123}"#;
    for provider in ["runner", "sandbox"] {
        let server = Server::start(&["--provider", provider, "--limits", limits]).await;
        let ran = server.call("workspace.bash", json!({"command": "ulimit -n"})).await;
        assert_eq!(ran["stdout"], "123\n", "{provider}");
    }
}

#[tokio::test]
async fn what_cannot_be_had_is_said_at_once() {
    let space = Space::new();
    let open = space.folder().join("tokens");
    write(&open, "https://me:secret@example.org\n");
    std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o644)).unwrap();
    let open = open.to_str().unwrap().to_owned();
    let missing = space.folder().join("none").display().to_string();
    for (arguments, code, expected) in [
        (
            vec!["--provider", "nonsense"],
            2,
            "there is no provider `nonsense`; there are local, runner and sandbox".to_owned(),
        ),
        (
            vec!["--provider", "runner", "--runner", &missing],
            1,
            format!("error: the runner {missing} is not there, or is no program\n  hint: install `openspace-runner` beside `openspace`\n"),
        ),
        (
            vec!["--provider", "sandbox", "--runner", &missing],
            1,
            format!("error: the runner {missing} is not there, or is no program\n  hint: "),
        ),
        (
            vec!["--network"],
            1,
            "error: --network goes with --provider sandbox\n  hint: ".to_owned(),
        ),
        (
            vec!["--provider", "runner", "--network"],
            1,
            "error: --network goes with --provider sandbox\n".to_owned(),
        ),
        (vec!["--limits", "lots"], 1, "error: --limits is not understood: ".to_owned()),
        (
            vec!["--limits", r#"{"memory": 1}"#],
            1,
            "error: --limits is not understood: unknown field `memory`, expected one of `memory_bytes`".to_owned(),
        ),
        (
            vec!["--limits", r#"{"open_files": 100}"#],
            1,
            "error: the provider `local` runs in the server's own process, which nothing limits\n  hint: use the provider `runner` or `sandbox`\n".to_owned(),
        ),
        (
            vec!["--provider", "runner", "--limits", r#"{"open_files": 1}"#],
            1,
            "error: the limit `open_files` cannot hold: the least is 32\n".to_owned(),
        ),
        (
            vec!["--git-token-file", &open],
            1,
            format!("error: --git-token-file: others may read {open}\n  hint: `chmod 600` it\n"),
        ),
        (
            vec!["--git-token-file", &missing],
            1,
            format!("error: --git-token-file: {missing} cannot be read: No such file"),
        ),
        (
            vec!["--git-token-file", &open, "--git-credential-command", "true"],
            2,
            "cannot be used with".to_owned(),
        ),
        (
            vec!["--git-author", "nobody"],
            1,
            "error: --git-author: `nobody` is not of the form `NAME <EMAIL>`\n".to_owned(),
        ),
    ] {
        for verb in [vec!["serve", "--port", "0"], vec!["mcp"]] {
            let words: Vec<&str> = verb.into_iter().chain(arguments.iter().copied()).collect();
            let finished = space.run(&words).await;
            assert_eq!((finished.code, finished.out.as_str()), (Some(code), ""), "{words:?}");
            assert!(finished.err.contains(&expected), "{words:?}: {}", finished.err);
            assert!(!finished.err.contains("secret@"), "{}", finished.err);
        }
    }
}

#[tokio::test]
async fn an_agent_alone_gets_the_place_that_was_asked_for() {
    for provider in ["runner", "sandbox"] {
        let space = Space::new();
        let mut alone = Stdio::connect(&space, &["--provider", provider]).await;
        let shown = alone.call("workspace_get", json!({"workspace_id": "main"})).await;
        assert_eq!(shown["structuredContent"]["isolation"]["provider"], provider);
        let ran = alone.call("workspace_bash", json!({"command": "echo hi"})).await;
        assert_eq!(ran["structuredContent"]["stdout"], "hi\n");
        assert_eq!(alone.close().await.0, Some(0));
    }
}

#[tokio::test]
async fn joining_never_gives_a_place_that_is_less_isolated_than_asked_for() {
    let server = Server::start(&[]).await;
    let url = &server.ready.url;
    let refused = server.space.run(&["mcp", "--provider", "sandbox"]).await;
    assert_eq!((refused.code, refused.out.as_str()), (Some(1), ""));
    let expected = format!(
        "error: the server at {url} already serves this workspace with provider \"local\", network true"
    );
    assert!(refused.err.starts_with(&expected), "{}", refused.err);
    for arguments in [vec![], vec!["--provider", "local"]] {
        let mut joined = Stdio::connect(&server.space, &arguments).await;
        let shown = joined.call("workspace_get", json!({"workspace_id": "main"})).await;
        assert_eq!(shown["structuredContent"]["provider"], "local");
    }
    drop(server);

    let server = Server::start(&["--provider", "sandbox", "--network"]).await;
    for arguments in [
        vec!["mcp", "--provider", "sandbox"],
        vec!["mcp", "--provider", "local"],
        vec!["mcp", "--provider", "sandbox", "--network", "--limits", r#"{"open_files": 99}"#],
    ] {
        let refused = server.space.run(&arguments).await;
        assert_eq!(refused.code, Some(1), "{arguments:?}");
    }
    let mut joined = Stdio::connect(&server.space, &["--provider", "sandbox", "--network"]).await;
    let shown: Value = joined.call("workspace_get", json!({"workspace_id": "main"})).await;
    assert_eq!(shown["structuredContent"]["provider"], "sandbox");
}
