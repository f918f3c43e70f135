//! A plain HTTP client: one connection for each request, closed when the answer is dropped.

use std::collections::VecDeque;

use http_body_util::{BodyExt, Full};
use hyper::{
    HeaderMap, Request, Response,
    body::{Bytes, Incoming},
    client::conn::http1,
};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::{net::TcpStream, task::JoinHandle};

use super::in_time;

/// A server's address and the token for it.
#[derive(Clone, Debug)]
pub(crate) struct Http {
    pub(crate) authority: String,
    pub(crate) token: String,
}

/// A request to be sent.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    authority: String,
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Bytes,
}

/// What a browser has that a link let in: its cookie, and what the page keeps.
#[derive(Clone, Debug)]
pub(crate) struct Browser {
    http: Http,
    pub(crate) cookie: String,
    pub(crate) page: String,
}

/// A whole answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// An answer whose body is still coming.
pub(crate) struct Streaming {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    body: Incoming,
    text: String,
    waiting: VecDeque<SseEvent>,
    _connection: Connection,
}

/// One server-sent event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SseEvent {
    pub(crate) event: String,
    pub(crate) id: Option<String>,
    pub(crate) data: String,
}

/// Closes the connection when dropped.
struct Connection(JoinHandle<hyper::Result<()>>);

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Http {
    pub(crate) fn new(url: &str, token: &str) -> Self {
        Self { authority: url.strip_prefix("http://").unwrap().into(), token: token.into() }
    }

    /// A request with the token.
    pub(crate) fn ask(&self, method: &str, path: &str) -> Ask {
        self.stranger(method, path).header("authorization", &format!("Bearer {}", self.token))
    }

    /// A request without it.
    pub(crate) fn stranger(&self, method: &str, path: &str) -> Ask {
        Ask {
            authority: self.authority.clone(),
            method: method.into(),
            path: path.into(),
            headers: vec![("host".into(), self.authority.clone())],
            body: Bytes::new(),
        }
    }

    pub(crate) fn get(&self, path: &str) -> Ask {
        self.ask("GET", path)
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Ask {
        self.ask("POST", path).header("content-type", "application/json").body(body.to_string())
    }

    /// What `curl -d` sends.
    pub(crate) fn curl(&self, path: &str, body: &str) -> Ask {
        self.ask("POST", path)
            .header("content-type", "application/x-www-form-urlencoded")
            .header("accept", "*/*")
            .header("user-agent", "curl/8.5.0")
            .body(body.to_owned())
    }
}

impl Browser {
    /// Open a link, whole.
    pub(crate) async fn enter(http: &Http, link: &str) -> Self {
        let path = link.strip_prefix(&format!("http://{}", http.authority)).unwrap();
        Self::of(http, &http.stranger("GET", path).send().await)
    }

    /// What the answer to a link leaves behind.
    pub(crate) fn of(http: &Http, answer: &Answer) -> Self {
        let cookie = answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        let text = answer.text();
        let page = text.split_once("key = \"").unwrap().1.split_once('"').unwrap().0.to_owned();
        Self { http: http.clone(), cookie, page }
    }

    /// As a page asks.
    pub(crate) fn ask(&self, method: &str, path: &str) -> Ask {
        let ask = self.with_cookie(method, path).header("x-openspace-page", &self.page);
        ask.header("origin", &format!("http://{}", self.http.authority))
    }

    /// As a server on another port of this host can, which gets the cookie too.
    pub(crate) fn with_cookie(&self, method: &str, path: &str) -> Ask {
        self.http.stranger(method, path).header("cookie", &self.cookie)
    }
}

impl Ask {
    /// Set a header in place of any of the same name.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The same without a header.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self
    }

    pub(crate) fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    async fn try_exchange(self) -> anyhow::Result<(Response<Incoming>, Connection)> {
        let stream = TcpStream::connect(&self.authority).await?;
        stream.set_nodelay(true)?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        let connection = Connection(tokio::spawn(connection.with_upgrades()));
        let mut request = Request::builder().method(self.method.as_str()).uri(&self.path);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let request = request.body(Full::new(self.body))?;
        let response = in_time(&self.path, sender.send_request(request)).await?;
        Ok((response, connection))
    }

    async fn exchange(self) -> (Response<Incoming>, Connection) {
        let path = self.path.clone();
        self.try_exchange().await.unwrap_or_else(|error| panic!("{path}: {error:#}"))
    }

    /// Send it and read the answer whole; `None` when the server is gone.
    pub(crate) async fn try_send(self) -> Option<Answer> {
        let (response, _connection) = self.try_exchange().await.ok()?;
        let (parts, body) = response.into_parts();
        let body = in_time("the body", body.collect()).await.ok()?.to_bytes();
        Some(Answer { status: parts.status.as_u16(), headers: parts.headers, body })
    }

    /// Send it and read the answer whole.
    pub(crate) async fn send(self) -> Answer {
        let (response, _connection) = self.exchange().await;
        let (parts, body) = response.into_parts();
        let body = in_time("the body", body.collect()).await.unwrap().to_bytes();
        Answer { status: parts.status.as_u16(), headers: parts.headers, body }
    }

    /// Send it and read the answer as it comes.
    pub(crate) async fn open(self) -> Streaming {
        let (response, connection) = self.exchange().await;
        let (parts, body) = response.into_parts();
        Streaming {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body,
            text: String::new(),
            waiting: VecDeque::new(),
            _connection: connection,
        }
    }
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.to_vec()).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {} {}", self.status, self.text()))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

impl Streaming {
    /// The next event; `None` when the stream has ended.
    pub(crate) async fn next(&mut self) -> Option<SseEvent> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return Some(event);
            }
            let frame = in_time("an event", self.body.frame()).await?.ok()?;
            self.text.push_str(std::str::from_utf8(&frame.into_data().ok()?).unwrap());
            while let Some((block, rest)) = self.text.split_once("\n\n") {
                self.waiting.extend(parse(block));
                self.text = rest.to_owned();
            }
        }
    }

    /// The first event of which something can be made; others are passed over.
    pub(crate) async fn find<T>(
        &mut self,
        what: &str,
        mut pick: impl FnMut(&SseEvent) -> Option<T>,
    ) -> T {
        let looking = async {
            loop {
                let event = self.next().await.unwrap_or_else(|| panic!("ended before {what}"));
                if let Some(found) = pick(&event) {
                    return found;
                }
            }
        };
        in_time(what, looking).await
    }

    /// The record of the next call of a command that ended.
    pub(crate) async fn call_ended(&mut self, command: &str) -> Value {
        self.find(&format!("the end of {command}"), |event| {
            let event = event.json();
            let ended = event["type"] == "call_ended" && event["record"]["command"] == command;
            ended.then(|| event["record"].clone())
        })
        .await
    }

    /// The rest of a body that is not a stream of events.
    pub(crate) async fn whole(self) -> Bytes {
        in_time("the body", self.body.collect()).await.unwrap().to_bytes()
    }
}

impl SseEvent {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.data).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// A block of lines; comments and blocks without data are no events.
fn parse(block: &str) -> Option<SseEvent> {
    let mut event = SseEvent::default();
    let mut data: Vec<&str> = Vec::new();
    for line in block.lines() {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "event" => value.clone_into(&mut event.event),
            "id" => event.id = Some(value.to_owned()),
            "data" => data.push(value),
            _ => {}
        }
    }
    event.data = data.join("\n");
    (!event.data.is_empty()).then_some(event)
}
