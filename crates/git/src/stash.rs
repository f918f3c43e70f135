//! Changes put aside.

use openspace_protocol::RelPath;

use super::along::{KNOWN, KNOWN_AND_NEW};
use super::child::{Call, Session};
use super::error::{GitError, classify};
use super::names::{self, Records};
use super::reply::{Bounded, StashEntry, StashReply};
use super::request::{StashOperation, StashRequest};

const FIELDS: usize = 3;

impl Session<'_> {
    pub(super) async fn stash(&self, request: &StashRequest) -> Result<StashReply, GitError> {
        let index = request.index.unwrap_or(0);
        let name = format!("stash@{{{index}}}");
        let entry = match request.operation {
            StashOperation::List => None,
            StashOperation::Push => {
                self.push_stash(request).await?;
                self.stashes().await?.entries.into_iter().next()
            }
            StashOperation::Pop | StashOperation::Apply | StashOperation::Drop => {
                let known = self.stashes().await?.entries;
                let entry = known.into_iter().find(|entry| entry.index == index);
                let entry = entry.ok_or(GitError::NoSuchStash { index })?;
                let word = match request.operation {
                    StashOperation::Pop => "pop",
                    StashOperation::Apply => "apply",
                    _ => "drop",
                };
                let done = self.run(Call::new(["stash", word, "--quiet", &name])).await?;
                if !done.is_success() {
                    let files = self.conflicts().await?;
                    return Err(if files.is_empty() {
                        classify(self.action, &done)
                    } else {
                        GitError::Conflicts { files }
                    });
                }
                Some(entry)
            }
        };
        Ok(StashReply { entry, entries: self.stashes().await? })
    }

    async fn push_stash(&self, request: &StashRequest) -> Result<(), GitError> {
        if self.head().await?.is_none() {
            return Err(GitError::NoCommitYet);
        }
        let listing = if request.include_untracked { &KNOWN_AND_NEW[..] } else { &KNOWN };
        self.leave_secrets(listing, &[RelPath::default()], request.force).await?;
        let before = self.newest_stash().await?;
        let mut call = Call::new(["stash", "push", "--quiet"]);
        if request.include_untracked {
            call = call.arg("--include-untracked");
        }
        if let Some(message) = &request.message {
            call = call.arg("--message").arg(names::message(message)?);
        }
        self.must(call.arg("--").args(self.limited(Vec::new()))).await?;
        if self.newest_stash().await? == before {
            return Err(GitError::NothingToStash);
        }
        Ok(())
    }

    async fn newest_stash(&self) -> Result<Option<String>, GitError> {
        match self.resolve("refs/stash").await {
            Ok(oid) => Ok(Some(oid)),
            Err(GitError::NoSuchRevision { .. }) => Ok(None),
            Err(other) => Err(other),
        }
    }

    async fn stashes(&self) -> Result<Bounded<StashEntry>, GitError> {
        let mut entries = Bounded::default();
        if self.newest_stash().await?.is_none() {
            return Ok(entries);
        }
        let call = Call::new(["stash", "list", "-z", "--format=tformat:%H%x00%cI%x00%gs"]);
        let mut fields: Vec<String> = Vec::with_capacity(FIELDS);
        let mut records = Records::new(0);
        let mut take = |record: &[u8]| {
            let text = String::from_utf8_lossy(record);
            fields.push(text[..text.floor_char_boundary(500)].to_owned());
            if fields.len() < FIELDS {
                return;
            }
            if let Ok([oid, created, message]) =
                <[String; FIELDS]>::try_from(std::mem::take(&mut fields))
            {
                let index = u32::try_from(entries.total).unwrap_or(u32::MAX);
                entries.push(StashEntry { index, oid, created, message });
            }
        };
        self.stream(call.reading(), &mut |piece| records.push(piece, &mut take)).await?;
        Ok(entries)
    }
}
