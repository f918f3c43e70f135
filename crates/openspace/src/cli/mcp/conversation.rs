//! What is remembered of a client's conversation, so that it can go on with another server.
//!
//! A tool call is never made twice: whether a server that went has done it is not known here, so its
//! caller is told just that. What changes nothing (lists, the beginning of a session, subscriptions) is
//! asked again.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use anyhow::{Context, Result, bail};
use openspace_command::{Error, ErrorKind};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::mcp::unknown_outcome;

#[cfg(test)]
mod tests;

/// Begins the ids of requests that are made here. Their answers are for nobody.
const OURS: &str = "openspace:again:";
/// Requests that wait for the next server at most.
const MOST_HELD: usize = 256;
/// The code of JSON-RPC for a fault on the answering side.
const SERVER_FAULT: i32 = -32_603;

type Line = Vec<u8>;

/// What tells messages apart.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(default)]
    id: Option<Value>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(default, rename = "error")]
    failed: Option<serde::de::IgnoredAny>,
}

/// The beginning of a session, in the era that has them.
struct Hello {
    line: Line,
    id: Value,
    /// What the first server answered.
    version: Option<String>,
}

/// A request without an answer.
enum UnderWay {
    /// It may change something.
    Call,
    /// It changes nothing and can be asked again.
    Question(Line),
    /// Its result would say that nothing more is told, which is so only when the client wants it.
    Listening(Line),
}

/// What a message of the client is.
enum Heard {
    Call(Value),
    Ping(Value),
    Question(Value),
    Other,
}

/// One client's conversation.
#[derive(Default)]
pub(super) struct Conversation {
    hello: Option<Hello>,
    /// The client's word that the session has begun.
    begun: Option<Line>,
    /// The resources that it subscribed to.
    watched: BTreeSet<String>,
    /// By id, as text.
    under_way: BTreeMap<String, UnderWay>,
    /// Requests made here.
    made: u64,
}

impl Conversation {
    /// Remember a message of the client.
    pub(super) fn hear(&mut self, line: &[u8]) {
        self.remember(line);
    }

