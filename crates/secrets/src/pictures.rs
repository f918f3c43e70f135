//! Square codes of links that stand in a terminal: whoever reads the blocks has the link.
//!
//! A row is told by itself, because terminals are read in pieces: half blocks, blanks and full blocks in quick turns, as no
//! bar and no frame has them. Who draws letters of such blocks loses them to this.

use std::{borrow::Cow, ops::Range};

/// What stands in the place of a row.
pub(crate) const LABEL: &str = "⟨secret picture⟩";

/// The narrowest square code has so many columns.
const NARROWEST: usize = 21;
/// A row changes so often from one sign to another. In codes of links it is every second or third column.
const FEWEST_CHANGES: usize = 8;

const FULL: char = '█';
const UPPER: char = '▀';
const LOWER: char = '▄';

/// The text without rows of square codes, and how many there were.
pub(crate) fn hide(text: &str) -> (Cow<'_, str>, usize) {
    if !text.contains(UPPER) && !text.contains(LOWER) {
        return (Cow::Borrowed(text), 0);
    }
    let (mut hidden, mut count, mut at) = (String::new(), 0, 0);
    for row in rows(text) {
        hidden.push_str(&text[at..row.start]);
        hidden.push_str(LABEL);
        at = row.end;
        count += 1;
    }
    if count == 0 {
        return (Cow::Borrowed(text), 0);
    }
    hidden.push_str(&text[at..]);
    (Cow::Owned(hidden), count)
}

/// Where rows stand, from the first block to the last.
fn rows(text: &str) -> Vec<Range<usize>> {
    let is_part = |letter: char| matches!(letter, FULL | UPPER | LOWER | ' ');
    let mut found = Vec::new();
    let mut at = 0;
    for run in text.split_inclusive(|letter| !is_part(letter)) {
        let signs = run.trim_end_matches(|letter| !is_part(letter));
        let blank = signs.len() - signs.trim_start_matches(' ').len();
        let row = signs.trim_matches(' ');
        if is_row(row) {
            found.push(at + blank..at + blank + row.len());
        }
        at += run.len();
    }
    found
}

fn is_row(row: &str) -> bool {
    let changes = row.chars().zip(row.chars().skip(1)).filter(|(one, next)| one != next).count();
    let has_halves = row.contains([UPPER, LOWER]);
    has_halves && changes >= FEWEST_CHANGES && row.chars().count() >= NARROWEST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_square_code_are_hidden_also_one_by_one_and_bars_are_not() {
        let row = "████ ▄▄▄▄▄ █▀▄█▀▄ ▄█ ▄▄▄▄▄ ████";
        let quiet = "█".repeat(31);
        let text = format!("link:\n{quiet}\n{row}\n  {row} \r\nend");
        let (hidden, count) = hide(&text);
        assert_eq!(
            (hidden.into_owned(), count),
            (format!("link:\n{quiet}\n{LABEL}\n  {LABEL} \r\nend"), 2)
        );
        assert_eq!(hide(LABEL), (Cow::Borrowed(LABEL), 0));
        for plain in [
            "[████████████████████████▌        ] 70 %",
            "███████████████████████▄             ",
            "█▀▄ short ▄▀█",
            "▁▂▃▄▅▆▇█▇▆▅▄▃▂▁▂▃▄▅▆▇█▇▆▅▄▃▂▁",
        ] {
            assert_eq!(hide(plain), (Cow::Borrowed(plain), 0));
        }
    }
}
