//! The folder with full outputs: readable by callers, and kept small.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

use openspace_files::{FileError, Files, rules::Rules};

/// How long a full output can be read.
const KEPT_FOR: Duration = Duration::from_hours(7 * 24);
/// How much all of them may take. The newest one always stays.
const KEPT_BYTES: u64 = 2 * 1024 * 1024 * 1024;

/// Full outputs of programs that printed much.
pub(super) struct Outputs {
    files: Arc<Files>,
}

impl Outputs {
    pub(super) fn open(folder: &Path) -> Result<Self, FileError> {
        let outputs = Self { files: Arc::new(Files::open(folder, Rules::new(&[], &[])?)?) };
        outputs.tidy();
        Ok(outputs)
    }

    pub(super) fn folder(&self) -> &Path {
        self.files.root()
    }

    pub(super) fn files(&self) -> Arc<Files> {
        Arc::clone(&self.files)
    }

    /// Remove what is too old or too much, off the caller's way.
    #[expect(clippy::disallowed_methods, reason = "files are as old as the machine's clock says")]
    pub(super) fn tidy(&self) {
        let folder = self.folder().to_owned();
        tokio::task::spawn_blocking(move || {
            if let Err(error) = tidy(&folder, SystemTime::now(), KEPT_BYTES) {
                tracing::warn!(%error, "old outputs could not be removed");
            }
        });
    }
}

#[expect(clippy::disallowed_methods, reason = "full outputs lie in no workspace")]
fn tidy(folder: &Path, now: SystemTime, kept_bytes: u64) -> std::io::Result<()> {
    let mut found: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        if metadata.is_file() {
            found.push((metadata.modified()?, metadata.len(), entry.path()));
        }
    }
    found.sort_unstable_by(|one, other| other.cmp(one));
    let mut kept = 0_u64;
    for (number, (modified, size, path)) in found.into_iter().enumerate() {
        kept = kept.saturating_add(size);
        let old = now.duration_since(modified).is_ok_and(|age| age > KEPT_FOR);
        if old || (number > 0 && kept > kept_bytes) {
            match std::fs::remove_file(path) {
                // Another one has tidied meanwhile.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                other => other?,
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "full outputs lie in no workspace")]
    fn old_outputs_go_and_the_newest_stays_whatever_its_size() {
        let folder = tempfile::tempdir().unwrap();
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        for (name, size, age_in_days) in
            [("newest", 500, 0), ("second", 60, 1), ("third", 60, 2), ("ancient", 1, 8)]
        {
            let path = folder.path().join(name);
            std::fs::write(&path, vec![b'x'; size]).unwrap();
            let modified = now - Duration::from_hours(age_in_days * 24);
            std::fs::File::options()
                .write(true)
                .open(&path)
                .unwrap()
                .set_modified(modified)
                .unwrap();
        }
        tidy(folder.path(), now, 600).unwrap();
        let mut left: Vec<_> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left, ["newest", "second"]);
    }
}
