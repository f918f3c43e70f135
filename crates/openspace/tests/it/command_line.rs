//! The command line: every command as a subcommand, and the verbs around them.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Bridge, Server, Space};

#[tokio::test]
async fn help_shows_everything_in_its_place() {
    let space = Space::new();
    for (name, arguments) in [
        ("help", vec!["--help"]),
        ("help_of_an_area", vec!["editor", "--help"]),
        ("help_of_a_command", vec!["editor", "open", "--help"]),
        ("help_of_connect", vec!["connect", "--help"]),
    ] {
        let finished = space.run(&arguments).await;
        assert_eq!((finished.code, finished.err.as_str()), (Some(0), ""));
        insta::assert_snapshot!(name, finished.out);
    }
    let version = space.run(&["--version"]).await;
    let expected = format!("openspace {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!((version.code, version.out), (Some(0), expected));
}

#[tokio::test]
async fn no_way_to_connect_an_agent_puts_the_token_into_a_file_of_the_workspace() {
    let server = Server::start(&[]).await;
    let token = &server.ready.token;
    for client in ["claude", "codex", "cursor", "gemini", "opencode", "vscode"] {
        let made = server.space.run(&["connect", client, "--http", "--write"]).await;
        assert_eq!(made.code, Some(0), "{made:?}");
        assert!(made.err.contains("takes it from OPENSPACE_TOKEN"), "{}", made.err);
        assert!(!made.out.contains(token) && !made.err.contains(token), "{made:?}");
    }
    let refused = server.space.run(&["connect", "zed", "--http", "--write"]).await;
    assert_eq!(refused.code, Some(1), "{refused:?}");
    let root = server.space.root();
    let files = [".mcp.json", ".codex/config.toml", ".cursor/mcp.json", ".gemini/settings.json"];
    for file in files.iter().chain(&["opencode.json", ".vscode/mcp.json"]) {
        let text = crate::support::read(&root.join(file));
        assert!(text.contains("OPENSPACE_TOKEN") && !text.contains(token), "{file}: {text}");
    }
    assert!(!root.join(".zed").exists());
}

#[tokio::test]
async fn a_file_with_the_key_to_the_instructions_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;

    let server = Server::start(&[]).await;
    let file = server.space.root().join("opencode.json");
    let mode = || file.metadata().unwrap().permissions().mode() & 0o777;
    let words = ["connect", "opencode", "--instructions", "--write"];
    let created = server.space.run(&words).await;
    assert_eq!((created.code, mode()), (Some(0), 0o600), "{created:?}");
    let told = format!("Only you can read {} (mode 600).", file.display());
    assert!(created.err.contains(&told), "{}", created.err);
    // One that others could read before is closed, also when nothing else is new.
    for _ in 0..2 {
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o664)).unwrap();
        let closed = server.space.run(&words).await;
        assert_eq!((closed.code, mode()), (Some(0), 0o600), "{closed:?}");
        let told = format!(
            "Others on this machine could read {}; now only you can (mode 600).",
            file.display()
        );
        assert!(closed.err.contains(&told), "{}", closed.err);
        crate::support::write(&file, "{}");
    }
}

