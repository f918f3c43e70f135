//! The symbols of a file as its server names them, and finding one by its path: `Widget/area`, `Widget::area`,
//! `Widget.area`, or `area` alone.
//!
//! Servers tell a tree or a flat list; one that is wrong in places is read as far as it is right.

use openspace_languages::{Encoding, Position, Range, byte_of, position_of};
use serde::Deserialize;
use serde_json::Value;

/// Symbols of a file that are looked at.
const MOST: usize = 20_000;
/// How deep they lie at most.
const DEEPEST: usize = 64;
/// Bytes of a name that are kept.
const LONGEST: usize = 300;

/// What symbols are, in the order of their numbers in the protocol.
pub(super) const KINDS: [&str; 26] = [
    "file",
    "module",
    "namespace",
    "package",
    "class",
    "method",
    "property",
    "field",
    "constructor",
    "enum",
    "interface",
    "function",
    "variable",
    "constant",
    "string",
    "number",
    "boolean",
    "array",
    "object",
    "key",
    "null",
    "enum member",
    "struct",
    "event",
    "operator",
    "type parameter",
];

/// What a symbol is, by its number in the protocol.
pub(super) fn kind(number: u64) -> &'static str {
    let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    index.and_then(|index| KINDS.get(index)).copied().unwrap_or("symbol")
}

/// A symbol of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Symbol {
    /// Names from the outermost to its own.
    pub(super) path: Vec<String>,
    pub(super) kind: &'static str,
    /// All of it.
    pub(super) range: Range,
    /// Its name.
    pub(super) name: Range,
}

impl Symbol {
    /// Its path as a caller may give it.
    pub(super) fn address(&self) -> String {
        self.path.join("/")
    }

    pub(super) fn depth(&self) -> usize {
        self.path.len().saturating_sub(1)
    }
}

/// The symbols in a server's answer, in the order of the text, outer ones first.
pub(super) fn read(answer: Value, text: &str) -> Vec<Symbol> {
    let mut all = Vec::new();
    if let Value::Array(entries) = answer {
        for entry in entries {
            read_one(entry, &[], text, &mut all);
        }
    }
    all.sort_by(|one, other| {
        (one.range.start, std::cmp::Reverse(one.range.end), one.path.len()).cmp(&(
            other.range.start,
            std::cmp::Reverse(other.range.end),
            other.path.len(),
        ))
    });
    all
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Said {
    name: String,
    #[serde(default)]
    kind: u64,
    #[serde(default)]
    range: Option<Range>,
    #[serde(default)]
    selection_range: Option<Range>,
    #[serde(default)]
    location: Option<SaidLocation>,
    #[serde(default)]
    container_name: Option<String>,
}

#[derive(Deserialize)]
struct SaidLocation {
    range: Range,
}

fn read_one(mut entry: Value, outer: &[String], text: &str, all: &mut Vec<Symbol>) {
    if all.len() >= MOST || outer.len() >= DEEPEST {
        return;
    }
    let children = entry.get_mut("children").map(Value::take);
    let Ok(said) = serde_json::from_value::<Said>(entry) else { return };
    let Some(range) = said.range.or(said.location.map(|location| location.range)) else { return };
    let own = cut(&said.name);
    let name = said.selection_range.unwrap_or_else(|| named(text, range, &own));
    let container = said.container_name.filter(|name| outer.is_empty() && !name.is_empty());
    let mut path: Vec<String> = container.iter().map(|name| cut(name)).collect();
    path.extend(outer.iter().cloned());
    path.push(own);
    all.push(Symbol { path: path.clone(), kind: kind(said.kind), range, name });
    if let Some(Value::Array(children)) = children {
        for child in children {
            read_one(child, &path, text, all);
        }
    }
}

fn cut(name: &str) -> String {
    name[..name.floor_char_boundary(LONGEST)].to_owned()
}

/// Where the name stands in what belongs to it: servers with flat lists do not say.
fn named(text: &str, range: Range, name: &str) -> Range {
    let start = byte_of(text, range.start, Encoding::Utf16);
    let end = byte_of(text, range.end, Encoding::Utf16).max(start);
    let name = plain(name);
    match words(&text[start..end], name).next() {
        Some(at) => {
            let place = |byte| position_of(text, byte, Encoding::Utf16);
            Range { start: place(start + at), end: place(start + at + name.len()) }
        }
        None => Range { start: range.start, end: range.start },
    }
}

/// Where a word stands in a text by itself.
pub(super) fn words<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + use<'a> {
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    let ends_in_letter = word.chars().next_back().is_some_and(is_letter);
    let begins_with_letter = word.chars().next().is_some_and(is_letter);
    text.match_indices(word).map(|(at, _)| at).filter(move |at| {
        let before = text[..*at].chars().next_back().is_some_and(is_letter);
        let after = text[at + word.len()..].chars().next().is_some_and(is_letter);
        !(word.is_empty() || before && begins_with_letter || after && ends_in_letter)
    })
}

