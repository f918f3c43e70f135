//! The MCP edge: every command as a tool, the live state as resources, both eras of the protocol.
//!
//! It adds no behaviour. A tool call becomes a `dispatch`, its reply becomes a result. Nothing is
//! kept per connection but what a legacy session itself is: who it is and what it subscribed to.

use std::{sync::Arc, time::Duration};

use axum::{
    Router,
    extract::{Request, State},
    http::{HeaderValue, StatusCode, Uri, header},
    middleware::{from_fn, from_fn_with_state},
    response::{IntoResponse, Response},
};
use hyper_util::rt::TokioIo;
use openspace_command::Definition;
use openspace_workspace::{Dispatcher, agents::Transport, instructions::instructions_for};
use rmcp::{
    ServerHandler, ServiceExt,
    transport::{
        async_rw::AsyncRwTransport,
        streamable_http_server::{
            StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
        },
    },
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    auth::query_value,
    http::{Edge as HttpEdge, bodies::MAX_BODY, failure},
};

mod announcer;
mod approval;
mod calls;
mod handler;
mod listeners;
mod presence;
mod refusals;
mod resources;
mod sessions;
mod tools;

pub(crate) use calls::unknown_outcome;
pub use handler::Connection;
pub use listeners::Change;
pub use tools::ToolSet;

use presence::Following;
use sessions::Sessions;

/// Events kept per stream for a client that reconnects, and the size of each send queue.
const STREAM_BUFFER: usize = 64;
/// Letters of the word that tells clients of one name apart.
const MOST_OF_SESSION: usize = 16;
/// The protocol that a raw stream is upgraded to.
pub const STREAM_PROTOCOL: &str = "openspace-mcp";

/// How the edge is offered.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Publish `openspace.editor.open` instead of `editor_open`.
    pub dotted_names: bool,
    /// Makes what is served at `/mcp`. The server for the conformance suite offers more there.
    pub router: fn(&Arc<Edge>) -> Router,
}

impl Default for Options {
    fn default() -> Self {
        Self { dotted_names: false, router: Edge::router }
    }
}

/// What a client says when it joins over a raw stream.
#[derive(Clone, Debug, Default)]
pub struct Joining {
    /// Which tools it is shown.
    pub set: ToolSet,
    /// The word that tells it apart from others of its name; it keeps it on the next server.
    pub session: Option<String>,
    /// Whether it comes from another server, so that what it knows may not be so any more.
    pub again: bool,
}

impl Joining {
    /// As the query of the address.
    pub fn query(&self) -> String {
        let session = self.session.as_ref().map(|word| format!("&session={word}"));
        let again = if self.again { "&again=true" } else { "" };
        format!("set={}{}{again}", self.set.word(), session.unwrap_or_default())
    }

    fn of(uri: &Uri) -> Result<Self, String> {
        let set = query_value(uri, "set").map_or(Ok(ToolSet::default()), str::parse)?;
        let session = query_value(uri, "session");
        if session.is_some_and(|word| {
            !(1..=MOST_OF_SESSION).contains(&word.len())
                || !word.bytes().all(|byte| byte.is_ascii_alphanumeric())
        }) {
            return Err(format!("`session` has up to {MOST_OF_SESSION} letters and digits"));
        }
        let again = query_value(uri, "again") == Some("true");
        Ok(Self { set, session: session.map(str::to_owned), again })
    }
}

/// The longest message on a raw stream. HTTP has a bound of its own.
pub const LONGEST_MESSAGE: usize = 64 * 1024 * 1024;
/// How long calls that are under way when the server stops may take to be answered, and their answers to be sent.
const LAST_ANSWERS: Duration = Duration::from_secs(1);
const LAST_WORDS: Duration = Duration::from_millis(100);

/// Everything that outlives a connection.
pub struct Edge {
    dispatcher: Dispatcher,
    tools: tools::Tools,
    listeners: Arc<listeners::Listeners>,
    lines: Arc<presence::Lines>,
    seals: approval::Seals,
    options: Options,
    stop: CancellationToken,
    /// Calls that are under way.
    calls: TaskTracker,
    /// Cancelled when the server stops and what was under way is answered: streams end.
    answered: CancellationToken,
}

impl Edge {
    /// The edge over a dispatcher. `stop` ends streams and running calls.
    pub fn new(dispatcher: Dispatcher, options: Options, stop: CancellationToken) -> Arc<Self> {
        let edge = Arc::new(Self {
            tools: tools::Tools::new(options.dotted_names),
            dispatcher,
            listeners: Arc::default(),
            lines: Arc::default(),
            seals: approval::Seals::new(),
            options,
            stop,
            calls: TaskTracker::new(),
            answered: CancellationToken::new(),
        });
        announcer::start(&edge);
        let (stop, calls) = (edge.stop.clone(), edge.calls.clone());
        tokio::spawn(end_streams(stop, calls, edge.answered.clone()));
        edge
    }

    /// What is served at `/mcp`, as the options say.
    pub fn routes(self: &Arc<Self>) -> Router {
        (self.options.router)(self)
    }

    /// What the product serves at `/mcp`.
    pub fn router(self: &Arc<Self>) -> Router {
        self.router_around(|connection| connection)
    }

