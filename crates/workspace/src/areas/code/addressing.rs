//! What a caller means: a symbol by its path of names, a use of it on a line, or a line and a column.
//!
//! A name alone is looked for in the whole workspace: among what the running servers know, then in files that have the
//! word in them, definitions first. Nothing is chosen among several that fit; they are named instead.

use std::{collections::BTreeSet, sync::Arc};

use openspace_command::{Error, ErrorKind, Result};
use openspace_files::grep::{GrepMode, GrepPage, GrepQuery};
use openspace_host::operation;
use openspace_languages::{Encoding, Position, Uri, position_of};
use openspace_protocol::RelPath;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use super::{
    asking::Asking,
    commands::check_name,
    running::Running,
    symbol_tree::{NamePath, Symbol, read, words},
    whereabouts::Where,
};
use crate::{bounds::check_bounds, refusal::refused};

/// Lines around the one that was named in which a use is looked for.
const NEAR: usize = 5;
/// Candidates that an error names.
const MOST_NAMED: usize = 10;
/// Files in which a name is looked for that no server knows.
const MOST_FILES: usize = 20;
/// Words before a name where something is defined, in most languages.
const DEFINES: &str = "fn|func|function|def|class|struct|enum|union|trait|interface|type|typedef|impl|mod|module|\
                       namespace|package|const|static|let|var|val|object|record|macro_rules!";

/// What was asked about, as it was given.
#[derive(Clone, Debug, Default)]
pub struct Target {
    pub(super) symbol: Option<String>,
    pub(super) path: Option<String>,
    pub(super) line: Option<u32>,
    pub(super) column: Option<u32>,
}

/// A place in a text that a server knows.
pub(super) struct Found {
    pub(super) path: RelPath,
    pub(super) servers: Vec<Arc<Running>>,
    pub(super) position: Position,
    /// How it differs from what was asked about.
    pub(super) note: Option<String>,
}

impl Found {
    /// What a question about it begins with.
    pub(super) fn params(&self, running: &Running) -> Value {
        json!({"textDocument": {"uri": running.uri(&self.path)}, "position": self.position})
    }
}

impl Target {
    /// What is wrong with it, before anything is looked at.
    pub(super) fn check(&self) -> Result<()> {
        check_bounds("line", self.line, 1..=u32::MAX)?;
        check_bounds("column", self.column, 1..=u32::MAX)?;
        if let Some(symbol) = &self.symbol {
            check_name("symbol", symbol)?;
        }
        match self {
            Self { symbol: None, line: None, .. } => {
                Err(Error::invalid("arguments: give `symbol`, or `path` with `line` and `column`"))
            }
            Self { path: None, line: Some(_), .. } => {
                Err(Error::invalid("argument `line`: goes with `path`"))
            }
            Self { line: None, column: Some(_), .. } => {
                Err(Error::invalid("argument `column`: goes with `line`"))
            }
            Self { symbol: Some(_), column: Some(_), .. } => {
                Err(Error::invalid("arguments `symbol` and `column`: give one or the other"))
            }
            _ => Ok(()),
        }
    }

    /// For the record.
    pub(super) fn words(&self) -> String {
        let mut words = self.symbol.iter().cloned().collect::<Vec<String>>();
        if let Some(path) = &self.path {
            let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
            let column = self.column.map(|column| format!(":{column}")).unwrap_or_default();
            words.push(format!("{path}{line}{column}"));
        }
        words.join(" in ")
    }

