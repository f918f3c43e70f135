//! `file.create_folder`, `file.move`, `file.copy`, `file.delete`, `file.list_deleted`, `file.restore`.
//!
//! What the space knows by path is set right in the same call: a moved file's tab follows it, a
//! deleted file's tab stays as missing.

use openspace_command::{Command, Error, Meta, Result, Set, Shown};
use openspace_files::{Kind, TrashItem};
use openspace_host::operation::{
    CopyPath, DeletePath, ListTrash, MakeFolder, MovePath, Operation, RestorePath,
};
use openspace_protocol::{Access, Event, RelPath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::whereabouts::{deleted, follow_highlights, moved, restored};
use crate::{
    Cx,
    open_space::ask,
    paths::{explained, is_person},
    refusal::refused,
};

/// Do something with a path; when it is not there, name what may have been meant.
async fn ask_about<O: Operation>(cx: &Cx, operation: O) -> Result<O::Output> {
    match ask(cx, operation).await {
        Ok(output) => Ok(output),
        Err(error) => Err(explained(cx.state.place(), error).await),
    }
}

/// From one path to another: what a host is told for a move as for a copy.
struct Way {
    from: RelPath,
    to: RelPath,
    overwrite: bool,
    at: u64,
    person: bool,
}

impl From<Way> for MovePath {
    fn from(Way { from, to, overwrite, at, person }: Way) -> Self {
        Self { from, to, overwrite, at, person }
    }
}

impl From<Way> for CopyPath {
    fn from(Way { from, to, overwrite, at, person }: Way) -> Self {
        Self { from, to, overwrite, at, person }
    }
}

/// Move or copy from one path to another, both as they were typed: the paths in their one spelling, and
/// what was done.
async fn go<O: Operation + From<Way>>(
    cx: &Cx,
    from: &str,
    to: &str,
    overwrite: bool,
) -> Result<(RelPath, RelPath, O::Output)> {
    let (from, to) = (cx.state.path(from)?, cx.state.path(to)?);
    let (at, person) = (cx.state.now(), is_person(&cx.caller));
    let way = Way { from: from.clone(), to: to.clone(), overwrite, at, person };
    let done = ask_about(cx, O::from(way)).await?;
    Ok((from, to, done))
}

/// Create a folder.
///
/// Creates the folders above it too. A folder that is there already is left as it is.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateFolder {
    /// Path of the new folder, relative to the root.
    path: String,
}

/// A folder that is there now.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FolderCreated {
    /// The folder, relative to the root.
    path: String,
    /// False when it was there already.
    created: bool,
}

impl Command<crate::OpenSpace> for CreateFolder {
    const META: Meta = Meta::new("file.create_folder", "File: Create Folder", Access::Edit)
        .set(Set::Workspace)
        .shown(Shown::Searchable)
        .idempotent();
    type Output = FolderCreated;

    fn summary(&self) -> String {
        format!("create folder {}", self.path)
    }

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    async fn run(self, cx: Cx) -> Result<FolderCreated> {
        let path = cx.state.path(&self.path)?;
        let make = MakeFolder { path: path.clone(), person: is_person(&cx.caller) };
        let created = ask(&cx, make).await.map_err(refused)?;
        Ok(FolderCreated { path: path.into(), created })
    }
}

/// Move or rename a file or folder.
///
/// Missing folders are created; open tabs and highlights follow.
///
/// Nothing is replaced unless `overwrite` is set, and what is replaced then goes to the trash. A
/// symbolic link is moved itself, not what it leads to.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Move {
    /// What to move, relative to the root.
    from: String,
    /// Its whole new path, with its name.
    to: String,
    /// Replace what is at the new path; that goes to the trash.
    #[serde(default)]
    overwrite: bool,
}

/// What was moved.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Moved {
    /// Where it was.
    from: String,
    /// Where it is now.
    path: String,
    /// Where in the trash that is which was there before; `file.restore` brings it back.
    replaced: Option<String>,
}

impl Command<crate::OpenSpace> for Move {
    const META: Meta =
        Meta::new("file.move", "File: Move or Rename", Access::Edit).set(Set::Workspace);
    type Output = Moved;

    fn summary(&self) -> String {
        format!("move {} to {}", self.from, self.to)
    }

    fn paths(&self) -> Vec<String> {
        vec![self.from.clone(), self.to.clone()]
    }

    async fn run(self, cx: Cx) -> Result<Moved> {
        let Self { from, to, overwrite } = self;
        let (from, to, done) = go::<MovePath>(&cx, &from, &to, overwrite).await?;
        // Views follow a file that they hear of before its tab has another path.
        let (old, new) = (from.clone(), to.clone());
        cx.state.space().tell(Event::FileMoved { from: old, to: new });
        let followed = cx.state.buffers().renamed(&from, &to).await;
        cx.state.space().change(|state| moved(state, &from, &to)).await?;
        followed?;
        follow_highlights(&cx, Some(&to)).await;
        Ok(Moved { from: from.into(), path: to.into(), replaced: done.replaced.map(Into::into) })
    }
}

/// Copy a file or folder.
///
/// All of it is copied or nothing, at most 10,000 files and folders. Folders that are missing on
/// the way are created. Nothing is replaced unless `overwrite` is set, and what is replaced then
/// goes to the trash. Symbolic links are copied as links.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Copy {
    /// What to copy, relative to the root.
    from: String,
    /// The whole path of the copy, with its name, relative to the root.
    to: String,
    /// Replace what is at the path of the copy.
    #[serde(default)]
    overwrite: bool,
}

/// What was copied.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Copied {
    /// What was copied.
    from: String,
    /// Where the copy is.
    path: String,
    /// How many files, folders and links it has.
    entries: u64,
    /// How many bytes its files have.
    bytes: u64,
    /// Where in the trash that is which was there before; `file.restore` brings it back.
    replaced: Option<String>,
}

