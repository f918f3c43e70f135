//! `code.actions`: what servers offer to do at a place, and doing it.

use std::sync::Arc;

use openspace_command::{Command, Error, Meta, Result, Shown};
use openspace_languages::{Diagnostic, Event, Position, Range, State};
use openspace_protocol::{Access, RelPath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    after_edit::{self, Problems},
    asking::{Asking, refused},
    commands::{MOST_WAIT, check_name, check_wait, wait},
    edits::{ChangedFile, Edits},
    running::Running,
};
use crate::{Cx, OpenSpace, bounds::check_bounds};

/// Actions that one answer names.
const MOST: usize = 100;

/// List what language servers offer to do on lines of a file, such as quick fixes, or do one of it.
///
/// Everything that it changes is changed in all files or in none. Lines that the person has changed and not saved are
/// kept; an action that touches them is a conflict.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Actions {
    /// Path.
    ///
    /// Of a file, relative to the root or absolute.
    #[serde(alias = "file_path", alias = "filePath")]
    path: String,
    /// First line.
    #[schemars(range(min = 1))]
    line: u32,
    /// Last line; the same when left out.
    #[schemars(range(min = 1))]
    #[serde(alias = "endLine")]
    end_line: Option<u32>,
    /// Only those of a kind, such as `quickfix`, `refactor` or `source.organizeImports`.
    only: Option<String>,
    /// The title of one, to do it.
    apply: Option<String>,
    /// A dry run.
    ///
    /// Only say what would change.
    #[serde(default, alias = "dryRun")]
    dry_run: bool,
    /// The wait.
    ///
    /// Most seconds to wait for a server that loads; 10 when left out.
    #[schemars(range(max = MOST_WAIT))]
    wait_s: Option<u32>,
}

/// What a server offers to do.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CodeAction")]
pub struct Offered {
    /// What it is called, by which it is applied.
    title: String,
    /// What kind it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    /// Who offers it.
    server: String,
    /// True when it is what most would choose.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    preferred: bool,
    /// Why it cannot be done now.
    #[serde(skip_serializing_if = "Option::is_none")]
    disabled: Option<String>,
}

/// What is offered, or what was done.
#[derive(Default, Serialize, JsonSchema)]
pub struct Done {
    /// What is offered there; empty when one was applied.
    actions: Vec<Offered>,
    /// How many there are.
    total: usize,
    /// What was applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    applied: Option<String>,
    /// The files that it changed.
    files: Vec<ChangedFile>,
    /// True when nothing was changed because only that was asked for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    dry_run: bool,
    /// What it broke and mended.
    #[serde(skip_serializing_if = "Option::is_none")]
    problems: Option<Problems>,
}

impl Command<OpenSpace> for Actions {
    const META: Meta =
        Meta::new("code.actions", "Code: Actions", Access::Edit).shown(Shown::Searchable);
    type Output = Done;

    fn summary(&self) -> String {
        match &self.apply {
            Some(title) => format!("`{title}` on line {} of {}", self.line, self.path),
            None => format!("actions on line {} of {}", self.line, self.path),
        }
    }

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    fn check(&self) -> Result<()> {
        check_wait(self.wait_s)?;
        check_bounds("line", Some(self.line), 1..=u32::MAX)?;
        check_bounds("end_line", self.end_line, 1..=u32::MAX)?;
        for (name, given) in [("only", &self.only), ("apply", &self.apply)] {
            given.as_ref().map_or(Ok(()), |given| check_name(name, given))?;
        }
        if self.end_line.is_some_and(|end| end < self.line) {
            return Err(Error::invalid("argument `end_line`: comes before `line`"));
        }
        Ok(())
    }

    async fn run(self, cx: Cx) -> Result<Done> {
        let asking = Asking::new(&cx, wait(self.wait_s));
        let path = cx.state.path(&self.path)?;
        let found = self.offered(&asking, &path).await?;
        let Some(title) = &self.apply else {
            let total = found.len();
            let shown = found.iter().take(MOST).map(|(running, action)| offered(running, action));
            let actions = shown.collect();
            return Ok(Done { actions, total, ..Done::default() });
        };
        let mut meant = found.into_iter().filter(|(_, action)| action["title"] == **title);
        let Some((running, action)) = meant.next() else {
            return Err(Error::not_found(format!("nothing is called `{title}` on these lines"))
                .hint("code_actions without `apply` lists what is offered"));
        };
        if meant.next().is_some() {
            return Err(Error::conflict(format!("several actions are called `{title}`"))
                .hint("give `only`, or fewer lines"));
        }
        if let Some(why) = action["disabled"]["reason"].as_str() {
            return Err(Error::conflict(format!("`{title}` cannot be done now: {why}")));
        }
        let dry_run = self.dry_run;
        let before = if dry_run { None } else { after_edit::before_all(&cx, &[path]).await };
        let files = apply(&cx, &asking, &running, action, dry_run).await?;
        let problems = match before {
            Some(before) => before.problems(&cx.state, false).await,
            None => None,
        };
        let applied = Some(title.clone());
        Ok(Done { applied, files, dry_run, problems, ..Done::default() })
    }

    fn text(done: &Done) -> Option<String> {
        let mut lines = Vec::new();
        match &done.applied {
            Some(title) => {
                let verb = if done.dry_run { "Would change" } else { "Changed" };
                lines.push(format!("{title}: {verb} {} file(s)", done.files.len()));
                lines.extend(done.files.iter().map(ChangedFile::line));
                lines.extend(done.problems.as_ref().map(Problems::words));
            }
            None if done.actions.is_empty() => lines.push("Nothing is offered there.".to_owned()),
            None => lines.extend(done.actions.iter().map(|action| {
                let kind = action.kind.as_ref().map(|kind| format!(" ({kind})"));
                let why = action.disabled.as_ref().map(|why| format!(", not now: {why}"));
                format!("{}{}{}", action.title, kind.unwrap_or_default(), why.unwrap_or_default())
            })),
        }
        Some(lines.join("\n"))
    }
}

