//! Where a text was meant that is not there as given: the chain of loose rules.
//!
//! No rule looks inside a word, and none decides between places: one place, or an error.

use std::ops::Range;

use super::{
    EditError, MAX_LOOSE_BYTES, MAX_PLACES, Rule, Which,
    lines::{self, find_after, numbers, runs},
    nearest::nearest,
    similarity::{self, Budget},
};

mod words;

use self::words::Words;

/// The order in which the loose rules are asked.
const CHAIN: [Rule; 7] = [
    Rule::LineTrimmed,
    Rule::BlockAnchor,
    Rule::WhitespaceNormalized,
    Rule::IndentationFlexible,
    Rule::EscapeNormalized,
    Rule::TrimmedBoundary,
    Rule::ContextAware,
];
/// How alike, in thousandths, the lines between two anchors must be.
const SIMILAR_BLOCK: u64 = 650;
/// How many lines a block may have that is found by its first and last line.
const MAX_BLOCK_LINES: usize = 300;

/// A place that a rule found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Whole lines, by their indexes.
    Lines(Range<usize>),
    /// Bytes of the text, within lines.
    Span(Range<usize>),
}

/// A text and what is looked for in it.
pub(super) struct Scene<'a> {
    pub(super) text: &'a str,
    pub(super) old: &'a str,
    /// The lines of the text.
    pub(super) lines: Vec<Range<usize>>,
    trimmed: Vec<&'a str>,
    /// What is looked for, line by line and trimmed.
    wanted: Vec<&'a str>,
}

impl<'a> Scene<'a> {
    pub(super) fn of(text: &'a str, old: &'a str) -> Self {
        let lines = lines::split(text);
        let trimmed = lines.iter().map(|line| text[line.clone()].trim()).collect();
        let wanted = lines::split(old).into_iter().map(|line| old[line].trim()).collect();
        Self { text, old, lines, trimmed, wanted }
    }

    /// The rule that knows the place, and the place; all places if all are wanted.
    pub(super) fn find(&self, all: bool, edit: Which) -> Result<(Rule, Vec<Place>), EditError> {
        let small = self.text.len() <= MAX_LOOSE_BYTES;
        let mut doubt = None;
        let mut budget = Budget::new();
        for rule in CHAIN {
            let blank = self.old.trim().is_empty();
            if blank || rule != Rule::LineTrimmed && (all || !small) {
                break;
            }
            // After a doubt only a rule that compares every word may still tell the places apart.
            let thorough = matches!(rule, Rule::WhitespaceNormalized | Rule::IndentationFlexible);
            if doubt.is_some() && !thorough {
                continue;
            }
            let places = self.places(rule, &mut budget).unwrap_or_default();
            if let Some(large) = places.iter().find(|place| self.is_disproportionate(rule, place)) {
                let (line, lines, given) =
                    (self.number(large), self.height(large), self.wanted.len());
                let error = EditError::Disproportionate { edit, rule, line, lines, given };
                doubt.get_or_insert(error);
            } else if all && places.len() > MAX_PLACES {
                return Err(EditError::TooManyPlaces { edit, count: places.len() });
            } else if all && !places.is_empty() {
                return Ok((rule, apart(places)));
            } else if places.len() == 1 {
                return Ok((rule, places));
            } else if places.len() > 1 {
                let starts: Vec<usize> =
                    places.iter().map(|place| self.bytes(place).start).collect();
                let (count, lines) = (places.len(), numbers(self.text, &starts));
                doubt.get_or_insert(EditError::Several { edit, rule, count, lines });
            }
        }
        Err(doubt.unwrap_or_else(|| {
            let nearest = if small { nearest(self.text, &self.lines, self.old) } else { None };
            EditError::NotFound { edit, nearest }
        }))
    }

    /// The bytes of a place, without the newline after its last line.
    pub(super) fn bytes(&self, place: &Place) -> Range<usize> {
        match place {
            Place::Lines(rows) => self.lines[rows.start].start..self.lines[rows.end - 1].end,
            Place::Span(bytes) => bytes.clone(),
        }
    }

    /// All places that a rule knows, in order; none if it gave up.
    fn places(&self, rule: Rule, budget: &mut Budget) -> Option<Vec<Place>> {
        match rule {
            Rule::Exact => Some(Vec::new()),
            Rule::LineTrimmed => Some(self.line_trimmed()),
            Rule::BlockAnchor => self.block_anchor(budget),
            Rule::WhitespaceNormalized => Some(self.whitespace_normalized()),
            Rule::IndentationFlexible => self.indentation_flexible(budget),
            Rule::EscapeNormalized => Some(self.escape_normalized()),
            Rule::TrimmedBoundary => Some(self.trimmed_boundary()),
            Rule::ContextAware => self.context_aware(budget),
        }
    }

