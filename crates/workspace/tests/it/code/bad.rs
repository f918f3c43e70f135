//! A server that is bad: what is said of it is right all the same, or is an error that says what happened.

use std::time::Duration;

use openspace_workspace::areas::code::LanguageOptions;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::{WIDGET, World};
use crate::support::{is_running, until};

/// Edits in a row, and what is right after each.
const TURNS: usize = 6;

impl World {
    async fn pid(&self) -> u32 {
        u32::try_from(self.server().await["pid"].as_u64().unwrap()).unwrap()
    }

    /// By somebody else, for an agent's calls wait for each other.
    async fn kill(&self, pid: u32) {
        let kill = json!({"command": format!("kill -9 {pid}")});
        let killed = self.bench.as_person("workspace.bash", kill).await;
        assert_eq!(killed["success"], json!(true), "{killed}");
    }
}

async fn bad(how: &str) -> World {
    let files = [("a.tst", WIDGET), ("b.tst", "fine\n")];
    World::bad(how, &files, LanguageOptions::default()).await
}

/// Text that is right and wrong in turn: nothing that is called settled is about another one.
async fn right_and_wrong_in_turn(world: &World) {
    for turn in 0..TURNS {
        let text = if turn % 2 == 0 { "wrong" } else { "fine" };
        world.bench.put("b.tst", &format!("{text}{}\n", " ".repeat(turn + 1)));
        let found = world.ok("code.diagnostics", json!({"path": "b.tst", "wait_s": 20})).await;
        let right = u32::from(turn % 2 == 1);
        assert_eq!((turn, &found["right"]), (turn, &json!(right)), "{found}");
        assert_eq!((turn, &found["complete"]), (turn, &json!(true)), "{found}");
    }
}

#[tokio::test]
async fn a_slow_server_is_waited_for() {
    let world = bad("slow = 0.05").await;
    right_and_wrong_in_turn(&world).await;
}

#[tokio::test]
async fn what_a_server_pushes_about_the_text_before_is_not_believed() {
    let world = bad("push = 'unversioned'").await;
    right_and_wrong_in_turn(&world).await;
}

#[tokio::test]
async fn what_a_server_pushes_about_a_version_before_is_not_believed() {
    let world = bad("push = 'versioned'").await;
    right_and_wrong_in_turn(&world).await;
}

#[tokio::test]
async fn a_server_that_says_late_that_it_can_be_asked_is_asked() {
    let world = bad("late = true").await;
    right_and_wrong_in_turn(&world).await;
}

#[tokio::test]
async fn a_server_that_floods_is_heard_and_answered() {
    let world = bad("flood = 2000").await;
    let outline = world.ok("code.symbols", json!({"path": "a.tst"})).await;
    assert_eq!(outline["total"], json!(5));
    // Every one of its own questions has an answer.
    let answered = world.bench.place("answered");
    until(|| answered.exists()).await;
    right_and_wrong_in_turn(&world).await;
}

#[tokio::test]
async fn what_is_never_answered_is_given_up() {
    let answers_within = Duration::from_millis(200);
    let options = LanguageOptions { answers_within, ..LanguageOptions::default() };
    let how = "silent = ['textDocument/hover', 'textDocument/diagnostic']";
    let world = World::bad(how, &[("a.tst", WIDGET)], options).await;
    let place = |wait: u32| json!({"path": "a.tst", "line": 1, "column": 7, "wait_s": wait});
    world.ok("code.definition", place(10)).await;
    let failure = world.bench.failure("code.hover", place(0)).await;
    assert_eq!(failure["kind"], json!("timed_out"), "{failure}");
    let found = world.ok("code.diagnostics", json!({"path": "a.tst", "wait_s": 0})).await;
    assert_eq!(found["files"][0]["state"], json!("pending"), "{found}");
    // It still answers everything else.
    world.ok("code.definition", place(10)).await;
}

#[tokio::test]
async fn a_huge_answer_is_told_in_part() {
    let world = bad("wide = 8000000, long = 50000").await;
    let place = json!({"path": "a.tst", "line": 1, "column": 7});
    let hover = world.ok("code.hover", place.clone()).await;
    let told = (hover["text"].as_str().map(str::len), &hover["truncated"]);
    assert_eq!(told, (Some(4096), &json!(true)));
    let uses = world.ok("code.references", place).await;
    let (total, files) = (&uses["total"], uses["files"].as_array().unwrap());
    assert_eq!((total, &uses["truncated"], files.len()), (&json!(50_000), &json!(true), 1));
    assert_eq!(files[0]["uses"].as_array().unwrap().len(), 50);
}

#[tokio::test]
async fn an_answer_that_is_too_large_is_not_read() {
    let answers_within = Duration::from_secs(2);
    let options = LanguageOptions { answers_within, ..LanguageOptions::default() };
    let world = World::bad("too_large = true", &[("a.tst", WIDGET)], options).await;
    let failure = world.bench.failure("code.symbols", json!({"path": "a.tst", "wait_s": 0})).await;
    assert_eq!(failure["kind"], json!("timed_out"), "{failure}");
    let hover = json!({"path": "a.tst", "line": 1, "column": 7});
    assert_eq!(world.ok("code.hover", hover).await["text"], json!("**Widget** of 1 files"));
}

