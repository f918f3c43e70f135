//! `code.references`: where a symbol is used.

use std::collections::{BTreeMap, HashMap};

use openspace_command::{Command, Error, Meta, Result, Shown};
use openspace_protocol::Access;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    addressing::{Found, Target, outline},
    asking::{Answer, Asking, Told, refused},
    commands::{MOST_WAIT, check_wait, wait},
    quoting::{Quotes, places},
    running::Running,
    symbol_tree::{Symbol, around},
    whereabouts::Where,
};
use crate::{Cx, OpenSpace, bounds::check_bounds};

/// Uses that one answer shows.
const MOST_SHOWN: u32 = 200;
/// Uses that one answer shows whose caller does not say.
const USUALLY_SHOWN: u32 = 50;
/// Files of which it is said in which symbol a use stands.
const MOST_OUTLINES: usize = 20;
/// Files that are named with nothing but a count.
const MOST_COUNTED: usize = 50;
/// Symbols at one place whose calls are looked for.
const MOST_CALLED: usize = 5;

/// Which uses are meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Include {
    /// Wherever it is named.
    #[default]
    Uses,
    /// Where it is called.
    Calls,
    /// What implements it.
    Implementations,
}

/// Find all uses of a symbol.
///
/// Named as in `code.definition`.
///
/// Unlike a search for the word, it finds uses of this very symbol.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct References {
    /// The symbol.
    ///
    /// By the end of its path of names: `Widget/area`, `Widget::area` or `area`; `area[2]` is the second of equals in a
    /// file.
    symbol: Option<String>,
    /// Path.
    ///
    /// Of a file, relative to the root or absolute.
    #[serde(alias = "file_path", alias = "filePath")]
    path: Option<String>,
    /// Line.
    #[schemars(range(min = 1))]
    line: Option<u32>,
    /// Column.
    ///
    /// In units of UTF-16, as editors count.
    #[schemars(range(min = 1))]
    column: Option<u32>,
    /// Which: `uses`, `calls` or `implementations`; uses when left out.
    include: Option<Include>,
    /// The declaration.
    ///
    /// Count it as a use.
    #[serde(default)]
    declaration: bool,
    /// The offset.
    ///
    /// How many uses to pass over.
    #[serde(default)]
    offset: u32,
    /// Most uses; 50 when left out.
    #[schemars(range(min = 1, max = MOST_SHOWN))]
    limit: Option<u32>,
    /// The wait.
    ///
    /// Most seconds to wait for a server that loads; 10 when left out.
    #[schemars(range(max = MOST_WAIT))]
    wait_s: Option<u32>,
}

/// A use.
#[derive(Serialize, JsonSchema)]
pub struct Use {
    /// The line.
    line: u32,
    /// The column.
    column: u32,
    /// What stands there.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The symbol that it stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    within: Option<String>,
}

/// The uses in a file.
#[derive(Serialize, JsonSchema)]
pub struct InFile {
    /// The file; an absolute path if it is not in the workspace.
    path: String,
    /// How many it has, shown or not.
    count: usize,
    /// Those that are shown.
    uses: Vec<Use>,
}

/// Uses of a symbol.
#[derive(Serialize, JsonSchema)]
pub struct Uses {
    #[serde(flatten)]
    told: Told,
    /// Its uses by file: those of this page, then files of which there are only counts.
    files: Vec<InFile>,
    /// How many uses there are.
    total: usize,
    /// In how many files.
    total_files: usize,
    /// True when there are more after these: ask again with a larger `offset`.
    truncated: bool,
}

impl References {
    fn target(&self) -> Target {
        let Self { symbol, path, line, column, .. } = self;
        Target { symbol: symbol.clone(), path: path.clone(), line: *line, column: *column }
    }
}

impl Command<OpenSpace> for References {
    const META: Meta =
        Meta::new("code.references", "Code: Find Uses", Access::Read).shown(Shown::Searchable);
    type Output = Uses;

    fn summary(&self) -> String {
        format!("uses of {}", self.target().words())
    }

    fn paths(&self) -> Vec<String> {
        self.path.iter().cloned().collect()
    }

    fn check(&self) -> Result<()> {
        check_wait(self.wait_s)?;
        check_bounds("limit", self.limit, 1..=MOST_SHOWN)?;
        if self.declaration && self.include.is_some_and(|include| include != Include::Uses) {
            return Err(Error::invalid("argument `declaration`: goes with `include: uses`"));
        }
        self.target().check()
    }

