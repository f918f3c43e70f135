//! An opencode, a project, a model, and a conversation whose events are kept.

mod program;

use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};

use openspace_agents::{
    Agent, Event, Subscription,
    model::{
        Failure, Message, MessageId, MessageQuery, ModelChoice, NewSession, PartContent, Prompt,
        SessionId, SessionStatus, ToolCall,
    },
    opencode::{Address, OpenCode, RealTime},
};
use openspace_scripted::Scripted;
use serde_json::{Value, json};
use tokio::time::timeout;

pub(crate) use program::{Program, document};

/// How long anything may take on a machine that is busy.
pub(crate) const PATIENCE: Duration = Duration::from_mins(2);
/// The key that opencode has for the model. No form of a token, so that it is known by its value alone.
pub(crate) const KEY: &str = "Vr7-kQ2-mZ9x-0pLw-TnB4";

/// A conversation with all that it needs.
pub(crate) struct Talk {
    pub(crate) agent: OpenCode,
    pub(crate) model: Scripted,
    pub(crate) program: Program,
    events: tokio::sync::Mutex<Subscription>,
    /// All that was told, as text.
    pub(crate) told: Mutex<String>,
}

impl Talk {
    /// A conversation in a project with the file `a.txt`, in which shells are asked for.
    pub(crate) async fn begin() -> Self {
        Self::begin_with(json!({})).await
    }

    /// The same with more in the configuration of opencode.
    pub(crate) async fn begin_with(more: Value) -> Self {
        let model = Scripted::start().await.unwrap();
        Self::begin_at(model, &more).await
    }

    /// The same with more in the configuration that has to know the model.
    pub(crate) async fn begin_with_model(more: impl Fn(&Scripted) -> Value) -> Self {
        let model = Scripted::start().await.unwrap();
        let more = more(&model);
        Self::begin_at(model, &more).await
    }

    async fn begin_at(model: Scripted, more: &Value) -> Self {
        let program = Program::start(&config(&model, more)).await;
        let directory = program.project.to_str().unwrap();
        let address = Address::new(&program.url, directory).unwrap();
        let agent =
            OpenCode::new(address.with_password(None, program::PASSWORD), Arc::new(RealTime));
        let events = tokio::sync::Mutex::new(agent.subscribe());
        agent.listens();
        let talk = Self { agent, model, program, events, told: Mutex::default() };
        talk.until(|event| matches!(event, Event::Gap { .. }).then_some(())).await;
        talk
    }

    /// A session with a title, so that no model is asked for one.
    pub(crate) async fn session(&self) -> SessionId {
        let new = NewSession { title: Some("A talk".to_owned()), ..NewSession::default() };
        self.agent.create(new).await.unwrap().id
    }

    pub(crate) async fn send(&self, session: &SessionId, text: &str) -> MessageId {
        self.agent.send(session, Prompt::text(text)).await.unwrap()
    }

    /// Say something and wait until the turn is over; the message and all that was told meanwhile. It is over when an
    /// answer to it is complete and opencode says, after it began, that it is idle.
    pub(crate) async fn turn(&self, session: &SessionId, text: &str) -> (MessageId, Vec<Event>) {
        let id = self.send(session, text).await;
        let idle = Event::Status { session_id: session.clone(), status: SessionStatus::Idle {} };
        let (mut has_begun, mut is_complete, mut is_idle) = (false, false, false);
        let events = self.collect(|event| {
            match event {
                Event::MessageUpdated { message } if message.answers.as_ref() == Some(&id) => {
                    has_begun = true;
                    is_complete |= message.completed.is_some();
                }
                // What is told of the turn before may still come.
                event => is_idle |= has_begun && *event == idle,
            }
            is_complete && is_idle
        });
        let events = events.await;
        (id, events)
    }

