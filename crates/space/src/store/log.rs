//! Reading the record of calls: filtered, in pages, newest first, without holding up the writer.
//!
//! A reader has a connection of its own that cannot write, so a running server and a person who
//! looks at the log afterwards read it in the same way.

use std::{
    fmt::Write,
    path::{Path, PathBuf},
};

use openspace_command::{Caller, ErrorKind, Outcome, Record};
use rusqlite::{Connection, InterruptHandle, params_from_iter, types::Value};

use super::{StoreError, schema};

/// A word to be met exactly, or the start of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// The whole word.
    Exact(String),
    /// How it starts.
    Prefix(String),
}

impl Pattern {
    /// `file.read` is the whole word, `file.*` the start of one.
    pub fn parse(text: &str) -> Self {
        match text.strip_suffix('*') {
            Some(start) => Self::Prefix(start.to_owned()),
            None => Self::Exact(text.to_owned()),
        }
    }
}

/// How the calls ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// They did what was asked.
    Ok,
    /// They failed, in any way.
    Failed,
    /// They failed in this way.
    Kind(ErrorKind),
}

/// Which records are wanted: those that meet all of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Started at this moment or later.
    pub since: Option<u64>,
    /// Started before this moment.
    pub until: Option<u64>,
    /// The caller's name.
    pub caller: Option<Pattern>,
    /// Any of these commands.
    pub commands: Option<Vec<Pattern>>,
    /// How they ended.
    pub ended: Option<Ended>,
    /// Named one of these paths or something beneath it; with no paths, named any.
    pub paths: Option<Vec<String>>,
    /// The workspace they worked in.
    pub workspace: Option<String>,
    /// Occurs in the summary, the error or the command.
    pub text: Option<String>,
}

/// Some records, newest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// The records with their ids.
    pub records: Vec<(u64, Record)>,
    /// Whether there are older ones.
    pub more: bool,
}

/// A connection that reads.
pub struct Reader {
    path: PathBuf,
    connection: Connection,
}

/// Ends a read that is under way when it is dropped.
pub struct StopOnDrop(InterruptHandle);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.interrupt();
    }
}

impl Reader {
    /// Open a database that a server has made, whether that still runs or not.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let connection = schema::open_for_reading(path)?;
        Ok(Self { path: path.to_owned(), connection })
    }

    /// What ends a read from another thread.
    pub fn stop_on_drop(&self) -> StopOnDrop {
        StopOnDrop(self.connection.get_interrupt_handle())
    }

    /// At most `limit` records, newest first, all older than the one with the id `before`.
    ///
    /// Ids only grow, so that pages that follow each other hold every record once, whatever is
    /// written meanwhile.
    pub fn page(
        &self,
        filter: &Filter,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Page, StoreError> {
        let failed = schema::failed(&self.path);
        let mut question = Question::of(filter);
        if let Some(before) = before {
            question.meet("id < ?", [integer(before)]);
        }
        let sql = format!(
            "SELECT at, caller_kind, caller, session, command, summary, outcome, error, micros,
                    workspace, paths, id, let_in
             FROM audit{} ORDER BY id DESC LIMIT {}",
            question.conditions,
            limit.saturating_add(1)
        );
        let mut query = self.connection.prepare(&sql).map_err(&failed)?;
        let rows = query
            .query_map(params_from_iter(question.values), |row| {
                Ok((row.get::<_, i64>(11)?.unsigned_abs(), record(row)?))
            })
            .map_err(&failed)?;
        let mut records = rows.collect::<Result<Vec<_>, _>>().map_err(&failed)?;
        let more = records.len() > limit;
        records.truncate(limit);
        Ok(Page { records, more })
    }
}

fn integer(number: u64) -> Value {
    Value::Integer(i64::try_from(number).unwrap_or(i64::MAX))
}

fn text(word: impl Into<String>) -> Value {
    Value::Text(word.into())
}

/// The conditions of a query, and the values that they speak of. Values are never part of the SQL.
///
/// Records are met from the newest on, and a page ends as soon as it is full: all pages together
/// look at each record once. An index helps only where its entries come in the order of ids, which
/// is so for one word; everywhere else a `+` keeps the index from being used and all that it finds
/// from being sorted anew for each page.
#[derive(Default)]
struct Question {
    conditions: String,
    values: Vec<Value>,
}

