//! The rule that a person is offered when they say "always": as much of the command as names what is done, and
//! no more. `git push origin *`, never `git *`.

use crate::{Danger, Finding, Part, Pattern};

/// Programs that run whatever they are given, or destroy whatever they are given: no rule for them is narrow.
const NEVER: &[&str] = &[
    "ansible",
    "ash",
    "awk",
    "bash",
    "bun",
    "busybox",
    "chmod",
    "chown",
    "chroot",
    "csh",
    "curl",
    "dash",
    "dd",
    "deno",
    "doas",
    "docker",
    "env",
    "eval",
    "exec",
    "fd",
    "find",
    "fish",
    "gawk",
    "ksh",
    "lua",
    "mkfs",
    "nc",
    "ncat",
    "node",
    "nsenter",
    "osascript",
    "parallel",
    "perl",
    "php",
    "pkexec",
    "podman",
    "powershell",
    "pwsh",
    "python",
    "python2",
    "python3",
    "rm",
    "Rscript",
    "ruby",
    "runuser",
    "sed",
    "sh",
    "shred",
    "socat",
    "source",
    "ssh",
    "su",
    "sudo",
    "systemd-run",
    "tclsh",
    "tcsh",
    "tee",
    "truncate",
    "unshare",
    "watch",
    "wget",
    "xargs",
    "zsh",
    ".",
];

/// How many words, the program's name with them, say what is done. A program that is not here gets a rule for
/// the very words that were asked about.
const ARITY: &[(&[&str], usize)] = &[
    (&["git", "push"], 3),
    (&["git", "pull"], 3),
    (&["git", "fetch"], 2),
    (&["git", "clone"], 3),
    (&["git", "remote"], 3),
    (&["git", "stash"], 3),
    (&["git", "submodule"], 3),
    (&["git", "worktree"], 3),
    (&["git"], 2),
    (&["gh"], 3),
    (&["glab"], 3),
    (&["npm", "run"], 3),
    (&["npm"], 2),
    (&["pnpm", "run"], 3),
    (&["pnpm"], 2),
    (&["yarn", "run"], 3),
    (&["yarn", "npm"], 3),
    (&["yarn"], 2),
    (&["cargo"], 2),
    (&["rustup"], 2),
    (&["go"], 2),
    (&["make"], 2),
    (&["just"], 2),
    (&["pip"], 2),
    (&["pip3"], 2),
    (&["poetry"], 2),
    (&["gem"], 2),
    (&["twine"], 2),
    (&["mvn"], 2),
    (&["gradle"], 2),
    (&["dotnet"], 2),
    (&["kubectl"], 3),
    (&["helm"], 3),
    (&["terraform"], 2),
    (&["brew"], 2),
    (&["apt"], 2),
    (&["apt-get"], 2),
    (&["systemctl"], 3),
    (&["cat"], 1),
    (&["ls"], 1),
    (&["grep"], 1),
    (&["rg"], 1),
    (&["head"], 1),
    (&["tail"], 1),
    (&["wc"], 1),
    (&["pytest"], 1),
    (&["tsc"], 1),
    (&["eslint"], 1),
    (&["prettier"], 1),
];

/// The pattern to offer for a command, if there is one that is narrow enough. It always covers the command.
pub fn suggest(part: &Part) -> Option<Pattern> {
    let words = part.known_words()?;
    let name = part.name()?;
    let is_usual = part.findings.iter().all(|finding| may_be_usual(*finding));
    if !part.is_plain || !is_usual || NEVER.contains(&name) {
        return None;
    }
    let versioned = ["python", "node", "ruby", "perl", "lua", "php"].iter().any(|known| {
        name.strip_prefix(known).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    });
    if versioned {
        return None;
    }
    let row = ARITY.iter().find(|(row, _)| words.len() >= row.len() && words[..row.len()] == **row);
    let open = row
        .and_then(|(_, arity)| words.get(..*arity))
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
        finding => matches!(finding.danger(), Danger::Destroys | Danger::ReachesOut),
    }
}
