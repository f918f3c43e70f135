//! A file as git has it, byte for byte: in a commit, in the index, or as a side of a conflict.
//!
//! The bytes are git's own: no filter and no line ending of the work tree is applied.

use std::time::Duration;

use openspace_protocol::RelPath;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::{
    Git, GitError, NoCredentials,
    child::{Call, Session},
    names,
};
use openspace_files::Files;

/// The largest content that is given.
pub const MAX_CONTENT: u64 = 64 * 1024 * 1024;
/// What the index is called when something is not in it.
const INDEX: &str = "index";
/// The stage of a file that is in no conflict.
const RESOLVED: &str = "0";

/// What git keeps of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredContent {
    /// All of it.
    #[serde(with = "serde_bytes")]
    pub content: Vec<u8>,
}

impl Git {
    /// A file as it is in a commit, or in the index when no revision is given. `:1`, `:2` and `:3` are what
    /// a file in conflict was before, is here and is in what is merged. `files` says what is secret.
    pub async fn content(
        &self,
        files: &Files,
        path: &RelPath,
        revision: Option<&str>,
        timeout: Duration,
        cancel: &CancellationToken,
    ) -> Result<StoredContent, GitError> {
        let mut session = self.session(files, "show", timeout, &NoCredentials, cancel);
        self.check()?;
        session.locate().await?;
        session.content(path, revision).await.map_err(|error| self.shown(error))
    }
}

impl Session<'_> {
    async fn content(
        &self,
        path: &RelPath,
        revision: Option<&str>,
    ) -> Result<StoredContent, GitError> {
        names::may_show(self.files, path)?;
        let found = match revision {
            Some(":1") => self.blob_in_index(path, "1").await?,
            Some(":2") => self.blob_in_index(path, "2").await?,
            Some(":3") => self.blob_in_index(path, "3").await?,
            Some(revision) => self.blob_in(&self.resolve(revision).await?, path).await?,
            None => self.blob_in_index(path, RESOLVED).await?,
        };
        let (blob, size) = found.ok_or_else(|| GitError::NotInRevision {
            path: path.to_string(),
            revision: revision.unwrap_or(INDEX).to_owned(),
        })?;
        if size > MAX_CONTENT {
            return Err(GitError::TooMuchOutput { action: self.action.to_owned() });
        }
        let mut content = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
        let mut keep = |piece: &[u8]| content.extend_from_slice(piece);
        self.stream(Call::new(["cat-file", "blob", &blob]).reading(), &mut keep).await?;
        Ok(StoredContent { content })
    }

    /// The blob of a file at a stage of the index, and its size. A file in conflict has none that is resolved.
    async fn blob_in_index(
        &self,
        path: &RelPath,
        stage: &str,
    ) -> Result<Option<(String, u64)>, GitError> {
        if path.is_root() {
            return Ok(None);
        }
        let Some((mode, blob)) = self.entry_at(path, stage).await? else { return Ok(None) };
        // A submodule's entry names a commit.
        if mode.starts_with("16") {
            return Ok(None);
        }
        let told = self.must(Call::new(["cat-file", "-s", &blob]).reading()).await?;
        Ok(told.line().parse().ok().map(|size| (blob, size)))
    }

    /// The mode and the blob of a file in the index; none when it is not there or in conflict.
    pub(super) async fn staged_entry(
        &self,
        path: &RelPath,
    ) -> Result<Option<(String, String)>, GitError> {
        self.entry_at(path, RESOLVED).await
    }

    async fn entry_at(
        &self,
        path: &RelPath,
        stage: &str,
    ) -> Result<Option<(String, String)>, GitError> {
        let ask = Call::new(["ls-files", "-z", "--stage", "--"])
            .args(names::paths(std::slice::from_ref(path))?)
            .reading();
        let mut listed = Vec::new();
        let mut records = names::Records::new(0);
        let mut take = |record: &[u8]| {
            // What is beneath a folder of this name is not meant.
            let mut halves = record.splitn(2, |&byte| byte == b'\t');
            if let (Some(facts), Some(name)) = (halves.next(), halves.next())
                && name == path.as_str().as_bytes()
            {
                listed.push(String::from_utf8_lossy(facts).into_owned());
            }
        };
        self.stream(ask, &mut |piece| records.push(piece, &mut take)).await?;
        Ok(listed.iter().find_map(|facts| {
            let words: Vec<&str> = facts.split_ascii_whitespace().collect();
            let &[mode, blob, at] = words.as_slice() else { return None };
            (at == stage).then(|| (mode.to_owned(), blob.to_owned()))
        }))
    }
}
