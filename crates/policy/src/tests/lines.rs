//! The table of lines: what each is found to do, and whether an agent may run it with the profile `careful`.
//!
//! `lines.txt` has one row for each: the verdict in the confined place, outside of it, and where nothing can
//! be confined; findings, and doubts with `?`; the line. Signs that cannot be seen have one that can.

use pretty_assertions::assert_eq;

use super::{judged, ruling};
use crate::{Decision, Place, Policy};

const TABLE: &str = include_str!("lines.txt");

const SIGNS: [(char, char); 6] =
    [('⏎', '\n'), ('⇥', '\t'), ('␍', '\r'), ('⍽', '\u{a0}'), ('◌', '\u{200b}'), ('↶', '\u{202e}')];

fn real(line: &str) -> String {
    SIGNS.iter().fold(line.to_owned(), |line, (sign, real)| line.replace(*sign, &real.to_string()))
}

fn verdict(line: &str, place: Place) -> &'static str {
    match ruling(&Policy::default(), place, line).decision {
        Decision::Allow => "allow",
        Decision::Ask => "ask",
        Decision::Deny => "deny",
    }
}

/// The names of all findings and doubts, each once.
fn found(line: &str) -> String {
    let judged = judged(line);
    let findings = judged.findings().map(|finding| format!("{finding:?}"));
    let doubts = judged.doubts.iter().map(|doubt| {
        let name = format!("{doubt:?}");
        format!("?{}", name.split('(').next().unwrap_or_default())
    });
    let mut names: Vec<String> = Vec::new();
    for name in findings.chain(doubts) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() { "-".to_owned() } else { names.join(",") }
}

/// The line of a row; titles and empty rows have none.
fn line_of(row: &str) -> Option<&str> {
    let is_row = ["allow ", "ask ", "deny "].iter().any(|word| row.starts_with(word));
    let mut rest = row;
    for _ in 0..4 {
        rest = rest.trim_start().split_once(' ')?.1;
    }
    is_row.then(|| rest.trim_start())
}

fn row(written: &str) -> String {
    let line = real(written);
    let places = [Place::Confined, Place::Outside, Place::Unconfined];
    let [confined, outside, unconfined] = places.map(|place| verdict(&line, place));
    format!("{confined:<5} {outside:<5} {unconfined:<5}  {:<33} {written}", found(&line))
}

#[test]
fn every_line_gets_its_verdict() {
    let told: Vec<String> =
        TABLE.lines().map(|line| line_of(line).map_or_else(|| line.to_owned(), row)).collect();
    assert_eq!(told.join("\n"), TABLE.trim_end());
}

#[test]
fn there_are_many_lines_and_none_twice() {
    let mut lines: Vec<&str> = TABLE.lines().filter_map(line_of).collect();
    let count = lines.len();
    assert!(count >= 500, "{count}");
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), count);
}
