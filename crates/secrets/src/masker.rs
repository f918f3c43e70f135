//! Known values and tokens hidden in text, with what they were still to be seen.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashSet},
    fmt,
};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::{
    Value, anchors, encodings, pictures, places,
    scan::{Next, Scan},
    tokens::TOKENS,
    words::is_common,
};

#[cfg(test)]
mod tests;

/// A value has at least so many letters; shorter ones are in ordinary words.
pub const SHORTEST: usize = 6;
/// Longer values are taken in pieces of so many bytes.
const LONGEST: usize = 4_096;
/// Bytes of all that is looked for. What does not fit is not known: the values given first count.
const MOST_BYTES: usize = 4 * 1024 * 1024;

/// So many bytes are looked for in the fastest way, which takes some hundred bytes of memory for each.
const FAST: usize = 32 * 1024;

/// What stands in a secret's place begins and ends with these, which no value that is taken has in it: so
/// nothing that is known reaches into it, and it is told from what people write.
pub(crate) const OPEN: char = '⟨';
const CLOSE: char = '⟩';
/// What stands for a secret that has no name.
const NAMELESS: &str = "⟨secret⟩";
/// Hiding by places and hiding values may each bring something into the other's view.
const MAX_ROUNDS: usize = 4;

/// A text in which nothing secret is left.
#[derive(Debug, PartialEq, Eq)]
pub struct Masked<'t> {
    /// The text.
    pub text: Cow<'t, str>,
    /// How many secrets were hidden.
    pub count: usize,
}

/// Which end of a form was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Whole,
    Head,
    Tail,
}

/// One way in which a value is written.
pub(crate) struct Form {
    pub(crate) text: String,
    pub(crate) label: usize,
}

/// What it may mean that some letters were found.
#[derive(Default)]
pub(crate) struct Hit {
    pub(crate) forms: Vec<(Side, usize)>,
    pub(crate) token: Option<usize>,
}

/// Hides known values, and tokens that are known by their form.
pub struct Masker {
    /// Without one nothing is let through. It can be made of any words, so this is not seen.
    pub(crate) finder: Option<AhoCorasick>,
    /// By the number of what is looked for.
    pub(crate) hits: Vec<Hit>,
    pub(crate) forms: Vec<Form>,
    labels: Vec<String>,
    /// All that is looked for, sorted, which is also the order of its numbers.
    needles: Vec<String>,
    longest: usize,
    known: usize,
}

impl Default for Masker {
    /// Knows no value.
    fn default() -> Self {
        Self::new(&[])
    }
}

/// Says how much it knows and nothing of it.
impl fmt::Debug for Masker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Masker").field("known", &self.known).finish_non_exhaustive()
    }
}

impl Masker {
    /// A masker that knows these values. What is too short or too common is left out, for it would hide
    /// ordinary text, and so is what does not fit; the first count.
    pub fn new(values: &[Value]) -> Self {
        let mut making = Making::default();
        for (number, token) in TOKENS.iter().enumerate() {
            making.needles.entry(token.start.to_owned()).or_default().token = Some(number);
        }
        for value in values {
            making.take(value);
        }
        let masker = making.made();
        // A name that holds something secret itself is not said. One round is enough: what is said then
        // holds nothing.
        let labels = masker.labels.iter().map(|label| {
            let says_nothing = masker.mask(label).count == 0 && places::mask(label) == *label;
            if says_nothing { label.clone() } else { NAMELESS.to_owned() }
        });
        Self { labels: labels.collect(), ..masker }
    }

    /// How many values it knows.
    pub fn known(&self) -> usize {
        self.known
    }