    /// The place that is meant.
    pub(super) async fn find(&self, asking: &Asking) -> Result<Found> {
        let path = self.path.as_deref().map(|path| asking.state.path(path)).transpose()?;
        match (path, &self.symbol) {
            (Some(path), symbol) => {
                let servers = asking.file(&path).await?;
                let text = known_text(&servers, &path);
                match (self.line, symbol) {
                    (Some(line), Some(symbol)) => {
                        let (position, note) = use_near(&text, &path, line, symbol)?;
                        Ok(Found { path, servers, position, note })
                    }
                    (Some(line), None) => {
                        let position = self.given(asking, &servers, &path, &text, line).await?;
                        Ok(Found { path, servers, position, note: None })
                    }
                    (None, symbol) => {
                        let symbol = symbol.as_deref().unwrap_or_default();
                        let all = symbols(asking, &servers, &path).await?;
                        let position = one_of(&path, &all, symbol)?;
                        Ok(Found { path, servers, position, note: None })
                    }
                }
            }
            (None, Some(symbol)) => in_workspace(asking, symbol).await,
            (None, None) => Err(Error::invalid("argument `symbol`: is missing")),
        }
    }

    /// A line with a column, or else what is defined on that line.
    async fn given(
        &self,
        asking: &Asking,
        servers: &[Arc<Running>],
        path: &RelPath,
        text: &str,
        line: u32,
    ) -> Result<Position> {
        let index = line - 1;
        let Some(content) = text.split('\n').nth(index as usize) else {
            let count = text.split('\n').count();
            return Err(Error::invalid(format!("argument `line`: `{path}` has {count} lines")));
        };
        if let Some(column) = self.column {
            return Ok(Position { line: index, character: column - 1 });
        }
        let all = symbols(asking, servers, path).await?;
        let defined = all.iter().find(|symbol| symbol.name.start.line == index);
        defined.map(|symbol| symbol.name.start).ok_or_else(|| {
            let shown: String = content.trim().chars().take(80).collect();
            Error::not_found(format!("nothing is defined on line {line} of `{path}`: {shown}"))
                .hint("give `symbol` for a use on that line, or `column`")
        })
    }
}

/// The text of a file that its servers know.
pub(super) fn known_text(servers: &[Arc<Running>], path: &RelPath) -> Arc<str> {
    let of = |running: &Arc<Running>| {
        let uri = running.uri(path);
        running.server.see(|server| server.document(&uri).map(|it| Arc::clone(&it.text)))
    };
    servers.iter().find_map(of).unwrap_or_else(|| Arc::from(""))
}

/// A use of a name on a line, or on the nearest one that has it.
fn use_near(
    text: &str,
    path: &RelPath,
    line: u32,
    symbol: &str,
) -> Result<(Position, Option<String>)> {
    let name = NamePath::read(symbol);
    let name = name.last();
    let index = line as usize - 1;
    let lines: Vec<&str> = text.split('\n').collect();
    let near = (0..=NEAR).flat_map(|off| [index.checked_sub(off), index.checked_add(off)]);
    for at in near.flatten() {
        let Some(content) = lines.get(at) else { continue };
        let Some(byte) = words(content, name).next() else { continue };
        let column = position_of(content, byte, Encoding::Utf16).character;
        let position = Position { line: u32::try_from(at).unwrap_or(u32::MAX), character: column };
        let note = (at != index)
            .then(|| format!("`{name}` is not on line {line}; this is about line {}", at + 1));
        return Ok((position, note));
    }
    Err(Error::not_found(format!("`{name}` is not on line {line} of `{path}`, nor near it"))
        .hint("workspace_read shows the lines; `symbol` without `line` finds where it is defined"))
}

/// The symbols of a file that its servers know.
pub(super) async fn symbols(
    asking: &Asking,
    servers: &[Arc<Running>],
    path: &RelPath,
) -> Result<Vec<Symbol>> {
    Ok(outline(asking, servers, path).await?.0)
}

/// The same, with who says so and whether it is all.
pub(super) async fn outline(
    asking: &Asking,
    servers: &[Arc<Running>],
    path: &RelPath,
) -> Result<(Vec<Symbol>, Arc<Running>, bool)> {
    let params = |running: &Running| json!({"textDocument": {"uri": running.uri(path)}});
    let answer = asking.first(servers, "textDocument/documentSymbol", params).await?;
    let text = known_text(std::slice::from_ref(&answer.running), path);
    Ok((read(answer.value, &text), answer.running, answer.complete))
}

