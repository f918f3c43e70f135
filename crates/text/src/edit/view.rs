//! A text with its byte order mark and its line endings put aside.
//!
//! Matching sees `\n` alone. What is written back takes the ending of the line it replaces, so a
//! file with mixed endings keeps every one of them. A carriage return without `\n` is a character
//! like any other.

use std::{borrow::Cow, ops::Range};

use super::lines::counterparts;

const BYTE_ORDER_MARK: char = '\u{feff}';

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Endings {
    Lf,
    CrLf,
    Mixed,
}

/// A text as matching sees it.
pub(super) struct View<'a> {
    text: Cow<'a, str>,
    /// Bytes before the text.
    mark: usize,
    /// Where in the text the newlines are that are written with a carriage return.
    returns: Vec<usize>,
    endings: Endings,
}

impl<'a> View<'a> {
    pub(super) fn of(raw: &'a str) -> Self {
        let body = raw.strip_prefix(BYTE_ORDER_MARK).unwrap_or(raw);
        let mark = raw.len() - body.len();
        if !body.contains("\r\n") {
            return Self {
                text: Cow::Borrowed(body),
                mark,
                returns: Vec::new(),
                endings: Endings::Lf,
            };
        }
        let mut text = String::with_capacity(body.len());
        let mut returns = Vec::new();
        let mut done = 0;
        for (at, _) in body.match_indices('\r') {
            if body.as_bytes().get(at + 1) == Some(&b'\n') {
                text.push_str(&body[done..at]);
                returns.push(text.len());
                done = at + 1;
            }
        }
        text.push_str(&body[done..]);
        let newlines = text.bytes().filter(|byte| *byte == b'\n').count();
        let endings = if newlines == returns.len() { Endings::CrLf } else { Endings::Mixed };
        Self { text: Cow::Owned(text), mark, returns, endings }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// What a caller gave, as matching sees it. The mark of the file is no part of an edit.
    pub(super) fn read<'b>(&self, given: &'b str) -> Cow<'b, str> {
        let given = match self.mark {
            0 => given,
            _ => given.strip_prefix(BYTE_ORDER_MARK).unwrap_or(given),
        };
        if given.contains("\r\n") {
            Cow::Owned(given.replace("\r\n", "\n"))
        } else {
            Cow::Borrowed(given)
        }
    }

    /// Where a piece of the text is in the file.
    pub(super) fn raw(&self, range: &Range<usize>) -> Range<usize> {
        let raw = |at: usize| self.mark + at + self.returns.partition_point(|other| *other < at);
        raw(range.start)..raw(range.end)
    }

    /// How a replacement is written in the file, when it takes the place of a piece of the text.
    pub(super) fn spell<'b>(&self, range: &Range<usize>, new: &'b str) -> Cow<'b, str> {
        match self.endings {
            Endings::Mixed if new.contains('\n') => Cow::Owned(self.spell_mixed(range, new)),
            Endings::CrLf if new.contains('\n') => Cow::Owned(new.replace('\n', "\r\n")),
            _ => Cow::Borrowed(new),
        }
    }

    fn spell_mixed(&self, range: &Range<usize>, new: &str) -> String {
        let there: Vec<&str> = self.text[range.clone()].split_inclusive('\n').collect();
        let mut newline = range.start;
        let ends: Vec<usize> = there
            .iter()
            .map(|line| {
                newline += line.len();
                newline - 1
            })
            .collect();
        let lines: Vec<&str> = new.split_inclusive('\n').collect();
        let mut returns = self.returns_near(range.start);
        let mut spelled = String::with_capacity(new.len() + lines.len());
        for (line, counterpart) in lines.iter().zip(counterparts(&there, &lines)) {
            let Some(content) = line.strip_suffix('\n') else {
                spelled.push_str(line);
                continue;
            };
            if let Some(index) = counterpart
                && there[index].ends_with('\n')
            {
                returns = self.is_return(ends[index]);
            }
            spelled.push_str(content);
            spelled.push_str(if returns { "\r\n" } else { "\n" });
        }
        spelled
    }

    fn is_return(&self, newline: usize) -> bool {
        self.returns.binary_search(&newline).is_ok()
    }

    /// The ending of the line at a place, or of the line before it when it has none.
    fn returns_near(&self, at: usize) -> bool {
        let after = self.text[at..].find('\n').map(|offset| at + offset);
        after.or_else(|| self.text[..at].rfind('\n')).is_some_and(|newline| self.is_return(newline))
    }
}
