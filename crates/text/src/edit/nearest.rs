//! The place most like a text that was not found, so that an error can show what is there.
//!
//! Lines are compared by the pairs of bytes in them, which takes one pass over the text for each of
//! a few telling lines. The few places that this finds are compared letter by letter, because a line that
//! has the same pairs in another order is not the one that was meant. It is a guess for a reader's
//! eyes, never a place to edit.

use std::{cmp::Reverse, ops::Range};

use super::{
    Nearest,
    similarity::{self, Budget},
};

/// How many lines of the wanted text are looked for.
const MAX_TELLING: usize = 5;
/// How many lines of the wanted text are looked at to choose them.
const MAX_WANTED: usize = 1000;
/// How many of the pairs, in thousandths, a line must have.
const SIMILAR: usize = 500;
/// How many places are compared letter by letter.
const MAX_COMPARED: usize = 32;
/// How alike, in thousandths, a place must be to be worth showing.
const WORTH_SHOWING: u64 = 400;
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
    let mut places: Vec<usize> = (0..votes.len()).filter(|row| votes[*row] > 0).collect();
    places.sort_by_key(|row| (Reverse(votes[*row]), *row));
    places.truncate(MAX_COMPARED);
    let row = most_alike(text, lines, &wanted, &places)?;
    let end = (row + wanted.len()).min(lines.len());
    let place = &text[lines[row].start..lines[end - 1].end];
    Some(Nearest { line: row as u64 + 1, text: cut(place) })
}

/// The place whose lines are most like the wanted ones; the likeliest one when comparing costs too much.
fn most_alike(
    text: &str,
    lines: &[Range<usize>],
    wanted: &[&str],
    places: &[usize],
) -> Option<usize> {
    let mut budget = Budget::new();
    let mut best: Option<(u64, usize)> = None;
    for &row in places {
        let end = (row + wanted.len()).min(lines.len());
        let there: Vec<&str> =
            lines[row..end].iter().map(|line| text[line.clone()].trim()).collect();
        let Some(alike) = similarity::blocks(wanted, &there, &mut budget) else {
            return best.map(|(_, row)| row).or(Some(row));
        };
        if alike >= WORTH_SHOWING && best.is_none_or(|(most, _)| alike > most) {
            best = Some((alike, row));
        }
    }
    best.map(|(_, row)| row)
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
