//! Programs that start another one: what stands before it, and where it begins.

use super::{Dialect, Inside, Runs, assigned, joined, text, variable, written};
use crate::{Doubt, Word, command::Command, options::among};

/// How a program takes the command that it runs.
struct Wrapper {
    name: &'static str,
    /// Letters of options without a value.
    flags: &'static str,
    /// Letters of options with one.
    values: &'static str,
    /// Long options without a value, or with one behind `=`.
    long: &'static str,
    /// Long options whose value is the next word.
    long_values: &'static str,
    /// Words that stand before the command.
    operands: usize,
    /// Does something itself that has to be told.
    shows: bool,
}

impl Wrapper {
    const fn new(name: &'static str, flags: &'static str, values: &'static str) -> Self {
        Self { name, flags, values, long: "", long_values: "", operands: 0, shows: false }
    }

    const fn long(mut self, long: &'static str) -> Self {
        self.long = long;
        self
    }

    const fn long_values(mut self, long: &'static str) -> Self {
        self.long_values = long;
        self
    }

    const fn operands(mut self, operands: usize) -> Self {
        self.operands = operands;
        self
    }

    const fn shows(mut self) -> Self {
        self.shows = true;
        self
    }
}

const WRAPPERS: &[Wrapper] = &[
    Wrapper::new("builtin", "", ""),
    Wrapper::new("busybox", "", ""),
    Wrapper::new("caffeinate", "dimsu", "tw"),
    Wrapper::new("catchsegv", "", ""),
    Wrapper::new("chroot", "", "").long("groups userspec skip-chdir").operands(1).shows(),
    Wrapper::new("chrt", "abdfimoprRvT", "PD").long("all-tasks").operands(1),
    Wrapper::new("coproc", "", ""),
    Wrapper::new("cross-env", "", ""),
    Wrapper::new("dbus-run-session", "", "").long("dbus-daemon config-file"),
    Wrapper::new("doas", "nsL", "uC").shows(),
    Wrapper::new("exec", "cl", "a"),
    Wrapper::new("gosu", "", "").operands(1).shows(),
    Wrapper::new("ionice", "t", "cnp").long("class classdata ignore"),
    Wrapper::new("ltrace", "fhiLrStTCV", "aAbeElnopsuwxX"),
    Wrapper::new("nice", "0123456789", "n").long("adjustment").long_values("adjustment"),
    Wrapper::new("noglob", "", ""),
    Wrapper::new("nohup", "", ""),
    Wrapper::new("nsenter", "amuinpCUTrwFZSGe", "t")
        .long("all mount net pid target user uts ipc preserve-credentials")
        .shows(),
    Wrapper::new("pkexec", "", "")
        .long("disable-internal-agent keep-cwd")
        .long_values("user")
        .shows(),
    Wrapper::new("proxychains", "q", "f"),
    Wrapper::new("proxychains4", "q", "f"),
    Wrapper::new("rlwrap", "aAcEhimnNoprRtvwW", "bCDefgHlPqsSz"),
    Wrapper::new("setarch", "vRFZLXBIST3", "").operands(1),
    Wrapper::new("setsid", "cfw", "").long("ctty fork wait"),
    Wrapper::new("sshpass", "e", "fdpP").shows(),
    Wrapper::new("stdbuf", "", "ioe").long("input output error"),
    Wrapper::new("strace", "cCdDfFhikqrtTvVwxyYzZ", "aAbeEIoOpPsSuUX"),
    Wrapper::new("su-exec", "", "").operands(1).shows(),
    Wrapper::new("sudo", "AbBEeHiKklnNPSsVv", "CDghpRrTtUu")
        .long(
            "\
            askpass background bell edit preserve-env set-home login list non-interactive \
            preserve-groups stdin shell validate reset-timestamp remove-timestamp no-update user \
            group host prompt chdir chroot close-from command-timeout",
        )
        .long_values("user group host prompt chdir chroot close-from command-timeout")
        .shows(),
    Wrapper::new("systemd-inhibit", "", "").long("what who why mode"),
    Wrapper::new("systemd-run", "GPSdqrt", "EHMpu")
        .long(
            "\
            user system scope pty pipe wait quiet collect unit property setenv slice uid gid \
            same-dir",
        )
        .shows(),
    Wrapper::new("taskset", "ac", "p").operands(1),
    Wrapper::new("time", "apqvV", "fo").long("append portability quiet verbose format output"),
    Wrapper::new("timeout", "fpv", "ks")
        .long("foreground preserve-status verbose signal kill-after")
        .long_values("signal kill-after")
        .operands(1),
    Wrapper::new("torsocks", "", ""),
    Wrapper::new("toybox", "", ""),
    Wrapper::new("unbuffer", "p", ""),
    Wrapper::new("unshare", "cfimnpruCTU", "RSGw")
        .long(
            "\
            fork mount net pid user uts ipc map-root-user map-current-user mount-proc kill-child",
        )
        .shows(),
    Wrapper::new("xvfb-run", "adl", "enps")
        .long("auto-servernum auto-display")
        .long_values("server-args server-num error-file"),
];

