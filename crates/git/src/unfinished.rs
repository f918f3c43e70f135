//! An operation that git stopped in the middle of: going on with it, passing over the commit it
//! stopped at, giving it up.
//!
//! Resolves no conflict: who goes on has staged every file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::child::{Call, Done, Session};
use super::error::{GitError, classify};
use super::reply::Operation;

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
