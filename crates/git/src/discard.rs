//! Throwing changes away: tracked files become what the index has, untracked ones are deleted.
//!
//! There is no way back, so nothing is deleted that the caller did not name and ask to be deleted,
//! that is ignored, that the rules protect, or that is a repository of its own. Everything is looked
//! at before anything is done.

use openspace_protocol::RelPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::child::{Call, Session};
use super::error::GitError;
use super::names;
use super::reply::{Bounded, Name};
use super::request::DiscardRequest;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiscardReply {
    /// Tracked files that are now what the index has.
    pub restored: Bounded<Name>,
    /// Untracked files that are gone.
    pub deleted: Bounded<Name>,
}

impl Session<'_> {
    pub(super) async fn discard(&self, request: &DiscardRequest) -> Result<DiscardReply, GitError> {
        let files = &request.files;
        if files.is_empty() {
            return Err(GitError::invalid("`files` is empty"));
        }
        if request.include_untracked && files.iter().any(RelPath::is_root) {
            return Err(GitError::invalid("the whole workspace is not deleted: name what is"));
        }
        let status = self.status(files).await?;
        if status.conflicts.total > 0 {
            let files = status.conflicts.entries.into_iter().map(|file| file.name.path);
            return Err(GitError::Conflicts { files: files.collect() });
        }
        let without_tracked = self.unmatched(&["ls-files", "--cached"], files).await?;
        self.must_be_known(&without_tracked).await?;
        let mut reply = DiscardReply::default();
        if request.include_untracked {
            self.may_be_deleted(&status.untracked)?;
            reply.deleted = status.untracked;
        } else if !without_tracked.is_empty() {
            let files = without_tracked.iter().map(ToString::to_string).collect();
            return Err(GitError::WouldDelete { files });
        }
        if reply.deleted.total > 0 {
            let clean = Call::new(["clean", "--quiet", "--force", "-d", "--"]);
            self.must(clean.args(names::paths(files)?)).await?;
        }
        let tracked: Vec<RelPath> =
            files.iter().filter(|file| !without_tracked.contains(file)).cloned().collect();
        if status.unstaged.total > 0 && !tracked.is_empty() {
            let restore = Call::new(["restore", "--quiet", "--worktree", "--"]);
            self.must(restore.args(names::paths(&tracked)?)).await?;
            let entries = status.unstaged.entries.into_iter().map(|change| change.name).collect();
            reply.restored = Bounded { entries, total: status.unstaged.total };
        }
        Ok(reply)
    }

    async fn must_be_known(&self, files: &[RelPath]) -> Result<(), GitError> {
        if files.is_empty() {
            return Ok(());
        }
        let others = ["ls-files", "--others", "--exclude-standard"];
        let unknown = self.unmatched(&others, files).await?;
        if unknown.is_empty() { Ok(()) } else { Err(self.missing(&unknown).await?) }
    }

    fn may_be_deleted(&self, untracked: &Bounded<Name>) -> Result<(), GitError> {
        if untracked.total > untracked.entries.len() as u64 {
            // What is not listed was not looked at.
            return Err(GitError::invalid(format!(
                "{} untracked files are too many to delete at once; name fewer of them",
                untracked.total
            )));
        }
        for Name { path, .. } in &untracked.entries {
            if path.ends_with('/') {
                return Err(GitError::invalid(format!("`{path}` is a repository of its own")));
            }
            let protected =
                |rule: &str| GitError::Protected { path: path.clone(), rule: rule.into() };
            let parsed = RelPath::parse(path)
                .map_err(|error| GitError::invalid(format!("`{path}`: {error}")))?;
            self.files.rules().may_write(&parsed).map_err(protected)?;
        }
        Ok(())
    }
}
