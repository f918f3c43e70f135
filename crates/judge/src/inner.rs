//! What is inside a command: programs that run other programs, and texts that are scripts.
//!
//! A program that only passes on (`env`, `timeout`, `bash -c`) is not shown itself; what it runs is. Where
//! the command begins must be certain: an option that is not in the tables is a doubt.

use crate::options::{among, is_meant};
use crate::{
    Doubt, Finding, Part, Word,
    command::{Assign, Command, Feed},
    doubt::excerpt,
    word::Piece,
};

mod git;
mod lists;
mod programs;
mod shells;
mod variables;
mod wrappers;

pub(crate) use self::{git::GitCall, shells::is_more_than_posix, variables::variable};

/// Which language a text is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Bash,
    /// Any shell called `sh`: what only bash knows means something else there.
    Posix,
}

/// Something that a command runs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Runs {
    /// A program with its arguments.
    Words(Vec<Word>),
    /// A script.
    Text(String, Dialect),
    /// No script, but commands in it are expanded.
    Expanded(String),
    /// Words that are a command if the program is one that runs commands, which is not known here.
    Perhaps(Vec<Word>),
}

/// What is inside a command.
#[derive(Debug)]
pub(crate) struct Inside {
    /// The command does something itself.
    pub(crate) shows: bool,
    pub(crate) runs: Vec<Runs>,
    pub(crate) doubts: Vec<Doubt>,
    pub(crate) findings: Vec<Finding>,
}

impl Inside {
    /// Nothing: an ordinary command.
    fn nothing() -> Self {
        Self { shows: true, runs: Vec::new(), doubts: Vec::new(), findings: Vec::new() }
    }

    /// A command that is as good as the one inside.
    fn only(runs: Runs) -> Self {
        Self { shows: false, runs: vec![runs], ..Self::nothing() }
    }

    fn words(words: &[Word]) -> Self {
        Self::only(Runs::Words(words.to_vec()))
    }

    fn doubt(mut self, doubt: Doubt) -> Self {
        self.doubts.push(doubt);
        self
    }

    /// The same, with the command itself shown too.
    fn shown(mut self) -> Self {
        self.shows = true;
        self
    }

    fn and(mut self, runs: Runs) -> Self {
        self.runs.push(runs);
        self
    }
}

/// The name of the program that a word stands for: the last part of its path. The folder may be open as
/// long as it stays one word.
pub(crate) fn program(word: &Word) -> Option<String> {
    let last = match word.pieces() {
        [] => return Some(String::new()),
        pieces if pieces.len() > 1 && word.splits() => return None,
        [rest @ .., Piece::Text(last)]
            if rest.iter().all(|piece| !matches!(piece, Piece::Glob(_))) =>
        {
            let is_whole = rest.is_empty();
            match last.rsplit_once('/') {
                Some((_, name)) => name,
                None if is_whole => last,
                None => return None,
            }
        }
        _ => return None,
    };
    Some(last.to_owned())
}

/// Words that the shell itself knows; as the name of a program they mean that it was read wrongly.
const RESERVED: &str = "\
    ! { } [[ ]] case do done elif else esac fi for function if in select then until while";

/// What is inside a command.
pub(crate) fn look(command: &Command<'_>) -> Inside {
    let Command { name, args, .. } = *command;
    if among(name, RESERVED) {
        let inside = if args.is_empty() { Inside::nothing() } else { Inside::words(args) };
        return inside.doubt(Doubt::Unreadable);
    }
    match name {
        "eval" => shells::eval(command),
        "source" | "." => shells::source(command),
        "trap" => shells::trap(args),
        "alias" => shells::alias(args),
        "fc" => Inside::nothing().doubt(Doubt::TextUnknown("fc".into())),
        "env" => wrappers::env(args),
        "command" => wrappers::command(args),
        "xargs" => lists::xargs(args),
        "parallel" => lists::parallel(args),
        "find" => lists::find(args),
        "fd" | "fdfind" => lists::fd(args),
        "git" => git::look(args),
        "ssh" => wrappers::ssh(args),
        "su" | "runuser" => wrappers::su(args),
        "watch" => wrappers::watch(args),
        "script" | "flock" => wrappers::with_text(command),
        "make" | "gmake" => Inside::nothing(),
        _ if programs::knows(name) => programs::look(name, args),
        _ if shells::is_shell(name) => shells::shell(command),
        _ if shells::is_interpreter(name) => shells::interpreter(command),
        _ => wrappers::look(name, args).unwrap_or_else(|| detours(name, args)),
    }
}

/// Whether a name means something here.
pub(crate) fn knows(name: &str) -> bool {
    const OWN: &str = "\
        . alias command env eval exec fd find flock git make parallel script source ssh su trap \
        watch xargs";
    among(name, OWN)
        || among(name, RESERVED)
        || shells::is_shell(name)
        || shells::is_interpreter(name)
        || programs::knows(name)
        || wrappers::knows(name)
}

/// Whether a program is made to run scripts that it is given.
pub(crate) fn runs_scripts(name: &str) -> bool {
    matches!(name, "source" | ".") || shells::is_shell(name) || shells::is_interpreter(name)
}

/// Whether an option of a program that runs scripts takes the next word, which is then no script: code, a module, a
/// setting.
pub(crate) fn takes_word(name: &str, option: &str) -> bool {
    shells::takes_word(name, option)
}

