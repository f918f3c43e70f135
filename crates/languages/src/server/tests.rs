//! The machine with a server that says what a test has it say, and a clock that a test sets.

#![expect(clippy::needless_pass_by_value, reason = "a test writes its values where it uses them")]

use std::time::Duration;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::*;
use crate::{
    diagnostics::Freshness,
    frame::Frame,
    question::{AskError, Asker, Question, WhileLoading},
};

mod asking;
mod checking;
mod hostile;
mod life;
mod requests;

/// The machine, the time, and what has come out.
struct Bench {
    server: Server,
    now: Moment,
    said: VecDeque<Value>,
    events: Vec<Event>,
}

fn setup(ready: ReadyBy) -> Setup {
    Setup {
        server: "tester".to_owned(),
        folders: vec![Folder { uri: Uri::read("file:///p"), name: "p".to_owned() }],
        initialization: json!({"option": 1}),
        settings: Settings::new(json!({"a.b": 1})),
        ready,
        client: "openspace".to_owned(),
        version: "0.0.0".to_owned(),
    }
}

fn file() -> Uri {
    Uri::read("file:///p/a.rs")
}

/// Can what most servers can, and pushes diagnostics.
fn able() -> Value {
    json!({
        "textDocumentSync": 2, "hoverProvider": true, "documentSymbolProvider": true,
        "referencesProvider": true, "renameProvider": true, "executeCommandProvider": {"commands": []},
    })
}

fn pulling() -> Value {
    let mut able = able();
    able["diagnosticProvider"] = json!({"interFileDependencies": true});
    able
}

impl Bench {
    fn new(ready: ReadyBy) -> Self {
        let server = Server::new(setup(ready));
        Self { server, now: Moment::from_secs(100), said: VecDeque::new(), events: Vec::new() }
    }

    /// A server that has greeted, and was told what everybody is told.
    fn greeted(ready: ReadyBy, capabilities: Value) -> Self {
        let mut bench = Self::new(ready);
        bench.greet(capabilities);
        bench.heard("initialized");
        bench.heard("workspace/didChangeConfiguration");
        bench.events();
        bench
    }

    fn greet(&mut self, capabilities: Value) {
        self.server.begin(self.now);
        let id = self.asked("initialize").0;
        self.answer(&id, json!({"capabilities": capabilities}));
    }

    fn say(&mut self, message: Value) {
        let mut bytes = Vec::new();
        frame::write(message.to_string().as_bytes(), &mut bytes);
        self.server.received(&bytes, self.now);
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.say(json!({"method": method, "params": params}));
    }

    fn answer(&mut self, id: &Value, result: Value) {
        self.say(json!({"id": id, "result": result}));
    }

    fn refuse(&mut self, id: &Value, code: i64) {
        self.say(json!({"id": id, "error": {"code": code, "message": "no"}}));
    }

    fn pass(&mut self, time: Duration) {
        self.now += time;
        self.server.tick(self.now);
    }

    fn take(&mut self) {
        let mut frames = Frames::default();
        frames.push(&self.server.take_output());
        while let Some(Frame::Body(body)) = frames.next().unwrap() {
            self.said.push_back(serde_json::from_slice(&body).unwrap());
        }
        self.events.extend(self.server.take_events());
    }

    /// The next message, which must be this one; its parameters.
    fn heard(&mut self, method: &str) -> Value {
        self.asked(method).1
    }

    /// The next message, which must be this question; its number and parameters.
    fn asked(&mut self, method: &str) -> (Value, Value) {
        self.take();
        let mut next = self.said.pop_front().unwrap_or_else(|| panic!("nothing, not {method}"));
        assert_eq!(next["method"], method, "{next}");
        (next["id"].take(), next["params"].take())
    }

    /// The next message, which must be an answer.
    fn answered(&mut self) -> Value {
        self.take();
        let mut next = self.said.pop_front().expect("an answer");
        assert!(next["method"].is_null(), "{next}");
        if next["error"].is_null() { next["result"].take() } else { next["error"].take() }
    }

    /// Methods of all that was said since.
    fn rest(&mut self) -> Vec<String> {
        self.take();
        let methods = self.said.drain(..).map(|it| it["method"].as_str().unwrap_or("?").to_owned());
        methods.collect()
    }

    fn events(&mut self) -> Vec<Event> {
        self.take();
        std::mem::take(&mut self.events)
    }

    /// How the questions that have ended were answered, in short.
    fn answers(&mut self) -> Vec<(Ticket, String)> {
        let short = |answer: Result<Reply, AskError>| match answer {
            Ok(reply) if reply.complete => reply.value.to_string(),
            Ok(reply) => format!("{} and perhaps more", reply.value),
            Err(error) => error.to_string(),
        };
        let answers = self.events().into_iter().filter_map(|event| match event {
            Event::Answered { ticket, answer } => Some((ticket, short(answer))),
            _ => None,
        });
        answers.collect()
    }

    fn ask(&mut self, question: Question) -> Ticket {
        self.server.ask(question, self.now).unwrap()
    }

    fn open(&mut self, text: &str) {
        self.server.open(&file(), "rust", text.into(), true, self.now).unwrap();
        self.heard("textDocument/didOpen");
    }

    fn change(&mut self, text: &str) -> Value {
        self.server.replace(&file(), text, self.now).unwrap();
        self.take();
        let is_change = |it: &Value| it["method"] == "textDocument/didChange";
        let at = self.said.iter().position(is_change).expect("a change");
        self.said.remove(at).unwrap()["params"].take()
    }

    fn report(&self) -> (Freshness, Vec<String>) {
        let report = self.server.report(&file());
        (report.freshness, report.items.into_iter().map(|it| it.message).collect())
    }
}

fn hover() -> Question {
    let place = json!({"line": 0, "character": 0});
    let params = json!({"textDocument": {"uri": "file:///p/a.rs"}, "position": place});
    Question::new(Asker(1), "textDocument/hover", params)
}

fn diagnostics(version: Option<i32>, message: &str) -> Value {
    let place = json!({"line": 0, "character": 0});
    let item = json!({"range": {"start": place, "end": place}, "message": message});
    json!({"uri": "file:///p/a.rs", "version": version, "diagnostics": [item]})
}

fn full(message: &str) -> Value {
    json!({"kind": "full", "items": diagnostics(None, message)["diagnostics"]})
}

fn knows(freshness: Freshness, messages: &[&str]) -> (Freshness, Vec<String>) {
    (freshness, messages.iter().map(|&it| it.to_owned()).collect())
}

const SECOND: Duration = Duration::from_secs(1);
