//! What an agent says by itself, put into the book: updates of sessions, and requests for permission.
//!
//! Files and terminals of ours are not offered: an agent that asks for them anyway is told that there is no such
//! method, and uses its own within the wall around it, or our tools over MCP.

use agent_client_protocol_schema::{
    MaybeUndefined,
    v1::{
        AvailableCommandInput, CLIENT_METHOD_NAMES, CompactionStatus, ContentChunk,
        Error as Refusal, Plan, PlanEntryPriority, PlanEntryStatus, SessionId as WireSessionId,
        SessionInfoUpdate, SessionUpdate, ToolCallUpdate, UsageUpdate,
    },
};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use super::{
    book::{Book, Entry, Stage},
    content,
    history::{Piece, Voice},
    peer::Hearer,
    permission::{self, Waiting},
    tool,
};
use crate::{
    Event,
    model::{SessionId, SlashCommand, Todo, TodoState, Totals, Usage, shortened},
};

/// Slash commands that are kept.
const MOST_COMMANDS: usize = 500;
/// Entries of a plan that are kept.
const MOST_TODOS: usize = 500;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Update<'a> {
    session_id: WireSessionId,
    #[serde(borrow)]
    update: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Kind {
    session_update: String,
}

impl Hearer for Book {
    fn told(&self, method: &str, params: &RawValue) {
        if method != CLIENT_METHOD_NAMES.session_update {
            return self.tell(Event::Other { name: shortened(method), session_id: None });
        }
        let heard = serde_json::from_str(params.get())
            .map_err(|error| format!("an update that is none: {error}"))
            .and_then(|update| self.update(&update));
        if let Err(why) = heard {
            self.complain(&why);
        }
    }

    fn asked(&self, id: &Value, method: &str, params: &RawValue) -> Option<Result<Value, Refusal>> {
        if method != CLIENT_METHOD_NAMES.session_request_permission {
            return Some(Err(Refusal::method_not_found()));
        }
        let asked: permission::Asked = match serde_json::from_str(params.get()) {
            Ok(asked) => asked,
            Err(error) => {
                self.complain(&format!("a request for permission that is none: {error}"));
                return Some(Err(Refusal::invalid_params()));
            }
        };
        let (session, call) = (session_id(&asked.session_id), asked.tool_call.clone());
        let mut about = None;
        let heard = self.hear(&session, |entry, now, events| {
            about = Some(call_tool(entry, call, now, events));
        });
        let asked = heard.and_then(|()| match about {
            Some(tool) => self.ask(|number| Waiting::new(number, id.clone(), asked, &tool)),
            None => Ok(()),
        });
        asked.err().map(|why| {
            self.complain(&why);
            Ok(permission::cancelled())
        })
    }

    fn complain(&self, why: String) {
        Self::complain(self, &why);
    }

    fn ended(&self, why: &str) {
        self.end(why);
    }
}

impl Book {
    fn update(&self, update: &Update<'_>) -> Result<(), String> {
        let session = session_id(&update.session_id);
        match serde_json::from_str::<SessionUpdate>(update.update.get()) {
            Ok(known) => self.hear(&session, |entry, now, events| apply(entry, known, now, events)),
            Err(error) => {
                let kind: Kind = serde_json::from_str(update.update.get())
                    .map_err(|_| format!("an update that is none: {error}"))?;
                self.hear(&session, |entry, _, events| {
                    events.push(other(entry, &kind.session_update));
                })
            }
        }
    }
}

