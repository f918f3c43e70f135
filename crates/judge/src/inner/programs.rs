//! Programs with a small language of their own that can run others: `awk` and `sed`.
//!
//! Their scripts are not understood, only told to be plain: anything in them that may run a command, or that cannot
//! be told from it, is a doubt. A script in a file is like any program.

use super::Inside;
use crate::options::among;
use crate::{Doubt, Word, doubt::excerpt};

mod sed;

/// Whether the name is one of these programs.
pub(super) fn knows(name: &str) -> bool {
    among(name, AWKS) || among(name, SEDS)
}

const AWKS: &str = "awk gawk mawk nawk original-awk";
const SEDS: &str = "gsed sed ssed";

/// What a command of these runs.
pub(super) fn look(name: &str, args: &[Word]) -> Inside {
    let is_awk = among(name, AWKS);
    let scripts = if is_awk { awk_scripts(args) } else { sed_scripts(args) };
    let Some(scripts) = scripts else {
        return Inside::nothing().doubt(Doubt::UnknownOption(name.to_owned()));
    };
    // Several are one text, line by line.
    let text: Option<Vec<&str>> = scripts.iter().map(Word::known).collect();
    let text = text.map(|texts| texts.join("\n"));
    if text.is_some_and(|text| if is_awk { is_plain_awk(&text) } else { sed::is_plain(&text) }) {
        return Inside::nothing();
    }
    let written: Vec<&str> = scripts.iter().map(Word::written).collect();
    let written = format!("{name} {}", written.join(" "));
    Inside::nothing().doubt(Doubt::TextUnknown(excerpt(&written)))
}

/// The scripts among the words of `awk`: one, or none where it comes from a file. Nothing where an option is not known.
fn awk_scripts(args: &[Word]) -> Option<Vec<Word>> {
    const FLAGS: &str = "\
        -c -P -r -S --csv --help --posix --re-interval --sandbox --traditional --version -V";
    let mut words = args.iter();
    let mut from_file = false;
    while let Some(word) = words.next() {
        let text = word.beginning();
        match text {
            "--" if word.known() == Some("--") => break,
            "-F" | "-v" | "-f" if word.known() == Some(text) => {
                let value = words.next()?;
                // What may be none or several moves the script.
                if value.splits() || text == "-f" && !is_named(value) {
                    return None;
                }
                from_file |= text == "-f";
            }
            _ if text.starts_with("-F") || text.starts_with("-v") => {
                if word.splits() {
                    return None;
                }
            }
            _ if word.known().is_some_and(|text| among(text, FLAGS)) => {}
            _ if text.len() > 1 && text.starts_with('-') => return None,
            _ if from_file => return Some(Vec::new()),
            _ => return Some(vec![word.clone()]),
        }
    }
    let script = words.next().filter(|_| !from_file);
    Some(script.cloned().into_iter().collect())
}

/// A script in a file of that name, and not one that is fed to it.
fn is_named(word: &Word) -> bool {
    word.known().is_some_and(|file| {
        file != "-" && !file.starts_with("/dev/") && !file.starts_with("/proc/")
    })
}

/// Whether a program for `awk` surely starts no other and writes no file: no call that does, no pipe, no `>` behind
/// `print`, and nothing that makes a name of a text. `|` is looked for in texts and patterns too, because what is one cannot be told without reading the
/// language; but a pattern that the program begins with is surely one.
fn is_plain_awk(program: &str) -> bool {
    const RUNS: [&str; 4] = ["system", "getline", "@", "/inet"];
    let rest = program.trim_start();
    let rest = rest.strip_prefix('/').and_then(without_pattern).unwrap_or(rest);
    let pipes = rest.split(|c| c != '|').any(|pipes| !matches!(pipes.len(), 0 | 2));
    !pipes && !prints_elsewhere(program) && !RUNS.iter().any(|word| program.contains(word))
}

/// Whether what some `print` says may go to a file. There `>` is a redirection, but between brackets; everywhere else it
/// compares. A text that is not closed tells that it was read wrongly.
fn prints_elsewhere(program: &str) -> bool {
    const SCREEN: [&str; 2] = ["\"/dev/stdout\"", "\"/dev/stderr\""];
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    program.match_indices("print").any(|(at, _)| {
        if program[..at].ends_with(is_name) {
            return false;
        }
        let (mut depth, mut quoted, mut last) = (0_u32, false, ' ');
        let rest = &program[at..];
        let mut letters = rest.char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '\\' => drop(letters.next()),
                '"' => quoted = !quoted,
                _ if quoted => {}
                '(' | '[' => depth += 1,
                ')' | ']' => depth = depth.saturating_sub(1),
                ';' | '}' => return false,
                // A line goes on behind a comma.
                '\n' if last != ',' && depth == 0 => return false,
                '>' if depth == 0 => {
                    let file = rest[at..].trim_start_matches('>').trim_start();
                    return !SCREEN.iter().any(|screen| file.starts_with(screen));
                }
                _ => {}
            }
            if !letter.is_whitespace() {
                last = letter;
            }
        }
        quoted
    })
}

/// What stands behind a pattern whose first `/` is taken off; nothing if its end is not sure.
fn without_pattern(text: &str) -> Option<&str> {
    let (pattern, after) = text.split_once('/')?;
    (!pattern.contains(['"', '[', '\\', '\n'])).then_some(after)
}

/// The scripts among the words of `sed`; nothing where an option is not known. Behind the script stand files.
fn sed_scripts(args: &[Word]) -> Option<Vec<Word>> {
    const LONG: &str = "\
        --debug --follow-symlinks --help --in-place --null-data --posix --quiet --regexp-extended --sandbox \
        --separate --silent --unbuffered --version --zero-terminated";
    let mut scripts = Vec::new();
    let (mut operands, mut options, mut from_file) = (Vec::new(), true, false);
    let mut words = args.iter();
    while let Some(word) = words.next() {
        let text = word.beginning();
        if !options || text.len() < 2 || !text.starts_with('-') {
            operands.push(word.clone());
        } else if word.known() == Some("--") {
            options = false;
        } else if let Some(script) = word.after("--expression=") {
            scripts.push(script);
        } else if let Some(file) = word.after("--file=") {
            from_file = true;
            is_named(&file).then_some(())?;
        } else if text.starts_with("--in-place=") || text.starts_with("--line-length=") {
            (!word.splits()).then_some(())?;
        } else if text.starts_with("--") {
            word.known().filter(|text| among(text, LONG))?;
        } else {
            let letters = word.known()?;
            for (at, letter) in letters.char_indices().skip(1) {
                let rest = word.after(&letters[..=at])?;
                let value = |next: Option<&Word>| match rest.beginning() {
                    "" => next.cloned(),
                    _ => Some(rest.clone()),
                };
                match letter {
                    'n' | 'E' | 'r' | 's' | 'u' | 'z' | 'b' => continue,
                    'i' => {}
                    'e' => scripts.push(value(rest.beginning().is_empty().then(|| words.next())?)?),
                    'f' => {
                        from_file = true;
                        let file = value(rest.beginning().is_empty().then(|| words.next())?)?;
                        is_named(&file).then_some(())?;
                    }
                    'l' => drop(value(rest.beginning().is_empty().then(|| words.next())?)?),
                    _ => return None,
                }
                break;
            }
        }
    }
    if scripts.is_empty() && !from_file {
        scripts.extend(operands.first().cloned());
    }
    Some(scripts)
}
