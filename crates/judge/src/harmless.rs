//! Commands that only look. The list is short and strict: it decides what is not asked about.
//!
//! A command is on it only if every word is known and no option makes it write, run or send something.
//! What reads contents must name files inside the folder it is in, and none that usually holds secrets.

use crate::{
    Word,
    command::{Assign, Command, Simple},
    options::is_meant,
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

/// A program that looks, and what must not be among its options.
struct Looker {
    name: &'static str,
    kind: Kind,
    /// Letters of options that do more.
    letters: &'static str,
    /// Long options that do more; also when they are cut short.
    long: &'static [&'static str],
    /// How many words that are no options it may have: the next one would be written to.
    operands: usize,
}

const ANY: usize = usize::MAX;

const fn looker(
    name: &'static str,
    kind: Kind,
    letters: &'static str,
    long: &'static [&'static str],
) -> Looker {
    Looker { name, kind, letters, long, operands: ANY }
}

const fn at_most(
    name: &'static str,
    kind: Kind,
    letters: &'static str,
    long: &'static [&'static str],
    operands: usize,
) -> Looker {
    Looker { name, kind, letters, long, operands }
}

use Kind::{Contents, Facts, Names};

const LOOKERS: &[Looker] = &[
    looker("[", Names, "", &[]),
    looker("arch", Facts, "", &[]),
    looker("base32", Contents, "", &[]),
    looker("base64", Contents, "", &[]),
    looker("basename", Facts, "", &[]),
    looker("cat", Contents, "", &[]),
    looker("cd", Names, "", &[]),
    looker("cksum", Contents, "", &[]),
    looker("cmp", Contents, "", &[]),
    looker("column", Contents, "", &[]),
    looker("comm", Contents, "", &[]),
    looker("cut", Contents, "", &[]),
    looker("date", Facts, "sf", &["set", "file"]),
    looker("df", Names, "", &[]),
    looker("diff", Contents, "lr", &["paginate", "recursive"]),
    looker("dirname", Facts, "", &[]),
    looker("dirs", Facts, "", &[]),
    looker("du", Names, "X", &["exclude-from", "files0-from"]),
    looker("echo", Facts, "", &[]),
    looker(
        "egrep",
        Contents,
        "rRf",
        &["recursive", "dereference-recursive", "file", "directories"],
    ),
    looker("expr", Facts, "", &[]),
    looker("false", Facts, "", &[]),
    looker(
        "fgrep",
        Contents,
        "rRf",
        &["recursive", "dereference-recursive", "file", "directories"],
    ),
    looker("file", Names, "CfmzZ", &["compile", "files-from", "magic-file", "uncompress"]),
    looker("fold", Contents, "", &[]),
    looker("getconf", Facts, "", &[]),
    looker(
        "grep",
        Contents,
        "rRfd",
        &["recursive", "dereference-recursive", "file", "directories"],
    ),
    looker("groups", Facts, "", &[]),
    looker("head", Contents, "", &[]),
    looker("hexdump", Contents, "f", &[]),
    at_most("hostname", Facts, "Fb", &["file", "boot"], 0),
    looker("id", Facts, "", &[]),
    looker("join", Contents, "", &[]),
    looker("ls", Names, "", &[]),
    looker("lsblk", Facts, "", &[]),
    looker("lscpu", Facts, "", &[]),
    looker("md5sum", Contents, "", &[]),
    looker("nl", Contents, "", &[]),
    looker("nproc", Facts, "", &[]),
    looker("od", Contents, "", &[]),
    looker("paste", Contents, "", &[]),
    looker("pgrep", Facts, "", &[]),
    looker("popd", Facts, "", &[]),
    looker("printf", Facts, "v", &[]),
    looker("pushd", Names, "", &[]),
    looker("pwd", Facts, "", &[]),
    looker("readlink", Names, "", &[]),
    looker("realpath", Names, "", &[]),
    looker("rev", Contents, "", &[]),
    looker(
        "rg",
        Contents,
        "fuz.",
        &[
            "pre",
            "pre-glob",
            "hostname-bin",
            "search-zip",
            "file",
            "hidden",
            "no-ignore",
            "unrestricted",
            "debug",
        ],
    ),
    looker("seq", Facts, "", &[]),
    looker("sha1sum", Contents, "", &[]),
    looker("sha256sum", Contents, "", &[]),
    looker("sha512sum", Contents, "", &[]),
    looker("sleep", Facts, "", &[]),
    looker(
        "sort",
        Contents,
        "oST",
        &["output", "compress-program", "files0-from", "temporary-directory", "buffer-size"],
    ),
    looker("stat", Names, "", &[]),
    looker("strings", Contents, "", &[]),
    looker("tac", Contents, "", &[]),
    looker("tail", Contents, "", &[]),
    looker("test", Names, "", &[]),
    looker("tr", Facts, "", &[]),
    looker("tree", Names, "oR", &["output", "fromfile", "fromtabfile"]),
    looker("true", Facts, "", &[]),
    looker("tty", Facts, "", &[]),
    looker("type", Facts, "", &[]),
    looker("uname", Facts, "", &[]),
    at_most("uniq", Contents, "", &[], 1),
    looker("uptime", Facts, "", &[]),
    looker("wc", Contents, "", &["files0-from"]),
    looker("which", Facts, "", &[]),
    looker("whoami", Facts, "", &[]),
    at_most("xxd", Contents, "r", &["revert"], 1),
];

