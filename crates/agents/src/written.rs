//! An agent whose text may hold commands: they are taken out of all that is told of it, and handed on to be run.
//!
//! For agents that can call no tool. A command is handed on once, when it was heard from its beginning while its
//! session worked; one in a text that is read again, or told again by a fork, never is. In its place stands a call of
//! a tool, so that whoever shows the conversation shows what became of it. The agent is told that with the next
//! prompt, and never by a prompt of its own: what nobody said asks no model, and no two turns can call each other.
//!
//! Nothing is run here, and which commands there are is not known. Everything that is remembered has a bound.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use tokio::{sync::mpsc, task::AbortHandle};

use crate::{
    Agent, Answer, Capabilities, Feed, Subscription,
    acp::weight,
    interceptor::WrittenCommand,
    model::{
        FileDiff, Key, KeyLogIn, LogInPage, Message, MessageId, MessagePage, MessageQuery, Mode,
        ModelChoice, Models, NewSession, PageLogIn, PartId, PermissionAnswer, PermissionId,
        PermissionRequest, Prompt, PromptPart, ProviderSetting, QuestionId, QuestionRequest,
        RevertTo, Session, SessionId, SessionPage, SessionQuery, SlashCommand, SlashCommandCall,
        StatusOfSession, Todo,
    },
};

mod book;
mod cards;
mod notes;
mod stream;

#[cfg(test)]
mod tests;

use self::{book::Book, cards::Place, notes::Notes};

/// Commands that may wait to be run; more are refused.
pub const MOST_WAITING: usize = 32;

/// A command that an agent wrote, to be run.
#[derive(Debug)]
pub struct Found {
    /// The session in whose text it stands.
    pub session: SessionId,
    /// The command.
    pub command: WrittenCommand,
    place: Place,
}

/// What became of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Whether it did what was asked.
    pub is_done: bool,
    /// The answer for readers, or why there is none.
    pub text: String,
}

/// An agent, with commands taken out of its text.
pub struct Written {
    agent: Arc<dyn Agent>,
    shared: Arc<Shared>,
    following: AbortHandle,
}

struct Shared {
    feed: Feed,
    book: Mutex<Book>,
    notes: Mutex<Notes>,
    found: mpsc::Sender<Found>,
}

impl Written {
    /// Hear this agent from now on. `introduction` is told to it once in each session: how commands are written. What
    /// is found is given to whoever holds the other end, who says with [`Written::ran`] what became of it.
    pub fn around(agent: Arc<dyn Agent>, introduction: &str) -> (Arc<Self>, mpsc::Receiver<Found>) {
        let (found, receiver) = mpsc::channel(MOST_WAITING);
        let shared = Arc::new(Shared {
            feed: Feed::default(),
            book: Mutex::default(),
            notes: Mutex::new(Notes::new(introduction)),
            found,
        });
        let events = agent.subscribe();
        let following = tokio::spawn(follow(events, Arc::clone(&shared))).abort_handle();
        (Arc::new(Self { agent, shared, following }), receiver)
    }

    /// A command was run: it is shown, and told to the agent with the next prompt of its session.
    pub fn ran(&self, found: &Found, outcome: &Outcome) {
        self.shared.ran(found, outcome);
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        self.following.abort();
    }
}

/// Hear what the agent tells, and tell it on without commands.
async fn follow(mut events: Subscription, shared: Arc<Shared>) {
    loop {
        let deadline = shared.book().deadline();
        let next = events.next();
        let event = match deadline {
            None => Ok(next.await),
            Some(deadline) => tokio::time::timeout_at(deadline.into(), next).await,
        };
        let Ok(event) = event else {
            shared.tell(|book| book.tick(Instant::now()));
            continue;
        };
        let Some(event) = event else { return };
        if book::is_plain(&event) {
            shared.feed.tell_shared(&event, weight::event(&event));
        } else {
            shared.tell(|book| book.hear(&event, Instant::now()));
        }
    }
}

impl Shared {
    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tell what came of something that was heard, and hand on the commands in it.
    fn tell(&self, hear: impl FnOnce(&mut Book) -> book::Heard) {
        let heard = hear(&mut self.book());
        for event in heard.events {
            let bytes = weight::event(&event);
            self.feed.tell(event, bytes);
        }
        for found in heard.found {
            if let Err(refused) = self.found.try_send(found) {
                let (mpsc::error::TrySendError::Full(found)
                | mpsc::error::TrySendError::Closed(found)) = refused;
                let text = format!("not run: {MOST_WAITING} commands wait already");
                self.ran(&found, &Outcome { is_done: false, text });
            }
        }
        for (session, wrong) in heard.wrong {
            self.notes().add(&session, &wrong);
        }
    }

    fn ran(&self, found: &Found, outcome: &Outcome) {
        self.notes().add(&found.session, &notes::ran(&found.command, outcome));
        let card = self.book().ran(found, outcome);
        let bytes = weight::event(&card);
        self.feed.tell(card, bytes);
    }
}

impl Agent for Written {
    fn capabilities(&self) -> Capabilities {
        self.agent.capabilities()
    }

    fn subscribe(&self) -> Subscription {
        self.shared.feed.subscribe()
    }

