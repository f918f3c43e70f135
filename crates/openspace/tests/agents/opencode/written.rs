//! Commands that a model writes into its text: taken out of what people read, run, and told to it.

use openspace_scripted::{Asked, Step};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Person, Space, eventually};

const OPEN: &str = r#"%%OS{"cmd":"editor.open","args":{"path":"a.txt","line":2}}%%"#;

async fn open_files(space: &Space) -> Value {
    space.person("editor.state", json!({})).await["activePath"].clone()
}

#[tokio::test]
async fn a_model_without_tools_opens_a_file_by_its_words_and_hears_of_it() {
    let person = Person::with(json!({})).await;
    person.agents("[run.opencode]\ncommands_in_text = true\n");
    let space = person.serve().await;
    let begun = space.person("chat.create", json!({ "title": "By words" })).await;
    let address = begun["address"].as_str().unwrap().to_owned();
    let say = |text: &str| json!({ "text": text, "session": address, "wait": true });

    space.person.model.say([Step::text(&format!("I show it to you. {OPEN} There it is."))]);
    let said = space.person("chat.send", say("Show me")).await;
    assert_eq!(said["turn"]["answer"], "I show it to you.  There it is.", "{said}");
    let active = eventually("the file is open", || async {
        Some(open_files(&space).await).filter(|active| !active.is_null())
    });
    assert_eq!(active.await, "a.txt");
    let ran = |records: &[Value]| {
        let is_it = |record: &&Value| record["command"] == "openspace.editor.open";
        records.iter().filter(is_it).count()
    };
    eventually("it is on record", || async {
        (ran(&space.record("opencode").await) == 1).then_some(())
    })
    .await;

    space.person.model.say([Step::text("Good.")]);
    space.person("chat.send", say("And?")).await;
    let says = |asked: &Asked| {
        asked
            .body
            .to_string()
            .contains("What became of the commands in your text:\\neditor.open: done")
    };
    let asked = space.person.model.log();
    assert_eq!(asked.iter().filter(|asked| says(asked)).count(), 1, "{asked:#?}");

    // A fork and a reading tell all again, and run nothing.
    let forked = space.person("chat.fork", json!({ "session": address })).await;
    assert_eq!(forked["success"], json!(true), "{forked}");
    let fork = forked["address"].as_str().unwrap().to_owned();
    let read = space.person("chat.read", json!({ "session": fork, "limit": 50 })).await;
    let messages = read["messages"].as_array().unwrap();
    let said: Vec<_> = messages.iter().filter(|one| one["role"] == "assistant").collect();
    assert!(!said.is_empty() && !json!(said).to_string().contains("%%OS"), "{read}");
    space.person.model.say([Step::text("Again.")]);
    let go_on = json!({ "text": "Go on", "session": fork, "wait": true });
    assert_eq!(space.person("chat.send", go_on).await["turn"]["answer"], "Again.");
    assert_eq!(ran(&space.record("opencode").await), 1);
    space.stop().await;
}
