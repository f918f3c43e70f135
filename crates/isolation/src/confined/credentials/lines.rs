//! Settings of which each stands on a line of its own.

use super::{Format, is_credential};

/// The text without the lines that set a credential, and those that go on with it.
pub(super) fn without(format: Format, text: &str) -> Option<String> {
    // Where a text of several lines ends is not for us to find out.
    if format == Format::Toml && (text.contains("\"\"\"") || text.contains("'''")) {
        return None;
    }
    let mut kept = String::with_capacity(text.len());
    let mut dropped: Option<Dropped> = None;
    let mut in_credential_section = false;
    for line in text.lines() {
        if let Some(dropping) = &mut dropped {
            if dropping.goes_on(format, line) {
                continue;
            }
            dropped = None;
        }
        let trimmed = line.trim_start();
        if has_sections(format) && trimmed.starts_with('[') {
            in_credential_section = is_credential(section(trimmed));
        }
        if in_credential_section || sets_a_credential(format, trimmed) {
            dropped = Some(Dropped::new(line));
            continue;
        }
        let line =
            if format == Format::Yaml { without_channel_token(line) } else { line.to_owned() };
        kept.push_str(&line);
        kept.push('\n');
    }
    Some(kept)
}

fn has_sections(format: Format) -> bool {
    matches!(format, Format::Ini | Format::Git | Format::Toml)
}

/// The name of a section without what it is about, which may be an address.
fn section(head: &str) -> &str {
    let name = head.trim_start_matches('[');
    name.split([' ', ']', '"', '\t']).next().unwrap_or_default()
}

fn sets_a_credential(format: Format, line: &str) -> bool {
    if line.starts_with(['#', ';']) {
        // What was switched off is a credential still.
        return sets_a_credential(format, line.trim_start_matches(['#', ';', ' ']));
    }
    let separators: &[char] = if format == Format::Yaml { &[':'] } else { &['='] };
    // On one line of TOML or YAML there may be several, in a table.
    let names = line.split(['{', ',']).map(|part| match part.split_once(separators) {
        Some((name, _)) => name,
        None if part.len() == line.len() => part,
        None => "",
    });
    // What a section is about may come on the same line.
    let mut names = names.map(|name| name.rsplit(']').next().unwrap_or(name));
    names.any(|name| is_credential(name.trim().trim_matches(['"', '\''])))
}

/// A line that was left out, and how to know those that belong to it.
struct Dropped {
    indent: usize,
    goes_on: bool,
    brackets: i64,
}

impl Dropped {
    fn new(line: &str) -> Self {
        Self { indent: indent(line), goes_on: line.ends_with('\\'), brackets: brackets(line) }
    }

    fn goes_on(&mut self, format: Format, line: &str) -> bool {
        match format {
            Format::Git => std::mem::replace(&mut self.goes_on, line.ends_with('\\')),
            Format::Toml => {
                let open = self.brackets > 0;
                self.brackets += brackets(line);
                open
            }
            _ => {
                let goes_on = std::mem::replace(&mut self.goes_on, line.ends_with('\\'));
                goes_on || (indent(line) > self.indent && !line.trim().is_empty())
            }
        }
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// How many more are opened than closed.
fn brackets(line: &str) -> i64 {
    let count = |wanted: [char; 2]| line.matches(wanted).count();
    i64::try_from(count(['[', '{'])).unwrap_or(0) - i64::try_from(count([']', '}'])).unwrap_or(0)
}

/// A channel of packages may have a token in its address, as `/t/token/`.
fn without_channel_token(line: &str) -> String {
    let Some((before, after)) = line.split_once("/t/") else { return line.to_owned() };
    match after.split_once('/') {
        Some((_, rest)) => format!("{before}/{rest}"),
        None => before.to_owned(),
    }
}
