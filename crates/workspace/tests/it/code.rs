//! `code.*`: language servers for agents. One is scripted, and bad where a file says so; a real one is in
//! `code/real.rs`.

use std::time::Duration;

use openspace_workspace::areas::code::LanguageOptions;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    buffers::Page,
    support::{Bench, Settings, in_time, is_running},
};

mod bad;
mod edits;
mod install;
mod large;
mod listed;
mod real;

const SCRIPT: &str = include_str!("code/server.py");
const BAD: &str = include_str!("code/bad.py");
const WIDGET: &str = "class Widget\n  def area\n  def name\nclass Other\n  def area\n";
const USER: &str = "class User\n  def draw\n    Widget area\n    Widget name\n";

/// A workspace with the scripted server.
pub(crate) struct World {
    pub(crate) bench: Bench,
    _folder: TempDir,
}

impl World {
    /// The person let language servers run.
    pub(crate) async fn open(files: &[(&str, &str)]) -> Self {
        let world = Self::asked(files, LanguageOptions::default()).await;
        world.trust(true).await;
        world
    }

    /// The person was not asked yet.
    async fn asked(files: &[(&str, &str)], options: LanguageOptions) -> Self {
        Self::started("server.py", "", files, options).await
    }

    /// One that is bad in these ways.
    async fn bad(how: &str, files: &[(&str, &str)], options: LanguageOptions) -> Self {
        let world = Self::started("bad.py", how, files, options).await;
        world.trust(true).await;
        world
    }

