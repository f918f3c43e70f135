//! Secrets that were ever committed: whoever can read the repository's objects can read them, whatever is hidden now.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{
    Bounded, Git, GitError, NoCredentials,
    child::{Call, Session},
    names,
};
use openspace_files::Files;

impl Git {
    /// The names of secret files that some commit of some branch, tag or stash added.
    pub async fn committed_secrets(
        &self,
        files: &Files,
        timeout: Duration,
        cancel: &CancellationToken,
    ) -> Result<Bounded<String>, GitError> {
        let mut session = self.session(files, "log", timeout, &NoCredentials, cancel);
        self.check()?;
        session.locate().await?;
        session.committed_secrets().await.map_err(|error| self.shown(error))
    }
}

impl Session<'_> {
    async fn committed_secrets(&self) -> Result<Bounded<String>, GitError> {
        // A file that was renamed is named as what it became, too.
        let ask = Call::new(["log", "--all", "--format=", "--name-only", "-z", "--no-renames"])
            .args(["--diff-filter=A", "--relative"])
            .reading();
        let mut found = BTreeSet::new();
        let mut records = names::Records::new(0);
        let mut take = |record: &[u8]| {
            let Ok(name) = std::str::from_utf8(record) else { return };
            if !name.is_empty() && names::is_hidden(self.files, name) {
                found.insert(name.to_owned());
            }
        };
        self.stream(ask, &mut |piece| records.push(piece, &mut take)).await?;
        let mut bounded = Bounded::default();
        for name in found {
            bounded.push(name);
        }
        Ok(bounded)
    }
}
