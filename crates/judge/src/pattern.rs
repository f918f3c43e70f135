//! The language of rules that a person saves: `git push origin *`.
//!
//! Words are compared with the words of a command, one by one. `*` in a word stands for any text in that word,
//! alone for any one word, and alone at the end for any words or none. The first word names the program and is
//! always plain: a rule for every program is no rule. Quotes are as in a shell.

use std::fmt;

use crate::{Finding, Part, Shell, Word, read};

/// The longest pattern.
const MAX_PATTERN_BYTES: usize = 1024;

/// Which commands a rule is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    words: Vec<Vec<Bit>>,
    /// More words may follow.
    open: bool,
    /// What is dangerous in the words of the pattern itself.
    findings: Vec<Finding>,
}

/// A piece of a word in a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Bit {
    Text(String),
    /// Any text.
    Any,
}

/// A pattern that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// Nothing, or more than a pattern can be.
    #[error("a pattern has between 1 and {MAX_PATTERN_BYTES} bytes, such as `git push origin *`")]
    Length,
    /// `* …`, or `g* …`.
    #[error(
        "the pattern `{0}` must name its program in plain letters, such as `git push origin *`"
    )]
    Program(String),
    /// Not words.
    #[error(
        "the pattern `{0}` is not a row of words: close its quotes, and write `;`, `|`, `&`, `<`, `>`, `(`, `)`, `$`, and backquotes in single quotes"
    )]
    Words(String),
}

/// How a pattern and a command go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fit {
    No,
    /// Words that are not known decide.
    Perhaps,
    Yes,
}

impl Pattern {
    /// Reads a pattern.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let text = text.trim();
        if text.is_empty() || text.len() > MAX_PATTERN_BYTES {
            return Err(PatternError::Length);
        }
        let mut words = split(text).ok_or_else(|| PatternError::Words(text.to_owned()))?;
        let open = words.len() > 1 && words.last().is_some_and(|word| word == &[Bit::Any]);
        if open {
            words.pop();
        }
        match words.first().map(Vec::as_slice) {
            Some([Bit::Text(name)]) if !name.is_empty() => {}
            _ => return Err(PatternError::Program(text.to_owned())),
        }
        let mut pattern = Self { words, open, findings: Vec::new() };
        pattern.findings = pattern.own_findings();
        Ok(pattern)
    }

    /// The pattern for exactly these words, with or without more.
    pub(crate) fn of(words: &[&str], open: bool) -> Self {
        let words = words.iter().map(|word| vec![Bit::Text((*word).to_owned())]).collect();
        let mut pattern = Self { words, open, findings: Vec::new() };
        pattern.findings = pattern.own_findings();
        pattern
    }

    /// What the words say that are written out: who saved them has seen that much.
    fn own_findings(&self) -> Vec<Finding> {
        let closed = Self { open: false, ..self.clone() };
        read(&closed.to_string().replace('*', "x"), Shell::Bash).findings().collect()
    }

    /// Whether the command is one that the pattern names. Every word of it must be known, its words must
    /// say all it does, and the program must be named as in the pattern.
    pub fn matches(&self, part: &Part) -> bool {
        part.is_plain && self.fit(part, false) == Fit::Yes
    }

    /// Whether an allowance for the pattern holds for the command: it matches, and there is no danger in
    /// the command that is not in the pattern already. `git push origin *` covers no `--force`.
    pub fn covers(&self, part: &Part) -> bool {
        let shown = |finding: &Finding| self.findings.iter().any(|own| own.includes(*finding));
        self.matches(part) && part.findings.iter().all(shown)
    }

    /// Whether no danger is in the words of the pattern that is not in the command.
    pub(crate) fn is_no_worse_than(&self, part: &Part) -> bool {
        self.findings.iter().all(|finding| part.findings.contains(finding))
    }

    /// Whether the command is surely one that the pattern names, with the program in any folder and
    /// whatever is redirected or set: for rules that forbid.
    pub fn names(&self, part: &Part) -> bool {
        self.fit(part, true) == Fit::Yes
    }

    /// Whether the command is, or could turn out to be, one that the pattern names: for rules that forbid.
    pub fn may_match(&self, part: &Part) -> bool {
        self.fit(part, true) != Fit::No
    }

    fn fit(&self, part: &Part, loosely: bool) -> Fit {
        let mut fit = Fit::Yes;
        let mut words = part.words.iter();
        for (at, bits) in self.words.iter().enumerate() {
            let Some(word) = words.next() else { return Fit::No };
            // It can be any number of words: from here on nothing can be compared.
            if word.splits() {
                return Fit::Perhaps;
            }
            match word.known() {
                None => fit = Fit::Perhaps,
                Some(text) => {
                    // Who forbids `./x.sh` means it by whatever way it is named.
                    let is_program = at == 0 && loosely && is_same_program(bits, text);
                    if !is_program && !fits(bits, text) {
                        return Fit::No;
                    }
                }
            }
        }
        let rest = words.as_slice();
        if rest.iter().any(|word| word.known().is_none()) && fit == Fit::Yes {
            fit = Fit::Perhaps;
        }
        match rest {
            [] => fit,
            _ if self.open => fit,
            rest if rest.iter().all(Word::splits) => Fit::Perhaps,
            _ => Fit::No,
        }
    }
}