    async fn started(
        script: &str,
        how: &str,
        files: &[(&str, &str)],
        options: LanguageOptions,
    ) -> Self {
        let folder = TempDir::new().unwrap();
        for (name, text) in [("server.py", SCRIPT), ("bad.py", BAD)] {
            #[expect(clippy::disallowed_methods, reason = "a file of the test itself")]
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let own = format!(
            "{}[[language]]\nid = 'tester'\nextensions = ['tst']\n[[server]]\nid = 'tester'\nname = 'Tester'\n\
             languages = ['tester']\ncommand = ['/usr/bin/python3', '-B', '{}']\nroots = ['project.tester']\n\
             ready = 'server_status'\ninitialization = {{ {how} }}\n",
            options.own,
            folder.path().join(script).display()
        );
        let settings =
            Settings { languages: LanguageOptions { own, ..options }, ..Settings::default() };
        Self { bench: Bench::with(settings, files).await, _folder: folder }
    }

    async fn trust(&self, allowed: bool) -> Value {
        let answer = self.bench.as_person("code.trust", json!({"allowed": allowed})).await;
        assert_eq!(answer["success"], json!(true), "{answer}");
        answer
    }

    pub(crate) async fn ok(&self, command: &str, args: Value) -> Value {
        self.bench.ok(command, args).await
    }

    /// How the scripted server is.
    async fn server(&self) -> Value {
        self.ok("code.servers", json!({})).await["servers"][0].clone()
    }
}

fn told(mut answer: Value) -> Value {
    assert_eq!(answer["server"], json!("tester"), "{answer}");
    assert_eq!(answer["complete"], json!(true), "{answer}");
    let fields = answer.as_object_mut().unwrap();
    fields.shift_remove("server");
    fields.shift_remove("complete");
    answer
}

#[tokio::test]
async fn where_nothing_confines_no_server_runs_before_the_person_said_so() {
    let world = World::asked(&[("a.tst", WIDGET)], LanguageOptions::default()).await;
    let failure = world.bench.failure("code.symbols", json!({"path": "a.tst"})).await;
    assert_eq!(failure["kind"], json!("denied"));
    assert!(failure["hint"].as_str().unwrap().contains("`openspace code trust`"), "{failure}");
    let denied = "only the person lets programs of the project run as language servers";
    world.bench.fails("code.trust", json!({}), "denied", denied).await;
    let servers = world.ok("code.servers", json!({"path": "a.tst"})).await;
    let expected = json!({
        "servers": [],
        "missing": [{"server": "tester", "why": "it was not asked anything yet"}],
        "confined": false, "trusted": false,
    });
    assert_eq!(servers, expected);
    world.trust(true).await;
    world.ok("code.symbols", json!({"path": "a.tst"})).await;
    let pid = world.server().await["pid"].as_u64().unwrap();
    assert_eq!(world.trust(false).await["stopped"], json!(["tester"]));
    assert!(!is_running(u32::try_from(pid).unwrap()));
    let failure = world.bench.failure("code.symbols", json!({"path": "a.tst"})).await;
    assert_eq!(failure["kind"], json!("denied"));
    world
        .bench
        .fails(
            "code.restart",
            json!({"server": "tester"}),
            "denied",
            "Tester may not run: the person has not said so",
        )
        .await;
}

#[tokio::test]
async fn a_file_is_outlined_as_deep_as_one_likes() {
    let world = World::open(&[("a.tst", WIDGET)]).await;
    let symbol = |name: &str, kind: &str, line: u32, end: u32| json!({"symbol": name, "kind": kind, "line": line, "end_line": end});
    let (widget, other) = (symbol("Widget", "class", 1, 3), symbol("Other", "class", 4, 5));
    let outline = told(world.ok("code.symbols", json!({"path": "a.tst", "depth": 1})).await);
    assert_eq!(outline, json!({"symbols": [widget, other], "total": 5}));
    let text = world.bench.text("code.symbols", json!({"path": "a.tst"})).await;
    let expected = "Widget (class) 1-3\n  area (method) 2-2\n  name (method) 3-3\n\
                    Other (class) 4-5\n  area (method) 5-5";
    assert_eq!(text, expected);
    let found = told(world.ok("code.symbols", json!({"query": "NAM"})).await);
    let name = json!({"symbol": "Widget/name", "kind": "method", "path": "a.tst", "line": 3});
    assert_eq!(found, json!({"symbols": [name], "total": 1}));
}

#[tokio::test]
async fn a_symbol_is_found_by_its_path_of_names() {
    let world = World::open(&[("a.tst", WIDGET), ("b/user.tst", USER)]).await;
    let place = json!({"path": "a.tst", "line": 3, "column": 7, "text": "def name"});
    let expected = json!({"places": [place], "total": 1});
    for args in [
        json!({"symbol": "Widget/name", "path": "a.tst"}),
        json!({"symbol": "Widget::name"}),
        json!({"symbol": "name"}),
        json!({"symbol": "name", "path": "b/user.tst", "line": 4}),
        json!({"path": "b/user.tst", "line": 4, "column": 12}),
        json!({"path": "a.tst", "line": 3}),
    ] {
        assert_eq!(told(world.ok("code.definition", args.clone()).await), expected, "{args}");
    }
    let near = json!({"symbol": "name", "path": "b/user.tst", "line": 2, "body": true});
    let near = world.ok("code.definition", near).await;
    assert_eq!(near["note"], json!("`name` is not on line 2; this is about line 4"));
    assert_eq!(near["places"][0]["body"], json!("3:   def name"));
}

#[tokio::test]
async fn what_is_not_clear_is_not_guessed() {
    let world = World::open(&[("a.tst", WIDGET)]).await;
    let failure = world.bench.failure("code.definition", json!({"symbol": "area"})).await;
    assert_eq!(failure["error"], json!("2 symbols are called `area`"));
    let hint = failure["hint"].as_str().unwrap();
    assert!(hint.ends_with("a.tst:2 method Widget/area; a.tst:5 method Other/area"), "{hint}");
    let second = json!({"symbol": "area[2]", "path": "a.tst"});
    assert_eq!(world.ok("code.hover", second).await["place"], json!("a.tst:5:7"));
    let args = json!({"symbol": "Widget/nam", "path": "a.tst"});
    let failure = world.bench.failure("code.hover", args).await;
    assert_eq!(failure["error"], json!("`a.tst` has no symbol `Widget/nam`"));
    assert_eq!(failure["hint"], json!("there are Widget/name"));
    let nothing = "nothing is called `no_such_thing` in this workspace";
    world.bench.fails("code.hover", json!({"symbol": "no_such_thing"}), "not_found", nothing).await;
    let message = "nothing is defined on line 6 of `a.tst`: ";
    world
        .bench
        .fails("code.hover", json!({"path": "a.tst", "line": 6}), "not_found", message)
        .await;
    let message = "argument `line`: `a.tst` has 6 lines";
    world
        .bench
        .fails("code.hover", json!({"path": "a.tst", "line": 7}), "invalid_args", message)
        .await;
    let message = "no language server is known for `a.none`";
    world.bench.put("a.none", "");
    world.bench.fails("code.symbols", json!({"path": "a.none"}), "unsupported", message).await;
    let message = "`c.tst` does not exist";
    let failure = world.bench.failure("code.symbols", json!({"path": "c.tst"})).await;
    assert_eq!(
        (failure["kind"].as_str(), failure["error"].as_str()),
        (Some("not_found"), Some(message))
    );
    for (args, message) in [
        (json!({}), "arguments: give `symbol`, or `path` with `line` and `column`"),
        (json!({"symbol": " "}), "argument `symbol`: must be 1 to 500 bytes"),
        (json!({"symbol": "a", "line": 1}), "argument `line`: goes with `path`"),
        (json!({"path": "a", "symbol": "a", "column": 1}), "argument `column`: goes with `line`"),
    ] {
        world.bench.fails("code.references", args, "invalid_args", message).await;
    }
}

#[tokio::test]
async fn uses_are_told_by_file_with_where_they_stand() {
    let world = World::open(&[("a.tst", WIDGET), ("b/user.tst", USER)]).await;
    let uses = told(world.ok("code.references", json!({"symbol": "Widget"})).await);
    let one = |line: u32, text: &str| json!({"line": line, "column": 5, "text": text, "within": "User/draw"});
    let file = json!({"path": "b/user.tst", "count": 2,
        "uses": [one(3, "Widget area"), one(4, "Widget name")]});
    let expected = json!({"files": [file], "total": 2, "total_files": 1, "truncated": false});
    assert_eq!(uses, expected);
    let args = json!({"symbol": "Widget", "declaration": true, "limit": 1});
    let page = told(world.ok("code.references", args).await);
    let first = json!({"line": 1, "column": 7, "text": "class Widget", "within": "Widget"});
    let expected = json!({
        "files": [
            {"path": "a.tst", "count": 1, "uses": [first]},
            {"path": "b/user.tst", "count": 2, "uses": []},
        ],
        "total": 3, "total_files": 2, "truncated": true,
    });
    assert_eq!(page, expected);
    let none = world.bench.text("code.references", json!({"symbol": "User"})).await;
    assert_eq!(none, "It is not used.");
}

fn problem(line: u32, column: u32, severity: &str, word: &str, text: &str) -> Value {
    let code = if severity == "error" { "T1" } else { "T2" };
    json!({"line": line, "column": column, "severity": severity, "message": format!("this is {word}"),
        "source": format!("tester {code}"), "text": text})
}

#[tokio::test]
async fn what_is_wrong_is_about_the_text_as_it_is_now() {
    let files = [("a.tst", "wrong\nodd\n"), ("b/c.tst", "right\n"), ("b/d.tst", "odd\n")];
    let world = World::open(&files).await;
    let error = problem(1, 1, "error", "wrong", "wrong");
    let warning = problem(2, 1, "warning", "odd", "odd");
    let in_a = |problems: Value| {
        let file = json!({"path": "a.tst", "state": "fresh", "errors": 1, "warnings": 1, "problems": problems});
        json!({"files": [file], "right": 0, "complete": true})
    };
    let found = world.ok("code.diagnostics", json!({"path": "a.tst"})).await;
    assert_eq!(found, in_a(json!([error, warning])));
    let args = json!({"path": "a.tst", "severity": "error"});
    assert_eq!(world.ok("code.diagnostics", args).await, in_a(json!([error])));
    // Behind everybody's back, again and again.
    for turn in 0..6 {
        let (text, right) = if turn % 2 == 0 { ("right", 1) } else { ("wrong", 0) };
        world.bench.put("a.tst", &format!("{text}{}\n", " ".repeat(turn)));
        let found = world.ok("code.diagnostics", json!({"path": "a.tst"})).await;
        assert_eq!((turn, found["right"].as_u64()), (turn, Some(right)), "{found}");
    }
    world.bench.put("a.tst", "right\n");
    let found = world.ok("code.diagnostics", json!({"path": "."})).await;
    let in_d = json!({"path": "b/d.tst", "state": "fresh", "errors": 0, "warnings": 1,
        "problems": [problem(1, 1, "warning", "odd", "odd")]});
    assert_eq!(found, json!({"files": [in_d], "right": 2, "complete": true}));
    let known = world.ok("code.diagnostics", json!({})).await;
    assert_eq!(known, found);
    let text = world.bench.text("code.diagnostics", json!({"path": "b"})).await;
    let expected = "b/d.tst: 0 error(s), 1 warning(s)\n  1:1 warning: this is odd [tester T2]\n    odd\n\
                    Nothing is wrong in 1 file(s).";
    assert_eq!(text, expected);
}

#[tokio::test]
async fn what_is_not_saved_is_the_text() {
    let world = World::open(&[("a.tst", "class Widget\n"), ("b.tst", "right\n")]).await;
    let mut page = Page::join(&world.bench);
    page.open("a.tst", "class Widget\n", "class Gadget\nwrong\n").await;
    let symbols = world.ok("code.symbols", json!({"path": "a.tst"})).await;
    assert_eq!(symbols["symbols"][0]["symbol"], json!("Gadget"));
    let found = world.ok("code.definition", json!({"symbol": "Gadget"})).await;
    assert_eq!(found["places"][0]["text"], json!("class Gadget"));
    let found = world.ok("code.diagnostics", json!({"path": "a.tst"})).await;
    let mut unsaved = problem(2, 1, "error", "wrong", "wrong");
    unsaved["unsaved"] = json!(true);
    assert_eq!(found["files"][0]["problems"], json!([unsaved]));
    // What is unsaved elsewhere counts too, and what is discarded no longer.
    let uses = world.ok("code.hover", json!({"path": "b.tst", "line": 1, "column": 1})).await;
    assert_eq!(uses["text"], json!("**right** of 2 files"));
    world.ok("editor.discard", json!({"path": "a.tst"})).await;
    let symbols = world.ok("code.symbols", json!({"path": "a.tst"})).await;
    assert_eq!(symbols["symbols"][0]["symbol"], json!("Widget"));
}

#[tokio::test]
async fn a_server_that_has_read_nothing_does_not_answer_with_nothing() {
    let world = World::open(&[("a.tst", WIDGET), ("loading", "")]).await;
    let args = json!({"path": "a.tst", "line": 1, "column": 7, "wait_s": 0});
    let failure = world.bench.failure("code.hover", args.clone()).await;
    assert_eq!(failure["kind"], json!("busy"));
    assert_eq!(failure["error"], json!("Tester is not ready: it is loading; ask again in a while"));
    let found = world.ok("code.diagnostics", json!({"path": "a.tst", "wait_s": 0})).await;
    let file =
        json!({"path": "a.tst", "state": "pending", "errors": 0, "warnings": 0, "problems": []});
    assert_eq!(found, json!({"files": [file], "right": 0, "complete": false}));
    // Half an answer is one, and says that it is half.
    world.bench.put("half", "");
    let half = world.ok("code.hover", args).await;
    assert_eq!((&half["complete"], &half["text"]), (&json!(false), &json!("half of it")));
    let note = half["note"].as_str().unwrap();
    assert!(note.starts_with("Tester has not read everything (it is loading)"), "{note}");
    let whole = json!({"symbol": "Widget", "path": "a.tst"});
    let (answer, ()) = tokio::join!(world.ok("code.hover", whole), async {
        tokio::task::yield_now().await;
        world.bench.remove("loading");
    });
    assert_eq!(told(answer)["text"], json!("**Widget** of 1 files"));
}

#[tokio::test]
async fn a_server_that_ends_is_started_again_and_says_why() {
    let world = World::open(&[("a.tst", "class boom\nclass fine\n")]).await;
    let failure =
        world.bench.failure("code.hover", json!({"symbol": "boom", "path": "a.tst"})).await;
    assert_eq!(failure["kind"], json!("lost"), "{failure}");
    let fine = json!({"symbol": "fine", "path": "a.tst"});
    assert_eq!(told(world.ok("code.hover", fine).await)["text"], json!("**fine** of 1 files"));
    assert_eq!(world.server().await["starts"], json!(2));
}

#[tokio::test]
async fn a_server_is_stopped_and_restarted_and_ends_with_the_workspace() {
    let world = World::open(&[("a.tst", WIDGET)]).await;
    world.ok("code.symbols", json!({"path": "a.tst"})).await;
    let first = world.server().await;
    assert_eq!((&first["state"], &first["starts"]), (&json!("ready"), &json!(1)));
    let stopped = world.ok("code.stop", json!({"server": "tester"})).await;
    assert_eq!((&stopped["state"], &stopped["pid"]), (&json!("stopped"), &Value::Null));
    world.ok("code.restart", json!({"server": "tester"})).await;
    world.ok("code.symbols", json!({"path": "a.tst"})).await;
    assert_eq!(world.server().await["starts"], json!(2));
    let message = "no language server `none` works here";
    world.bench.fails("code.stop", json!({"server": "none"}), "not_found", message).await;
    let pid = world.server().await["pid"].as_u64().unwrap();
    world.bench.shut_down().await;
    assert!(!is_running(u32::try_from(pid).unwrap()));
}

#[tokio::test]
async fn a_server_that_nobody_uses_is_ended_and_started_again_when_somebody_asks() {
    let mut options =
        LanguageOptions { document_idle: Duration::ZERO, ..LanguageOptions::default() };
    options.look_every = Duration::from_millis(20);
    options.limits.idle_s = 0;
    let world = World::asked(&[("a.tst", WIDGET)], options).await;
    world.trust(true).await;
    world.ok("code.servers", json!({"path": "a.tst"})).await;
    in_time(async {
        world.bench.call("code.symbols", json!({"path": "a.tst"})).await;
        while world.server().await["state"] != json!("stopped") {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn projects_have_servers_of_their_own() {
    let files = [("one/project.tester", ""), ("one/a.tst", "x\n"), ("b.tst", "x\n")];
    let world = World::open(&files).await;
    world.ok("code.diagnostics", json!({"path": "."})).await;
    let servers = world.ok("code.servers", json!({})).await;
    let roots: Vec<&str> = servers["servers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["root"].as_str().unwrap())
        .collect();
    assert_eq!(roots, [".", "one"]);
    let message = "several projects have a server `tester`";
    world.bench.fails("code.stop", json!({"server": "tester"}), "conflict", message).await;
    world.ok("code.stop", json!({"server": "tester", "root": "one"})).await;
}

#[tokio::test]
async fn what_is_missing_is_named_with_how_to_get_it() {
    let world = World::open(&[("a.rs", ""), ("venv/bin/ty", "#!/bin/sh\n"), ("a.py", "")]).await;
    let failure = world.bench.failure("code.symbols", json!({"path": "a.rs"})).await;
    let expected = json!({
        "success": false, "kind": "unsupported",
        "error": "no language server for `a.rs` is installed: rust-analyzer",
        "hint": "`rustup component add rust-analyzer` installs rust-analyzer",
    });
    assert_eq!(failure, expected);
    world.trust(false).await;
    crate::support::executable(&world.bench.place("venv/bin/ty"));
    let servers = world.ok("code.servers", json!({"path": "a.py"})).await;
    let ty = &servers["missing"][0];
    assert_eq!(ty["server"], json!("ty"), "{servers}");
    assert!(ty["why"].as_str().unwrap().contains("is a program of the project"), "{ty}");
    assert!(ty["what_to_do"].as_str().unwrap().contains("code trust"), "{ty}");
}

#[tokio::test]
async fn secret_files_are_told_to_no_server() {
    let rules = "[files]\nsecret = ['hidden.tst']\n";
    let files =
        [(".openspace/config.toml", rules), ("hidden.tst", "class Hidden\n"), ("a.tst", "")];
    let world = World::open(&files).await;
    let failure = world.bench.failure("code.symbols", json!({"path": "hidden.tst"})).await;
    assert_eq!(failure["kind"], json!("denied"), "{failure}");
    let mut page = Page::join(&world.bench);
    page.open("hidden.tst", "class Hidden\n", "class Hidden2\n").await;
    world.ok("code.symbols", json!({"path": "a.tst"})).await;
    assert_eq!(world.server().await["documents"], json!(1));
}

#[tokio::test]
async fn uses_may_be_calls_or_implementations_alone() {
    let text =
        "class Widget\n  def area\nclass Box of Widget\n  def draw\n    Widget(\n    Widget\n";
    let world = World::open(&[("a.tst", text)]).await;
    for (include, lines) in
        [("uses", vec![3, 5, 6]), ("calls", vec![5]), ("implementations", vec![3])]
    {
        let args = json!({"symbol": "Widget", "path": "a.tst", "include": include});
        let uses = told(world.ok("code.references", args).await);
        let found: Vec<u64> = uses["files"][0]["uses"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["line"].as_u64().unwrap())
            .collect();
        assert_eq!((include, found), (include, lines), "{uses}");
    }
    let args = json!({"symbol": "Widget", "include": "calls", "declaration": true});
    let message = "argument `declaration`: goes with `include: uses`";
    world.bench.fails("code.references", args, "invalid_args", message).await;
}

#[tokio::test]
async fn symbols_may_be_of_some_kinds_and_have_their_lines() {
    let world = World::open(&[("a.tst", WIDGET)]).await;
    let args = json!({"path": "a.tst", "kinds": ["class"], "body": true});
    let listed = told(world.ok("code.symbols", args).await);
    let class = |name: &str, line: u32, end: u32, body: &str| json!({"symbol": name, "kind": "class", "line": line, "end_line": end, "body": body});
    let expected = json!({"symbols": [
        class("Widget", 1, 3, "1: class Widget\n2:   def area\n3:   def name"),
        class("Other", 4, 5, "4: class Other\n5:   def area"),
    ], "total": 2});
    assert_eq!(listed, expected);
    let found = world.ok("code.symbols", json!({"query": "name", "kinds": ["class"]})).await;
    assert_eq!(found["total"], json!(0));
    let message = "argument `kinds`: there is no kind `thing`";
    let args = json!({"path": "a.tst", "kinds": ["thing"]});
    world.bench.fails("code.symbols", args, "invalid_args", message).await;
}
