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

/// How the mode of a file begins. Of a symbolic link git keeps the name it leads to, of a submodule a commit.
const FILE: &str = "100";
/// What stands before a name.
const FACTS: usize = 5;

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
        let ask = Call::new(["log", "--all", "--format=", "--raw", "-z", "--no-renames"])
            // What was a link before is added when it becomes a file.
            .args(["--diff-filter=AT", "--relative"])
            .reading();
        let mut found = BTreeSet::new();
        let mut records = names::Records::new(0);
        let mut is_file = false;
        let mut take = |record: &[u8]| {
            let Ok(text) = std::str::from_utf8(record) else { return };
            // Before each name stands what it was and is: `:000000 100644 … … A`.
            if let Some(modes) = text.strip_prefix(':')
                && let Some(mode) = modes.split(' ').nth(1)
                && modes.split(' ').count() == FACTS
            {
                is_file = mode.starts_with(FILE);
            } else if !text.is_empty() && is_file && names::is_hidden(self.files, text) {
                found.insert(text.to_owned());
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