/// Programs that run a command, some with a word that makes them. Their options are many, so every known
/// program among the words behind it is taken for one that runs.
const VERBS: &str = "bundle exec, bunx, direnv exec, docker compose, docker exec, docker run, \
                     docker-compose, hatch run, mise exec, nerdctl compose, nerdctl exec, nerdctl run, \
                     nix develop, npm exec, npm x, npx, pdm run, pipenv run, pnpm dlx, pnpm exec, pnpx, \
                     podman compose, podman exec, podman run, poetry run, rye run, uv run, uvx, yarn dlx, \
                     yarn exec";
/// How many of them are looked at.
const MAX_NAMED: usize = 5;

pub(super) fn knows(name: &str) -> bool {
    WRAPPERS.iter().any(|wrapper| wrapper.name == name)
}

/// The command in a program of the tables; nothing when it is not in them.
pub(super) fn look(name: &str, args: &[Word]) -> Option<Inside> {
    if let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.name == name) {
        return Some(wrapped(wrapper, args));
    }
    let verbs =
        VERBS.split(", ").filter_map(|row| row.strip_prefix(name)?.split(' ').nth(1).or(Some("")));
    let begins = verbs.filter_map(|verb| match verb {
        "" => VERBS.split(", ").any(|row| row == name).then_some(0),
        verb => args.iter().position(|word| word.known() == Some(verb)).map(|at| at + 1),
    });
    begins.min().map(|at| by_name(&args[at..]))
}

/// Every command that could begin among the words.
fn by_name(words: &[Word]) -> Inside {
    let mut inside = Inside::nothing();
    for (at, word) in words.iter().enumerate() {
        let known = super::program(word);
        let is_one = known.is_some_and(|name| {
            super::knows(&name) || crate::danger::knows(&name) || crate::harmless::knows(&name)
        });
        if is_one && !word.beginning().starts_with('-') {
            inside = inside.and(Runs::Words(words[at..].to_vec()));
        }
        if word.known().is_none() && word.may_be_option() && inside.runs.is_empty() {
            inside = inside.doubt(Doubt::NameUnknown(written(std::slice::from_ref(word))));
        }
        if inside.runs.len() == MAX_NAMED {
            return inside.doubt(Doubt::TooMuch);
        }
    }
    inside
}

fn wrapped(wrapper: &Wrapper, args: &[Word]) -> Inside {
    let (rest, clear) = skip(wrapper, args);
    let mut inside = match rest {
        // Nothing inside, as in `exec 2>log`: it stands for itself.
        [] => Inside::nothing(),
        rest => settings(rest),
    };
    inside.shows |= wrapper.shows;
    if clear { inside } else { inside.doubt(Doubt::UnknownOption(wrapper.name.to_owned())) }
}