/// The one symbol of a file that is called so.
fn one_of(path: &RelPath, all: &[Symbol], symbol: &str) -> Result<Position> {
    let found = NamePath::read(symbol).among(all);
    match found.as_slice() {
        [one] => Ok(one.name.start),
        [] => {
            let near = near(all, symbol);
            let hint = match near.as_slice() {
                [] => "code_symbols names what is in a file".to_owned(),
                near => format!("there are {}", near.join(", ")),
            };
            Err(Error::not_found(format!("`{path}` has no symbol `{symbol}`")).hint(hint))
        }
        several => {
            let several = several.iter().map(|symbol| candidate(path, symbol));
            Err(ambiguous(symbol, several.collect()))
        }
    }
}

fn candidate(path: &RelPath, symbol: &Symbol) -> String {
    format!("{path}:{} {} {}", symbol.name.start.line + 1, symbol.kind, symbol.address())
}

fn ambiguous(symbol: &str, mut candidates: Vec<String>) -> Error {
    let count = candidates.len();
    candidates.truncate(MOST_NAMED);
    if count > MOST_NAMED {
        candidates.push(format!("and {} more", count - MOST_NAMED));
    }
    Error::conflict(format!("{count} symbols are called `{symbol}`")).hint(format!(
        "give `path` too, more of its path, or `{symbol}[2]` for the second in a file: {}",
        candidates.join("; ")
    ))
}

/// Symbols whose names are alike.
fn near(all: &[Symbol], symbol: &str) -> Vec<String> {
    let wanted = NamePath::read(symbol).last().to_lowercase();
    let is_near = |symbol: &&Symbol| {
        let name = symbol.path.last().map(|name| name.to_lowercase()).unwrap_or_default();
        !wanted.is_empty()
            && (name.contains(&wanted) || (!name.is_empty() && wanted.contains(&name)))
    };
    all.iter().filter(is_near).take(MOST_NAMED).map(Symbol::address).collect()
}

/// A place where a symbol of this name may be defined.
struct Candidate {
    path: RelPath,
    servers: Vec<Arc<Running>>,
    symbol: Symbol,
}

/// The one symbol of the workspace that is called so.
async fn in_workspace(asking: &Asking, symbol: &str) -> Result<Found> {
    let name = NamePath::read(symbol);
    let mut looked = BTreeSet::new();
    let mut found = Vec::new();
    let known = files_with_symbol(asking, name.last()).await;
    let words = files_with_word(asking, name.last()).await?;
    let until = Instant::now() + asking.wait.saturating_add(std::time::Duration::from_secs(10));
    let (mut failure, mut left_out) = (None, words.left_out);
    let weak: BTreeSet<RelPath> = words.paths.iter().skip(words.strong).cloned().collect();
    let known = known.into_iter().map(|path| (true, path));
    for (from_server, path) in known.chain(words.paths.into_iter().map(|path| (false, path))) {
        // Where it is only used is of no interest once it was found.
        let is_weak = !from_server && weak.contains(&path);
        if looked.contains(&path) || (is_weak && !found.is_empty()) {
            continue;
        }
        if looked.len() >= MOST_FILES {
            left_out = true;
            break;
        }
        looked.insert(path.clone());
        let look = in_file(asking, &name, &path);
        match timeout_at(until, look).await {
            Ok(Ok(more)) => found.extend(more),
            Ok(Err(error)) => {
                failure.get_or_insert(error);
            }
            Err(_) => {
                left_out = true;
                break;
            }
        }
    }
    match found.len() {
        1 => {
            let found = found.swap_remove(0);
            Ok(Found {
                path: found.path,
                servers: found.servers,
                position: found.symbol.name.start,
                note: None,
            })
        }
        0 => match failure {
            Some(error) => Err(error),
            None if left_out => Err(Error::new(
                ErrorKind::NotFound,
                format!(
                    "`{symbol}` was not found in the first {MOST_FILES} files that have the word"
                ),
            )
            .hint("give `path`")),
            None => {
                Err(Error::not_found(format!("nothing is called `{symbol}` in this workspace"))
                    .hint(
                        "code_symbols finds parts of names with `query`; workspace_grep finds text",
                    ))
            }
        },
        _ => {
            let all = found.iter().map(|found| candidate(&found.path, &found.symbol));
            Err(ambiguous(symbol, all.collect()))
        }
    }
}

