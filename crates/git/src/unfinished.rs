//! An operation that git stopped in the middle of: going on with it, passing over the commit it
//! stopped at, giving it up.
//!
//! Resolves no conflict: who goes on has staged every file.

use std::io::ErrorKind;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::child::{Call, Done, Session};
use super::error::{GitError, classify};
use super::own_files;
use super::reply::Operation;

/// Where a rebase keeps what is left to do.
const LEFT_TO_DO: &str = "rebase-merge/git-rebase-todo";
/// The most of it that is looked at; a longer one is not gone on with.
const LONGEST: u64 = 16 * 1024 * 1024;
/// Lines of it that are told.
const MOST_LINES: usize = 10;

/// What to do with the unfinished operation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Continue,
    Skip,
    Abort,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StepReply {
    /// The operation that it was about.
    pub operation: Operation,
    /// It is over; otherwise it stopped again, as it was told to.
    pub finished: bool,
    /// The current branch; absent when detached.
    pub branch: Option<String>,
    /// The current commit; absent before the first.
    pub head: Option<String>,
}

impl Session<'_> {
    pub(super) async fn step(&self, step: Step) -> Result<StepReply, GitError> {
        let status = self.status(&[]).await?;
        let operation = status.operation.ok_or(GitError::NothingUnfinished)?;
        if step == Step::Continue && status.conflicts.total > 0 {
            let files = status.conflicts.entries.into_iter().map(|file| file.name.path);
            return Err(GitError::Conflicts { files: files.collect() });
        }
        if operation == Operation::Rebase && step != Step::Abort {
            self.check_todo()?;
        }
        let done = self.hooked(self.call_for(operation, step)?).await?;
        if !done.is_success() {
            return Err(self.stopped(&done).await?);
        }
        Ok(StepReply {
            operation,
            finished: self.operation().is_none(),
            branch: self.current().await?,
            head: self.head().await?,
        })
    }

    /// What a rebase has still to do may be programs, and whoever can write into the repository may have
    /// written them there: a person runs none by a click.
    fn check_todo(&self) -> Result<(), GitError> {
        if !self.is_behind() {
            return Ok(());
        }
        let todo = match own_files::read(&self.git_dir.join(LEFT_TO_DO), LONGEST) {
            Ok(todo) => todo,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(GitError::io(self.action, "what is left to do", &error)),
        };
        let todo = String::from_utf8_lossy(&todo);
        let runs = |line: &&str| matches!(line.split_whitespace().next(), Some("exec" | "x"));
        let lines: Vec<String> =
            todo.lines().filter(runs).take(MOST_LINES).map(str::to_owned).collect();
        if lines.is_empty() { Ok(()) } else { Err(GitError::RunsPrograms { lines }) }
    }

    fn call_for(&self, operation: Operation, step: Step) -> Result<Call, GitError> {
        let command = match operation {
            Operation::Merge => "merge",
            Operation::Rebase => "rebase",
            Operation::CherryPick => "cherry-pick",
            Operation::Revert => "revert",
            Operation::Apply => "am",
            Operation::Bisect => "bisect",
        };
        Ok(match (operation, step) {
            (Operation::Bisect, Step::Abort) => Call::new([command, "reset"]),
            (Operation::Bisect, _) => {
                return Err(GitError::invalid("a bisect can only be given up, with `abort`"));
            }
            (Operation::Merge, Step::Skip) => {
                return Err(GitError::invalid("a merge has no commit to skip: use `abort`"));
            }
            // The message that git prepared has comments, which only an edited message loses; the
            // editor leaves everything else alone.
            (Operation::Merge, Step::Continue) => self.committing(&["--cleanup=strip", "--edit"]),
            (_, Step::Continue) => Call::new([command, "--continue"]),
            (_, Step::Skip) => Call::new([command, "--skip"]),
            (_, Step::Abort) => Call::new([command, "--abort"]),
        })
    }

    /// Why it did not go on; mostly because the next commit has conflicts too.
    pub(super) async fn stopped(&self, done: &Done) -> Result<GitError, GitError> {
        let files = self.conflicts().await?;
        if !files.is_empty() {
            return Ok(GitError::Conflicts { files });
        }
        let said = format!("{}{}", done.stderr, String::from_utf8_lossy(&done.stdout));
        let is_empty = ["is now empty", "No changes - did you forget"];
        if is_empty.iter().any(|words| said.contains(words)) {
            return Ok(GitError::NothingLeft);
        }
        Ok(classify(self.action, done))
    }
}
