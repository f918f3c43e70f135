//! Lines, where they are, and which lines of two lists belong together.

use std::{hash::Hash, ops::Range};

use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::NAMED_PLACES;

/// Two lists whose lengths multiply to more than this are not compared line by line: what differs
/// between their common beginning and end counts as replaced.
const MAX_COMPARISONS: usize = 1_000_000;

/// The lines of a text without their newlines.
pub(super) fn split(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    text.split_inclusive('\n')
        .map(|line| {
            let range = start..start + line.strip_suffix('\n').unwrap_or(line).len();
            start += line.len();
            range
        })
        .collect()
}

/// The line numbers, from 1, of the first few of these places, which are in order.
pub(super) fn numbers(text: &str, places: &[usize]) -> Vec<u64> {
    let (mut line, mut done) = (1, 0);
    let mut numbers = Vec::new();
    for place in places.iter().take(NAMED_PLACES) {
        line += newlines(&text[done..*place]);
        done = *place;
        numbers.push(line);
    }
    numbers
}

/// How many lines there are; one without an end counts too.
pub(super) fn count(text: &str) -> u64 {
    newlines(text) + u64::from(!text.is_empty() && !text.ends_with('\n'))
}

pub(super) fn newlines(text: &str) -> u64 {
    text.bytes().filter(|byte| *byte == b'\n').count() as u64
}

/// The next place of a piece after the start of this one, overlapping or not.
pub(super) fn find_after(text: &str, piece: &str, start: usize) -> Option<usize> {
    let next = start + piece.chars().next()?.len_utf8();
    text[next..].find(piece).map(|offset| next + offset)
}

/// All places of a list within another, overlapping ones too, in linear time.
pub(super) fn runs(all: &[&str], wanted: &[&str]) -> Vec<usize> {
    if wanted.is_empty() {
        return Vec::new();
    }
    // How much of the list still holds when the item after so many does not.
    let mut retreat = vec![0; wanted.len()];
    let mut held = 0;
    for index in 1..wanted.len() {
        while held > 0 && wanted[index] != wanted[held] {
            held = retreat[held - 1];
        }
        held += usize::from(wanted[index] == wanted[held]);
        retreat[index] = held;
    }
    let mut places = Vec::new();
    held = 0;
    for (index, item) in all.iter().enumerate() {
        while held > 0 && *item != wanted[held] {
            held = retreat[held - 1];
        }
        held += usize::from(*item == wanted[held]);
        if held == wanted.len() {
            places.push(index + 1 - held);
            held = retreat[held - 1];
        }
    }
    places
}

/// The parts in which two lists differ, in order; what lies between them is equal.
pub(super) fn differences<T: Eq + Hash>(old: &[T], new: &[T]) -> Vec<(Range<usize>, Range<usize>)> {
    let head = old.iter().zip(new).take_while(|(left, right)| left == right).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(l, r)| l == r).count();
    let (old_part, new_part) =
        (&old_rest[..old_rest.len() - tail], &new_rest[..new_rest.len() - tail]);
    if old_part.is_empty() && new_part.is_empty() {
        return Vec::new();
    }
    let whole = (head..head + old_part.len(), head..head + new_part.len());
    if old_part.len().min(new_part.len()) == 0
        || old_part.len() == 1 && new_part.len() == 1
        || old_part.len().saturating_mul(new_part.len()) > MAX_COMPARISONS
    {
        return vec![whole];
    }
    capture_diff_slices(Algorithm::Myers, old_part, new_part)
        .iter()
        .map(similar::DiffOp::as_tag_tuple)
        .filter(|(tag, ..)| *tag != DiffTag::Equal)
        .map(|(_, old, new)| (head + old.start..head + old.end, head + new.start..head + new.end))
        .collect()
}

/// For each item of the new list the equal item of the old one.
pub(super) fn equals<T: Eq + Hash>(old: &[T], new: &[T]) -> Vec<Option<usize>> {
    pair(old, new, false)
}

/// For each item of the new list the equal item of the old one, or the one it takes the place of.
pub(super) fn counterparts<T: Eq + Hash>(old: &[T], new: &[T]) -> Vec<Option<usize>> {
    pair(old, new, true)
}

fn pair<T: Eq + Hash>(old: &[T], new: &[T], replaced_too: bool) -> Vec<Option<usize>> {
    let mut pairs = Vec::with_capacity(new.len());
    let mut next = 0;
    for (gone, come) in differences(old, new) {
        let equal = come.start - pairs.len();
        pairs.extend((next..next + equal).map(Some));
        pairs.extend(
            come.enumerate().map(|(index, _)| {
                (replaced_too && index < gone.len()).then_some(gone.start + index)
            }),
        );
        next = gone.end;
    }
    let equal = new.len() - pairs.len();
    pairs.extend((next..next + equal).map(Some));
    pairs
}
