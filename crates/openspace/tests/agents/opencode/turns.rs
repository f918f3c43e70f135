//! What an agent does in a turn, through our tools.

use openspace_agents::model::{NewSession, ToolState};
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

    let record = space.record("opencode").await;
    let short = |it: &serde_json::Value| {
        json!([it["callerKind"], it["session"], it["command"], it["outcome"]])
    };
    let opened = json!(["agent", talk.session.to_string(), "openspace.editor.open", "ok"]);
    assert_eq!(record.iter().map(short).collect::<Vec<_>>(), [opened]);
    space.stop().await;
}

#[tokio::test]
async fn an_agent_that_speaks_acp_has_our_tools_in_each_session_and_is_known_by_it() {
    let space = Person::with(json!({})).await.serve().await;
    let first = space.talk_with("by-acp", NewSession::default()).await;
    let second = space.talk_with("by-acp", NewSession::default()).await;
    for (talk, path) in [(&second, "b.txt"), (&first, "a.txt")] {
        let write = Step::tool("openspace_editor_open", json!({ "path": path }));
        space.person.model.say([write, Step::text("Done.")]);
        talk.turn("Show it").await;
    }
    let record = space.record("by-acp").await;
    let short = |it: &serde_json::Value| json!([it["session"], it["command"], it["outcome"]]);
    let of = |session: &str, outcome: &str| json!([session, "openspace.editor.open", outcome]);
    let expected = [of(&second.session.0, "not_found"), of(&first.session.0, "ok")];
    assert_eq!(record.iter().map(short).collect::<Vec<_>>(), expected);
    space.stop().await;
}

#[tokio::test]
async fn an_agent_without_its_own_tools_works_through_the_space_alone() {
    let person = Person::with(json!({})).await;
    person.agents("[run.opencode]\nown_tools = false\n");
    let space = person.serve().await;
    let talk = space.talk().await;
    let write = Step::tool(
        "openspace_workspace_bash",
        json!({ "command": "echo through the space > said.txt" }),
    );
    space.person.model.say([write, Step::text("Done.")]);
    talk.turn("Write it").await;
    assert_eq!(space.person.read("said.txt").as_deref(), Some("through the space\n"));
    let asked = space.person.model.asked(openspace_scripted::Asked::has_tools).await;
    let tools = asked.body["tools"].as_array().unwrap().clone();
    let names: Vec<&str> =
        tools.iter().filter_map(|tool| tool["function"]["name"].as_str()).collect();
    for own in ["bash", "edit", "write", "read", "grep", "glob"] {
        assert!(!names.contains(&own), "{names:?}");
    }
    assert!(names.contains(&"openspace_workspace_edit"), "{names:?}");
    space.stop().await;
}