    fn messages(&self, query: MessageQuery) -> Answer<'_, MessagePage> {
        Box::pin(async move {
            let mut page = self.agent.messages(query).await?;
            let book = self.shared.book();
            page.messages.iter_mut().for_each(|message| book.read(message));
            Ok(page)
        })
    }

    fn message<'a>(
        &'a self,
        session: &'a SessionId,
        message: &'a MessageId,
    ) -> Answer<'a, Message> {
        Box::pin(async move {
            let mut message = self.agent.message(session, message).await?;
            self.shared.book().read(&mut message);
            Ok(message)
        })
    }

    fn send<'a>(&'a self, session: &'a SessionId, mut prompt: Prompt) -> Answer<'a, MessageId> {
        Box::pin(async move {
            let note = self.shared.notes().take(session);
            if let Some(text) = note.text() {
                prompt.parts.push(PromptPart::Text { text, is_synthetic: true });
            }
            let sent = self.agent.send(session, prompt).await;
            if sent.is_err() {
                self.shared.notes().give_back(session, note);
            }
            sent
        })
    }

    fn create(&self, new: NewSession) -> Answer<'_, Session> {
        self.agent.create(new)
    }

    fn session<'a>(&'a self, id: &'a SessionId) -> Answer<'a, Session> {
        self.agent.session(id)
    }

    fn statuses(&self) -> Answer<'_, Vec<StatusOfSession>> {
        self.agent.statuses()
    }

    fn abort<'a>(&'a self, session: &'a SessionId) -> Answer<'a, ()> {
        self.agent.abort(session)
    }

    fn permissions(&self) -> Answer<'_, Vec<PermissionRequest>> {
        self.agent.permissions()
    }

    fn answer_permission<'a>(
        &'a self,
        id: &'a PermissionId,
        answer: PermissionAnswer,
    ) -> Answer<'a, ()> {
        self.agent.answer_permission(id, answer)
    }

    fn sessions(&self, query: SessionQuery) -> Answer<'_, SessionPage> {
        self.agent.sessions(query)
    }

    fn rename<'a>(&'a self, session: &'a SessionId, title: &'a str) -> Answer<'a, Session> {
        self.agent.rename(session, title)
    }

    fn delete<'a>(&'a self, session: &'a SessionId) -> Answer<'a, ()> {
        self.agent.delete(session)
    }

    fn children<'a>(&'a self, session: &'a SessionId) -> Answer<'a, Vec<Session>> {
        self.agent.children(session)
    }

    fn fork<'a>(
        &'a self,
        session: &'a SessionId,
        before: Option<&'a MessageId>,
    ) -> Answer<'a, Session> {
        self.agent.fork(session, before)
    }

    fn revert<'a>(&'a self, session: &'a SessionId, to: RevertTo) -> Answer<'a, Session> {
        self.agent.revert(session, to)
    }

    fn unrevert<'a>(&'a self, session: &'a SessionId) -> Answer<'a, Session> {
        self.agent.unrevert(session)
    }

    fn compact<'a>(&'a self, session: &'a SessionId, with: ModelChoice) -> Answer<'a, ()> {
        self.agent.compact(session, with)
    }

    fn share<'a>(&'a self, session: &'a SessionId) -> Answer<'a, Session> {
        self.agent.share(session)
    }

    fn unshare<'a>(&'a self, session: &'a SessionId) -> Answer<'a, Session> {
        self.agent.unshare(session)
    }

    fn todos<'a>(&'a self, session: &'a SessionId) -> Answer<'a, Vec<Todo>> {
        self.agent.todos(session)
    }

    fn diff<'a>(
        &'a self,
        session: &'a SessionId,
        message: &'a MessageId,
    ) -> Answer<'a, Vec<FileDiff>> {
        self.agent.diff(session, message)
    }

    fn questions(&self) -> Answer<'_, Vec<QuestionRequest>> {
        self.agent.questions()
    }

    fn answer_question<'a>(
        &'a self,
        id: &'a QuestionId,
        answers: Vec<Vec<String>>,
    ) -> Answer<'a, ()> {
        self.agent.answer_question(id, answers)
    }

    fn reject_question<'a>(&'a self, id: &'a QuestionId) -> Answer<'a, ()> {
        self.agent.reject_question(id)
    }

    fn models<'a>(&'a self, session: Option<&'a SessionId>) -> Answer<'a, Models> {
        self.agent.models(session)
    }

    fn modes<'a>(&'a self, session: Option<&'a SessionId>) -> Answer<'a, Vec<Mode>> {
        self.agent.modes(session)
    }

    fn commands<'a>(&'a self, session: Option<&'a SessionId>) -> Answer<'a, Vec<SlashCommand>> {
        self.agent.commands(session)
    }

    fn command<'a>(
        &'a self,
        session: &'a SessionId,
        call: SlashCommandCall,
    ) -> Answer<'a, MessageId> {
        self.agent.command(session, call)
    }

    fn providers(&self) -> Answer<'_, Vec<ProviderSetting>> {
        self.agent.providers()
    }

    fn log_in(&self, log_in: KeyLogIn) -> Answer<'_, bool> {
        self.agent.log_in(log_in)
    }

    fn begin_log_in(&self, log_in: PageLogIn) -> Answer<'_, LogInPage> {
        self.agent.begin_log_in(log_in)
    }

    fn finish_log_in<'a>(
        &'a self,
        provider: &'a str,
        way: usize,
        code: Option<Key>,
    ) -> Answer<'a, bool> {
        self.agent.finish_log_in(provider, way, code)
    }

    fn log_out<'a>(&'a self, provider: &'a str) -> Answer<'a, bool> {
        self.agent.log_out(provider)
    }
}

/// The part that stands for a block of another one.
fn part_of(part: &PartId, number: usize) -> PartId {
    PartId(format!("{part}-command-{number}"))
}
