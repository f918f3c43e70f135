//! `task.list`, `task.run` and `task.stop`, in real shells.

use openspace_workspace::areas::{
    problems::ProblemsPart, task::TasksPart, terminal::TerminalsPart,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Bench, START, in_time, person, with};

/// A bench with a file of tasks.
pub(crate) async fn bench(tasks: Value) -> Bench {
    let file = json!({"version": "2.0.0", "tasks": tasks}).to_string();
    Bench::open(&[(".vscode/tasks.json", &file), ("src/a.c", "1\n"), ("web/b.c", "1\n")]).await
}

fn shell(label: &str, command: &str, more: Value) -> Value {
    with(json!({"label": label, "type": "shell", "command": command}), more)
}

fn ended(label: &str, terminal: &str, code: i32, output: &[&str]) -> Value {
    json!({"task": label, "state": "ended", "exitCode": code, "terminalId": terminal,
        "startedBy": "opencode", "startedAs": "agent", "startedAt": START, "output": output,
        "leftOut": 0, "notes": []})
}

/// A follower notes what it finds when it finds it.
async fn until(bench: &Bench, what: impl Fn(&Value) -> bool) -> Value {
    let mut view = bench.attach();
    in_time(async {
        loop {
            let runs = json!(bench.state().part::<TasksPart>());
            if what(&runs) {
                return runs;
            }
            view.changed("tasks").await;
        }
    })
    .await
}

#[tokio::test]
async fn a_task_runs_in_a_terminal_and_its_next_run_in_the_same() {
    let bench = bench(json!([shell(
        "say",
        "echo $((40 + 2)); pwd; false",
        json!({
        "options": {"cwd": "${workspaceFolder}/src"}})
    )]))
    .await;
    let folder = bench.place("src").canonicalize().unwrap();
    let folder = folder.to_str().unwrap();
    let ran = bench.ok("task.run", json!({"task": "say"})).await;
    assert_eq!(ran, ended("say", "t1", 1, &["42", folder]));
    // Whoever used the terminal since may have gone elsewhere.
    bench.ok("terminal.run", json!({"terminalId": "t1", "command": "cd .."})).await;
    let ran = bench.ok("task.run", json!({"task": "say"})).await;
    assert_eq!(ran, ended("say", "t1", 1, &["42", folder]));
    let title = bench.state().part::<TerminalsPart>().values().next().unwrap().title.clone();
    assert_eq!(title, "say");
    // What runs in a terminal of its caller's is not run in one of somebody else.
    let ran = bench.as_person("task.run", json!({"task": "say"})).await;
    assert_eq!((&ran["terminalId"], &ran["startedAs"]), (&json!("t2"), &json!("person")));
    let text = bench.text("task.run", json!({"task": "say"})).await;
    assert_eq!(text, format!("42\n{folder}\n(`say` ended in t1: exit code 1)"));
}

#[tokio::test]
async fn a_task_may_end_the_shell_that_reads_it() {
    let bench = bench(json!([shell("end", "echo once; exit 3", json!({}))])).await;
    for _ in 0..2 {
        let ran = bench.ok("task.run", json!({"task": "end"})).await;
        assert_eq!(ran, ended("end", "t1", 3, &["once", "exit"]));
    }
}

#[tokio::test]
async fn what_a_task_finds_is_in_the_list_of_problems_until_its_next_run() {
    let command = "cat out.txt; exit 1";
    let bench = bench(json!([shell(
        "lint",
        command,
        json!({
        "options": {"cwd": "web"}, "problemMatcher": ["$gcc", "$nobody"]})
    )]))
    .await;
    bench.put(
        "web/out.txt",
        "b.c:1:2: warning: odd\n/etc/x.c:1:1: error: elsewhere\n../src/a.c:7: error: bad\n",
    );
    let ran = bench.ok("task.run", json!({"task": "lint"})).await;
    assert_eq!((&ran["problems"], &ran["exitCode"]), (&json!(2), &json!(1)));
    assert_eq!(ran["notes"].as_array().unwrap().len(), 1, "{ran}");
    let problem = |path: &str, more: Value| {
        let problem = with(json!({"path": path}), more);
        json!({"source": "lint", "path": path, "problems": [problem]})
    };
    let odd = json!({"startLine": 1, "startColumn": 2, "severity": "warning", "message": "odd"});
    let bad = json!({"startLine": 7, "severity": "error", "message": "bad"});
    assert_eq!(
        json!(bench.state().part::<ProblemsPart>()),
        json!({"lint\nsrc/a.c": problem("src/a.c", bad), "lint\nweb/b.c": problem("web/b.c", odd)})
    );
    bench.put("web/out.txt", "");
    assert_eq!(bench.ok("task.run", json!({"task": "lint"})).await["problems"], json!(0));
    assert!(bench.state().part::<ProblemsPart>().is_empty());
}

