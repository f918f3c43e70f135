//! Plain MCP clients over HTTP, one for each era of the protocol.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use super::{Answer, Ask, Http, Streaming, in_time};

const LEGACY: &str = "2025-11-25";
const MODERN: &str = "2026-07-28";

/// A session of the era with sessions.
pub(crate) struct Mcp {
    http: Http,
    path: String,
    session: String,
    ids: AtomicU64,
    /// What the server said when the session began.
    pub(crate) welcome: Value,
}

/// A request whose answer is still coming.
pub(crate) struct Pending {
    pub(crate) id: u64,
    stream: Streaming,
}

impl Pending {
    /// The next message on the request's own stream; `None` when it ended.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        Some(self.stream.next().await?.json())
    }

    /// The answer; what comes before it is passed over.
    pub(crate) async fn answer(mut self) -> Value {
        if self.stream.headers["content-type"] == "application/json" {
            return serde_json::from_slice(&self.stream.whole().await).unwrap();
        }
        let looking = async {
            loop {
                let message = self.next().await.expect("an answer before the end of the stream");
                if message["id"] == self.id && message.get("method").is_none() {
                    return message;
                }
            }
        };
        in_time("an answer", looking).await
    }
}

fn message(id: Option<u64>, method: &str, params: &Value) -> Value {
    let mut message = json!({"jsonrpc": "2.0", "method": method, "params": params});
    if let Some(id) = id {
        message["id"] = id.into();
    }
    message
}

fn post(http: &Http, path: &str, body: &Value) -> Ask {
    http.post(path, body).header("accept", "application/json, text/event-stream")
}

pub(crate) fn result(answer: &Value) -> Value {
    assert!(answer.get("error").is_none(), "{answer}");
    answer["result"].clone()
}

impl Mcp {
    /// Begin a session.
    pub(crate) async fn connect(http: &Http, path: &str) -> Self {
        Self::connect_with(http, path, json!({})).await
    }

    /// Begin a session of a client that can do something.
    pub(crate) async fn connect_with(http: &Http, path: &str, capabilities: Value) -> Self {
        Self::connect_as(http, path, "tester", capabilities).await
    }

    /// Begin a session of a client that calls itself so.
    pub(crate) async fn connect_as(
        http: &Http,
        path: &str,
        name: &str,
        capabilities: Value,
    ) -> Self {
        let params = json!({
            "protocolVersion": LEGACY,
            "capabilities": capabilities,
            "clientInfo": {"name": name, "version": "1"},
        });
        let begin = post(http, path, &message(Some(0), "initialize", &params));
        let stream = begin.open().await;
        assert_eq!(stream.status, 200);
        let session = stream.headers["mcp-session-id"].to_str().unwrap().to_owned();
        let answer = Pending { id: 0, stream }.answer().await;
        let welcome = result(&answer);
        let (http, path) = (http.clone(), path.to_owned());
        let this = Self { http, path, session, ids: AtomicU64::new(1), welcome };
        this.notify("notifications/initialized", json!({})).await;
        this
    }

    fn with_session(&self, ask: Ask) -> Ask {
        ask.header("mcp-session-id", &self.session).header("mcp-protocol-version", LEGACY)
    }

    /// Another endpoint for the same session.
    pub(crate) fn at(mut self, path: &str) -> Self {
        path.clone_into(&mut self.path);
        self
    }

    /// Send a request and do not wait for its answer.
    pub(crate) async fn begin(&self, method: &str, params: Value) -> Pending {
        let id = self.ids.fetch_add(1, Ordering::Relaxed);
        let ask = post(&self.http, &self.path, &message(Some(id), method, &params));
        let stream = self.with_session(ask).open().await;
        assert_eq!(stream.status, 200, "{method}");
        Pending { id, stream }
    }

    /// The whole answer, an error too.
    pub(crate) async fn answer(&self, method: &str, params: Value) -> Value {
        self.begin(method, params).await.answer().await
    }

    /// The result.
    pub(crate) async fn result(&self, method: &str, params: Value) -> Value {
        result(&self.answer(method, params).await)
    }

    /// The result of a tool.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.result("tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    /// The tools that are listed.
    pub(crate) async fn tools(&self) -> Vec<Value> {
        self.result("tools/list", json!({})).await["tools"].as_array().unwrap().clone()
    }

    pub(crate) async fn notify(&self, method: &str, params: Value) {
        let ask = post(&self.http, &self.path, &message(None, method, &params));
        let answer: Answer = self.with_session(ask).send().await;
        assert_eq!(answer.status, 202, "{}", answer.text());
    }

    /// Answer a request of the server.
    pub(crate) async fn respond(&self, id: &Value, result: Value) {
        let body = json!({"jsonrpc": "2.0", "id": id, "result": result});
        let answer = self.with_session(post(&self.http, &self.path, &body)).send().await;
        assert_eq!(answer.status, 202, "{}", answer.text());
    }

    /// End the session.
    pub(crate) async fn end(&self) {
        let answer = self.with_session(self.http.ask("DELETE", &self.path)).send().await;
        assert!((200..300).contains(&answer.status), "{}", answer.status);
    }

    /// With which status a request of this session is answered.
    pub(crate) async fn status_of_a_ping(&self) -> u16 {
        let ask = post(&self.http, &self.path, &message(Some(9_999), "ping", &json!({})));
        self.with_session(ask).send().await.status
    }

    /// The stream of notices of the session.
    pub(crate) async fn notices(&self) -> Streaming {
        let ask = self.http.get(&self.path).header("accept", "text/event-stream");
        let stream = self.with_session(ask).open().await;
        assert_eq!(stream.status, 200);
        stream
    }
}

/// A client of the era without sessions: every request stands alone.
pub(crate) struct Modern<'a>(pub(crate) &'a Http);

impl Modern<'_> {
    /// The parameters with what every request has to say of itself.
    pub(crate) fn params(mut params: Value) -> Value {
        for (name, value) in [
            ("protocolVersion", json!(MODERN)),
            ("clientCapabilities", json!({})),
            ("clientInfo", json!({"name": "tester", "version": "1"})),
        ] {
            let name = format!("io.modelcontextprotocol/{name}");
            if params["_meta"].get(&name).is_none() {
                params["_meta"][name] = value;
            }
        }
        params
    }

    /// Send a request and do not wait for its answer.
    pub(crate) async fn begin(&self, path: &str, method: &str, params: Value) -> Pending {
        let name = params.get("name").or_else(|| params.get("uri"));
        let name = name.and_then(Value::as_str).map(str::to_owned);
        let mut ask = post(self.0, path, &message(Some(1), method, &Self::params(params)))
            .header("mcp-protocol-version", MODERN)
            .header("mcp-method", method);
        if let Some(name) = name {
            ask = ask.header("mcp-name", &name);
        }
        Pending { id: 1, stream: ask.open().await }
    }

    /// The whole answer, an error too.
    pub(crate) async fn answer(&self, method: &str, params: Value) -> Value {
        self.begin("/mcp", method, params).await.answer().await
    }

    /// The result.
    pub(crate) async fn result(&self, method: &str, params: Value) -> Value {
        result(&self.answer(method, params).await)
    }
}
