//! The workspace tools on the command line.

use pretty_assertions::assert_eq;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{Server, eventually, marked_processes, send_signal};

#[tokio::test]
async fn what_is_needed_is_typed_without_options() {
    let server = Server::start(&["--max-calls-per-turn", "1000"]).await;
    for (arguments, out) in [
        (vec!["bash", "echo hi"], "hi\n(exit code 0)\n"),
        (vec!["bash", "--workdir", "src", "pwd -P | sed 's,.*/,,'"], "src\n(exit code 0)\n"),
        (vec!["bash", "--no-such; exit 3", "--timeout-ms", "5000"], "(exit code 3)\n"),
        (vec!["read", "README.md"], "1: # Read me\n"),
        (vec!["read", "README.md", "--offset", "1", "--limit", "1"], "1: # Read me\n"),
        (vec!["glob", "**/*.rs"], "src/main.rs\n"),
        (vec!["grep", "fn main", "--output-mode", "files_with_matches"], "src/main.rs\n"),
    ] {
        server.space.file("README.md", "# Read me\n");
        server.space.file("src/main.rs", "fn main() {}\n");
        let words: Vec<&str> = ["workspace"].into_iter().chain(arguments).collect();
        let finished = server.space.run(&words).await;
        let code = if out.contains("exit code 3") { 3 } else { 0 };
        assert_eq!((finished.code, finished.err.as_str()), (Some(code), ""), "{words:?}");
        assert!(finished.out.contains(out), "{words:?}: {}", finished.out);
    }
    for (arguments, key, expected) in [
        (vec!["write", "a.txt", "one\n"], "created", json!(true)),
        (
            vec!["edit", "a.txt", "--old-string", "one", "--new-string", "two"],
            "replacements",
            json!(1),
        ),
        (vec!["bash", "cat a.txt; exit 5"], "exit_code", json!(5)),
        (vec!["bash", "sleep 8101", "--run-in-background"], "run_id", json!("r1")),
        (vec!["run-output", "r1"], "state", json!("running")),
        (vec!["run-kill", "r1"], "killed", json!(true)),
        (vec!["git", "init"], "success", json!(true)),
        (vec!["write", "b.txt", "two\n"], "created", json!(true)),
        (vec!["git", "add", "--files", "a.txt", "--files", "b.txt"], "success", json!(true)),
        (vec!["git", "restore", "--staged", "--files", "b.txt"], "success", json!(true)),
        (vec!["git", "add", "--files", r#"["a.txt", "b.txt"]"#], "success", json!(true)),
        (vec!["git", "commit", "--message", "first"], "summary", json!("first")),
        (vec!["git", "log", "--limit", "1"], "success", json!(true)),
        (vec!["git", "log", "--all"], "more", json!(false)),
        (vec!["git", "blame", "--path", "a.txt", "--lines", "1"], "path", json!("a.txt")),
        (vec!["git", "tag", "--operation", "create", "--name", "v1"], "action", json!("tag")),
        (vec!["write", "a.txt", "zero\ntwo\nthree\n"], "created", json!(false)),
        (vec!["git", "add", "--files", "a.txt", "--lines", "3"], "action", json!("add")),
        (vec!["git", "commit", "--amend"], "summary", json!("first")),
    ] {
        let words: Vec<&str> =
            ["workspace"].into_iter().chain(arguments).chain(["--json"]).collect();
        let finished = server.space.run(&words).await;
        let answer: Value = serde_json::from_str(&finished.out).unwrap();
        let code = if key == "exit_code" { 5 } else { 0 };
        assert_eq!((finished.code, finished.err.as_str()), (Some(code), ""), "{words:?}: {answer}");
        assert_eq!(answer[key], expected, "{words:?}: {answer}");
    }
}

#[tokio::test]
async fn another_workspace_is_chosen_by_its_id() {
    let server = Server::start(&[]).await;
    let created =
        server.space.run(&["workspace", "create", "--provider", "sandbox", "--json"]).await;
    let created: Value = serde_json::from_str(&created.out).unwrap();
    assert_eq!((&created["id"], &created["provider"]), (&json!("w1"), &json!("sandbox")));
    let inside = created["root_inside"].as_str().unwrap();
    let ran = server.space.run(&["workspace", "bash", "pwd", "--workspace-id", "w1"]).await;
    assert_eq!((ran.code, ran.out), (Some(0), format!("{inside}\n(exit code 0)\n")));
    let listed = server.space.run(&["workspace", "list", "--json"]).await;
    let listed: Value = serde_json::from_str(&listed.out).unwrap();
    assert_eq!(listed["workspaces"].as_array().unwrap().len(), 2);
    let gone = server.space.run(&["workspace", "destroy", "w1"]).await;
    assert_eq!(gone.code, Some(0), "{}", gone.err);
    let ran = server.space.run(&["workspace", "bash", "pwd", "--workspace-id", "w1"]).await;
    assert_eq!((ran.code, ran.out.as_str()), (Some(3), ""));
    assert!(ran.err.contains("workspaces: main"), "{}", ran.err);
}

#[tokio::test]
async fn the_exit_code_is_that_of_the_failure() {
    let server = Server::start(&[]).await;
    server.space.file(".env", "A=1");
    server.space.file("a.txt", "one\n");
    for (arguments, code) in [
        (vec!["bash"], 2),
        (vec!["bash", ""], 2),
        (vec!["bash", "true", "--timeout-ms", "0"], 2),
        (vec!["git", "dance"], 2),
        (vec!["read", "missing.txt"], 3),
        (vec!["run-kill", "r9"], 3),
        (vec!["edit", "a.txt", "--old-string", "x", "--new-string", "y"], 4),
        (vec!["read", ".env"], 5),
        (vec!["create", "--provider", "runner", "--limits", r#"{"temporary_bytes": 5000}"#], 7),
    ] {
        let words: Vec<&str> = ["workspace"].into_iter().chain(arguments).collect();
        let finished = server.space.run(&words).await;
        assert_eq!(
            (finished.code, finished.out.as_str()),
            (Some(code), ""),
            "{words:?}: {}",
            finished.err
        );
        assert!(!finished.err.trim().is_empty());
    }
}

#[tokio::test]
async fn a_program_that_ends_with_a_code_gives_it_to_the_command_line() {
    let server = Server::start(&[]).await;
    let in_background = ["workspace", "bash", "exit 5", "--run-in-background"];
    let nested = r#"{"command": "exit 7"}"#;
    for (words, code) in [
        (&["workspace", "bash", "exit 5"][..], 5),
        (&["workspace", "bash", "exit 5", "--json"], 5),
        (&["workspace", "bash", "kill -9 $$"], 137),
        (&["workspace", "bash", "true"], 0),
        (&in_background, 0),
        (&["call", "workspace.bash", r#"{"command": "exit 6"}"#], 6),
        (&["command", "run", "workspace.bash", "--arguments", nested], 7),
        (&["terminal", "create", "--title", "sh", "--shell-path", "/bin/bash"], 0),
        (&["terminal", "run", "sh", "(exit 9)"], 9),
    ] {
        let finished = server.space.run(words).await;
        assert_eq!((finished.code, finished.err.as_str()), (Some(code), ""), "{words:?}");
        assert!(!finished.out.is_empty(), "{words:?}");
    }
}

#[tokio::test]
async fn ctrl_c_ends_the_command_too() {
    let server = Server::start(&[]).await;
    let instance = server.space.instance();
    let mut program = server.space.program();
    program.args(["workspace", "bash", "sleep 8201 & sleep 8201; true"]);
    let mut child = program.stdout(std::process::Stdio::null()).spawn().unwrap();
    let sleeping = || marked_processes(&instance).iter().filter(|(_, w)| w == "sleep 8201").count();
    eventually("two programs", || async { (sleeping() == 2).then_some(()) }).await;
    send_signal(child.id(), Signal::INT);
    child.wait().unwrap();
    eventually("their end", || async { (sleeping() == 0).then_some(()) }).await;
}