/// The words behind the options and operands, and whether it is certain where they begin.
fn skip<'a>(wrapper: &Wrapper, args: &'a [Word]) -> (&'a [Word], bool) {
    let mut at = 0;
    let mut operands = wrapper.operands;
    let mut clear = true;
    while let Some(word) = args.get(at) {
        let Some(text) = word.known() else {
            clear &= !word.splits() && (operands > 0 || !word.may_be_option());
            if operands == 0 {
                break;
            }
            operands -= 1;
            at += 1;
            continue;
        };
        if text == "--" {
            at += 1;
            // What stands behind it are operands, and then the command.
            return (args.get(at + operands..).unwrap_or_default(), clear);
        }
        if let Some(long) = text.strip_prefix("--") {
            let name = long.split('=').next().unwrap_or(long);
            let known = among(name, wrapper.long) || among(name, wrapper.long_values);
            clear &= known || matches!(name, "help" | "version");
            at += 1;
            at += usize::from(!long.contains('=') && among(name, wrapper.long_values));
        } else if text.len() > 1 && text.starts_with('-') {
            at += 1;
            for (index, letter) in text[1..].char_indices() {
                if wrapper.values.contains(letter) {
                    at += usize::from(index + letter.len_utf8() == text.len() - 1);
                    break;
                }
                clear &= wrapper.flags.contains(letter);
            }
        } else if operands > 0 {
            operands -= 1;
            at += 1;
        } else {
            break;
        }
    }
    (args.get(at..).unwrap_or_default(), clear)
}

/// Words that may begin with `NAME=value`, as `env` and `sudo` take them.
fn settings(words: &[Word]) -> Inside {
    let count = words.iter().take_while(|word| assigned(word).is_some()).count();
    let mut inside = match &words[count..] {
        [] => Inside::nothing(),
        rest => Inside::words(rest),
    };
    for assign in words[..count].iter().filter_map(assigned) {
        let (doubt, script) = variable(&assign);
        inside.doubts.extend(doubt);
        inside.runs.extend(script.map(|script| Runs::Text(script, Dialect::Bash)));
        // What is set is no part of the command inside, so it is told here.
        inside.shows |= !crate::harmless::variable(&assign);
    }
    inside
}

pub(super) fn env(args: &[Word]) -> Inside {
    const ENV: Wrapper = Wrapper::new("env", "i0v", "uC")
        .long(
            "\
            ignore-environment null debug unset chdir block-signal default-signal ignore-signal",
        )
        .long_values("unset chdir");
    let splits = |word: &&Word| {
        let text = word.beginning();
        text.starts_with("--s")
            || text.starts_with('-') && !text.starts_with("--") && text.contains('S')
    };
    let before = args.iter().take_while(|word| assigned(word).is_some() || word.may_be_option());
    if let Some(at) = before.clone().position(|word| splits(&word)) {
        // The text is split into words by rules of its own, which are not those of a shell.
        let word = &args[at];
        let attached = word.known().and_then(|text| {
            let long = text.split_once('=').map(|(_, text)| text);
            let short =
                || text.split_once('S').map(|(_, text)| text).filter(|text| !text.is_empty());
            if text.starts_with("--") { long } else { short() }.map(str::to_owned)
        });
        let rest = args.get(at + 1..).unwrap_or_default();
        let line = match attached {
            Some(first) => joined(rest).map(|rest| format!("{first} {rest}")),
            None => joined(rest),
        };
        return match line {
            Some(line) => Inside::only(Runs::Text(line, Dialect::Bash)),
            None => Inside::nothing().doubt(Doubt::TextUnknown(written(args))),
        };
    }
    // `-` alone is `-i`.
    let dash = args.iter().position(|word| word.known() == Some("-"));
    let args = match dash {
        Some(0) => &args[1..],
        _ => args,
    };
    wrapped(&ENV, args)
}

