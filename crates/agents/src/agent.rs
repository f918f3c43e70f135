//! The one trait: a conversation with an agent.

use std::{future::Future, pin::Pin};

use crate::{
    Ability, AgentError, Capabilities, Subscription,
    model::{
        FileDiff, Key, KeyLogIn, LogInPage, Message, MessageId, MessagePage, MessageQuery, Mode,
        ModelChoice, Models, NewSession, PageLogIn, PermissionAnswer, PermissionId,
        PermissionRequest, Prompt, ProviderSetting, QuestionId, QuestionRequest, RevertTo, Session,
        SessionId, SessionPage, SessionQuery, SlashCommand, SlashCommandCall, StatusOfSession,
        Todo,
    },
};

/// A future on the heap, so that the trait can be used as an object.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
/// What an agent answers, later.
pub type Answer<'a, T> = BoxFuture<'a, Result<T, AgentError>>;

/// A conversation with an agent that runs somewhere.
///
/// Every method asks the agent and gives what it says; nothing is remembered here that could be old. What an agent cannot
/// do is [`AgentError::Unsupported`] with the reason that [`Agent::capabilities`] gives: those methods have a body here, so
/// that an implementation names the reason once. A dropped future asks no more, but what was asked may still be done.
pub trait Agent: Send + Sync {
    /// What it can do, and why it cannot do the rest, as far as it is known now.
    fn capabilities(&self) -> Capabilities;

    /// Hear what it tells from now on.
    fn subscribe(&self) -> Subscription;

    /// Begin a session.
    fn create(&self, new: NewSession) -> Answer<'_, Session>;

    /// A session as it is now.
    fn session<'a>(&'a self, id: &'a SessionId) -> Answer<'a, Session>;

    /// Sessions that are not idle.
    fn statuses(&self) -> Answer<'_, Vec<StatusOfSession>>;

    /// Messages of a session, the newest first page by page, each page oldest first.
    fn messages(&self, query: MessageQuery) -> Answer<'_, MessagePage>;

