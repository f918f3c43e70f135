//! What a server says by itself. Every question of it gets an answer, for a server that gets none may wait for ever.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

use super::{EditId, Event, MOST_NONSENSE, Phase, Server};
use crate::{
    Moment,
    diagnostics::{Published, Way},
    frame::{self, Frame},
    message::{self, Incoming, METHOD_NOT_FOUND, Refusal, taken},
    uri::Uri,
};

/// Edits that a server may wait for at a time.
const MOST_EDITS: usize = 8;
/// How long it may wait for one.
const EDIT_PATIENCE: Duration = Duration::from_secs(10);
/// What is kept of what it tells people.
const LONGEST_NOTICE: usize = 2000;
/// Registrations in one message that are looked at.
const MOST_AT_ONCE: usize = 1000;

/// What an answer was about that is not so any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Feature {
    CodeLens,
    Diagnostics,
    FoldingRange,
    InlayHint,
    InlineValue,
    SemanticTokens,
}

/// How bad something is that a server tells people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    Error,
    Warning,
    Information,
}

/// An edit that the server waits for.
#[derive(Debug)]
pub(super) struct AskedEdit {
    edit: EditId,
    id: Value,
    pub(super) until: Moment,
}

impl Server {
    /// It wrote something.
    pub fn received(&mut self, bytes: &[u8], now: Moment) {
        self.frames.push(bytes);
        while matches!(self.phase, Phase::Starting { .. } | Phase::Running | Phase::Ending { .. }) {
            match self.frames.next() {
                Ok(None) => break,
                Ok(Some(Frame::Body(body))) => match Incoming::read(&body) {
                    Ok(said) => {
                        self.nonsense = 0;
                        self.hear(said, now);
                    }
                    Err(why) => self.nonsense(why, now),
                },
                Ok(Some(Frame::TooLarge { bytes })) => {
                    self.complain(format!("it said {bytes} bytes at once, which is not read"));
                }
                Ok(Some(Frame::Noise(line))) => {
                    self.complain(format!("it wrote what is no message: {line}"));
                }
                Err(error) => self.fail(&error.to_string(), now),
            }
        }
        self.settle(now);
    }

    fn nonsense(&mut self, why: String, now: Moment) {
        self.nonsense += 1;
        if self.nonsense > MOST_NONSENSE {
            self.fail(
                &format!("it said {MOST_NONSENSE} messages in a row that are none: {why}"),
                now,
            );
        } else {
            self.complain(why);
        }
    }

    pub(super) fn complain(&mut self, why: String) {
        self.events.push_back(Event::Complaint(why));
    }

    fn hear(&mut self, said: Incoming, now: Moment) {
        match said {
            Incoming::Told { method, params } => self.hear_told(&method, params, now),
            Incoming::Asked { id, method, params } => {
                if let Some(answer) = self.hear_asked(&id, &method, params, now) {
                    self.reply(&id, answer);
                }
            }
            Incoming::Answered { id, answer } => self.answered(&id, answer, now),
        }
    }

    fn reply(&mut self, id: &Value, answer: Result<Value, Refusal>) {
        frame::write(&message::answer(id, answer), &mut self.output);
    }

    fn hear_told(&mut self, method: &str, params: Value, now: Moment) {
        match method {
            "textDocument/publishDiagnostics" => {
                let Some(published) = Published::read(params) else {
                    return self.complain("it found something in a file without a name".to_owned());
                };
                let uri = published.uri.clone();
                self.book.published(published, self.text(&uri), now);
                self.readiness.answered();
                self.events.push_back(Event::Diagnostics { uri });
            }
            "window/showMessage" => self.notice(&params["type"], &params["message"]),
            "experimental/serverStatus" => {
                self.readiness.told(method, &params, now);
                let level = match params["health"].as_str() {
                    Some("error") => json!(1),
                    Some("warning") => json!(2),
                    _ => return,
                };
                self.notice(&level, &params["message"]);
            }
            _ => self.readiness.told(method, &params, now),
        }
    }

    fn notice(&mut self, level: &Value, text: &Value) {
        let level = match level.as_u64() {
            Some(1) => Level::Error,
            Some(2) => Level::Warning,
            _ => Level::Information,
        };
        let text = text.as_str().unwrap_or_default();
        if !text.is_empty() {
            let text = text[..text.floor_char_boundary(LONGEST_NOTICE)].to_owned();
            self.events.push_back(Event::Notice { level, text });
        }
    }