/// Whether the program of a pattern has the name of another one, in whatever folders both are.
fn is_same_program(bits: &[Bit], text: &str) -> bool {
    let name = |text: &str| text.rsplit('/').next().unwrap_or(text).to_owned();
    matches!(bits, [Bit::Text(program)] if name(program) == name(text))
}

/// The words of a pattern, with quotes undone.
fn split(text: &str) -> Option<Vec<Vec<Bit>>> {
    let mut words = Vec::new();
    let mut word: Option<Vec<Bit>> = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' | '\t' => words.extend(word.take()),
            '*' => word.get_or_insert_default().push(Bit::Any),
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                push(word, "");
                loop {
                    match letters.next()? {
                        end if end == letter => break,
                        '\\' if letter == '"' => push_letter(word, letters.next()?),
                        '$' | '`' if letter == '"' => return None,
                        inside => push_letter(word, inside),
                    }
                }
            }
            '\\' => push_letter(word.get_or_insert_default(), letters.next()?),
            ';' | '|' | '&' | '<' | '>' | '(' | ')' | '$' | '`' | '\n' => return None,
            letter if letter.is_control() => return None,
            letter => push_letter(word.get_or_insert_default(), letter),
        }
    }
    words.extend(word);
    for word in &mut words {
        // Empty quotes mean something only where they are the whole word.
        if word.len() > 1 {
            word.retain(|bit| *bit != Bit::Text(String::new()));
        }
    }
    Some(words)
}

fn push_letter(word: &mut Vec<Bit>, letter: char) {
    let mut buffer = [0; 4];
    push(word, letter.encode_utf8(&mut buffer));
}

fn push(word: &mut Vec<Bit>, text: &str) {
    match word.last_mut() {
        Some(Bit::Text(last)) => last.push_str(text),
        _ => word.push(Bit::Text(text.to_owned())),
    }
}

/// Whether a text is one that the bits describe.
fn fits(bits: &[Bit], text: &str) -> bool {
    let Some((first, rest)) = bits.split_first() else { return text.is_empty() };
    match first {
        Bit::Text(start) => text.strip_prefix(start.as_str()).is_some_and(|text| fits(rest, text)),
        Bit::Any => match rest.iter().find_map(|bit| match bit {
            Bit::Text(next) if !next.is_empty() => Some(next),
            _ => None,
        }) {
            None => true,
            // The leftmost place is enough unless it must be the end.
            Some(next) => {
                let rest: Vec<Bit> = rest
                    .iter()
                    .skip_while(|bit| **bit != Bit::Text(next.clone()))
                    .skip(1)
                    .cloned()
                    .collect();
                if rest.is_empty() {
                    return text.ends_with(next.as_str());
                }
                text.match_indices(next.as_str())
                    .next()
                    .is_some_and(|(at, found)| fits(&rest, &text[at + found.len()..]))
            }
        },
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, word) in self.words.iter().enumerate() {
            if at > 0 {
                f.write_str(" ")?;
            }
            for bit in word {
                match bit {
                    Bit::Any => f.write_str("*")?,
                    Bit::Text(text) => write_text(f, text, word.len() == 1)?,
                }
            }
        }
        if self.open { f.write_str(" *") } else { Ok(()) }
    }
}

fn write_text(f: &mut fmt::Formatter<'_>, text: &str, is_whole: bool) -> fmt::Result {
    let plain = |c: char| c.is_alphanumeric() || "_-./:=@,+%^#!?[]{}~".contains(c);
    if text.chars().all(plain) && !(text.is_empty() && is_whole) {
        return f.write_str(text);
    }
    write!(f, "'{}'", text.replace('\'', "'\\''"))
}
