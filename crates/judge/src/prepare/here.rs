//! Here-documents and here-strings: where they begin, and where bash finds their end.

use super::{Aside, HERE_DOCUMENT, HERE_STRING, Pending, Scanner};
use crate::Doubt;

impl Scanner<'_> {
    /// `<<< word`: the word is what is read.
    pub(super) fn here_string(&mut self) {
        let blanks = self.rest()[3..].bytes().take_while(|byte| b" \t".contains(byte)).count();
        self.put(&format!("<{HERE_STRING}"), 3 + blanks);
    }

    /// `<<` with its delimiter; the text comes after the line.
    pub(super) fn here_document(&mut self) -> Result<(), Doubt> {
        let rest = &self.rest()[2..];
        let strips_tabs = rest.starts_with('-');
        let after_dash = &rest[usize::from(strips_tabs)..];
        let word = after_dash.trim_start_matches([' ', '\t']);
        let (delimiter, quoted, length) = delimiter(word)?;
        let length = 2 + (rest.len() - word.len()) + length;
        let aside = self.prepared.asides.len();
        self.prepared.asides.push(Aside::Document { body: String::new(), expands: !quoted });
        self.pending.push(Pending { aside, delimiter, strips_tabs, depth: self.contexts.len() });
        self.put(&format!("<{HERE_DOCUMENT}{aside}"), length);
        Ok(())
    }

    /// The line has ended: the texts that were announced in it follow, one after the other.
    pub(super) fn here_texts(&mut self) -> Result<(), Doubt> {
        let depth = self.contexts.len();
        for pending in std::mem::take(&mut self.pending) {
            if pending.depth != depth {
                return Err(Doubt::Unreadable);
            }
            let expands = matches!(
                self.prepared.asides.get(pending.aside),
                Some(Aside::Document { expands: true, .. })
            );
            let (text, length) =
                document(self.rest(), &pending, expands).ok_or(Doubt::Unreadable)?;
            self.at += length;
            if let Some(Aside::Document { body, .. }) = self.prepared.asides.get_mut(pending.aside)
            {
                *body = text;
            }
        }
        self.moved();
        Ok(())
    }
}

/// The delimiter with its quotes undone, whether it has any, and how many bytes it takes.
fn delimiter(word: &str) -> Result<(String, bool, usize), Doubt> {
    let (mut delimiter, mut quoted) = (String::new(), false);
    let mut at = 0;
    while let Some(letter) = word[at..].chars().next() {
        match letter {
            ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | ')' => break,
            '\'' | '"' => {
                let inside = &word[at + 1..];
                let end = inside.find(letter).ok_or(Doubt::Unreadable)?;
                delimiter.push_str(&inside[..end]);
                quoted = true;
                at += end + 2;
            }
            '\\' => {
                let next = word[at + 1..].chars().next().ok_or(Doubt::Unreadable)?;
                delimiter.push(next);
                quoted = true;
                at += 1 + next.len_utf8();
            }
            // Shells differ in what these mean here.
            '$' | '`' | '(' => return Err(Doubt::Unreadable),
            _ => {
                delimiter.push(letter);
                at += letter.len_utf8();
            }
        }
    }
    // Inside double quotes a backslash may or may not be one.
    if at == 0 || delimiter.contains(['\n', '\\']) {
        return Err(Doubt::Unreadable);
    }
    Ok((delimiter, quoted, at))
}

/// The text up to the line with the delimiter, and how many bytes both take.
fn document(source: &str, pending: &Pending, expands: bool) -> Option<(String, usize)> {
    let mut text = String::new();
    let mut at = 0;
    loop {
        if at >= source.len() {
            return None;
        }
        let (line, length) = line(&source[at..], expands);
        at += length;
        let line = if pending.strips_tabs { line.trim_start_matches('\t') } else { line.as_str() };
        if line == pending.delimiter {
            return Some((text, at));
        }
        text.push_str(line);
        text.push('\n');
    }
}

/// One line; where expansions happen, a backslash at its end joins the next one to it before the line is
/// compared with the delimiter.
fn line(source: &str, joins: bool) -> (String, usize) {
    let mut line = String::new();
    let mut at = 0;
    loop {
        let rest = &source[at..];
        let end = rest.find('\n').unwrap_or(rest.len());
        let piece = &rest[..end];
        at += (end + 1).min(rest.len());
        let backslashes = piece.bytes().rev().take_while(|byte| *byte == b'\\').count();
        if joins && backslashes % 2 == 1 && at < source.len() {
            line.push_str(&piece[..piece.len() - 1]);
        } else {
            line.push_str(piece);
            return (line, at);
        }
    }
}