/// Builtins and programs with an option that makes them run something.
fn detours(name: &str, args: &[Word]) -> Inside {
    let has = |options: &str| {
        args.iter().any(|word| {
            let text = word.beginning();
            let long = text.strip_prefix("--").map(|long| long.split('=').next().unwrap_or(long));
            options.split_ascii_whitespace().any(|option| match (option.strip_prefix("--"), long) {
                (Some(option), Some(long)) => is_meant(long, option) || long.starts_with(option),
                (None, None) => text.starts_with(option),
                _ => false,
            })
        })
    };
    let verb = args.iter().find_map(|word| word.known().filter(|text| !text.starts_with('-')));
    let runs = match name {
        "tar" | "bsdtar" | "gtar" => has("\
            --to-command --checkpoint-action --use-compress-program -I --info-script \
            --new-volume-script --rsh-command"),
        "rsync" => has("-e --rsh --rsync-path"),
        "scp" | "sftp" => has("-S -o"),
        "rg" => has("--pre --hostname-bin"),
        "sort" => has("--compress-program"),
        "man" => has("-P --pager -H"),
        "mapfile" | "readarray" => has("-C"),
        "complete" | "compgen" => has("-C -F"),
        "bind" => has("-x"),
        "tmux" | "screen" => !matches!(verb, None | Some("ls" | "list-sessions" | "has-session")),
        "expect" => has("-c"),
        _ => false,
    };
    let redefines = match name {
        "hash" => has("-p"),
        "enable" => has("-f -n"),
        _ => false,
    };
    let arithmetic = among(
        name,
        "\
        let declare typeset local export readonly test [ printf read unset wait",
    ) && args.iter().any(|word| word.known().is_some_and(is_detour));
    let mut inside = Inside::nothing();
    if !crate::danger::knows(name) && !crate::harmless::knows(name) {
        inside.runs = perhaps(args);
    }
    if runs {
        inside = inside.doubt(Doubt::RunsSetting(name.to_owned()));
    }
    if crate::danger::is_open(name, args) {
        inside = inside.doubt(Doubt::VerbUnknown(name.to_owned()));
    }
    if redefines {
        inside = inside.doubt(Doubt::Redefines(excerpt(verb.unwrap_or(name))));
    }
    if arithmetic {
        inside = inside.doubt(Doubt::Detour(name.to_owned()));
    }
    inside
}

/// Nobody knows every program that runs others: what would be dangerous behind it is told.
fn perhaps(args: &[Word]) -> Vec<Runs> {
    const TELLING: &str = "bash curl dd docker env find gh git npm rm scp sh ssh sudo xargs";
    let named = |word: &Word| program(word).is_some_and(|name| among(&name, TELLING));
    let first = args.iter().position(named);
    first.map(|at| Runs::Perhaps(args[at..].to_vec())).into_iter().collect()
}

/// Text that arithmetic would run: a command in the index of a list.
pub(crate) fn is_detour(text: &str) -> bool {
    text.contains("[$(") || text.contains("[`") || text.contains("[${")
}

/// The text that a command surely says: `echo` and `printf` of plain words.
pub(crate) fn said(part: &Part) -> Option<String> {
    let words = part.known_words()?;
    let (name, args) = words.split_first()?;
    // Signs that `echo` and `printf` may act on, each in its own way.
    let acts = args.iter().any(|arg| arg.contains(['\\', '%']))
        || args.first().is_some_and(|arg| arg.starts_with('-'));
    if !part.is_plain || acts {
        return None;
    }
    match *name {
        "echo" => Some(args.join(" ")),
        "printf" if args.len() == 1 => Some(args.concat()),
        _ => None,
    }
}

/// All the words as one text, as `eval` and `ssh` make it; nothing when one is not known.
fn joined(words: &[Word]) -> Option<String> {
    let words: Option<Vec<&str>> = words.iter().map(Word::known).collect();
    words.map(|words| words.join(" "))
}

/// The words as they stand in the line.
fn written(words: &[Word]) -> String {
    excerpt(&words.iter().map(Word::written).collect::<Vec<_>>().join(" "))
}

/// A text that a shell runs: read when it is known, a doubt when not.
fn text(name: &str, words: &[Word], dialect: Dialect, downloads: bool) -> Inside {
    let mut inside = match joined(words) {
        Some(text) => Inside::only(Runs::Text(text, dialect)),
        None => Inside::nothing()
            .doubt(Doubt::TextUnknown(excerpt(&format!("{name} {}", written(words))))),
    };
    if downloads {
        inside.shows = true;
        inside.findings.push(Finding::RunsDownload);
    }
    inside
}

/// A script from the standard input.
fn from_input(name: &str, feed: &Feed, reads: impl Fn(&str) -> Runs) -> Inside {
    let unknown = || Doubt::PipedIntoShell(name.to_owned());
    match feed {
        Feed::Nothing | Feed::File => Inside::nothing(),
        Feed::Text(text) => Inside::only(reads(text)),
        Feed::Roughly(text) => {
            Inside::only(reads(text)).shown().doubt(Doubt::TextUnknown(excerpt(name)))
        }
        Feed::Download => {
            let mut inside = Inside::nothing().doubt(unknown());
            inside.findings.push(Finding::RunsDownload);
            inside
        }
        Feed::Unknown => Inside::nothing().doubt(unknown()),
    }
}

/// Whether a word sets a variable, as in `env A=b`.
fn assigned(word: &Word) -> Option<Assign> {
    let (name, _) = word.beginning().split_once('=')?;
    let is_name =
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if !is_name {
        return None;
    }
    let value = word.after(&format!("{name}="))?;
    Some(Assign { name: name.to_owned(), value })
}
