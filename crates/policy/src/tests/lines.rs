//! The table of lines: whether an agent may run each with the profile `careful`.
//!
//! `lines.txt` has one row for each: the verdict in the confined place, outside of it, and where nothing can
//! be confined; then the line. Signs that cannot be seen have one that can. `lines-lost-and-sent.txt` is more
//! of it: where the border lies between what daily work discards and what is lost, and what is sent away.

use super::ruling;
use crate::{Decision, Place, Policy};

const TABLES: [&str; 2] = [include_str!("lines.txt"), include_str!("lines-lost-and-sent.txt")];

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

/// The verdicts and the line of every row that is no title.
fn rows() -> Vec<([&'static str; 3], &'static str)> {
    let mut rows = Vec::new();
    let lines = TABLES.into_iter().flat_map(str::lines);
    for row in lines.filter(|row| !row.is_empty() && !row.starts_with('#')) {
        let mut rest = row;
        let verdicts = [(); 3].map(|()| {
            let (verdict, after) = rest.split_once(' ').unwrap();
            rest = after.trim_start();
            verdict
        });
        rows.push((verdicts, rest));
    }
    rows
}

#[test]
fn every_line_gets_its_verdict() {
    let mut wrong = Vec::new();
    for (expected, written) in rows() {
        let line = real(written);
        let places = [Place::Confined, Place::Outside, Place::Unconfined];
        let told = places.map(|place| verdict(&line, place));
        if told != expected {
            let why = ruling(&Policy::default(), Place::Confined, &line).why;
            wrong.push(format!("{written}\n  {told:?} instead of {expected:?}: {why}"));
        }
    }
    assert!(wrong.is_empty(), "{} rows differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn there_are_many_lines_and_none_twice() {
    let mut lines: Vec<&str> = rows().into_iter().map(|(_, line)| line).collect();
    let count = lines.len();
    assert!(count >= 500, "{count}");
    lines.sort_unstable();
    let twice: Vec<&str> =
        lines.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
    assert!(twice.is_empty(), "{twice:?}");
}
