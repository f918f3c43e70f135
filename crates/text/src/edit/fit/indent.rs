//! How the indentation that a caller wrote translates into that of the file.

use std::collections::BTreeMap;

/// One level of indentation is not longer than this.
const MAX_LEVEL: usize = 16;
/// How many different indentations are learned from.
const MAX_PAIRS: usize = 64;

/// What is known of the difference: pairs of an indentation as given and as it is in the file.
pub(super) struct Indentation<'a> {
    /// Of the first line, which callers often give without its indentation.
    first: Option<(&'a str, &'a str)>,
    /// Of the other lines; of the first one if there is no other.
    pairs: BTreeMap<&'a str, &'a str>,
    /// What the caller adds for one level, and what the file adds.
    level: Option<(&'a str, &'a str)>,
}

impl<'a> Indentation<'a> {
    /// Learn from the lines as given, each with the line of the file that it stands for.
    pub(super) fn learn(lines: impl Iterator<Item = (&'a str, Option<&'a str>)>) -> Self {
        let mut first = None;
        let mut pairs = BTreeMap::new();
        for (index, (given, known)) in lines.enumerate() {
            let Some(known) = known.filter(|line| !line.trim().is_empty()) else { continue };
            let pair = (leading(given), leading(known));
            if index == 0 {
                first = Some(pair);
            } else if pairs.len() < MAX_PAIRS {
                pairs.entry(pair.0).or_insert(pair.1);
            }
        }
        let seen: Vec<_> = first.into_iter().chain(pairs.iter().map(|(s, t)| (*s, *t))).collect();
        if let (true, Some(first)) = (pairs.is_empty(), first) {
            pairs.insert(first.0, first.1);
        }
        Self { level: level(&seen).or_else(|| level_from_none(&seen)), first, pairs }
    }

    /// Write a line with the indentation that the file would give it.
    pub(super) fn push(&self, out: &mut String, line: &str, is_first: bool) {
        let given = leading(line);
        if given.len() == line.len() {
            out.push_str(line);
            return;
        }
        match self.first {
            Some((first, known)) if is_first && first == given => out.push_str(known),
            _ => self.translate(out, given),
        }
        out.push_str(&line[given.len()..]);
    }

    fn translate(&self, out: &mut String, given: &str) {
        let deeper = self.pairs.iter().filter(|(from, _)| given.starts_with(**from));
        if let Some((from, to)) = deeper.max_by_key(|(from, _)| from.len()) {
            out.push_str(to);
            out.push_str(&self.levels(&given[from.len()..]));
            return;
        }
        let shallower = self.pairs.iter().filter(|(from, _)| from.starts_with(given));
        match shallower.min_by_key(|(from, _)| from.len()) {
            Some((from, to)) => {
                let less = self.levels(&from[given.len()..]);
                out.push_str(to.strip_suffix(less.as_str()).unwrap_or_default());
            }
            None => out.push_str(given),
        }
    }

    /// Some more indentation of the caller in the file's own way.
    fn levels(&self, mut given: &str) -> String {
        let mut own = String::new();
        if let Some((from, to)) = self.level {
            while let Some(rest) = given.strip_prefix(from) {
                own.push_str(to);
                given = rest;
            }
        }
        own + given
    }
}

fn leading(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

/// The smallest step between two indentations that both sides know.
fn level<'a>(pairs: &[(&'a str, &'a str)]) -> Option<(&'a str, &'a str)> {
    let steps = pairs.iter().flat_map(|(from, to)| {
        pairs.iter().filter_map(move |(deeper_from, deeper_to)| {
            Some((deeper_from.strip_prefix(from)?, deeper_to.strip_prefix(to)?))
        })
    });
    steps.filter(is_level).min_by_key(|(from, _)| from.len())
}

/// One indentation alone tells of a level only if both sides count it alike, from none.
fn level_from_none<'a>(pairs: &[(&'a str, &'a str)]) -> Option<(&'a str, &'a str)> {
    pairs
        .iter()
        .copied()
        .filter(|(from, to)| is_level(&(*from, *to)) && from.chars().next() != to.chars().next())
        .min_by_key(|(from, _)| from.len())
}

fn is_level((from, to): &(&str, &str)) -> bool {
    (1..=MAX_LEVEL).contains(&from.len()) && (1..=MAX_LEVEL).contains(&to.len())
}
