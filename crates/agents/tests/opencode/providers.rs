//! Log-ins: a key that was given is used by the next turn, and forgotten by the one after it.

use std::collections::BTreeMap;

use openspace_agents::{
    Agent, AgentError, Thing,
    model::{Key, KeyLogIn, PageLogIn},
};
use openspace_scripted::{Scripted, Step};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::Talk;

const KEY: &str = "F2-key-that-a-person-types";

fn provider(scripted: &Scripted) -> serde_json::Value {
    let model = json!({ "name": "Scripted", "tool_call": true, "limit": { "context": 100_000, "output": 8000 } });
    json!({
        "enabled_providers": ["bare"],
        "provider": { "bare": {
            "npm": "@ai-sdk/openai-compatible",
            "name": "Bare",
            "options": { "baseURL": scripted.base_url() },
            "models": { "scripted": model },
        } },
        "model": "bare/scripted",
        "small_model": "bare/scripted",
    })
}

#[tokio::test]
async fn a_key_is_used_from_the_next_turn_on_until_it_is_forgotten() {
    let talk = Talk::begin_with_model(provider).await;
    let session = talk.session().await;
    let log_in = KeyLogIn {
        provider: "bare".to_owned(),
        key: Key::new(KEY).unwrap(),
        answers: BTreeMap::new(),
    };
    let has_key = || async {
        let providers = talk.agent.providers().await.unwrap();
        providers.into_iter().find(|it| it.id == "bare").map(|it| it.has_key)
    };
    assert_eq!(has_key().await, Some(false));
    assert!(talk.agent.log_in(log_in).await.unwrap());
    assert_eq!(has_key().await, Some(true));
    talk.model.say([Step::text("One.")]);
    talk.turn(&session, "x").await;
    let keys = || talk.model.log().into_iter().map(|asked| asked.key).collect::<Vec<_>>();
    assert_eq!(keys(), [Some(KEY.to_owned())]);

    assert!(talk.agent.log_out("bare").await.unwrap());
    assert_eq!(has_key().await, Some(false));
}

#[tokio::test]
async fn what_is_no_provider_and_no_page_is_refused_before_anything_is_kept() {
    let talk = Talk::begin().await;
    let nobody = AgentError::NotFound { what: Thing::Provider, id: "nobody".to_owned() };
    assert_eq!(talk.agent.log_out("nobody").await, Err(nobody));
    let page = PageLogIn { provider: "scripted".to_owned(), way: 0, answers: BTreeMap::new() };
    let refused = talk.agent.begin_log_in(page).await.unwrap_err();
    assert!(matches!(refused, AgentError::Invalid { .. }), "{refused}");
}
