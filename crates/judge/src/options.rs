//! Options of programs, as most of them read theirs: `-x`, `-xyz`, `-x value`, `--long`, `--long=value`, and
//! `--` before what is none. Long ones may be cut short.

use crate::Word;

/// Which options of a program take a value.
#[derive(Clone, Copy, Default)]
pub(crate) struct Takes {
    /// Letters whose value follows, in the same word or in the next.
    pub(crate) short: &'static str,
    /// Long ones whose value may be in the next word.
    pub(crate) long: &'static str,
}

/// What a word of a program's arguments is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Argument<'a> {
    /// The letter of an option, with its value if it takes one.
    Short(char, Option<&'a str>),
    /// The name of an option as it was written, with what stands behind `=`.
    Long(&'a str, Option<&'a str>),
    /// No option.
    Operand(&'a Word),
    /// A word that is not known, in a place where it could be an option.
    Unclear(&'a Word),
}

/// The arguments one by one.
pub(crate) fn arguments(args: &[Word], takes: Takes) -> Vec<Argument<'_>> {
    let mut found = Vec::new();
    let mut words = args.iter();
    while let Some(word) = words.next() {
        let Some(text) = word.known() else {
            found.push(if word.may_be_option() {
                Argument::Unclear(word)
            } else {
                Argument::Operand(word)
            });
            continue;
        };
        if text == "--" {
            found.extend(words.by_ref().map(Argument::Operand));
        } else if let Some(long) = text.strip_prefix("--") {
            let (name, value) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (long, None),
            };
            let takes_next = value.is_none() && is_meant_in(name, takes.long);
            let value = if takes_next { words.next().and_then(Word::known) } else { value };
            found.push(Argument::Long(name, value));
        } else if text.len() > 1 && text.starts_with('-') {
            letters(&text[1..], takes, &mut words, &mut found);
        } else {
            found.push(Argument::Operand(word));
        }
    }
    found
}

fn letters<'a>(
    letters: &'a str,
    takes: Takes,
    words: &mut std::slice::Iter<'a, Word>,
    found: &mut Vec<Argument<'a>>,
) {
    for (at, letter) in letters.char_indices() {
        if takes.short.contains(letter) {
            let rest = &letters[at + letter.len_utf8()..];
            let value =
                if rest.is_empty() { words.next().and_then(Word::known) } else { Some(rest) };
            found.push(Argument::Short(letter, value));
            return;
        }
        found.push(Argument::Short(letter, None));
    }
}

/// Whether a long option that was written so, perhaps cut short, can be that one.
pub(crate) fn is_meant(written: &str, option: &str) -> bool {
    !written.is_empty() && option.starts_with(written)
}

/// Whether it can be one of a list.
pub(crate) fn is_meant_in(written: &str, options: &str) -> bool {
    options.split_ascii_whitespace().any(|option| is_meant(written, option))
}

/// Whether a list of words with blanks between them has this one.
pub(crate) fn among(word: &str, list: &str) -> bool {
    list.split_ascii_whitespace().any(|one| one == word)
}

/// Whether one of these options is given. `letters` are short ones, `long` is a list of long ones.
pub(crate) fn given(arguments: &[Argument<'_>], letters: &str, long: &str) -> bool {
    arguments.iter().any(|argument| match argument {
        Argument::Short(letter, _) => letters.contains(*letter),
        Argument::Long(name, _) => is_meant_in(name, long),
        Argument::Operand(_) | Argument::Unclear(_) => false,
    })
}

/// The words that are no options.
pub(crate) fn operands<'a>(arguments: &[Argument<'a>]) -> Vec<&'a Word> {
    arguments
        .iter()
        .filter_map(|argument| match argument {
            Argument::Operand(word) | Argument::Unclear(word) => Some(*word),
            Argument::Short(..) | Argument::Long(..) => None,
        })
        .collect()
}
