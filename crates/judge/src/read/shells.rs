//! Which shell a line is for, and what that changes.

use crate::Doubt;
use crate::options::among;

/// Which shell reads a line, and how it gets there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shell {
    /// Bash gets the text as a script, as with `bash -c`.
    Bash,
    /// Bash gets it typed at a prompt, where `!` and tabs mean something.
    Prompt,
    /// Another shell: `zsh`, `fish`, or one that is not known.
    Other,
}

impl Shell {
    /// The shell that a program of this name is, with a line typed at its prompt.
    pub fn typed_into(program: &str) -> Self {
        let name = program.rsplit('/').next().unwrap_or(program).trim_start_matches('-');
        if matches!(name, "bash" | "sh" | "dash") { Self::Prompt } else { Self::Other }
    }
}

/// Words that begin a command in another shell and none in bash, or another one.
const OTHER_WORDS: &str = "\
    - always and begin case else end for foreach function if nocorrect noglob not or r repeat \
    select switch while";

pub(super) fn check(line: &str, shell: Shell, mut doubt: impl FnMut(Doubt)) {
    match shell {
        Shell::Bash => {}
        Shell::Prompt => {
            if line.contains('\t') {
                doubt(Doubt::Completion);
            }
            if asks_history(line) {
                doubt(Doubt::History);
            }
        }
        Shell::Other => {
            if !is_plain(line) {
                doubt(Doubt::OtherShell);
            }
        }
    }
}

/// Whether a prompt would replace something. Text between `'` is left alone; a `'` between `"` is taken
/// for one that quotes nothing.
fn asks_history(line: &str) -> bool {
    if line.starts_with('^') {
        return true;
    }
    let (mut single, mut double, mut escaped) = (false, false, false);
    let mut before = [' ', ' '];
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        if escaped {
            escaped = false;
        } else {
            match letter {
                '\'' if !double => single = !single,
                '"' if !single => double = !double,
                '\\' if !single => escaped = true,
                '!' if !single && before[1] != '$' && before != ['$', '{'] => {
                    let next = letters.peek().copied().unwrap_or(' ');
                    if !matches!(next, ' ' | '\t' | '\n' | '=' | '(' | '"') {
                        return true;
                    }
                }
                _ => {}
            }
        }
        before = [before[1], letter];
    }
    false
}

/// Whether a line means the same in every shell: words without a sign that any of them acts on.
fn is_plain(line: &str) -> bool {
    let mut rest = line.trim_end_matches('\n');
    let mut first = true;
    loop {
        rest = rest.trim_start_matches(' ');
        if rest.is_empty() {
            return true;
        }
        let Some(length) = plain_word(rest) else { return false };
        if first && among(&rest[..length], OTHER_WORDS) {
            return false;
        }
        first = false;
        rest = &rest[length..];
    }
}

/// The length of the word that a line begins with, if it is a plain one.
fn plain_word(line: &str) -> Option<usize> {
    let mut at = 0;
    while let Some(letter) = line[at..].chars().next() {
        let plain = letter.is_ascii_alphanumeric() || "_./:,@+-".contains(letter);
        let plain = plain || at > 0 && letter == '=' || at == 0 && line.starts_with("~/");
        if letter == ' ' {
            break;
        } else if plain {
            at += letter.len_utf8();
        } else if matches!(letter, '\'' | '"') {
            let inside = &line[at + 1..];
            let end = inside.find(letter)?;
            if inside[..end].contains(['\\', '$', '`', '!', '\'', '"', '\n', '\t']) {
                return None;
            }
            at += end + 2;
        } else {
            return None;
        }
    }
    Some(at)
}