    /// What is served at `/mcp`, with a handler of one's own around each connection.
    pub fn router_around<H: ServerHandler>(
        self: &Arc<Self>,
        around: impl Fn(Connection) -> H + Send + Sync + 'static,
    ) -> Router {
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(true)
            // Modern answers are plain JSON unless something has to be sent before them.
            .with_json_response(true)
            .with_max_request_body_bytes(MAX_BODY)
            .with_cancellation_token(self.answered.clone())
            // The gate has checked both; two lists would sooner or later disagree.
            .disable_allowed_hosts()
            .disable_allowed_origins();
        let mut sessions = LocalSessionManager::default();
        // The library would end a quiet session with what runs in it; `Sessions` looks first.
        sessions.session_config.keep_alive = None;
        sessions.session_config.channel_capacity = STREAM_BUFFER;
        let edge = Arc::clone(self);
        let connection = move || {
            let edge = Arc::clone(&edge);
            Ok(around(Connection::new(edge, Joining::default(), Transport::Http)))
        };
        let idle = self.dispatcher.state().agents().settings().idle;
        let sessions = Sessions::start(sessions, idle);
        let following = Following { lines: Arc::clone(&self.lines), end: ending(&sessions) };
        let service = StreamableHttpService::new(connection, sessions, config);
        let follow = from_fn_with_state(following, presence::follow);
        let refuse = from_fn(refusals::in_json_rpc);
        Router::new().route_service("/mcp", service).layer(follow).layer(refuse)
    }

    /// What an agent is told that is shown a set of tools; with the name of its client also what people did since
    /// that one called last.
    pub fn instructions(&self, set: ToolSet, client: Option<&str>) -> String {
        let offered = |definition: &Definition<_>| self.tools.offered(definition, set);
        instructions_for(client, &self.dispatcher, &offered)
    }

    /// Tell every client that listens.
    pub async fn announce(&self, change: &Change) {
        self.listeners.announce(change).await;
    }

    /// Serve one client on a raw stream of messages until it closes.
    pub async fn serve_stream<R, W>(
        self: &Arc<Self>,
        read: R,
        write: W,
        joining: Joining,
    ) -> anyhow::Result<()>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let connection = Connection::new(Arc::clone(self), joining, Transport::Stdio);
        let stream =
            AsyncRwTransport::new_server(read, write).with_max_line_length(LONGEST_MESSAGE);
        let running = connection.serve(stream).await?;
        let client = running.cancellation_token();
        let stop = self.stop.clone();
        let stopper = tokio::spawn(async move {
            stop.cancelled().await;
            client.cancel();
        });
        let ended = running.waiting().await;
        stopper.abort();
        ended?;
        Ok(())
    }
}

/// What ends the session of an id.
fn ending(sessions: &Arc<Sessions>) -> presence::End {
    let sessions = Arc::downgrade(sessions);
    Arc::new(move |id| {
        if let Some(sessions) = sessions.upgrade() {
            tokio::spawn(async move { sessions.end_if_there(&id).await });
        }
    })
}

/// Streams end with the server, but not before the answers to what was under way are on them.
async fn end_streams(stop: CancellationToken, calls: TaskTracker, answered: CancellationToken) {
    stop.cancelled().await;
    calls.close();
    let last_words = async {
        calls.wait().await;
        // The library says of no answer that it was sent.
        tokio::time::sleep(LAST_WORDS).await;
    };
    drop(tokio::time::timeout(LAST_ANSWERS, last_words).await);
    answered.cancel();
}

/// `GET /mcp/stream` with an upgrade: `openspace mcp` joins this server here and passes messages
/// through as they are.
pub async fn joined(State(http): State<HttpEdge>, mut request: Request) -> Response {
    let wanted = request.headers().get(header::UPGRADE).and_then(|value| value.to_str().ok());
    if wanted != Some(STREAM_PROTOCOL) {
        let error = format!("this endpoint only speaks `Upgrade: {STREAM_PROTOCOL}`");
        return failure(
            StatusCode::UPGRADE_REQUIRED,
            "invalid_args",
            &error,
            Some("use `openspace mcp`, or POST to /mcp"),
        );
    }
    let joining = match Joining::of(request.uri()) {
        Ok(joining) => joining,
        Err(error) => return failure(StatusCode::BAD_REQUEST, "invalid_args", &error, None),
    };
    let upgrade = hyper::upgrade::on(&mut request);
    tokio::spawn(async move {
        let stream = match upgrade.await {
            Ok(upgraded) => TokioIo::new(upgraded),
            Err(error) => return tracing::debug!(%error, "a client left before its stream began"),
        };
        let (read, write) = tokio::io::split(stream);
        if let Err(error) = Box::pin(http.mcp.serve_stream(read, write, joining)).await {
            tracing::debug!(%error, "a joined client's stream ended");
        }
    });
    let headers = [
        (header::UPGRADE, HeaderValue::from_static(STREAM_PROTOCOL)),
        (header::CONNECTION, HeaderValue::from_static("upgrade")),
    ];
    (StatusCode::SWITCHING_PROTOCOLS, headers).into_response()
}