    /// A message with its parts.
    fn message<'a>(&'a self, session: &'a SessionId, message: &'a MessageId)
    -> Answer<'a, Message>;

    /// Say something. The answer is the id of the message that was made of it, at once; what becomes of it is told as
    /// events.
    fn send<'a>(&'a self, session: &'a SessionId, prompt: Prompt) -> Answer<'a, MessageId>;

    /// Stop what a session does. One that does nothing is no error.
    fn abort<'a>(&'a self, session: &'a SessionId) -> Answer<'a, ()>;

    /// Requests for permission that wait.
    fn permissions(&self) -> Answer<'_, Vec<PermissionRequest>>;

    /// Answer one.
    fn answer_permission<'a>(
        &'a self,
        id: &'a PermissionId,
        answer: PermissionAnswer,
    ) -> Answer<'a, ()>;

    /// Sessions of the past and present.
    fn sessions(&self, query: SessionQuery) -> Answer<'_, SessionPage> {
        drop(query);
        absent(&self.capabilities(), Ability::List)
    }

    /// Give a session another title.
    fn rename<'a>(&'a self, session: &'a SessionId, title: &'a str) -> Answer<'a, Session> {
        let _ = (session, title);
        absent(&self.capabilities(), Ability::Rename)
    }

    /// Delete a session with all it holds.
    fn delete<'a>(&'a self, session: &'a SessionId) -> Answer<'a, ()> {
        let _ = session;
        absent(&self.capabilities(), Ability::Delete)
    }

    /// Sessions of its sub-agents.
    fn children<'a>(&'a self, session: &'a SessionId) -> Answer<'a, Vec<Session>> {
        let _ = session;
        absent(&self.capabilities(), Ability::SubAgents)
    }

    /// Begin a session with the messages of another, those before this message or all.
    fn fork<'a>(
        &'a self,
        session: &'a SessionId,
        before: Option<&'a MessageId>,
    ) -> Answer<'a, Session> {
        let _ = (session, before);
        absent(&self.capabilities(), Ability::Fork)
    }

    /// Undo a message and all after it, with what they did to files.
    fn revert<'a>(&'a self, session: &'a SessionId, to: RevertTo) -> Answer<'a, Session> {
        drop((session, to));
        absent(&self.capabilities(), Ability::Revert)
    }

    /// Take the undoing back, as long as nothing was said since.
    fn unrevert<'a>(&'a self, session: &'a SessionId) -> Answer<'a, Session> {
        let _ = session;
        absent(&self.capabilities(), Ability::Unrevert)
    }

    /// Have a model make a summary that stands for all messages so far. It is a turn of its own, and over when the session
    /// is idle.
    fn compact<'a>(&'a self, session: &'a SessionId, with: ModelChoice) -> Answer<'a, ()> {
        drop((session, with));
        absent(&self.capabilities(), Ability::Compact)
    }

    /// Put a session where others can read it; the session says where.
    fn share<'a>(&'a self, session: &'a SessionId) -> Answer<'a, Session> {
        let _ = session;
        absent(&self.capabilities(), Ability::Share)
    }

    /// Take it away again.
    fn unshare<'a>(&'a self, session: &'a SessionId) -> Answer<'a, Session> {
        let _ = session;
        absent(&self.capabilities(), Ability::Unshare)
    }

    /// What is to be done.
    fn todos<'a>(&'a self, session: &'a SessionId) -> Answer<'a, Vec<Todo>> {
        let _ = session;
        absent(&self.capabilities(), Ability::Todos)
    }

    /// What the turn that this message of the person began did to files.
    fn diff<'a>(
        &'a self,
        session: &'a SessionId,
        message: &'a MessageId,
    ) -> Answer<'a, Vec<FileDiff>> {
        let _ = (session, message);
        absent(&self.capabilities(), Ability::Diff)
    }

    /// Questions that wait.
    fn questions(&self) -> Answer<'_, Vec<QuestionRequest>> {
        absent(&self.capabilities(), Ability::Questions)
    }

    /// Answer one: a list of labels or own words for each question in it.
    fn answer_question<'a>(
        &'a self,
        id: &'a QuestionId,
        answers: Vec<Vec<String>>,
    ) -> Answer<'a, ()> {
        drop((id, answers));
        absent(&self.capabilities(), Ability::Questions)
    }

    /// Dismiss one.
    fn reject_question<'a>(&'a self, id: &'a QuestionId) -> Answer<'a, ()> {
        let _ = id;
        absent(&self.capabilities(), Ability::Questions)
    }

    /// Models to choose from. Some agents offer them for a session only.
    fn models<'a>(&'a self, session: Option<&'a SessionId>) -> Answer<'a, Models> {
        let _ = session;
        absent(&self.capabilities(), Ability::Models)
    }

    /// Ways of working to choose from. Some agents offer them for a session only.
    fn modes<'a>(&'a self, session: Option<&'a SessionId>) -> Answer<'a, Vec<Mode>> {
        let _ = session;
        absent(&self.capabilities(), Ability::Modes)
    }

    /// Slash commands. Some agents offer them for a session only.
    fn commands<'a>(&'a self, session: Option<&'a SessionId>) -> Answer<'a, Vec<SlashCommand>> {
        let _ = session;
        absent(&self.capabilities(), Ability::Commands)
    }

    /// Run a slash command, as [`Agent::send`] says something.
    fn command<'a>(
        &'a self,
        session: &'a SessionId,
        call: SlashCommandCall,
    ) -> Answer<'a, MessageId> {
        drop((session, call));
        absent(&self.capabilities(), Ability::Commands)
    }

    /// Everybody who offers models to it, connected or not.
    fn providers(&self) -> Answer<'_, Vec<ProviderSetting>> {
        absent(&self.capabilities(), Ability::Providers)
    }

    /// Give it the key of a provider, which it keeps in its own place. The answer says whether it is used from now on;
    /// otherwise from the next start of the agent on, because it is at work.
    fn log_in(&self, log_in: KeyLogIn) -> Answer<'_, bool> {
        drop(log_in);
        absent(&self.capabilities(), Ability::Providers)
    }

    /// Begin to log in through a page of the provider.
    fn begin_log_in(&self, log_in: PageLogIn) -> Answer<'_, LogInPage> {
        drop(log_in);
        absent(&self.capabilities(), Ability::Providers)
    }

    /// Finish it, with the code that the page gave, or by waiting until the agent has heard of it. The answer is that of
    /// [`Agent::log_in`].
    fn finish_log_in<'a>(
        &'a self,
        provider: &'a str,
        way: usize,
        code: Option<Key>,
    ) -> Answer<'a, bool> {
        drop((provider, way, code));
        absent(&self.capabilities(), Ability::Providers)
    }

    /// Have it forget what it keeps for a provider. The answer is that of [`Agent::log_in`].
    fn log_out<'a>(&'a self, provider: &'a str) -> Answer<'a, bool> {
        let _ = provider;
        absent(&self.capabilities(), Ability::Providers)
    }
}

/// The answer for something that is not there: the reason that the capabilities give.
fn absent<'a, T: Send + 'a>(capabilities: &Capabilities, what: Ability) -> Answer<'a, T> {
    // An implementation that claims an ability and lacks the method is wrong; whoever asks gets no less of an answer.
    let why = || "it says that it can, and has no way to".to_owned();
    let refusal = capabilities.check(what).err();
    let refusal = refusal.unwrap_or_else(|| AgentError::Unsupported { what, why: why() });
    Box::pin(async move { Err(refusal) })
}