async fn in_file(asking: &Asking, name: &NamePath, path: &RelPath) -> Result<Vec<Candidate>> {
    let servers = asking.file(path).await?;
    let all = symbols(asking, &servers, path).await?;
    let found = name.among(&all).into_iter().map(|symbol| Candidate {
        path: path.clone(),
        servers: servers.clone(),
        symbol: symbol.clone(),
    });
    Ok(found.collect())
}

/// Files in which the running servers know a symbol of this name.
async fn files_with_symbol(asking: &Asking, name: &str) -> Vec<RelPath> {
    let mut paths = Vec::new();
    for running in asking.servers.alive() {
        let params = json!({"query": name});
        let Ok(answer) = asking.ask(&running, "workspace/symbol", params).await else { continue };
        let Value::Array(entries) = answer.value else { continue };
        let root = &running.place.facts().root;
        let exact = entries.iter().filter(|entry| {
            entry["name"]
                .as_str()
                .is_some_and(|found| found == name || found.starts_with(&format!("{name}(")))
        });
        let uris = exact.filter_map(|entry| entry["location"]["uri"].as_str());
        for uri in uris.map(Uri::read) {
            if let Where::Inside(path) = Where::of(&uri, root)
                && !paths.contains(&path)
            {
                paths.push(path);
            }
        }
    }
    paths
}

/// Files that have a word.
struct WordFiles {
    /// Those in which it may be defined come first.
    paths: Vec<RelPath>,
    /// How many of them may define it.
    strong: usize,
    left_out: bool,
}

async fn files_with_word(asking: &Asking, name: &str) -> Result<WordFiles> {
    let escaped: String = name
        .chars()
        .flat_map(|letter| {
            let is_plain = letter.is_alphanumeric() || letter == '_' || !letter.is_ascii();
            (!is_plain).then_some('\\').into_iter().chain([letter])
        })
        .collect();
    let defined = format!(r"\b(?:{DEFINES})\s+(?:\([^)]*\)\s*)?{escaped}(?:\W|$)");
    // What is not saved no search on the disk finds.
    let buffers = asking.state.buffers();
    let is_known = |path: &RelPath| asking.servers.table().language_of(path.as_path()).is_some();
    let has_word = |path: &RelPath| {
        buffers.unsaved_text(path).is_some_and(|text| words(&text, name).next().is_some())
    };
    let unsaved = buffers.unsaved_paths().into_iter();
    let mut paths: Vec<RelPath> =
        unsaved.filter(|path| !path.is_untitled() && is_known(path) && has_word(path)).collect();
    let (mut strong, mut left_out) = (0, false);
    for (is_definition, pattern) in [(true, defined), (false, escaped)] {
        let query = GrepQuery {
            mode: GrepMode::FilesWithMatches,
            whole_word: !is_definition,
            limit: Some(200),
            ..GrepQuery::new(pattern)
        };
        let found = asking.state.place().ask(operation::Grep { query }).await.map_err(refused)?;
        left_out |= !is_definition && found.truncated;
        if let GrepPage::Files(files) = found.page {
            for file in files {
                if is_known(&file.path) && !file.bad_name && !paths.contains(&file.path) {
                    paths.push(file.path);
                }
            }
        }
        if is_definition {
            strong = paths.len();
        }
    }
    Ok(WordFiles { paths, strong, left_out })
}
