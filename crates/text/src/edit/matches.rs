//! Where a text was meant that is not there as given: the chain of loose rules.
//!
//! No rule looks inside a word, and none decides between matches: one found, or an error.

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

/// A found that a rule found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Match {
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

    /// The rule that knows the found, and the found; all matches if all are wanted.
    pub(super) fn find(&self, all: bool, edit: Which) -> Result<(Rule, Vec<Match>), EditError> {
        let small = self.text.len() <= MAX_LOOSE_BYTES;
        let mut doubt = None;
        let mut budget = Budget::new();
        for rule in CHAIN {
            let blank = self.old.trim().is_empty();
            if blank || rule != Rule::LineTrimmed && (all || !small) {
                break;
            }
            // After a doubt only a rule that compares every word may still tell the matches apart.
            let thorough = matches!(rule, Rule::WhitespaceNormalized | Rule::IndentationFlexible);
            if doubt.is_some() && !thorough {
                continue;
            }
            let matches = self.matches(rule, &mut budget).unwrap_or_default();
            if let Some(large) = matches.iter().find(|found| self.is_disproportionate(rule, found))
            {
                let (line, lines, given) =
                    (self.number(large), self.height(large), self.wanted.len());
                let error = EditError::Disproportionate { edit, rule, line, lines, given };
                doubt.get_or_insert(error);
            } else if all && matches.len() > MAX_PLACES {
                return Err(EditError::TooManyPlaces { edit, count: matches.len() });
            } else if all && !matches.is_empty() {
                return Ok((rule, apart(matches)));
            } else if matches.len() == 1 {
                return Ok((rule, matches));
            } else if matches.len() > 1 {
                let starts: Vec<usize> =
                    matches.iter().map(|found| self.bytes(found).start).collect();
                let (count, lines) = (matches.len(), numbers(self.text, &starts));
                doubt.get_or_insert(EditError::Several { edit, rule, count, lines });
            }
        }
        Err(doubt.unwrap_or_else(|| {
            let nearest = if small { nearest(self.text, &self.lines, self.old) } else { None };
            EditError::NotFound { edit, nearest }
        }))
    }

    /// The bytes of a found, without the newline after its last line.
    pub(super) fn bytes(&self, found: &Match) -> Range<usize> {
        match found {
            Match::Lines(rows) => self.lines[rows.start].start..self.lines[rows.end - 1].end,
            Match::Span(bytes) => bytes.clone(),
        }
    }

    /// All matches that a rule knows, in order; none if it gave up.
    fn matches(&self, rule: Rule, budget: &mut Budget) -> Option<Vec<Match>> {
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

    fn line_trimmed(&self) -> Vec<Match> {
        let height = self.wanted.len();
        runs(&self.trimmed, &self.wanted)
            .into_iter()
            .map(|row| Match::Lines(row..row + height))
            .collect()
    }

    fn block_anchor(&self, budget: &mut Budget) -> Option<Vec<Match>> {
        let Some((wanted, slack)) = self.anchored() else {
            return Some(Vec::new());
        };
        let middle = &wanted[1..wanted.len() - 1];
        let mut matches = Vec::new();
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
                matches.push(Match::Lines(row..end));
                most = most.max(alike);
            }
        }
        // When every line is there, a rule further on names better why the text is not.
        let complete = matches.len() == 1 && most == 1000;
        Some(if complete { Vec::new() } else { matches })
    }

    fn whitespace_normalized(&self) -> Vec<Match> {
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

    fn indentation_flexible(&self, budget: &mut Budget) -> Option<Vec<Match>> {
        let old: Vec<&str> = self.old.split_inclusive('\n').collect();
        let wanted = dedent(&old);
        let mut matches = Vec::new();
        for found in self.line_trimmed() {
            let Match::Lines(rows) = &found else { continue };
            budget.spend(self.bytes(&found).len() + 1)?;
            let there: Vec<&str> =
                self.lines[rows.clone()].iter().map(|line| &self.text[line.clone()]).collect();
            if dedent(&there) == wanted {
                matches.push(found);
            }
        }
        Some(matches)
    }

    fn escape_normalized(&self) -> Vec<Match> {
        let wanted = unescape(self.old);
        if wanted == self.old || wanted.trim().is_empty() {
            return Vec::new();
        }
        let starts = occurrences(self.text, &wanted).into_iter();
        starts.map(|start| Match::Span(start..start + wanted.len())).collect()
    }

    fn trimmed_boundary(&self) -> Vec<Match> {
        let wanted = self.old.trim();
        if wanted == self.old {
            return Vec::new();
        }
        let starts = occurrences(self.text, wanted).into_iter();
        self.whole_words(starts.map(|start| start..start + wanted.len()))
    }

    fn context_aware(&self, budget: &mut Budget) -> Option<Vec<Match>> {
        let Some((wanted, _)) = self.anchored() else {
            return Some(Vec::new());
        };
        let last = wanted.len() - 1;
        let telling: Vec<usize> = (1..last).filter(|index| !wanted[*index].is_empty()).collect();
        let mut matches = Vec::new();
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
                matches.push(Match::Lines(row..row + wanted.len()));
            }
        }
        Some(matches)
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
    fn whole_words(&self, spans: impl Iterator<Item = Range<usize>>) -> Vec<Match> {
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

    /// A span with nothing but blanks beside it on its lines is a found of whole lines.
    fn widen(&self, span: Range<usize>) -> Match {
        let first = self.row(span.start);
        let last = self.row(span.end);
        let (before, after) = (self.lines[first].start..span.start, span.end..self.lines[last].end);
        if self.text[before].trim().is_empty() && self.text[after].trim().is_empty() {
            Match::Lines(first..last + 1)
        } else {
            Match::Span(span)
        }
    }

    /// The line in which a byte is.
    fn row(&self, at: usize) -> usize {
        self.lines.partition_point(|line| line.start <= at).saturating_sub(1)
    }

    fn number(&self, found: &Match) -> u64 {
        self.row(self.bytes(found).start) as u64 + 1
    }

    fn height(&self, found: &Match) -> usize {
        let bytes = self.bytes(found);
        self.row(bytes.end) - self.row(bytes.start) + 1
    }

    /// Whether a found is far larger than what was given. Escapes hide how many lines that was, but
    /// stand for exactly what is found.
    fn is_disproportionate(&self, rule: Rule, found: &Match) -> bool {
        let solid = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).count();
        rule != Rule::EscapeNormalized
            && (self.height(found) > self.wanted.len() * 2 + 3
                || solid(&self.text[self.bytes(found)]) > solid(self.old) * 2 + 64)
    }
}

/// Places that do not overlap, the first of those that do.
fn apart(matches: Vec<Match>) -> Vec<Match> {
    let mut free = 0;
    matches
        .into_iter()
        .filter(|found| {
            let Match::Lines(rows) = found else { return true };
            let fits = rows.start >= free;
            if fits {
                free = rows.end;
            }
            fits
        })
        .collect()
}

/// Where a piece stands in a text; at least two matches when two of them overlap.
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
