//! Sets one entry in a TOML file that belongs to a person; everything else stays byte for byte.
//!
//! A file that could not be kept as it is, such as one that mixes line ends, is refused.

use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Map, Value};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike};

use super::{place, without_mark};

/// The value at a path of keys, if the text has one.
pub(super) fn lookup(text: &str, path: &[&str]) -> Result<Option<Value>> {
    let document = parse(without_mark(text))?;
    let mut item = Some(document.as_item());
    for key in path {
        item = item.and_then(Item::as_table_like).and_then(|table| table.get(key));
    }
    Ok(item.map(plain))
}

/// The text with the table `name` inside the table `group`.
pub(super) fn set(text: &str, group: &str, name: &str, entry: &Value) -> Result<String> {
    let body = without_mark(text);
    let mut document = parse(body)?;
    let shape = Shape::of(body);
    if shape.restore(&document) != body {
        bail!("what is not ours could not be kept byte for byte; perhaps the file mixes line ends");
    }
    let members = entry.as_object().context("an entry is an object")?;

    let is_first = document.is_empty() && body.trim().is_empty();
    let parent = document.entry(group).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let is_inline = parent.is_inline_table();
    let kind = parent.type_name();
    let Some(parent) = parent.as_table_like_mut() else {
        bail!("{group:?} is {kind}, not a table")
    };
    match parent.get_mut(name) {
        Some(item) if plain(item) == *entry => return Ok(text.to_owned()),
        Some(item) => {
            let kind = item.type_name();
            let Some(table) = item.as_table_like_mut() else {
                bail!("\"{group}.{name}\" is {kind}, not a table");
            };
            table.clear();
            fill(table, members)?;
        }
        None if is_inline => {
            let mut table = InlineTable::new();
            fill(&mut table, members)?;
            parent.insert(name, toml_edit::value(table));
        }
        None => {
            let mut table = Table::new();
            table.decor_mut().set_prefix(if is_first { "" } else { "\n" });
            fill(&mut table, members)?;
            parent.insert(name, Item::Table(table));
        }
    }
    let mark = &text[..text.len() - body.len()];
    Ok(format!("{mark}{}", shape.restore(&document)))
}

fn parse(text: &str) -> Result<DocumentMut> {
    // The library's own message would quote the line, which may hold a secret.
    text.parse().map_err(|error: toml_edit::TomlError| {
        let at = error.span().map_or(text.len(), |span| span.start);
        anyhow!("{}: {}", place(text, at), error.message())
    })
}

fn fill(table: &mut dyn TableLike, members: &Map<String, Value>) -> Result<()> {
    for (key, value) in members {
        table.insert(key, Item::Value(toml(value)?));
    }
    Ok(())
}

fn toml(value: &Value) -> Result<toml_edit::Value> {
    Ok(match value {
        Value::String(text) => text.as_str().into(),
        Value::Bool(value) => (*value).into(),
        Value::Array(values) => values.iter().map(toml).collect::<Result<Array>>()?.into(),
        Value::Object(members) => {
            let mut table = InlineTable::new();
            fill(&mut table, members)?;
            table.into()
        }
        Value::Number(_) | Value::Null => bail!("an entry holds no {value}"),
    })
}

/// What an item says, to compare it with an entry.
fn plain(item: &Item) -> Value {
    if let Some(table) = item.as_table_like() {
        return table.iter().map(|(key, item)| (key.to_owned(), plain(item))).collect();
    }
    match item.as_value() {
        Some(toml_edit::Value::String(text)) => Value::from(text.value().as_str()),
        Some(toml_edit::Value::Boolean(value)) => Value::from(*value.value()),
        Some(toml_edit::Value::Array(values)) => {
            values.iter().map(|value| plain(&Item::Value(value.clone()))).collect()
        }
        _ => Value::from(item.to_string()),
    }
}

/// What the library drops when it prints a document.
struct Shape {
    carriage_returns: bool,
    ends_with_line: bool,
}

impl Shape {
    fn of(text: &str) -> Self {
        Self {
            carriage_returns: text.contains("\r\n"),
            ends_with_line: text.is_empty() || text.ends_with('\n'),
        }
    }

    fn restore(&self, document: &DocumentMut) -> String {
        let mut text = document.to_string();
        if !self.ends_with_line && text.ends_with('\n') {
            text.pop();
        }
        if self.carriage_returns { text.replace('\n', "\r\n") } else { text }
    }
}
