//! The conversation with an agent over a pair of streams: what is asked of it, and what we remember for it.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use agent_client_protocol_schema::{
    ProtocolVersion,
    v1::{
        AGENT_METHOD_NAMES as METHODS, AgentCapabilities, AuthMethod, AuthenticateRequest,
        CancelNotification, Implementation, InitializeRequest, InitializeResponse,
        SetSessionConfigOptionRequest, SetSessionConfigOptionResponse, SetSessionModeRequest,
    },
};
use serde::{Serialize, de::DeserializeOwned, de::IgnoredAny};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    task::JoinSet,
};

use super::{
    abilities,
    book::{Book, Clock},
    failure,
    offer::{McpEndpoint, Offered, Tools},
    options::Setting,
    peer::{Hearer, Peer},
    permission,
};
use crate::{
    AgentError, Capabilities,
    model::{SessionId, shortened},
};

/// How long an agent may take to start.
const START: Duration = Duration::from_mins(1);
/// How long it may take to begin or load a session: it connects to servers meanwhile.
pub(super) const BEGIN: Duration = Duration::from_mins(2);
/// How long it may take for anything small.
pub(super) const SMALL: Duration = Duration::from_secs(30);
/// How long a log-in may take; a person may have to do something.
const LOG_IN: Duration = Duration::from_mins(10);

/// What a connection to an agent needs.
pub struct Setup {
    /// What the agent is called, for people.
    pub agent: String,
    /// The folder that it works in, as it sees it.
    pub directory: String,
    /// Our tools.
    pub tools: Arc<dyn Tools>,
    /// The time.
    pub clock: Clock,
    /// What we call ourselves.
    pub client: String,
    /// Our version.
    pub version: String,
}

/// What an agent says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// What it calls itself.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// Ways to log in. Logging in is the person's; see [`AcpAgent::authenticate`].
    pub log_ins: Vec<LogIn>,
    /// How it gets our tools.
    pub tools: Offered,
}

/// A way to log in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogIn {
    /// What it is chosen by.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// What to do.
    pub description: Option<String>,
}

/// An agent that speaks ACP. Dropped, the connection ends and so does what it was doing for us.
pub struct AcpAgent {
    pub(super) shared: Arc<Shared>,
    turns: Mutex<JoinSet<()>>,
}

/// What turns need too.
pub(super) struct Shared {
    pub(super) peer: Peer,
    pub(super) book: Arc<Book>,
    pub(super) about: About,
    pub(super) can: AgentCapabilities,
    pub(super) directory: String,
    pub(super) tools: Arc<dyn Tools>,
    /// One session is opened at a time, so that none is opened twice.
    pub(super) opening: tokio::sync::Mutex<()>,
}

impl AcpAgent {
    /// Greet an agent: what it writes is read, what it reads is written. Must be called in a tokio runtime.
    pub async fn connect(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        setup: Setup,
    ) -> Result<Self, AgentError> {
        let book = Arc::new(Book::new(setup.agent, setup.clock));
        let peer = Peer::start(reader, writer, Arc::clone(&book) as Arc<dyn Hearer>);
        let greeting = InitializeRequest::new(ProtocolVersion::V1)
            .client_info(Implementation::new(setup.client, setup.version));
        let answer = peer.call(METHODS.initialize, &greeting, Some(START)).await;
        let answer: InitializeResponse = answer
            .map_err(|error| failure::of_call(error, METHODS.initialize, &book.agent, &[]))?;
        if answer.protocol_version != ProtocolVersion::V1 {
            let why =
                format!("it speaks version {} of ACP, and we speak 1", answer.protocol_version);
            return Err(AgentError::Protocol { what: METHODS.initialize.to_owned(), why });
        }
        let can = answer.agent_capabilities;
        let offered = match setup.tools.endpoint(None) {
            Some(endpoint) => endpoint.offered(&can.mcp_capabilities).1,
            None => McpEndpoint::default().offered(&can.mcp_capabilities).1,
        };
        let about = About {
            name: answer.agent_info.as_ref().map(|info| shortened(&info.name)),
            version: answer.agent_info.as_ref().map(|info| shortened(&info.version)),
            log_ins: answer.auth_methods.iter().map(log_in).collect(),
            tools: offered,
        };
        let shared = Shared {
            peer,
            book,
            about,
            can,
            directory: setup.directory,
            tools: setup.tools,
            opening: tokio::sync::Mutex::default(),
        };
        Ok(Self { shared: Arc::new(shared), turns: Mutex::default() })
    }