#[tokio::test]
async fn a_command_of_each_area_answers_in_text_and_in_json() {
    let server = Server::start(&[]).await;
    server.space.file("a.txt", "one\ntwo\n");
    for (arguments, key, expected) in [
        (vec!["editor", "open", "a.txt", "--line", "2"], "paneId", json!("p1")),
        (vec!["pane", "split", "right"], "paneId", json!("p2")),
        (vec!["pane", "resize", "p1", "--width", "60.5"], "success", json!(true)),
        (vec!["layout", "save", "mine"], "layouts", json!(["mine"])),
        (vec!["terminal", "create", "--title", "sh"], "terminalId", json!("t1")),
        (vec!["terminal", "send", "sh", "--help\n"], "bytes", json!(7)),
        (vec!["file", "read", "a.txt", "--start-line", "2"], "content", json!("two\n")),
        (vec!["file", "list", "--recursive"], "total", json!(1)),
        (
            vec!["editor", "open", "--new-pane", "a.txt", "--highlight=false"],
            "path",
            json!("a.txt"),
        ),
        (vec!["command", "help", "pane.list"], "tool", json!("pane_list")),
        (
            vec!["editor", "highlight", "a.txt", r#"[{"startLine": 1, "endLine": 2}]"#],
            "highlightId",
            json!("h1"),
        ),
    ] {
        let mut with_json = arguments.clone();
        with_json.push("--json");
        let finished = server.space.run(&with_json).await;
        assert_eq!((finished.code, finished.err.as_str()), (Some(0), ""), "{arguments:?}");
        let answer: Value = serde_json::from_str(&finished.out).unwrap();
        assert_eq!((&answer["success"], &answer[key]), (&json!(true), &expected), "{answer}");
    }
    let text = server.space.run(&["file", "read", "a.txt"]).await;
    assert_eq!((text.code, text.out.as_str(), text.err.as_str()), (Some(0), "one\ntwo\n", ""));
}

#[tokio::test]
async fn the_exit_code_says_what_kind_of_failure_it_was() {
    let server = Server::start(&["--bridge-timeout", "1"]).await;
    server.space.file("folder/a.bin", "\0\0");
    server.space.file(".env", "A=1");
    let _bridge = Bridge::silent(&server.http).await;
    server.call("terminal.create", json!({})).await;
    for (arguments, code, kind) in [
        (vec!["editor", "open", ".", "--line", "0"], 2, "invalid_args"),
        (vec!["editor", "open", "missing.rs"], 3, "not_found"),
        (vec!["terminal", "restart", "t1"], 4, "conflict"),
        (vec!["file", "read", ".env"], 5, "denied"),
        (vec!["file", "read", "folder/a.bin"], 7, "unsupported"),
        (vec!["call", "slow.wait"], 9, "timed_out"),
    ] {
        let text = server.space.run(&arguments).await;
        assert_eq!((text.code, text.out.as_str()), (Some(code), ""), "{arguments:?}");
        assert!(!text.err.trim().is_empty());
        let mut with_json = arguments.clone();
        with_json.push("--json");
        let answer = server.space.run(&with_json).await;
        assert_eq!((answer.code, answer.err.as_str()), (Some(code), ""), "{arguments:?}");
        let answer: Value = serde_json::from_str(&answer.out).unwrap();
        assert_eq!((&answer["success"], &answer["kind"]), (&json!(false), &json!(kind)));
    }
}

#[tokio::test]
async fn a_limit_has_an_exit_code_too() {
    let server = Server::start(&["--max-calls-per-turn", "1"]).await;
    assert_eq!(server.space.run(&["pane", "list"]).await.code, Some(0));
    assert_eq!(server.space.run(&["pane", "list"]).await.code, Some(10));
}

#[tokio::test]
async fn an_argument_of_the_wrong_type_is_named() {
    let server = Server::start(&[]).await;
    server.space.file("a.txt", "");
    let finished = server.space.run(&["editor", "open", "a.txt", "--line", "two"]).await;
    assert_eq!((finished.code, finished.out.as_str()), (Some(2), ""));
    assert!(finished.err.contains("`line`"), "{}", finished.err);
    let finished = server.space.run(&["pane", "split", "inside"]).await;
    assert_eq!((finished.code, finished.out.as_str()), (Some(2), ""));
    assert!(finished.err.contains("possible values: left, right, above, below"));
    let finished = server.space.run(&["editor", "open"]).await;
    assert_eq!((finished.code, finished.out.as_str()), (Some(2), ""));
    assert!(finished.err.contains("<PATH>"), "{}", finished.err);
}

#[tokio::test]
async fn without_a_server_a_command_says_how_to_start_one() {
    let space = Space::new();
    for arguments in [vec!["pane", "list"], vec!["link"], vec!["token"], vec!["call", "pane.list"]]
    {
        let finished = space.run(&arguments).await;
        assert_eq!((finished.code, finished.out.as_str()), (Some(1), ""), "{arguments:?}");
        let expected = "error: no OpenSpace server runs for . or a folder above it\n  hint: start \
                        one with `openspace .`, or pass --workspace FOLDER\n";
        assert_eq!(finished.err, expected);
    }
    assert!(!space.state().exists(), "looking leaves nothing behind");
}

#[tokio::test]
async fn a_server_that_was_killed_is_not_taken_for_a_running_one() {
    let space = Server::start(&[]).await.kill().await;
    assert!(space.place().join("server.json").exists());
    assert_eq!(space.run(&["pane", "list"]).await.code, Some(1));
}

#[tokio::test]
async fn the_server_is_found_from_any_folder_of_its_workspace() {
    let server = Server::start(&[]).await;
    server.space.file("deep/er/a.txt", "");
    let deep = server.space.root().join("deep/er").display().to_string();
    let finished = server.space.run(&["token", "--workspace", &deep]).await;
    assert_eq!((finished.code, finished.out.trim()), (Some(0), server.ready.token.as_str()));
    let finished = server.space.run(&["token", "--workspace", "/"]).await;
    assert_eq!(finished.code, Some(1));
}

#[tokio::test]
async fn link_and_token_let_in() {
    let server = Server::start(&[]).await;
    let token = server.space.run(&["token"]).await;
    assert_eq!((token.code, token.out), (Some(0), format!("{}\n", server.ready.token)));
    let link = server.space.run(&["link"]).await;
    let path = link.out.trim().strip_prefix(&server.ready.url).unwrap();
    let opened = server.http.stranger("GET", path).send().await;
    assert_eq!((opened.status, opened.header("set-cookie").is_some()), (200, true));
}

#[tokio::test]
async fn any_command_can_be_called_with_json_those_of_bridges_too() {
    let server = Server::start(&[]).await;
    let command = json!({"id": "demo.add", "description": "Add.", "inputSchema": {
        "type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}});
    let mut bridge = Bridge::start(&server.http, json!([command])).await;
    let arguments = ["call", "demo.add", r#"{"a": 1}"#, "--json"];
    let answering = async {
        let call = bridge.call().await;
        assert_eq!(call["args"], json!({"a": 1}));
        let result = json!({"callId": call["callId"], "success": true, "output": {"sum": 2}});
        assert_eq!(bridge.result(&result).await, 200);
    };
    let (finished, ()) = tokio::join!(server.space.run(&arguments), answering);
    let answer: Value = serde_json::from_str(&finished.out).unwrap();
    assert_eq!((finished.code, answer), (Some(0), json!({"success": true, "sum": 2})));
    let finished = server.space.run(&["call", "demo.add", "{"]).await;
    assert_eq!((finished.code, finished.out.as_str()), (Some(1), ""));
    assert!(finished.err.starts_with("error: the arguments are not valid JSON"));
}

#[tokio::test]
async fn a_slip_in_the_verb_is_noticed_and_a_folder_is_a_folder() {
    let space = Space::new();
    for (word, verb) in [("sevre", "serve"), ("conect", "connect"), ("teminal", "terminal")] {
        let finished = space.run(&[word]).await;
        assert_eq!((finished.code, finished.out.as_str()), (Some(2), ""));
        let expected = format!(
            "error: there is no command and no folder `{word}`\n  hint: did you mean `openspace {verb}`?\n"
        );
        assert_eq!(finished.err, expected);
    }
    for words in [&["nowhere"][..], &["serve", "sevre"]] {
        let finished = space.run(words).await;
        assert_eq!(finished.code, Some(1));
        assert!(finished.err.contains("cannot be opened"), "{finished:?}");
    }
}

#[tokio::test]
async fn hints_name_what_can_be_typed() {
    let server = Server::start(&[]).await;
    let finished = server.space.run(&["call", "pane.resize", r#"{"pane": "p1"}"#]).await;
    assert_eq!(finished.code, Some(2));
    assert!(finished.err.contains("openspace pane resize takes paneId"), "{}", finished.err);
    assert!(!finished.err.contains("pane_resize"), "{}", finished.err);
}

#[tokio::test]
async fn completions_know_every_area() {
    let space = Space::new();
    for shell in ["bash", "zsh", "fish"] {
        let finished = space.run(&["completions", shell]).await;
        assert_eq!((finished.code, finished.err.as_str()), (Some(0), ""));
        for word in ["terminal", "read-output", "connect"] {
            assert!(finished.out.contains(word), "{shell}: {word}");
        }
    }
}

#[tokio::test]
async fn starting_for_people_says_where_to_look() {
    let space = Space::new();
    let mut command = space.program();
    command.args(["--port", "0"]).stdout(std::process::Stdio::piped());
    let mut command = tokio::process::Command::from(command);
    let mut child = command.kill_on_drop(true).spawn().unwrap();
    let mut text = String::new();
    let mut lines = {
        use tokio::io::{AsyncBufReadExt, BufReader};
        BufReader::new(child.stdout.take().unwrap()).lines()
    };
    while !text.contains("Ctrl-C") {
        text.push_str(&lines.next_line().await.unwrap().unwrap());
        text.push('\n');
    }
    let token = space.place().join("token");
    assert!(text.starts_with(&format!("OpenSpace serves {}\n", space.root().display())), "{text}");
    assert!(text.contains(&format!("  token   {}\n", token.display())), "{text}");
    assert!(!text.contains(crate::support::read(&token).trim()), "the secret is not on the screen");
    crate::support::send_signal(child.id().unwrap(), rustix::process::Signal::INT);
    assert!(child.wait().await.unwrap().success());
}
