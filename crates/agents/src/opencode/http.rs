//! Requests to opencode: each on a connection of its own, with a time limit and a bound on what is read.
//!
//! A new connection for each, because one that was opened before opencode is ready never gets an answer, and any number of
//! requests on it would wait. On this machine a connection costs less than a tenth of a millisecond.

use std::{borrow::Cow, future::Future, sync::Arc, time::Duration};

use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::{
    Request, Response, StatusCode,
    body::{Bytes, Incoming},
    client::conn::http1,
    header::{ACCEPT, AUTHORIZATION, CONNECTION, CONTENT_TYPE, HOST},
};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::{
    net::TcpStream,
    sync::{Semaphore, SemaphorePermit},
    time::timeout,
};
use tokio_util::task::AbortOnDropHandle;

use super::{
    address::{Address, encoded},
    operations::{Operation, prefix},
    refusals,
};
use crate::AgentError;

/// Bytes of an answer. A page of messages with pictures in them is large.
pub(super) const LONGEST_ANSWER: usize = 64 * 1024 * 1024;
/// Bytes of a request: a prompt with some pictures.
pub(super) const LONGEST_REQUEST: usize = 32 * 1024 * 1024;
/// Requests at the same time; others wait. It bounds the memory for answers.
const MOST_AT_ONCE: usize = 8;
/// How long a connection may take.
const CONNECTED_WITHIN: Duration = Duration::from_secs(5);
/// Where older messages go on.
const CURSOR: &str = "x-next-cursor";

/// A request.
pub(super) struct Ask<'a> {
    pub(super) operation: &'static Operation,
    names: Vec<Cow<'a, str>>,
    query: Vec<(&'static str, String)>,
    body: Option<Value>,
}

impl<'a> Ask<'a> {
    pub(super) fn new(operation: &'static Operation) -> Self {
        Self { operation, names: Vec::new(), query: Vec::new(), body: None }
    }

    /// What the path names next.
    pub(super) fn of(mut self, id: &'a str) -> Self {
        self.names.push(Cow::Borrowed(id));
        self
    }

    /// The same, for a request that outlives who asks.
    pub(super) fn named(mut self, id: String) -> Self {
        self.names.push(Cow::Owned(id));
        self
    }

    pub(super) fn with(mut self, name: &'static str, value: &impl ToString) -> Self {
        debug_assert!(self.operation.query.contains(&name), "{name} is not declared");
        self.query.push((name, value.to_string()));
        self
    }

    pub(super) fn maybe(self, name: &'static str, value: Option<impl ToString>) -> Self {
        match value {
            Some(value) => self.with(name, &value),
            None => self,
        }
    }

    /// What is sent. Fields without a value are left out.
    pub(super) fn body(mut self, mut body: Value) -> Self {
        if let Some(fields) = body.as_object_mut() {
            fields.retain(|_, value| !value.is_null());
            let is_declared = |name: &String| self.operation.body.contains(&name.as_str());
            debug_assert!(fields.keys().all(is_declared), "{fields:?} has what is not declared");
        }
        self.body = Some(body);
        self
    }

    /// How it is called in messages.
    pub(super) fn name(&self) -> String {
        format!("{} {}", self.operation.method, self.operation.path)
    }

    /// What cannot be an id is not there.
    fn check_names(&self) -> Result<(), AgentError> {
        let mut named = self.operation.names.iter().zip(&self.names);
        match named.find(|(what, id)| !id.starts_with(prefix(**what))) {
            None => Ok(()),
            Some((what, id)) => Err(AgentError::NotFound { what: *what, id: id.to_string() }),
        }
    }

    fn path(&self) -> String {
        let mut pieces = self.operation.path.split("{}");
        let mut path = pieces.next().unwrap_or_default().to_owned();
        for (name, piece) in self.names.iter().zip(pieces) {
            path.push_str(&encoded(name));
            path.push_str(piece);
        }
        for (number, (name, value)) in self.query.iter().enumerate() {
            path.push(if number == 0 { '?' } else { '&' });
            path.extend([name, "=", &encoded(value)]);
        }
        path
    }
}

/// An answer.
#[derive(Debug)]
pub(super) struct Reply {
    /// Nothing where nothing was said.
    pub(super) value: Value,
    pub(super) cursor: Option<String>,
}

/// An answer that comes bit by bit, as long as this lives.
pub(super) struct Stream {
    pub(super) body: Incoming,
    _driver: AbortOnDropHandle<()>,
}

/// How opencode is asked.
#[derive(Debug)]
pub(super) struct Http {
    pub(super) address: Arc<Address>,
    room: Semaphore,
}

impl Http {
    pub(super) fn new(address: Arc<Address>) -> Self {
        Self { address, room: Semaphore::new(MOST_AT_ONCE) }
    }

