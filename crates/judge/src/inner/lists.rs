//! Programs that run a command for each entry of a list: `xargs`, `find`, `fd`, `parallel`.

use super::{Dialect, Inside, Runs, joined};
use crate::options::among;
use crate::{Doubt, Word, options::is_meant};

/// What the list gives.
fn entries() -> Word {
    Word::unknown("…", true)
}

/// The words, with those that stand for an entry unknown.
fn with_entries(words: &[Word], sign: &str) -> Vec<Word> {
    let is_entry = |word: &Word| word.known().is_some_and(|text| text.contains(sign));
    words
        .iter()
        .map(|word| if is_entry(word) { Word::unknown(word.written(), true) } else { word.clone() })
        .collect()
}

/// `xargs [options] command words`, to which what is read is added.
pub(super) fn xargs(args: &[Word]) -> Inside {
    const VALUES: &str = "IiaEdLnPs";
    const FLAGS: &str = "0oprtx";
    const LONG: &str = "\
        null no-run-if-empty verbose interactive exit open-tty show-limits max-args max-procs \
        max-chars max-lines replace arg-file delimiter eof process-slot-var";
    let (mut at, mut clear, mut sign) = (0, true, None);
    while let Some(word) = args.get(at) {
        let Some(text) = word.known() else {
            clear = false;
            break;
        };
        if text == "--" {
            at += 1;
            break;
        }
        if let Some(long) = text.strip_prefix("--") {
            let (name, value) = long.split_once('=').unwrap_or((long, ""));
            clear &= LONG.split_ascii_whitespace().any(|long| is_meant(name, long));
            if name.starts_with("rep") {
                sign = Some(if value.is_empty() { "{}" } else { value });
            }
            // The others take their value behind `=` or in the next word.
            let takes_next = value.is_empty()
                && ["max-args", "max-procs", "max-chars", "arg-file", "delimiter"].contains(&name);
            at += 1 + usize::from(takes_next);
        } else if text.len() > 1 && text.starts_with('-') {
            at += 1;
            for (index, letter) in text[1..].char_indices() {
                let rest = &text[1 + index + letter.len_utf8()..];
                if VALUES.contains(letter) {
                    let next = rest.is_empty() && letter != 'i';
                    let value = if next { args.get(at).and_then(Word::known) } else { Some(rest) };
                    if matches!(letter, 'I' | 'i') {
                        sign = value.filter(|value| !value.is_empty()).or(Some("{}"));
                    }
                    at += usize::from(next);
                    break;
                }
                clear &= FLAGS.contains(letter);
            }
        } else {
            break;
        }
    }
    let mut words = args.get(at..).unwrap_or_default().to_vec();
    let inside = if words.is_empty() {
        Inside::nothing()
    } else {
        match sign {
            Some(sign) => words = with_entries(&words, sign),
            None => words.push(entries()),
        }
        Inside::words(&words)
    };
    if clear { inside } else { inside.doubt(Doubt::UnknownOption("xargs".into())) }
}

/// `parallel command ::: list`: the words before the list are one text for a shell.
pub(super) fn parallel(args: &[Word]) -> Inside {
    let end =
        args.iter().position(|word| word.beginning().starts_with(":::")).unwrap_or(args.len());
    let options = args[..end].iter().take_while(|word| word.beginning().starts_with('-')).count();
    let command = &args[options..end];
    // Options with a value in the next word are many: without knowing them all nothing is certain.
    let clear = args[..options].iter().all(|word| {
        word.known().is_some_and(|text| {
            text.contains('=')
                || among(
                    text,
                    "\
                    -k --keep-order --bar --halt -0 --null -q --will-cite --line-buffer --lb --tag",
                )
                || text.starts_with("-j") && text.len() > 2
        })
    });
    let mut inside = match joined(command) {
        Some(text) if !text.is_empty() => Inside::only(Runs::Text(text, Dialect::Bash)),
        _ => Inside::nothing().doubt(Doubt::PipedIntoShell("parallel".into())),
    };
    // The entries are added to the command.
    if let [_, ..] = command {
        let mut words = with_entries(command, "{");
        words.push(entries());
        inside = inside.and(Runs::Words(words));
    }
    if clear { inside } else { inside.doubt(Doubt::UnknownOption("parallel".into())) }
}

/// `find … -exec command {} ;` and its like, and `-delete`.
pub(super) fn find(args: &[Word]) -> Inside {
    let mut inside = Inside::nothing();
    let mut at = 0;
    while let Some(word) = args.get(at) {
        at += 1;
        match word.known() {
            Some("-exec" | "-execdir" | "-ok" | "-okdir") => {
                let rest = &args[at..];
                let is_end = |word: &Word| matches!(word.known(), Some(";" | "+"));
                let end = rest.iter().position(is_end).unwrap_or(rest.len());
                if end == rest.len() {
                    inside = inside.doubt(Doubt::Unreadable);
                }
                inside = inside.and(Runs::Words(with_entries(&rest[..end], "{}")));
                at += end;
            }
            // `$x` could be any of them, but where the first folder stands.
            None if word.may_be_option()
                && (word.splits() && at > 1 || !is_start(&args[..at - 1])) =>
            {
                inside = inside.doubt(Doubt::VerbUnknown("find".into()));
            }
            _ => {}
        }
    }
    inside.runs.retain(|run| !matches!(run, Runs::Words(words) if words.is_empty()));
    inside
}

/// Whether what comes next can still be a folder to start from.
fn is_start(before: &[Word]) -> bool {
    before.iter().all(|word| !word.may_be_option())
}

/// `fd … -x command`.
pub(super) fn fd(args: &[Word]) -> Inside {
    let is_exec = |word: &Word| {
        word.known().is_some_and(|text| ["-x", "-X", "--exec", "--exec-batch"].contains(&text))
    };
    let Some(at) = args.iter().position(is_exec) else {
        // Hidden in a cluster or behind `=`: rare enough to ask.
        let hidden = args.iter().any(|word| {
            let text = word.beginning();
            text.starts_with("--exec")
                || text.starts_with('-') && !text.starts_with("--") && text.contains(['x', 'X'])
        });
        let inside = Inside::nothing();
        return if hidden { inside.doubt(Doubt::UnknownOption("fd".into())) } else { inside };
    };
    let mut words = with_entries(&args[at + 1..], "{");
    if words.iter().all(|word| word.known().is_some()) {
        words.push(entries());
    }
    let mut inside = Inside::nothing();
    inside.runs.push(Runs::Words(words));
    inside
}