    fn remember(&mut self, line: &[u8]) -> Heard {
        // What cannot be read is for the server to refuse.
        let Ok(envelope) = serde_json::from_slice::<Envelope<'_>>(line) else {
            return Heard::Other;
        };
        let Some(method) = envelope.method else { return Heard::Other };
        let param = |name: &str| {
            let message: Value = serde_json::from_slice(line).ok()?;
            message.get("params")?.get(name).cloned()
        };
        let uri = || param("uri").and_then(|uri| uri.as_str().map(str::to_owned));
        let Some(id) = envelope.id else {
            match &*method {
                "notifications/initialized" => self.begun = Some(line.to_owned()),
                "notifications/cancelled" => {
                    // Nobody waits for it any more, and no answer will come.
                    if let Some(id) = param("requestId") {
                        self.under_way.remove(&id.to_string());
                    }
                }
                _ => {}
            }
            return Heard::Other;
        };
        let key = id.to_string();
        match &*method {
            "tools/call" => {
                self.under_way.insert(key, UnderWay::Call);
                return Heard::Call(id);
            }
            "ping" => {
                self.under_way.insert(key, UnderWay::Question(line.to_owned()));
                return Heard::Ping(id);
            }
            "subscriptions/listen" => {
                self.under_way.insert(key, UnderWay::Listening(line.to_owned()));
                return Heard::Question(id);
            }
            "initialize" => {
                self.hello = Some(Hello { line: line.to_owned(), id: id.clone(), version: None });
            }
            "resources/subscribe" => self.watched.extend(uri()),
            "resources/unsubscribe" => {
                if let Some(uri) = uri() {
                    self.watched.remove(&uri);
                }
            }
            _ => {}
        }
        self.under_way.insert(key, UnderWay::Question(line.to_owned()));
        Heard::Question(id)
    }

    /// Note what a server says; whether it is for the client.
    pub(super) fn pass(&mut self, line: &[u8]) -> bool {
        let Ok(Envelope { id: Some(id), method: None, failed }) = serde_json::from_slice(line)
        else {
            return true;
        };
        if id.as_str().is_some_and(|id| id.starts_with(OURS)) {
            return false;
        }
        let key = id.to_string();
        if failed.is_none() && matches!(self.under_way.get(&key), Some(UnderWay::Listening(_))) {
            // The server stops, and the next one is listened to.
            return false;
        }
        self.under_way.remove(&key);
        if let Some(hello) = self.hello.as_mut().filter(|hello| hello.id == id) {
            hello.version = version_of(line);
        }
        true
    }

    /// The server has gone: answers for the calls that it took with it.
    pub(super) fn lost(&mut self) -> Vec<Line> {
        let lost = self.under_way.extract_if(.., |_, request| matches!(request, UnderWay::Call));
        let lost: Vec<String> = lost.map(|(id, _)| id).collect();
        lost.iter().map(|id| self.failed_call(&parsed(id), &unknown_outcome())).collect()
    }

    /// Answer a message while there is no server, unless it can wait for one.
    pub(super) fn answer_for_nobody(
        &mut self,
        line: &[u8],
        given_up: bool,
        why: Option<String>,
    ) -> Vec<Line> {
        let (id, answer) = match self.remember(line) {
            Heard::Call(id) => {
                let answer = self.failed_call(&id, &no_server(why));
                (id, answer)
            }
            // It asks whether the other side is there, and this side is.
            Heard::Ping(id) => {
                let answer = message(&json!({"jsonrpc": "2.0", "id": id, "result": {}}));
                (id, answer)
            }
            Heard::Question(id) if given_up || self.under_way.len() > MOST_HELD => {
                let answer = failed_question(&id, &no_server(why));
                (id, answer)
            }
            Heard::Question(_) | Heard::Other => return Vec::new(),
        };
        self.under_way.remove(&id.to_string());
        vec![answer]
    }

    /// Answers for what has waited too long for a server.
    pub(super) fn give_up(&mut self, why: Option<String>) -> Vec<Line> {
        let error = no_server(why);
        let given_up = std::mem::take(&mut self.under_way);
        given_up.keys().map(|id| failed_question(&parsed(id), &error)).collect()
    }

    /// The beginning of the session for another server, if there is a session.
    pub(super) fn hello(&mut self) -> Option<Line> {
        let hello = self.hello.as_ref().filter(|hello| hello.version.is_some())?;
        let mut again: Value = serde_json::from_slice(&hello.line).ok()?;
        self.made += 1;
        again["id"] = format!("{OURS}{}", self.made).into();
        Some(message(&again))
    }

    /// The other server's answer to that.
    pub(super) fn welcomed(&self, line: &[u8]) -> Result<()> {
        let version = version_of(line).context("the server does not take the session")?;
        let first = self.hello.as_ref().and_then(|hello| hello.version.as_ref());
        if first != Some(&version) {
            bail!("the server speaks {version}, which this session does not");
        }
        Ok(())
    }

    /// What another server is told once the session has begun.
    pub(super) fn rest(&mut self) -> Vec<Line> {
        let mut lines = Vec::new();
        let begins_anew = self.hello.as_ref().filter(|hello| hello.version.is_none());
        let first = begins_anew.map(|hello| hello.id.to_string());
        if begins_anew.is_none() {
            lines.extend(self.begun.clone());
        }
        for uri in &self.watched {
            self.made += 1;
            let id = format!("{OURS}{}", self.made);
            let method = "resources/subscribe";
            lines.push(message(
                &json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {"uri": uri}}),
            ));
        }
        let question = |request: &UnderWay| match request {
            UnderWay::Call => None,
            UnderWay::Question(line) | UnderWay::Listening(line) => Some(line.clone()),
        };
        lines.extend(first.iter().filter_map(|id| self.under_way.get(id)).filter_map(question));
        let others = self.under_way.iter().filter(|(id, _)| Some(*id) != first.as_ref());
        lines.extend(others.filter_map(|(_, request)| question(request)));
        lines
    }

    /// A failure as the result of a tool: that is what models get to read.
    fn failed_call(&self, id: &Value, error: &Error) -> Line {
        let mut result = json!({
            "content": [{"type": "text", "text": error.to_text()}],
            "structuredContent": error.to_value(),
            "isError": true,
        });
        // The era without sessions names the kind of every result.
        if self.hello.is_none() {
            result["resultType"] = "complete".into();
        }
        message(&json!({"jsonrpc": "2.0", "id": id, "result": result}))
    }
}

fn no_server(why: Option<String>) -> Error {
    let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
    let message = format!("no server runs for this workspace at the moment{why}; nothing was done");
    Error::new(ErrorKind::Busy, message)
        .hint("try again in a few seconds: the next server is joined by itself")
}

fn failed_question(id: &Value, error: &Error) -> Line {
    let error = json!({"code": SERVER_FAULT, "message": error.to_text(), "data": error.to_value()});
    message(&json!({"jsonrpc": "2.0", "id": id, "error": error}))
}

fn version_of(answer: &[u8]) -> Option<String> {
    let answer: Value = serde_json::from_slice(answer).ok()?;
    answer.pointer("/result/protocolVersion")?.as_str().map(str::to_owned)
}

/// An id was made into text here, so it can be read.
fn parsed(id: &str) -> Value {
    serde_json::from_str(id).unwrap_or(Value::Null)
}

fn message(value: &Value) -> Line {
    format!("{value}\n").into_bytes()
}
