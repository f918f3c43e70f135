//! Text that comes in pieces, masked as if it had come at once.
//!
//! What may be the beginning of a secret is held back until it is known to be one or not; that is never more
//! than the longest value. Only the end of a value whose beginning was never there is let through: the letters
//! before it are told by then.

use std::sync::Arc;

use crate::{
    Masker,
    scan::{Before, Next, Scan},
    tokens::Alphabet,
};

/// Masks one stream of text.
pub struct Stream {
    masker: Arc<Masker>,
    held: String,
    before: Before,
    /// What comes next of these letters belongs to what was hidden last.
    swallowed: Option<Alphabet>,
    count: usize,
}

impl Stream {
    /// A stream from its beginning on.
    pub fn new(masker: Arc<Masker>) -> Self {
        Self { masker, held: String::new(), before: Before::Nothing, swallowed: None, count: 0 }
    }

    /// How many secrets were hidden so far.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The next piece of the text comes; what can be told now is given back.
    pub fn push(&mut self, text: &str) -> String {
        let mut text = text;
        if let Some(alphabet) = self.swallowed {
            let end = text.bytes().position(|byte| !alphabet(byte)).unwrap_or(text.len());
            text = &text[end..];
            if text.is_empty() {
                return String::new();
            }
            self.swallowed = None;
        }
        self.held.push_str(text);
        self.tell(false)
    }

    /// No more comes; the rest is given back.
    pub fn finish(&mut self) -> String {
        self.swallowed = None;
        self.tell(true)
    }

    fn tell(&mut self, is_last: bool) -> String {
        let held = std::mem::take(&mut self.held);
        let masker = Arc::clone(&self.masker);
        let mut scan = Scan::part(&masker, &held, self.before, is_last);
        let (mut told, mut at) = (String::with_capacity(held.len()), 0);
        let settled = loop {
            match scan.next() {
                Next::Hide { what, label, more } => {
                    told.push_str(&held[at..what.start]);
                    told.push_str(label);
                    (at, self.before, self.swallowed) = (what.end, Before::Nothing, more);
                    self.count += 1;
                }
                Next::Settled(settled) => break settled.max(at),
            }
        };
        told.push_str(&held[at..settled]);
        if let Some(letter) = held[at..settled].chars().next_back() {
            self.before = Before::Letter(letter);
        }
        held[settled..].clone_into(&mut self.held);
        told
    }
}