impl Question {
    fn of(filter: &Filter) -> Self {
        let mut question = Self::default();
        if let Some(since) = filter.since {
            question.meet("+at >= ?", [integer(since)]);
        }
        if let Some(until) = filter.until {
            question.meet("+at < ?", [integer(until)]);
        }
        if let Some(caller) = &filter.caller {
            let (condition, values) = any_of("caller", std::slice::from_ref(caller));
            question.meet(&condition, values);
        }
        if let Some(commands) = &filter.commands {
            let (condition, values) = any_of("command", commands);
            question.meet(&condition, values);
        }
        match filter.ended {
            None => {}
            Some(Ended::Ok) => question.meet("outcome = ?", [text(Outcome::Done.word())]),
            Some(Ended::Failed) => question.meet("outcome <> ?", [text(Outcome::Done.word())]),
            Some(Ended::Kind(kind)) => question.meet("outcome = ?", [text(kind.word())]),
        }
        if let Some(paths) = &filter.paths {
            let mut condition = String::from("EXISTS (SELECT 1 FROM audit_path WHERE record = id");
            let mut values = Vec::new();
            for path in paths {
                let word = if values.is_empty() { "AND (" } else { "OR" };
                // `0` is the character after `/`.
                let _ = write!(condition, " {word} path = ? OR path > ? AND path < ?");
                values.extend([text(path), text(format!("{path}/")), text(format!("{path}0"))]);
            }
            condition.push_str(if paths.is_empty() { "" } else { ")" });
            condition.push(')');
            question.meet(&condition, values);
        }
        if let Some(workspace) = &filter.workspace {
            question.meet("workspace = ?", [text(workspace)]);
        }
        if let Some(words) = &filter.text {
            let plain = words.replace('\\', r"\\").replace('%', r"\%").replace('_', r"\_");
            let condition = r"(summary LIKE ? ESCAPE '\' OR error LIKE ? ESCAPE '\' OR command LIKE ? ESCAPE '\')";
            question.meet(condition, vec![text(format!("%{plain}%")); 3]);
        }
        question
    }

    fn meet(&mut self, condition: &str, values: impl IntoIterator<Item = Value>) {
        let word = if self.conditions.is_empty() { "WHERE" } else { "AND" };
        let _ = write!(self.conditions, " {word} {condition}");
        self.values.extend(values);
    }
}

fn any_of(column: &str, patterns: &[Pattern]) -> (String, Vec<Value>) {
    if let [Pattern::Exact(word)] = patterns {
        return (format!("{column} = ?"), vec![text(word)]);
    }
    let mut conditions = Vec::new();
    let mut values = Vec::new();
    for pattern in patterns {
        match pattern {
            Pattern::Exact(word) => {
                conditions.push(format!("+{column} = ?"));
                values.push(text(word));
            }
            Pattern::Prefix(start) => {
                conditions.push(format!("(+{column} >= ? AND +{column} < ?)"));
                values.extend([text(start), text(format!("{start}{}", char::MAX))]);
            }
        }
    }
    (format!("({})", conditions.join(" OR ")), values)
}

fn record(row: &rusqlite::Row<'_>) -> rusqlite::Result<Record> {
    let outcome = match row.get::<_, String>(6)? {
        done if done == Outcome::Done.word() => Outcome::Done,
        kind => Outcome::Failed(json(6, kind.into())?),
    };
    let paths = match row.get::<_, Option<String>>(10)? {
        Some(list) => serde_json::from_str(&list).map_err(|error| unreadable(10, error))?,
        None => Vec::new(),
    };
    Ok(Record {
        at: row.get::<_, i64>(0)?.unsigned_abs(),
        caller: Caller {
            kind: json(1, row.get::<_, String>(1)?.into())?,
            id: row.get(2)?,
            session: row.get(3)?,
        },
        command: row.get(4)?,
        workspace: row.get(9)?,
        summary: row.get(5)?,
        paths,
        let_in: row.get(12)?,
        outcome,
        error: row.get(7)?,
        micros: row.get::<_, i64>(8)?.unsigned_abs(),
    })
}

fn json<T: serde::de::DeserializeOwned>(
    column: usize,
    value: serde_json::Value,
) -> rusqlite::Result<T> {
    serde_json::from_value(value).map_err(|error| unreadable(column, error))
}

fn unreadable(column: usize, error: serde_json::Error) -> rusqlite::Error {
    let kind = rusqlite::types::Type::Text;
    rusqlite::Error::FromSqlConversionFailure(column, kind, Box::new(error))
}
