//! Every command that is written is also offered: `impl Command` and `COMMANDS` of an area agree,
//! each area that has commands has an `AREA`, and the list of areas has every `AREA`.
//!
//! Reads text, not types: it knows the one shape in which this repository writes commands.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Report,
    tree::{File, Tree},
};

#[cfg(test)]
mod tests;

const SOURCES: &str = "crates/workspace/src/";
const AREAS: &str = "crates/workspace/src/areas.rs";

/// What one area writes and lists; a name counts as often as it appears.
#[derive(Default)]
struct Area {
    written: Vec<String>,
    listed: Vec<String>,
}

pub(super) fn check(tree: &Tree, report: &mut Report) {
    let mut areas: BTreeMap<&str, Area> = BTreeMap::new();
    let mut lists = BTreeSet::new();
    for file in tree.files.iter().filter(|file| file.is_rust() && !file.is_test()) {
        let Some(inner) = file.path.strip_prefix(SOURCES) else { continue };
        let Some(module) = inner.strip_suffix(".rs") else { continue };
        let module = module.strip_prefix("areas/").unwrap_or(module);
        let name = module.split('/').next().unwrap_or(module);
        let area = areas.entry(name).or_default();
        let code = without_comments(file);
        area.written.extend(implementations(&code));
        if let Some(list) = list(&code) {
            area.listed.extend(entries(list));
            lists.insert(format!("{name}::AREA"));
        }
        if code.contains("const AREA:") {
            lists.insert(format!("{name}::AREA"));
        }
    }
    for (name, area) in areas {
        for command in surplus(&area.written, &area.listed) {
            report.error(format!("command `{command}` of area `{name}` is not in its COMMANDS"));
        }
        for command in surplus(&area.listed, &area.written) {
            report
                .error(format!("COMMANDS of area `{name}` lists `{command}`, which is not there"));
        }
    }
    match tree.files.iter().find(|file| file.path == AREAS) {
        Some(file) => compare_areas(&lists, &listed_areas(&without_comments(file)), report),
        None => report.error(format!("{AREAS} is missing")),
    }
}

fn compare_areas(written: &BTreeSet<String>, listed: &BTreeSet<String>, report: &mut Report) {
    for area in written.difference(listed) {
        report.error(format!("`{area}` is not in AREAS of {AREAS}"));
    }
    for area in listed.difference(written) {
        report.error(format!("AREAS of {AREAS} names `{area}`, which is not there"));
    }
}

fn without_comments(file: &File) -> String {
    let code = file.text.lines().map(|line| line.split("//").next().unwrap_or(line));
    code.fold(String::new(), |text, line| text + "\n" + line)
}

/// The types in `impl Command<…> for Type`, as rustfmt lays it out: `impl` opens a line.
fn implementations(code: &str) -> Vec<String> {
    let heads = code.split("\nimpl").filter_map(|text| text.split('{').next());
    heads.filter_map(implementation).collect()
}

/// The type in the text between `impl` and `{`, if it becomes a command there: by `Command<…>`, or by a trait of an area
/// that a wrapper makes a command of, such as `PersonsCommand`. The wrapper itself is none.
fn implementation(head: &str) -> Option<String> {
    let head = head.split_whitespace().collect::<Vec<_>>().join(" ");
    let (interface, subject) = without_parameters(&head).split_once(" for ")?;
    if head.starts_with('<') && subject.contains('<') {
        return None;
    }
    let name = |path: &str| path.rsplit("::").next().unwrap_or(path).to_owned();
    let is_command = match interface.split_once('<') {
        Some((interface, _)) => name(interface) == "Command",
        None => name(interface.trim()).strip_suffix("Command").is_some_and(|kind| !kind.is_empty()),
    };
    is_command.then(|| type_name(subject))
}

/// What follows the `<…>` right after `impl`, if there is one.
fn without_parameters(head: &str) -> &str {
    if !head.starts_with('<') {
        return head;
    }
    let mut depth = 0_usize;
    for (index, letter) in head.char_indices() {
        match letter {
            '<' => depth += 1,
            '>' if depth == 1 => return &head[index + 1..],
            '>' => depth -= 1,
            _ => {}
        }
    }
    head
}

/// `named::Open where …` is `Open`.
fn type_name(text: &str) -> String {
    let path = text.split(['<', ' ']).next().unwrap_or(text);
    path.rsplit("::").next().unwrap_or(path).to_owned()
}

/// The text of the `COMMANDS` slice.
fn list(code: &str) -> Option<&str> {
    let (_, rest) = code.split_once("const COMMANDS:")?;
    rest.split(';').next()
}

/// The types in `Entry::of::<Type>()`, and those in a wrapper: `Entry::of::<Wrapper<Type>>()`.
fn entries(list: &str) -> Vec<String> {
    let after = list.split("Entry::of::<").skip(1);
    let types = after.filter_map(|text| text.split(">(").next());
    types.filter_map(|text| text.trim_end_matches('>').rsplit('<').next()).map(type_name).collect()
}

/// The `…::AREA` in the list of areas.
fn listed_areas(code: &str) -> BTreeSet<String> {
    let Some((_, list)) = code.split_once("const AREAS:") else { return BTreeSet::new() };
    let list = list.split(';').next().unwrap_or(list);
    let words = list.split(|letter: char| !(letter.is_alphanumeric() || "_:".contains(letter)));
    words.filter(|word| word.ends_with("::AREA")).map(str::to_owned).collect()
}

/// What is in `left` more often than in `right`.
fn surplus<'a>(left: &'a [String], right: &[String]) -> Vec<&'a str> {
    let mut rest: Vec<&String> = right.iter().collect();
    let missing = left.iter().filter(|name| {
        let found = rest.iter().position(|other| other == name);
        found.map(|index| rest.swap_remove(index)).is_none()
    });
    missing.map(String::as_str).collect()
}