    /// What it says of itself.
    pub fn about(&self) -> &About {
        &self.shared.about
    }

    /// Have it log in this way. A person asks for it, and may have to do something while it waits.
    pub async fn authenticate(&self, log_in: &str) -> Result<(), AgentError> {
        if !self.shared.about.log_ins.iter().any(|known| known.id == log_in) {
            let known: Vec<&str> =
                self.shared.about.log_ins.iter().map(|it| it.id.as_str()).collect();
            let why = format!("the agent has no such log-in; it has {}", known.join(", "));
            return Err(AgentError::Invalid { what: shortened(log_in), why });
        }
        let request = AuthenticateRequest::new(log_in.to_owned());
        let _: IgnoredAny = self.shared.call(METHODS.authenticate, &request, LOG_IN).await?;
        Ok(())
    }

    /// Do something meanwhile, for as long as this agent is held.
    pub(super) fn meanwhile(&self, work: impl Future<Output = ()> + Send + 'static) {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        while turns.try_join_next().is_some() {}
        turns.spawn(work);
    }
}

impl Shared {
    pub(super) fn capabilities(&self) -> Capabilities {
        abilities::capabilities(&self.can, &self.book)
    }

    pub(super) async fn call<R: DeserializeOwned>(
        &self,
        method: &str,
        params: &impl Serialize,
        patience: Duration,
    ) -> Result<R, AgentError> {
        let answer = self.peer.call(method, params, Some(patience)).await;
        answer
            .map_err(|error| failure::of_call(error, method, &self.book.agent, &self.about.log_ins))
    }

    /// Have a session use another model or work in another way.
    pub(super) async fn set(
        &self,
        session: &SessionId,
        setting: Setting,
    ) -> Result<(), AgentError> {
        let config = match setting {
            Setting::Option(option, value) => {
                let request = SetSessionConfigOptionRequest::new(session.0.clone(), option, value);
                let method = METHODS.session_set_config_option;
                let answer: SetSessionConfigOptionResponse =
                    self.call(method, &request, SMALL).await?;
                Ok(answer.config_options)
            }
            Setting::Mode(mode) => {
                let request = SetSessionModeRequest::new(session.0.clone(), mode.clone());
                let _: IgnoredAny = self.call(METHODS.session_set_mode, &request, SMALL).await?;
                Err(mode)
            }
        };
        self.book.change(session, |entry, _, events| {
            match config {
                Ok(options) => entry.options.tell(Some(options), None),
                Err(mode) => entry.options.tell_mode(mode),
            }
            entry.settle_options();
            events.push(crate::Event::SessionUpdated { session: entry.session.clone() });
        })
    }

    /// Ask an agent to stop what a session does, and answer for the person what it waits for.
    pub(super) async fn cancel(&self, session: &SessionId) -> Result<(), AgentError> {
        let stop = CancelNotification::new(session.0.clone());
        let told = self.peer.tell(METHODS.session_cancel, &stop).await;
        told.map_err(|error| {
            failure::of_call(error, METHODS.session_cancel, &self.book.agent, &[])
        })?;
        self.take_back(session).await;
        Ok(())
    }

    /// Nobody has to answer the requests of a session any more.
    pub(super) async fn take_back(&self, session: &SessionId) {
        let waiting = self.book.waiting().into_iter();
        for request in waiting.map(|it| it.request).filter(|it| it.session_id == *session) {
            if let Some(taken) = self.book.take(&request.id, None) {
                // Whoever is gone needs no answer.
                drop(self.peer.answer(&taken.call, Ok(permission::cancelled())).await);
            }
        }
    }

    pub(super) fn folder(&self) -> PathBuf {
        PathBuf::from(&self.directory)
    }
}

fn log_in(method: &AuthMethod) -> LogIn {
    LogIn {
        id: method.id().to_string(),
        name: shortened(method.name()),
        description: method.description().map(shortened),
    }
}
