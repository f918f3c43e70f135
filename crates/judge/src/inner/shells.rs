//! Shells and interpreters: the text after `-c`, the standard input, and the builtins that run text.

use super::{Dialect, Inside, Runs, from_input, text};
use crate::options::among;
use crate::{
    Doubt, Finding, Word,
    command::Command,
    doubt::excerpt,
    options::{Argument, Takes, arguments},
};

const BASH: &str = "bash rbash";
const POSIX: &str = "ash dash ksh mksh posh sh yash";
/// Their language is not read here.
const OTHERS: &str = "csh elvish fish nu pwsh tcsh xonsh zsh";

/// Interpreters, with the options that say that the script does not come from the standard input.
const INTERPRETERS: &[(&str, &str)] = &[
    ("bun", "e"),
    ("deno", "e"),
    ("lua", "e"),
    ("node", "ep"),
    ("nodejs", "ep"),
    ("perl", "eE"),
    ("php", "rf"),
    ("pypy", "cm"),
    ("python", "cm"),
    ("python2", "cm"),
    ("python3", "cm"),
    ("Rscript", "e"),
    ("ruby", "e"),
    ("tclsh", ""),
];

pub(super) fn is_shell(name: &str) -> bool {
    among(name, BASH) || among(name, POSIX) || among(name, OTHERS)
}

pub(super) fn is_interpreter(name: &str) -> bool {
    script_options(name).is_some()
}

fn script_options(name: &str) -> Option<&'static str> {
    let found = INTERPRETERS.iter().find(|(known, _)| *known == name);
    // `python3.12` and its like.
    let versioned = || {
        INTERPRETERS.iter().find(|(known, _)| {
            name.strip_prefix(known)
                .is_some_and(|rest| rest.bytes().all(|byte| byte == b'.' || byte.is_ascii_digit()))
        })
    };
    found.or_else(versioned).map(|(_, options)| *options)
}

/// Whether an option takes the next word, and that is no script.
pub(super) fn takes_word(name: &str, option: &str) -> bool {
    if matches!(option, "--eval" | "--print") {
        return is_interpreter(name);
    }
    let letters = option.strip_prefix(['-', '+']).filter(|letters| !letters.starts_with('-'));
    let Some(last) = letters.and_then(|letters| letters.chars().next_back()) else { return false };
    match script_options(name) {
        Some(options) => options.contains(last) || name.starts_with('p') && "WX".contains(last),
        None => is_shell(name) && "oO".contains(last),
    }
}

/// What only bash reads as it is meant: another shell would make something else of it.
pub(crate) fn is_more_than_posix(text: &str) -> bool {
    ["$'", "$\"", "((", "<<<", "&>", "|&", "<(", ">(", ";&", "$["]
        .iter()
        .any(|sign| text.replace("$((", "$").contains(sign))
}

/// `bash`, `sh` and others: a script after `-c`, a file, or the standard input.
pub(super) fn shell(command: &Command<'_>) -> Inside {
    let Command { name, args, simple } = *command;
    let mut position = 0;
    let mut has_script = false;
    let mut from_stdin = false;
    // Options end with the first word that is none; `+o` is one too.
    while let Some(word) = args.get(position) {
        let Some(option) = word.known() else {
            // The script itself, or something that could be an option.
            if has_script {
                break;
            }
            return unknown_text(command);
        };
        if option == "--" || option == "-" {
            position += 1;
            break;
        }
        if !option.starts_with(['-', '+']) {
            break;
        }
        position += 1;
        if let Some(long) = option.strip_prefix("--") {
            if among(long, "rcfile init-file") {
                return Inside::nothing().doubt(Doubt::RunsSetting(excerpt(option)));
            }
            continue;
        }
        has_script |= option.contains('c');
        from_stdin |= option.contains('s');
        if option.contains(['o', 'O']) {
            position += 1;
        }
    }
    let rest = args.get(position..).unwrap_or_default();
    if has_script && rest.is_empty() {
        return unknown_text(command);
    }
    if has_script {
        let script = rest.get(..1).unwrap_or_default();
        return match dialect(name) {
            Some(dialect) => text(name, script, dialect, simple.downloads),
            None => foreign(name, script, simple.downloads),
        };
    }
    let reads_input =
        from_stdin || rest.first().is_none_or(|file| file.known().is_some_and(is_input));
    if reads_input {
        return match dialect(name) {
            Some(dialect) => {
                from_input(name, &simple.feed, |text| Runs::Text(text.to_owned(), dialect))
            }
            None => from_input(name, &simple.feed, |text| Runs::Expanded(text.to_owned()))
                .shown()
                .doubt(Doubt::OtherShell),
        };
    }
    from_file(command, &rest[0])
}

