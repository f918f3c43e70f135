//! Qwen Code.

use openspace_agents::{
    Ability, Agent as _, AgentError, Event,
    model::{PermissionAnswer, PermissionReply, Prompt, SessionQuery, ToolState},
};
use openspace_scripted::Step;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::support::{Answer, Running, World, exists, idle, program, speaking, until};

async fn start(world: &World) -> Running {
    let script = program("OPENSPACE_QWEN");
    let variables = [
        ("OPENAI_API_KEY", "test".to_owned()),
        ("OPENAI_BASE_URL", world.model.base_url()),
        ("OPENAI_MODEL", "scripted".to_owned()),
        ("QWEN_CODE_NO_RELAUNCH", "true".to_owned()),
    ];
    world.start("Qwen Code", &["node", &script, "--acp", "--auth-type=openai"], &variables).await
}

fn touch(name: &str) -> Step {
    let arguments = json!({"command": format!("touch {name}"), "description": "make a file", "is_background": false});
    Step::tool("run_shell_command", arguments)
}

#[tokio::test]
async fn a_turn_is_told_and_kept_and_its_choices_are_known() {
    let world = World::new().await;
    let qwen = start(&world).await;
    let mut events = qwen.agent.subscribe();
    let session = qwen.create().await;
    assert_eq!(session.mode.as_deref(), Some("default"));
    let models = qwen.agent.models(Some(&session.id)).await.unwrap();
    assert!(models.default.unwrap().model.contains("scripted"));
    let modes = qwen.agent.modes(Some(&session.id)).await.unwrap();
    assert!(modes.iter().any(|mode| mode.id == "plan"), "{modes:?}");
    world.model.say([Step::text("Hello from the script.")]);
    qwen.say(&session.id, "Say hello").await;
    idle(&mut events).await;
    let expected = Answer { said: "Hello from the script.".to_owned(), ..Answer::default() };
    assert_eq!(qwen.answer(&session.id).await, expected);
    // They are told when the agent has found them all.
    if qwen.agent.commands(Some(&session.id)).await.is_err() {
        until(&mut events, |event| match event {
            Event::CatalogueChanged { .. } => Some(()),
            _ => None,
        })
        .await;
    }
    assert!(!qwen.agent.commands(Some(&session.id)).await.unwrap().is_empty());
    assert_eq!(qwen.agent.about().name.as_deref(), Some("qwen-code"));
}

#[tokio::test]
async fn a_tool_waits_for_a_person_who_allows_or_refuses_it() {
    let world = World::new().await;
    let qwen = start(&world).await;
    let mut events = qwen.agent.subscribe();
    let session = qwen.create().await;
    world.model.say([touch("allowed"), Step::text("Done.")]);
    qwen.say(&session.id, "Make a file").await;
    let asked = qwen.permit(&mut events, PermissionAnswer::Once {}).await;
    assert_eq!(asked.patterns, ["touch allowed"]);
    let replies = [PermissionReply::Once, PermissionReply::Always, PermissionReply::Reject];
    assert_eq!(asked.replies, replies);
    idle(&mut events).await;
    assert!(exists(&world.project(), "allowed"));
    let answer = qwen.answer(&session.id).await;
    assert_eq!((answer.tools, answer.said.as_str()), (vec![ToolState::Completed], "Done."));
    world.model.say([touch("refused"), Step::text("Well.")]);
    qwen.say(&session.id, "Make another").await;
    qwen.permit(&mut events, PermissionAnswer::Reject { message: None }).await;
    idle(&mut events).await;
    assert!(!exists(&world.project(), "refused"));
    assert_eq!(qwen.answer(&session.id).await.tools, [ToolState::Failed]);
}

#[tokio::test]
async fn a_stream_is_stopped_in_the_middle_and_a_killed_agent_says_so() {
    let world = World::new().await;
    let mut qwen = start(&world).await;
    let mut events = qwen.agent.subscribe();
    let session = qwen.create().await;
    world.model.say([Step::text("Half of a ").never_ending(), Step::text("Again.").never_ending()]);
    qwen.say(&session.id, "Talk").await;
    speaking(&mut events).await;
    qwen.agent.abort(&session.id).await.unwrap();
    idle(&mut events).await;
    assert_eq!(qwen.answer(&session.id).await.failure.as_deref(), Some("it was stopped"));
    qwen.say(&session.id, "Talk on").await;
    speaking(&mut events).await;
    qwen.child.kill().await.unwrap();
    idle(&mut events).await;
    let failure = qwen.answer(&session.id).await.failure;
    assert_eq!(
        failure.as_deref(),
        Some("Qwen Code ended in the middle of it: it closed its output")
    );
    let refused = qwen.agent.send(&session.id, Prompt::text("Hello?")).await;
    assert!(matches!(refused, Err(AgentError::NotRunning { .. })), "{refused:?}");
}

#[tokio::test]
async fn a_session_of_an_earlier_run_is_listed_and_told_again() {
    let world = World::new().await;
    let session = {
        let qwen = start(&world).await;
        let mut events = qwen.agent.subscribe();
        let session = qwen.create().await;
        world.model.say([Step::text("Remember me.")]);
        qwen.say(&session.id, "Something to remember").await;
        idle(&mut events).await;
        // It writes an answer down only after it said that it is done.
        world.written("Remember me.").await;
        qwen.end().await;
        session.id
    };
    let qwen = start(&world).await;
    let listed = qwen.agent.sessions(SessionQuery::default()).await.unwrap().sessions;
    assert!(listed.iter().any(|it| it.id == session), "{listed:?}");
    let told: Vec<String> = qwen.messages(&session).await.into_iter().map(|it| text(&it)).collect();
    assert_eq!(told, ["Something to remember", "Remember me."]);
    assert!(qwen.agent.capabilities().has(Ability::History));
}

fn text(message: &openspace_agents::model::Message) -> String {
    let texts = message.parts.iter().filter_map(|part| match &part.content {
        openspace_agents::model::PartContent::Text { text, .. } => Some(text.text.as_str()),
        _ => None,
    });
    texts.collect()
}
