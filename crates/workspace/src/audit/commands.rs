//! `audit.list`.

use std::path::Path;

use openspace_command::{Command, Error, ErrorKind, Meta, Result, Shown, canonical_id};
use openspace_protocol::{Access, RelPath};
use openspace_space::store::{Ended, Filter, Page, Pattern, StoreHealth};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::{Logged, MAX_PAGE, read, time};
use crate::{Cx, Entry, OpenSpace, Registry, bounds::check_bounds};

/// The commands of this area.
pub const COMMANDS: &[Entry] = &[Entry::of::<List>()];

/// Records listed when no limit is given.
const LIST_LIMIT: u32 = 100;

/// A page of the log.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Listed {
    /// The records, newest first.
    pub records: Vec<Logged>,
    /// Whether there are older ones that fit.
    pub more: bool,
    /// Give this as `before` to get them.
    pub next_before: Option<u64>,
    /// What is missing in the log, if anything is.
    pub notice: Option<String>,
}

impl Listed {
    pub(super) fn of(page: Page, notice: Option<String>) -> Self {
        let Page { records, more } = page;
        let last = records.last().map(|(id, _)| *id);
        let records = records.into_iter().map(|(id, record)| Logged::of(id, record)).collect();
        Self { records, more, next_before: last.filter(|_| more), notice }
    }
}

/// List what was done in this space: who ran which command when, and how it ended.
///
/// The newest come first. Every call is there, also those that failed, of people, agents and
/// scripts alike; contents and output never are, and secrets show as `***`. All filters must fit.
/// When `more` is true, give `nextBefore` as `before` to get the older ones.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct List {
    /// Started at this moment or later: RFC 3339, a span such as `15m`, `2h` or `7d` (that long
    /// ago), or milliseconds since 1970.
    #[serde(default, deserialize_with = "text_or_number")]
    since: Option<String>,
    /// Started before this moment, in the same forms.
    #[serde(default, deserialize_with = "text_or_number")]
    until: Option<String>,
    /// Name of the caller, such as `opencode`; `open*` for all that start so.
    caller: Option<String>,
    /// Id of the command, such as `file.write`; `file.*` for all that start so.
    command: Option<String>,
    /// How it ended: `ok`, `error`, or a kind of failure such as `not_found`.
    outcome: Option<String>,
    /// A file or folder that was named, or a folder above what was named.
    path: Option<String>,
    /// The workspace it worked in, for commands that choose one of several.
    workspace: Option<String>,
    /// Words that occur in the summary, the error or the command.
    text: Option<String>,
    /// Most records; 100 when left out.
    #[schemars(range(min = 1, max = MAX_PAGE))]
    limit: Option<u32>,
    /// Only records older than the one with this id.
    before: Option<u64>,
}

/// Moments may come as numbers too.
fn text_or_number<'de, D: Deserializer<'de>>(value: D) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a moment as text or as a number of milliseconds")]
    enum Moment {
        Text(String),
        Number(u64),
    }
    Ok(Option::<Moment>::deserialize(value)?.map(|moment| match moment {
        Moment::Text(text) => text,
        Moment::Number(number) => number.to_string(),
    }))
}

impl List {
    /// The filter that the arguments mean. Errors name the argument.
    pub(super) fn filter(&self, now: u64, root: &Path, registry: &Registry) -> Result<Filter> {
        Ok(Filter {
            since: moment("since", self.since.as_deref(), now)?,
            until: moment("until", self.until.as_deref(), now)?,
            caller: self.caller.as_deref().map(Pattern::parse),
            commands: self.command.as_deref().map(|name| commands(name, registry)),
            ended: self.outcome.as_deref().map(ended).transpose()?,
            paths: self.path.as_deref().map(|path| paths(path, root)),
            workspace: self.workspace.clone(),
            text: self.text.clone(),
        })
    }
}

fn moment(argument: &str, text: Option<&str>, now: u64) -> Result<Option<u64>> {
    let Some(text) = text else { return Ok(None) };
    match time::parse(text, now) {
        Some(at) => Ok(Some(at)),
        None => Err(Error::invalid(format!("argument `{argument}`: must be {}", time::FORMS))),
    }
}

fn ended(word: &str) -> Result<Ended> {
    let kind = || ErrorKind::ALL.into_iter().find(|kind| kind.word() == word);
    match word {
        "ok" => Ok(Ended::Ok),
        "error" => Ok(Ended::Failed),
        _ => kind().map(Ended::Kind).ok_or_else(|| {
            let kinds = ErrorKind::ALL.map(ErrorKind::word).join(", ");
            Error::invalid(format!("argument `outcome`: must be ok, error, or one of {kinds}"))
        }),
    }
}

/// The record has canonical ids, and names as they were typed where there is no such command.
fn commands(name: &str, registry: &Registry) -> Vec<Pattern> {
    if let Some(definition) = registry.find(name) {
        return vec![Pattern::Exact(definition.id.clone())];
    }
    vec![Pattern::parse(name), Pattern::parse(&canonical_id(name))]
}

/// A path beneath the root was typed relative to it or whole; the root itself is above all.
fn paths(path: &str, root: &Path) -> Vec<String> {
    let beneath = Path::new(path).strip_prefix(root).ok().and_then(Path::to_str).unwrap_or(path);
    match RelPath::parse(beneath) {
        Ok(path) if path.is_root() => Vec::new(),
        Ok(path) => {
            vec![path.as_str().to_owned(), root.join(path.as_path()).display().to_string()]
        }
        Err(_) => vec![path.trim_end_matches('/').to_owned()],
    }
}

fn notice(health: &StoreHealth) -> Option<String> {
    if let Some(failure) = &health.failure {
        return Some(format!("the newest records are not in the log yet: {failure}"));
    }
    let dropped = health.records_dropped;
    (dropped > 0).then(|| format!("{dropped} records were lost because the disk did not keep up"))
}

impl Command<OpenSpace> for List {
    const META: Meta =
        Meta::new("audit.list", "Audit: List Calls", Access::Read).shown(Shown::Searchable);
    type Output = Listed;

    fn summary(&self) -> String {
        "list calls".into()
    }

    fn check(&self) -> Result<()> {
        check_bounds("limit", self.limit, 1..=MAX_PAGE)?;
        moment("since", self.since.as_deref(), 0)?;
        moment("until", self.until.as_deref(), 0)?;
        self.outcome.as_deref().map(ended).transpose()?;
        Ok(())
    }

    async fn run(self, cx: Cx) -> Result<Listed> {
        let workspace = &cx.state;
        let registry = cx.dispatcher().registry();
        let filter = self.filter(workspace.now(), workspace.root(), registry)?;
        let limit = self.limit.unwrap_or(LIST_LIMIT);
        let page = read(workspace.store(), filter, self.before, limit).await?;
        Ok(Listed::of(page, notice(&workspace.store().health())))
    }

    fn text(output: &Listed) -> Option<String> {
        if output.records.is_empty() && output.notice.is_none() {
            return Some("No calls.".into());
        }
        let mut lines: Vec<String> = vec![Logged::heading()];
        lines.extend(output.records.iter().map(Logged::line));
        lines.extend(output.next_before.map(|id| format!("(there are more; before={id} goes on)")));
        lines.extend(output.notice.iter().map(|notice| format!("({notice})")));
        Some(lines.join("\n"))
    }
}
