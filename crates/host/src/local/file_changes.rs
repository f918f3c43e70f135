//! Files of a local host for those who look at and change them whole: editors and trees of files.

use std::sync::Arc;

use openspace_files::{
    BytesRead, Copied, Files, Inspected, Moved, Names, TrashItem, Trashed,
    change::{Changes, Saved},
    secrets::{self, SecretFiles},
};
use openspace_protocol::RelPath;
use tokio_util::sync::CancellationToken;

use super::LocalHost;
use crate::{
    host::HostError,
    operation::{
        CopyPath, DeletePath, InspectPath, ListNames, ListTrash, MakeFolder, MovePath, ReadBytes,
        ReadSecrets, RestorePath, WriteBytes,
    },
};

/// Call with the files as the one who asks may see them.
pub(super) fn seen_by<T>(files: &Files, person: bool, work: impl FnOnce(&Files) -> T) -> T {
    if person { work(&files.for_a_person()) } else { work(files) }
}

impl LocalHost {
    /// Do file work beside which no other change of the same files may happen.
    pub(super) async fn changing<T: Send + 'static, E: Into<HostError> + Send + 'static>(
        &self,
        cancel: &CancellationToken,
        work: impl FnOnce(&Changes, &Files, &dyn Fn() -> bool) -> Result<T, E> + Send + 'static,
    ) -> Result<T, HostError> {
        let changes = Arc::clone(&self.changes);
        self.blocking(cancel, move |files, stop| work(&changes, files, stop)).await
    }

    pub(super) async fn inspect(
        &self,
        InspectPath { path, person }: InspectPath,
        cancel: &CancellationToken,
    ) -> Result<Inspected, HostError> {
        let inspect = move |files: &Files| files.inspect(&path);
        self.blocking(cancel, move |files, _| seen_by(files, person, inspect)).await
    }

    pub(super) async fn list_names(
        &self,
        ListNames { path, limit }: ListNames,
        cancel: &CancellationToken,
    ) -> Result<Names, HostError> {
        self.blocking(cancel, move |files, stop| files.names(&path, limit, stop)).await
    }

    pub(super) async fn read_bytes(
        &self,
        ReadBytes { path, person }: ReadBytes,
        cancel: &CancellationToken,
    ) -> Result<BytesRead, HostError> {
        self.blocking(cancel, move |files, stop| {
            seen_by(files, person, |files| files.read_bytes(&path, stop))
        })
        .await
    }

    pub(super) async fn read_secrets(
        &self,
        ReadSecrets { among }: ReadSecrets,
        cancel: &CancellationToken,
    ) -> Result<SecretFiles, HostError> {
        self.blocking(cancel, move |files, stop| secrets::read(files, among, stop)).await
    }

    pub(super) async fn write_bytes(
        &self,
        WriteBytes { path, content, expected, person }: WriteBytes,
        cancel: &CancellationToken,
    ) -> Result<Saved, HostError> {
        self.changing(cancel, move |changes, files, stop| {
            let save = |files: &Files| changes.save(files, &path, &content, &expected, stop);
            seen_by(files, person, save)
        })
        .await
    }

    pub(super) async fn make_folder(
        &self,
        MakeFolder { path, person }: MakeFolder,
        cancel: &CancellationToken,
    ) -> Result<bool, HostError> {
        let make = move |files: &Files| files.make_folder(&path);
        self.blocking(cancel, move |files, _| seen_by(files, person, make)).await
    }

    pub(super) async fn move_path(
        &self,
        MovePath { from, to, overwrite, at, person }: MovePath,
        cancel: &CancellationToken,
    ) -> Result<Moved, HostError> {
        self.changing(cancel, move |changes, files, stop| {
            let _alone = changes.hold(files, &[&from, &to]);
            let relocate = |files: &Files| files.relocate(&from, &to, overwrite, at, stop);
            seen_by(files, person, relocate)
        })
        .await
    }

    pub(super) async fn copy_path(
        &self,
        CopyPath { from, to, overwrite, at, person }: CopyPath,
        cancel: &CancellationToken,
    ) -> Result<Copied, HostError> {
        self.blocking(cancel, move |files, stop| {
            seen_by(files, person, |files| files.copy(&from, &to, overwrite, at, stop))
        })
        .await
    }

    pub(super) async fn delete_path(
        &self,
        DeletePath { path, at, person }: DeletePath,
        cancel: &CancellationToken,
    ) -> Result<Trashed, HostError> {
        self.changing(cancel, move |changes, files, _| {
            let _alone = changes.hold(files, &[&path]);
            seen_by(files, person, |files| files.delete(&path, at))
        })
        .await
    }

    pub(super) async fn restore_path(
        &self,
        RestorePath { trashed, person }: RestorePath,
        cancel: &CancellationToken,
    ) -> Result<RelPath, HostError> {
        let restore = move |files: &Files| files.restore(&trashed);
        self.blocking(cancel, move |files, _| seen_by(files, person, restore)).await
    }

    pub(super) async fn list_trash(
        &self,
        ListTrash {}: ListTrash,
        cancel: &CancellationToken,
    ) -> Result<Vec<TrashItem>, HostError> {
        self.blocking(cancel, |files, _| files.in_trash()).await
    }
}
