//! Much of everything: problems, projects, lines.

use std::fmt::Write as _;

use openspace_workspace::areas::code::LanguageOptions;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::World;

#[tokio::test]
async fn of_two_thousand_problems_in_a_file_the_worst_are_told_and_the_rest_is_counted() {
    let text = "odd\n".repeat(1_900) + &"wrong\n".repeat(100);
    let world = World::open(&[("a.tst", &text)]).await;
    let found = world.ok("code.diagnostics", json!({"path": "a.tst"})).await;
    let file = &found["files"][0];
    let told = (&file["errors"], &file["warnings"], file["problems"].as_array().unwrap().len());
    assert_eq!(told, (&json!(100), &json!(900), 20));
    assert_eq!(file["problems"][0]["line"], json!(1_901));
    assert_eq!(found["notes"], json!(["a.tst: 1000 more problems are not kept"]));
}

fn projects(count: usize) -> Vec<(String, String)> {
    let project = |number| {
        [
            (format!("p{number:02}/project.tester"), String::new()),
            (format!("p{number:02}/a.tst"), format!("class In{number:02}\nwrong\n")),
        ]
    };
    (0..count).flat_map(project).collect()
}

async fn monorepo(how: &str) -> World {
    let files = projects(20);
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    World::bad(how, &files, LanguageOptions::default()).await
}

#[tokio::test]
async fn one_server_works_on_twenty_projects_if_it_can() {
    let world = monorepo("folders = true").await;
    let found = world.ok("code.diagnostics", json!({"path": ".", "wait_s": 30})).await;
    assert_eq!((found["files"].as_array().unwrap().len(), &found["complete"]), (20, &json!(true)));
    let servers = world.ok("code.servers", json!({})).await["servers"].clone();
    let roots = |server: &Value| server["roots"].as_array().map(Vec::len);
    let told: Vec<(&Value, Option<usize>)> =
        servers.as_array().unwrap().iter().map(|it| (&it["starts"], roots(it))).collect();
    assert_eq!(told, [(&json!(1), Some(19))], "{servers}");
    // It is told of each as before when it is started again.
    world.ok("code.restart", json!({"server": "tester", "root": "p07"})).await;
    let found = world.ok("code.definition", json!({"symbol": "In19", "path": "p19/a.tst"})).await;
    assert_eq!(found["total"], json!(1), "{found}");
}

#[tokio::test]
async fn of_twenty_projects_with_a_server_each_some_are_said_to_be_left_out() {
    let world = monorepo("").await;
    let found = world.ok("code.diagnostics", json!({"path": ".", "wait_s": 30})).await;
    assert_eq!((found["files"].as_array().unwrap().len(), &found["complete"]), (12, &json!(false)));
    let servers = world.ok("code.servers", json!({})).await["servers"].clone();
    assert_eq!(servers.as_array().unwrap().len(), 12);
}

#[tokio::test]
async fn a_file_of_fifty_thousand_lines_is_a_file_like_any_other() {
    let mut text = String::new();
    for number in 0..10_000 {
        let _ = write!(
            text,
            "class C{number}\n  def m{number}\n    one\n    two\n    C{number} m{number}(\n"
        );
    }
    let world = World::open(&[("a.tst", &text)]).await;
    let outline = world.ok("code.symbols", json!({"path": "a.tst"})).await;
    let told = (&outline["total"], outline["symbols"].as_array().unwrap().len());
    assert_eq!(told, (&json!(20_000), 500));
    let uses = json!({"symbol": "C9999/m9999", "path": "a.tst"});
    let uses = world.ok("code.references", uses).await;
    assert_eq!(uses["files"][0]["uses"][0]["line"], json!(50_000), "{uses}");
    let edit = json!({"file_path": "a.tst", "old_string": "C9999 m9999(", "new_string": "wrong"});
    let edited = world.ok("workspace.edit", edit).await;
    let problems = &edited["problems"];
    let told = (&problems["state"], &problems["new"]);
    let new = json!(["50000:5 error: this is wrong [tester T1]"]);
    assert_eq!(told, (&json!("fresh"), &new), "{problems}");
}
