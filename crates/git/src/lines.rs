//! Lines of a file as callers name them: `12`, `3-7`, `1,5-9`.

use std::ops::RangeInclusive;

use super::error::GitError;

/// The most ranges that one request may name.
const MOST_RANGES: usize = 1000;

/// Some lines, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lines(pub(super) Vec<RangeInclusive<usize>>);

impl Lines {
    pub(super) fn parse(text: &str) -> Result<Self, GitError> {
        let bad = || {
            GitError::invalid(format!(
                "`lines` is `{text}`: give numbers from 1 such as `12`, `3-7` or `1,5-9`"
            ))
        };
        let words: Vec<&str> = text.split(',').map(str::trim).collect();
        if words.len() > MOST_RANGES {
            return Err(GitError::invalid(format!("`lines` has more than {MOST_RANGES} ranges")));
        }
        let number = |word: &str| word.trim().parse::<usize>().map_err(|_| bad());
        let mut ranges = Vec::with_capacity(words.len());
        for word in words {
            let (first, last) = word.split_once('-').unwrap_or((word, word));
            let (first, last) = (number(first)?, number(last)?);
            if first == 0 || last < first {
                return Err(bad());
            }
            ranges.push(first..=last);
        }
        Ok(Self(ranges))
    }

    pub(super) fn has(&self, line: usize) -> bool {
        self.0.iter().any(|range| range.contains(&line))
    }

    /// How many lines these are.
    pub(super) fn count(&self) -> usize {
        let each = self.0.iter().map(|range| (range.end() - range.start()).saturating_add(1));
        each.fold(0, usize::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbers_and_ranges() {
        assert_eq!(Lines::parse("12"), Ok(Lines(vec![12..=12])));
        assert_eq!(Lines::parse("1, 5-9"), Ok(Lines(vec![1..=1, 5..=9])));
        assert_eq!(Lines::parse("1,5-9").unwrap().count(), 6);
        for bad in ["", "0", "3-2", "-2", "2-", "a", "1,,2", "1.5"] {
            assert!(matches!(Lines::parse(bad), Err(GitError::InvalidRequest { .. })), "{bad}");
        }
        let many = vec!["1"; MOST_RANGES + 1].join(",");
        assert!(matches!(Lines::parse(&many), Err(GitError::InvalidRequest { .. })));
    }
}
