//! A task is judged as the lines that it types.

use openspace_workspace::{areas::terminal::TerminalsPart, permission::Profile};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Bench, PolicyText, asking, in_time};

const TASKS: &str = r#"{"tasks": [
    {"label": "make", "type": "shell", "command": "touch made && rm -rf src"}
]}"#;

async fn bench(profile: Profile) -> Bench {
    Bench::with(asking(profile, PolicyText::of("")), &[(".vscode/tasks.json", TASKS)]).await
}

/// The next open question about a line; those about anything else are answered with a yes.
async fn question(bench: &Bench) -> Value {
    let mut view = bench.attach();
    in_time(async {
        loop {
            let listed = bench.as_person("approval.list", json!({})).await;
            let Some(one) = listed["approvals"].as_array().and_then(|all| all.first()).cloned()
            else {
                view.changed("approvals").await;
                continue;
            };
            if one["command"] == json!("openspace.terminal.run") {
                return one;
            }
            let yes = json!({"approvalId": one["approvalId"], "answer": "once"});
            bench.as_person("approval.answer", yes).await;
        }
    })
    .await
}

#[tokio::test]
async fn an_agent_is_asked_about_the_line_of_a_task_as_if_it_had_typed_it() {
    let bench = bench(Profile::Careful).await;
    let run = bench.call("task.run", json!({"task": "make"}));
    let answer = async {
        let one = question(&bench).await;
        let no = json!({"approvalId": one["approvalId"], "answer": "no"});
        bench.as_person("approval.answer", no).await;
        one
    };
    let (refused, asked) = tokio::join!(run, answer);
    assert_eq!(asked["summary"], json!("run in t1: touch made && rm -rf src"));
    assert_eq!(
        (&refused["success"], &refused["kind"]),
        (&json!(false), &json!("denied")),
        "{refused}"
    );
    assert!(!bench.place("made").exists());
}

#[tokio::test]
async fn who_may_not_run_programs_runs_no_tasks() {
    let bench = bench(Profile::ReadOnly).await;
    let refused = bench.call("task.run", json!({"task": "make"})).await;
    assert_eq!(refused["kind"], json!("policy"), "{refused}");
    assert!(bench.state().part::<TerminalsPart>().is_empty());
    assert_eq!(bench.ok("task.list", json!({})).await["tasks"][0]["label"], json!("make"));
    let mine = bench.as_person("task.run", json!({"task": "make"})).await;
    assert_eq!((&mine["state"], &mine["exitCode"]), (&json!("ended"), &json!(0)), "{mine}");
}
