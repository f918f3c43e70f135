//! Places that matter: what a path means, as far as its text tells.

use crate::options::among;
use crate::{Finding, Word, word::Piece};

/// What deleting everything at a path would take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The whole system, a part of it that it needs, or a home.
    Everything,
    /// The folder that the command runs in, or the one above.
    Here,
    /// Everything, if what is not known in it is empty.
    EverythingIfEmpty,
    /// Whatever it names.
    Some,
}

/// Folders of the root without which a machine is lost.
const SYSTEM: &str = "\
    Applications Library System Users bin boot dev etc home lib lib32 lib64 opt proc root run sbin \
    srv sys usr var";

/// What deleting at a path would take.
pub(crate) fn reach(word: &Word) -> Reach {
    let pieces = word.pieces();
    match pieces {
        [Piece::Home, rest @ ..] if is_all(rest) => Reach::Everything,
        [Piece::Here, rest @ ..] if is_nothing(rest) => Reach::Here,
        [Piece::Unknown { .. }, rest @ ..] if !rest.is_empty() && is_all(rest) => {
            Reach::EverythingIfEmpty
        }
        _ => {
            let Some(text) = as_text(pieces) else { return Reach::Some };
            of_text(&text)
        }
    }
}

/// Whether a path is one of which nothing may be deleted.
pub(crate) fn is_floor(word: &Word) -> bool {
    reach(word) == Reach::Everything
}

/// Whether a command goes on in a folder that is not below the one it began in, or has another do so.
pub(crate) fn leaves(name: &str, args: &[Word]) -> bool {
    let has = |letter: char, long: &str| {
        args.iter().map(Word::beginning).any(|text| match text.strip_prefix("--") {
            Some(option) => option.starts_with(long),
            None => text.starts_with('-') && text.contains(letter),
        })
    };
    match name {
        "cd" | "pushd" | "popd" => {
            let target = args.iter().find(|word| !among(word.written(), "-P -L -e -@ --"));
            target.and_then(Word::known).is_none_or(|text| {
                text.is_empty()
                    || text.starts_with(['/', '-', '+'])
                    || text.split('/').any(|name| name == "..")
            })
        }
        "env" => has('C', "c"),
        "sudo" => has('D', "chd") || has('R', "chr"),
        "chroot" | "nsenter" | "systemd-run" | "unshare" => true,
        _ => false,
    }
}

/// Where a command goes, or has another go.
pub(crate) enum Goes {
    Nowhere,
    /// To this folder, as it is written.
    To(String),
    /// To one that is only known when it runs.
    Somewhere,
}

/// Where a command goes on.
pub(crate) fn goes_to(name: &str, args: &[Word]) -> Goes {
    let somewhere = |is_so: bool| if is_so { Goes::Somewhere } else { Goes::Nowhere };
    match name {
        "cd" | "pushd" => {
            let target = args.iter().find(|word| !among(word.written(), "-P -L -e -@ --"));
            match target.and_then(Word::known) {
                Some(text) if !text.is_empty() && !text.starts_with(['-', '+']) => {
                    Goes::To(text.to_owned())
                }
                _ => Goes::Somewhere,
            }
        }
        // It goes back to where it was.
        "popd" => Goes::Nowhere,
        "make" | "gmake" => {
            let elsewhere = |word: &Word| {
                word.beginning().starts_with("-C") || word.beginning().starts_with("--dir")
            };
            somewhere(args.iter().any(elsewhere))
        }
        _ => somewhere(leaves(name, args)),
    }
}

/// Whether a word names everything in the folder: `*`, `./*`.
pub(crate) fn is_all_here(word: &Word) -> bool {
    as_text(word.pieces()).is_some_and(|text| {
        let name = text.trim_start_matches("./");
        matches!(name, "*" | ".*" | "**")
    })
}

/// Only slashes, dots and `*` behind something.
fn is_all(rest: &[Piece]) -> bool {
    as_text(rest).is_some_and(|text| {
        text.is_empty()
            || text.starts_with('/')
                && text.split('/').all(|name| name.is_empty() || among(name, ". * .* **"))
    })
}

fn is_nothing(rest: &[Piece]) -> bool {
    as_text(rest).is_some_and(|text| text.split('/').all(|name| matches!(name, "" | ".")))
}

/// The text with its `*`, if that is all there is.
fn as_text(pieces: &[Piece]) -> Option<String> {
    pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text(text) => Some(text.clone()),
            Piece::Glob(sign) => Some(sign.to_string()),
            Piece::Home | Piece::Here | Piece::Unknown { .. } => None,
        })
        .collect()
}

