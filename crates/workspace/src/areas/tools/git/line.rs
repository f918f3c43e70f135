//! What somebody would type at a shell to have the same of git, for whoever decides about it.

use super::{Action, Git};

/// Words that are shown at most; a list of files can be long.
const MOST_WORDS: usize = 200;

/// The line for a shell that does what a call asks for.
pub(super) fn line(git: &Git) -> String {
    let mut words: Vec<String> = vec!["git".into()];
    let mut add = |word: &str| words.push(word.to_owned());
    let is = |flag: Option<bool>| flag == Some(true);
    let operation = git.operation.as_deref().unwrap_or_default();
    match git.action {
        Action::CherryPick => add("cherry-pick"),
        Action::Undo => ["reset", "--soft", "HEAD~1"].into_iter().for_each(&mut add),
        Action::Discard => add("restore"),
        Action::Checkout => add("switch"),
        // What is under way is told by the repository; each of these has the same words.
        Action::Continue => ["rebase", "--continue"].into_iter().for_each(&mut add),
        Action::Skip => ["rebase", "--skip"].into_iter().for_each(&mut add),
        Action::Abort => ["rebase", "--abort"].into_iter().for_each(&mut add),
        action => add(&action.word()),
    }
    match (git.action, operation) {
        (Action::Branch, "delete") => add(if is(git.force) { "-D" } else { "-d" }),
        (Action::Branch, "rename") => add("-m"),
        (Action::Tag, "delete") => add("-d"),
        (Action::Stash | Action::Remote, operation) if !operation.is_empty() => add(operation),
        (Action::Push, _) => {
            if is(git.force_with_lease) {
                add("--force-with-lease");
            }
            if is(git.set_upstream) {
                add("--set-upstream");
            }
        }
        (Action::Commit, _) => {
            if is(git.amend) {
                add("--amend");
            }
            if is(git.all) {
                add("--all");
            }
        }
        (Action::Restore, _) if is(git.staged) => add("--staged"),
        (Action::Fetch, _) if is(git.prune) => add("--prune"),
        (Action::Pull, _) if git.strategy.as_deref() == Some("rebase") => add("--rebase"),
        _ => {}
    }
    let one = [&git.remote, &git.url, &git.branch, &git.name, &git.new_name, &git.start_point];
    one.into_iter().flatten().for_each(|word| add(&quoted(word)));
    if !matches!(git.action, Action::Commit) {
        git.revision.iter().chain(&git.source).for_each(|word| add(&quoted(word)));
    }
    git.tags.iter().flatten().for_each(|word| add(&quoted(word)));
    let files: Vec<&String> =
        [&git.files, &git.paths].into_iter().flatten().flatten().chain(&git.path).collect();
    if !files.is_empty() {
        add("--");
        for word in files {
            add(&quoted(word));
        }
    }
    words.truncate(MOST_WORDS);
    words.join(" ")
}

/// A word as a shell takes it for itself.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-/:@+=,~^".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) && !word.starts_with('~') {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