#[tokio::test]
async fn tasks_that_others_depend_on_run_before_them_each_once() {
    let say = |label: &str, more| shell(label, &format!("echo {label} >> log"), more);
    let bench = bench(json!([
        say("a", json!({})),
        say("b", json!({"dependsOn": "a"})),
        say("c", json!({"dependsOn": ["a", "b"], "dependsOrder": "sequence"})),
        {"label": "all", "dependsOn": ["c", "b"]},
        shell("bad", "exit 3", json!({})),
        say("after", json!({"dependsOn": ["bad"]})),
        say("x", json!({"dependsOn": "y"})), say("y", json!({"dependsOn": "x"})),
        say("lost", json!({"dependsOn": "nobody"})),
    ]))
    .await;
    let ran = bench.ok("task.run", json!({"task": "all"})).await;
    assert_eq!((&ran["state"], &ran["exitCode"]), (&json!("ended"), &json!(0)), "{ran}");
    let log = || bench.ok("file.read", json!({"path": "log"}));
    assert_eq!(log().await["content"], json!("a\nb\nc\n"));
    let ran = bench.ok("task.run", json!({"task": "after"})).await;
    assert_eq!(
        (&ran["state"], &ran["why"]),
        (&json!("failed"), &json!("`bad` ended with exit code 3"))
    );
    assert_eq!(log().await["content"], json!("a\nb\nc\n"));
    let circle = "tasks depend on each other: x → y → x";
    bench.fails("task.run", json!({"task": "x"}), "invalid_args", circle).await;
    let lost = "there is no task `nobody`, on which `lost` depends";
    bench.fails("task.run", json!({"task": "lost"}), "not_found", lost).await;
}

#[tokio::test]
async fn a_task_that_goes_on_is_followed_until_it_is_stopped() {
    // It looks once, and again when a file changes.
    let watch = "look() { echo begin; cat found; echo end; }; look; \
        until [ -e again ]; do sleep 0.1; done; look; sleep 1000";
    let matcher = json!({"base": "$gcc", "background": {"beginsPattern": "^begin$",
        "endsPattern": {"regexp": "^end$"}}});
    let more = json!({"isBackground": true, "problemMatcher": matcher});
    let bench = bench(json!([
        shell("watch", watch, more),
        shell("after", "echo after", json!({"dependsOn": "watch"})),
    ]))
    .await;
    bench.put("found", "src/a.c:1:1: error: one\nsrc/a.c:2:1: error: two\n");
    let ran = bench.ok("task.run", json!({"task": "watch"})).await;
    assert_eq!((&ran["state"], &ran["problems"]), (&json!("watching"), &json!(2)), "{ran}");
    let ran = bench.ok("task.run", json!({"task": "after"})).await;
    assert_eq!(ran["output"], json!(["after"]), "it waits for nothing: {ran}");
    let again = "the task `watch` runs already in t1";
    bench.fails("task.run", json!({"task": "watch"}), "conflict", again).await;
    bench.put("found", "src/a.c:2:1: error: two\n");
    bench.put("again", "");
    until(&bench, |runs| runs["k00000001"]["problems"] == json!(1)).await;
    let stopped = bench.ok("task.stop", json!({"task": "watch"})).await;
    assert_eq!(stopped, json!({"terminalId": "t1", "stopped": true}));
    let runs = until(&bench, |runs| runs["k00000001"]["state"] == json!("ended")).await;
    assert_eq!(runs["k00000001"]["exitCode"], json!(130));
    let failure = bench.failure("task.stop", json!({"task": "watch"})).await;
    assert_eq!(
        (&failure["error"], &failure["hint"]),
        (&json!("no such task runs"), &json!("none runs"))
    );
}

#[tokio::test]
async fn a_call_that_does_not_wait_leaves_the_task_to_run_to_its_end() {
    let bench =
        bench(json!([shell("slow", "until [ -e go ]; do sleep 0.1; done; exit 4", json!({}))]))
            .await;
    let ran = bench.as_person("task.run", json!({"task": "slow", "timeoutMs": 0})).await;
    assert!(["waiting", "running"].contains(&ran["state"].as_str().unwrap()), "{ran}");
    until(&bench, |runs| runs["k00000001"]["state"] == json!("running")).await;
    bench.put("go", "");
    let runs = until(&bench, |runs| runs["k00000001"]["state"] == json!("ended")).await;
    assert_eq!(runs["k00000001"]["exitCode"], json!(4));
}