    /// The same for a turn that fails. opencode may say that it is idle before it wrote down why, and leaves what is said in
    /// between without an answer, so both are waited for.
    pub(crate) async fn failed_turn(
        &self,
        session: &SessionId,
        text: &str,
    ) -> (Failure, Vec<Event>) {
        let id = self.send(session, text).await;
        let idle = Event::Status { session_id: session.clone(), status: SessionStatus::Idle {} };
        let (mut is_idle, mut failure) = (false, None);
        let events = self.collect(|event| {
            match event {
                Event::MessageUpdated { message } if message.answers.as_ref() == Some(&id) => {
                    failure = message.failure.clone().or(failure.take());
                }
                event => is_idle |= *event == idle,
            }
            is_idle && failure.is_some()
        });
        let events = events.await;
        (failure.unwrap(), events)
    }

    /// The next event that something can be made of; those before are dropped.
    pub(crate) async fn until<T>(&self, mut wanted: impl FnMut(&Event) -> Option<T>) -> T {
        let mut found = None;
        self.collect(|event| {
            found = wanted(event);
            found.is_some()
        })
        .await;
        found.unwrap()
    }

    /// All events until the session is idle.
    pub(crate) async fn until_idle(&self, session: &SessionId) -> Vec<Event> {
        let idle = Event::Status { session_id: session.clone(), status: SessionStatus::Idle {} };
        self.collect(|event| *event == idle).await
    }

    pub(crate) async fn collect(&self, mut is_last: impl FnMut(&Event) -> bool) -> Vec<Event> {
        let mut events = Vec::new();
        let mut subscription = self.events.lock().await;
        loop {
            let next = timeout(PATIENCE, subscription.next()).await;
            let Ok(Some(event)) = next else { panic!("nothing more came after {events:#?}") };
            self.told.lock().unwrap().push_str(&serde_json::to_string(&event).unwrap());
            events.push(Event::clone(&event));
            if is_last(&event) {
                return events;
            }
        }
    }

    pub(crate) async fn messages(&self, session: &SessionId) -> Vec<Message> {
        let query = MessageQuery { session_id: session.clone(), limit: 100, before: None };
        self.agent.messages(query).await.unwrap().messages
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.program.project.join(name)
    }

    pub(crate) fn read(&self, name: &str) -> Option<String> {
        program::read(&self.file(name))
    }
}

/// The one model there is.
pub(crate) fn scripted() -> ModelChoice {
    ModelChoice { provider: "scripted".to_owned(), model: "scripted".to_owned(), variant: None }
}

/// The texts of a message.
pub(crate) fn texts(message: &Message) -> Vec<&str> {
    let text = |content| match content {
        &PartContent::Text { ref text, is_synthetic: false, .. } => Some(text.text.as_str()),
        _ => None,
    };
    message.parts.iter().filter_map(|part| text(&part.content)).collect()
}

/// The calls of tools in messages.
pub(crate) fn calls(messages: &[Message]) -> Vec<&ToolCall> {
    let parts = messages.iter().flat_map(|message| &message.parts);
    parts.filter_map(|part| call(&part.content)).collect()
}

fn call(content: &PartContent) -> Option<&ToolCall> {
    match content {
        PartContent::Tool { call } => Some(call),
        _ => None,
    }
}

fn config(model: &Scripted, more: &Value) -> Value {
    let mut config = json!({
        "autoupdate": false,
        "share": "disabled",
        "enabled_providers": ["scripted"],
        "provider": { "scripted": {
            "npm": "@ai-sdk/openai-compatible",
            "name": "Scripted",
            "options": { "baseURL": model.base_url(), "apiKey": KEY },
            "models": { "scripted": {
                "name": "Scripted",
                "tool_call": true,
                "reasoning": true,
                "attachment": true,
                "limit": { "context": 1_000_000, "output": 8000 },
                "modalities": { "input": ["text", "image"], "output": ["text"] },
            } },
        } },
        "model": "scripted/scripted",
        "small_model": "scripted/scripted",
        "permission": { "bash": "ask", "edit": "allow" },
    });
    for (name, value) in more.as_object().unwrap() {
        config[name] = value.clone();
    }
    config
}
