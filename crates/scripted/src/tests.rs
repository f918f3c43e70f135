//! What the scripted model says and refuses.

use http_body_util::{BodyExt, Full};
use hyper::{Request, body::Bytes, client::conn::http1};
use hyper_util::rt::TokioIo;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio::net::TcpStream;

use super::*;

/// Status and body of an answer; a body that breaks off is told as such.
async fn ask(model: &Scripted, session: &str, body: &Value) -> (u16, String) {
    let url = model.base_url();
    let authority = url.strip_prefix("http://").unwrap().strip_suffix("/v1").unwrap();
    let stream = TcpStream::connect(authority).await.unwrap();
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
    let driver = tokio::spawn(connection);
    let request = Request::post("/v1/chat/completions")
        .header("host", authority)
        .header("authorization", "Bearer the-key")
        .header("x-session-id", session)
        .body(Full::new(Bytes::from(body.to_string())))
        .unwrap();
    let answer = sender.send_request(request).await.unwrap();
    let status = answer.status().as_u16();
    let text = match answer.into_body().collect().await {
        Ok(body) => String::from_utf8(body.to_bytes().to_vec()).unwrap(),
        Err(_) => "broken off".to_owned(),
    };
    drop(sender);
    driver.abort();
    (status, text)
}

fn body() -> Value {
    let function = json!({ "name": "look", "parameters": { "type": "object" } });
    json!({
        "model": "scripted",
        "stream": true,
        "messages": [{ "role": "user", "content": "hello" }],
        "tools": [{ "type": "function", "function": function }],
    })
}

/// The pieces of an answer: what was said, thought, called, and why it ended.
fn pieces(answer: &str) -> Vec<Value> {
    let lines = answer.split("\n\n").filter_map(|line| line.strip_prefix("data: "));
    let chunks = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    chunks.map(|chunk| chunk["choices"][0].clone()).collect()
}

#[tokio::test]
async fn a_step_is_said_word_by_word_with_thoughts_before_and_calls_after() {
    let model = Scripted::start().await.unwrap();
    let tool = Step::tool("look", json!({ "path": "a/very/long/path.txt" }));
    model.say([Step { text: "two words".to_owned(), ..tool }.thinking("hm")]);
    let (status, answer) = ask(&model, "one", &body()).await;
    let delta = |delta: Value| json!({ "index": 0, "delta": delta, "finish_reason": null });
    let arguments = |piece: &str| {
        let call = json!({ "index": 0, "function": { "arguments": piece } });
        delta(json!({ "tool_calls": [call] }))
    };
    let call = json!({
        "index": 0, "id": "call_0_0", "type": "function",
        "function": { "name": "look", "arguments": "" },
    });
    assert_eq!(status, 200);
    assert_eq!(
        pieces(&answer),
        [
            delta(json!({ "role": "assistant", "content": "" })),
            delta(json!({ "reasoning_content": "hm" })),
            delta(json!({ "content": "two " })),
            delta(json!({ "content": "words" })),
            delta(json!({ "tool_calls": [call] })),
            arguments("{\"path\":\"a/very/long"),
            arguments("/path.txt\"}"),
            json!({ "index": 0, "delta": {}, "finish_reason": "tool_calls" }),
            Value::Null,
        ]
    );
    assert!(answer.ends_with("data: [DONE]\n\n"), "{answer}");
}

#[tokio::test]
async fn a_session_has_its_own_script_and_others_share_one() {
    let model = Scripted::start().await.unwrap();
    model.say([Step::text("shared")]);
    model.say_to("one", [Step::text("own")]);
    assert!(ask(&model, "one", &body()).await.1.contains("own"));
    assert!(ask(&model, "two", &body()).await.1.contains("shared"));
    let (status, answer) = ask(&model, "two", &body()).await;
    assert_eq!((status, answer.contains("no more steps")), (400, true));
    let sessions = model.log().into_iter().map(|asked| (asked.session, asked.key));
    let expected =
        ["one", "two", "two"].map(|id| (Some(id.to_owned()), Some("the-key".to_owned())));
    assert_eq!(sessions.collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn a_request_without_tools_takes_no_step() {
    let model = Scripted::start().await.unwrap();
    model.say([Step::text("for later")]);
    let mut title = body();
    title.as_object_mut().unwrap().remove("tools");
    assert!(ask(&model, "one", &title).await.1.contains("few"));
    assert!(ask(&model, "one", &body()).await.1.contains("later"));
}

#[tokio::test]
async fn what_is_refused_or_broken_off_is_so() {
    let model = Scripted::start().await.unwrap();
    model.say([Step::refused(429, "slower"), Step { end: End::Broken, ..Step::text("half") }]);
    let (status, answer) = ask(&model, "one", &body()).await;
    assert_eq!((status, answer.contains("slower")), (429, true));
    assert_eq!(ask(&model, "one", &body()).await, (200, "broken off".to_owned()));
}

#[tokio::test]
async fn what_an_honest_server_would_refuse_is_refused_with_the_reason() {
    let call = json!({ "id": "c1", "function": { "name": "look", "arguments": "{}" } });
    let called = json!({ "role": "assistant", "tool_calls": [call] });
    let result = json!({ "role": "tool", "tool_call_id": "c1", "content": "" });
    let user = json!({ "role": "user", "content": "x" });
    for (field, value, reason) in [
        ("stream", json!(false), "only streams"),
        ("messages", json!([]), "missing or empty"),
        ("messages", json!([{ "role": "robot" }]), "no role `robot`"),
        ("messages", json!([called, user]), "`c1` has no result"),
        ("messages", json!([called]), "`c1` has no result"),
        ("messages", json!([called, result, result]), "which was not called"),
        ("tools", json!([{ "function": { "name": "a.b" } }]), "cannot be called `a.b`"),
        ("tools", json!([{ "function": { "name": "a" } }]), "are no object"),
    ] {
        let mut wrong = body();
        wrong[field] = value;
        assert!(request::wrong(&wrong).is_some_and(|why| why.contains(reason)), "{wrong}");
    }
    let mut right = body();
    right["messages"] = json!([called, result, user]);
    assert_eq!(request::wrong(&right), None);

    let model = Scripted::start().await.unwrap();
    assert_eq!(ask(&model, "one", &json!({ "model": "x" })).await.0, 400);
    assert_eq!(model.log()[0].wrong.as_deref(), Some("only streams are answered here"));
}
