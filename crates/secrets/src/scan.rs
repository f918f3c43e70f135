//! Looking through a text once, from the left: what has to be hidden, and as what.
//!
//! It works the same on a text that goes on: then it stops where a verdict would depend on what follows, and
//! says from where on the text has to be kept.

use std::ops::Range;

use aho_corasick::Input;

use crate::{
    masker::{Hit, Masker, Side},
    tokens::{Alphabet, TOKENS, Verdict},
};

/// What stands before a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Before {
    /// Nothing, or something that was hidden.
    Nothing,
    /// A letter.
    Letter(char),
}

/// The next thing that is found.
pub(crate) enum Next<'m> {
    /// Hide this as that. What follows of the alphabet belongs to it.
    Hide { what: Range<usize>, label: &'m str, more: Option<Alphabet> },
    /// Nothing more, up to here.
    Settled(usize),
}

pub(crate) struct Scan<'m, 't> {
    masker: &'m Masker,
    text: &'t str,
    before: Before,
    /// No more text follows.
    is_last: bool,
    /// Whether the end of a value is looked for without its beginning, which may stand in text that was told
    /// before.
    tails: bool,
    /// Where a match may begin that more text would make.
    open_from: usize,
    /// Where the search goes on.
    at: usize,
    /// Where the last thing that was hidden ended.
    hidden_to: Option<usize>,
}

impl<'m, 't> Scan<'m, 't> {
    /// All of a text.
    pub(crate) fn whole(masker: &'m Masker, text: &'t str) -> Self {
        let scan = Self::part(masker, text, Before::Nothing, true);
        Self { tails: true, ..scan }
    }

    /// A text that goes on before and, unless it is the last of it, after what is there.
    pub(crate) fn part(masker: &'m Masker, text: &'t str, before: Before, is_last: bool) -> Self {
        let open_from = if is_last { text.len() } else { masker.open_from(text) };
        Self { masker, text, before, is_last, tails: false, open_from, at: 0, hidden_to: None }
    }

    pub(crate) fn next(&mut self) -> Next<'m> {
        let Some(finder) = &self.masker.finder else {
            let what = self.at..self.text.len();
            self.at = self.text.len();
            if what.is_empty() {
                return Next::Settled(self.text.len());
            }
            return Next::Hide { what, label: self.masker.label(None), more: None };
        };
        loop {
            let rest = Input::new(self.text).span(self.at..self.text.len());
            let Some(found) = finder.find(rest).filter(|found| found.start() < self.open_from)
            else {
                return Next::Settled(self.open_from.max(self.at));
            };
            match self.look(found.start(), found.end(), &self.masker.hits[found.pattern()]) {
                Looked::Hide { what, label, more } => {
                    (self.at, self.hidden_to) = (what.end, Some(what.end));
                    return Next::Hide { what, label, more };
                }
                Looked::Wait => return Next::Settled(found.start()),
                Looked::Nothing => {
                    let next = self.text[found.start()..].chars().next().map_or(1, char::len_utf8);
                    self.at = found.start() + next;
                }
            }
        }
    }

    /// What a match means; shorter ones that begin at the same place count where it means nothing.
    fn look(&self, start: usize, end: usize, hit: &Hit) -> Looked<'m> {
        let looked = self.look_at(start, end, hit);
        if !matches!(looked, Looked::Nothing) {
            return looked;
        }
        self.masker
            .shorter(&self.text[start..end])
            .map_or(Looked::Nothing, |(length, hit)| self.look(start, start + length, hit))
    }

    fn look_at(&self, start: usize, end: usize, hit: &Hit) -> Looked<'m> {
        let mut best: Option<(Range<usize>, usize)> = None;
        for (side, form) in &hit.forms {
            let form = &self.masker.forms[*form];
            let what = match side {
                Side::Whole => start..end,
                Side::Head => {
                    let agrees = agree(&self.text[start..], &form.text);
                    if agrees < form.text.len()
                        && start + agrees == self.text.len()
                        && !self.is_last
                    {
                        return Looked::Wait;
                    }
                    start..start + agrees
                }
                Side::Tail if !self.tails => continue,
                Side::Tail => {
                    let from = self.hidden_to.unwrap_or(0);
                    end - agree_back(&self.text[from..end], &form.text)..end
                }
            };
            if best.as_ref().is_none_or(|(known, _)| known.len() < what.len()) {
                best = Some((what, form.label));
            }
        }
        if let Some((what, label)) = best {
            return Looked::Hide { what, label: self.masker.label(Some(label)), more: None };
        }
        let Some(token) = hit.token.map(|token| &TOKENS[token]) else { return Looked::Nothing };
        match token.judge(self.text, start, self.is_free(start), self.is_last) {
            Verdict::No => Looked::Nothing,
            Verdict::Wait => Looked::Wait,
            Verdict::Yes(mut what, alphabet) => {
                // What a token begins with stays, unless it holds a secret itself.
                if self.masker.knows(&self.text[start..what.start]) {
                    what.start = start;
                }
                let goes_on = what.end == self.text.len() && !self.is_last;
                let more = goes_on.then_some(alphabet);
                Looked::Hide { what, label: self.masker.label(None), more }
            }
        }
    }

    /// Whether no letter or digit stands before. What was hidden is none.
    fn is_free(&self, at: usize) -> bool {
        if self.hidden_to == Some(at) {
            return true;
        }
        let before = match self.text[..at].chars().next_back() {
            Some(letter) => Before::Letter(letter),
            None => self.before,
        };
        !matches!(before, Before::Letter(letter) if letter.is_alphanumeric() || letter == '_')
    }
}

enum Looked<'m> {
    Hide { what: Range<usize>, label: &'m str, more: Option<Alphabet> },
    Wait,
    Nothing,
}

/// How many bytes at the beginning are the same, in whole letters.
fn agree(text: &str, value: &str) -> usize {
    let same = text.bytes().zip(value.bytes()).take_while(|(one, other)| one == other).count();
    text.floor_char_boundary(same)
}

/// How many bytes at the end are the same, in whole letters.
fn agree_back(text: &str, value: &str) -> usize {
    let pairs = text.bytes().rev().zip(value.bytes().rev());
    let same = pairs.take_while(|(one, other)| one == other).count();
    text.len() - text.ceil_char_boundary(text.len() - same)
}