    /// The text with every secret in it hidden, for readers of files and of what programs print. Masking it
    /// again changes nothing.
    pub fn mask<'t>(&self, text: &'t str) -> Masked<'t> {
        let (shown, rows) = pictures::hide(text);
        match shown {
            Cow::Borrowed(text) => self.mask_words(text),
            Cow::Owned(text) => {
                let Masked { text, count } = self.mask_words(&text);
                Masked { text: Cow::Owned(text.into_owned()), count: count + rows }
            }
        }
    }

    fn mask_words<'t>(&self, text: &'t str) -> Masked<'t> {
        let mut scan = Scan::whole(self, text);
        let (mut masked, mut count, mut at) = (String::new(), 0, 0);
        while let Next::Hide { what, label, .. } = scan.next() {
            masked.push_str(&text[at..what.start]);
            masked.push_str(label);
            at = what.end;
            count += 1;
        }
        if count == 0 {
            return Masked { text: Cow::Borrowed(text), count };
        }
        masked.push_str(&text[at..]);
        Masked { text: Cow::Owned(masked), count }
    }

    /// The same for a line of a record, where what stands in the place of a secret is hidden too.
    pub fn mask_record<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut masked = Cow::Borrowed(text);
        for _ in 0..MAX_ROUNDS {
            let by_place = places::mask(&masked);
            let now = self.mask(&by_place);
            if now.count == 0 && *by_place == *masked {
                break;
            }
            masked = Cow::Owned(now.text.into_owned());
        }
        masked
    }

    /// The first words in a text that this masker puts in the place of a secret: who writes them writes
    /// something that was never there.
    pub fn find_mask<'t>(&self, text: &'t str) -> Option<&'t str> {
        text.match_indices(OPEN).find_map(|(at, _)| {
            let rest = &text[at..];
            let mask = &rest[..rest.find(CLOSE)? + CLOSE.len_utf8()];
            ([NAMELESS, pictures::LABEL].contains(&mask)
                || self.labels.iter().any(|label| label == mask))
            .then_some(mask)
        })
    }

    /// What stands in the place of a value, or of a token.
    pub(crate) fn label(&self, number: Option<usize>) -> &str {
        number.map_or(NAMELESS, |number| &self.labels[number])
    }

    /// From where on a text may be the beginning of something that is looked for.
    pub(crate) fn open_from(&self, text: &str) -> usize {
        let first = text.ceil_char_boundary(text.len().saturating_sub(self.longest));
        let begins = |at: &usize| {
            let end = &text[*at..];
            let after = self.needles.partition_point(|needle| needle.as_str() <= end);
            self.needles.get(after).is_some_and(|needle| needle.starts_with(end))
        };
        let starts = text[first..].char_indices().map(|(at, _)| first + at);
        starts.into_iter().find(begins).unwrap_or(text.len())
    }

    /// Whether a short text holds a known value.
    pub(crate) fn knows(&self, text: &str) -> bool {
        let starts = (0..text.len()).filter(|at| text.is_char_boundary(*at));
        starts.into_iter().any(|at| {
            let ends = (at + SHORTEST..=text.len()).filter(|end| text.is_char_boundary(*end));
            ends.into_iter().any(|end| {
                self.number(&text[at..end])
                    .is_some_and(|number| !self.hits[number].forms.is_empty())
            })
        })
    }

    fn number(&self, needle: &str) -> Option<usize> {
        self.needles.binary_search_by(|known| (**known).cmp(needle)).ok()
    }

    /// The longest of what is looked for that is shorter than `found` and begins it.
    pub(crate) fn shorter(&self, found: &str) -> Option<(usize, &Hit)> {
        let ends = (1..found.len()).rev().filter(|end| found.is_char_boundary(*end));
        ends.into_iter().find_map(|end| Some((end, &self.hits[self.number(&found[..end])?])))
    }
}

/// A masker that is being made.
#[derive(Default)]
struct Making {
    needles: BTreeMap<String, Hit>,
    forms: Vec<Form>,
    seen: HashSet<String>,
    labels: Vec<String>,
    bytes: usize,
    known: usize,
}

impl Making {
    fn take(&mut self, value: &Value) {
        let mut rest = value.text().trim();
        while !rest.is_empty() {
            let (piece, more) = rest.split_at(rest.floor_char_boundary(LONGEST));
            if is_taken(piece) && !self.seen.contains(piece) {
                self.add(piece, value.called());
            }
            rest = more;
        }
    }

    fn add(&mut self, piece: &str, called: &str) {
        let forms = encodings::forms(piece);
        let bytes: usize = forms.iter().map(String::len).sum();
        if self.bytes + bytes > MOST_BYTES {
            return;
        }
        self.bytes += bytes;
        self.known += 1;
        self.seen.insert(piece.to_owned());
        let label = self.label(called);
        for (number, text) in forms.into_iter().enumerate() {
            // Somebody else's value may be the encoded form of this one.
            if number > 0 && !self.seen.insert(text.clone()) {
                continue;
            }
            let form = self.forms.len();
            match anchors::head(&text) {
                Some(length) => self.find(&text[..length], Side::Head, form),
                None => self.find(&text, Side::Whole, form),
            }
            if let Some(length) = anchors::tail(&text).filter(|_| number == 0) {
                self.find(&text[text.len() - length..], Side::Tail, form);
            }
            self.forms.push(Form { text, label });
        }
    }

    fn find(&mut self, needle: &str, side: Side, form: usize) {
        self.needles.entry(needle.to_owned()).or_default().forms.push((side, form));
    }

    fn label(&mut self, called: &str) -> usize {
        let label = if called.is_empty() {
            NAMELESS.to_owned()
        } else {
            format!("{OPEN}secret {called}{CLOSE}")
        };
        self.labels.iter().position(|known| *known == label).unwrap_or_else(|| {
            self.labels.push(label);
            self.labels.len() - 1
        })
    }

    fn made(self) -> Masker {
        let (needles, hits): (Vec<String>, Vec<Hit>) = self.needles.into_iter().unzip();
        let bytes: usize = needles.iter().map(String::len).sum();
        let kind = (bytes <= FAST).then_some(AhoCorasickKind::DFA);
        let mut finder = AhoCorasick::builder();
        finder.match_kind(MatchKind::LeftmostLongest).kind(kind);
        Masker {
            finder: finder.build(&needles).ok(),
            hits,
            forms: self.forms,
            labels: self.labels,
            longest: needles.iter().map(String::len).max().unwrap_or_default(),
            needles,
            known: self.known,
        }
    }
}

/// Whether hiding it hides a secret and not ordinary text.
fn is_taken(piece: &str) -> bool {
    piece.chars().count() >= SHORTEST && !piece.contains([OPEN, CLOSE]) && !is_common(piece)
}