#[tokio::test]
async fn variables_inputs_and_the_environment_reach_the_task() {
    let words = ["${file}", "${lineNumber}", "${input:who}", "$X"].map(|word| json!(word));
    let process = json!({"label": "args", "type": "process", "command": "printf", "args":
        ["%s|", words[0], words[1], words[2], words[3]], "options": {"env": {"X": "it's"}}});
    let env =
        shell("env", "echo \"$X\" && echo \"$X\"", json!({"options": {"env": {"X": "it's"}}}));
    let file = json!({"version": "2.0.0", "tasks": [process, env], "inputs": [
        {"id": "who", "type": "promptString", "description": "Who?"}, {"id": "b", "type": "promptString"},
    ]});
    let bench = Bench::open(&[(".vscode/tasks.json", &file.to_string()), ("src/a.c", "")]).await;
    let run = json!({"task": "args", "file": "src/a.c", "line": 3, "inputs": {"who": "a b"}});
    let ran = bench.ok("task.run", run).await;
    let path = bench.place("src/a.c").canonicalize().unwrap();
    assert_eq!(ran["output"], json!([format!("{}|3|a b|$X|", path.display())]));
    let ran = bench.ok("task.run", json!({"task": "env"})).await;
    assert_eq!(ran["output"], json!(["it's", "it's"]));
    for (args, message) in [
        (json!({}), "the task `args`: argument `file`: is missing, and the task has `${file}`"),
        (
            json!({"file": "src/a.c", "line": 1}),
            "the task `args`: argument `inputs`: `who` is missing",
        ),
    ] {
        let args = with(args, json!({"task": "args"}));
        bench.fails("task.run", args, "invalid_args", message).await;
    }
    let listed = bench.ok("task.list", json!({})).await;
    let task = &listed["tasks"][0];
    assert_eq!(
        task["inputs"],
        json!([{"id": "who", "description": "Who?",
        "default": null, "options": [], "password": false}])
    );
    assert_eq!(
        (&task["needsFile"], &listed["tasks"][1]["needsFile"]),
        (&json!(true), &json!(false))
    );
}

#[tokio::test]
async fn scripts_of_packages_are_tasks_beside_those_that_are_written_down() {
    let file = "// by hand\n{\"tasks\": [{\"label\": \"gulp\", \"type\": \"gulp\",}, \
        {\"label\": \"npm: test\", \"type\": \"shell\", \"command\": \"true\", \"hide\": true}]}";
    let bench = Bench::open(&[
        (".vscode/tasks.json", file),
        ("package.json", r#"{"scripts": {"test": "x", "build": "tsc -b"}}"#),
        ("web/package.json", r#"{"scripts": {"dev": "vite"}}"#),
        ("web/pnpm-lock.yaml", ""),
        ("bad/package.json", "{"),
        ("node_modules/x/package.json", r#"{"scripts": {"x": "x"}}"#),
    ])
    .await;
    let listed = bench.ok("task.list", json!({})).await;
    let told: Vec<String> = listed["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| {
            format!("{} {} {} {}", task["label"], task["group"], task["detail"], task["isWritten"])
        })
        .collect();
    assert_eq!(
        told,
        [
            "\"gulp\" null null true",
            "\"npm: test\" null null true",
            "\"npm: build\" \"build\" \"tsc -b\" false",
            "\"pnpm: dev - web\" null \"vite\" false",
        ]
    );
    let why = "the task `gulp`: tasks of the type `gulp` need an extension; known are shell, process and npm";
    bench.fails("task.run", json!({"task": "gulp"}), "invalid_args", why).await;
    let failure = bench.failure("task.run", json!({"task": "nothing"})).await;
    assert_eq!(failure["hint"], json!("tasks: gulp, npm: test, npm: build, pnpm: dev - web"));
    let reply = bench.reply(person(), "task.run", json!({"task": "npm: test"})).await;
    assert_eq!(reply.exit_code, Some(0));
}

#[tokio::test]
async fn a_file_that_cannot_be_read_and_arguments_out_of_bounds_are_named() {
    let bench = Bench::open(&[(".vscode/tasks.json", "{\n  oops\n}")]).await;
    let message = "`.vscode/tasks.json` cannot be read: key must be a string at line 2 column 3";
    bench.fails("task.list", json!({}), "invalid_args", message).await;
    bench.remove(".vscode/tasks.json");
    assert_eq!(bench.ok("task.list", json!({})).await, json!({"tasks": [], "runs": []}));
    let long = "x".repeat(2_001);
    for (args, message) in [
        (json!({"timeoutMs": 3_600_001}), "argument `timeoutMs`: must be 0 to 3600000"),
        (json!({"line": 0}), "argument `line`: must be 1 to 4294967295"),
        (json!({"inputs": {"a": long}}), "argument `inputs`: texts of at most 2000 characters"),
    ] {
        let args = with(args, json!({"task": "x"}));
        bench.fails("task.run", args, "invalid_args", message).await;
    }
    bench.put(
        ".vscode/tasks.json",
        r#"{"tasks": [{"label": "out", "command": "x", "options": {"cwd": "/"}}]}"#,
    );
    let failure = bench.failure("task.run", json!({"task": "out"})).await;
    assert!(
        failure["error"].as_str().unwrap().starts_with("the task `out`: `options.cwd`: "),
        "{failure}"
    );
}
