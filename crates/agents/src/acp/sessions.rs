//! Sessions of an agent: begun, listed, opened again, forked, given up.

use agent_client_protocol_schema::v1::{
    AGENT_METHOD_NAMES as METHODS, CloseSessionRequest, DeleteSessionRequest, ForkSessionRequest,
    ForkSessionResponse, ListSessionsRequest, ListSessionsResponse, LoadSessionRequest,
    LoadSessionResponse, McpServer, NewSessionRequest, NewSessionResponse, ResumeSessionRequest,
    ResumeSessionResponse, SessionInfo,
};
use serde::de::IgnoredAny;

use super::{
    book::no_session,
    client::{AcpAgent, BEGIN, SMALL, Shared},
    offer::McpEndpoint,
    time,
};
use crate::{
    Ability, AgentError, Event,
    model::{
        LONGEST_NAME, MOST_SESSIONS, NewSession, Session, SessionId, SessionPage, SessionQuery,
        shortened,
    },
};

/// Pages of an agent's list that are read for one answer of ours.
const MOST_PAGES: usize = 20;

impl AcpAgent {
    /// Let the agent forget what it holds in memory for a session. It can be opened again where the agent can load.
    pub async fn close(&self, session: &SessionId) -> Result<(), AgentError> {
        self.shared.book.look(session, |_| ())?;
        self.shared.close(session).await?;
        self.shared.book.remove(session);
        Ok(())
    }
}

impl Shared {
    pub(super) async fn create(&self, new: NewSession) -> Result<Session, AgentError> {
        let (servers, endpoint) = self.servers(None);
        let request = NewSessionRequest::new(self.folder()).mcp_servers(servers);
        let answer: NewSessionResponse = self.call(METHODS.session_new, &request, BEGIN).await?;
        let id = checked(&answer.session_id.0)?;
        if let Some(endpoint) = endpoint {
            self.tools.began(&endpoint, &id);
        }
        let (_, forgotten) = self.book.open(&id, (&self.directory, true), |entry, _| {
            entry.options.tell(answer.config_options, answer.modes);
            entry.session.title = new.title.unwrap_or_default();
        })?;
        self.forget(forgotten).await;
        if let Some(model) = &new.model {
            for setting in self.book.look(&id, |entry| entry.options.set_model(model))?? {
                self.set(&id, setting).await?;
            }
        }
        if let Some(mode) = &new.mode
            && let Some(setting) = self.book.look(&id, |entry| entry.options.set_mode(mode))??
        {
            self.set(&id, setting).await?;
        }
        self.book.look(&id, |entry| entry.session.clone())
    }

    /// Have a session open that may be of the past.
    pub(super) async fn open(&self, id: &SessionId) -> Result<(), AgentError> {
        if self.book.look(id, |_| ()).is_ok() {
            return Ok(());
        }
        let _one_at_a_time = self.opening.lock().await;
        if self.book.look(id, |_| ()).is_ok() {
            return Ok(());
        }
        if !self.can.load_session && self.can.session_capabilities.resume.is_none() {
            return Err(no_session(id));
        }
        let listed = self.listed(id).await?;
        let (servers, endpoint) = self.servers(Some(id));
        let opened = self.open_again(id, servers).await;
        let (options, modes) = opened.inspect_err(|_| self.book.remove(id))?;
        if let Some(endpoint) = endpoint {
            self.tools.began(&endpoint, id);
        }
        let (_, forgotten) = self.book.open(id, (&self.directory, false), |entry, _| {
            entry.options.tell(options, modes);
            if let Some(listed) = listed {
                (entry.session.title, entry.session.updated) = (listed.title, listed.updated);
            }
            entry.session.created = None;
        })?;
        self.forget(forgotten).await;
        Ok(())
    }

    async fn open_again(
        &self,
        id: &SessionId,
        servers: Vec<McpServer>,
    ) -> Result<Options, AgentError> {
        if self.can.load_session {
            self.book.load(id, &self.directory)?;
            let request = LoadSessionRequest::new(id.0.clone(), self.folder()).mcp_servers(servers);
            let answer: LoadSessionResponse =
                self.call(METHODS.session_load, &request, BEGIN).await?;
            return Ok((answer.config_options, answer.modes));
        }
        let request = ResumeSessionRequest::new(id.0.clone(), self.folder()).mcp_servers(servers);
        let answer: ResumeSessionResponse =
            self.call(METHODS.session_resume, &request, BEGIN).await?;
        Ok((answer.config_options, answer.modes))
    }

    /// A session as it is now, whether it is open or only listed.
    pub(super) async fn session(&self, id: &SessionId) -> Result<Session, AgentError> {
        if let Ok(session) = self.book.look(id, |entry| entry.session.clone()) {
            return Ok(session);
        }
        self.listed(id).await?.ok_or_else(|| no_session(id))
    }

    pub(super) async fn sessions(&self, query: SessionQuery) -> Result<SessionPage, AgentError> {
        let limit = query.limit.unwrap_or(MOST_SESSIONS).clamp(1, MOST_SESSIONS);
        let search = query.search.as_deref().map(str::to_lowercase);
        let is_wanted = |session: &Session| {
            search.as_ref().is_none_or(|search| session.title.to_lowercase().contains(search))
        };
        let open = self.book.sessions();
        // What is open is on the first page, whether the agent lists it or not.
        let mut sessions: Vec<Session> = Vec::new();
        if query.after.is_none() {
            sessions.extend(open.iter().filter(|session| is_wanted(session)).cloned());
        }
        let mut next = query.after;
        if self.can.session_capabilities.list.is_some() {
            for _ in 0..MOST_PAGES {
                let (listed, more) = self.page(next.take()).await?;
                let of_the_past =
                    listed.into_iter().filter(|it| !open.iter().any(|open| open.id == it.id));
                sessions.extend(of_the_past.filter(is_wanted));
                next = more;
                if next.is_none() || sessions.len() >= limit {
                    break;
                }
            }
        }
        sessions.sort_by_key(|session| std::cmp::Reverse(session.updated));
        Ok(SessionPage { sessions, next })
    }

