//! An agent that does what a test says, and keeps what it was told.

use std::sync::{Arc, Mutex, MutexGuard};

use openspace_agents::{
    Ability, Agent, AgentError, Answer, Capabilities, Event, Feed, Subscription, TextField, Thing,
    model::{
        Failure, Key, KeyLogIn, LogInPage, LogInWay, LongText, Message, MessageId, MessageInfo,
        MessagePage, MessageQuery, Model, ModelChoice, Models, NewSession, PageLogIn, Part,
        PartContent, PermissionAnswer, PermissionId, PermissionRequest, Prompt, PromptPart,
        Provider, ProviderSetting, QuestionId, QuestionRequest, Role, Session, SessionId,
        SessionPage, SessionQuery, SessionStatus, StatusOfSession,
    },
};

/// What stands for a clock: every change is a millisecond later.
const BEGAN: i64 = 1_000;

#[derive(Default)]
struct State {
    sessions: Vec<Session>,
    messages: Vec<Message>,
    busy: Vec<SessionId>,
    /// What was said, with the session.
    prompts: Vec<(SessionId, Prompt)>,
    answered: Vec<(QuestionId, Vec<Vec<String>>)>,
    /// Keys that it was given, by provider.
    keys: Vec<(String, String)>,
    created: i64,
}

/// The agent.
#[derive(Default)]
pub(crate) struct Puppet {
    feed: Feed,
    state: Mutex<State>,
    /// Whether it answers at once whatever is said with `You said: …`.
    pub(crate) echoes: bool,
}

impl Puppet {
    /// One that answers at once.
    pub(crate) fn echo() -> Arc<Self> {
        Arc::new(Self { echoes: true, ..Self::default() })
    }

    /// One that does nothing by itself.
    pub(crate) fn silent() -> Arc<Self> {
        Arc::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// What was said to it.
    pub(crate) fn prompts(&self) -> Vec<(SessionId, Prompt)> {
        self.state().prompts.clone()
    }

    /// Answers that it was given.
    pub(crate) fn answered(&self) -> Vec<(QuestionId, Vec<Vec<String>>)> {
        self.state().answered.clone()
    }

    /// Keys and codes that it was given and did not forget.
    pub(crate) fn keys(&self) -> Vec<(String, String)> {
        self.state().keys.clone()
    }

    pub(crate) fn tell(&self, event: Event) {
        self.feed.tell(event, 100);
    }

    /// It says something to its model that nobody said.
    pub(crate) fn goes_on_by_itself(&self, session: &SessionId, text: &str) {
        let text = PromptPart::Text { text: text.to_owned(), is_synthetic: true };
        self.message(session, Role::User, None, &[text]);
    }

    /// It begins to answer the last message of a session; the id of the answer.
    pub(crate) fn begin(&self, session: &SessionId) -> MessageId {
        self.status(session, SessionStatus::Busy {});
        let answers = {
            let state = self.state();
            let said = state.messages.iter().rev().find(|one| one.info.session_id == *session);
            said.map(|message| message.info.id.clone())
        };
        self.message(session, Role::Assistant, answers, &[]).id
    }

    /// Words of an answer, in a part of their own, told piece by piece. Like the real ones it keeps them to itself until
    /// they are whole.
    pub(crate) fn says(&self, session: &SessionId, message: &MessageId, pieces: &[&str]) {
        let part = format!("{message}-text").as_str().into();
        let part = |text: &str| Part {
            id: openspace_agents::model::PartId::clone(&part),
            message_id: message.clone(),
            session_id: session.clone(),
            content: PartContent::Text {
                text: LongText::new(text),
                is_synthetic: false,
                started: None,
                ended: None,
            },
        };
        self.keep(&part(""));
        self.tell(Event::PartUpdated { part: part("") });
        for delta in pieces {
            self.tell(Event::TextDelta {
                session_id: session.clone(),
                message_id: message.clone(),
                part_id: part("").id,
                field: TextField::Text,
                delta: (*delta).to_owned(),
            });
        }
    }

    /// The answer is complete, and the session idle.
    pub(crate) fn ends(
        &self,
        session: &SessionId,
        message: &MessageId,
        text: &str,
        failure: Option<Failure>,
    ) {
        self.says(session, message, &[]);
        let info = {
            let mut state = self.state();
            let one = state.messages.iter_mut().find(|one| one.info.id == *message).unwrap();
            for part in &mut one.parts {
                if let PartContent::Text { text: kept, .. } = &mut part.content {
                    *kept = LongText::new(text);
                }
            }
            (one.info.completed, one.info.failure) = (Some(BEGAN), failure);
            one.clone()
        };
        for part in info.parts {
            self.tell(Event::PartUpdated { part });
        }
        self.tell(Event::MessageUpdated { message: info.info });
        self.status(session, SessionStatus::Idle {});
    }

    fn status(&self, session: &SessionId, status: SessionStatus) {
        let mut state = self.state();
        state.busy.retain(|busy| busy != session);
        if status != (SessionStatus::Idle {}) {
            state.busy.push(session.clone());
        }
        drop(state);
        self.tell(Event::Status { session_id: session.clone(), status });
    }

    fn keep(&self, part: &Part) {
        let mut state = self.state();
        let kept = state.messages.iter_mut().find(|one| one.info.id == part.message_id).unwrap();
        match kept.parts.iter_mut().find(|known| known.id == part.id) {
            Some(known) => *known = part.clone(),
            None => kept.parts.push(part.clone()),
        }
    }

    fn message(
        &self,
        session: &SessionId,
        role: Role,
        answers: Option<MessageId>,
        said: &[PromptPart],
    ) -> MessageInfo {
        let info = {
            let mut state = self.state();
            state.created += 1;
            let id = MessageId(format!("msg_{}", state.created));
            let info = MessageInfo {
                id: id.clone(),
                session_id: session.clone(),
                role,
                created: BEGAN + state.created,
                completed: None,
                answers,
                mode: None,
                model: None,
                usage: None,
                cost: None,
                finish: None,
                failure: None,
                is_summary: false,
                diffs: Vec::new(),
            };
            let part = |(index, said): (usize, &PromptPart)| {
                let PromptPart::Text { text, is_synthetic } = said else { return None };
                Some(Part {
                    id: format!("{id}-said-{index}").as_str().into(),
                    message_id: id.clone(),
                    session_id: session.clone(),
                    content: PartContent::Text {
                        text: LongText::new(text.clone()),
                        is_synthetic: *is_synthetic,
                        started: None,
                        ended: None,
                    },
                })
            };
            let parts = said.iter().enumerate().filter_map(part).collect();
            state.messages.push(Message { info: info.clone(), parts, parts_left_out: 0 });
            info
        };
        self.tell(Event::MessageUpdated { message: info.clone() });
        info
    }

    fn find(&self, id: &SessionId) -> Result<Session, AgentError> {
        let found = self.state().sessions.iter().find(|session| session.id == *id).cloned();
        found.ok_or_else(|| AgentError::NotFound { what: Thing::Session, id: id.0.clone() })
    }
}

fn now<'a, T: Send + 'a>(answer: Result<T, AgentError>) -> Answer<'a, T> {
    Box::pin(std::future::ready(answer))
}

