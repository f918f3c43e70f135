//! An outside program that adds commands.

use serde_json::{Value, json};

use super::{Http, Streaming};

/// A listening bridge; gone when dropped.
pub(crate) struct Bridge {
    http: Http,
    calls: Streaming,
}

impl Bridge {
    /// Listen, then register commands.
    pub(crate) async fn start(http: &Http, commands: Value) -> Self {
        let mut calls = http.get("/events").open().await;
        assert_eq!(calls.status, 200);
        assert_eq!(calls.next().await.unwrap().event, "ping");
        let answer = http.post("/manifest", &json!({"commands": commands})).send().await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        Self { http: http.clone(), calls }
    }

    /// One with a single command `openspace.slow.wait` that nobody answers.
    pub(crate) async fn silent(http: &Http) -> Self {
        let command = json!({"id": "slow.wait", "description": "Waits for ever."});
        Self::start(http, json!([command])).await
    }

    /// The next call.
    pub(crate) async fn call(&mut self) -> Value {
        let pick = |event: &super::SseEvent| (event.event == "AGENT_COMMAND").then(|| event.json());
        self.calls.find("a call for the bridge", pick).await
    }

    /// Post a result; gives the status.
    pub(crate) async fn result(&self, body: &Value) -> u16 {
        self.http.post("/command-results", body).send().await.status
    }
}
