//! Several servers for one file: who is asked what, and how their answers become one.
//!
//! What an answer carries for later questions (`data`) means something to the process that said it and to no other,
//! so it is kept with the name of that server and of its process.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::diagnostics::Report;

#[cfg(test)]
mod tests;

/// The most entries of one answer.
pub const MOST_ENTRIES: usize = 10_000;

/// Who of several servers is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// The first that can.
    First,
    /// All that can; their answers are joined.
    All,
}

/// Who is asked for this.
pub fn asked(method: &str) -> Asked {
    match method {
        "textDocument/completion" | "textDocument/codeAction" | "workspace/symbol" => Asked::All,
        _ => Asked::First,
    }
}

/// Methods whose entries are sent back to the server with their data.
const CARRY_DATA: &[&str] = &[
    "textDocument/codeAction",
    "textDocument/codeLens",
    "textDocument/completion",
    "textDocument/documentLink",
    "textDocument/inlayHint",
    "textDocument/prepareCallHierarchy",
    "textDocument/prepareTypeHierarchy",
    "typeHierarchy/subtypes",
    "typeHierarchy/supertypes",
    "workspace/symbol",
];

/// Which process of which server said something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The server.
    pub server: String,
    /// Its process.
    pub generation: u64,
}

/// What one server answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Who.
    pub origin: Origin,
    /// What.
    pub value: Value,
}

/// One answer made of those of several servers, in their order. What belongs to a process is marked as its own.
pub fn joined(method: &str, answers: Vec<Answer>) -> Value {
    if method == "textDocument/completion" {
        return joined_completions(answers);
    }
    if asked(method) == Asked::First {
        let first = answers.into_iter().next();
        return first.map_or(Value::Null, |mut first| {
            if CARRY_DATA.contains(&method) {
                mark(&mut first.value, &first.origin);
            }
            first.value
        });
    }
    let mut all = Vec::new();
    for mut answer in answers {
        mark(&mut answer.value, &answer.origin);
        if let Value::Array(entries) = answer.value {
            all.extend(entries);
        }
    }
    all.truncate(MOST_ENTRIES);
    Value::Array(all)
}

fn joined_completions(answers: Vec<Answer>) -> Value {
    let (mut items, mut is_incomplete) = (Vec::new(), false);
    for mut answer in answers {
        mark(&mut answer.value, &answer.origin);
        is_incomplete |= answer.value.get("isIncomplete") == Some(&Value::Bool(true));
        match answer.value {
            Value::Array(entries) => items.extend(entries),
            Value::Object(mut list) => {
                if let Some(Value::Array(entries)) = list.remove("items") {
                    items.extend(entries);
                }
            }
            _ => {}
        }
    }
    is_incomplete |= items.len() > MOST_ENTRIES;
    items.truncate(MOST_ENTRIES);
    json!({"isIncomplete": is_incomplete, "items": items})
}

/// What several servers say of one file: all of it, and as fresh as the least fresh.
pub fn reports(of_each: Vec<(&str, Report)>) -> Option<Report> {
    of_each
        .into_iter()
        .map(|(server, mut report)| {
            for item in report.items.iter_mut().chain(&mut report.beside) {
                item.source.get_or_insert_with(|| server.to_owned());
            }
            report.failure = report.failure.map(|why| format!("{server}: {why}"));
            report
        })
        .reduce(|mut all, more| {
            all.freshness = all.freshness.max(more.freshness);
            all.version = all.version.or(more.version);
            all.items.extend(more.items);
            all.items.sort_by_key(|item| (item.range, item.severity));
            all.beside.extend(more.beside);
            all.left_out += more.left_out;
            all.failure = match (all.failure, more.failure) {
                (Some(one), Some(other)) => Some(format!("{one}; {other}")),
                (one, other) => one.or(other),
            };
            all
        })
}

/// Mark what an answer carries as belonging to a process: an entry, or each of a list of them.
fn mark(answer: &mut Value, origin: &Origin) {
    match answer {
        Value::Array(entries) => {
            for entry in entries {
                mark_entry(entry, origin);
            }
        }
        Value::Object(list) if list.contains_key("items") => {
            if let Some(Value::Array(entries)) = list.get_mut("items") {
                for entry in entries {
                    mark_entry(entry, origin);
                }
            }
        }
        _ => {}
    }
}

fn mark_entry(entry: &mut Value, origin: &Origin) {
    let Value::Object(fields) = &mut *entry else { return };
    // A command among actions has no place for a mark, so it becomes an action.
    if fields.get("command").is_some_and(Value::is_string) {
        let command = entry.take();
        *entry = json!({"title": command["title"], "command": command});
    }
    if let Value::Object(fields) = entry {
        let mut marked = json!(origin);
        if let (Some(data), Value::Object(marked)) = (fields.remove("data"), &mut marked) {
            marked.insert("data".to_owned(), data);
        }
        fields.insert("data".to_owned(), marked);
    }
}

/// Take the mark off an entry that comes back. Nothing, if it has none: then nobody knows whose it is.
pub fn unmark(entry: &mut Value) -> Option<Origin> {
    let fields = entry.as_object_mut()?;
    let origin = Origin::deserialize(fields.get("data")?).ok()?;
    let data =
        fields.get_mut("data").and_then(Value::as_object_mut).and_then(|it| it.remove("data"));
    match data {
        Some(data) => drop(fields.insert("data".to_owned(), data)),
        None => drop(fields.remove("data")),
    }
    Some(origin)
}
