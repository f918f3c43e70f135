//! Fitting a replacement into a found that is not quite as the caller thought.
//!
//! In a found of whole lines the new text is taken line by line. A line that the caller left as it
//! was keeps the bytes of the file. Any other line is indented as the caller's lines turned out to
//! be: by the same difference, in the file's own tabs or blanks where these can be told. Blanks
//! within lines and at their ends are the caller's.

use std::ops::Range;

use super::{
    Rule,
    lines::equals,
    matches::{Match, Scene, unescape},
};

mod indent;

use self::indent::Indentation;

/// What is to be replaced, and by what.
pub(super) fn fit(scene: &Scene, rule: Rule, found: &Match, new: &str) -> (Range<usize>, String) {
    match found {
        // Who escaped the old text by mistake escaped the new one too.
        Match::Span(span) if rule == Rule::EscapeNormalized => (span.clone(), unescape(new)),
        Match::Span(span) => (span.clone(), new.trim().to_owned()),
        Match::Lines(rows) => {
            let read = match rule {
                Rule::LineTrimmed | Rule::IndentationFlexible => Block::whole,
                _ => Block::without_blank_edges,
            };
            fit_lines(scene, rows, &read(scene.old), &read(new))
        }
    }
}

fn fit_lines(
    scene: &Scene,
    rows: &Range<usize>,
    old: &Block,
    new: &Block,
) -> (Range<usize>, String) {
    let there: Vec<&str> =
        scene.lines[rows.clone()].iter().map(|line| &scene.text[line.clone()]).collect();
    let old_lines: Vec<&str> = old.text.split('\n').collect();
    let new_lines: Vec<&str> = new.text.split('\n').collect();
    let in_file = equals(&words(&there), &words(&old_lines));
    let known = |index: usize| in_file.get(index).copied().flatten().map(|row| there[row]);
    let indentation =
        Indentation::learn(old_lines.iter().enumerate().map(|(i, line)| (*line, known(i))));
    let mut fitted = String::with_capacity(new.text.len());
    let kept = if new.text.is_empty() { vec![None] } else { equals(&old_lines, &new_lines) };
    for (index, kept) in kept.into_iter().enumerate() {
        if index > 0 {
            fitted.push('\n');
        }
        match kept.and_then(known) {
            Some(line) => fitted.push_str(line),
            None => indentation.push(&mut fitted, new_lines[index], index == 0),
        }
    }
    let mut bytes = scene.bytes(&Match::Lines(rows.clone()));
    if old.ends_line && !new.ends_line && bytes.end < scene.text.len() {
        bytes.end += 1;
    }
    if !old.ends_line && new.ends_line {
        fitted.push('\n');
    }
    (bytes, fitted)
}

/// The words of each line.
fn words<'a>(lines: &[&'a str]) -> Vec<Vec<&'a str>> {
    lines.iter().map(|line| line.split_whitespace().collect()).collect()
}

/// A text as lines, and whether the newline after the last one belongs to it.
struct Block<'a> {
    text: &'a str,
    ends_line: bool,
}

impl<'a> Block<'a> {
    fn whole(text: &'a str) -> Self {
        match text.strip_suffix('\n') {
            Some(text) => Self { text, ends_line: true },
            None => Self { text, ends_line: false },
        }
    }

    fn without_blank_edges(text: &'a str) -> Self {
        let end = text.trim_end().len();
        let blank = text.len() - text.trim_start().len();
        let start = text[..blank].rfind('\n').map_or(0, |newline| newline + 1).min(end);
        Self { text: &text[start..end], ends_line: text[end..].contains('\n') }
    }
}
