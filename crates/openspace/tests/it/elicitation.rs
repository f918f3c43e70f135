//! Approvals in the agent's own client: a request to a client with sessions, a result for one without.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::{
    approvals::{as_person, begin, careful, end, until_asked},
    support::{Mcp, Modern, Server, in_time},
};

const FORMS: &str = r#"{"elicitation": {}}"#;

async fn with_forms(server: &Server) -> Mcp {
    Mcp::connect_with(&server.http, "/mcp", serde_json::from_str(FORMS).unwrap()).await
}

fn made(server: &Server) -> bool {
    server.space.root().join("made").exists()
}

#[tokio::test]
async fn a_client_with_sessions_is_asked_by_a_request() {
    for (given, expected) in [
        (json!({"action": "accept", "content": {"answer": "yes, once"}}), "approved"),
        (json!({"action": "accept", "content": {"answer": "no"}}), "denied"),
        (json!({"action": "decline"}), "denied"),
    ] {
        let server = careful().await;
        let agent = with_forms(&server).await;
        let mut call = begin(&agent, "touch made").await;
        let request = in_time("a form", async {
            loop {
                let message = call.next().await.unwrap();
                if message["method"] == "elicitation/create" {
                    return message;
                }
            }
        })
        .await;
        let params = &request["params"];
        assert!(params["message"].as_str().unwrap().contains("$ touch made"), "{params}");
        let field = &params["requestedSchema"]["properties"]["answer"];
        assert_eq!(
            (&field["enum"], &field["default"]),
            (&json!(["yes, once", "no"]), &Value::Null)
        );
        agent.respond(&request["id"], given).await;
        let told = end(call).await;
        assert_eq!(told["success"] == true, expected == "approved", "{told}");
        assert_eq!(made(&server), expected == "approved");
        let one = until_asked(&server, "a1").await;
        assert_eq!(
            (&one["state"], &one["answered"]["channel"], &one["answered"]["by"]),
            (&json!(expected), &json!("client"), &json!("tester"))
        );
    }
}

#[tokio::test]
async fn whoever_is_first_counts() {
    let server = careful().await;
    let agent = with_forms(&server).await;
    let mut call = begin(&agent, "touch made").await;
    let mut form = Value::Null;
    while form["method"] != "elicitation/create" {
        form = call.next().await.unwrap();
    }
    // Closed without a choice is no answer, and the call goes on waiting.
    agent.respond(&form["id"], json!({"action": "cancel"})).await;
    assert_eq!(until_asked(&server, "a1").await["state"], "open");
    as_person(&server, "answer", &json!({"approvalId": "a1", "answer": "once"})).send().await;
    assert_eq!(end(call).await["success"], true);

    let mut call = begin(&agent, "touch other").await;
    let mut form = Value::Null;
    while form["method"] != "elicitation/create" {
        form = call.next().await.unwrap();
    }
    as_person(&server, "answer", &json!({"approvalId": "a2", "answer": "no"})).send().await;
    assert_eq!(end(call).await["kind"], "denied");
    // An answer that comes late changes nothing.
    agent.respond(&form["id"], yes()).await;
    assert_eq!(until_asked(&server, "a2").await["answered"]["channel"], "command_line");
}

fn touch(state: Option<&Value>, given: Option<Value>) -> Value {
    let mut params = json!({"name": "workspace_bash", "arguments": {"command": "touch made"}});
    if let Some(state) = state {
        params["requestState"] = state.clone();
    }
    if let Some(given) = given {
        params["inputResponses"] = json!({"approval": given});
    }
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
        serde_json::from_str(FORMS).unwrap();
    params
}

fn yes() -> Value {
    json!({"action": "accept", "content": {"answer": "yes, once"}})
}

#[tokio::test]
async fn a_client_without_sessions_is_told_what_is_missing_and_brings_it() {
    let server = careful().await;
    let agent = Modern(&server.http);
    let asked = agent.result("tools/call", touch(None, None)).await;
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let form = &asked["inputRequests"]["approval"];
    assert_eq!(form["method"], "elicitation/create");
    assert!(form["params"]["message"].as_str().unwrap().contains("$ touch made"), "{form}");
    assert!(!made(&server));
    let state = &asked["requestState"];
    // Bound to what was asked: other arguments, a changed state, or none of its own.
    let mut other = touch(Some(state), Some(yes()));
    other["arguments"]["command"] = json!("touch other");
    assert_eq!(agent.answer("tools/call", other).await["error"]["code"], -32602);
    let mut letters = state.as_str().unwrap().to_owned();
    letters.pop();
    let forged = touch(Some(&json!(letters)), Some(yes()));
    assert_eq!(agent.answer("tools/call", forged).await["error"]["code"], -32602);
    assert_eq!(until_asked(&server, "a1").await["state"], "open");
    let done = agent.result("tools/call", touch(Some(state), Some(yes()))).await;
    assert_eq!(done["structuredContent"]["success"], true, "{done}");
    assert!(made(&server));
    // Once is once.
    let again = agent.answer("tools/call", touch(Some(state), Some(yes()))).await;
    assert_eq!(again["error"]["code"], -32602);
    let asked = agent.result("tools/call", touch(None, None)).await;
    assert_eq!(asked["resultType"], "input_required");
}

#[tokio::test]
async fn a_browser_that_is_faster_than_the_form_settles_it() {
    let server = careful().await;
    let agent = Modern(&server.http);
    let asked = agent.result("tools/call", touch(None, None)).await;
    as_person(&server, "answer", &json!({"approvalId": "a1", "answer": "no"})).send().await;
    let done = agent.result("tools/call", touch(Some(&asked["requestState"]), Some(yes()))).await;
    assert_eq!(done["structuredContent"]["kind"], "denied", "{done}");
    assert!(!made(&server));
}
