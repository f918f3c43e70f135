//! More power than the caller has: other users, rights of files, the machine behind a container.

use crate::options::among;
use crate::{
    Finding, Word,
    command::Command,
    options::{Takes, arguments, operands},
};

pub(super) const PROGRAMS: &str = "\
    addgroup adduser chgrp chmod chown chpasswd chroot chsh deluser doas gosu groupadd groupmod \
    insmod machinectl modprobe mount nsenter passwd pkexec rmmod runuser setcap setfacl su su-exec \
    sudo sudoedit sysctl umount unshare useradd userdel usermod vipw visudo";

pub(super) fn look(command: &Command<'_>, findings: &mut Vec<Finding>) {
    let Command { name, args, .. } = *command;
    let finding = match name {
        "sudo" | "su" | "doas" | "pkexec" | "runuser" | "gosu" | "su-exec" | "sudoedit"
        | "machinectl" | "sg" | "newgrp" => Finding::BecomesOther,
        "useradd" | "userdel" | "usermod" | "adduser" | "deluser" | "groupadd" | "groupmod"
        | "addgroup" | "passwd" | "chpasswd" | "visudo" | "vipw" | "chsh" => {
            Finding::ChangesAccounts
        }
        "setcap" => Finding::GivesPrivileges,
        "nsenter" | "chroot" | "insmod" | "modprobe" | "rmmod" => Finding::OpensMachine,
        "mount" | "umount" | "sysctl" if !args.is_empty() => Finding::OpensMachine,
        "chmod" | "install" | "mkdir" => {
            findings.extend(mode(name, args));
            return;
        }
        "chown" | "chgrp" if to_root(args) => Finding::GivesPrivileges,
        "setfacl"
            if args
                .iter()
                .filter_map(Word::known)
                .any(|word| word.contains("o:") && word.contains('w')) =>
        {
            Finding::OpensFiles
        }
        "docker" | "nerdctl" | "podman" if opens_machine(args) => Finding::OpensMachine,
        _ => return,
    };
    findings.push(finding);
}

/// What a mode gives away.
fn mode(name: &str, args: &[Word]) -> Vec<Finding> {
    let modes: Vec<&str> = if name == "chmod" {
        // The first word that is no option; `-w` and its like are modes too, and take away.
        let word = args.iter().filter_map(Word::known).find(|word| !word.starts_with('-'));
        word.into_iter().collect()
    } else {
        args.windows(2)
            .filter(|pair| matches!(pair[0].known(), Some("-m" | "--mode")))
            .filter_map(|pair| pair[1].known())
            .chain(args.iter().filter_map(|word| word.known()?.strip_prefix("--mode=")))
            .collect()
    };
    let mut findings = Vec::new();
    for mode in modes {
        let (privileges, opens) = match u32::from_str_radix(mode.trim_start_matches(['+', '=']), 8)
        {
            Ok(bits) => (bits & 0o6000 != 0, bits & 0o002 != 0),
            Err(_) => symbolic(mode),
        };
        if privileges {
            findings.push(Finding::GivesPrivileges);
        }
        // A folder for everybody with the sticky bit, as `/tmp`, is no gift.
        if opens && !mode.starts_with('1') {
            findings.push(Finding::OpensFiles);
        }
    }
    findings
}

/// `u+s`, `a+rwx`, `o=w`: whether more rights than those of the caller, and whether others may write.
fn symbolic(mode: &str) -> (bool, bool) {
    let (mut privileges, mut opens) = (false, false);
    for clause in mode.split(',') {
        let Some(at) = clause.find(['+', '=']) else { continue };
        let (who, rights) = (&clause[..at], &clause[at + 1..]);
        privileges |= rights.contains('s');
        opens |= rights.contains('w') && who.contains(['o', 'a']);
    }
    (privileges, opens)
}

fn to_root(args: &[Word]) -> bool {
    let found = arguments(args, Takes { short: "", long: "from reference" });
    let words = operands(&found);
    words.first().is_some_and(|owner| {
        let owner = owner.known().unwrap_or_default();
        let user = owner.split([':', '.']).next().unwrap_or(owner);
        let group = owner.split_once([':', '.']).map(|(_, group)| group);
        matches!(user, "root" | "0") || matches!(group, Some("root" | "0" | "wheel" | "sudo"))
    })
}

fn opens_machine(args: &[Word]) -> bool {
    let text = |word: &Word| word.written().trim_matches(['"', '\'']).to_owned();
    let words: Vec<String> = args.iter().map(text).collect();
    let is_root = |volume: &str| {
        volume.starts_with("/:")
            || volume.contains("docker.sock")
            || volume.starts_with("/etc:")
            || volume.contains("source=/,")
            || volume.contains("src=/,")
    };
    words.iter().enumerate().any(|(at, word)| {
        word == "--privileged"
            || among(
                word.as_str(),
                "\
                --pid=host --ipc=host --userns=host --cap-add=ALL --cap-add=SYS_ADMIN",
            )
            || matches!(word.as_str(), "-v" | "--volume" | "--mount" | "--device")
                && words.get(at + 1).is_some_and(|next| is_root(next))
            || word
                .strip_prefix("--volume=")
                .or(word.strip_prefix("--mount="))
                .or(word.strip_prefix("-v"))
                .is_some_and(is_root)
    })
}