fn of_text(text: &str) -> Reach {
    let mut names: Vec<&str> = Vec::new();
    let is_absolute = text.starts_with('/');
    for name in text.split('/') {
        match name {
            "" | "." => {}
            ".." if is_absolute => drop(names.pop()),
            ".." if names.last().is_some_and(|last| *last != "..") => drop(names.pop()),
            name => names.push(name),
        }
    }
    let is_any = |name: &str| among(name, "* .* ** ?* {*,.*}");
    let bare = match names.as_slice() {
        [rest @ .., last] if is_any(last) => rest,
        rest => rest,
    };
    if !is_absolute {
        return match names.as_slice() {
            [] if text.is_empty() => Reach::Some,
            [] => Reach::Here,
            _ if !bare.is_empty() && bare.iter().all(|name| *name == "..") => Reach::Here,
            _ => Reach::Some,
        };
    }
    match bare {
        // Somebody's home, or all of them.
        [] | ["home" | "Users", _] => Reach::Everything,
        [folder] if among(folder, SYSTEM) => Reach::Everything,
        _ => Reach::Some,
    }
}

/// What a file makes run by itself later, if something is written to it.
pub(crate) fn runs_later(word: &Word) -> Option<Finding> {
    const LOGIN: &str = "\
        .bash_aliases .bash_login .bash_logout .bash_profile .bashrc .cshrc .envrc .inputrc .kshrc \
        .login .pam_environment .profile .tcshrc .tmux.conf .vimrc .xinitrc .xprofile .xsession \
        .xsessionrc .zlogin .zlogout .zprofile .zshenv .zshrc ld.so.preload";
    let text = tail(word);
    let names: Vec<&str> =
        text.split('/').filter(|name| !name.is_empty() && *name != ".").collect();
    let last = *names.last()?;
    let has = |folders: &str| {
        let folders: Vec<&str> = folders.split(' ').collect();
        names.windows(folders.len()).any(|window| window == folders)
    };
    if among(last, LOGIN)
        || text.starts_with("/etc/profile")
        || text.starts_with("/etc/bash")
        || text.starts_with("/etc/zsh")
        || has(".config fish")
        || has(".config autostart")
    {
        return Some(Finding::RunsAtLogin);
    }
    if text.starts_with("/etc/cron")
        || text.starts_with("/var/spool/cron")
        || text.starts_with("/var/spool/at")
        || has("systemd system")
        || has("systemd user")
        || has("etc init.d")
        || last == "rc.local"
        || has("LaunchAgents")
        || has("LaunchDaemons")
        || has("udev rules.d")
    {
        return Some(Finding::RunsBySchedule);
    }
    if has(".git hooks")
        || has(".git config")
        || names.first() == Some(&".git") && matches!(last, "hooks" | "config")
        || last == ".gitconfig"
        || has(".config git")
        || has(".git info") && last == "attributes"
        || last == "config.worktree"
    {
        return Some(Finding::RunsWithGit);
    }
    if among(last, "authorized_keys authorized_keys2 sshd_config sudoers shadow passwd")
        && (last.starts_with("auth") || text.starts_with("/etc"))
        || text.starts_with("/etc/sudoers")
        || text.starts_with("/etc/pam.d")
        || has(".ssh")
    {
        return Some(Finding::OpensDoor);
    }
    None
}

/// The text of a path from its last piece that is not known on; behind `=` if it is an option's value.
fn tail(word: &Word) -> String {
    let mut text = String::new();
    for piece in word.pieces() {
        match piece {
            Piece::Text(more) => text.push_str(more),
            Piece::Glob(sign) => text.push(*sign),
            Piece::Home | Piece::Here => text = String::from("~"),
            Piece::Unknown { .. } => text.clear(),
        }
    }
    if text.starts_with('-') || text.starts_with("of=") {
        text = text.split_once('=').map(|(_, value)| value.to_owned()).unwrap_or_default();
    }
    text
}

/// Whether a path is a disk rather than a file.
pub(crate) fn is_disk(word: &Word) -> bool {
    const DISKS: &str = "\
        /dev/sd /dev/hd /dev/vd /dev/xvd /dev/nvme /dev/mmcblk /dev/disk /dev/mapper /dev/dm- \
        /dev/md /dev/loop /dev/mem /dev/kmem /dev/port /dev/rdisk";
    let text = tail(word);
    DISKS.split_ascii_whitespace().any(|disk| text.starts_with(disk))
}

/// Bash opens a connection for these names.
pub(crate) fn is_socket(word: &Word) -> bool {
    let text = tail(word);
    text.starts_with("/dev/tcp/") || text.starts_with("/dev/udp/")
}
