//! The trait, for an agent that speaks ACP: each method is one thing to ask, or to look up.

use agent_client_protocol_schema::v1::AGENT_METHOD_NAMES as METHODS;

use super::{client::AcpAgent, failure};
use crate::{
    Ability, Agent, AgentError, Answer, Capabilities, Subscription, Thing,
    model::{
        Message, MessageId, MessagePage, MessageQuery, Mode, Models, NewSession, PermissionAnswer,
        PermissionId, PermissionRequest, Prompt, PromptPart, Session, SessionId, SessionPage,
        SessionQuery, SlashCommand, SlashCommandCall, StatusOfSession, Todo,
    },
};

impl Agent for AcpAgent {
    fn capabilities(&self) -> Capabilities {
        self.shared.capabilities()
    }

    fn subscribe(&self) -> Subscription {
        self.shared.book.feed.subscribe()
    }

    fn create(&self, new: NewSession) -> Answer<'_, Session> {
        Box::pin(self.shared.create(new))
    }

    fn session<'a>(&'a self, id: &'a SessionId) -> Answer<'a, Session> {
        Box::pin(self.shared.session(id))
    }

    fn statuses(&self) -> Answer<'_, Vec<StatusOfSession>> {
        Box::pin(async { Ok(self.shared.book.statuses()) })
    }

    fn messages(&self, query: MessageQuery) -> Answer<'_, MessagePage> {
        Box::pin(async move {
            let MessageQuery { session_id, limit, before } = query;
            self.read(&session_id).await?;
            self.shared
                .book
                .look(&session_id, |entry| entry.history.page(limit, before.as_deref()))?
        })
    }

    fn message<'a>(
        &'a self,
        session: &'a SessionId,
        message: &'a MessageId,
    ) -> Answer<'a, Message> {
        Box::pin(async move {
            self.read(session).await?;
            let found =
                self.shared.book.look(session, |entry| entry.history.find(message).cloned())?;
            found
                .ok_or_else(|| AgentError::NotFound { what: Thing::Message, id: message.0.clone() })
        })
    }

    fn send<'a>(&'a self, session: &'a SessionId, prompt: Prompt) -> Answer<'a, MessageId> {
        Box::pin(self.prompt(session, prompt))
    }

    fn abort<'a>(&'a self, session: &'a SessionId) -> Answer<'a, ()> {
        Box::pin(self.stop(session))
    }

    fn permissions(&self) -> Answer<'_, Vec<PermissionRequest>> {
        let waiting = self.shared.book.waiting().into_iter();
        let waiting = waiting.map(|waiting| waiting.request).collect();
        Box::pin(async { Ok(waiting) })
    }

    fn answer_permission<'a>(
        &'a self,
        id: &'a PermissionId,
        answer: PermissionAnswer,
    ) -> Answer<'a, ()> {
        Box::pin(async move {
            let missing = || AgentError::NotFound { what: Thing::Permission, id: id.0.clone() };
            let waiting = self.shared.book.waiting();
            let waiting = waiting.iter().find(|it| it.request.id == *id).ok_or_else(missing)?;
            let outcome = waiting.outcome(&answer)?;
            // Somebody else may have been quicker.
            let taken = self.shared.book.take(id, Some(answer.reply())).ok_or_else(missing)?;
            let answered = self.shared.peer.answer(&taken.call, Ok(outcome)).await;
            answered.map_err(|error| {
                failure::of_call(error, "session/request_permission", &self.shared.book.agent, &[])
            })
        })
    }

    fn sessions(&self, query: SessionQuery) -> Answer<'_, SessionPage> {
        Box::pin(self.shared.sessions(query))
    }

    fn delete<'a>(&'a self, session: &'a SessionId) -> Answer<'a, ()> {
        Box::pin(self.shared.delete(session))
    }

    fn fork<'a>(
        &'a self,
        session: &'a SessionId,
        before: Option<&'a MessageId>,
    ) -> Answer<'a, Session> {
        Box::pin(async move {
            if before.is_some() {
                let why = "over ACP a session is forked as a whole".to_owned();
                return Err(AgentError::Invalid { what: "the message to fork at".to_owned(), why });
            }
            self.shared.fork(session).await
        })
    }

    fn todos<'a>(&'a self, session: &'a SessionId) -> Answer<'a, Vec<Todo>> {
        Box::pin(async move { self.shared.book.look(session, |entry| entry.todos.clone()) })
    }

    fn models<'a>(&'a self, session: Option<&'a SessionId>) -> Answer<'a, Models> {
        Box::pin(self.offered(session, Ability::Models, |entry| entry.options.models()))
    }

    fn modes<'a>(&'a self, session: Option<&'a SessionId>) -> Answer<'a, Vec<Mode>> {
        Box::pin(self.offered(session, Ability::Modes, |entry| entry.options.modes()))
    }

    fn commands<'a>(&'a self, session: Option<&'a SessionId>) -> Answer<'a, Vec<SlashCommand>> {
        Box::pin(self.offered(session, Ability::Commands, |entry| entry.commands.clone()))
    }

    fn command<'a>(
        &'a self,
        session: &'a SessionId,
        call: SlashCommandCall,
    ) -> Answer<'a, MessageId> {
        Box::pin(async move {
            let commands = self.commands(Some(session)).await?;
            if !commands.iter().any(|command| command.name == call.name) {
                return Err(AgentError::NotFound { what: Thing::Command, id: call.name });
            }
            let text = format!("/{} {}", call.name, call.arguments).trim_end().to_owned();
            let parts = vec![PromptPart::Text { text, is_synthetic: false }];
            self.prompt(session, Prompt { parts, model: call.model, mode: call.mode }).await
        })
    }
}

impl AcpAgent {
    /// Have the messages of a session here: one of the past is told again, by agents that can.
    async fn read(&self, session: &SessionId) -> Result<(), AgentError> {
        if self.shared.book.look(session, |_| ()).is_err() {
            self.shared.capabilities().check(Ability::History)?;
        }
        self.shared.open(session).await
    }

    /// What a session offers, or the one that was used last. Agents say it when a session is open.
    async fn offered<T>(
        &self,
        session: Option<&SessionId>,
        ability: Ability,
        look: impl Fn(&super::book::Entry) -> Option<T>,
    ) -> Result<T, AgentError> {
        let found = match session {
            Some(session) => {
                self.shared.open(session).await?;
                self.shared.book.look(session, look)?
            }
            None => self.shared.book.any(look),
        };
        found.ok_or_else(|| {
            let why = format!(
                "the agent does not offer it ({}), or not before a session",
                METHODS.session_new
            );
            self.capabilities()
                .check(ability)
                .err()
                .unwrap_or(AgentError::Unsupported { what: ability, why })
        })
    }
}
