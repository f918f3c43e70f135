//! A person's choices about agents, written into the text of their `agents.toml`: what is set stands there afterwards,
//! and all else stays byte for byte, comments too.
//!
//! Pure: no file is read or written here. A text that could not be kept as it is, such as one that is no TOML or that
//! mixes line ends, is refused.

use toml_edit::{DocumentMut, Item, Table, TableLike};

/// What is changed for an agent; what is `None` stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentChange {
    /// Whether it is the one that is meant where none is named.
    pub is_default: Option<bool>,
    /// Whether it runs on this machine as the person.
    pub outside: Option<bool>,
    /// Whether it has tools of its own.
    pub own_tools: Option<bool>,
    /// Where one runs already; an empty text takes it out.
    pub address: Option<String>,
    /// The model that it uses when nobody chooses; an empty text takes it out.
    pub model: Option<String>,
    /// The model for small work; an empty text takes it out.
    pub small_model: Option<String>,
}

/// The text with this change for this agent in it, or why it cannot be.
pub(super) fn written(text: &str, id: &str, change: &AgentChange) -> Result<String, String> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut document: DocumentMut = body.parse().map_err(|error: toml_edit::TomlError| {
        format!("it is not TOML: {}", error.message().lines().next().unwrap_or_default())
    })?;
    let shape = Shape::of(body);
    if shape.restored(&document) != body {
        return Err("it mixes line ends, so it could not be kept as it is".to_owned());
    }
    match change.is_default {
        Some(true) => put(document.as_table_mut(), "default", Some(id.into())),
        Some(false) if document.get("default").and_then(Item::as_str) == Some(id) => {
            document.remove("default");
        }
        Some(false) | None => {}
    }
    let mut ways: Vec<(&str, Option<toml_edit::Value>)> = Vec::new();
    ways.extend(change.outside.map(|is| ("outside", Some(is.into()))));
    ways.extend(change.own_tools.map(|has| ("own_tools", Some(has.into()))));
    let words = [
        ("address", &change.address),
        ("model", &change.model),
        ("small_model", &change.small_model),
    ];
    for (name, word) in words {
        ways.extend(word.as_ref().map(|word| (name, (!word.is_empty()).then(|| word.into()))));
    }
    if !ways.is_empty() {
        let run = table(document.as_table_mut(), "run", true)?;
        let way = table(run, id, false)?;
        for (name, value) in ways {
            put(way, name, value);
        }
    }
    let mark = &text[..text.len() - body.len()];
    Ok(format!("{mark}{}", shape.restored(&document)))
}

/// The table of this name, made if it is not there.
fn table<'a>(
    parent: &'a mut dyn TableLike,
    name: &str,
    is_implicit: bool,
) -> Result<&'a mut dyn TableLike, String> {
    let made = || {
        let mut table = Table::new();
        table.set_implicit(is_implicit);
        Item::Table(table)
    };
    let item = parent.entry(name).or_insert_with(made);
    item.as_table_like_mut().ok_or_else(|| format!("`{name}` in it is no table"))
}

/// Set a value, or take it out. One that is there keeps its place and the comment behind it.
fn put(table: &mut dyn TableLike, name: &str, value: Option<toml_edit::Value>) {
    let Some(mut value) = value else {
        table.remove(name);
        return;
    };
    match table.get_mut(name).and_then(Item::as_value_mut) {
        Some(known) => {
            *value.decor_mut() = known.decor().clone();
            *known = value;
        }
        None => drop(table.insert(name, Item::Value(value))),
    }
}

/// What the library drops when it prints a document.
struct Shape {
    has_carriage_returns: bool,
    ends_with_line: bool,
}

impl Shape {
    fn of(text: &str) -> Self {
        Self {
            has_carriage_returns: text.contains("\r\n"),
            ends_with_line: text.is_empty() || text.ends_with('\n'),
        }
    }

    fn restored(&self, document: &DocumentMut) -> String {
        let mut text = document.to_string();
        if !self.ends_with_line && text.ends_with('\n') {
            text.pop();
        }
        if self.has_carriage_returns { text.replace('\n', "\r\n") } else { text }
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    fn outside() -> AgentChange {
        AgentChange { outside: Some(true), ..AgentChange::default() }
    }

    #[test]
    fn a_file_that_is_not_there_begins_with_what_is_set() {
        let change =
            AgentChange { is_default: Some(true), model: Some("one/two".to_owned()), ..outside() };
        assert_eq!(
            written("", "opencode", &change).unwrap(),
            "default = \"opencode\"\n\n[run.opencode]\noutside = true\nmodel = \"one/two\"\n"
        );
    }

    #[test]
    fn comments_order_and_entries_of_others_stay_byte_for_byte() {
        let text = "# mine\ndefault = 'claude' # usually\n\n# walls\n[run.opencode]\nown_tools = false # all by the space\n\
                    outside = false # not yet\n\n[[agent]]\nid = 'mine' # my own\nname = 'Mine'\ncommand = ['mine']\n";
        let change = AgentChange { is_default: Some(true), ..outside() };
        let expected =
            text.replace("'claude'", "\"opencode\"").replace("outside = false", "outside = true");
        assert_eq!(written(text, "opencode", &change).unwrap(), expected);
        let windows = text.replace('\n', "\r\n");
        assert_eq!(written(&windows, "opencode", &change).unwrap(), expected.replace('\n', "\r\n"));
        assert_eq!(written(text, "opencode", &AgentChange::default()).unwrap(), text);
    }

    #[test]
    fn an_empty_text_takes_out_what_was_set_and_another_default_stays() {
        let text = "default = \"claude\"\n[run.opencode]\naddress = \"http://127.0.0.1:1\"\nmodel = \"a/b\"\n";
        let change = AgentChange {
            is_default: Some(false),
            address: Some(String::new()),
            ..AgentChange::default()
        };
        let expected = "default = \"claude\"\n[run.opencode]\nmodel = \"a/b\"\n";
        assert_eq!(written(text, "opencode", &change).unwrap(), expected);
        let change = AgentChange { is_default: Some(false), ..AgentChange::default() };
        let without = "[run.opencode]\nmodel = \"a/b\"\n";
        assert_eq!(written(expected, "claude", &change).unwrap(), without);
    }

    #[test]
    fn what_could_not_be_kept_is_refused() {
        let refused = |text: &str| written(text, "opencode", &outside()).unwrap_err();
        assert!(refused("[run").starts_with("it is not TOML: "), "{}", refused("[run"));
        assert_eq!(
            refused("a = 1\r\nb = 2\n"),
            "it mixes line ends, so it could not be kept as it is"
        );
        assert_eq!(refused("run = 1\n"), "`run` in it is no table");
        assert_eq!(refused("[run]\nopencode = 1\n"), "`opencode` in it is no table");
    }
}
