//! A file that takes the whole of an output, written off the async threads and bounded in size.
//!
//! It removes its file when it is dropped before [`Spill::finish`] has told anybody of it, unless
//! [`Spill::keep`] was called.

use std::fs::{File, OpenOptions};
use std::io::{Error, Write as _};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::task::JoinHandle;

use super::{FullOutput, Incomplete, ProcessError};

/// How much may wait for the disk before the program that prints has to wait too.
const MOST_WAITING: usize = 512 * 1024;

pub(super) struct Spill {
    path: PathBuf,
    file: Arc<File>,
    limit: u64,
    accepted: u64,
    written: u64,
    waiting: Vec<u8>,
    writing: Option<(u64, JoinHandle<Result<(), Error>>)>,
    incomplete: Option<Incomplete>,
    keep: bool,
}

impl Spill {
    pub(super) fn create(folder: &Path, limit: u64) -> Result<Self, FullOutput> {
        let path = folder.join(format!("output-{}.txt", unique()));
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        match file {
            Ok(file) => Ok(Self {
                path,
                file: Arc::new(file),
                limit,
                accepted: 0,
                written: 0,
                waiting: Vec::new(),
                writing: None,
                incomplete: None,
                keep: false,
            }),
            Err(error) => Err(FullOutput { path, bytes: 0, incomplete: Some(failed(&error)) }),
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        if self.incomplete.is_some() {
            return;
        }
        let room = usize::try_from(self.limit - self.accepted).unwrap_or(usize::MAX);
        let fits = room.min(bytes.len());
        self.waiting.extend_from_slice(&bytes[..fits]);
        self.accepted += fits as u64;
        if fits < bytes.len() {
            self.incomplete = Some(Incomplete::Limit { bytes: self.limit });
        }
    }

    /// Waits until more may be pushed. Losing the future loses nothing.
    pub(super) async fn room(&mut self) {
        loop {
            let full = self.waiting.len() >= MOST_WAITING;
            if self.writing.as_ref().is_some_and(|(_, job)| full || job.is_finished()) {
                self.await_write().await;
            }
            self.write();
            if self.waiting.len() < MOST_WAITING {
                return;
            }
        }
    }

    /// Writes what waits, and gives the file away.
    pub(super) async fn finish(mut self) -> FullOutput {
        self.flush().await;
        self.keep();
        self.output()
    }

    pub(super) async fn flush(&mut self) {
        while self.writing.is_some() || !self.waiting.is_empty() {
            self.await_write().await;
            self.write();
        }
    }

    /// The file stays when this is dropped.
    pub(super) fn keep(&mut self) {
        self.keep = true;
    }

    /// What is certainly in the file.
    pub(super) fn output(&self) -> FullOutput {
        FullOutput {
            path: self.path.clone(),
            bytes: self.written,
            incomplete: self.incomplete.clone(),
        }
    }

    /// Whether something pushed earlier may still come to be in the file.
    pub(super) fn is_behind(&self) -> bool {
        self.written < self.accepted && !matches!(self.incomplete, Some(Incomplete::Failed { .. }))
    }

    fn write(&mut self) {
        if self.writing.is_some() || self.waiting.is_empty() {
            return;
        }
        let bytes = std::mem::take(&mut self.waiting);
        let file = Arc::clone(&self.file);
        let size = bytes.len() as u64;
        let job = tokio::task::spawn_blocking(move || (&*file).write_all(&bytes));
        self.writing = Some((size, job));
    }

    async fn await_write(&mut self) {
        let Some((size, job)) = &mut self.writing else { return };
        let size = *size;
        let result = job.await.unwrap_or_else(|failure| Err(failure.into()));
        self.writing = None;
        match result {
            Ok(()) => self.written += size,
            Err(error) => {
                self.incomplete = Some(failed(&error));
                self.waiting = Vec::new();
            }
        }
    }
}

impl Drop for Spill {
    #[expect(clippy::disallowed_methods, reason = "the file is no file of a workspace")]
    fn drop(&mut self) {
        if !self.keep
            && let Err(error) = std::fs::remove_file(&self.path)
        {
            tracing::warn!(path = %self.path.display(), %error, "an output file stays behind");
        }
    }
}

/// Reads a part of an output file that is certainly written.
pub(super) async fn reread(path: PathBuf, from: u64, size: usize) -> Result<Vec<u8>, ProcessError> {
    let failed = {
        let path = path.clone();
        |source| ProcessError::Reread { path, source }
    };
    let job = tokio::task::spawn_blocking(move || {
        let mut bytes = vec![0; size];
        OpenOptions::new().read(true).open(path)?.read_exact_at(&mut bytes, from)?;
        Ok(bytes)
    });
    job.await.unwrap_or_else(|failure| Err(failure.into())).map_err(failed)
}

fn failed(error: &Error) -> Incomplete {
    Incomplete::Failed { message: error.to_string() }
}

fn unique() -> String {
    let mut bytes = [0_u8; 12];
    // Without randomness the name is still refused when it exists.
    _ = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty());
    bytes.iter().fold(String::new(), |name, byte| name + &format!("{byte:02x}"))
}

#[cfg(test)]
mod tests;
