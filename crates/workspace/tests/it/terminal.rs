//! `terminal.*`, with real shells.

use openspace_workspace::areas::layout::LayoutPart;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Bench, START, is_running, steady};

fn shell(id: &str, title: &str) -> Value {
    json!({
        "terminalId": id, "title": title, "cwd": ".", "shell": "/bin/sh", "state": "running",
        "pid": 0, "createdBy": "opencode", "createdAs": "agent", "confined": false,
        "createdAt": START, "paneId": "p2",
        "size": {"rows": 24, "cols": 80}, "alternateScreen": false,
    })
}

/// Type `exit` and wait until the space knows.
async fn exit(bench: &Bench, terminal: &str, code: i32) {
    let mut view = bench.attach();
    let text = format!("exit {code}\n");
    bench.ok("terminal.send", json!({"terminalId": terminal, "text": text})).await;
    while view.changed("terminals").await[terminal]["state"] != json!("exited") {}
}

#[tokio::test]
async fn a_terminal_shows_what_its_programs_say() {
    let bench = Bench::open(&[]).await;
    bench.advance(7);
    let created = bench.ok("terminal.create", json!({"title": "tests"})).await;
    let mut expected = shell("t1", "tests");
    expected["createdAt"] = json!(START + 7);
    assert_eq!(steady(created), expected);
    let lines = bench.type_until("t1", "echo hel''lo\n", "hello").await;
    assert_eq!(lines, ["$ echo hel''lo", "hello"]);
    let list = bench.ok("terminal.list", json!({})).await;
    assert_eq!(steady(list), json!({"terminals": [expected]}));
}

#[tokio::test]
async fn reads_with_a_cursor_neither_repeat_nor_skip() {
    let bench = Bench::open(&[]).await;
    bench.ok("terminal.create", json!({})).await;
    bench.type_until("t1", "stty -echo; PS1=; echo sta''rt\n", "start").await;
    let mut seen = Vec::new();
    let mut cursor = bench.ok("terminal.read_output", json!({"terminalId": "t1"})).await["cursor"]
        .as_u64()
        .unwrap();
    for round in 0..5 {
        let text = format!("seq {} {}\n", round * 10 + 1, round * 10 + 10);
        bench.ok("terminal.send", json!({"terminalId": "t1", "text": text})).await;
        let last = (round * 10 + 10).to_string();
        seen.extend(bench.read_until("t1", cursor, &last).await);
        let args = json!({"terminalId": "t1", "since": cursor, "lines": 10_000});
        cursor = bench.ok("terminal.read_output", args).await["cursor"].as_u64().unwrap();
    }
    let expected: Vec<String> = (1..=50).map(|number| number.to_string()).collect();
    assert_eq!(seen, expected);
    let args = json!({"terminalId": "t1", "since": cursor + 1000});
    let failure = bench.failure("terminal.read_output", args).await;
    assert_eq!(failure["kind"], json!("invalid_args"));
}

#[tokio::test]
async fn agents_read_text_without_colours() {
    let bench = Bench::open(&[]).await;
    bench.ok("terminal.create", json!({})).await;
    let text = "printf '\\033[31mr\\033[1med\\033[0m\\033]0;title\\007\\n'\n";
    let lines = bench.type_until("t1", text, "red").await;
    let typed = format!("$ {}", text.trim_end());
    assert_eq!(lines, [typed.as_str(), "red"]);
}

#[tokio::test]
async fn a_title_is_as_good_as_an_id_while_one_has_it() {
    let bench = Bench::open(&[]).await;
    bench.ok("terminal.create", json!({"title": "build"})).await;
    let sent = bench.ok("terminal.send", json!({"terminalId": "build", "text": "true\n"})).await;
    assert_eq!((&sent["terminalId"], &sent["bytes"]), (&json!("t1"), &json!(5)));
    bench.ok("terminal.create", json!({"title": "build"})).await;
    let failure = bench.failure("terminal.close", json!({"terminalId": "build"})).await;
    let expected = json!({
        "success": false, "kind": "conflict",
        "error": "several terminals have the title `build`", "hint": "use an id: t1, t2",
    });
    assert_eq!(failure, expected);
    bench.ok("terminal.close", json!({"terminalId": "t1"})).await;
    let read = bench.ok("terminal.read_output", json!({"terminalId": "build"})).await;
    assert_eq!(read["terminalId"], json!("t2"));
}

