//! The server: scripts, the log and the connections.

use std::{
    collections::{HashMap, VecDeque},
    convert::Infallible,
    io,
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll},
};

use http_body_util::{BodyExt, Full, Limited, combinators::UnsyncBoxBody};
use hyper::{
    Method, Request, Response,
    body::{Body, Bytes, Frame, Incoming},
    header::{CONTENT_TYPE, HeaderMap},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::{
    net::TcpListener,
    sync::{mpsc, watch},
    task::JoinSet,
    time::sleep,
};
use tokio_util::task::AbortOnDropHandle;

use crate::{Asked, End, Step, answer, request};

/// Bytes of a request.
const LONGEST_REQUEST: usize = 64 * 1024 * 1024;
/// Requests that are kept; the oldest go.
const MOST_KEPT: usize = 1000;
/// Chunks that may wait for who reads slowly.
const MOST_WAITING: usize = 16;

type Answer = Response<UnsyncBoxBody<Bytes, io::Error>>;

/// A model that says what a script says.
#[derive(Debug)]
pub struct Scripted {
    address: SocketAddr,
    shared: Arc<Shared>,
    _server: AbortOnDropHandle<()>,
}

#[derive(Debug, Default)]
struct Shared {
    scripts: Mutex<Scripts>,
    log: watch::Sender<VecDeque<Asked>>,
    number: AtomicU64,
}

#[derive(Debug, Default)]
struct Scripts {
    all: VecDeque<Step>,
    sessions: HashMap<String, VecDeque<Step>>,
}

impl Scripted {
    /// Begin to listen on a port of this machine that is free.
    pub async fn start() -> io::Result<Self> {
        Self::listen(0).await
    }

    /// Begin to listen on this port, or on a free one for zero.
    pub async fn listen(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port)).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared::default());
        let server = tokio::spawn(serve(listener, Arc::clone(&shared)));
        Ok(Self { address, shared, _server: AbortOnDropHandle::new(server) })
    }

    /// What agents are told as the base address.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// What is said to requests of sessions without a script of their own, after what is left.
    pub fn say(&self, steps: impl IntoIterator<Item = Step>) {
        locked(&self.shared.scripts).all.extend(steps);
    }

    /// What is said to requests of this session, after what is left.
    pub fn say_to(&self, session: &str, steps: impl IntoIterator<Item = Step>) {
        let mut scripts = locked(&self.shared.scripts);
        scripts.sessions.entry(session.to_owned()).or_default().extend(steps);
    }

    /// All that was asked.
    pub fn log(&self) -> Vec<Asked> {
        self.shared.log.borrow().iter().cloned().collect()
    }

    /// Wait until something was asked that is like this.
    pub async fn asked(&self, like: impl Fn(&Asked) -> bool) -> Asked {
        let mut log = self.shared.log.subscribe();
        loop {
            let found = log.borrow_and_update().iter().find(|asked| like(asked)).cloned();
            if let Some(found) = found {
                return found;
            }
            // The sender is in `self`.
            if log.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}

async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else { return };
        let shared = Arc::clone(&shared);
        let service = service_fn(move |request| {
            let shared = Arc::clone(&shared);
            async move { Ok::<_, Infallible>(shared.answered(request).await) }
        });
        while connections.try_join_next().is_some() {}
        connections.spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

impl Shared {
    async fn answered(&self, request: Request<Incoming>) -> Answer {
        let is_right =
            request.method() == Method::POST && request.uri().path() == "/v1/chat/completions";
        if !is_right {
            let message = format!("there is no {} {}", request.method(), request.uri().path());
            return refusal(404, &message, None);
        }
        let (head, body) = request.into_parts();
        let Ok(body) = Limited::new(body, LONGEST_REQUEST).collect().await else {
            return refusal(413, "the body is too long or broke off", None);
        };
        let body: Value = serde_json::from_slice(&body.to_bytes()).unwrap_or_default();
        let asked = Asked {
            session: header(&head.headers, "x-session-id"),
            key: header(&head.headers, "authorization")
                .and_then(|value| value.strip_prefix("Bearer ").map(str::to_owned)),
            wrong: request::wrong(&body),
            body,
        };
        let step = self.step(&asked);
        let model = asked.body["model"].as_str().unwrap_or_default().to_owned();
        let wrong = asked.wrong.clone();
        self.log.send_modify(|log| {
            if log.len() == MOST_KEPT {
                log.pop_front();
            }
            log.push_back(asked);
        });
        if let Some(wrong) = wrong {
            return refusal(400, &wrong, None);
        }
        sleep(step.delay()).await;
        if let End::Refused { status, message, retry_after_ms } = &step.end {
            return refusal(*status, message, *retry_after_ms);
        }
        let (sender, receiver) = mpsc::channel(MOST_WAITING);
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let speech = tokio::spawn(answer::say(step, model, number, sender));
        let stream = Stream { receiver, _speech: AbortOnDropHandle::new(speech) };
        let mut answer = Response::new(stream.boxed_unsync());
        answer
            .headers_mut()
            .insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static("text/event-stream"));
        answer
    }

    fn step(&self, asked: &Asked) -> Step {
        if asked.wrong.is_some() {
            return Step::default();
        }
        if !asked.has_tools() {
            return Step::text("A few words");
        }
        let mut scripts = locked(&self.scripts);
        let session = asked.session.as_ref().and_then(|session| scripts.sessions.get_mut(session));
        let own = session.and_then(VecDeque::pop_front);
        own.or_else(|| scripts.all.pop_front())
            .unwrap_or_else(|| Step::refused(400, "the script has no more steps"))
    }
}

/// What is said, as long as somebody listens.
struct Stream {
    receiver: mpsc::Receiver<io::Result<Frame<Bytes>>>,
    _speech: AbortOnDropHandle<()>,
}

impl Body for Stream {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        self.receiver.poll_recv(cx)
    }
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}

fn refusal(status: u16, message: &str, retry_after_ms: Option<u64>) -> Answer {
    let body = json!({ "error": { "message": message, "type": "scripted", "code": status } });
    let mut answer = Response::new(
        Full::new(Bytes::from(body.to_string())).map_err(|never| match never {}).boxed_unsync(),
    );
    *answer.status_mut() = hyper::StatusCode::from_u16(status).unwrap_or_default();
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static("application/json"));
    if let Some(time) = retry_after_ms {
        headers.insert("retry-after-ms", time.into());
    }
    answer
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
