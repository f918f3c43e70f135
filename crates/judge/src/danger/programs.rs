//! Programs that end others, stop the machine, run something later, or drop what others keep.

use crate::{Finding, Word, command::Command};

const ENDS: &[&str] = &["killall", "killall5", "pkill", "skill", "xkill"];
const STOPS: &[&str] = &["halt", "kexec", "poweroff", "reboot", "shutdown"];
const LATER: &[&str] = &["at", "batch", "crontab"];

/// A program, the words that follow it, and what they do.
const VERBS: &[(&str, &[&[&str]], Finding)] = &[
    (
        "docker",
        &[
            &["system", "prune"],
            &["volume", "rm"],
            &["volume", "prune"],
            &["image", "prune"],
            &["container", "prune"],
            &["rm"],
            &["rmi"],
            &["builder", "prune"],
        ],
        Finding::DropsData,
    ),
    (
        "podman",
        &[
            &["system", "prune"],
            &["system", "reset"],
            &["volume", "rm"],
            &["volume", "prune"],
            &["rm"],
            &["rmi"],
        ],
        Finding::DropsData,
    ),
    (
        "systemctl",
        &[
            &["stop"],
            &["restart"],
            &["reboot"],
            &["poweroff"],
            &["halt"],
            &["kill"],
            &["disable"],
            &["mask"],
            &["isolate"],
            &["rescue"],
        ],
        Finding::StopsMachine,
    ),
    (
        "systemctl",
        &[&["enable"], &["link"], &["edit"], &["set-environment"]],
        Finding::RunsBySchedule,
    ),
    ("service", &[&["stop"], &["restart"]], Finding::StopsMachine),
    (
        "launchctl",
        &[&["bootout"], &["kill"], &["unload"], &["stop"], &["reboot"]],
        Finding::StopsMachine,
    ),
    ("launchctl", &[&["load"], &["bootstrap"], &["submit"]], Finding::RunsBySchedule),
    (
        "loginctl",
        &[
            &["terminate-session"],
            &["terminate-user"],
            &["kill-session"],
            &["kill-user"],
            &["poweroff"],
            &["reboot"],
        ],
        Finding::StopsMachine,
    ),
    ("init", &[&["0"], &["1"], &["6"]], Finding::StopsMachine),
    ("telinit", &[&["0"], &["1"], &["6"]], Finding::StopsMachine),
    ("dropdb", &[&[]], Finding::DropsData),
    ("dropuser", &[&[]], Finding::DropsData),
    ("mysqladmin", &[&["drop"]], Finding::DropsData),
    ("redis-cli", &[&["flushall"], &["flushdb"], &["FLUSHALL"], &["FLUSHDB"]], Finding::DropsData),
    ("zfs", &[&["destroy"], &["rollback"]], Finding::DropsData),
    ("zpool", &[&["destroy"]], Finding::DropsData),
    ("lvremove", &[&[]], Finding::DropsData),
    ("vgremove", &[&[]], Finding::DropsData),
    ("btrfs", &[&["subvolume", "delete"]], Finding::DropsData),
];

pub(super) fn knows(name: &str) -> bool {
    name == "kill"
        || ENDS.contains(&name)
        || STOPS.contains(&name)
        || LATER.contains(&name)
        || VERBS.iter().any(|(program, ..)| *program == name)
}

pub(super) fn look(command: &Command<'_>, findings: &mut Vec<Finding>) {
    let Command { name, args, .. } = *command;
    let words: Vec<&str> = args.iter().filter_map(Word::known).collect();
    if ENDS.contains(&name) {
        findings.push(Finding::EndsPrograms);
    } else if STOPS.contains(&name) && !words.contains(&"--help") {
        findings.push(Finding::StopsMachine);
    } else if LATER.contains(&name) && !matches!(words.as_slice(), ["-l"]) {
        findings.push(Finding::RunsBySchedule);
    } else if name == "kill" && ends_everything(&words) {
        findings.push(Finding::EndsPrograms);
    }
    let plain: Vec<&str> = words.iter().copied().filter(|word| !word.starts_with('-')).collect();
    let verbs = VERBS.iter().filter(|(program, ..)| *program == name);
    for (_, verbs, finding) in verbs {
        let is_one = verbs.iter().any(|verb| {
            verb.is_empty() || plain.windows(verb.len()).take(3).any(|window| window == *verb)
        });
        if is_one {
            findings.push(*finding);
        }
    }
    let takes_volumes = matches!(name, "docker" | "docker-compose" | "podman")
        && words.contains(&"down")
        && words.iter().any(|word| matches!(*word, "-v" | "--volumes" | "--rmi"));
    if takes_volumes {
        findings.push(Finding::DropsData);
    }
}

/// `kill -9 -1`, `kill -- -1`, `kill 1`: everything, or the first process.
fn ends_everything(words: &[&str]) -> bool {
    let mut targets = words;
    if let [first, rest @ ..] = words {
        // The first word with a dash is the signal, unless it is `--`.
        if *first == "-s" || *first == "-n" {
            targets = rest.get(1..).unwrap_or_default();
        } else if first.starts_with('-') {
            targets = rest;
        }
    }
    targets.iter().any(|target| matches!(*target, "-1" | "1"))
}