#[tokio::test]
async fn closing_ends_everything_that_runs_in_it() {
    let bench = Bench::open(&[]).await;
    let created = bench.ok("terminal.create", json!({})).await;
    let shell = u32::try_from(created["pid"].as_u64().unwrap()).unwrap();
    let text = "sleep 1000 & echo pid=$!; echo rea''dy\n";
    let lines = bench.type_until("t1", text, "ready").await;
    let child = lines.iter().find_map(|line| line.strip_prefix("pid=")).unwrap().parse().unwrap();
    assert!(is_running(shell) && is_running(child));
    let closed = bench.ok("terminal.close", json!({"terminalId": "t1"})).await;
    assert_eq!(closed, json!({"terminalId": "t1"}));
    assert!(!is_running(shell) && !is_running(child));
    assert_eq!(bench.ok("terminal.list", json!({})).await, json!({"terminals": []}));
    assert_eq!(bench.state().part::<LayoutPart>().tabs().count(), 0);
}

#[tokio::test]
async fn a_stale_id_is_an_error_that_names_the_others() {
    let bench = Bench::open(&[]).await;
    bench.ok("terminal.create", json!({})).await;
    bench.ok("terminal.close", json!({"terminalId": "t1"})).await;
    let second = bench.ok("terminal.create", json!({"title": "other"})).await;
    assert_eq!(second["terminalId"], json!("t2"), "no id is used twice");
    let calls = [
        ("terminal.send", json!({"terminalId": "t1", "text": "x"})),
        ("terminal.read_output", json!({"terminalId": "t1"})),
        ("terminal.close", json!({"terminalId": "t1"})),
        ("terminal.resize", json!({"terminalId": "t1", "rows": 10, "cols": 10})),
        ("terminal.restart", json!({"terminalId": "t1"})),
        ("pane.open", json!({"type": "terminal", "contentId": "t1"})),
    ];
    for (command, args) in calls {
        let failure = bench.failure(command, args).await;
        let expected = json!({
            "success": false, "error": "there is no terminal `t1`", "kind": "not_found",
            "hint": "terminals: t2 (other); terminal_create makes one",
        });
        assert_eq!(failure, expected, "{command}");
    }
}

#[tokio::test]
async fn a_shell_that_ends_is_noted_and_can_be_started_again() {
    let bench = Bench::open(&[]).await;
    bench.ok("terminal.create", json!({})).await;
    let message = "terminal t1 still runs";
    bench.fails("terminal.restart", json!({"terminalId": "t1"}), "conflict", message).await;
    exit(&bench, "t1", 3).await;
    let list = bench.ok("terminal.list", json!({})).await;
    let found = (&list["terminals"][0]["state"], &list["terminals"][0]["code"]);
    assert_eq!(found, (&json!("exited"), &json!(3)));
    let read = bench.ok("terminal.read_output", json!({"terminalId": "t1"})).await;
    assert_eq!((&read["state"], &read["code"]), (&json!("exited"), &json!(3)));
    let failure = bench.failure("terminal.send", json!({"terminalId": "t1", "text": "x\n"})).await;
    let expected = json!({
        "success": false, "kind": "conflict", "error": "the program in the terminal has ended",
        "hint": "terminal_restart starts a new shell in it, terminal_close removes it",
    });
    assert_eq!(failure, expected);
    let restarted = bench.ok("terminal.restart", json!({"terminalId": "t1"})).await;
    assert_eq!(steady(restarted), shell("t1", "sh t1"));
    bench.type_until("t1", "echo aga''in\n", "again").await;
}

