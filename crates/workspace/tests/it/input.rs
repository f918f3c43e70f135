//! Input that no command should be led astray by, whatever the command.

use openspace_workspace::permission::Profile;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Bench, PolicyText, asking, person};

/// Commands that take a path, with the rest of their arguments.
fn calls_with(path: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("file.read", json!({"path": path})),
        ("file.write", json!({"path": path, "content": "x"})),
        ("file.list", json!({"path": path})),
        ("file.search", json!({"query": "x", "path": path})),
        ("editor.open", json!({"path": path})),
        ("editor.scroll_to", json!({"path": path, "line": 1})),
        ("editor.read_file", json!({"path": path})),
        ("editor.close", json!({"path": path})),
        ("editor.highlight", json!({"path": path, "ranges": [{"startLine": 1, "endLine": 1}]})),
        ("editor.clear_highlight", json!({"path": path})),
        ("pane.open", json!({"type": "editor", "contentId": path})),
        ("terminal.create", json!({"cwd": path})),
    ]
}

async fn every_path_command_fails(bench: &Bench, path: &str, kind: &str, message: &str) {
    for (command, args) in calls_with(path) {
        bench.fails(command, args, kind, message).await;
    }
}

#[tokio::test]
async fn no_command_takes_a_path_that_could_leave_the_root() {
    let bench = Bench::open(&[("src/main.rs", "x\n")]).await;
    let climbs = |path: &str| format!("`{path}` cannot be used as a path: the path contains `..`");
    for path in ["../x", "src/../../x", "src/..", ".."] {
        every_path_command_fails(&bench, path, "invalid_args", &climbs(path)).await;
    }
    let outside = "`/etc/passwd` is outside the workspace";
    every_path_command_fails(&bench, "/etc/passwd", "denied", outside).await;
    let nul = "`a\0b` cannot be used as a path: the path contains a NUL character";
    every_path_command_fails(&bench, "a\0b", "invalid_args", nul).await;
    let beyond = format!("{}/../../x", bench.place("src").display());
    every_path_command_fails(&bench, &beyond, "invalid_args", &climbs(&beyond)).await;
}

#[tokio::test]
async fn no_command_follows_a_link_out_of_the_root() {
    let bench = Bench::open(&[]).await;
    let elsewhere = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), bench.place("out")).unwrap();
    for path in ["out", "out/x"] {
        for (command, args) in calls_with(path) {
            // These two look at what the space knows, not at files.
            if matches!(command, "editor.close" | "editor.clear_highlight") {
                continue;
            }
            let message = format!(
                "`{path}` is or runs through a symbolic link that leads out of the workspace"
            );
            bench.fails(command, args, "denied", &message).await;
        }
    }
    assert_eq!(elsewhere.path().read_dir().unwrap().count(), 0);
}

#[tokio::test]
async fn a_wrong_argument_is_named() {
    let bench = Bench::open(&[("a.rs", "x\n")]).await;
    let cases = [
        (
            "editor.open",
            json!({"path": "a.rs", "line": "3"}),
            "argument `line`: invalid type: string \"3\", expected u32",
        ),
        (
            "editor.open",
            json!({"path": 7}),
            "argument `path`: invalid type: integer `7`, expected a string",
        ),
        (
            "editor.open",
            json!({"path": "a.rs", "line": -1}),
            "argument `line`: invalid value: integer `-1`, expected u32",
        ),
        (
            "editor.highlight",
            json!({"path": "a.rs", "ranges": [{"startLine": 1}]}),
            "argument `ranges[0]`: missing field `endLine`",
        ),
        ("file.write", json!({"path": "a.rs"}), "missing field `content`"),
        (
            "pane.split",
            json!({"side": "diagonal"}),
            "argument `side`: unknown variant `diagonal`, expected one of `left`, `right`, `above`, `below`",
        ),
    ];
    for (command, args, message) in cases {
        bench.fails(command, args, "invalid_args", message).await;
    }
    let failure = bench.failure("editor.scroll_to", json!({"path": "a.rs", "row": 1})).await;
    let expected = json!({
        "success": false, "kind": "invalid_args",
        "error": "argument `row`: unknown field `row`, expected one of `path`, `line`, `column`",
        "hint": "editor_scroll_to takes path (string), line (integer), column? (integer)",
    });
    assert_eq!(failure, expected);
    let message = "arguments must be a JSON object, not a list";
    bench.fails("pane.list", json!([]), "invalid_args", message).await;
}

#[tokio::test]
async fn ten_megabytes_in_any_argument_are_answered_in_a_few_words() {
    let bench = Bench::open(&[("a.rs", "x\n")]).await;
    let huge = "x".repeat(10_000_000);
    let mut calls = calls_with(&huge);
    calls.retain(|(command, _)| *command != "editor.clear_highlight");
    calls.extend([
        ("editor.clear_highlight", json!({"highlightId": huge})),
        ("pane.focus", json!({"paneId": huge})),
        ("pane.open", json!({"type": "editor", "contentId": "a.rs", "title": huge})),
        ("layout.save", json!({"name": huge})),
        ("terminal.read_output", json!({"terminalId": huge})),
        ("command.help", json!({"command": huge})),
        ("command.list", json!({"area": huge})),
        ("view.report", json!({"viewId": huge, "view": {}})),
        (&huge, json!({})),
    ]);
    for (command, args) in calls {
        let failure = bench.failure(command, args).await;
        let size = failure.to_string().len();
        assert!(size < 8_000, "{}: {size}", &command[..command.len().min(40)]);
    }
    let longest = bench.audit().await.iter().map(|r| json!(r).to_string().len()).max();
    assert!(longest < Some(8_000), "{longest:?}");
}

#[tokio::test]
async fn ten_megabytes_are_an_ordinary_file() {
    let bench = Bench::open(&[]).await;
    let content = "0123456789abcdef\n".repeat(10 * 1024 * 1024 / 17);
    let size = content.len();
    let written = bench.ok("file.write", json!({"path": "big.txt", "content": content})).await;
    assert_eq!(written["bytes"], json!(size));
}

#[tokio::test]
async fn the_rules_of_the_space_hold_for_every_caller_they_name() {
    let rules = PolicyText::of(
        "[[rule]]\nid = 'no-programs'\ndecision = 'deny'\ncaller = 'agent'\naccess = 'execute'\n\
         reason = 'Not here.'\n\n[[rule]]\ndecision = 'deny'\ncaller = 'agent'\naccess = 'edit'\n",
    );
    let bench = Bench::with(asking(Profile::Careful, rules), &[]).await;
    let message = "not allowed by your rule `no-programs`: Not here (create terminal a)";
    bench.fails("terminal.create", json!({"title": "a"}), "policy", message).await;
    let write = json!({"path": "a", "content": "x"});
    let refused = bench.failure("file.write", write.clone()).await;
    assert_eq!(refused["kind"], "policy");
    let reply = bench.reply(person(), "file.write", write).await;
    assert_eq!(reply.to_value()["success"], json!(true));
    let run = json!({"command": "terminal.create", "arguments": {"title": "a"}});
    bench.fails("command.run", run, "policy", message).await;
    let run = json!({"command": "command.list", "arguments": {}});
    bench.ok("command.run", run).await;
}
