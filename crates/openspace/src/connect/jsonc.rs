//! Sets one entry in a JSON file that belongs to a person: comments, trailing commas, key order,
//! line ends and indentation stay as they are, byte for byte, outside the entry.
//!
//! It does not format, and it does not guess: text that is not JSON with comments is refused.

use std::ops::Range;

use anyhow::{Result, bail};
use serde::Serialize;
use serde_json::{Value, json};

mod syntax;
#[cfg(test)]
mod tests;

use super::without_mark;
use syntax::{Kind, Node, comment, next_token, parse};

/// The value at a path of keys, if the text has one.
pub(super) fn lookup(text: &str, path: &[&str]) -> Result<Option<Value>> {
    let root = parse(text)?;
    let mut node = root.as_ref();
    for key in path {
        node = node.and_then(|node| node.member(key)).map(|member| &member.value);
    }
    Ok(node.map(Node::value))
}

/// The text with the value at a path of keys; missing objects on the way are made.
pub(super) fn set(text: &str, path: &[&str], value: &Value) -> Result<String> {
    let Some(root) = parse(text)? else {
        return append(text, &nest(path, value));
    };
    let page = Page::of(text, &root);
    let mut node = &root;
    let mut spread = true;
    for (depth, key) in path.iter().enumerate() {
        let Kind::Object(members) = &node.kind else {
            bail!("{} is {}, not an object", name(&path[..depth]), node.describe());
        };
        let rest = &path[depth + 1..];
        let Some(member) = node.member(key) else {
            let last = members.last().map(|last| last.start..last.value.span.end);
            let new = nest(rest, value);
            return page.insert(&node.span, last, spread, |indent| {
                Ok(match indent {
                    Some(indent) => format!("{}: {}", json!(key), page.pretty(&new, indent)?),
                    None => format!("{}:{}", json!(key), new),
                })
            });
        };
        spread = page.begins_line(member.start);
        node = &member.value;
        if rest.is_empty() && node.value() != *value {
            let span = node.span.clone();
            let new = if spread || text[span.clone()].contains('\n') {
                page.pretty(value, page.indent_at(member.start))?
            } else {
                value.to_string()
            };
            return Ok(splice(text, span, &new));
        }
    }
    Ok(text.to_owned())
}

/// The text with an element in the list at a key. The element takes the place of the first one it
/// `replaces`; otherwise it comes last.
pub(super) fn set_element(
    text: &str,
    key: &str,
    element: &str,
    replaces: impl Fn(&str) -> bool,
) -> Result<String> {
    let root = parse(text)?;
    let Some((root, member)) = root.as_ref().and_then(|root| Some((root, root.member(key)?)))
    else {
        return set(text, &[key], &json!([element]));
    };
    let Kind::Array(nodes) = &member.value.kind else {
        bail!("{} is {}, not a list", name(&[key]), member.value.describe());
    };
    let texts = || nodes.iter().map(|node| (node, node.value()));
    if texts().any(|(_, value)| value == element) {
        return Ok(text.to_owned());
    }
    let old = texts().find(|(_, value)| value.as_str().is_some_and(&replaces));
    if let Some((old, _)) = old {
        return Ok(splice(text, old.span.clone(), &json!(element).to_string()));
    }
    let last = nodes.last().map(|last| last.span.clone());
    Page::of(text, root).insert(&member.value.span, last, false, |_| Ok(json!(element).to_string()))
}

fn name(path: &[&str]) -> String {
    if path.is_empty() { "the file's value".to_owned() } else { format!("\"{}\"", path.join(".")) }
}

fn nest(path: &[&str], value: &Value) -> Value {
    path.iter().rev().fold(value.clone(), |inner, key| json!({ *key: inner }))
}

fn splice(text: &str, range: Range<usize>, new: &str) -> String {
    [&text[..range.start], new, &text[range.end..]].concat()
}

/// A document after text that holds none: nothing, blanks or comments.
fn append(text: &str, value: &Value) -> Result<String> {
    let page = Page { text, unit: "  ", newline: newline(text) };
    let has_line = without_mark(text).is_empty() || text.ends_with(['\n', '\r']);
    let gap = if has_line { "" } else { page.newline };
    Ok([text, gap, &page.pretty(value, "")?, page.newline].concat())
}

fn newline(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// A text and the way it is laid out.
struct Page<'a> {
    text: &'a str,
    unit: &'a str,
    newline: &'static str,
}

