//! What is dangerous in a command: each module looks at programs of one kind.

use crate::options::among;
use crate::{
    Finding, Part, Word,
    command::{Command, Simple},
    paths,
};

mod deleting;
mod files;
mod git;
mod network;
mod power;
mod verbs;

/// Everything that is dangerous in a command, its redirections included.
pub(crate) fn look(command: &Command<'_>) -> Vec<Finding> {
    let mut findings = redirections(command.simple);
    deleting::look(command, &mut findings);
    files::look(command, &mut findings);
    git::look(command, &mut findings);
    network::look(command, &mut findings);
    power::look(command, &mut findings);
    verbs::look(command, &mut findings);
    findings
}

/// What redirections do by themselves.
pub(crate) fn redirections(simple: &Simple) -> Vec<Finding> {
    let mut findings = Vec::new();
    for redirect in &simple.redirects {
        if paths::is_socket(&redirect.file) {
            findings.push(Finding::Connects);
        }
        if redirect.writes {
            findings.extend(paths::runs_later(&redirect.file));
            if paths::is_disk(&redirect.file) {
                findings.push(Finding::WritesRaw);
            }
            if redirect.empties && simple.empties_many(&redirect.file) {
                findings.push(Finding::EmptiesMany);
            }
        }
    }
    findings
}

/// Whether a command brings something from the network.
pub(crate) fn downloads(part: &Part) -> bool {
    part.name().is_some_and(|name| among(name, network::DOWNLOADERS))
}

/// Whether a program brings what an address names.
pub(crate) fn is_downloader(name: &str) -> bool {
    among(name, network::DOWNLOADERS)
}

/// Whether all addresses among the words are of this machine, and there is one.
pub(crate) fn all_go_nowhere(args: &[Word]) -> bool {
    network::all_go_nowhere(args)
}

/// Whether what a command does hangs on a word that is not known.
pub(crate) fn is_open(name: &str, args: &[Word]) -> bool {
    verbs::is_open(name, args)
}

/// Whether a name means something here.
pub(crate) fn knows(name: &str) -> bool {
    name == "git"
        || among(name, deleting::PROGRAMS)
        || among(name, files::PROGRAMS)
        || network::knows(name)
        || among(name, power::PROGRAMS)
        || verbs::knows(name)
}