    /// Without an answer now, one is given later.
    fn hear_asked(
        &mut self,
        id: &Value,
        method: &str,
        params: Value,
        now: Moment,
    ) -> Option<Result<Value, Refusal>> {
        let answer = match method {
            "workspace/configuration" => self.setup.settings.answer(&params),
            "workspace/workspaceFolders" => {
                let folders = self.setup.folders.iter();
                folders.map(|it| json!({"uri": it.uri, "name": it.name})).collect()
            }
            "client/registerCapability" => {
                self.register(params);
                Value::Null
            }
            "client/unregisterCapability" => {
                self.unregister(&params);
                Value::Null
            }
            "window/workDoneProgress/create" => Value::Null,
            // Nobody chooses any of its actions: nobody is asked.
            "window/showMessageRequest" => {
                self.notice(&params["type"], &params["message"]);
                Value::Null
            }
            "window/showDocument" => json!({"success": false}),
            "workspace/applyEdit" => return self.edit_asked(id, params, now).map(Ok),
            _ => {
                let Some(feature) = refreshed(method) else {
                    let message = format!("the client has no method {method}");
                    return Some(Err(Refusal { code: METHOD_NOT_FOUND, message, data: None }));
                };
                if feature == Feature::Diagnostics {
                    self.documents.touch();
                    self.book.refresh();
                }
                self.events.push_back(Event::Refresh(feature));
                Value::Null
            }
        };
        Some(Ok(answer))
    }

    fn register(&mut self, mut params: Value) {
        let Value::Array(registrations) = taken(&mut params, "registrations") else { return };
        let mut abilities = false;
        for mut said in registrations.into_iter().take(MOST_AT_ONCE) {
            let (Some(id), Some(method)) = (said["id"].as_str(), said["method"].as_str()) else {
                self.complain("it registered something without a name".to_owned());
                continue;
            };
            let (id, method) = (id.to_owned(), method.to_owned());
            let options = taken(&mut said, "registerOptions");
            if method == "workspace/didChangeWatchedFiles" {
                self.watchers.register(&id, &options);
                self.events.push_back(Event::Watchers);
            } else if self.abilities.register(&id, &method, options) {
                abilities = true;
            } else {
                self.complain(format!("it registered more than is kept: {method}"));
            }
        }
        if abilities {
            self.abilities_changed();
        }
    }

    fn unregister(&mut self, params: &Value) {
        // The protocol misspells it, and not every server follows.
        let said = params.get("unregisterations").or_else(|| params.get("unregistrations"));
        let mut abilities = false;
        for said in said.and_then(Value::as_array).into_iter().flatten().take(MOST_AT_ONCE) {
            let Some(id) = said["id"].as_str() else { continue };
            if said["method"] == "workspace/didChangeWatchedFiles" {
                self.watchers.unregister(id);
                self.events.push_back(Event::Watchers);
            } else {
                self.abilities.unregister(id);
                abilities = true;
            }
        }
        if abilities {
            self.abilities_changed();
        }
    }

    /// Some servers say only now that they can be asked for diagnostics.
    fn abilities_changed(&mut self) {
        let open: Vec<Uri> = self.documents.iter().map(|(uri, _)| uri.clone()).collect();
        for uri in open {
            let way: Way = self.way(&uri);
            self.book.change_way(&uri, &way);
        }
        self.events.push_back(Event::Abilities);
    }

    fn edit_asked(&mut self, id: &Value, mut params: Value, now: Moment) -> Option<Value> {
        let refused = |why: &str| Some(json!({"applied": false, "failureReason": why}));
        let Some(ticket) = self.editing() else {
            return refused("files are edited only while a command of somebody runs, and only one");
        };
        if self.edits.len() >= MOST_EDITS {
            return refused("other edits wait already");
        }
        let edit = EditId(self.next_ticket);
        self.next_ticket += 1;
        self.edits.push(AskedEdit { edit, id: id.clone(), until: now + EDIT_PATIENCE });
        let changes = taken(&mut params, "edit");
        self.events.push_back(Event::EditAsked { edit, ticket, changes });
        None
    }

    /// Say whether an edit was made, or why not. One that is too late was refused already, which is said.
    pub fn answer_edit(&mut self, edit: EditId, made: Result<(), String>, now: Moment) -> bool {
        let Some(at) = self.edits.iter().position(|asked| asked.edit == edit) else { return false };
        let asked = self.edits.swap_remove(at);
        let answer = match made {
            Ok(()) => json!({"applied": true}),
            Err(why) => json!({"applied": false, "failureReason": why}),
        };
        self.reply(&asked.id, Ok(answer));
        self.settle(now);
        true
    }

    pub(super) fn refuse_late_edits(&mut self, now: Moment) {
        let (late, rest) =
            std::mem::take(&mut self.edits).into_iter().partition(|it| it.until <= now);
        self.edits = rest;
        let late: Vec<AskedEdit> = late;
        for asked in late {
            let why = "nobody made the edit in time";
            self.reply(&asked.id, Ok(json!({"applied": false, "failureReason": why})));
        }
    }
}

fn refreshed(method: &str) -> Option<Feature> {
    match method {
        "workspace/codeLens/refresh" => Some(Feature::CodeLens),
        "workspace/diagnostic/refresh" => Some(Feature::Diagnostics),
        "workspace/foldingRange/refresh" => Some(Feature::FoldingRange),
        "workspace/inlayHint/refresh" => Some(Feature::InlayHint),
        "workspace/inlineValue/refresh" => Some(Feature::InlineValue),
        "workspace/semanticTokens/refresh" => Some(Feature::SemanticTokens),
        _ => None,
    }
}
