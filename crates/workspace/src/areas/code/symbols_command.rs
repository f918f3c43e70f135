//! `code.symbols`: the outline of a file, and symbols of the workspace by name.

use openspace_command::{Command, Error, Meta, Result, Shown};
use openspace_languages::{Range, Uri};
use openspace_protocol::Access;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    addressing::outline,
    asking::{Asking, Told, refused},
    commands::{MOST_WAIT, check_name, check_wait, wait},
    quoting::{Quotes, Spot},
    symbol_tree::{KINDS, kind},
    whereabouts::Where,
};
use crate::{Cx, OpenSpace, bounds::check_bounds};

/// Symbols that one answer names.
const MOST_SHOWN: usize = 500;
/// How deep an outline goes at most, and usually.
const DEEPEST: u32 = 20;
const USUAL_DEPTH: u32 = 2;
/// Symbols whose lines are shown, and how many lines of each.
const MOST_BODIES: usize = 3;
const MOST_LINES: usize = 60;
/// Bytes of a name.
const LONGEST: usize = 200;

/// Outline a file, or find symbols of the workspace by part of their name.
///
/// Give `path` or `query`. What is found can be named to the other `code` tools.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Symbols {
    /// Path.
    ///
    /// Of a file, relative to the root or absolute.
    #[serde(alias = "file_path", alias = "filePath")]
    path: Option<String>,
    /// Part of a name.
    query: Option<String>,
    /// The depth.
    ///
    /// Levels of an outline; 2 when left out.
    #[schemars(range(min = 1, max = DEEPEST))]
    depth: Option<u32>,
    /// Only these kinds, such as `class`, `function` or `enum member`.
    #[serde(default)]
    kinds: Vec<String>,
    /// The body.
    ///
    /// Show the lines of the first 3, too.
    #[serde(default)]
    body: bool,
    /// The wait.
    ///
    /// Most seconds to wait for a server that loads; 10 when left out.
    #[schemars(range(max = MOST_WAIT))]
    wait_s: Option<u32>,
}

/// A symbol.
#[derive(Serialize, JsonSchema)]
pub struct Named {
    /// Its path of names.
    symbol: String,
    /// What it is.
    kind: String,
    /// The file, in an answer about the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// Its first line.
    line: u32,
    /// Its last line.
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u32>,
    /// Its lines, at most 60.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    #[serde(skip)]
    depth: usize,
    #[serde(skip)]
    spot: Option<Spot>,
}

/// Symbols.
#[derive(Serialize, JsonSchema)]
pub struct Listed {
    #[serde(flatten)]
    told: Told,
    /// The symbols, in the order of the file.
    symbols: Vec<Named>,
    /// How many there are, deeper ones too.
    total: usize,
}

impl Command<OpenSpace> for Symbols {
    const META: Meta =
        Meta::new("code.symbols", "Code: List Symbols", Access::Read).shown(Shown::Searchable);
    type Output = Listed;

    fn summary(&self) -> String {
        match (&self.path, &self.query) {
            (Some(path), _) => format!("symbols of {path}"),
            (None, query) => format!("symbols like {}", query.as_deref().unwrap_or_default()),
        }
    }

    fn paths(&self) -> Vec<String> {
        self.path.iter().cloned().collect()
    }

    fn check(&self) -> Result<()> {
        check_wait(self.wait_s)?;
        check_bounds("depth", self.depth, 1..=DEEPEST)?;
        if let Some(query) = &self.query {
            check_name("query", query)?;
        }
        if self.path.is_some() == self.query.is_some() {
            return Err(Error::invalid("arguments `path` and `query`: give one of them"));
        }
        let unknown = self.kinds.iter().find(|kind| !KINDS.contains(&kind.as_str()));
        unknown.map_or(Ok(()), |kind| {
            let shown: String = kind.chars().take(50).collect();
            Err(Error::invalid(format!("argument `kinds`: there is no kind `{shown}`"))
                .hint(format!("there are {}", KINDS.join(", "))))
        })
    }

    async fn run(self, cx: Cx) -> Result<Listed> {
        let asking = Asking::new(&cx, wait(self.wait_s));
        let wanted = |kind: &str| self.kinds.is_empty() || self.kinds.iter().any(|it| it == kind);
        let mut listed = match (&self.path, &self.query) {
            (Some(path), _) => {
                let depth = self.depth.unwrap_or(USUAL_DEPTH) as usize;
                of_file(&asking, path, depth, wanted).await?
            }
            (None, query) => {
                of_workspace(&asking, query.as_deref().unwrap_or_default(), wanted).await?
            }
        };
        if self.body {
            let mut quotes = Quotes::new(&cx.state);
            for named in listed.symbols.iter_mut().take(MOST_BODIES) {
                let Some(spot) = named.spot.take() else { continue };
                named.body =
                    quotes.lines(&spot.at, spot.whole.unwrap_or(spot.range), MOST_LINES).await;
            }
        }
        Ok(listed)
    }

