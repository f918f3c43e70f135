//! Whose the repository of a workspace is, and so where git runs in it.
//!
//! A repository that was there before any agent ran a program is the person's: its settings and hooks are kept
//! from agents. One that appears while agents have a place may be anybody's, with settings that run whatever its
//! maker likes. There git runs in the agents' place, whoever asks, until a person says that it is theirs. What is
//! known is kept beside the workspace's private files, where no agent reaches.

use std::{io, os::unix::fs::MetadataExt as _, path::Path, sync::Arc};

use openspace_command::{Caller, Error, Result};
use serde::{Deserialize, Serialize};

use super::{MAIN, Workspaces, is_walled, notes};
use crate::places::Place;

/// The folder in which git keeps a repository.
pub(super) const GIT: &str = ".git";

/// The file in which it is kept whose a repository is.
const NOTE: &str = "repository.json";

/// Who made a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Owner {
    /// Perhaps an agent.
    Agents,
    /// The person, who has said so.
    Person,
}

/// Whose a repository is, and which one it was: another may have come in its place.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Note {
    owner: Owner,
    device: u64,
    inode: u64,
}

impl Workspaces {
    /// The place in which git runs for a caller in a workspace.
    pub async fn place_of_git(&self, caller: &Caller, id: Option<&str>) -> Result<Arc<Place>> {
        if self.is_beside(caller, id)? || self.is_repository_of_agents(id).await? {
            self.agents_place(id).await
        } else {
            self.place(id).await
        }
    }

    /// The place in which git runs for views of the workspace of the space.
    pub async fn place_of_views(&self) -> Result<Arc<Place>> {
        if self.is_repository_of_agents(None).await? {
            self.agents_place(None).await
        } else {
            self.place(None).await
        }
    }

    /// Whether an agent may have made the repository of a workspace.
    pub async fn is_repository_of_agents(&self, id: Option<&str>) -> Result<bool> {
        let id = id.unwrap_or(MAIN);
        let record = self.record(id)?;
        if !is_walled(record.provider) && !self.are_confined() {
            return Ok(false);
        }
        let private = self.hosting.private(id);
        let mut appeared = false;
        for keeping in self.keepings(id) {
            let keeper = keeping.settled().await.map_err(|error| {
                Error::internal("nobody can tell whose the repository is").because(error)
            })?;
            appeared |= keeper.is_some_and(|keeper| keeper.tells_of(GIT));
        }
        let Some((device, inode)) = identity(&record.root)? else { return Ok(false) };
        // In a place that was opened before it was there, nothing protects it.
        if appeared {
            set_note(&private, &Note { owner: Owner::Agents, device, inode })?;
            return Ok(true);
        }
        let known = notes::read::<Note>(&private.join(NOTE))?;
        let known = known.filter(|note| (note.device, note.inode) == (device, inode));
        Ok(known.is_some_and(|note| note.owner == Owner::Agents))
    }

    /// From now on the repository of a workspace is the person's. The agents' place ends with all that runs in
    /// it; the next one protects the settings of the repository. Says whether it was thought an agent's.
    pub async fn adopt_repository(&self, id: &str) -> Result<bool> {
        if !self.is_repository_of_agents(Some(id)).await? {
            return Ok(false);
        }
        let _alone = self.guard(id).lock_owned().await;
        self.close_for_agents(id).await?;
        match identity(&self.record(id)?.root)? {
            Some((device, inode)) => {
                set_note(&self.hosting.private(id), &Note { owner: Owner::Person, device, inode })?;
                Ok(true)
            }
            None => Ok(false),
        }
    }
}

/// A repository appeared in a workspace while agents had a place: it may be theirs.
pub(super) fn note_appeared(root: &Path, private: &Path) -> Result<()> {
    match identity(root)? {
        Some((device, inode)) => set_note(private, &Note { owner: Owner::Agents, device, inode }),
        None => Ok(()),
    }
}

/// Which folder or file the repository of a workspace is; none when there is none in its root.
fn identity(root: &Path) -> Result<Option<(u64, u64)>> {
    match std::fs::symlink_metadata(root.join(GIT)) {
        Ok(status) => Ok(Some((status.dev(), status.ino()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            Err(Error::internal("nobody can tell whose the repository is").because(error))
        }
    }
}

fn set_note(private: &Path, note: &Note) -> Result<()> {
    notes::write(&private.join(NOTE), note)
}