#[tokio::test]
async fn answers_that_nobody_asked_for_are_nobody_s() {
    let world = bad("wrong_ids = true").await;
    let outline = world.ok("code.symbols", json!({"path": "a.tst", "depth": 1})).await;
    let names: Vec<&Value> =
        outline["symbols"].as_array().unwrap().iter().map(|it| &it["symbol"]).collect();
    assert_eq!(names, [&json!("Widget"), &json!("Other")]);
    right_and_wrong_in_turn(&world).await;
}

#[tokio::test]
async fn a_server_that_ends_at_a_question_says_so() {
    let world = bad("crash = ['textDocument/references']").await;
    let place = json!({"path": "a.tst", "line": 1, "column": 7});
    let failure = world.bench.failure("code.references", place.clone()).await;
    assert_eq!(failure["kind"], json!("lost"), "{failure}");
    assert_eq!(world.ok("code.hover", place).await["complete"], json!(true));
}

/// A question of each kind, with the method that it asks.
fn questions() -> [(&'static str, &'static str, Value); 9] {
    let place = json!({"path": "a.tst", "line": 1, "column": 7});
    let with = |more: Value| {
        let mut args = place.clone();
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        args
    };
    [
        ("textDocument/documentSymbol", "code.symbols", json!({"path": "a.tst"})),
        ("workspace/symbol", "code.symbols", json!({"query": "area"})),
        ("textDocument/definition", "code.definition", place.clone()),
        ("textDocument/references", "code.references", place.clone()),
        ("callHierarchy/incomingCalls", "code.references", with(json!({"include": "calls"}))),
        ("textDocument/hover", "code.hover", place.clone()),
        ("textDocument/rename", "code.rename", with(json!({"new_name": "Gadget"}))),
        ("textDocument/formatting", "code.format", json!({"path": "a.tst"})),
        ("textDocument/codeAction", "code.actions", json!({"path": "a.tst", "line": 1})),
    ]
}

#[tokio::test]
async fn a_server_that_is_killed_in_the_middle_of_a_question_is_lost_and_comes_again() {
    let methods: Vec<String> =
        questions().iter().map(|(method, ..)| format!("'{method}'")).collect();
    let world = bad(&format!("silent = [{}]", methods.join(", "))).await;
    let open = json!({"path": "b.tst"});
    world.ok("code.diagnostics", open.clone()).await;
    for (method, command, args) in questions() {
        let pid = world.pid().await;
        let asked = world.bench.place("asked");
        let (failure, ()) = tokio::join!(world.bench.failure(command, args), async {
            until(|| asked.exists()).await;
            world.kill(pid).await;
        });
        assert_eq!(failure["kind"], json!("lost"), "{method}: {failure}");
        until(|| !is_running(pid)).await;
        world.bench.remove("asked");
        // By hand, for by itself it would come ever later.
        world.ok("code.restart", json!({"server": "tester"})).await;
        let found = world.ok("code.diagnostics", open.clone()).await;
        assert_eq!((method, &found["complete"]), (method, &json!(true)), "{found}");
    }
}

#[tokio::test]
async fn diagnostics_outlive_the_server_that_was_asked_for_them() {
    let world = bad("slow = 0.1").await;
    world.ok("code.diagnostics", json!({"path": "b.tst"})).await;
    let pid = world.pid().await;
    world.bench.put("b.tst", "wrong again\n");
    let ask = json!({"path": "b.tst", "wait_s": 30});
    let (found, ()) = tokio::join!(world.ok("code.diagnostics", ask), async {
        tokio::task::yield_now().await;
        world.kill(pid).await;
    });
    assert_eq!(found["files"][0]["errors"], json!(1), "{found}");
    assert_eq!(world.server().await["starts"], json!(2));
}

#[tokio::test]
async fn a_server_that_uses_too_much_memory_is_ended_and_says_so() {
    let mut options =
        LanguageOptions { look_every: Duration::from_millis(20), ..LanguageOptions::default() };
    options.limits.memory_mib = 1;
    let world = World::bad("", &[("a.tst", WIDGET)], options).await;
    world.bench.call("code.symbols", json!({"path": "a.tst"})).await;
    let mut server = world.server().await;
    while server["state"] != json!("failed") {
        tokio::time::sleep(Duration::from_millis(10)).await;
        server = world.server().await;
    }
    let detail = server["detail"].as_str().unwrap();
    assert!(detail.ends_with(" MiB of memory, and one server may use 1"), "{detail}");
    let failure = world.bench.failure("code.symbols", json!({"path": "a.tst"})).await;
    assert!(failure["hint"].as_str().unwrap().contains("code_restart"), "{failure}");
}

#[tokio::test]
async fn of_servers_that_use_too_much_together_the_least_used_is_ended_until_it_is_wanted() {
    let mut options =
        LanguageOptions { look_every: Duration::from_millis(20), ..LanguageOptions::default() };
    options.limits.memory_of_all_mib = 1;
    let world = World::bad("", &[("a.tst", WIDGET)], options).await;
    world.bench.call("code.symbols", json!({"path": "a.tst"})).await;
    let mut server = world.server().await;
    while server["state"] != json!("stopped") {
        tokio::time::sleep(Duration::from_millis(10)).await;
        server = world.server().await;
    }
    let detail = server["detail"].as_str().unwrap();
    assert!(detail.contains("all servers used more than 1 MiB of memory"), "{detail}");
}