impl Agent for Puppet {
    fn capabilities(&self) -> Capabilities {
        Capabilities::judged(|ability| {
            let can = [
                Ability::List,
                Ability::History,
                Ability::Rename,
                Ability::Delete,
                Ability::Questions,
                Ability::Models,
                Ability::Queue,
                Ability::Providers,
            ];
            (!can.contains(&ability)).then(|| "a puppet cannot".to_owned())
        })
    }

    fn subscribe(&self) -> Subscription {
        self.feed.subscribe()
    }

    fn create(&self, new: NewSession) -> Answer<'_, Session> {
        let mut state = self.state();
        let number = i64::try_from(state.sessions.len()).unwrap() + 1;
        let session = Session {
            id: SessionId(format!("ses_{number}")),
            title: new.title.unwrap_or_default(),
            parent_id: None,
            directory: None,
            created: Some(BEGAN + number),
            updated: Some(BEGAN + number),
            archived: None,
            shared_at: None,
            reverted: None,
            mode: new.mode,
            model: new.model,
            totals: None,
        };
        state.sessions.push(session.clone());
        now(Ok(session))
    }

    fn session<'a>(&'a self, id: &'a SessionId) -> Answer<'a, Session> {
        now(self.find(id))
    }

    fn sessions(&self, query: SessionQuery) -> Answer<'_, SessionPage> {
        let words = query.search.unwrap_or_default();
        let state = self.state();
        let found = state.sessions.iter().rev().filter(|session| session.title.contains(&words));
        now(Ok(SessionPage { sessions: found.cloned().collect(), next: None }))
    }

    fn rename<'a>(&'a self, session: &'a SessionId, title: &'a str) -> Answer<'a, Session> {
        let mut state = self.state();
        if let Some(one) = state.sessions.iter_mut().find(|one| one.id == *session) {
            title.clone_into(&mut one.title);
            one.updated = one.updated.map(|at| at + 100);
        }
        drop(state);
        now(self.find(session))
    }

    fn delete<'a>(&'a self, session: &'a SessionId) -> Answer<'a, ()> {
        let found = self.find(session);
        self.state().sessions.retain(|one| one.id != *session);
        now(found.map(drop))
    }

    fn statuses(&self) -> Answer<'_, Vec<StatusOfSession>> {
        let status = |id: &SessionId| StatusOfSession {
            session_id: id.clone(),
            status: SessionStatus::Busy {},
        };
        now(Ok(self.state().busy.iter().map(status).collect()))
    }

    fn messages(&self, query: MessageQuery) -> Answer<'_, MessagePage> {
        let found = self.find(&query.session_id).map(|_| {
            let state = self.state();
            let ours = state.messages.iter().filter(|one| one.info.session_id == query.session_id);
            let mut messages: Vec<Message> = ours.cloned().collect();
            let first = messages.len().saturating_sub(query.limit);
            let messages = messages.split_off(first);
            MessagePage { messages, older: (first > 0).then(|| "older".to_owned()) }
        });
        now(found)
    }

    fn message<'a>(
        &'a self,
        _session: &'a SessionId,
        message: &'a MessageId,
    ) -> Answer<'a, Message> {
        let found = self.state().messages.iter().find(|one| one.info.id == *message).cloned();
        let missing = || AgentError::NotFound { what: Thing::Message, id: message.0.clone() };
        now(found.ok_or_else(missing))
    }

    fn send<'a>(&'a self, session: &'a SessionId, prompt: Prompt) -> Answer<'a, MessageId> {
        if let Err(error) = self.find(session) {
            return now(Err(error));
        }
        let text = match prompt.parts.first() {
            Some(PromptPart::Text { text, .. }) => text.clone(),
            _ => String::new(),
        };
        let said = self.message(session, Role::User, None, &prompt.parts);
        self.state().prompts.push((session.clone(), prompt));
        if self.echoes {
            let answer = self.begin(session);
            self.says(session, &answer, &["You ", "said"]);
            self.ends(session, &answer, &format!("You said: {text}"), None);
        }
        now(Ok(said.id))
    }

    fn abort<'a>(&'a self, session: &'a SessionId) -> Answer<'a, ()> {
        self.status(session, SessionStatus::Idle {});
        now(Ok(()))
    }

    fn permissions(&self) -> Answer<'_, Vec<PermissionRequest>> {
        now(Ok(Vec::new()))
    }

    fn answer_permission<'a>(
        &'a self,
        id: &'a PermissionId,
        _answer: PermissionAnswer,
    ) -> Answer<'a, ()> {
        now(Err(AgentError::NotFound { what: Thing::Permission, id: id.0.clone() }))
    }

    fn questions(&self) -> Answer<'_, Vec<QuestionRequest>> {
        now(Ok(Vec::new()))
    }

    fn answer_question<'a>(
        &'a self,
        id: &'a QuestionId,
        answers: Vec<Vec<String>>,
    ) -> Answer<'a, ()> {
        self.state().answered.push((id.clone(), answers));
        now(Ok(()))
    }

    fn models<'a>(&'a self, _session: Option<&'a SessionId>) -> Answer<'a, Models> {
        let model = |id: &str| Model {
            id: id.into(),
            name: id.into(),
            context: None,
            output: None,
            has_reasoning: false,
            has_tools: true,
            takes_images: false,
            variants: vec!["high".into()],
            cost_input: None,
            cost_output: None,
            stage: None,
        };
        let provider = Provider {
            id: "strings".into(),
            name: "Strings".into(),
            models: vec![model("short"), model("long")],
        };
        let default =
            ModelChoice { provider: "strings".into(), model: "short".into(), variant: None };
        now(Ok(Models { providers: vec![provider], default: Some(default) }))
    }

    fn providers(&self) -> Answer<'_, Vec<ProviderSetting>> {
        let way =
            |label: &str, is_by_key| LogInWay { label: label.into(), is_by_key, asks: Vec::new() };
        let state = self.state();
        let provider = |id: &str| {
            let has_key = state.keys.iter().any(|(provider, _)| provider == id);
            ProviderSetting {
                id: id.into(),
                name: id.to_uppercase(),
                is_connected: has_key,
                source: has_key.then(|| "api".into()),
                has_key,
                variables: vec!["STRINGS_KEY".into()],
                models: 2,
                log_ins: vec![way("API key", true), way("In a page", false)],
            }
        };
        now(Ok(vec![provider("strings"), provider("bells")]))
    }

    /// One that is at work does not go by it.
    fn log_in(&self, log_in: KeyLogIn) -> Answer<'_, bool> {
        let mut state = self.state();
        state.keys.retain(|(provider, _)| *provider != log_in.provider);
        state.keys.push((log_in.provider, log_in.key.reveal().to_owned()));
        now(Ok(state.busy.is_empty()))
    }

    fn begin_log_in(&self, log_in: PageLogIn) -> Answer<'_, LogInPage> {
        let url = format!("https://{}.example/{}", log_in.provider, log_in.way);
        now(Ok(LogInPage { url, instructions: "Say yes.".into(), gives_code: true }))
    }

    fn finish_log_in<'a>(
        &'a self,
        provider: &'a str,
        _way: usize,
        code: Option<Key>,
    ) -> Answer<'a, bool> {
        let code = code.map(|code| code.reveal().to_owned()).unwrap_or_default();
        self.state().keys.push((provider.to_owned(), code));
        now(Ok(true))
    }

    fn log_out<'a>(&'a self, provider: &'a str) -> Answer<'a, bool> {
        self.state().keys.retain(|(known, _)| known != provider);
        now(Ok(true))
    }
}