impl Actions {
    /// What all servers of the file offer.
    async fn offered(&self, asking: &Asking, path: &RelPath) -> Result<Vec<(Arc<Running>, Value)>> {
        let servers = asking.file(path).await?;
        let (mut found, mut failure) = (Vec::new(), None);
        for running in servers {
            let params = self.params(asking, &running, path).await;
            let answer = match asking.ask(&running, "textDocument/codeAction", params).await {
                Ok(answer) => answer,
                Err(error) => {
                    failure.get_or_insert_with(|| refused(&running, &error));
                    continue;
                }
            };
            if let Value::Array(actions) = answer.value {
                let actions = actions.into_iter().filter(|action| action["title"].is_string());
                found.extend(actions.map(|action| (Arc::clone(&running), action)));
            }
        }
        match failure {
            Some(error) if found.is_empty() => Err(error),
            _ => Ok(found),
        }
    }

    /// The lines, with what is wrong on them: quick fixes are about that.
    async fn params(&self, asking: &Asking, running: &Arc<Running>, path: &RelPath) -> Value {
        let uri = running.uri(path);
        let (first, last) = (self.line - 1, self.end_line.unwrap_or(self.line) - 1);
        let report = running.server.diagnostics(&uri, asking.wait).await;
        let items = report.map(|report| report.items).unwrap_or_default();
        let here =
            |item: &&Diagnostic| item.range.start.line <= last && first <= item.range.end.line;
        let here: Vec<&Diagnostic> = items.iter().filter(here).collect();
        let end = running.server.see(|server| {
            let text = server.document(&uri).map(|it| Arc::clone(&it.text));
            let line = text.as_ref().and_then(|text| text.split('\n').nth(last as usize));
            line.map_or(0, |line| line.encode_utf16().count())
        });
        let range = Range {
            start: Position { line: first, character: 0 },
            end: Position { line: last, character: u32::try_from(end).unwrap_or(u32::MAX) },
        };
        let mut context = json!({"diagnostics": here, "triggerKind": 1});
        if let Some(only) = &self.only {
            context["only"] = json!([only]);
        }
        json!({"textDocument": {"uri": uri}, "range": range, "context": context})
    }
}

fn offered(running: &Running, action: &Value) -> Offered {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    Offered {
        title: text(&action["title"]).unwrap_or_default(),
        kind: text(&action["kind"]),
        server: running.id.clone(),
        preferred: action["isPreferred"] == true,
        disabled: text(&action["disabled"]["reason"]),
    }
}

/// Do it: its edit first, then its command, which may ask for more edits.
async fn apply(
    cx: &Cx,
    asking: &Asking,
    running: &Arc<Running>,
    action: Value,
    dry_run: bool,
) -> Result<Vec<ChangedFile>> {
    // A command among actions has its own form.
    let is_command = action["command"].is_string();
    let mut whole = action;
    if !is_command && whole["edit"].is_null() && whole["command"].is_null() {
        let answer = asking.ask(running, "codeAction/resolve", whole).await;
        whole = answer.map_err(|error| refused(running, &error))?.value;
    }
    let mut files = Vec::new();
    if !is_command && !whole["edit"].is_null() {
        files = make(cx, asking, running, &whole["edit"], dry_run).await?;
    }
    let command = if is_command { whole } else { whole["command"].take() };
    if command.is_null() {
        return Ok(files);
    }
    if dry_run {
        return Err(Error::conflict("what this does is known only when it is done")
            .hint("do it without `dry_run`; workspace_git shows what changed"));
    }
    let params = json!({"command": command["command"], "arguments": command["arguments"]});
    let _alone = running.commands.lock().await;
    let mut events = running.server.subscribe();
    let asked = running.server.ask(asking.command(params));
    tokio::pin!(asked);
    let mut failure = None;
    loop {
        let event = tokio::select! {
            // First the edits that it asked for before it answered.
            biased;
            event = events.recv() => event,
            reply = &mut asked => {
                reply.map_err(|error| refused(running, &error))?;
                break;
            }
        };
        if let Ok(event) = event
            && let Event::EditAsked { edit, changes, .. } = &*event
        {
            let made = make(cx, asking, running, changes, false).await;
            let told = made.as_ref().map(|_| ()).map_err(|error| error.message.clone());
            running.server.answer_edit(*edit, told);
            match made {
                Ok(more) => files.extend(more),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
    }
    failure.map_or(Ok(files), Err)
}

/// Make an edit, with all of its files known to the server.
async fn make(
    cx: &Cx,
    asking: &Asking,
    running: &Arc<Running>,
    edit: &Value,
    dry_run: bool,
) -> Result<Vec<ChangedFile>> {
    if matches!(running.server.state(), State::Failed { .. }) {
        return Err(Error::conflict(format!("{} has failed meanwhile", running.name)));
    }
    let edits = Edits::of_workspace(edit, running)?;
    for path in edits.files() {
        let uri = running.uri(&path);
        // One that it did not know is as it is on disk, where it has read it.
        if running.server.see(|server| server.document(&uri).is_none()) {
            asking.tell(running, &path).await?;
        }
    }
    edits.make(cx, asking, running, dry_run).await
}
