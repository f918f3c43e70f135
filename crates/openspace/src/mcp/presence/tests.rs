//! Who is there, with a clock of our own and something in place of the library.

use std::sync::atomic::{AtomicU64, Ordering};

use axum::{
    Router,
    http::{Method, StatusCode},
    middleware::from_fn_with_state,
    response::IntoResponse as _,
    routing::any,
};
use openspace_command::{Caller, CallerKind, Now};
use openspace_space::{Space, Store};
use openspace_workspace::{
    agents::{Agents, FORGOTTEN_AFTER, Transport, settings::AgentSettings},
    metrics::Counts,
    parts, registry,
};
use pretty_assertions::assert_eq;
use tempfile::TempDir;
use tower::ServiceExt as _;

use super::*;

struct Stage {
    _folder: TempDir,
    _space: Arc<Space>,
    agents: Arc<Agents>,
    clock: Arc<AtomicU64>,
    lines: Arc<Lines>,
    /// What sessions keep.
    kept: Arc<Mutex<Vec<Line>>>,
    /// The sessions that were to be ended.
    ended: Arc<Mutex<Vec<String>>>,
}

impl Stage {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let store = Arc::new(Store::open(&folder.path().join("space.db")).unwrap());
        let space = Arc::new(Space::restore(store, "boot".into(), &parts(), Vec::new()).unwrap());
        let clock = Arc::new(AtomicU64::new(1_000));
        let time = Arc::clone(&clock);
        let now: Now = Arc::new(move || time.load(Ordering::Relaxed));
        let counts = Arc::new(Counts::new(&registry()));
        let agents = Agents::new(&space, now, AgentSettings::default(), counts);
        let (lines, kept, ended) = (Arc::default(), Arc::default(), Arc::default());
        Self { _folder: folder, _space: space, agents, clock, lines, kept, ended }
    }

    /// `POST` without a session begins one, other `POST`s are answered, `GET` opens a stream.
    async fn ask(&self, method: Method, session: Option<&str>) -> Response {
        let (agents, kept) = (Arc::clone(&self.agents), Arc::clone(&self.kept));
        let library = move |request: Request| async move {
            if request.method() == Method::GET {
                let silence = futures::stream::pending::<Result<String, std::io::Error>>();
                let kind = [(CONTENT_TYPE, "text/event-stream")];
                return (kind, Body::from_stream(silence)).into_response();
            }
            let Some(line) = request.extensions().get::<Line>() else {
                return StatusCode::ACCEPTED.into_response();
            };
            let caller = Caller::new(CallerKind::Agent, "tester", Some("s1"));
            line.begin(agents.connected(&caller, "tester 1", Transport::Http));
            kept.lock().unwrap().push(line.clone());
            ([(SESSION_ID, "abc")], "{}").into_response()
        };
        let (ended, lines) = (Arc::clone(&self.ended), Arc::clone(&self.lines));
        let end: End = Arc::new(move |id| ended.lock().unwrap().push(id));
        let follow = from_fn_with_state(Following { lines, end }, follow);
        let router: Router = Router::new().route("/", any(library)).layer(follow);
        let mut request = Request::builder().method(method);
        if let Some(session) = session {
            request = request.header(SESSION_ID, session);
        }
        router.oneshot(request.body(Body::empty()).unwrap()).await.unwrap()
    }

    fn pass(&self, milliseconds: u64) {
        self.clock.fetch_add(milliseconds, Ordering::Relaxed);
    }

    fn count(&self) -> usize {
        self.agents.list().len()
    }
}

#[tokio::test]
async fn a_client_that_vanished_is_gone_after_a_while_and_back_with_its_next_request() {
    let stage = Stage::new();
    stage.ask(Method::POST, None).await;
    assert_eq!(stage.count(), 1);
    stage.pass(FORGOTTEN_AFTER);
    assert_eq!(stage.count(), 0);
    let answer = stage.ask(Method::POST, Some("abc")).await;
    assert_eq!((answer.status(), stage.count()), (StatusCode::ACCEPTED, 1));
    stage.pass(FORGOTTEN_AFTER);
    assert_eq!(stage.count(), 0);
    stage.ask(Method::POST, Some("of another server")).await;
    assert_eq!(stage.count(), 0, "that was not it");
}

#[tokio::test]
async fn a_client_is_there_while_it_keeps_a_stream_open() {
    let stage = Stage::new();
    stage.ask(Method::POST, None).await;
    let open = stage.ask(Method::GET, Some("abc")).await;
    stage.pass(100 * FORGOTTEN_AFTER);
    assert_eq!(stage.count(), 1);
    drop(open);
    stage.pass(FORGOTTEN_AFTER - 1);
    assert_eq!(stage.count(), 1, "a client that reconnects has not left");
    stage.pass(1);
    assert_eq!(stage.count(), 0);
}

#[tokio::test]
async fn a_session_that_ended_is_gone_at_once_though_a_stream_is_open() {
    let stage = Stage::new();
    stage.ask(Method::POST, None).await;
    let open = stage.ask(Method::GET, Some("abc")).await;
    stage.kept.lock().unwrap().clear();
    assert_eq!(stage.count(), 0);
    drop(open);
    stage.ask(Method::POST, Some("abc")).await;
    assert_eq!(stage.count(), 0);
}

#[tokio::test]
async fn a_session_whose_agent_a_person_disconnected_is_ended_where_it_is() {
    let stage = Stage::new();
    stage.ask(Method::POST, None).await;
    assert_eq!(*stage.ended.lock().unwrap(), Vec::<String>::new());
    stage.agents.end_session("tester#s1");
    while stage.ended.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(*stage.ended.lock().unwrap(), ["abc"]);
}
