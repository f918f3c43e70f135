//! Commands that only look. The list is short and strict: it decides what is not asked about where nothing confines
//! an agent's programs.
//!
//! A command is on it only if every word is known, no option makes it write, run or send something, and it prints no
//! contents of files: a name says nothing about what is read, which may be a link to a secret. Git is never on it,
//! because a repository names programs that git runs, and an agent may have made the repository.

use crate::options::among;
use crate::{
    Word,
    command::{Assign, Command, Feed, Simple},
    options::is_meant_in,
};

/// Programs that look at names and facts, whatever their options are.
const PLAIN: &str = "\
    [ arch basename cd df dirname dirs echo expr false getconf groups id ls lsblk lscpu nproc popd pushd \
    pwd readlink realpath seq sleep stat test tr true tty type uname uptime which whoami";

/// Programs that print what is in files, or look by other programs. They are no news to anybody and are asked about all
/// the same.
const READERS: &str = "\
    base32 base64 cat cksum cmp column comm cut diff egrep fgrep file fold git grep head hexdump join jq \
    md5sum nl od paste rev rg sed sha1sum sha256sum sha512sum sort strings tac tail uniq wc xxd";

/// A program that looks, and what must not be among its options.
struct Looker {
    name: &'static str,
    /// Letters of options that do more.
    letters: &'static str,
    /// Long options that do more; also when they are cut short.
    long: &'static str,
    /// How many words that are no options it may have: the next one would be set.
    operands: usize,
}

const ANY: usize = usize::MAX;

const fn looker(
    name: &'static str,
    letters: &'static str,
    long: &'static str,
    operands: usize,
) -> Looker {
    Looker { name, letters, long, operands }
}

const LOOKERS: &[Looker] = &[
    looker("date", "sf", "set file", ANY),
    looker("du", "X", "exclude-from files0-from", ANY),
    looker("hostname", "Fb", "file boot", 0),
    looker("printf", "v", "", ANY),
    // Comments and patterns are contents of files.
    looker("tree", "oR", "output fromfile fromtabfile gitfile gitignore info infofile", ANY),
];

fn find_looker(name: &str) -> Option<Looker> {
    match LOOKERS.iter().find(|looker| looker.name == name) {
        Some(looker) => Some(Looker { ..*looker }),
        None => among(name, PLAIN).then(|| looker("", "", "", ANY)),
    }
}

/// Programs that may be asked for their version.
const VERSIONS: &str = "\
    bash bun clang cmake deno docker g++ gcc gh git java javac make node npm npx perl php pip pip3 \
    poetry python python3 ruby sqlite3 tsc uv zsh";

/// Programs that run what the folder they are in names, also for their version.
const FOLDERS_OWN: &str = "cargo go gradle mvn pnpm rustc rustup yarn";

/// Builtins that change nothing but the shell they run in.
const BUILTINS: &str = ": break continue exit return shift wait";

/// Whether a name means something here.
pub(crate) fn knows(name: &str) -> bool {
    find_looker(name).is_some()
        || [READERS, VERSIONS, FOLDERS_OWN, BUILTINS].iter().any(|list| among(name, list))
        || name == "find"
}

/// Whether a command with that name and these words only looks. Redirections are looked at elsewhere.
pub(crate) fn look(command: &Command<'_>) -> bool {
    let Command { name, args, simple } = *command;
    // `./cat` is any program.
    if simple.words.first().and_then(Word::known) != Some(name) {
        return false;
    }
    let Some(words) = args.iter().map(Word::known).collect::<Option<Vec<&str>>>() else {
        return false;
    };
    // A file may be opened for all of a loop as well.
    if simple.feed == Feed::File || simple.redirects.iter().any(|redirect| !redirect.writes) {
        return false;
    }
    match name {
        "find" => find(&words),
        "command" => words.len() == 2 && matches!(words[0], "-v" | "-V"),
        "export" | "declare" | "local" | "typeset" | "readonly" => {
            words.iter().all(|word| is_plain_export(word))
        }
        "unset" => words.iter().all(|word| !is_powerful(word)),
        "set" => {
            !words.is_empty()
                && words.iter().all(|word| word.starts_with(['-', '+']) || *word == "pipefail")
        }
        _ if among(name, BUILTINS) => true,
        _ if among(name, VERSIONS)
            && matches!(words.as_slice(), ["--version" | "-V" | "-v" | "version"]) =>
        {
            // `bash -v` is no question.
            !matches!((name, words[0]), ("bash" | "zsh" | "make" | "perl" | "ruby", "-v" | "-V") | (_, "version") if !matches!(name, "go" | "docker"))
        }
        _ => find_looker(name).is_some_and(|looker| looks(&looker, &words)),
    }
}

fn looks(looker: &Looker, words: &[&str]) -> bool {
    let mut operands = 0;
    let mut options = true;
    for word in words {
        if options && *word == "--" {
            options = false;
        } else if options && word.starts_with("--") {
            let name = word.trim_start_matches('-').split('=').next().unwrap_or_default();
            if is_meant_in(name, looker.long) {
                return false;
            }
        } else if options && word.len() > 1 && word.starts_with('-') {
            if word.contains(|letter| looker.letters.contains(letter)) {
                return false;
            }
        } else {
            operands += 1;
        }
    }
    operands <= looker.operands
}

/// Only tests, and printing of names.
fn find(words: &[&str]) -> bool {
    const MORE: &str = "\
        -exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls -files0-from";
    !words.iter().any(|word| among(word, MORE))
}

fn is_plain_export(word: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    !word.starts_with('-') && word.contains('=') && !is_powerful(name)
}

/// Settings of a line that has no program: variables that mean nothing to programs.
pub(crate) fn settings(simple: &Simple) -> bool {
    simple.assigns.iter().all(variable) && simple.redirects.is_empty()
}

/// Whether a variable changes nothing but what programs print.
pub(crate) fn variable(assign: &Assign) -> bool {
    !is_powerful(&assign.name)
}

/// Names in capitals mean something to some program, but for these few.
fn is_powerful(name: &str) -> bool {
    const PLAIN: &str = "\
        CI CLICOLOR COLUMNS DEBUG FORCE_COLOR GIT_TERMINAL_PROMPT LANG LC_ALL LC_COLLATE LC_CTYPE \
        LC_MESSAGES LINES NO_COLOR RUST_BACKTRACE TERM TZ";
    !among(name, PLAIN) && name.bytes().any(|byte| byte.is_ascii_uppercase())
}
