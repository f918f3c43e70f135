//! What git cannot write in the agents' place, in words for whoever ran it.
//!
//! The place keeps a repository's configuration, hooks and list of work trees read-only: they make git run
//! programs, also outside. Git complains of it in words of its own, and often goes on as if nothing were
//! missing, up to telling that a branch follows another when it does not. Nothing is said here that git's own
//! words do not show.

use openspace_command::Error;
use openspace_host::wall::Refusal;

/// What git says when its configuration cannot be written.
const CONFIGURATION: [&str; 2] = ["could not write config file", "could not lock config file"];
/// Why, as the kernel gives it for what the place holds.
const HELD: [&str; 2] = ["Device or resource busy", "Read-only file system"];

const KEPT: &str = "the agents' place keeps the repository's configuration read-only";

/// Whether git complained of something that it does not always count as a failure.
pub(crate) fn complains(printed: &str) -> bool {
    printed.lines().any(|line| says(line, &CONFIGURATION) && says(line, &HELD))
}

fn says(text: &str, words: &[&str]) -> bool {
    words.iter().any(|words| text.contains(words))
}

/// Whether git could not note something of a work tree. Which of its files it is about hangs on whether there was
/// a work tree before: the place begins to keep the list when it is made, while git is at work.
fn misses_work_tree(printed: &str) -> bool {
    printed.lines().any(|line| line.contains(".git/worktrees/") && says(line, &HELD))
}

/// What was refused, with what it means where it is git's. That is said once.
pub(super) fn told(refused: &[Refusal], printed: &str) -> Vec<String> {
    let names = |one: &Refusal, name: &str| {
        let names: Vec<&str> = one.path.split('/').collect();
        names.contains(&".git") && names.contains(&name)
    };
    let configuration =
        || refused.iter().position(|one| names(one, "config")).filter(|_| complains(printed));
    let work_tree = || {
        let at = refused.iter().position(|one| names(one, "worktrees"));
        at.filter(|_| misses_work_tree(printed))
    };
    let advice = configuration()
        .map(|at| (at, advice(printed)))
        .or_else(|| work_tree().map(|at| (at, WORK_TREES.to_owned())));
    let mut told: Vec<String> = refused.iter().map(ToString::to_string).collect();
    if let Some((at, advice)) = advice {
        told[at] = format!("{}; {advice}", told[at]);
    }
    told
}

const WORK_TREES: &str = "the agents' place keeps git's list of work trees read-only; `git worktree add` needs `outside` \
                          with a `reason`";

/// What became of it, and what to do instead.
fn advice(printed: &str) -> String {
    let more = if printed.contains("set up to track") {
        "the branch was not set up to follow another, whatever git says; `git checkout --no-track -b NAME origin/NAME` \
         makes one without that, and push and pull take the remote and the branch by name"
    } else if printed.contains("Deleted branch") {
        "the branch is deleted, only its settings are left"
    } else if printed.contains("branch is renamed") {
        "the branch has its new name, its settings are still under the old one"
    } else {
        "`git -c NAME=VALUE` sets something for one command, and `outside` with a `reason` asks the person"
    };
    format!("{KEPT}: {more}")
}

/// A failure of git in the agents' place, with a hint if it was the place.
pub(crate) fn explained(error: Error) -> Error {
    let said = &error.message;
    if error.hint.is_some() {
        return error;
    }
    if complains(said) {
        let advice = advice(said);
        return error.hint(advice);
    }
    if misses_work_tree(said) {
        return error.hint(WORK_TREES);
    }
    error
}

#[cfg(test)]
mod tests {
    use openspace_command::ErrorKind;
    use openspace_process::wall::Refused;
    use pretty_assertions::assert_eq;

    use super::*;

    const BUSY: &str = "error: could not write config file .git/config: Device or resource busy\n";

    fn refused(path: &str) -> Refusal {
        Refusal { path: path.into(), what: Refused::Writing }
    }

    #[test]
    fn what_git_could_not_keep_is_told_with_what_became_of_it() {
        let rows = [
            (
                "branch 'x' set up to track 'origin/x'.\n",
                "the branch was not set up to follow another, whatever git says; `git checkout --no-track -b NAME \
                 origin/NAME` makes one without that, and push and pull take the remote and the branch by name",
            ),
            (
                "warning: update of config-file failed\nDeleted branch x (was 9c4886a).\n",
                "the branch is deleted, only its settings are left",
            ),
            (
                "fatal: branch is renamed, but update of config-file failed\n",
                "the branch has its new name, its settings are still under the old one",
            ),
            (
                "",
                "`git -c NAME=VALUE` sets something for one command, and `outside` with a `reason` asks the person",
            ),
        ];
        for (said, expected) in rows {
            let printed = format!("{BUSY}{said}");
            assert!(complains(&printed));
            assert_eq!(
                told(&[refused("x"), refused(".git/config")], &printed)[1],
                format!(
                    "refused by the confinement: writing .git/config; the agents' place keeps the repository's \
                     configuration read-only: {expected}"
                )
            );
        }
    }

    #[test]
    fn a_work_tree_that_could_not_be_noted_is_told_once() {
        let advice = "; the agents' place keeps git's list of work trees read-only; `git worktree add` needs `outside` \
                      with a `reason`";
        let plain = "refused by the confinement: writing .git/worktrees/x";
        for printed in [
            "fatal: could not create directory of '.git/worktrees/x': Read-only file system\n",
            "error: unable to append to '/w/.git/worktrees/x/logs/HEAD': Read-only file system\n",
        ] {
            let refused = [refused(".git/worktrees/x"), refused(".git/worktrees/x/locked")];
            let expected = [format!("{plain}{advice}"), format!("{plain}/locked")];
            assert_eq!(told(&refused, printed), expected);
        }
    }

    #[test]
    fn nothing_is_claimed_that_git_did_not_say() {
        let plain = "refused by the confinement: writing .git/config";
        let printed = "bash: .git/config: Read-only file system";
        assert_eq!(told(&[refused(".git/config")], printed), [plain]);
        let locked = "error: could not lock config file .git/config: File exists\n";
        assert!(!complains(locked));
        let error = || Error::new(ErrorKind::Conflict, format!("git branch failed: {locked}"));
        assert_eq!(explained(error()).hint, None);
        let error =
            Error::new(ErrorKind::Conflict, format!("git branch failed: {BUSY}")).hint("mine");
        assert_eq!(explained(error).hint.as_deref(), Some("mine"));
    }

    #[test]
    fn a_failure_of_git_in_the_place_has_a_hint() {
        let said = format!(
            "git branch failed: {BUSY}fatal: branch is renamed, but update of config-file failed"
        );
        assert_eq!(
            explained(Error::new(ErrorKind::Conflict, said)).hint.as_deref(),
            Some(
                "the agents' place keeps the repository's configuration read-only: the branch has its new name, its \
                 settings are still under the old one"
            )
        );
    }
}
