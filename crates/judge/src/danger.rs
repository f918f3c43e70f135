//! What is dangerous in a command: each module looks at programs of one kind.

use crate::{
    Finding, Part,
    command::{Command, Simple},
    paths,
};

mod deleting;
mod files;
mod git;
mod network;
mod power;
mod programs;

/// Everything that is dangerous in a command, its redirections included.
pub(crate) fn look(command: &Command<'_>) -> Vec<Finding> {
    let mut findings = redirections(command.simple);
    deleting::look(command, &mut findings);
    files::look(command, &mut findings);
    git::look(command, &mut findings);
    network::look(command, &mut findings);
    power::look(command, &mut findings);
    programs::look(command, &mut findings);
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
        }
    }
    findings
}

/// Whether a command brings something from the network.
pub(crate) fn downloads(part: &Part) -> bool {
    part.name().is_some_and(|name| network::DOWNLOADERS.contains(&name))
}

/// Whether a name means something here.
pub(crate) fn knows(name: &str) -> bool {
    name == "git"
        || deleting::PROGRAMS.contains(&name)
        || files::PROGRAMS.contains(&name)
        || network::knows(name)
        || power::PROGRAMS.contains(&name)
        || programs::knows(name)
}
