//! Agents that speak the Agent Client Protocol on their standard streams, with our tools handed to each session.
//!
//! Each session is handed a key of its own. An agent may use the last one for all, so it is no proof of a session.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use openspace_agents::{
    acp::{AcpAgent, HttpEndpoint, McpEndpoint, Offered, Setup, Tools},
    model::SessionId,
};
use openspace_command::{Error, ErrorKind, Result, WeakDispatcher};
use openspace_secrets::Value as Secret;

use super::{
    AgentKey, AgentKeys,
    start::{Launched, Started, Starting},
};
use crate::OpenSpace;

/// Keys of sessions of one agent; the oldest is dead when there is another.
const MOST_SESSIONS: usize = 200;
/// Under which name an agent has our server.
const SERVER: &str = "openspace";
/// What a key is sent as.
const HEADER: &str = "Authorization";

/// Start one, and wait until it has greeted us.
pub(super) async fn start(starting: &Starting<'_>) -> Result<Started> {
    let name = &starting.known.name;
    if !starting.way.own_tools {
        let message = format!("{name} keeps its own tools: nothing here can switch them off");
        return Err(Error::new(ErrorKind::Unsupported, message)
            .hint("take `own_tools = false` out of agents.toml for it"));
    }
    let (url, key) = (starting.url()?.to_owned(), starting.key().await?);
    let folder = starting.dispatcher.state().root();
    let directory = folder.to_str().ok_or_else(|| {
        Error::new(ErrorKind::Unsupported, "the path of the workspace is not Unicode")
    })?;
    let Launched { handle, confined, key } =
        starting.launch(&starting.known.command, Vec::new(), key).await?;
    let dispatcher = starting.dispatcher.downgrade();
    let now = dispatcher.clone();
    let tools = SessionKeys {
        url,
        agent: starting.known.id.clone(),
        keys: starting.keys.clone(),
        dispatcher,
        given: Mutex::default(),
    };
    let setup = Setup {
        agent: name.clone(),
        directory: directory.to_owned(),
        tools: Arc::new(tools),
        clock: Arc::new(move || {
            let now = now.upgrade().map_or(0, |dispatcher| dispatcher.state().now());
            i64::try_from(now).unwrap_or(i64::MAX)
        }),
        client: SERVER.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let program = handle.program;
    let agent = match AcpAgent::connect(handle.stdout, handle.stdin, setup).await {
        Ok(agent) => agent,
        Err(error) => {
            let error = starting.ended(&program, &format!("did not greet us ({error})"));
            program.stop(std::time::Duration::ZERO);
            return Err(error);
        }
    };
    let note = match &agent.about().tools {
        Offered::Nothing { why } => Some(format!("it has none of our tools: {why}")),
        Offered::Http | Offered::Program => None,
    };
    Ok(Started {
        agent: Arc::new(agent),
        confined,
        program: Some(program),
        // Its streams end with its program, and whoever talks to it is told so.
        silence: Box::new(|_| {}),
        calls: Arc::default(),
        note,
        _key: Some(key),
    })
}

/// Gives each session an endpoint with a key of its own.
struct SessionKeys {
    url: String,
    agent: String,
    keys: AgentKeys,
    dispatcher: WeakDispatcher<OpenSpace>,
    given: Mutex<Vec<Given>>,
}

struct Given {
    key: AgentKey,
    session: Option<SessionId>,
}

impl SessionKeys {
    fn given(&self) -> MutexGuard<'_, Vec<Given>> {
        self.given.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with(&self, key: &str) -> McpEndpoint {
        let url = format!("{}/mcp?set=ide", self.url);
        let headers = vec![(HEADER.to_owned(), header(key))];
        let http = Some(HttpEndpoint { url, headers });
        McpEndpoint { name: SERVER.to_owned(), http, program: None }
    }

    /// From now on no agent is shown it.
    fn hide(&self, key: &str) {
        let secret = Secret::new(&format!("key of {}", self.agent), key);
        let dispatcher = self.dispatcher.clone();
        tokio::spawn(async move {
            if let Some(dispatcher) = dispatcher.upgrade() {
                dispatcher.state().secrets().learn(secret).await;
            }
        });
    }
}

impl Tools for SessionKeys {
    fn endpoint(&self, session: Option<&SessionId>) -> Option<McpEndpoint> {
        let mut given = self.given();
        if let Some(session) = session
            && let Some(known) = given.iter().find(|given| given.session.as_ref() == Some(session))
        {
            return Some(self.with(known.key.text()));
        }
        let key = self.keys.issue(&self.agent)?;
        self.hide(key.text());
        if let Some(session) = session {
            key.is_of(&session.0);
        }
        let endpoint = self.with(key.text());
        given.push(Given { key, session: session.cloned() });
        if given.len() > MOST_SESSIONS {
            given.remove(0);
        }
        Some(endpoint)
    }

    fn began(&self, endpoint: &McpEndpoint, session: &SessionId) {
        let Some(http) = &endpoint.http else { return };
        let Some((_, sent)) = http.headers.first() else { return };
        let mut given = self.given();
        if let Some(known) = given.iter_mut().find(|given| header(given.key.text()) == *sent) {
            known.key.is_of(&session.0);
            known.session = Some(session.clone());
        }
    }
}

fn header(key: &str) -> String {
    format!("Bearer {key}")
}