#[tokio::test]
async fn shells_end_with_the_server_and_start_again_on_request() {
    let mut bench = Bench::open(&[("sub/x", "")]).await;
    let created = bench.ok("terminal.create", json!({"title": "dev", "cwd": "sub"})).await;
    let pid = u32::try_from(created["pid"].as_u64().unwrap()).unwrap();
    bench.restart().await;
    assert!(!is_running(pid));
    let mut expected = shell("t1", "dev");
    let fields = expected.as_object_mut().unwrap();
    fields.shift_remove("pid");
    fields.insert("cwd".into(), json!("sub"));
    fields.insert("state".into(), json!("ended_with_server"));
    fields.insert("size".into(), Value::Null);
    assert_eq!(bench.ok("terminal.list", json!({})).await["terminals"], json!([expected]));
    for (command, text) in [("terminal.send", Some("x")), ("terminal.read_output", None)] {
        let mut args = json!({"terminalId": "dev"});
        if let Some(text) = text {
            args["text"] = json!(text);
        }
        let failure = bench.failure(command, args).await;
        let expected = json!({
            "success": false, "kind": "conflict",
            "error": "terminal t1 does not run: its shell ended when the server was restarted",
            "hint": "terminal_restart starts a new shell in it, terminal_close removes it",
        });
        assert_eq!(failure, expected, "{command}");
    }
    bench.ok("terminal.restart", json!({"terminalId": "dev"})).await;
    let lines = bench.type_until("t1", "basename $PWD\n", "sub").await;
    assert_eq!(lines.last(), Some(&"sub".to_owned()));
    let new = bench.ok("terminal.create", json!({})).await;
    assert_eq!(new["terminalId"], json!("t2"), "counting goes on");
}

#[tokio::test]
async fn a_terminal_takes_any_sensible_size() {
    let bench = Bench::open(&[]).await;
    bench.ok("terminal.create", json!({})).await;
    let args = |rows: u32, cols: u32| json!({"terminalId": "t1", "rows": rows, "cols": cols});
    let resized = bench.ok("terminal.resize", args(40, 120)).await;
    let size = json!({"rows": 40, "cols": 120});
    assert_eq!(resized, json!({"terminalId": "t1", "size": size}));
    bench.type_until("t1", "stty size\n", "40 120").await;
    assert_eq!(bench.ok("terminal.list", json!({})).await["terminals"][0]["size"], size);
    let (rows, cols) = ("argument `rows`: must be 2 to 500", "argument `cols`: must be 2 to 1000");
    for (size, message) in [((1, 80), rows), ((24, 1), cols), ((501, 80), rows), ((24, 1001), cols)]
    {
        bench.fails("terminal.resize", args(size.0, size.1), "invalid_args", message).await;
    }
}

#[tokio::test]
async fn what_is_no_shell_is_not_started() {
    let bench = Bench::open(&[]).await;
    let cases = [
        ("/nowhere/bash", "the shell /nowhere/bash does not exist"),
        ("/bin/ls", "argument `shellPath`: `ls` is not a shell"),
        ("bash", "argument `shellPath`: `bash` is not absolute"),
        ("", "argument `shellPath`: `` is not absolute"),
    ];
    for (path, message) in cases {
        let args = json!({"shellPath": path});
        bench.fails("terminal.create", args, "invalid_args", message).await;
    }
    assert_eq!(bench.ok("terminal.list", json!({})).await, json!({"terminals": []}));
}

#[tokio::test]
async fn a_terminal_starts_beneath_the_root_only() {
    let bench = Bench::open(&[("a.txt", "")]).await;
    std::os::unix::fs::symlink("/", bench.place("out")).unwrap();
    let leads_out = "`out` is or runs through a symbolic link that leads out of the workspace";
    let cases = [
        ("..", "invalid_args", "`..` cannot be used as a path: the path contains `..`"),
        ("/tmp", "denied", "`/tmp` is outside the workspace"),
        ("out", "denied", leads_out),
        ("missing", "not_found", "`missing` does not exist"),
        ("a.txt", "invalid_args", "argument `cwd`: `a.txt` is not a folder"),
    ];
    for (cwd, kind, message) in cases {
        bench.fails("terminal.create", json!({"cwd": cwd}), kind, message).await;
    }
}