impl Command<crate::OpenSpace> for Copy {
    const META: Meta = Meta::new("file.copy", "File: Copy", Access::Edit)
        .set(Set::Workspace)
        .shown(Shown::Searchable);
    type Output = Copied;

    fn summary(&self) -> String {
        format!("copy {} to {}", self.from, self.to)
    }

    fn paths(&self) -> Vec<String> {
        vec![self.from.clone(), self.to.clone()]
    }

    async fn run(self, cx: Cx) -> Result<Copied> {
        let Self { from, to, overwrite } = self;
        let (from, to, done) = go::<CopyPath>(&cx, &from, &to, overwrite).await?;
        cx.state.space().change(|state| restored(state, &to)).await?;
        Ok(Copied {
            from: from.into(),
            path: to.into(),
            entries: done.entries,
            bytes: done.bytes,
            replaced: done.replaced.map(Into::into),
        })
    }
}

/// Delete a file or folder.
///
/// It goes to the trash; `file.restore` brings it back.
///
/// Agents and scripts delete no secret, and no folder that holds one. The answer tells its path there, which `file.restore` wants; the trash keeps the newest 200
/// deletions. Open tabs of it stay and are marked as missing; what the person typed and did not save
/// stays with them. A symbolic link is deleted itself, not what it leads to.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Delete {
    /// What to delete, relative to the root.
    path: String,
}

/// What was deleted.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Deleted {
    /// What was deleted.
    path: String,
    /// Where it is in the trash; what `file.restore` wants to know.
    trashed: String,
    /// Files of it whose unsaved text the person still has, and may save again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    unsaved: Vec<String>,
}

impl Command<crate::OpenSpace> for Delete {
    const META: Meta =
        Meta::new("file.delete", "File: Delete", Access::Destroy).set(Set::Workspace);
    type Output = Deleted;

    fn summary(&self) -> String {
        format!("delete {}", self.path)
    }

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    async fn run(self, cx: Cx) -> Result<Deleted> {
        let path = cx.state.path(&self.path)?;
        // A page asks the person before it deletes what is not saved; others cannot.
        let drops_unsaved = is_person(&cx.caller);
        delete(&cx, &path, drops_unsaved).await
    }
}

/// Put a file or folder into the trash, with its unsaved text or without.
pub(crate) async fn delete(cx: &Cx, path: &RelPath, drops_unsaved: bool) -> Result<Deleted> {
    let (at, person) = (cx.state.now(), is_person(&cx.caller));
    let done = ask_about(cx, DeletePath { path: path.clone(), at, person }).await?;
    let unsaved = if drops_unsaved {
        cx.state.buffers().deleted(path).await;
        Vec::new()
    } else {
        cx.state.buffers().lost(path).await
    };
    cx.state.space().change(|state| deleted(state, path)).await?;
    follow_highlights(cx, None).await;
    Ok(Deleted {
        path: path.clone().into(),
        trashed: done.trashed.into(),
        unsaved: unsaved.into_iter().map(Into::into).collect(),
    })
}

/// Say what was deleted and can be brought back.
///
/// The newest first; `file.restore` takes the `trashed` of an item.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListDeleted {}

/// What can be brought back.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeletedItems {
    /// The newest first.
    items: Vec<DeletedItem>,
}

/// Something deleted.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeletedItem {
    /// Where it was, relative to the root.
    path: String,
    /// What it is.
    kind: Kind,
    /// When it was deleted, in milliseconds since 1970.
    deleted_at: u64,
    /// Where it is in the trash; what `file.restore` wants to know.
    trashed: String,
}

impl Command<crate::OpenSpace> for ListDeleted {
    const META: Meta = Meta::new("file.list_deleted", "File: List Deleted", Access::Read)
        .set(Set::Workspace)
        .shown(Shown::Searchable);
    type Output = DeletedItems;

    fn summary(&self) -> String {
        "list what was deleted".into()
    }

    async fn run(self, cx: Cx) -> Result<DeletedItems> {
        let items = ask(&cx, ListTrash {}).await.map_err(refused)?;
        let told = |TrashItem { path, kind, deleted_at, trashed }| DeletedItem {
            path: path.into(),
            kind,
            deleted_at,
            trashed: trashed.into(),
        };
        Ok(DeletedItems { items: items.into_iter().map(told).collect() })
    }
}

/// Bring something deleted back.
///
/// It returns to the path that it had, with the folders above it, unless something else is there
/// now.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Restore {
    /// Where it is in the trash, as `file.delete`, `file.list_deleted` or a move with `overwrite` told.
    trashed: String,
}

/// What is there again.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Restored {
    /// Where it is again, relative to the root.
    path: String,
}

impl Command<crate::OpenSpace> for Restore {
    const META: Meta = Meta::new("file.restore", "File: Restore Deleted", Access::Edit)
        .set(Set::Workspace)
        .shown(Shown::Searchable);
    type Output = Restored;

    fn summary(&self) -> String {
        format!("restore {}", self.trashed)
    }

    fn paths(&self) -> Vec<String> {
        vec![self.trashed.clone()]
    }

    fn check(&self) -> Result<()> {
        if self.trashed.trim().is_empty() {
            return Err(Error::invalid("argument `trashed`: it is empty"));
        }
        Ok(())
    }

    async fn run(self, cx: Cx) -> Result<Restored> {
        let trashed = cx.state.path(&self.trashed)?;
        let operation = RestorePath { trashed, person: is_person(&cx.caller) };
        let path = ask(&cx, operation).await.map_err(refused)?;
        cx.state.space().change(|state| restored(state, &path)).await?;
        Ok(Restored { path: path.into() })
    }
}
