//! What git can lose, and what it sends.

use crate::options::among;
use crate::{
    Finding, Word,
    command::Command,
    inner::GitCall,
    options::{Argument, Takes, arguments, given, operands},
};

pub(super) fn look(command: &Command<'_>, findings: &mut Vec<Finding>) {
    if command.name == "git" {
        let call = GitCall::new(command.args);
        if let Some(verb) = call.verb {
            findings.extend(verb_findings(verb, call.args));
        }
    }
}

fn verb_findings(verb: &str, args: &[Word]) -> Option<Finding> {
    let first = args.first().and_then(Word::known);
    let has = |letters, long: &str| given(&arguments(args, Takes::default()), letters, long);
    match verb {
        "push" => Some(push(args)),
        "send-email" => Some(Finding::SendsMail),
        "send-pack" => Some(Finding::Pushes),
        "lfs" | "annex" if matches!(first, Some("push" | "copy" | "sync")) => Some(Finding::Pushes),
        "svn" if first == Some("dcommit") => Some(Finding::Pushes),
        "p4" if first == Some("submit") => Some(Finding::Pushes),
        "reset" if has("", "hard merge keep") => Some(Finding::DropsChanges),
        "clean" if has("f", "force") && !has("n", "dry-run") => Some(Finding::DeletesUntracked),
        "checkout" if checkout(args) => Some(Finding::DropsChanges),
        "restore" if restore(args) => Some(Finding::DropsChanges),
        "switch" if has("fC", "force discard-changes force-create") => Some(Finding::DropsChanges),
        "read-tree" if has("u", "reset") => Some(Finding::DropsChanges),
        "checkout-index" if has("f", "force") => Some(Finding::DropsChanges),
        "rm" if has("f", "force") && !has("", "cached") => Some(Finding::DropsChanges),
        "submodule" if first == Some("deinit") && has("f", "force all") => {
            Some(Finding::DropsChanges)
        }
        "worktree" if first == Some("remove") && has("f", "force") => Some(Finding::DropsChanges),
        "branch" if branch(args) => Some(Finding::DropsCommits),
        "tag" if has("df", "delete force") => Some(Finding::DropsCommits),
        "stash" if matches!(first, Some("drop" | "clear")) => Some(Finding::DropsCommits),
        "reflog" if matches!(first, Some("expire" | "delete")) => Some(Finding::DropsCommits),
        "update-ref" if has("d", "stdin") => Some(Finding::DropsCommits),
        "gc" if has("", "prune aggressive") => Some(Finding::DropsCommits),
        "prune" | "filter-branch" | "filter-repo" => Some(Finding::DropsCommits),
        "remote" if matches!(first, Some("remove" | "rm" | "prune")) => Some(Finding::DropsCommits),
        "config" => config(args),
        "replace" if has("d", "delete") => None,
        _ => None,
    }
}

fn push(args: &[Word]) -> Finding {
    let arguments = arguments(args, Takes { short: "o", long: "push-option repo" });
    let by_option =
        given(&arguments, "fd", "force force-with-lease force-if-includes mirror delete prune");
    // `+branch` and `:branch`.
    let by_name = operands(&arguments).iter().any(|word| word.beginning().starts_with(['+', ':']));
    if by_option || by_name { Finding::PushesByForce } else { Finding::Pushes }
}

/// Whether files are brought back over what is in them. A single name may be a branch or a file: one with an
/// ending is taken for a file.
fn checkout(args: &[Word]) -> bool {
    let takes = Takes { short: "bB", long: "orphan conflict pathspec-from-file" };
    let found = arguments(args, takes);
    if given(&found, "fB", "force pathspec-from-file ours theirs") {
        return true;
    }
    if given(&found, "bt", "orphan track detach") {
        return false;
    }
    let separated = args.iter().position(|word| word.known() == Some("--"));
    if separated.is_some_and(|at| at + 1 < args.len()) {
        return true;
    }
    match operands(&found).as_slice() {
        [] => false,
        [name] => name.known().is_none() && name.may_be_option() || is_file(name),
        _ => true,
    }
}

fn is_file(word: &Word) -> bool {
    let text = word.written().trim_matches(['"', '\'']);
    let name = text.rsplit('/').next().unwrap_or(text);
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    matches!(text, "." | ".." | ":/" | "*")
        || text.starts_with("./")
        || text.ends_with('/')
        || text.contains('*')
        || ending.is_some_and(|ending| ending.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// Everything but taking files out of what will be committed.
fn restore(args: &[Word]) -> bool {
    let takes = Takes { short: "s", long: "source conflict pathspec-from-file" };
    let found = arguments(args, takes);
    !given(&found, "S", "staged") || given(&found, "W", "worktree")
}

fn branch(args: &[Word]) -> bool {
    let found = arguments(args, Takes { short: "u", long: "set-upstream-to format sort" });
    let force = given(&found, "f", "force");
    let forced =
        found.iter().any(|argument| matches!(argument, Argument::Short('D' | 'M' | 'C', _)));
    forced || force
}

/// Settings that make git run something, or run it elsewhere.
fn config(args: &[Word]) -> Option<Finding> {
    const PROGRAMS: &str = "\
        core.hookspath core.sshcommand core.fsmonitor core.editor core.pager core.askpass \
        core.gitproxy core.worktree credential. diff.external filter. gpg. include. includeif. \
        init.templatedir merge. mergetool. difftool. pager. sequence.editor url. alias. remote. \
        uploadpack. receive. http. ssh. protocol.";
    let words: Vec<&str> =
        args.iter().filter_map(Word::known).filter(|word| !word.starts_with('-')).collect();
    let looks = args
        .iter()
        .filter_map(Word::known)
        .any(|word| among(word, "--get --get-all --get-regexp --list -l get list"));
    let (["set", name, _, ..] | [name, _, ..]) = words.as_slice() else { return None };
    let name = name.to_ascii_lowercase();
    let runs = !looks && PROGRAMS.split_ascii_whitespace().any(|program| name.starts_with(program));
    runs.then_some(Finding::RunsWithGit)
}