fn apply(entry: &mut Entry, update: SessionUpdate, now: i64, events: &mut Vec<Event>) {
    match update {
        // A turn of ours has its prompt already, and some agents say it again.
        SessionUpdate::UserMessageChunk(_)
            if entry.turn.is_some() && entry.stage == Stage::Open =>
        {
            events.push(other(entry, "user_message_chunk"));
        }
        SessionUpdate::UserMessageChunk(chunk) => say(entry, Voice::Person, chunk, now, events),
        SessionUpdate::AgentMessageChunk(chunk) => say(entry, Voice::Agent, chunk, now, events),
        SessionUpdate::AgentThoughtChunk(chunk) => say(entry, Voice::Thought, chunk, now, events),
        SessionUpdate::ToolCall(call) => drop(call_tool(entry, call.into(), now, events)),
        SessionUpdate::ToolCallUpdate(call) => drop(call_tool(entry, call, now, events)),
        SessionUpdate::Plan(plan) => {
            entry.todos = todos(plan);
            let session_id = entry.session.id.clone();
            events.push(Event::Todos { session_id, todos: entry.todos.clone() });
        }
        SessionUpdate::AvailableCommandsUpdate(update) => {
            let commands = update.available_commands.into_iter().take(MOST_COMMANDS);
            let commands = commands.map(|command| SlashCommand {
                name: shortened(&command.name),
                description: Some(shortened(&command.description)).filter(|text| !text.is_empty()),
                hint: match command.input {
                    Some(AvailableCommandInput::Unstructured(input)) => {
                        Some(shortened(&input.hint))
                    }
                    _ => None,
                },
                source: None,
            });
            entry.commands = Some(commands.collect());
            events.push(Event::CatalogueChanged { what: "slash commands".to_owned() });
        }
        SessionUpdate::CurrentModeUpdate(update) => {
            entry.options.tell_mode(update.current_mode_id);
            options_changed(entry, events);
        }
        SessionUpdate::ConfigOptionUpdate(update) => {
            entry.options.tell(Some(update.config_options), None);
            options_changed(entry, events);
        }
        SessionUpdate::SessionInfoUpdate(SessionInfoUpdate { title, .. }) => {
            if let MaybeUndefined::Value(title) = title {
                entry.session.title = shortened(&title);
                events.push(Event::SessionUpdated { session: entry.session.clone() });
            }
        }
        SessionUpdate::UsageUpdate(update) => use_tokens(entry, &update, events),
        SessionUpdate::CompactionUpdate(update) => {
            if update.status == CompactionStatus::Completed {
                events.push(Event::Compacted { session_id: entry.session.id.clone() });
            }
        }
        _ => events.push(other(entry, "session_update")),
    }
}

fn say(entry: &mut Entry, voice: Voice, chunk: ContentChunk, now: i64, events: &mut Vec<Event>) {
    let piece = match content::read(chunk.content) {
        // Some agents hang numbers on a text without letters.
        content::Read::Text { text, .. } if text.is_empty() => return,
        content::Read::Text { text, is_synthetic } => Piece::Text { text, is_synthetic },
        content::Read::File(file) => Piece::File(file),
        content::Read::Unknown(what) => return events.push(other(entry, what)),
    };
    let of = chunk.message_id.map(|id| shortened(&id.0));
    entry.history.say((voice, of), piece, now, events);
}

/// What is new of a call of a tool; gives the call as it is now.
fn call_tool(
    entry: &mut Entry,
    update: ToolCallUpdate,
    now: i64,
    events: &mut Vec<Event>,
) -> crate::model::ToolCall {
    let id = shortened(&update.tool_call_id.0);
    let known = entry.history.called(&id).cloned();
    let mut call = known.unwrap_or_else(|| tool::begun(&id, now));
    let unknown = tool::change(&mut call, update.fields, now);
    entry.history.call(&id, |kept| kept.clone_from(&call), now, events);
    events.extend(unknown.into_iter().map(|what| other(entry, what)));
    call
}

fn use_tokens(entry: &mut Entry, update: &UsageUpdate, events: &mut Vec<Event>) {
    entry.options.context = Some(update.size).filter(|size| *size > 0);
    let usage = Usage { input: update.used, ..Usage::default() };
    entry.history.amend(|info| info.usage = Some(usage), events);
    // What it cost in another currency is not dollars.
    if let Some(cost) = update.cost.as_ref().filter(|cost| cost.currency == "USD") {
        entry.session.totals = Some(Totals { usage, cost: cost.amount });
        events.push(Event::SessionUpdated { session: entry.session.clone() });
    }
}

fn options_changed(entry: &mut Entry, events: &mut Vec<Event>) {
    entry.settle_options();
    events.push(Event::SessionUpdated { session: entry.session.clone() });
    events.push(Event::CatalogueChanged { what: "models and modes".to_owned() });
}

fn todos(plan: Plan) -> Vec<Todo> {
    let entries = plan.entries.into_iter().take(MOST_TODOS);
    entries
        .map(|entry| Todo {
            content: shortened(&entry.content),
            state: match entry.status {
                PlanEntryStatus::Pending => TodoState::Pending,
                PlanEntryStatus::InProgress => TodoState::InProgress,
                PlanEntryStatus::Completed => TodoState::Completed,
                _ => TodoState::Unknown,
            },
            priority: match entry.priority {
                PlanEntryPriority::High => "high",
                PlanEntryPriority::Medium => "medium",
                PlanEntryPriority::Low => "low",
                _ => "",
            }
            .to_owned(),
        })
        .collect()
}

fn other(entry: &Entry, name: &str) -> Event {
    Event::Other { name: shortened(name), session_id: Some(entry.session.id.clone()) }
}

fn session_id(id: &WireSessionId) -> SessionId {
    SessionId(shortened(&id.0))
}
