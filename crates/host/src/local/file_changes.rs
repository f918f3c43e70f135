//! Files of a local host for those who look at and change them whole: editors and trees of files.

use std::sync::Arc;

use openspace_files::{Files, change::Changes};

use super::LocalHost;
use crate::{
    host::{HostError, Talk},
    operation::{
        CopyPath, DeletePath, InspectPath, ListNames, MakeFolder, MovePath, ReadBytes, Reply,
        Request, RestorePath, WriteBytes,
    },
};

impl LocalHost {
    pub(super) async fn file_work(
        &self,
        request: Request,
        talk: &Talk,
    ) -> Result<Reply, HostError> {
        let changes = Arc::clone(&self.changes);
        self.blocking(talk, move |files, stop| work(files, &changes, request, stop)).await
    }
}

/// Call with the files as the one who asks may see them.
pub(super) fn seen_by<T>(files: &Files, person: bool, work: impl FnOnce(&Files) -> T) -> T {
    if person { work(&files.for_a_person()) } else { work(files) }
}

fn work(
    files: &Files,
    changes: &Changes,
    request: Request,
    stop: &dyn Fn() -> bool,
) -> Result<Reply, HostError> {
    Ok(match request {
        Request::InspectPath(InspectPath { path, person }) => {
            Reply::InspectPath(seen_by(files, person, |files| files.inspect(&path))?)
        }
        Request::ListNames(ListNames { path, limit }) => {
            Reply::ListNames(files.names(&path, limit, stop)?)
        }
        Request::ReadBytes(ReadBytes { path, person }) => {
            Reply::ReadBytes(seen_by(files, person, |files| files.read_bytes(&path, stop))?)
        }
        Request::WriteBytes(WriteBytes { path, content, expected, person }) => {
            let save = |files: &Files| changes.save(files, &path, &content, &expected, stop);
            Reply::WriteBytes(seen_by(files, person, save)?)
        }
        Request::MakeFolder(MakeFolder { path, person }) => {
            Reply::MakeFolder(seen_by(files, person, |files| files.make_folder(&path))?)
        }
        Request::MovePath(MovePath { from, to, overwrite, at, person }) => {
            let _alone = changes.hold(files, &[&from, &to]);
            let relocate = |files: &Files| files.relocate(&from, &to, overwrite, at, stop);
            Reply::MovePath(seen_by(files, person, relocate)?)
        }
        Request::CopyPath(CopyPath { from, to, overwrite, at, person }) => {
            let copy = |files: &Files| files.copy(&from, &to, overwrite, at, stop);
            Reply::CopyPath(seen_by(files, person, copy)?)
        }
        Request::DeletePath(DeletePath { path, at, person }) => {
            let _alone = changes.hold(files, &[&path]);
            Reply::DeletePath(seen_by(files, person, |files| files.delete(&path, at))?)
        }
        Request::RestorePath(RestorePath { trashed, person }) => {
            Reply::RestorePath(seen_by(files, person, |files| files.restore(&trashed))?)
        }
        other => return Err(HostError::Internal(format!("nobody does {other:?}"))),
    })
}