impl<'a> Page<'a> {
    fn of(text: &'a str, root: &Node) -> Self {
        let mut page = Self { text, unit: "  ", newline: newline(text) };
        if let Some(unit) = page.unit_of(root) {
            page.unit = unit;
        }
        page
    }

    /// What the first member that has its own line is indented by.
    fn unit_of(&self, node: &Node) -> Option<&'a str> {
        let outer = self.indent_at(node.span.start);
        let unit = |start: usize, value: &Node| {
            let inner = self.begins_line(start).then(|| self.indent_at(start));
            let unit = inner.and_then(|inner| inner.strip_prefix(outer));
            unit.filter(|unit| !unit.is_empty()).or_else(|| self.unit_of(value))
        };
        match &node.kind {
            Kind::Object(members) => {
                members.iter().find_map(|member| unit(member.start, &member.value))
            }
            Kind::Array(nodes) => nodes.iter().find_map(|node| unit(node.span.start, node)),
            Kind::Scalar(_) => None,
        }
    }

    /// The line up to `at`.
    fn line_before(&self, at: usize) -> &'a str {
        let before = &self.text[..at];
        without_mark(&before[before.rfind(['\n', '\r']).map_or(0, |end| end + 1)..])
    }

    fn begins_line(&self, at: usize) -> bool {
        self.line_before(at).trim_start_matches([' ', '\t']).is_empty()
    }

    /// What the line of `at` is indented by.
    fn indent_at(&self, at: usize) -> &'a str {
        let line = self.line_before(at);
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    /// The value over several lines, of which all but the first are indented by `indent`.
    fn pretty(&self, value: &Value, indent: &str) -> Result<String> {
        let mut bytes = Vec::new();
        let formatter = serde_json::ser::PrettyFormatter::with_indent(self.unit.as_bytes());
        value.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, formatter))?;
        Ok(String::from_utf8(bytes)?.replace('\n', &format!("{}{indent}", self.newline)))
    }

    /// Add an item at the end of the container at `span`, after its `last` item. `render` gets the
    /// indentation when the item goes on its own line, which an empty container allows if `spread`.
    fn insert(
        &self,
        span: &Range<usize>,
        last: Option<Range<usize>>,
        spread: bool,
        render: impl Fn(Option<&str>) -> Result<String>,
    ) -> Result<String> {
        let outer = self.indent_at(span.start);
        let deeper = format!("{outer}{}", self.unit);
        let Some(last) = last else {
            return self.fill(span, outer, &deeper, spread, render);
        };
        let token = next_token(self.text, last.end)?;
        let comma = self.text[token..].starts_with(',').then_some(token + 1);
        let (at, of_line) = self.past_comments(comma.unwrap_or(last.end))?;
        let own_line = self.begins_line(last.start);
        let indent = if own_line { self.indent_at(last.start) } else { &deeper };
        let mut new = if own_line || of_line {
            format!("{}{indent}{}", self.newline, render(Some(indent))?)
        } else {
            format!(" {}", render(None)?)
        };
        let text = if comma.is_some() {
            new.push(',');
            splice(self.text, at..at, &new)
        } else {
            // The comma follows the item, not its comment.
            let text = splice(self.text, at..at, &new);
            splice(&text, last.end..last.end, ",")
        };
        Ok(text)
    }

    /// Add the first item of a container that may hold comments.
    fn fill(
        &self,
        span: &Range<usize>,
        outer: &str,
        deeper: &str,
        spread: bool,
        render: impl Fn(Option<&str>) -> Result<String>,
    ) -> Result<String> {
        let close = span.end - 1;
        let inside = &self.text[span.start + 1..close];
        let blank_tail = inside.len() - inside.trim_end().len();
        let has_line = inside[inside.len() - blank_tail..].contains(['\n', '\r']);
        if !spread && !inside.contains(['\n', '\r']) {
            return Ok(splice(self.text, close..close, &render(None)?));
        }
        let at = if has_line { close - blank_tail } else { close };
        let mut new = format!("{}{deeper}{}", self.newline, render(Some(deeper))?);
        if !has_line {
            new.push_str(self.newline);
            new.push_str(outer);
        }
        Ok(splice(self.text, at..at, &new))
    }

    /// Past the comments that stand on the same line; whether the last one ends the line.
    fn past_comments(&self, from: usize) -> Result<(usize, bool)> {
        let (mut end, mut of_line) = (from, false);
        loop {
            let rest = &self.text[end..];
            let next = end + rest.len() - rest.trim_start_matches([' ', '\t']).len();
            match comment(self.text, next)? {
                Some(found) => (end, of_line) = found,
                None => return Ok((end, of_line)),
            }
        }
    }
}