    fn text(listed: &Listed) -> Option<String> {
        let mut lines: Vec<String> = listed
            .symbols
            .iter()
            .map(|named| {
                let (line, end) = (named.line, named.end_line.unwrap_or(named.line));
                let body = named.body.as_ref().map(|body| format!("\n{body}")).unwrap_or_default();
                if let Some(path) = &named.path {
                    return format!("{path}:{line} {} {}{body}", named.kind, named.symbol);
                }
                let own = named.symbol.rsplit('/').next().unwrap_or_default();
                let indent = "  ".repeat(named.depth);
                format!("{indent}{own} ({}) {line}-{end}{body}", named.kind)
            })
            .collect();
        match listed.total {
            0 => lines.push("There are none.".to_owned()),
            total if total > lines.len() => {
                lines.push(format!("({} more, or deeper)", total - lines.len()));
            }
            _ => {}
        }
        lines.push(listed.told.line());
        Some(lines.join("\n").trim_end().to_owned())
    }
}

async fn of_file(
    asking: &Asking,
    path: &str,
    depth: usize,
    wanted: impl Fn(&str) -> bool,
) -> Result<Listed> {
    let path = asking.state.path(path)?;
    let servers = asking.file(&path).await?;
    let (mut all, running, complete) = outline(asking, &servers, &path).await?;
    all.retain(|symbol| wanted(symbol.kind));
    let total = all.len();
    let shown = all.iter().filter(|symbol| symbol.depth() < depth).take(MOST_SHOWN);
    let symbols = shown
        .map(|symbol| Named {
            symbol: symbol.address(),
            kind: symbol.kind.to_owned(),
            path: None,
            line: symbol.range.start.line + 1,
            end_line: Some(symbol.range.end.line + 1),
            body: None,
            depth: symbol.depth(),
            spot: Some(Spot { at: Where::Inside(path.clone()), range: symbol.range, whole: None }),
        })
        .collect();
    Ok(Listed { told: Told::by(&running, complete), symbols, total })
}

/// Of all servers that run.
async fn of_workspace(
    asking: &Asking,
    query: &str,
    wanted: impl Fn(&str) -> bool,
) -> Result<Listed> {
    let alive = asking.servers.alive();
    let (mut symbols, mut told, mut failure) = (Vec::new(), None, None);
    let mut silent = Vec::new();
    for running in &alive {
        running.tell_texts(&asking.state, &asking.servers, &[]).await?;
        let answer = match asking.ask(running, "workspace/symbol", json!({"query": query})).await {
            Ok(answer) => answer,
            Err(error) => {
                silent.push(running.id.clone());
                failure.get_or_insert_with(|| refused(running, &error));
                continue;
            }
        };
        let said = Told::by(running, answer.complete);
        told = Some(told.map_or_else(|| said.clone(), |before: Told| before.and(&said)));
        let root = &running.place.facts().root;
        if let Value::Array(entries) = answer.value {
            let named = entries.iter().filter_map(|entry| named(entry, root));
            symbols.extend(named.filter(|named| wanted(&named.kind)));
        }
    }
    let Some(told) = told else {
        return Err(failure.unwrap_or_else(|| {
            Error::conflict("no language server runs yet that could know symbols")
                .hint("ask about a file of the project first, as `code_symbols` with its `path`")
        }));
    };
    let note = (!silent.is_empty()).then(|| format!("{} did not answer", silent.join(", ")));
    let total = symbols.len();
    symbols.truncate(MOST_SHOWN);
    Ok(Listed { told: told.noting(note), symbols, total })
}

fn named(entry: &Value, root: &std::path::Path) -> Option<Named> {
    let cut = |name: &str| name[..name.floor_char_boundary(LONGEST)].to_owned();
    let name = cut(entry["name"].as_str()?);
    let container = entry["containerName"].as_str().filter(|name| !name.is_empty());
    let at = Where::of(&Uri::read(entry["location"]["uri"].as_str()?), root);
    // Some servers name nothing but the file.
    let range = Range::deserialize(&entry["location"]["range"]).ok();
    Some(Named {
        symbol: container.map_or_else(|| name.clone(), |outer| format!("{}/{name}", cut(outer))),
        kind: kind(entry["kind"].as_u64().unwrap_or(0)).to_owned(),
        path: Some(at.text()),
        line: range.map_or(0, |range| range.start.line).saturating_add(1),
        end_line: None,
        body: None,
        depth: 0,
        spot: range.map(|range| Spot { at, range, whole: None }),
    })
}