/// A path of names as a caller gave it, and which of several he means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamePath {
    parts: Vec<String>,
    which: Option<usize>,
}

impl NamePath {
    /// `Widget/area`, `Widget::area`, `Widget.area`, `Widget#area`; `[2]` at the end is the second of equals.
    pub(super) fn read(text: &str) -> Self {
        let text = text.trim();
        let (text, which) = match text.strip_suffix(']').and_then(|text| text.rsplit_once('[')) {
            Some((before, number)) if !before.is_empty() && number.parse::<usize>().is_ok() => {
                (before, number.parse().ok().filter(|number| *number > 0))
            }
            _ => (text, None),
        };
        let parts = text.replace("::", "/").replace(['.', '#'], "/");
        let parts = parts.split('/').map(str::trim).filter(|part| !part.is_empty());
        let mut parts: Vec<String> = parts.map(str::to_owned).collect();
        if parts.is_empty() {
            parts.push(text.to_owned());
        }
        Self { parts, which }
    }

    /// The name itself.
    pub(super) fn last(&self) -> &str {
        self.parts.last().map_or("", String::as_str)
    }

    /// The symbols of a file that are meant. What is called exactly so comes before what is only about it.
    pub(super) fn among<'a>(&self, all: &'a [Symbol]) -> Vec<&'a Symbol> {
        let mut found: Vec<&Symbol> = all.iter().filter(|symbol| self.fits(symbol)).collect();
        let is_exact =
            |symbol: &&Symbol| symbol.path.last().is_some_and(|name| name == self.last());
        if found.iter().any(is_exact) {
            found.retain(is_exact);
        }
        self.chosen(found)
    }

    /// Whether a symbol is called so.
    fn fits(&self, symbol: &Symbol) -> bool {
        self.fits_path(&symbol.path)
    }

    /// Whether the end of a path of names is this.
    fn fits_path(&self, path: &[String]) -> bool {
        let mut outwards = path.iter().rev();
        let mut wanted = self.parts.iter().rev();
        let Some((own, name)) = outwards.next().zip(wanted.next()) else { return false };
        // Between the names that were given there may be others, such as the module of a class.
        is_called(own, name) && wanted.all(|wanted| outwards.any(|name| is_called(name, wanted)))
    }

    /// Those of these that are meant.
    fn chosen<T>(&self, found: Vec<T>) -> Vec<T> {
        match self.which {
            Some(which) => found.into_iter().skip(which - 1).take(1).collect(),
            None => found,
        }
    }
}

fn is_called(name: &str, wanted: &str) -> bool {
    name == wanted || plain(name) == wanted || target(name) == wanted
}

/// A name without what some servers put behind it: `area(int)`, `Widget<T>`.
fn plain(name: &str) -> &str {
    let end = name.find(['(', '<']).filter(|at| *at > 0);
    end.map_or(name, |end| name[..end].trim_end())
}

/// What a block of Rust is for: `impl Widget`, `impl<T> Shape for Widget<T>`.
fn target(name: &str) -> &str {
    let Some(rest) = name.strip_prefix("impl") else { return name };
    let rest = rest.rsplit_once(" for ").map_or(rest, |(_, target)| target);
    let rest = if rest.starts_with('<') {
        rest.split_once('>').map_or(rest, |(_, behind)| behind)
    } else {
        rest
    };
    let rest = plain(rest.trim());
    rest.rsplit("::").next().unwrap_or(rest)
}

/// The innermost symbol around a place.
pub(super) fn around(all: &[Symbol], at: Position) -> Option<&Symbol> {
    let holds = |symbol: &&Symbol| symbol.range.start <= at && at <= symbol.range.end;
    all.iter().filter(holds).max_by_key(|symbol| (symbol.path.len(), symbol.range.start))
}

#[cfg(test)]
mod tests;
