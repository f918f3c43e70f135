//! What an agent does in a turn, through our tools.

use openspace_agents::model::ToolState;
use openspace_scripted::Step;
use openspace_workspace::conversations::{Confined, Running};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::Person;

#[tokio::test]
async fn an_agent_that_is_talked_to_is_started_and_works_in_the_space() {
    let space = Person::with(json!({})).await.serve().await;
    let before = space.state().await;
    assert_eq!((before.state, &before.why, before.abilities.len()), (Running::Stopped, &None, 0));
    assert_eq!(space.conversations().default_agent().await.as_deref(), Some("opencode"));

    let talk = space.talk().await;
    let running = space.state().await;
    assert_eq!(running.state, Running::Running);
    assert_eq!(running.confined, Confined { is: true, why: None });
    assert!(running.abilities.iter().any(|ability| ability.can));

    let open = Step::tool("openspace_editor_open", json!({ "path": "a.txt", "line": 2 }));
    space.person.model.say([open, Step::text("Done.")]);
    let calls = talk.turn("Show me the second line").await;
    let done: Vec<_> = calls.iter().map(|call| (call.tool.as_str(), call.state)).collect();
    assert_eq!(done, [("openspace_editor_open", ToolState::Completed)], "{calls:#?}");

    let record = space.record().await;
    let opened: Vec<_> = record
        .iter()
        .map(|it| {
            (it["command"].as_str().unwrap(), it["callerKind"].clone(), it["session"].clone())
        })
        .collect();
    assert_eq!(opened.len(), 1, "{record:#?}");
    assert_eq!(opened[0].0, "openspace.editor.open");
    space.stop().await;
}
