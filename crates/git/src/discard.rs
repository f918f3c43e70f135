//! Throwing changes away: tracked files become what the index has, untracked ones go to the trash.
//!
//! For the first there is no way back, and nothing is deleted that the caller did not name and ask to
//! be deleted, that is ignored, that the rules protect, or that is a repository of its own. Everything
//! is looked at before anything is done. No more is deleted at once than the trash keeps.

use openspace_protocol::RelPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::child::{Call, Session};
use super::error::GitError;
use super::names;
use super::reply::{Bounded, Name};
use super::request::DiscardRequest;
use openspace_files::MOST_ITEMS;

/// An untracked file that was deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Trashed {
    #[serde(flatten)]
    pub name: Name,
    /// Where it is in the trash; `file.restore` brings it back.
    pub trashed: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiscardReply {
    /// Tracked files that are now what the index has.
    pub restored: Bounded<Name>,
    /// Untracked files that are gone.
    pub deleted: Bounded<Trashed>,
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
            let untracked = self.deletable(status.untracked)?;
            for (name, path) in untracked {
                reply.deleted.push(self.trash(name, &path, request.at).await?);
            }
        } else if !without_tracked.is_empty() {
            let files = without_tracked.iter().map(ToString::to_string).collect();
            return Err(GitError::WouldDelete { files });
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

    /// The untracked files, each of which may be deleted.
    fn deletable(&self, untracked: Bounded<Name>) -> Result<Vec<(Name, RelPath)>, GitError> {
        if untracked.total > MOST_ITEMS as u64 {
            return Err(GitError::invalid(format!(
                "{} untracked files are more than the {MOST_ITEMS} that the trash keeps; name fewer \
                 of them",
                untracked.total
            )));
        }
        let deletable = |name: Name| {
            let path = &name.path;
            if path.ends_with('/') {
                return Err(GitError::invalid(format!("`{path}` is a repository of its own")));
            }
            let protected =
                |rule: &str| GitError::Protected { path: path.clone(), rule: rule.into() };
            let parsed = RelPath::parse(path)
                .map_err(|error| GitError::invalid(format!("`{path}`: {error}")))?;
            self.files.rules().may_write(&parsed).map_err(protected)?;
            Ok((name, parsed))
        };
        untracked.entries.into_iter().map(deletable).collect()
    }

    /// Moves a file to the trash, and removes the folders that are empty without it.
    async fn trash(&self, name: Name, path: &RelPath, at: u64) -> Result<Trashed, GitError> {
        if self.cancel.is_cancelled() {
            return Err(GitError::Cancelled { action: self.action.to_owned() });
        }
        let failed = |error: openspace_files::FileError| GitError::Failed {
            action: self.action.to_owned(),
            exit_code: None,
            message: error.to_string(),
        };
        let trashed = self.files.delete(path, at).map_err(failed)?.trashed.to_string();
        self.files.remove_empty_folders_above(path).map_err(failed)?;
        // Each of these waits for the disk.
        tokio::task::yield_now().await;
        Ok(Trashed { name, trashed })
    }
}
