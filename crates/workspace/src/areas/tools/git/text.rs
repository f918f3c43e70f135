//! What git answered, in words for a reader: short, and with everything in it that a next step needs.

use std::fmt::{Display, Write as _};

use openspace_git::{
    BlameReply, Bounded, BranchReply, Change, Changes, CommitInfo, CommitReply, DiffReply,
    FileReply, GitReply, LogReply, Name, ShowReply, StatusReply, TagReply, Totals,
};
use serde::Serialize;
use serde_json::Value;

/// An answer as text, where a listing of its fields would be hard to read.
pub(super) fn describe(reply: &GitReply) -> Option<String> {
    let text = match reply {
        GitReply::Status(status) => describe_status(status),
        GitReply::Diff(diff) => describe_diff(diff),
        GitReply::Log(log) => describe_log(log),
        GitReply::Show(ShowReply { commit, changes }) => {
            format!("{}\n{}", describe_commit(commit), describe_changes(changes))
        }
        GitReply::File(file) => describe_file(file),
        GitReply::Blame(reply) => describe_blame(reply),
        GitReply::Branch(reply) => describe_branches(reply),
        GitReply::Tag(reply) => describe_tags(reply),
        GitReply::Commit(commit) => describe_new_commit(commit),
        _ => return None,
    };
    Some(text.trim_end().to_owned())
}

/// The word for a value that is one in answers too.
fn word(value: impl Serialize) -> String {
    let word = serde_json::to_value(value).ok();
    word.as_ref().and_then(Value::as_str).unwrap_or_default().replace('_', " ")
}

fn describe_status(status: &StatusReply) -> String {
    let mut text = match (&status.branch, &status.head) {
        (Some(branch), Some(head)) => format!("On branch {branch} at {head}\n"),
        (Some(branch), None) => format!("On branch {branch}, no commit yet\n"),
        (None, head) => {
            format!("On no branch, at {}\n", head.as_deref().unwrap_or("no commit"))
        }
    };
    if let Some(upstream) = &status.upstream {
        let _ = match (status.ahead, status.behind) {
            (Some(ahead), Some(behind)) => {
                writeln!(text, "Follows {upstream}: {ahead} ahead, {behind} behind")
            }
            _ => writeln!(text, "Follows {upstream}, which is gone"),
        };
    }
    if let Some(operation) = status.operation {
        let _ = writeln!(text, "In the middle of: {}", word(operation));
    }
    if status.stashes > 0 {
        let _ = writeln!(text, "Stash entries: {}", status.stashes);
    }
    let changed = |change: &Change| {
        let from = change.old_path.as_ref().map(|old| format!(" (was {old})")).unwrap_or_default();
        format!("{}: {}{from}", word(change.change), shown(&change.name))
    };
    list(&mut text, "Conflicts", &status.conflicts, |conflict| {
        format!("{}: {}", word(conflict.conflict), shown(&conflict.name))
    });
    list(&mut text, "Staged", &status.staged, changed);
    list(&mut text, "Not staged", &status.unstaged, changed);
    list(&mut text, "Untracked", &status.untracked, shown);
    if status.clean {
        text.push_str("Nothing to commit: everything is clean.\n");
    }
    if let Some(outside) = status.outside {
        let _ = writeln!(
            text,
            "Outside the workspace: {} staged, {} not staged, {} untracked, {} in conflict",
            outside.staged, outside.unstaged, outside.untracked, outside.conflicts
        );
    }
    text
}

fn shown(name: &Name) -> String {
    let note = if name.lossy { " (its name is not UTF-8)" } else { "" };
    format!("{}{note}", name.path)
}

/// A titled list, if it has anything, and how much of it is missing.
fn list<T, S: Display>(text: &mut String, title: &str, items: &Bounded<T>, line: impl Fn(&T) -> S) {
    if items.total == 0 {
        return;
    }
    let _ = writeln!(text, "{title}:");
    for item in &items.entries {
        let _ = writeln!(text, "  {}", line(item));
    }
    let left_out = items.total.saturating_sub(items.entries.len() as u64);
    if left_out > 0 {
        let _ = writeln!(text, "  (and {left_out} more)");
    }
}

fn describe_diff(DiffReply { staged, unstaged, between }: &DiffReply) -> String {
    let parts = [("Staged", staged), ("Not staged", unstaged), ("Changes", between)];
    let parts = parts.into_iter().filter_map(|(title, changes)| Some((title, changes.as_ref()?)));
    let parts: Vec<String> = parts
        .map(|(title, changes)| match changes.totals.files {
            0 => format!("{title}: nothing\n"),
            _ => format!("{title}: {}", describe_changes(changes)),
        })
        .collect();
    parts.join("\n")
}

