//! The record of calls for those who look at it: filters, pages, export, and how long it is kept.
//!
//! Everybody who may use the space sees all of it: it is one record for people and agents alike.
//! It is only ever read here. No command changes it, and none changes how long it is kept.

use std::{fmt::Write, path::Path, sync::Arc, time::Duration};

use openspace_command::{
    Call, Caller, CallerKind, Command, Error, ErrorKind, Now, Outcome, Record, Reply, Result,
};
use openspace_space::{
    Store,
    store::{Filter, Page, StoreError},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    Dispatcher,
    areas::{Area, approvals::words::visible},
    audit::commands::{List, Listed},
};

pub mod commands;
pub mod time;

/// What this area brings.
pub const AREA: Area = Area { commands: commands::COMMANDS, ..Area::EMPTY };

/// How long a record is kept when nobody says otherwise.
pub const DAYS: u32 = 90;
/// Records in one page at most.
pub const MAX_PAGE: u32 = 1_000;
/// How often old records are looked for.
const SWEEP_EVERY: Duration = Duration::from_hours(24);
/// Longest time that one page may take.
const PAGE_WITHIN: Duration = Duration::from_secs(10);

/// One call, as the log shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Logged {
    /// Grows with every record.
    pub id: u64,
    /// When it started: RFC 3339, UTC.
    pub time: String,
    /// When it started, in milliseconds since 1970.
    pub at: u64,
    /// What kind of caller it was.
    pub caller_kind: CallerKind,
    /// The caller's name.
    pub caller: String,
    /// The caller's own session, where it has one.
    pub session: Option<String>,
    /// Canonical id of the command, or the name asked for when there is no such command.
    pub command: String,
    /// The workspace it worked in, for commands that choose one of several.
    pub workspace: Option<String>,
    /// One line that names things and holds no contents.
    pub summary: String,
    /// The files and folders it named.
    pub paths: Vec<String>,
    /// By what it was let in, such as a rule or a person's answer; nothing where nobody had to decide.
    #[serde(default)]
    pub let_in: Option<String>,
    /// `ok`, or the kind of the failure.
    pub outcome: String,
    /// The error's sentence, for a call that failed.
    pub error: Option<String>,
    /// How long it took, in microseconds.
    pub micros: u64,
}

impl Logged {
    /// A record as the log shows it.
    pub fn of(id: u64, record: Record) -> Self {
        let Record {
            at,
            caller,
            command,
            workspace,
            summary,
            paths,
            let_in,
            outcome,
            error,
            micros,
        } = record;
        let outcome = match outcome {
            Outcome::Done => "ok",
            Outcome::Failed(kind) => kind.word(),
        };
        Self {
            id,
            time: time::rfc3339(at),
            at,
            caller_kind: caller.kind,
            caller: caller.id,
            session: caller.session,
            command,
            workspace,
            summary,
            paths,
            let_in,
            outcome: outcome.to_owned(),
            error,
            micros,
        }
    }

    /// The names of the columns of [`Self::line`].
    pub fn heading() -> String {
        columns("time", "kind", "caller", "outcome", "took", "command", "what")
    }

    /// One line of a table.
    pub fn line(&self) -> String {
        let command = self.command.strip_prefix("openspace.").unwrap_or(&self.command);
        let mut what = self.summary.clone();
        if let Some(error) = &self.error {
            let _ = write!(what, "{}{error}", if what.is_empty() { "" } else { ": " });
        }
        let took = format!("{}.{} ms", self.micros / 1_000, self.micros % 1_000 / 100);
        // Names, paths and lines are chosen by others: nothing in them acts on a terminal or hides.
        let line = |text: &str| visible(text, true);
        columns(
            &self.time,
            self.caller_kind.word(),
            &line(&self.caller),
            &self.outcome,
            &took,
            &line(command),
            &line(&what),
        )
    }
}

fn columns(
    time: &str,
    kind: &str,
    caller: &str,
    outcome: &str,
    took: &str,
    command: &str,
    what: &str,
) -> String {
    let line = format!(
        "{time:<24}  {kind:<6}  {caller:<12}  {outcome:<14}  {took:>10}  {command:<20}  {what}"
    );
    line.trim_end().to_owned()
}

/// Read a page of the log, with everything in it that was recorded before.
async fn read(store: &Arc<Store>, filter: Filter, before: Option<u64>, limit: u32) -> Result<Page> {
    store.flush().settled().await;
    let reader = on_thread({
        let store = Arc::clone(store);
        move || store.reader()
    })
    .await?;
    // A caller that goes away and a read that takes too long both end it by dropping this.
    let _stop = reader.stop_on_drop();
    let page = on_thread(move || reader.page(&filter, before, limit as usize));
    tokio::time::timeout(PAGE_WITHIN, page).await.unwrap_or_else(|_| {
        let seconds = PAGE_WITHIN.as_secs();
        Err(Error::new(ErrorKind::TimedOut, format!("the log was not read within {seconds} s"))
            .hint("narrow it with `since`, `until`, `command` or `caller`"))
    })
}

async fn on_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T> {
    let failed = |cause: Box<dyn std::error::Error + Send + Sync>| {
        Error::internal("the log cannot be read")
            .hint("the server's own log says why")
            .because(cause)
    };
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result.map_err(|error| failed(error.into())),
        Err(join) => Err(failed(join.into())),
    }
}

