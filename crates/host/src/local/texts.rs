//! Texts of a local host: reading and showing them, writing and editing them, finding files.

use std::sync::Arc;

use openspace_files::{
    FileError, Files, Listing, TextRead, Written,
    change::Changed,
    glob::{self, Globbed},
    search::{self, Found},
    view::{self, View, ViewRequest},
};
use tokio_util::sync::CancellationToken;

use super::{LocalHost, file_changes::seen_by};
use crate::{
    host::{HostError, Location},
    operation::{
        ChangeFile, EditFile, FindFiles, Glob, ListFolder, MayRead, NearNames, ReadText, ViewPath,
        WriteFile,
    },
};

/// A file this small is read where the call runs: two changes of thread would cost more than the
/// read itself.
const SMALL_FILE: u64 = 64 * 1024;

impl LocalHost {
    pub(super) fn may_read(&self, wanted: &MayRead) -> Result<(), HostError> {
        Ok(seen_by(&self.files(), wanted.person, |files| files.may_read(&wanted.path))?)
    }

    pub(super) async fn near_names(
        &self,
        NearNames { path }: NearNames,
        cancel: &CancellationToken,
    ) -> Result<Vec<String>, HostError> {
        self.blocking(cancel, move |files, _| Ok::<_, FileError>(files.near_names(&path))).await
    }

    pub(super) async fn read(
        &self,
        ReadText { path, range, person }: ReadText,
        cancel: &CancellationToken,
    ) -> Result<TextRead, HostError> {
        let files = self.files();
        if files.is_small(&path, SMALL_FILE) {
            return Ok(seen_by(&files, person, |files| files.read(&path, range))?);
        }
        let read = move |files: &Files| files.read(&path, range);
        self.blocking(cancel, move |files, _| seen_by(files, person, read)).await
    }

    pub(super) async fn write(
        &self,
        WriteFile { path, content }: WriteFile,
        cancel: &CancellationToken,
    ) -> Result<Written, HostError> {
        self.blocking(cancel, move |files, _| files.write(&path, &content)).await
    }

    pub(super) async fn list(
        &self,
        ListFolder { path, recursive, limit }: ListFolder,
        cancel: &CancellationToken,
    ) -> Result<Listing, HostError> {
        self.blocking(cancel, move |files, stop| files.list(&path, recursive, limit, stop)).await
    }

    pub(super) async fn find_files(
        &self,
        FindFiles { query }: FindFiles,
        cancel: &CancellationToken,
    ) -> Result<Found, HostError> {
        self.blocking(cancel, move |files, stop| search::search(files, &query, stop)).await
    }

    pub(super) async fn glob(
        &self,
        Glob { query }: Glob,
        cancel: &CancellationToken,
    ) -> Result<Globbed, HostError> {
        self.blocking(cancel, move |files, stop| glob::glob(files, &query, stop)).await
    }

    pub(super) async fn view(
        &self,
        wanted: ViewPath,
        cancel: &CancellationToken,
    ) -> Result<View, HostError> {
        let ViewPath { location, offset, limit } = wanted;
        let (other, path) = match location {
            Location::Workspace(path) => (None, path),
            Location::Output(path) => (Some(self.outputs.files()), path),
        };
        let request = ViewRequest { path, offset, limit };
        if other.is_none() {
            let files = self.files();
            if files.is_small(&request.path, SMALL_FILE) {
                return Ok(view::view(&files, &self.lines, &request, &|| false)?);
            }
        }
        let lines = Arc::clone(&self.lines);
        self.blocking(cancel, move |files, stop| {
            view::view(other.as_deref().unwrap_or(files), &lines, &request, stop)
        })
        .await
    }

    pub(super) async fn change_file(
        &self,
        ChangeFile { request }: ChangeFile,
        cancel: &CancellationToken,
    ) -> Result<Changed, HostError> {
        self.changing(cancel, move |changes, files, stop| changes.write(files, &request, stop))
            .await
    }

    pub(super) async fn edit_file(
        &self,
        EditFile { request }: EditFile,
        cancel: &CancellationToken,
    ) -> Result<Changed, HostError> {
        self.changing(cancel, move |changes, files, stop| changes.edit(files, &request, stop)).await
    }
}
