//! A text as a row of words with one blank between each two.

use std::ops::Range;

/// The words of a text, and where they came from.
pub(super) struct Words {
    pub(super) text: String,
    /// Where each word begins, here and in the original.
    starts: Vec<(usize, usize)>,
}

impl Words {
    pub(super) fn of(original: &str) -> Self {
        let mut text = String::with_capacity(original.len());
        let mut starts = Vec::new();
        let mut rest = original;
        loop {
            rest = rest.trim_start();
            if rest.is_empty() {
                return Self { text, starts };
            }
            let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
            if !text.is_empty() {
                text.push(' ');
            }
            starts.push((text.len(), original.len() - rest.len()));
            text.push_str(&rest[..length]);
            rest = &rest[length..];
        }
    }

    /// Where a piece, which neither begins nor ends with a blank, was in the original.
    pub(super) fn original(&self, range: &Range<usize>) -> Range<usize> {
        let word = |at: usize| {
            let index = self.starts.partition_point(|(start, _)| *start <= at);
            self.starts[index.saturating_sub(1)]
        };
        let ((first, first_was), (last, last_was)) = (word(range.start), word(range.end - 1));
        first_was + (range.start - first)..last_was + (range.end - last)
    }
}
