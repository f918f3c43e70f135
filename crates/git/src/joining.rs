//! Commits of elsewhere on the current branch: merging, rebasing, picking and reverting them; and
//! taking the newest commit back.
//!
//! What stops at a conflict is left as git left it, to be resolved and continued or given up.
//! Nothing here throws changes away: git refuses where it would overwrite some.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::child::{Call, Session};
use super::error::GitError;
use super::names;
use super::reply::Totals;

/// How commits come to the current branch.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Merge,
    Rebase,
    CherryPick,
    Revert,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JoinReply {
    /// The current branch; absent when detached.
    pub branch: Option<String>,
    /// The commit before.
    pub old: String,
    /// The commit now; the same when there was nothing to do.
    pub new: String,
    /// What changed in the files.
    pub totals: Totals,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UndoReply {
    /// The commit that was taken back; its changes are staged.
    pub undone: String,
    /// The commit now; absent when it was the first.
    pub head: Option<String>,
}

impl Session<'_> {
    pub(super) async fn bring(&self, way: Way, revision: &str) -> Result<JoinReply, GitError> {
        self.must_be_at_rest()?;
        let old = self.head().await?.ok_or(GitError::NoCommitYet)?;
        let commit = self.resolve(revision).await?;
        let call = match way {
            // By its name, which git writes into the message.
            Way::Merge => Call::new(["merge", "--quiet", "--no-edit", "--no-gpg-sign"])
                .arg(names::revision(revision)?),
            Way::Rebase => Call::new(["rebase", "--quiet", "--no-autostash", &commit]),
            Way::CherryPick => Call::new(["cherry-pick", "--no-gpg-sign", &commit]),
            Way::Revert => Call::new(["revert", "--no-edit", "--no-gpg-sign", &commit]),
        };
        let done = self.hooked(call).await?;
        if !done.is_success() {
            return Err(self.stopped(&done).await?);
        }
        let new = self.head().await?.ok_or(GitError::NoCommitYet)?;
        let totals = if old == new { Totals::default() } else { self.totals(&old, &new).await? };
        Ok(JoinReply { branch: self.current().await?, old, new, totals })
    }

    /// Takes the newest commit back and leaves its changes staged.
    pub(super) async fn undo(&self) -> Result<UndoReply, GitError> {
        self.must_be_at_rest()?;
        let undone = self.head().await?.ok_or(GitError::NoCommitYet)?;
        let call = match self.resolve("HEAD^").await {
            Ok(parent) => Call::new(["reset", "--soft", "--quiet", &parent]),
            // The first one: the branch has none again.
            Err(GitError::NoSuchRevision { .. }) => {
                Call::new(["update-ref", "-d", "HEAD", &undone])
            }
            Err(error) => return Err(error),
        };
        self.must(call).await?;
        Ok(UndoReply { undone, head: self.head().await? })
    }

    fn must_be_at_rest(&self) -> Result<(), GitError> {
        match self.operation() {
            Some(operation) => Err(GitError::InTheMiddle { message: format!("{operation:?}") }),
            None => Ok(()),
        }
    }
}
