//! Files and disks: emptied, overwritten, formatted, or written where code runs later.
//!
//! A file that is named and emptied is told by one finding, however it is done (`truncate`, `cp /dev/null`,
//! `dd of=`), so that it is judged as one thing. `> file` has no finding: every build does it.

use crate::options::among;
use crate::{
    Finding, Word,
    command::Command,
    options::{Takes, arguments, given},
    paths,
};

pub(super) const PROGRAMS: &str = "\
    badblocks blkdiscard cfdisk chattr cp cryptsetup dd fdisk gdisk install ln mke2fs mkfs mkswap \
    mv parted rsync sed sfdisk sgdisk tee truncate wipefs";

/// Programs that write files whose names stand among their words. Others that do are many; they are asked
/// about by the place they run in.
const WRITERS: &str = "\
    cp curl dd ed emacs ex install ln micro mv nano patch perl python python3 rsync scp sed tee \
    touch truncate unzip vi vim wget chmod awk gawk";

pub(super) fn look(command: &Command<'_>, findings: &mut Vec<Finding>) {
    let Command { name, args, .. } = *command;
    match name {
        "truncate" => {
            let many = args.iter().any(|word| command.names_many(word));
            findings.push(if many { Finding::EmptiesMany } else { Finding::EmptiesFiles });
        }
        "dd" => findings.extend(dd(args)),
        "mke2fs" | "mkswap" | "wipefs" | "fdisk" | "cfdisk" | "sfdisk" | "gdisk" | "sgdisk"
        | "parted" | "blkdiscard" | "badblocks" | "cryptsetup" => {
            findings.push(Finding::FormatsDisk);
        }
        _ if name == "mkfs" || name.starts_with("mkfs.") || name.starts_with("newfs") => {
            findings.push(Finding::FormatsDisk);
        }
        "rsync" => rsync(args, findings),
        // `cp /dev/null file` empties it, `mv file /dev/null` loses it and may take the device's place.
        "cp" | "install" if args.iter().any(|word| word.known() == Some("/dev/null")) => {
            let many = args.iter().any(|word| command.names_many(word));
            findings.push(if many { Finding::EmptiesMany } else { Finding::EmptiesFiles });
        }
        "tee"
            if !given(&arguments(args, Takes::default()), "a", "append")
                && args.iter().any(|word| command.simple.empties_many(word)) =>
        {
            findings.push(Finding::EmptiesMany);
        }
        "mv" if args.last().and_then(Word::known) == Some("/dev/null") => {
            findings.push(Finding::Shreds);
        }
        "tar" | "bsdtar" if given(&arguments(args, Takes::default()), "", "remove-files") => {
            findings.push(Finding::DeletesMany);
        }
        _ => {}
    }
    if among(name, WRITERS) && !only_shows(name, args) {
        findings.extend(args.iter().filter_map(paths::runs_later));
        if args.iter().any(paths::is_disk) {
            findings.push(Finding::WritesRaw);
        }
    }
}

/// Without a word for it these only print.
fn only_shows(name: &str, args: &[Word]) -> bool {
    let has = |letter, long: &str| given(&arguments(args, Takes::default()), letter, long);
    match name {
        "sed" => !has("iw", "in-place"),
        "awk" | "gawk" => !has("i", "include"),
        "curl" => !has("oOJ", "output remote-name output-dir create-dirs"),
        "wget" => !has("OP", "output-document directory-prefix"),
        "perl" | "python" | "python3" => !has("i", ""),
        _ => false,
    }
}

/// A file that is written, or a disk. What is not known may be a disk.
fn dd(args: &[Word]) -> Option<Finding> {
    let is_raw = |word: &Word| {
        word.known().is_none() || word.after("if=").is_some_and(|file| paths::is_disk(&file))
    };
    if args.iter().any(is_raw) {
        return Some(Finding::WritesRaw);
    }
    let writes = args.iter().any(|word| word.beginning().starts_with("of="));
    writes.then_some(Finding::EmptiesFiles)
}

fn rsync(args: &[Word], findings: &mut Vec<Finding>) {
    let deletes = args.iter().any(|word| {
        let text = word.beginning();
        text.starts_with("--del") || text.starts_with("--remove-s")
    });
    if deletes {
        findings.push(Finding::DeletesWhileCopying);
    }
}
