//! What an opencode that was started here changed, by our tools and by its own, is there to be reviewed.

use openspace_scripted::Step;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Person, Space, eventually, put};

async fn review(space: &Space, session: &str) -> Value {
    space.person("chat.review", json!({ "session": session })).await
}

/// Files with the lines of their hunks.
fn told(review: &Value) -> Vec<(String, String)> {
    let files = review["files"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let lines = |file: &Value| {
        let hunks = file["hunks"].as_array().unwrap().iter();
        let hunks = hunks.map(|hunk| format!("{}>{}", text(&hunk["old"]), text(&hunk["new"])));
        (text(&file["path"]), hunks.collect::<Vec<_>>().join(" "))
    };
    files.map(lines).collect()
}

#[tokio::test]
async fn changes_by_its_own_tools_are_reviewed_and_undone() {
    let space = Person::with(json!({})).await.serve().await;
    let path = |name: &str| space.person.root().join(name).to_str().unwrap().to_owned();
    put(&space.person.root().join("old.txt"), "    if x {\n        two();\n    }\n");
    let talk = space.talk().await;
    let edit = |old: &str, new: &str| {
        let args = json!({ "filePath": path("a.txt"), "oldString": old, "newString": new });
        Step::tool("edit", args)
    };
    let indented = json!({ "filePath": path("old.txt"), "oldString": "two", "newString": "three" });
    space.person.model.say([
        Step::tool("read", json!({ "filePath": path("a.txt") })),
        edit("one", "ONE"),
        edit("three", "THREE"),
        Step::tool("read", json!({ "filePath": path("old.txt") })),
        Step::tool("edit", indented),
        Step::tool("write", json!({ "filePath": path("new.txt"), "content": "new\n" })),
        Step::text("Done."),
    ]);
    let calls = talk.turn("Change it").await;
    let failed: Vec<_> = calls.iter().filter_map(|call| call.error.as_ref()).collect();
    assert!(failed.is_empty(), "{failed:?}");
    let session = format!("opencode/{}", talk.session);
    let listed = eventually("all changes", || async {
        let review = review(&space, &session).await;
        (review["toReview"] == 4).then_some(review)
    })
    .await;
    let expected = [
        ("a.txt", "one>ONE three>THREE"),
        ("new.txt", ">new\n"),
        ("old.txt", "        two();>        three();"),
    ];
    let expected = expected.map(|(path, lines)| (path.to_owned(), lines.to_owned()));
    assert_eq!(told(&listed), expected);
    assert_eq!(listed["missed"], json!([]));

    let hunk = &listed["files"][0]["hunks"][1]["hunk"];
    let undo = json!({ "session": session, "path": "a.txt", "hunks": [hunk] });
    let undone = space.person("chat.undo", undo).await;
    assert_eq!(undone["toReview"], 3, "{undone}");
    assert_eq!(space.person.read("a.txt").as_deref(), Some("ONE\ntwo\nthree\n"));
    for path in ["old.txt", "new.txt"] {
        let undone = space.person("chat.undo", json!({ "session": session, "path": path })).await;
        assert_eq!(undone["success"], true, "{undone}");
    }
    let old = "    if x {\n        two();\n    }\n";
    assert_eq!(space.person.read("old.txt").as_deref(), Some(old));
    assert_eq!(space.person.read("new.txt"), None);

    let accepted = space.person("chat.accept", json!({ "session": session })).await;
    assert_eq!(accepted["toReview"], 0, "{accepted}");
    let deleted = space.person("chat.delete", json!({ "session": session })).await;
    assert_eq!(deleted["success"], true, "{deleted}");
    assert_eq!(review(&space, &session).await["files"], json!([]));
    space.stop().await;
}

#[tokio::test]
async fn changes_by_our_tools_are_reviewed_and_undone() {
    let person = Person::with(json!({})).await;
    person.agents("[run.opencode]\nown_tools = false\n");
    let space = person.serve().await;
    let talk = space.talk().await;
    let ours = json!({ "file_path": "a.txt", "old_string": "one", "new_string": "ONE" });
    space.person.model.say([Step::tool("openspace_workspace_edit", ours), Step::text("Done.")]);
    talk.turn("Change it").await;
    let session = format!("opencode/{}", talk.session);
    let listed = review(&space, &session).await;
    assert_eq!(told(&listed), [("a.txt".to_owned(), "one>ONE".to_owned())], "{listed}");
    let undo = json!({ "session": session, "path": "a.txt" });
    let undone = space.person("chat.undo", undo).await;
    assert_eq!(undone["toReview"], 0, "{undone}");
    assert_eq!(space.person.read("a.txt").as_deref(), Some("one\ntwo\nthree\n"));
    space.stop().await;
}