/// Programs that may be asked for their version.
const VERSIONS: &[&str] = &[
    "bash", "bun", "cargo", "clang", "cmake", "deno", "docker", "g++", "gcc", "gh", "git", "go",
    "gradle", "java", "javac", "make", "mvn", "node", "npm", "npx", "perl", "php", "pip", "pip3",
    "pnpm", "poetry", "python", "python3", "ruby", "rustc", "rustup", "sqlite3", "tsc", "uv",
    "yarn", "zsh",
];

/// Builtins that change nothing but the shell they run in.
const BUILTINS: &[&str] = &[":", "break", "continue", "exit", "return", "shift", "wait"];

pub(crate) fn knows(name: &str) -> bool {
    LOOKERS.iter().any(|looker| looker.name == name)
        || VERSIONS.contains(&name)
        || BUILTINS.contains(&name)
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
        _ if BUILTINS.contains(&name) => true,
        _ if VERSIONS.contains(&name)
            && matches!(words.as_slice(), ["--version" | "-V" | "-v" | "version"]) =>
        {
            // `bash -v` is no question.
            !matches!((name, words[0]), ("bash" | "zsh" | "make" | "perl" | "ruby", "-v" | "-V") | (_, "version") if !matches!(name, "go" | "docker"))
        }
        _ => LOOKERS
            .iter()
            .find(|looker| looker.name == name)
            .is_some_and(|looker| looks(looker, &words)),
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
            if looker.long.iter().any(|long| is_meant(name, long)) {
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
    const MORE: &[&str] = &[
        "-exec",
        "-execdir",
        "-ok",
        "-okdir",
        "-delete",
        "-fprint",
        "-fprint0",
        "-fprintf",
        "-fls",
        "-files0-from",
    ];
    !words.iter().any(|word| MORE.contains(word))
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
    const OPTIONS: &[&str] = &[
        "-r",
        "-c",
        "-e",
        "-s",
        "-S",
        "-n",
        "-M",
        "-C",
        "-j",
        "--raw-output",
        "--compact-output",
        "--sort-keys",
        "--slurp",
        "--tab",
    ];
    let operands: Vec<&&str> = words.iter().filter(|word| !OPTIONS.contains(word)).collect();
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
    const PLAIN: &[&str] = &[
        "CI",
        "CLICOLOR",
        "COLUMNS",
        "DEBUG",
        "FORCE_COLOR",
        "GIT_TERMINAL_PROMPT",
        "LANG",
        "LC_ALL",
        "LC_COLLATE",
        "LC_CTYPE",
        "LC_MESSAGES",
        "LINES",
        "NO_COLOR",
        "RUST_BACKTRACE",
        "TERM",
        "TZ",
    ];
    !PLAIN.contains(&name) && name.bytes().any(|byte| byte.is_ascii_uppercase())
}