    fn line_trimmed(&self) -> Vec<Place> {
        let height = self.wanted.len();
        runs(&self.trimmed, &self.wanted)
            .into_iter()
            .map(|row| Place::Lines(row..row + height))
            .collect()
    }

    fn block_anchor(&self, budget: &mut Budget) -> Option<Vec<Place>> {
        let Some((wanted, slack)) = self.anchored() else {
            return Some(Vec::new());
        };
        let middle = &wanted[1..wanted.len() - 1];
        let mut places = Vec::new();
        let mut most = 0;
        for row in self.rows_like(wanted[0], budget)? {
            let mut best: Option<(u64, usize, usize)> = None;
            for height in wanted.len().saturating_sub(slack).max(3)..=wanted.len() + slack {
                let end = row + height;
                if end > self.trimmed.len() || self.trimmed[end - 1] != wanted[wanted.len() - 1] {
                    continue;
                }
                let alike = similarity::blocks(middle, &self.trimmed[row + 1..end - 1], budget)?;
                let off = height.abs_diff(wanted.len());
                if alike >= SIMILAR_BLOCK
                    && best
                        .is_none_or(|(other, far, _)| alike > other || alike == other && off < far)
                {
                    best = Some((alike, off, end));
                }
            }
            if let Some((alike, _, end)) = best {
                places.push(Place::Lines(row..end));
                most = most.max(alike);
            }
        }
        // When every line is there, a rule further on names better why the text is not.
        let complete = places.len() == 1 && most == 1000;
        Some(if complete { Vec::new() } else { places })
    }

    fn whitespace_normalized(&self) -> Vec<Place> {
        let wanted = Words::of(self.old);
        if !wanted.text.contains(' ') {
            return Vec::new();
        }
        let words = Words::of(self.text);
        let spans: Vec<Range<usize>> = occurrences(&words.text, &wanted.text)
            .into_iter()
            .map(|start| words.original(&(start..start + wanted.text.len())))
            .collect();
        match &spans[..] {
            // The blanks within are as given: what differs is the boundary.
            [only] if self.text[only.clone()] == *self.old.trim() => Vec::new(),
            _ => self.whole_words(spans.into_iter()),
        }
    }

    fn indentation_flexible(&self, budget: &mut Budget) -> Option<Vec<Place>> {
        let old: Vec<&str> = self.old.split_inclusive('\n').collect();
        let wanted = dedent(&old);
        let mut places = Vec::new();
        for place in self.line_trimmed() {
            let Place::Lines(rows) = &place else { continue };
            budget.spend(self.bytes(&place).len() + 1)?;
            let there: Vec<&str> =
                self.lines[rows.clone()].iter().map(|line| &self.text[line.clone()]).collect();
            if dedent(&there) == wanted {
                places.push(place);
            }
        }
        Some(places)
    }

    fn escape_normalized(&self) -> Vec<Place> {
        let wanted = unescape(self.old);
        if wanted == self.old || wanted.trim().is_empty() {
            return Vec::new();
        }
        let starts = occurrences(self.text, &wanted).into_iter();
        starts.map(|start| Place::Span(start..start + wanted.len())).collect()
    }

    fn trimmed_boundary(&self) -> Vec<Place> {
        let wanted = self.old.trim();
        if wanted == self.old {
            return Vec::new();
        }
        let starts = occurrences(self.text, wanted).into_iter();
        self.whole_words(starts.map(|start| start..start + wanted.len()))
    }

    fn context_aware(&self, budget: &mut Budget) -> Option<Vec<Place>> {
        let Some((wanted, _)) = self.anchored() else {
            return Some(Vec::new());
        };
        let last = wanted.len() - 1;
        let telling: Vec<usize> = (1..last).filter(|index| !wanted[*index].is_empty()).collect();
        let mut places = Vec::new();
        for row in self.rows_like(wanted[0], budget)? {
            if self.trimmed.get(row + last) != Some(&wanted[last]) {
                continue;
            }
            budget.spend(wanted.len())?;
            let same = telling
                .iter()
                .filter(|index| self.trimmed[row + **index] == wanted[**index])
                .count();
            if same > 0 && same * 2 >= telling.len() {
                places.push(Place::Lines(row..row + wanted.len()));
            }
        }
        Some(places)
    }

