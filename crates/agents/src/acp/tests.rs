//! Conversations with a scripted agent, in this process: a good one, and every bad one that was thought of.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};

use self::scripted::Scripted;
use super::{AcpAgent, HttpEndpoint, McpEndpoint, ProgramEndpoint, Setup};
use crate::{
    Agent as _, AgentError, Event, Subscription,
    model::{
        Message, MessageQuery, NewSession, Part, PartContent, PermissionAnswer, PermissionId,
        Prompt, Session, SessionId, SessionStatus,
    },
};

mod bad;
mod fuzz;
mod permissions;
mod scripted;
mod sessions;
mod turns;

/// The only time there is.
const NOW: i64 = 1_800_000_000_000;

fn setup() -> Setup {
    let endpoint = McpEndpoint {
        name: "openspace".to_owned(),
        http: Some(HttpEndpoint {
            url: "http://127.0.0.1:1/mcp".to_owned(),
            headers: vec![("Authorization".to_owned(), "Bearer secret-of-the-test".to_owned())],
        }),
        program: Some(ProgramEndpoint {
            program: "openspace".into(),
            arguments: vec!["mcp".to_owned()],
            variables: vec![("A".to_owned(), "b".to_owned())],
        }),
    };
    Setup {
        agent: "Scripted".to_owned(),
        directory: "/project".to_owned(),
        tools: Arc::new(endpoint),
        clock: Arc::new(|| NOW),
        client: "openspace".to_owned(),
        version: "0.0.0".to_owned(),
    }
}

/// An agent that can all that agents can.
fn able() -> Value {
    json!({
        "loadSession": true,
        "promptCapabilities": {"image": true, "embeddedContext": true},
        "mcpCapabilities": {"http": true},
        "sessionCapabilities": {"list": {}, "resume": {}, "fork": {}, "close": {}, "delete": {}},
    })
}

/// Greets an agent that can this.
async fn connected(can: Value) -> (AcpAgent, Scripted) {
    let (mut scripted, reader, writer) = Scripted::new();
    let (agent, ()) = tokio::join!(AcpAgent::connect(reader, writer, setup()), async {
        let (id, _) = scripted.asked("initialize").await;
        scripted.answer(&id, json!({"protocolVersion": 1, "agentCapabilities": can})).await;
    });
    (agent.expect("it greets"), scripted)
}

/// An agent with a session `s`.
async fn in_session(can: Value) -> (AcpAgent, Scripted, SessionId) {
    let (agent, mut scripted) = connected(can).await;
    let session = create(&agent, &mut scripted, json!({"sessionId": "s"})).await;
    (agent, scripted, session.id)
}

async fn create(agent: &AcpAgent, scripted: &mut Scripted, answer: Value) -> Session {
    let (session, ()) = tokio::join!(agent.create(NewSession::default()), async {
        let (id, _) = scripted.asked("session/new").await;
        scripted.answer(&id, answer).await;
    });
    session.expect("it begins")
}

/// Says something and gives the id of the call that waits.
async fn say(agent: &AcpAgent, scripted: &mut Scripted, session: &SessionId, text: &str) -> Value {
    agent.send(session, Prompt::text(text)).await.expect("it is said");
    scripted.asked("session/prompt").await.0
}

async fn next(events: &mut Subscription) -> Event {
    let event = tokio::time::timeout(Duration::from_mins(1), events.next()).await;
    (*event.expect("something is told").expect("and more will be")).clone()
}

/// Events until a session is idle, that one included.
async fn until_idle(events: &mut Subscription) -> Vec<Event> {
    let mut told = Vec::new();
    loop {
        told.push(next(events).await);
        if matches!(told.last(), Some(Event::Status { status: SessionStatus::Idle {}, .. })) {
            return told;
        }
    }
}

async fn messages(agent: &AcpAgent, session: &SessionId) -> Vec<Message> {
    let query = MessageQuery { session_id: session.clone(), limit: 100, before: None };
    agent.messages(query).await.expect("they are kept").messages
}

/// The parts of the newest message.
async fn answer(agent: &AcpAgent, session: &SessionId) -> Vec<PartContent> {
    let newest = messages(agent, session).await.pop().expect("there is one");
    newest.parts.into_iter().map(|part: Part| part.content).collect()
}