/// `command -v` only looks; without it the command follows.
pub(super) fn command(args: &[Word]) -> Inside {
    const COMMAND: Wrapper = Wrapper::new("command", "p", "");
    let looks = args
        .first()
        .and_then(Word::known)
        .is_some_and(|option| option.starts_with('-') && option.contains(['v', 'V']));
    if looks { Inside::nothing() } else { wrapped(&COMMAND, args) }
}

/// `ssh host words`: the words are one text for a shell over there.
pub(super) fn ssh(args: &[Word]) -> Inside {
    const SSH: Wrapper =
        Wrapper::new("ssh", "1246AaCfGgKkMNnqsTtVvXxYy", "BbcDEeFIiJLlmOopQRSWw").operands(1);
    let (rest, clear) = skip(&SSH, args);
    let runs = args.iter().filter_map(Word::known).any(|word| {
        let word = word.to_ascii_lowercase();
        word.contains("proxycommand") || word.contains("localcommand")
    });
    let mut inside = match rest {
        [] => Inside::nothing(),
        rest => text("ssh", rest, Dialect::Bash, false).shown(),
    };
    if runs {
        inside = inside.doubt(Doubt::RunsSetting("ssh".into()));
    }
    if clear { inside } else { inside.doubt(Doubt::UnknownOption("ssh".into())) }
}

/// `su -c text`, `runuser -u user -- command`.
pub(super) fn su(args: &[Word]) -> Inside {
    let given =
        |word: &Word| matches!(word.known(), Some("-c" | "--command" | "--session-command"));
    if let Some(at) = args.iter().position(given) {
        let script = args.get(at + 1..at + 2).unwrap_or_default();
        return text("su", script, Dialect::Posix, false).shown();
    }
    if let Some(script) = args.iter().find_map(|word| word.after("--command=")) {
        return text("su", &[script], Dialect::Posix, false).shown();
    }
    match args.iter().position(|word| word.known() == Some("--")) {
        Some(at) if at + 1 < args.len() => Inside::words(&args[at + 1..]).shown(),
        _ if args.iter().any(|word| word.known().is_none()) => {
            Inside::nothing().doubt(Doubt::TextUnknown(written(args)))
        }
        _ => Inside::nothing(),
    }
}

/// `watch words`: one text for a shell, again and again.
pub(super) fn watch(args: &[Word]) -> Inside {
    const WATCH: Wrapper = Wrapper::new("watch", "bcCdegprtwx", "nqs")
        .long(
            "\
            beep color no-color differences errexit chgexit interval precise no-rerun no-title \
            no-wrap exec equexit",
        )
        .long_values("interval equexit");
    let (rest, clear) = skip(&WATCH, args);
    let inside = match rest {
        [] => Inside::nothing(),
        rest => text("watch", rest, Dialect::Posix, false),
    };
    if clear { inside } else { inside.doubt(Doubt::UnknownOption("watch".into())) }
}

/// `script -c text file`, `flock file -c text`, `flock file command`.
pub(super) fn with_text(command: &Command<'_>) -> Inside {
    const FLOCK: Wrapper = Wrapper::new("flock", "exnosu", "wE")
        .long("exclusive nonblock shared unlock close no-fork timeout wait")
        .long_values("timeout wait")
        .operands(1);
    let args = command.args;
    let is_script = |word: &Word| {
        word.known().is_some_and(|text| {
            text == "--command"
                || text.starts_with('-') && !text.starts_with("--") && text.ends_with('c')
        })
    };
    if let Some(at) = args.iter().position(is_script) {
        let script = args.get(at + 1..at + 2).unwrap_or_default();
        return text(command.name, script, Dialect::Posix, false).shown();
    }
    if let Some(script) = args.iter().find_map(|word| word.after("--command=")) {
        return text(command.name, &[script], Dialect::Posix, false).shown();
    }
    if command.name == "flock" {
        return wrapped(&FLOCK, args).shown();
    }
    by_name(args)
}