    async fn run(self, cx: Cx) -> Result<Uses> {
        let asking = Asking::new(&cx, wait(self.wait_s));
        let found = self.target().find(&asking).await?;
        let declaration = self.declaration;
        let params = |running: &Running| {
            let mut params = found.params(running);
            params["context"] = json!({"includeDeclaration": declaration});
            params
        };
        let answer = match self.include.unwrap_or_default() {
            Include::Uses => {
                asking.first(&found.servers, "textDocument/references", params).await?
            }
            Include::Calls => calls(&asking, &found).await?,
            Include::Implementations => {
                let params = |running: &Running| found.params(running);
                asking.first(&found.servers, "textDocument/implementation", params).await?
            }
        };
        let (spots, left_out) = places(answer.value, &answer.running);
        let total = spots.len() + left_out;
        let mut counts: BTreeMap<Where, usize> = BTreeMap::new();
        for spot in &spots {
            *counts.entry(spot.at.clone()).or_default() += 1;
        }
        let limit = self.limit.unwrap_or(USUALLY_SHOWN) as usize;
        let offset = self.offset as usize;
        let truncated = offset.saturating_add(limit) < total;
        let mut quotes = Quotes::new(&cx.state);
        let mut outlines: HashMap<Where, Vec<Symbol>> = HashMap::new();
        let mut files: Vec<InFile> = Vec::new();
        for spot in spots.into_iter().skip(offset).take(limit) {
            if !outlines.contains_key(&spot.at) && outlines.len() < MOST_OUTLINES {
                let all = outline_of(&asking, &answer.running, &spot.at).await;
                outlines.insert(spot.at.clone(), all);
            }
            let start = spot.range.start;
            let within = outlines.get(&spot.at).and_then(|all| around(all, start));
            let shown = Use {
                line: start.line + 1,
                column: start.character + 1,
                text: quotes.line(&spot.at, start.line).await,
                within: within.map(Symbol::address),
            };
            let path = spot.at.text();
            if let Some(file) = files.last_mut().filter(|file| file.path == path) {
                file.uses.push(shown);
            } else {
                let count = counts.get(&spot.at).copied().unwrap_or_default();
                files.push(InFile { path, count, uses: vec![shown] });
            }
        }
        let total_files = counts.len();
        let counted: Vec<InFile> = counts
            .into_iter()
            .map(|(at, count)| InFile { path: at.text(), count, uses: Vec::new() })
            .filter(|counted| files.iter().all(|file| file.path != counted.path))
            .take(MOST_COUNTED)
            .collect();
        files.extend(counted);
        let told = Told::by(&answer.running, answer.complete).noting(found.note);
        Ok(Uses { told, files, total, total_files, truncated })
    }

    fn text(uses: &Uses) -> Option<String> {
        let mut lines = vec![match uses.total {
            0 => "It is not used.".to_owned(),
            total => format!("{total} use(s) in {} file(s)", uses.total_files),
        }];
        for file in &uses.files {
            lines.push(format!("{}: {}", file.path, file.count));
            for shown in &file.uses {
                let within = shown.within.as_ref().map(|it| format!("  [{it}]"));
                lines.push(format!(
                    "  {}: {}{}",
                    shown.line,
                    shown.text.as_deref().unwrap_or_default(),
                    within.unwrap_or_default()
                ));
            }
        }
        if uses.truncated {
            lines.push("(a larger offset or limit shows more)".to_owned());
        }
        lines.push(uses.told.line());
        Some(lines.join("\n").trim_end().to_owned())
    }
}

/// The places from which something is called, in the form of an answer about uses.
async fn calls(asking: &Asking, found: &Found) -> Result<Answer> {
    let params = |running: &Running| found.params(running);
    let prepared =
        asking.first(&found.servers, "textDocument/prepareCallHierarchy", params).await?;
    let Answer { value, mut complete, running } = prepared;
    let Value::Array(items) = value else {
        return Err(Error::not_found("nothing that could be called is there")
            .hint("without `include` all its uses are found"));
    };
    let mut places = Vec::new();
    for item in items.into_iter().take(MOST_CALLED) {
        let params = json!({"item": item});
        let answer = asking.ask(&running, "callHierarchy/incomingCalls", params).await;
        let answer = answer.map_err(|error| refused(&running, &error))?;
        complete &= answer.complete;
        let Value::Array(callers) = answer.value else { continue };
        for mut caller in callers {
            let uri = caller["from"]["uri"].take();
            if let Value::Array(ranges) = caller["fromRanges"].take() {
                places.extend(ranges.into_iter().map(|range| json!({"uri": uri, "range": range})));
            }
        }
    }
    Ok(Answer { value: Value::Array(places), complete, running })
}

/// The symbols of a file; none where nobody can say.
async fn outline_of(asking: &Asking, running: &std::sync::Arc<Running>, at: &Where) -> Vec<Symbol> {
    let Where::Inside(path) = at else { return Vec::new() };
    if asking.tell(running, path).await.is_err() {
        return Vec::new();
    }
    let outline = outline(asking, std::slice::from_ref(running), path).await;
    outline.map(|(all, ..)| all).unwrap_or_default()
}
