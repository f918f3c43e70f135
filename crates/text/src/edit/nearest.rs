//! The place most like a text that was not found, so that an error can show what is there.
//!
//! Lines are compared by the pairs of bytes in them, which takes one pass over the text for each of
//! a few telling lines. It is a guess for a reader's eyes, never a place to edit.

use std::{cmp::Reverse, ops::Range};

use super::Nearest;

/// How many lines of the wanted text are looked for.
const MAX_TELLING: usize = 5;
/// How many lines of the wanted text are looked at to choose them.
const MAX_WANTED: usize = 1000;
/// How many of the pairs, in thousandths, a line must have.
const SIMILAR: usize = 650;
const MAX_SHOWN_LINES: usize = 10;
const MAX_SHOWN_CHARACTERS: usize = 600;

/// The most similar place in a text with these lines, if one is similar at all.
pub(super) fn nearest(text: &str, lines: &[Range<usize>], old: &str) -> Option<Nearest> {
    let wanted: Vec<&str> = old.lines().take(MAX_WANTED).map(str::trim).collect();
    let mut telling: Vec<usize> = (0..wanted.len()).filter(|row| wanted[*row].len() > 1).collect();
    telling.sort_by_key(|row| Reverse(wanted[*row].len()));
    telling.truncate(MAX_TELLING);
    let mut votes = vec![0_usize; lines.len()];
    let mut pairs = vec![false; 1 << 16];
    for offset in telling {
        let line = wanted[offset].as_bytes();
        pairs.fill(false);
        line.windows(2).for_each(|pair| pairs[index(pair)] = true);
        for (row, other) in lines.iter().enumerate() {
            let vote = likeness(line.len() - 1, &pairs, text[other.clone()].trim().as_bytes());
            votes[row.saturating_sub(offset)] += vote * line.len().min(200);
        }
    }
    let (row, _) = votes
        .iter()
        .enumerate()
        .filter(|(_, votes)| **votes > 0)
        .max_by_key(|(row, votes)| (**votes, Reverse(*row)))?;
    let end = (row + wanted.len()).min(lines.len());
    let place = &text[lines[row].start..lines[end - 1].end];
    Some(Nearest { line: row as u64 + 1, text: cut(place) })
}

fn index(pair: &[u8]) -> usize {
    usize::from(pair[0]) << 8 | usize::from(pair[1])
}

/// How alike a line is: how much of the wanted line it has, and how little else.
fn likeness(wanted: usize, pairs: &[bool], line: &[u8]) -> usize {
    let has = line.len().saturating_sub(1);
    if has == 0 || has > wanted * 4 + 64 {
        return 0;
    }
    let shared = line.windows(2).filter(|pair| pairs[index(pair)]).count().min(wanted);
    let share = shared * 1000 / wanted;
    if share < SIMILAR { 0 } else { share + 2000 * shared / (wanted + has) }
}

fn cut(place: &str) -> String {
    let mut shown: String = place
        .split_inclusive('\n')
        .take(MAX_SHOWN_LINES)
        .flat_map(str::chars)
        .take(MAX_SHOWN_CHARACTERS)
        .collect();
    if shown.len() < place.len() {
        shown.truncate(shown.trim_end().len());
        shown.push_str(" […]");
    }
    shown
}
