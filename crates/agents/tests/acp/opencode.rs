//! opencode, by `opencode acp`.

use openspace_agents::{
    Ability, Agent as _,
    model::{PermissionAnswer, PermissionReply, ToolState},
};
use openspace_scripted::Step;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::support::{Answer, Running, World, exists, idle, program, speaking};

async fn start(world: &World) -> Running {
    let model = json!({"name": "Scripted", "tool_call": true, "limit": {"context": 100_000, "output": 8_000}});
    let provider = json!({
        "npm": "@ai-sdk/openai-compatible",
        "name": "Scripted",
        "options": {"baseURL": world.model.base_url(), "apiKey": "test"},
        "models": {"scripted": model},
    });
    let config = json!({
        "autoupdate": false,
        "share": "disabled",
        "enabled_providers": ["scripted"],
        "provider": {"scripted": provider},
        "model": "scripted/scripted",
        "small_model": "scripted/scripted",
        "permission": {"bash": "ask"},
    });
    let mut variables = vec![("OPENCODE_CONFIG_CONTENT", config.to_string())];
    for switch in [
        "OPENCODE_DISABLE_AUTOUPDATE",
        "OPENCODE_DISABLE_MODELS_FETCH",
        "OPENCODE_DISABLE_LSP_DOWNLOAD",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS",
        "OPENCODE_DISABLE_EXTERNAL_SKILLS",
        "OPENCODE_DISABLE_CLAUDE_CODE",
    ] {
        variables.push((switch, "1".to_owned()));
    }
    world.start("opencode", &[&program("OPENSPACE_OPENCODE"), "acp"], &variables).await
}

#[tokio::test]
async fn a_turn_a_tool_with_a_persons_word_and_a_stop() {
    let world = World::new().await;
    let opencode = start(&world).await;
    let mut events = opencode.agent.subscribe();
    let session = opencode.create().await;

    world.model.say([Step::text("Hello from the script.")]);
    opencode.say(&session.id, "Say hello").await;
    idle(&mut events).await;
    let expected = Answer { said: "Hello from the script.".to_owned(), ..Answer::default() };
    assert_eq!(opencode.answer(&session.id).await, expected);

    let arguments = json!({"command": "touch allowed", "description": "make a file"});
    world.model.say([Step::tool("bash", arguments), Step::text("Done.")]);
    opencode.say(&session.id, "Make a file").await;
    let asked = opencode.permit(&mut events, PermissionAnswer::Once {}).await;
    let replies = [PermissionReply::Once, PermissionReply::Always, PermissionReply::Reject];
    assert_eq!(
        (asked.patterns, asked.replies),
        (vec!["touch allowed".to_owned()], replies.to_vec())
    );
    idle(&mut events).await;
    assert!(exists(&world.project(), "allowed"));
    let answer = opencode.answer(&session.id).await;
    assert_eq!((answer.tools, answer.said.as_str()), (vec![ToolState::Completed], "Done."));

    world.model.say([Step::text("Half of a ").never_ending()]);
    opencode.say(&session.id, "Talk").await;
    speaking(&mut events).await;
    opencode.agent.abort(&session.id).await.unwrap();
    idle(&mut events).await;
    assert_eq!(opencode.answer(&session.id).await.failure.as_deref(), Some("it was stopped"));

    let models = opencode.agent.models(Some(&session.id)).await.unwrap();
    assert!(models.default.unwrap().model.contains("scripted"));
    let forked = opencode.agent.fork(&session.id, None).await.unwrap();
    assert_eq!(opencode.messages(&forked.id).await.len(), 6);
    let absent = opencode.agent.capabilities().absent;
    assert!(
        !absent.contains_key(&Ability::List) && absent.contains_key(&Ability::Revert),
        "{absent:?}"
    );
}