/// The whole log, or as much as is wanted, page by page.
pub struct Export {
    store: Arc<Store>,
    filter: Filter,
    /// Records still wanted.
    left: u64,
    /// What comes next; `None` when everything was given.
    next: Option<Next>,
}

enum Next {
    Ready(Listed),
    OlderThan(u64),
}

impl Export {
    /// Ask for records with the arguments of `audit.list`, of which `limit` may be any number, or
    /// left out for all. The call is checked, counted and recorded as that command, once.
    pub async fn start(
        dispatcher: &Dispatcher,
        caller: Caller,
        mut args: Map<String, Value>,
    ) -> Result<Self, Box<Reply>> {
        let limit = args.shift_remove("limit");
        let left = limit.as_ref().map_or(Some(u64::MAX), Value::as_u64);
        let first = match (left, limit) {
            (Some(left @ 1..), _) => left.min(MAX_PAGE.into()).into(),
            (_, limit) => limit.unwrap_or_default(),
        };
        args.insert("limit".into(), first);
        let args = Value::Object(args);
        let workspace = dispatcher.state();
        let now = workspace.now();
        let call = Call::new(caller, List::META.id, args.clone());
        let mut reply = dispatcher.dispatch(call).await;
        let ready = match &mut reply.result {
            Ok(data) => serde_json::from_value(Value::Object(std::mem::take(data))),
            Err(_) => return Err(Box::new(reply)),
        };
        let asked = ready.and_then(|ready| Ok((ready, serde_json::from_value::<List>(args)?)));
        let asked = asked.map_err(|error| Error::internal("the log cannot be read").because(error));
        let registry = dispatcher.registry();
        let export = asked.and_then(|(ready, list): (Listed, List)| {
            let filter = list.filter(now, workspace.root(), registry)?;
            let store = Arc::clone(workspace.store());
            let left = left.unwrap_or_default();
            Ok(Self { store, filter, left, next: Some(Next::Ready(ready)) })
        });
        export.map_err(|error| Box::new(Reply { result: Err(error), ..reply }))
    }

    /// The next records, newest first; `None` after the last.
    pub async fn next(&mut self) -> Option<Result<Vec<Logged>>> {
        let listed = match self.next.take()? {
            Next::Ready(listed) => listed,
            Next::OlderThan(id) => {
                let limit = u32::try_from(self.left).unwrap_or(MAX_PAGE).min(MAX_PAGE);
                match read(&self.store, self.filter.clone(), Some(id), limit).await {
                    Ok(page) => Listed::of(page, None),
                    Err(error) => return Some(Err(error)),
                }
            }
        };
        self.left = self.left.saturating_sub(listed.records.len() as u64);
        self.next = listed.next_before.filter(|_| self.left > 0).map(Next::OlderThan);
        (!listed.records.is_empty()).then_some(Ok(listed.records))
    }
}

/// The log of a folder that no server serves now.
pub struct Offline {
    reader: openspace_space::store::Reader,
    filter: Filter,
    before: Option<u64>,
    left: u64,
}

impl Offline {
    /// Ask a database for records with the arguments of `audit.list`, as [`Export`] does.
    pub fn open(
        database: &Path,
        root: &Path,
        now: u64,
        mut args: Map<String, Value>,
    ) -> Result<Self> {
        let limit = args.shift_remove("limit");
        let left = limit.as_ref().map_or(Some(u64::MAX), Value::as_u64).unwrap_or_default();
        let list: List = serde_json::from_value(Value::Object(args))
            .map_err(|error| Error::invalid(error.to_string()))?;
        let filter = list.filter(now, root, &crate::registry())?;
        let reader =
            openspace_space::store::Reader::open(database).map_err(|error| unreadable(&error))?;
        Ok(Self { reader, filter, before: None, left })
    }

    /// The next records, newest first; none after the last.
    pub fn read(&mut self) -> Result<Vec<Logged>> {
        let limit = usize::try_from(self.left.min(MAX_PAGE.into())).unwrap_or_default();
        if limit == 0 {
            return Ok(Vec::new());
        }
        let page = self.reader.page(&self.filter, self.before, limit);
        let page = page.map_err(|error| unreadable(&error))?;
        let listed = Listed::of(page, None);
        self.before = listed.next_before;
        let given = listed.records.len() as u64;
        self.left = if listed.more { self.left - given } else { 0 };
        Ok(listed.records)
    }
}

/// At the shell of a person who owns the file, the whole reason is of use.
fn unreadable(error: &StoreError) -> Error {
    Error::new(ErrorKind::Internal, error.to_string())
}

/// Remove records when they are so many days old, now and then once a day, until the store ends.
pub(crate) fn keep_for(days: u32, store: &Arc<Store>, now: &Now) {
    let kept = u64::from(days) * SWEEP_EVERY.as_secs() * 1_000;
    let (ended, now) = (store.ended(), Arc::clone(now));
    let store = Arc::downgrade(store);
    let sweeping = async move {
        let mut every = tokio::time::interval(SWEEP_EVERY);
        loop {
            every.tick().await;
            let Some(store) = store.upgrade() else { return };
            store.expire(now().saturating_sub(kept));
        }
    };
    tokio::spawn(async move {
        tokio::select! { () = sweeping => {}, () = ended => {} }
    });
}

#[cfg(test)]
mod tests;