#[tokio::test]
async fn texts_and_titles_are_bounded() {
    let bench = Bench::open(&[]).await;
    bench.ok("terminal.create", json!({})).await;
    let message = "argument `text`: must be 1 to 1048576 bytes";
    for text in [String::new(), "x".repeat(10_000_000)] {
        let args = json!({"terminalId": "t1", "text": text});
        bench.fails("terminal.send", args, "invalid_args", message).await;
    }
    let message = "argument `title`: must be 1 to 100 printable characters";
    for title in [" ", "a\nb", &"x".repeat(101)] {
        bench.fails("terminal.create", json!({"title": title}), "invalid_args", message).await;
    }
    for lines in [0, 10_001] {
        let args = json!({"terminalId": "t1", "lines": lines});
        let message = "argument `lines`: must be 1 to 10000";
        bench.fails("terminal.read_output", args, "invalid_args", message).await;
    }
}

#[tokio::test]
async fn a_person_and_an_agent_share_a_terminal() {
    let bench = Bench::open(&[]).await;
    let created = bench.as_person("terminal.create", json!({"title": "shared"})).await;
    assert_eq!(created["createdBy"], json!("browser"));
    let sent = json!({"terminalId": "t1", "text": "read X\nfrom a person\n"});
    bench.as_person("terminal.send", sent).await;
    bench.read_until("t1", 0, "from a person").await;
    bench.type_until("t1", "echo $X | tr a-z A-Z\n", "FROM A PERSON").await;
}

#[tokio::test]
async fn a_new_title_is_in_the_record_and_on_the_tab() {
    let bench = Bench::open(&[]).await;
    bench.ok("terminal.create", json!({"title": "build"})).await;
    let mut view = bench.attach();
    let renamed =
        bench.ok("terminal.rename", json!({"terminalId": "build", "title": "lint"})).await;
    assert_eq!(renamed, json!({"terminalId": "t1", "title": "lint"}));
    assert_eq!(view.changed("terminals").await["t1"]["title"], json!("lint"));
    let panes = bench.ok("pane.list", json!({})).await;
    assert_eq!(panes["panes"][1]["tabs"][0]["title"], json!("lint"));
    // What a program asks for does not change it.
    bench.type_until("t1", "printf '\\033]0;other\\007'; echo do''ne\n", "done").await;
    assert_eq!(bench.ok("terminal.list", json!({})).await["terminals"][0]["title"], json!("lint"));
    bench.ok("pane.close", json!({"contentId": "t1"})).await;
    bench.ok("terminal.rename", json!({"terminalId": "t1", "title": "hidden"})).await;
    for title in ["", " ", "a\u{7}b", &"x".repeat(101)] {
        let args = json!({"terminalId": "t1", "title": title});
        let failure = bench.failure("terminal.rename", args).await;
        assert_eq!(failure["kind"], json!("invalid_args"), "{title:?}");
    }
}

#[tokio::test]
async fn a_terminal_opens_where_it_is_asked_for() {
    let bench = Bench::open(&[("a.rs", "1\n")]).await;
    bench.ok("editor.open", json!({"path": "a.rs"})).await;
    let pane_of = async |args: Value| bench.ok("terminal.create", args).await["paneId"].clone();
    assert_eq!(pane_of(json!({"area": "main"})).await, json!("p1"));
    assert_eq!(pane_of(json!({"area": "main", "splitDirection": "vertical"})).await, json!("p2"));
    assert_eq!(pane_of(json!({"targetPaneId": "p1", "newPane": true})).await, json!("p3"));
    assert_eq!(pane_of(json!({"targetPaneId": "p2"})).await, json!("p2"));
    assert_eq!(pane_of(json!({})).await, json!("p4"));
    assert_eq!(pane_of(json!({"area": "bottom"})).await, json!("p4"));
    let areas = bench.ok("pane.list", json!({})).await["panes"].as_array().unwrap().clone();
    let areas: Vec<Value> = areas.iter().map(|pane| json!([pane["id"], pane["area"]])).collect();
    let expected = ["p1", "p3", "p2"].map(|id| json!([id, "main"]));
    assert_eq!(areas, [&expected[..], &[json!(["p4", "bottom"])]].concat());
    let kind = async |args: Value| bench.failure("terminal.create", args).await["kind"].clone();
    assert_eq!(kind(json!({"targetPaneId": "p99"})).await, json!("not_found"));
    let both = json!({"targetPaneId": "p1", "area": "main"});
    assert_eq!(kind(both).await, json!("invalid_args"));
    let listed = bench.ok("terminal.list", json!({})).await;
    assert_eq!(listed["terminals"].as_array().unwrap().len(), 6);
}
