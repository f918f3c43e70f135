//! Commands that only look. The list is short and strict: it decides what is not asked about.
//!
//! A command is on it only if every word is known and no option makes it write, run or send something.
//! What reads contents must name files inside the folder it is in, and none that usually holds secrets.

use crate::options::among;
use crate::{
    Word,
    command::{Assign, Command, Simple},
    options::is_meant_in,
};

mod git;
mod secrets;

/// What may stand behind a program's name.
#[derive(Clone, Copy)]
enum Kind {
    /// Names and facts of files, wherever they are.
    Names,
    /// What is in files.
    Contents,
    /// No file at all.
    Facts,
}

/// Programs that look, whatever their options are.
const NAMES: &str = "[ cd df ls pushd readlink realpath stat test";
const CONTENTS: &str = "base32 base64 cat cksum cmp column comm cut fold head join md5sum nl od paste rev \
                        sha1sum sha256sum sha512sum strings tac tail";
const FACTS: &str = "arch basename dirname dirs echo expr false getconf groups id lsblk lscpu nproc popd pwd \
                     seq sleep tr true tty type uname uptime which whoami";

/// A program that looks, and what must not be among its options.
struct Looker {
    name: &'static str,
    kind: Kind,
    /// Letters of options that do more.
    letters: &'static str,
    /// Long options that do more; also when they are cut short.
    long: &'static str,
    /// How many words that are no options it may have: the next one would be written to.
    operands: usize,
}

const ANY: usize = usize::MAX;

const fn looker(
    name: &'static str,
    kind: Kind,
    letters: &'static str,
    long: &'static str,
    operands: usize,
) -> Looker {
    Looker { name, kind, letters, long, operands }
}

use Kind::{Contents, Facts, Names};

const GREP: &str = "recursive dereference-recursive file directories";
const RG: &str = "pre pre-glob hostname-bin search-zip file hidden no-ignore unrestricted debug";
const SORT: &str = "output compress-program files0-from temporary-directory buffer-size";

const LOOKERS: &[Looker] = &[
    looker("date", Facts, "sf", "set file", ANY),
    looker("diff", Contents, "lr", "paginate recursive", ANY),
    looker("du", Names, "X", "exclude-from files0-from", ANY),
    looker("egrep", Contents, "rRfd", GREP, ANY),
    looker("fgrep", Contents, "rRfd", GREP, ANY),
    looker("file", Names, "CfmzZ", "compile files-from magic-file uncompress", ANY),
    looker("grep", Contents, "rRfd", GREP, ANY),
    looker("hexdump", Contents, "f", "", ANY),
    looker("hostname", Facts, "Fb", "file boot", 0),
    looker("printf", Facts, "v", "", ANY),
    looker("rg", Contents, "fuz.", RG, ANY),
    looker("sort", Contents, "oST", SORT, ANY),
    looker("tree", Names, "oR", "output fromfile fromtabfile", ANY),
    looker("uniq", Contents, "", "", 1),
    looker("wc", Contents, "", "files0-from", ANY),
    looker("xxd", Contents, "r", "revert", 1),
];

fn find_looker(name: &str) -> Option<Looker> {
    let plain = |kind| Looker { name: "", kind, letters: "", long: "", operands: ANY };
    match LOOKERS.iter().find(|looker| looker.name == name) {
        Some(looker) => Some(Looker { ..*looker }),
        None if among(name, NAMES) => Some(plain(Names)),
        None if among(name, CONTENTS) => Some(plain(Contents)),
        None => among(name, FACTS).then(|| plain(Facts)),
    }
}

/// Programs that may be asked for their version.
const VERSIONS: &str = "\
    bash bun cargo clang cmake deno docker g++ gcc gh git go gradle java javac make mvn node npm \
    npx perl php pip pip3 pnpm poetry python python3 ruby rustc rustup sqlite3 tsc uv yarn zsh";

/// Builtins that change nothing but the shell they run in.
const BUILTINS: &str = ": break continue exit return shift wait";

pub(crate) fn knows(name: &str) -> bool {
    find_looker(name).is_some()
        || among(name, VERSIONS)
        || among(name, BUILTINS)
        || matches!(name, "find" | "sed" | "jq" | "git")
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
    let reads_secret = simple.redirects.iter().any(|redirect| {
        redirect.file.known().is_none_or(|file| !redirect.writes && !secrets::may_read(file))
    });
    if reads_secret {
        return false;
    }
    match name {
        "git" => git::look(args),
        "find" => find(&words),
        "sed" => sed(&words),
        "jq" => jq(&words),
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
    // The pattern of `grep` is no file, but it is looked at as one: a secret's name is no reason to hurry.
    for word in words {
        if options && *word == "--" {
            options = false;
        } else if options && word.starts_with("--") {
            let name = word.trim_start_matches('-').split('=').next().unwrap_or_default();
            if is_meant_in(name, looker.long) {
                return false;
            }
            if word.split_once('=').is_some_and(|(_, value)| !looker.kind.may_name(value)) {
                return false;
            }
        } else if options && word.len() > 1 && word.starts_with('-') {
            if word.contains(|letter| looker.letters.contains(letter)) {
                return false;
            }
        } else {
            operands += 1;
            if !looker.kind.may_name(word) {
                return false;
            }
        }
    }
    operands <= looker.operands
}

impl Kind {
    fn may_name(self, word: &str) -> bool {
        match self {
            Self::Names | Self::Facts => true,
            Self::Contents => secrets::may_read(word),
        }
    }
}

/// Only tests, and printing of names.
fn find(words: &[&str]) -> bool {
    const MORE: &str = "\
        -exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls -files0-from";
    !words.iter().any(|word| among(word, MORE))
}

/// `sed -n` with addresses and `p`, `=` or `q`, or one `s` without a flag that writes or runs.
fn sed(words: &[&str]) -> bool {
    let Some((script, files)) = (match words {
        ["-n" | "-E" | "-r", script, files @ ..] if !script.starts_with('-') => {
            Some((*script, files))
        }
        ["-n", "-E" | "-r", script, files @ ..] | ["-nE" | "-nr", script, files @ ..] => {
            Some((*script, files))
        }
        [script, files @ ..] if !script.starts_with('-') => Some((*script, files)),
        _ => None,
    }) else {
        return false;
    };
    let prints = |command: &str| {
        let command = command.trim();
        let body = command.strip_suffix(['p', '=', 'q', 'd']).unwrap_or("?");
        body.bytes().all(|byte| byte.is_ascii_digit() || b",$+~! ".contains(&byte))
    };
    let only_prints = script.split(';').all(prints);
    only_prints && files.iter().all(|file| !file.starts_with('-') && secrets::may_read(file))
}

/// A filter that does not look at the environment, and files.
fn jq(words: &[&str]) -> bool {
    const OPTIONS: &str = "\
        -r -c -e -s -S -n -M -C -j --raw-output --compact-output --sort-keys --slurp --tab";
    let operands: Vec<&&str> = words.iter().filter(|word| !among(word, OPTIONS)).collect();
    let Some((filter, files)) = operands.split_first() else { return false };
    !filter.starts_with('-')
        && !filter.to_ascii_lowercase().contains("env")
        && !filter.contains("input")
        && !filter.contains("import")
        && !filter.contains("include")
        && files.iter().all(|file| !file.starts_with('-') && secrets::may_read(file))
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
