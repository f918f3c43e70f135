//! What people did, in few bytes: as data and as one line. What does not fit is counted.

use openspace_command::Since;
use serde_json::{Map, Value, json};

use super::{Doing, Lines};

/// Bytes of the data as JSON, and of the line.
pub(super) const MOST_DATA: usize = 600;
pub(super) const MOST_LINE: usize = 400;
/// Bytes that are kept free for saying how much more there is.
const ROOM_FOR_MORE: usize = 40;
/// Bytes of a path that are shown; its end says more than its beginning.
const PATH: usize = 120;

/// A file that a person edited.
struct Edited<'a> {
    path: &'a str,
    lines: Lines,
    is_saved: bool,
}

/// One thing that is told, as a value under a key and in words.
struct Item {
    key: &'static str,
    value: Value,
    words: String,
}

/// What is told of some doings, the oldest first; `forgotten` ones came before them.
pub(super) fn told<'a>(doings: impl Iterator<Item = &'a Doing>, forgotten: u64) -> Option<Since> {
    let (mut edited, mut others): (Vec<Edited<'_>>, Vec<&Doing>) = (Vec::new(), Vec::new());
    for doing in doings {
        match doing {
            Doing::Typed { path, lines } => {
                let edited = file(&mut edited, path);
                edited.lines.join(lines);
                edited.is_saved = false;
            }
            Doing::Saved { path } => file(&mut edited, path).is_saved = true,
            other => {
                others.retain(|known| !other.is_about_the_same(known));
                others.push(other);
            }
        }
    }
    let mut items: Vec<Item> = edited.iter().map(Edited::item).collect();
    items.extend(others.iter().filter_map(|doing| item(doing)));
    if items.is_empty() && forgotten == 0 {
        return None;
    }
    // What an agent has to know for its own work comes first.
    let order = [
        "edited", "failed", "answered", "selected", "opened", "closed", "problems", "did", "panes",
    ];
    items.sort_by_key(|item| order.iter().position(|key| *key == item.key));
    Some(fitted(items, forgotten))
}

fn file<'e, 'a>(edited: &'e mut Vec<Edited<'a>>, path: &'a str) -> &'e mut Edited<'a> {
    let known = edited.iter().position(|file| file.path == path);
    let index = known.unwrap_or_else(|| {
        edited.push(Edited { path, lines: Lines::default(), is_saved: false });
        edited.len() - 1
    });
    &mut edited[index]
}

impl Edited<'_> {
    fn item(&self) -> Item {
        let (path, lines) = (shown(self.path), self.lines.to_string());
        let mut value = json!({ "path": path, "saved": self.is_saved });
        let mut words = format!("edited {path}");
        if !lines.is_empty() {
            value["lines"] = lines.as_str().into();
            words.push(':');
            words.push_str(&lines);
        }
        words.push_str(if self.is_saved { " (saved)" } else { " (not saved)" });
        Item { key: "edited", value, words }
    }
}

fn item(doing: &Doing) -> Option<Item> {
    let named = |key: &'static str, name: String| {
        let words = format!("{key} {name}");
        Some(Item { key, value: name.into(), words })
    };
    match doing {
        Doing::Typed { .. } | Doing::Saved { .. } => None,
        Doing::Opened { what } => named("opened", shown(what)),
        Doing::Closed { what } => named("closed", shown(what)),
        Doing::Selected { path, lines: None } => named("selected", shown(path)),
        Doing::Selected { path, lines: Some((first, last)) } => {
            let path = shown(path);
            let lines = if first == last { first.to_string() } else { format!("{first}-{last}") };
            named("selected", format!("{path}:{lines}"))
        }
        Doing::Arranged => {
            Some(Item { key: "panes", value: "arranged".into(), words: "arranged panes".into() })
        }
        Doing::Failed { terminal, command, code } => {
            let value = json!({ "terminal": terminal, "command": command, "exit_code": code });
            let words = format!("ran `{command}` in {terminal}, which failed ({code})");
            Some(Item { key: "failed", value, words })
        }
        Doing::Answered { what, .. } => named("answered", what.clone()),
        Doing::Problems { source, count } => {
            let words = format!("{source} reports {count} problems");
            Some(Item { key: "problems", value: format!("{source}: {count}").into(), words })
        }
        Doing::Did { what } => {
            Some(Item { key: "did", value: what.as_str().into(), words: what.clone() })
        }
    }
}

/// As much as fits, and how much more there is.
fn fitted(items: Vec<Item>, forgotten: u64) -> Since {
    let (mut data, mut words) = (Map::new(), Vec::new());
    let (mut data_left, mut line_left) = (MOST_DATA - ROOM_FOR_MORE, MOST_LINE - ROOM_FOR_MORE);
    let (mut untold, mut unsaid) = (forgotten, forgotten);
    for Item { key, value, words: said } in items {
        // Key, quotes, brackets and commas.
        let costs = value.to_string().len() + key.len() + 8;
        match data_left.checked_sub(costs) {
            Some(left) => {
                data_left = left;
                put(&mut data, key, value);
            }
            None => untold += 1,
        }
        match line_left.checked_sub(said.len() + 2) {
            Some(left) => {
                line_left = left;
                words.push(said);
            }
            None => unsaid += 1,
        }
    }
    if untold > 0 {
        data.insert("more".into(), untold.into());
    }
    if unsaid > 0 {
        words.push(format!("{unsaid} more"));
    }
    let line = format!("(Since your last call the person: {})", words.join("; "));
    Since { data: data.into(), line }
}

/// Put a value among those under its key; there is one way only for panes to be arranged.
fn put(data: &mut Map<String, Value>, key: &str, value: Value) {
    if key == "panes" {
        data.insert(key.into(), value);
        return;
    }
    match data.get_mut(key) {
        Some(Value::Array(values)) => values.push(value),
        _ => drop(data.insert(key.into(), Value::Array(vec![value]))),
    }
}

/// A path that does not fill the answer.
fn shown(path: &str) -> String {
    if path.len() <= PATH {
        return path.to_owned();
    }
    let from = path.ceil_char_boundary(path.len() - PATH);
    format!("…{}", &path[from..])
}