    /// What is wanted without blank lines around it, if its first and last line can be anchors, and
    /// by how many lines a block between them may differ in length.
    fn anchored(&self) -> Option<(&[&'a str], usize)> {
        let first = self.wanted.iter().position(|line| !line.is_empty())?;
        let last = self.wanted.iter().rposition(|line| !line.is_empty())?;
        let wanted = &self.wanted[first..=last];
        let speaks = |line: &str| line.chars().any(char::is_alphanumeric);
        let fits = (3..=MAX_BLOCK_LINES).contains(&wanted.len());
        (fits && (speaks(self.wanted[first]) || speaks(self.wanted[last])))
            .then(|| (wanted, (wanted.len() / 4).max(1)))
    }

    fn rows_like(&self, line: &str, budget: &mut Budget) -> Option<Vec<usize>> {
        budget.spend(self.trimmed.len())?;
        Some((0..self.trimmed.len()).filter(|row| self.trimmed[*row] == line).collect())
    }

    /// Those spans that do not begin or end inside a word; as whole lines where they are.
    fn whole_words(&self, spans: impl Iterator<Item = Range<usize>>) -> Vec<Place> {
        let inside = |at: usize| {
            let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
            self.text[..at].chars().next_back().is_some_and(is_word)
                && self.text[at..].chars().next().is_some_and(is_word)
        };
        spans
            .filter(|span| !inside(span.start) && !inside(span.end))
            .map(|span| self.widen(span))
            .collect()
    }

    /// A span with nothing but blanks beside it on its lines is a place of whole lines.
    fn widen(&self, span: Range<usize>) -> Place {
        let first = self.row(span.start);
        let last = self.row(span.end);
        let (before, after) = (self.lines[first].start..span.start, span.end..self.lines[last].end);
        if self.text[before].trim().is_empty() && self.text[after].trim().is_empty() {
            Place::Lines(first..last + 1)
        } else {
            Place::Span(span)
        }
    }

    /// The line in which a byte is.
    fn row(&self, at: usize) -> usize {
        self.lines.partition_point(|line| line.start <= at).saturating_sub(1)
    }

    fn number(&self, place: &Place) -> u64 {
        self.row(self.bytes(place).start) as u64 + 1
    }

    fn height(&self, place: &Place) -> usize {
        let bytes = self.bytes(place);
        self.row(bytes.end) - self.row(bytes.start) + 1
    }

    /// Whether a place is far larger than what was given. Escapes hide how many lines that was, but
    /// stand for exactly what is found.
    fn is_disproportionate(&self, rule: Rule, place: &Place) -> bool {
        let solid = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).count();
        rule != Rule::EscapeNormalized
            && (self.height(place) > self.wanted.len() * 2 + 3
                || solid(&self.text[self.bytes(place)]) > solid(self.old) * 2 + 64)
    }
}

/// Places that do not overlap, the first of those that do.
fn apart(places: Vec<Place>) -> Vec<Place> {
    let mut free = 0;
    places
        .into_iter()
        .filter(|place| {
            let Place::Lines(rows) = place else { return true };
            let fits = rows.start >= free;
            if fits {
                free = rows.end;
            }
            fits
        })
        .collect()
}

/// Where a piece stands in a text; at least two places when two of them overlap.
fn occurrences(text: &str, piece: &str) -> Vec<usize> {
    let mut starts: Vec<usize> = text.match_indices(piece).map(|(start, _)| start).collect();
    if let [only] = starts[..] {
        starts.extend(find_after(text, piece, only));
    }
    starts
}

/// The lines without the indentation common to them all and without blanks at their ends.
fn dedent<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let indentation = |line: &'a str| &line[..line.len() - line.trim_start().len()];
    let mut full = lines.iter().filter(|line| !line.trim().is_empty());
    let mut common = full.next().map_or("", |line| indentation(line));
    for line in full {
        let same = common.chars().zip(line.chars()).take_while(|(left, right)| left == right);
        common = &common[..same.map(|(letter, _)| letter.len_utf8()).sum()];
    }
    lines.iter().map(|line| line.strip_prefix(common).unwrap_or("").trim_end()).collect()
}

/// The text with the usual escapes read as what they stand for.
pub(super) fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        let mut ahead = letters.clone();
        let escaped = match (letter, ahead.next()) {
            ('\\', Some('n')) => Some('\n'),
            ('\\', Some('t')) => Some('\t'),
            ('\\', Some('r')) => Some('\r'),
            ('\\', Some(same @ ('\\' | '"' | '\'' | '`' | '$'))) => Some(same),
            _ => None,
        };
        if escaped.is_some() {
            letters = ahead;
        }
        plain.push(escaped.unwrap_or(letter));
    }
    if plain.contains("\r\n") { plain.replace("\r\n", "\n") } else { plain }
}
