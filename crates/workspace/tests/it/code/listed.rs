//! What servers find is in the list of problems, which a page shows: as long as it is known, and no longer.

use openspace_workspace::areas::{code::LanguageOptions, problems::ProblemsPart};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::World;
use crate::{
    buffers::Page,
    support::{in_time, until},
};

impl World {
    /// `path:line severity message` of all that is listed of servers.
    fn listed(&self) -> Vec<String> {
        let state = self.bench.dispatcher().state().space().state();
        let mut listed = Vec::new();
        for file in state.part::<ProblemsPart>().values().filter(|it| it.source == "tester") {
            let problems = file.problems.iter();
            listed
                .extend(problems.map(|it| format!("{}:{} {}", it.path, it.start_line, it.message)));
        }
        listed
    }

    async fn lists(&self, expected: &[&str]) {
        let listed = until(|| self.listed() == expected);
        if tokio::time::timeout(std::time::Duration::from_secs(20), listed).await.is_err() {
            assert_eq!(self.listed(), expected);
        }
    }
}

#[tokio::test]
async fn what_is_wrong_with_open_files_is_listed_as_they_change() {
    let world = World::open(&[("a.tst", "wrong\n"), ("b.tst", "fine\n")]).await;
    assert_eq!(world.listed(), [""; 0]);
    // To ask anything about a file opens it.
    world.ok("code.symbols", json!({"path": "a.tst"})).await;
    world.lists(&["a.tst:1 this is wrong"]).await;
    world.bench.put("a.tst", "fine\nodd\n");
    world.lists(&["a.tst:2 this is odd"]).await;
    let mut page = Page::join(&world.bench);
    page.open("b.tst", "fine\n", "fine\n\nwrong\n").await;
    world.lists(&["a.tst:2 this is odd", "b.tst:3 this is wrong"]).await;
    let told = world.ok("editor.diagnostics", json!({"path": "b.tst"})).await;
    assert_eq!((&told["errors"], &told["problems"][0]["source"]), (&json!(1), &json!("tester")));
    world.ok("editor.discard", json!({"path": "b.tst"})).await;
    world.lists(&["a.tst:2 this is odd"]).await;
    world.ok("code.stop", json!({"server": "tester"})).await;
    world.lists(&[]).await;
}

#[tokio::test]
async fn what_a_server_found_that_crashed_stays_until_more_is_known() {
    let world = World::open(&[("a.tst", "class boom\nwrong\n")]).await;
    world.ok("code.symbols", json!({"path": "a.tst"})).await;
    world.lists(&["a.tst:2 this is wrong"]).await;
    world.bench.failure("code.hover", json!({"symbol": "boom", "path": "a.tst"})).await;
    assert_eq!(world.listed(), ["a.tst:2 this is wrong"]);
    world.bench.put("a.tst", "class boom\n");
    world.lists(&[]).await;
}

#[tokio::test]
async fn the_list_has_a_bound() {
    let text = "odd\n".repeat(1_900) + "wrong\n";
    let world = World::open(&[("a.tst", &text)]).await;
    world.ok("code.symbols", json!({"path": "a.tst"})).await;
    in_time(until(|| world.listed().len() == 500)).await;
    assert_eq!(world.listed().last().unwrap(), "a.tst:1901 this is wrong");
}

#[tokio::test]
async fn lines_that_the_person_has_not_saved_are_marked() {
    let world = World::open(&[("a.tst", "one\nwrong\n\n\nlast\n")]).await;
    let mut page = Page::join(&world.bench);
    page.open("a.tst", "one\nwrong\n\n\nlast\n", "one\nwrong\n\n\nodd\n").await;
    let found = world.ok("code.diagnostics", json!({"path": "a.tst"})).await;
    let told: Vec<(&Value, &Value)> = found["files"][0]["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (&it["line"], &it["unsaved"]))
        .collect();
    assert_eq!(told, [(&json!(2), &Value::Null), (&json!(5), &json!(true))]);
    let edit = json!({"file_path": "a.tst", "old_string": "one", "new_string": "odd"});
    let edited = world.ok("workspace.edit", edit).await;
    // What was there before is not new, whoever typed it.
    assert_eq!(edited["problems"]["new"], json!(["1:1 warning: this is odd [tester T2]"]));
}

#[tokio::test]
async fn a_person_chooses_what_edits_tell() {
    for (choice, expected) in [
        (
            "new",
            json!({"state": "fresh", "new": ["1:1 warning: this is odd [tester T2]"], "fixed": 0}),
        ),
        ("errors", json!({"state": "fresh", "new": [], "fixed": 0})),
        ("off", Value::Null),
    ] {
        let own = format!("after_edit = '{choice}'\n");
        let options = LanguageOptions { own, ..LanguageOptions::default() };
        let world = World::bad("", &[("a.tst", "fine\n")], options).await;
        world.ok("code.symbols", json!({"path": "a.tst"})).await;
        let edit = json!({"file_path": "a.tst", "old_string": "fine", "new_string": "odd"});
        assert_eq!(world.ok("workspace.edit", edit).await["problems"], expected, "{choice}");
    }
}
