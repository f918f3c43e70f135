//! What is OpenSpace's own: the program with which a person answers and sets rules, and the folders in which its
//! settings, rules and token lie. An agent that runs or writes them answers its own questions.
//!
//! Like all here it is read from the text: a program that finds the folder by itself is not seen.

use crate::{
    Finding, Word,
    command::{Feed, Simple},
    inner::program,
    options::among,
    word::Piece,
};

/// The name of the program, and of its folders.
const NAME: &str = "openspace";
/// Files in them that decide what agents may do.
const FILES: &str = "policy.toml agents.toml languages.toml";
/// What such a folder lies in, as it is written mostly.
const HOLDERS: [&str; 4] = [".config/", ".local/state/", "XDG_CONFIG_HOME/", "XDG_STATE_HOME/"];
/// What prints a file, or asks for its name, and leaves it as it is.
const LOOKERS: &str = "cat cmp diff file grep head less ls more rg stat tail wc";
/// Stands for what is not known.
const UNKNOWN: char = '\u{0}';

/// What a command has to do with them. Of files with a common name only what is not just read counts.
pub(crate) fn look(simple: &Simple, is_harmless: bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    if runs(&simple.words) {
        findings.push(Finding::RunsOpenSpace);
    }
    let looks = is_harmless
        || simple.words.first().and_then(program).is_some_and(|name| among(&name, LOOKERS));
    let files = || simple.redirects.iter().map(|redirect| (&redirect.file, redirect.writes));
    let words = || simple.words.iter().chain(simple.assigns.iter().map(|assign| &assign.value));
    let fed = match &simple.feed {
        Feed::Text(text) | Feed::Roughly(text) if !is_harmless => names_folder(text),
        _ => false,
    };
    let is_named = fed
        || words().any(|word| in_folder(word) || !looks && is_file(word))
        || files().any(|(word, writes)| in_folder(word) || writes && is_file(word));
    if is_named {
        findings.push(Finding::TouchesOpenSpace);
    }
    findings
}

/// Whether it is the program, with more than a question about itself.
fn runs(words: &[Word]) -> bool {
    let Some((first, rest)) = words.split_first() else { return false };
    let asks = |word: &Word| word.known().is_some_and(|text| among(text, "--help -h --version -V"));
    program(first).is_some_and(|name| name == NAME) && !matches!(rest, [one] if asks(one))
}

/// Whether a word is a file that decides, wherever it is.
fn is_file(word: &Word) -> bool {
    let text = text(word);
    among(text.rsplit(['/', '=', UNKNOWN]).next().unwrap_or_default(), FILES)
}

fn in_folder(word: &Word) -> bool {
    names_folder(&text(word)) || names_folder(word.written())
}

/// Whether a text has one of the folders, or a file in one, somewhere in it.
fn names_folder(text: &str) -> bool {
    let text = text.replace(['"', '\'', '{', '}'], "").replace("/./", "/").replace("//", "/");
    let of_holder = HOLDERS.iter().any(|holder| {
        let mut after = text.split(holder);
        after.next();
        after.any(is_folder)
    });
    of_holder
        || among_files(&text, |before| {
            !before.ends_with(|c: char| c.is_alphanumeric() || "._-".contains(c))
        })
}

/// Whether a path goes on with the folder, or with a pattern that may be it.
fn is_folder(path: &str) -> bool {
    let is_end = |c: char| !(c.is_alphanumeric() || "._-*?[".contains(c));
    let name = path.split(is_end).next().unwrap_or_default();
    match name.split_once(['*', '?', '[']) {
        Some((beginning, _)) => !beginning.is_empty() && NAME.starts_with(beginning),
        None => name == NAME,
    }
}

/// Whether `openspace/policy.toml` or its like stands in a text, behind what is fit to stand there.
fn among_files(text: &str, is_fit: impl Fn(&str) -> bool) -> bool {
    FILES.split_ascii_whitespace().any(|file| {
        let path = format!("{NAME}/{file}");
        text.match_indices(&path).any(|(at, _)| is_fit(&text[..at]))
    })
}

/// A word with what is not known as a sign.
fn text(word: &Word) -> String {
    let mut text = String::new();
    for piece in word.pieces() {
        match piece {
            Piece::Text(more) => text.push_str(more),
            Piece::Glob(sign) => text.push(*sign),
            Piece::Home | Piece::Here => text.push('~'),
            Piece::Unknown { .. } => text.push(UNKNOWN),
        }
    }
    text
}