    /// A session in the agent's list.
    async fn listed(&self, id: &SessionId) -> Result<Option<Session>, AgentError> {
        if self.can.session_capabilities.list.is_none() {
            return Ok(None);
        }
        let mut cursor = None;
        for _ in 0..MOST_PAGES {
            let (listed, next) = self.page(cursor).await?;
            if let Some(found) = listed.into_iter().find(|session| session.id == *id) {
                return Ok(Some(found));
            }
            cursor = next;
            if cursor.is_none() {
                break;
            }
        }
        Ok(None)
    }

    /// A page of the agent's list, and where it goes on.
    async fn page(
        &self,
        cursor: Option<String>,
    ) -> Result<(Vec<Session>, Option<String>), AgentError> {
        let request = ListSessionsRequest::new().cwd(self.folder()).cursor(cursor);
        let answer: ListSessionsResponse = self.call(METHODS.session_list, &request, SMALL).await?;
        let sessions =
            answer.sessions.into_iter().take(MOST_SESSIONS).filter_map(|info| session(&info));
        let next = answer.next_cursor.filter(|cursor| cursor.len() <= LONGEST_NAME);
        Ok((sessions.collect(), next))
    }

    pub(super) async fn fork(&self, id: &SessionId) -> Result<Session, AgentError> {
        self.capabilities().check(Ability::Fork)?;
        self.open(id).await?;
        let (servers, endpoint) = self.servers(None);
        let request = ForkSessionRequest::new(id.0.clone(), self.folder()).mcp_servers(servers);
        let answer: ForkSessionResponse = self.call(METHODS.session_fork, &request, BEGIN).await?;
        let forked = checked(&answer.session_id.0)?;
        if let Some(endpoint) = endpoint {
            self.tools.began(&endpoint, &forked);
        }
        let (history, title) = self
            .book
            .look(id, |entry| (entry.history.copy(&forked), entry.session.title.clone()))?;
        let (session, forgotten) =
            self.book.open(&forked, (&self.directory, true), |entry, _| {
                entry.history = history;
                entry.options.tell(answer.config_options, answer.modes);
                entry.session.title = title;
            })?;
        self.forget(forgotten).await;
        Ok(session)
    }

    pub(super) async fn delete(&self, id: &SessionId) -> Result<(), AgentError> {
        self.capabilities().check(Ability::Delete)?;
        let request = DeleteSessionRequest::new(id.0.clone());
        let _: IgnoredAny = self.call(METHODS.session_delete, &request, SMALL).await?;
        self.book.remove(id);
        self.book.tell(Event::SessionDeleted { session_id: id.clone() });
        Ok(())
    }

    async fn close(&self, id: &SessionId) -> Result<(), AgentError> {
        if self.can.session_capabilities.close.is_some() {
            let request = CloseSessionRequest::new(id.0.clone());
            let _: IgnoredAny = self.call(METHODS.session_close, &request, SMALL).await?;
        }
        Ok(())
    }

    /// Sessions that made room for another. Those that cannot be opened again are gone.
    async fn forget(&self, forgotten: Vec<SessionId>) {
        for id in forgotten {
            if let Err(error) = self.close(&id).await {
                self.book.complain(&format!("no to closing a session: {error}"));
            }
            if !self.can.load_session {
                self.book.tell(Event::SessionDeleted { session_id: id });
            }
        }
    }

    /// Our tools for a session, as this agent takes them.
    fn servers(&self, session: Option<&SessionId>) -> (Vec<McpServer>, Option<McpEndpoint>) {
        match self.tools.endpoint(session) {
            Some(endpoint) => (endpoint.offered(&self.can.mcp_capabilities).0, Some(endpoint)),
            None => (Vec::new(), None),
        }
    }
}

type Options = (
    Option<Vec<agent_client_protocol_schema::v1::SessionConfigOption>>,
    Option<agent_client_protocol_schema::v1::SessionModeState>,
);

/// An id that is not absurdly long: what is repeated must be the same.
fn checked(id: &str) -> Result<SessionId, AgentError> {
    if id.is_empty() || id.len() > LONGEST_NAME {
        let why = format!("the session has an id of {} bytes", id.len());
        return Err(AgentError::Protocol { what: METHODS.session_new.to_owned(), why });
    }
    Ok(SessionId(id.to_owned()))
}

/// A session of the agent's list.
fn session(info: &SessionInfo) -> Option<Session> {
    Some(Session {
        id: checked(&info.session_id.0).ok()?,
        title: info.title.as_deref().map(shortened).unwrap_or_default(),
        parent_id: None,
        directory: Some(info.cwd.to_string_lossy().into_owned()),
        created: None,
        updated: info.updated_at.as_deref().and_then(time::milliseconds),
        archived: None,
        shared_at: None,
        reverted: None,
        mode: None,
        model: None,
        totals: None,
    })
}
