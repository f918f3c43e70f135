//! Reads problems from lines as they come. It keeps the lines of a problem that is not whole yet, and nothing else.

use std::collections::VecDeque;

use regex::Captures;

use super::matchers::{Matcher, Pattern, severity_of};
use crate::areas::problems::Severity;

/// A problem, as a line says it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) file: String,
    pub(super) line: Option<u32>,
    pub(super) column: Option<u32>,
    pub(super) end_line: Option<u32>,
    pub(super) end_column: Option<u32>,
    pub(super) severity: Option<Severity>,
    pub(super) code: Option<String>,
    pub(super) message: String,
}

/// What a line of a task that goes on says of its cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// It looks anew; what it found before counts no more.
    Begins,
    /// It has looked.
    Ends,
}

/// One matcher over the lines of one run.
pub(super) struct Scan {
    matcher: Matcher,
    /// Lines that the first patterns fit, while the next one waits for its line.
    window: Vec<String>,
    /// What is said so far of the problem.
    said: Seen,
    /// The last pattern repeats, and has had its first line.
    repeats: bool,
}

impl Scan {
    pub(super) fn new(matcher: Matcher) -> Self {
        Self { matcher, window: Vec::new(), said: Seen::default(), repeats: false }
    }

    pub(super) fn matcher(&self) -> &Matcher {
        &self.matcher
    }

    /// What a line says of the cycle, if the task goes on in cycles.
    pub(super) fn turn(&self, line: &str) -> Option<Turn> {
        let cycle = self.matcher.cycle.as_ref()?;
        if cycle.begins.is_match(line) {
            return Some(Turn::Begins);
        }
        cycle.ends.is_match(line).then_some(Turn::Ends)
    }

    /// The next line. Gives the problems that are whole with it.
    pub(super) fn line(&mut self, line: &str) -> Vec<Seen> {
        let mut found = Vec::new();
        let mut lines = VecDeque::from([line.to_owned()]);
        while let Some(line) = lines.pop_front() {
            let again = self.step(&line, &mut found);
            for line in again.into_iter().rev() {
                lines.push_front(line);
            }
        }
        found
    }

    /// Takes a line; gives those that have to be looked at again, because a problem did not go on as it began.
    fn step(&mut self, line: &str, found: &mut Vec<Seen>) -> Vec<String> {
        let last = self.matcher.patterns.len() - 1;
        let at = if self.repeats { last } else { self.window.len() };
        let pattern = &self.matcher.patterns[at];
        if let Some(captures) = pattern.regex.captures(line) {
            let mut said = self.said.clone();
            tell(pattern, &captures, &mut said);
            if at < last {
                self.said = said;
                self.window.push(line.to_owned());
                return Vec::new();
            }
            found.push(said);
            if pattern.repeats {
                self.repeats = true;
                self.window.clear();
            } else {
                self.start_over();
            }
            return Vec::new();
        }
        if at == 0 {
            return Vec::new();
        }
        // The first line began nothing; those behind it may.
        let mut again: Vec<String> = std::mem::take(&mut self.window).into_iter().skip(1).collect();
        again.push(line.to_owned());
        self.start_over();
        again
    }

    pub(super) fn start_over(&mut self) {
        self.window.clear();
        self.said = Seen::default();
        self.repeats = false;
    }
}

/// Put what a line says into what is said so far.
fn tell(pattern: &Pattern, captures: &Captures<'_>, said: &mut Seen) {
    let text = |group: Option<usize>| {
        let text = captures.get(group?)?.as_str().trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    let number = |group| text(group).and_then(|text| text.parse::<u32>().ok()).filter(|it| *it > 0);
    if let Some(file) = text(pattern.file) {
        said.file = file;
    }
    if let Some(message) = text(pattern.message) {
        // A message may go on over several lines.
        if said.message.is_empty() {
            said.message = message;
        } else {
            said.message = format!("{}\n{message}", said.message);
        }
    }
    if let Some(code) = text(pattern.code) {
        said.code = Some(code);
    }
    if let Some(severity) = text(pattern.severity).as_deref().and_then(severity_of) {
        said.severity = Some(severity);
    }
    if pattern.whole_file {
        said.line = Some(1);
    }
    if let Some(location) = text(pattern.location) {
        let numbers: Vec<u32> =
            location.split(',').filter_map(|part| part.trim().parse().ok()).collect();
        match numbers[..] {
            [line] => said.line = Some(line),
            [line, column] => (said.line, said.column) = (Some(line), Some(column)),
            [line, column, end_line, end_column] => {
                (said.line, said.column) = (Some(line), Some(column));
                (said.end_line, said.end_column) = (Some(end_line), Some(end_column));
            }
            _ => {}
        }
    }
    said.line = number(pattern.line).or(said.line);
    said.column = number(pattern.column).or(said.column);
    said.end_line = number(pattern.end_line).or(said.end_line);
    said.end_column = number(pattern.end_column).or(said.end_column);
}

#[cfg(test)]
mod tests;