/// Whether the name of a file means the standard input, or another open one.
fn is_input(file: &str) -> bool {
    matches!(file, "-" | "/dev/stdin") || file.starts_with("/dev/fd/") || file.starts_with("/proc/")
}

fn dialect(name: &str) -> Option<Dialect> {
    if among(name, BASH) {
        Some(Dialect::Bash)
    } else if among(name, POSIX) {
        Some(Dialect::Posix)
    } else {
        None
    }
}

/// A script for a shell that is not read here: certain only if it is plain words.
fn foreign(name: &str, script: &[Word], downloads: bool) -> Inside {
    let plain = script.first().and_then(Word::known).is_some_and(|text| {
        text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b" _./:,@+-".contains(&byte))
    });
    let inside = text(name, script, Dialect::Bash, downloads);
    if plain { inside } else { inside.shown().doubt(Doubt::OtherShell) }
}

/// A script in a file: like any program. One that comes from a pipe is not known before.
fn from_file(command: &Command<'_>, file: &Word) -> Inside {
    let mut inside = Inside::nothing();
    let piped = file.written().contains("<(");
    if piped {
        inside = inside.doubt(Doubt::PipedIntoShell(command.name.to_owned()));
    }
    if piped && command.simple.downloads {
        inside.findings.push(Finding::RunsDownload);
    }
    inside
}

/// `python`, `node` and others: what they run is in a language of its own. Only where the script itself
/// comes from elsewhere is there something to say.
pub(super) fn interpreter(command: &Command<'_>) -> Inside {
    let Command { name, args, simple } = *command;
    let options = script_options(name).unwrap_or_default();
    let told = args.iter().any(|word| {
        let text = word.beginning();
        text.starts_with("--")
            || text.strip_prefix('-').is_some_and(|letters| {
                letters.contains(|letter| options.contains(letter) || "vVh".contains(letter))
            })
    });
    let is_piped = |word: &Word| word.written().starts_with("<(");
    let file = args
        .iter()
        .find(|word| !word.may_be_option() || word.known() == Some("-") || is_piped(word));
    if let Some(file) = file.filter(|file| is_piped(file)) {
        return from_file(command, file);
    }
    let has_code = told && simple.downloads;
    let reads_input = !told && file.is_none_or(|file| file.known().is_some_and(is_input));
    let mut inside = Inside::nothing();
    if reads_input {
        inside = from_input(name, &simple.feed, |text| Runs::Expanded(text.to_owned())).shown();
        // A program in another language is not looked into.
        inside.runs.clear();
        inside.doubts.retain(|doubt| matches!(doubt, Doubt::PipedIntoShell(_)));
    }
    if has_code {
        inside.findings.push(Finding::RunsDownload);
    }
    inside
}

/// What is run is not known; where it comes from the network, that is.
fn unknown_text(command: &Command<'_>) -> Inside {
    let mut inside = Inside::nothing().doubt(Doubt::TextUnknown(excerpt(&command.simple.text)));
    if command.simple.downloads {
        inside.findings.push(Finding::RunsDownload);
    }
    inside
}

pub(super) fn eval(command: &Command<'_>) -> Inside {
    text("eval", command.args, Dialect::Bash, command.simple.downloads)
}

/// A file is run in the shell itself.
pub(super) fn source(command: &Command<'_>) -> Inside {
    match command.args.first() {
        Some(file) if file.known().is_none_or(is_input) => unknown_text(command),
        _ => Inside::nothing(),
    }
}

/// `trap 'text' SIGNAL …`: the text is run when the signal comes.
pub(super) fn trap(args: &[Word]) -> Inside {
    let words = match args.first().and_then(Word::known) {
        Some("--") => &args[1..],
        Some("-p" | "-l" | "-") => return Inside::nothing(),
        _ => args,
    };
    match words {
        [] | [_] => Inside::nothing(),
        [script, ..] => text("trap", std::slice::from_ref(script), Dialect::Bash, false),
    }
}

/// `alias name='text'`: what is typed later means something else.
pub(super) fn alias(args: &[Word]) -> Inside {
    let mut inside = Inside::nothing();
    for argument in arguments(args, Takes::default()) {
        let (Argument::Operand(word) | Argument::Unclear(word)) = argument else { continue };
        let Some((name, _)) = word.beginning().split_once('=') else {
            if word.known().is_none() {
                inside = inside.doubt(Doubt::Redefines(excerpt(word.written())));
            }
            continue;
        };
        inside = inside.doubt(Doubt::Redefines(excerpt(name)));
        if let Some(text) = word.known().and_then(|text| text.split_once('=')) {
            inside = inside.and(Runs::Text(text.1.to_owned(), Dialect::Bash));
        }
    }
    inside
}