    /// Ask, and read the whole answer as it is: nothing is hidden in it yet.
    pub(super) async fn ask(&self, ask: Ask<'_>) -> Result<Reply, AgentError> {
        let within = ask.operation.within;
        let what = ask.name();
        // A turn that is waited for does not hold up those who ask meanwhile.
        let is_short = ask.operation.is_short();
        let _room: Option<SemaphorePermit<'_>> =
            if is_short { self.room.acquire().await.ok() } else { None };
        limited(&what, within, self.answered(&ask)).await
    }

    async fn answered(&self, ask: &Ask<'_>) -> Result<Reply, AgentError> {
        let (response, _driver) = self.sent(ask).await?;
        let status = response.status();
        let cursor = response.headers().get(CURSOR).and_then(|value| value.to_str().ok());
        let cursor = cursor.map(str::to_owned);
        let body = Limited::new(response.into_body(), LONGEST_ANSWER).collect().await;
        let body = body.map_err(|error| match error.downcast::<LengthLimitError>() {
            Ok(_) => AgentError::TooLarge {
                what: format!("the answer to `{}`", ask.name()),
                limit: LONGEST_ANSWER as u64,
            },
            Err(error) => self.not_running(&format!("the answer broke off: {error}")),
        })?;
        let body = body.to_bytes();
        if !status.is_success() {
            return Err(self.refused(ask, status, &body));
        }
        let value = if body.is_empty() { Ok(Value::Null) } else { serde_json::from_slice(&body) };
        let value = value.map_err(|error| AgentError::Protocol {
            what: ask.name(),
            why: format!("it is no JSON: {error}"),
        })?;
        Ok(Reply { value, cursor })
    }

    /// Ask for a stream; `within` bounds the time until it begins.
    pub(super) async fn open(&self, ask: Ask<'_>, within: Duration) -> Result<Stream, AgentError> {
        let what = ask.name();
        limited(&what, within, async {
            let (response, driver) = self.sent(&ask).await?;
            if !response.status().is_success() {
                return Err(self.refused(&ask, response.status(), b""));
            }
            Ok(Stream { body: response.into_body(), _driver: driver })
        })
        .await
    }

    async fn sent(
        &self,
        ask: &Ask<'_>,
    ) -> Result<(Response<Incoming>, AbortOnDropHandle<()>), AgentError> {
        ask.check_names()?;
        let body = ask.body.as_ref().map(Value::to_string).unwrap_or_default();
        if body.len() > LONGEST_REQUEST {
            let limit = LONGEST_REQUEST as u64;
            return Err(AgentError::TooLarge { what: "what is sent".to_owned(), limit });
        }
        let connected = limited("connecting", CONNECTED_WITHIN, async {
            TcpStream::connect(&self.address.authority)
                .await
                .map_err(|error| self.not_running(&error.to_string()))
        });
        let stream = connected.await?;
        // Small requests must not wait for more.
        let _is_only_slower = stream.set_nodelay(true);
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
            .await
            .map_err(|error| self.not_running(&error.to_string()))?;
        let driver = AbortOnDropHandle::new(tokio::spawn(async {
            // Whatever goes wrong is seen by whoever reads the answer.
            let _seen_there = connection.await;
        }));
        let mut request = Request::builder()
            .method(ask.operation.method)
            .uri(ask.path())
            .header(HOST, &self.address.authority)
            .header(ACCEPT, "application/json, text/event-stream")
            .header(CONTENT_TYPE, "application/json")
            .header(CONNECTION, "close")
            .header("x-opencode-directory", encoded(self.address.directory()));
        if let Some(authorization) = &self.address.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        let request = request
            .body(Full::new(Bytes::from(body)))
            .map_err(|error| AgentError::Invalid { what: ask.name(), why: error.to_string() })?;
        let response = sender.send_request(request).await;
        let response = response.map_err(|error| self.not_running(&error.to_string()))?;
        Ok((response, driver))
    }

    fn refused(&self, ask: &Ask<'_>, status: StatusCode, body: &[u8]) -> AgentError {
        let names: Vec<&str> = ask.names.iter().map(AsRef::as_ref).collect();
        refusals::of(self.address.url(), ask.operation, &names, status, body)
    }

    fn not_running(&self, why: &str) -> AgentError {
        let agent = format!("opencode at {}", self.address.url());
        AgentError::NotRunning { agent, why: why.to_owned() }
    }
}

async fn limited<T>(
    what: &str,
    within: Duration,
    asked: impl Future<Output = Result<T, AgentError>>,
) -> Result<T, AgentError> {
    let late = |_| AgentError::TimedOut {
        what: what.to_owned(),
        after_ms: u64::try_from(within.as_millis()).unwrap_or(u64::MAX),
    };
    timeout(within, asked).await.map_err(late)?
}
