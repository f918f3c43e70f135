//! The rule that a person is offered when they say "always": as much of the command as names what is done, and
//! no more. `git push origin *`, never `git *`.

use crate::options::among;
use crate::{Danger, Finding, Part, Pattern};

/// Programs that run whatever they are given, or destroy whatever they are given: no rule for them is narrow.
const NEVER: &str = "\
    ansible ash awk bash bun busybox chmod chown chroot csh curl dash dd deno doas docker env eval \
    exec fd find fish gawk ksh lua mkfs nc ncat node nsenter osascript parallel perl php pkexec \
    podman powershell pwsh python python2 python3 rm Rscript ruby runuser sed sh shred socat source \
    ssh su sudo systemd-run tclsh tcsh tee truncate unshare watch wget xargs zsh .";

/// How many words, the program's name with them, say what is done. A program that is not here gets a rule for
/// the very words that were asked about.
const ARITY: &[(usize, &str)] = &[
    (1, "cat, ls, grep, rg, head, tail, wc, pytest, tsc, eslint, prettier"),
    (
        2,
        "git, git fetch, npm, pnpm, yarn, cargo, rustup, go, make, just, pip, pip3, poetry, gem, twine, mvn, \
         gradle, dotnet, terraform, brew, apt, apt-get",
    ),
    (
        3,
        "git push, git pull, git clone, git remote, git stash, git submodule, git worktree, gh, glab, \
         npm run, pnpm run, yarn run, yarn npm, kubectl, helm, systemctl",
    ),
];

/// How many of these words say what is done: the row for two of them comes before the one for one.
fn arity(words: &[&str]) -> Option<usize> {
    let row = |key: &str| {
        ARITY
            .iter()
            .find(|(_, keys)| keys.split(", ").any(|one| one == key))
            .map(|(arity, _)| *arity)
    };
    let two = words.get(..2).and_then(|two| row(&two.join(" ")));
    two.or_else(|| row(words.first()?))
}

/// The pattern to offer for a command, if there is one that is narrow enough. It always covers the command.
pub fn suggest(part: &Part) -> Option<Pattern> {
    let words = part.known_words()?;
    let name = part.name()?;
    let is_usual = part.findings.iter().all(|finding| may_be_usual(*finding));
    if !part.is_plain || !is_usual || among(name, NEVER) {
        return None;
    }
    let versioned = ["python", "node", "ruby", "perl", "lua", "php"].iter().any(|known| {
        name.strip_prefix(known).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    });
    if versioned {
        return None;
    }
    let open = arity(&words)
        .and_then(|arity| words.get(..arity))
        .filter(|words| words.iter().all(|word| !word.starts_with('-') && !word.is_empty()));
    // No more dangerous than what was asked about, and no less certain.
    let fits = |pattern: &Pattern| pattern.covers(part) && pattern.is_no_worse_than(part);
    let exact = || Some(Pattern::of(&words, false)).filter(fits);
    open.map(|words| Pattern::of(words, true)).filter(fits).or_else(exact)
}

/// Whether somebody can want to allow it for good: work that is sent or thrown away, not disks, rights,
/// programs of others or what runs later.
fn may_be_usual(finding: Finding) -> bool {
    match finding {
        Finding::WritesRaw | Finding::FormatsDisk | Finding::Shreds => false,
        finding => {
            matches!(finding.danger(), Danger::Destroys | Danger::Discards | Danger::ReachesOut)
        }
    }
}
