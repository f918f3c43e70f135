//! Words that must not be in the repository: unfinished work, leftovers, paths of one machine.
//!
//! An exception names the file, the word and the reason; one that nothing needs is an error.

use super::{
    Report,
    tree::{File, Tree},
};

#[cfg(test)]
mod tests;

struct Ban {
    word: &'static str,
    applies: fn(&File) -> bool,
    reason: &'static str,
}

const BANS: &[Ban] = &[
    Ban { word: "TODO", applies: |_| true, reason: "finish it or leave it out" },
    Ban { word: "FIXME", applies: |_| true, reason: "finish it or leave it out" },
    Ban { word: "dbg!", applies: File::is_rust, reason: "a leftover of debugging" },
    Ban { word: "#[ignore", applies: File::is_rust, reason: "a test runs or is deleted" },
    Ban { word: "test.only", applies: File::is_script, reason: "a leftover of debugging" },
    Ban { word: "test.skip", applies: File::is_script, reason: "a test runs or is deleted" },
    Ban { word: "thread::sleep", applies: File::is_test, reason: "wait for the event itself" },
    Ban { word: "/root/", applies: |_| true, reason: "a path of one machine" },
    Ban { word: "/work/", applies: |_| true, reason: "a path of one machine" },
    Ban { word: "/home/", applies: |_| true, reason: "a path of one machine" },
];

/// Written by tools and never edited.
const LOCK_FILES: &[&str] = &["Cargo.lock", "package-lock.json"];

/// A word that may stay in one file, or below one folder.
pub(super) struct Exception {
    path: &'static str,
    word: &'static str,
    reason: &'static str,
}

pub(super) const EXCEPTIONS: &[Exception] = &[
    Exception {
        path: "crates/openspace/tests/it/support/server.rs",
        word: "thread::sleep",
        reason: "a dropped server is asked to end, looked at until it has, and killed after a while",
    },
    Exception {
        path: "crates/isolation/",
        word: "/home/",
        reason: "the home inside every sandbox, and what must not be seen from it",
    },
    Exception {
        path: "crates/isolation/",
        word: "/root/",
        reason: "what must not be seen from a sandbox",
    },
    Exception {
        path: "crates/openspace/conformance/grep.json",
        word: "TODO",
        reason: "what the cases search for",
    },
    Exception {
        path: "docs/concepts/isolation.md",
        word: "/home/",
        reason: "the home inside every sandbox",
    },
];

pub(super) fn check(tree: &Tree, exceptions: &[Exception], report: &mut Report) {
    let mut used = vec![false; exceptions.len()];
    let judged = tree.files.iter().filter(|file| !is_lock_file(file) && !is_this_rule(file));
    for file in judged {
        for (number, line) in (1..).zip(file.text.lines()) {
            for ban in BANS.iter().filter(|ban| (ban.applies)(file) && has_word(line, ban.word)) {
                let exception = exceptions.iter().position(|exception| {
                    exception.word == ban.word && file.path.starts_with(exception.path)
                });
                match exception {
                    Some(exception) => used[exception] = true,
                    None => report
                        .error(format!("{}:{number}: `{}`: {}", file.path, ban.word, ban.reason)),
                }
            }
        }
    }
    for (exception, _) in exceptions.iter().zip(used).filter(|(_, used)| !used) {
        report.error(format!(
            "tidy's exception for `{}` in {} ({}) is not needed",
            exception.word, exception.path, exception.reason
        ));
    }
}

fn is_lock_file(file: &File) -> bool {
    LOCK_FILES.iter().any(|name| file.path.rsplit('/').next() == Some(name))
}

/// The table above and its tests have to spell the words.
fn is_this_rule(file: &File) -> bool {
    file.path.starts_with("xtask/src/tidy/words")
}

/// Whether the word stands alone: not inside a longer name and not in the middle of a path.
pub(super) fn has_word(line: &str, word: &str) -> bool {
    let joins = |near: Option<char>| near.is_some_and(|near| near.is_alphanumeric() || near == '_');
    let is_path = word.starts_with('/');
    line.match_indices(word).any(|(start, _)| {
        let (before, after) = (&line[..start], &line[start + word.len()..]);
        let before = before.chars().next_back();
        let is_middle = is_path && before.is_some_and(|near| ".~}-*/$".contains(near));
        let goes_on = word.ends_with(char::is_alphanumeric) && joins(after.chars().next());
        !joins(before) && !is_middle && !goes_on
    })
}