/// Changes as text: a line of totals, then each file with its hunks.
fn describe_changes(changes: &Changes) -> String {
    let mut text = format!("{}\n", describe_totals(changes.totals));
    for file in &changes.files {
        let from = file.old_path.as_ref().map(|old| format!(" (was {old})")).unwrap_or_default();
        let note = match (file.hidden, file.binary, file.truncated) {
            (true, ..) => " (secret: content not shown)",
            (_, true, _) => " (binary)",
            (_, _, true) => " (cut)",
            _ => "",
        };
        let _ = write!(
            text,
            "--- {}{from}: {}, +{} -{}{note}\n{}",
            shown(&file.name),
            word(file.change),
            file.insertions,
            file.deletions,
            file.hunks
        );
        if !text.ends_with('\n') {
            text.push('\n');
        }
    }
    if changes.truncated {
        text.push_str("(not all of it is shown; name paths to see more)\n");
    }
    text
}

fn describe_totals(Totals { files, insertions, deletions }: Totals) -> String {
    let noun = if files == 1 { "file" } else { "files" };
    format!("{files} {noun}, +{insertions} -{deletions}")
}

fn describe_log(log: &LogReply) -> String {
    if log.commits.is_empty() {
        return "No commits.".into();
    }
    let mut text = log.commits.iter().map(describe_commit).collect::<Vec<_>>().join("\n");
    if log.more {
        text.push_str("\n(there are more: ask again with a larger `skip`)");
    }
    text
}

fn describe_commit(commit: &CommitInfo) -> String {
    let refs = match commit.refs.as_slice() {
        [] => String::new(),
        refs => format!(" ({})", refs.join(", ")),
    };
    let mut text = format!("commit {}{refs}\n", commit.oid);
    if let parents @ [_, _, ..] = commit.parents.as_slice() {
        let _ = writeln!(text, "Merge of: {}", parents.join(" "));
    }
    let _ = writeln!(text, "Author: {}\nDate: {}\n", commit.author, commit.authored);
    for line in commit.summary.lines().chain([""]).chain(commit.body.trim_end().lines()) {
        let _ = writeln!(text, "{}", format!("    {line}").trim_end());
    }
    if commit.truncated {
        text.push_str("    (the message is longer)\n");
    }
    format!("{}\n", text.trim_end())
}

fn describe_file(file: &FileReply) -> String {
    let FileReply { path, oid, size, binary, content, truncated } = file;
    let note = match (binary, truncated) {
        (true, _) => ": binary, its content is not shown",
        (false, true) => ": only the beginning is shown",
        (false, false) => "",
    };
    format!("{path} at {oid}, {size} bytes{note}\n{content}")
}

/// A line for each run of lines, with all that its commit tells.
fn describe_blame(blame: &BlameReply) -> String {
    let mut text = format!("{}\n", blame.path);
    for lines in &blame.lines {
        let place = match (lines.first, lines.last) {
            (first, last) if first == last => first.to_string(),
            (first, last) => format!("{first}-{last}"),
        };
        let commit = blame.commits.iter().find(|commit| lines.oid.as_ref() == Some(&commit.oid));
        let _ = match commit {
            Some(commit) => writeln!(
                text,
                "{place}: {} {} {} {}",
                commit.short_oid, commit.authored, commit.author, commit.summary
            ),
            None => writeln!(text, "{place}: in no commit yet"),
        };
    }
    text
}

fn describe_tags(reply: &TagReply) -> String {
    let mut text = String::new();
    if let (Some(name), Some(oid)) = (&reply.deleted, &reply.deleted_oid) {
        let _ = writeln!(text, "Deleted {name}, which was at {oid}");
    }
    list(&mut text, "Tags", &reply.tags, |tag| format!("{} {} {}", tag.name, tag.oid, tag.summary));
    if text.is_empty() {
        text.push_str("No tags.");
    }
    text
}

fn describe_branches(reply: &BranchReply) -> String {
    let mut text = String::new();
    if let (Some(name), Some(oid)) = (&reply.deleted, &reply.deleted_oid) {
        let _ = writeln!(text, "Deleted {name}, which was at {oid}");
    }
    list(&mut text, "Branches", &reply.branches, |branch| {
        let mark = if branch.current { "*" } else { "-" };
        let follows = match (&branch.upstream, branch.ahead, branch.behind) {
            (Some(upstream), Some(ahead), Some(behind)) => {
                format!(" [{upstream}: {ahead} ahead, {behind} behind]")
            }
            (Some(upstream), ..) => format!(" [{upstream}: gone]"),
            (None, ..) => String::new(),
        };
        format!("{mark} {} {}{follows} {}", branch.name, branch.oid, branch.summary)
    });
    if text.is_empty() {
        text.push_str("No branches.");
    }
    text
}

fn describe_new_commit(commit: &CommitReply) -> String {
    let branch = commit.branch.as_deref().unwrap_or("no branch");
    let mut text = format!(
        "Committed {} on {branch}: {}\n{}\n",
        commit.oid,
        commit.summary,
        describe_totals(commit.totals)
    );
    list(&mut text, "Files", &commit.files, shown);
    text
}
