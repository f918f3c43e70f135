//! No key leaves: every byte that was given is searched.

use openspace_agents::{
    Agent,
    model::{FailureKind, Key, KeyLogIn, MessageQuery, SessionQuery},
};
use openspace_scripted::Step;
use pretty_assertions::assert_eq;
use serde::Serialize;
use serde_json::json;

use crate::support::{KEY, Talk};

const HEADER: &str = "Q9-header-of-a-tool-server";
const VARIABLE: &str = "Z3-variable-of-a-tool-server";
const SET_LATER: &str = "M5-key-that-is-set-later-on";

#[tokio::test]
async fn no_key_is_in_anything_that_was_given() {
    let mcp = json!({
        "far": { "type": "remote", "url": "http://127.0.0.1:9/mcp", "enabled": false, "headers": { "X-Any": HEADER } },
        "near": { "type": "local", "command": ["true"], "enabled": false, "environment": { "ANY": VARIABLE } },
    });
    let talk = Talk::begin_with(json!({ "mcp": mcp })).await;
    let session = talk.session().await;
    let mut given = String::new();
    let mut keep = |value: &dyn erased::Any| given.push_str(&value.json());

    // A provider that repeats the key in its refusal, and one that says it.
    talk.model.say([
        Step::refused(400, &format!("the key {KEY} is wrong")),
        Step::text(&format!("your key is {KEY}.")),
    ]);
    let (failure, _) = talk.failed_turn(&session, "x").await;
    assert_eq!(
        (failure.kind, failure.message.as_str()),
        (FailureKind::Provider, "the key ⟨secret apiKey⟩ is wrong")
    );
    talk.turn(&session, "y").await;

    // It has the key all the same.
    assert!(talk.model.log().iter().all(|asked| asked.key.as_deref() == Some(KEY)));

    let log_in = KeyLogIn {
        provider: "scripted".to_owned(),
        key: Key::new(SET_LATER).unwrap(),
        answers: std::collections::BTreeMap::new(),
    };
    let mut nobody = log_in.clone();
    nobody.provider = "nobody".to_owned();
    keep(&talk.agent.log_in(nobody).await.unwrap_err());
    assert!(talk.agent.log_in(log_in).await.unwrap());
    let config = talk.agent.config().await.unwrap();
    assert_eq!(config["provider"]["scripted"]["options"]["apiKey"], "⟨secret⟩");
    assert_eq!(config["mcp"]["far"]["headers"]["X-Any"], "⟨secret⟩");
    keep(&config);
    let providers = talk.agent.providers().await.unwrap();
    let scripted = providers.iter().find(|provider| provider.id == "scripted").unwrap();
    assert!(scripted.is_connected && scripted.has_key);
    keep(&providers);
    keep(&talk.agent.models(None).await.unwrap());
    keep(&talk.agent.modes(None).await.unwrap());
    keep(&talk.agent.commands(None).await.unwrap());
    let query = MessageQuery { session_id: session.clone(), limit: 10, before: None };
    keep(&talk.agent.messages(query).await.unwrap());
    keep(&talk.agent.sessions(SessionQuery::default()).await.unwrap());
    keep(&talk.agent.log_out("nobody").await.unwrap_err());
    assert!(talk.agent.log_out("scripted").await.unwrap());
    keep(&talk.agent.version().await.unwrap());
    given.push_str(&talk.told.lock().unwrap());
    given.extend([format!("{:?}", talk.agent)]);

    assert!(given.len() > 10_000, "{}", given.len());
    for secret in [KEY, HEADER, VARIABLE, SET_LATER] {
        assert!(!given.contains(secret), "{secret} is in {given}");
    }
}

mod erased {
    //! Anything that can be written as JSON.

    use super::Serialize;

    pub(super) trait Any {
        fn json(&self) -> String;
    }

    impl<T: Serialize> Any for T {
        fn json(&self) -> String {
            serde_json::to_string(self).unwrap()
        }
    }
}
