//! "Did you mean": paths that somebody may have meant by one that does not exist.

use std::{ops::ControlFlow, path::Path};

use openspace_protocol::RelPath;

use super::{Files, beneath::spell, list::names_in, smallest::Smallest, walk::walk};

#[cfg(test)]
mod tests;

/// How many paths are proposed.
const PROPOSED: usize = 3;
/// How many entries are looked at for a file of the same name in another folder.
const LOOKED_AT: usize = 20_000;
/// Longer names are not compared letter by letter.
const COMPARED: usize = 256;

impl Files {
    /// Up to three existing paths that look like the given one, the likeliest first.
    ///
    /// Neighbours with almost the same name come before files of the same name in other folders.
    pub fn near_names(&self, path: &RelPath) -> Vec<String> {
        let (Some(folder), Some(name)) = (path.parent(), path.name()) else { return Vec::new() };
        let wanted = name.to_lowercase();
        let mut near = Smallest::new(PROPOSED);
        for other in names_in(self, folder.as_path()) {
            if let Some(distance) = distance(&wanted, &other.to_lowercase())
                && other != name
                && let Ok(tail) = RelPath::parse(&other)
            {
                near.push((distance, String::from(folder.join(&tail))));
            }
        }
        let mut proposed: Vec<_> = near.into_sorted().into_iter().map(|(_, path)| path).collect();
        if proposed.len() < PROPOSED {
            for path in self.same_name_elsewhere(path, &wanted) {
                if proposed.len() < PROPOSED && !proposed.contains(&path) {
                    proposed.push(path);
                }
            }
        }
        proposed
    }

    fn same_name_elsewhere(&self, path: &RelPath, wanted: &str) -> Vec<String> {
        let mut same = Smallest::new(PROPOSED);
        let mut looked_at = 0;
        let walked = walk(self, &RelPath::root(), &|| false, |found, _| {
            looked_at += 1;
            if found
                .file_name()
                .and_then(|name| name.to_str())
                .is_some_and(|name| name.to_lowercase() == wanted)
                && let Some(found) = other_path(found, path)
            {
                same.push((found.matches('/').count(), found));
            }
            if looked_at < LOOKED_AT { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if let Err(error) = walked {
            tracing::debug!(%error, "no names are proposed");
        }
        same.into_sorted().into_iter().map(|(_, path)| path).collect()
    }
}

fn other_path(found: &Path, than: &RelPath) -> Option<String> {
    spell(found).ok().filter(|found| found != than).map(String::from)
}

/// How many letters differ, or `None` when that is too many for a slip.
fn distance(wanted: &str, other: &str) -> Option<usize> {
    let wanted: Vec<_> = wanted.chars().collect();
    let other: Vec<_> = other.chars().collect();
    let allowed = (wanted.len() / 3).max(1);
    if wanted.len().abs_diff(other.len()) > allowed || wanted.len().max(other.len()) > COMPARED {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in wanted.iter().enumerate() {
        let mut next = vec![at + 1];
        for (other_at, other_letter) in other.iter().enumerate() {
            let changed = row[other_at] + usize::from(letter != other_letter);
            let mut least = changed.min(row[other_at + 1] + 1).min(next[other_at] + 1);
            let swapped = at > 0
                && other_at > 0
                && *letter == other[other_at - 1]
                && wanted[at - 1] == *other_letter;
            if swapped {
                least = least.min(before[other_at - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().filter(|distance| *distance <= allowed)
}
