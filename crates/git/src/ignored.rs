//! What git ignores in the workspace, for views that show it apart. A folder of which all is ignored is named
//! once, without what is in it.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{
    Bounded, Git, GitError, Name, NoCredentials,
    child::{Call, Session},
    names,
};
use openspace_files::Files;

impl Git {
    /// The files and folders that git ignores. A folder's name has no slash at its end.
    pub async fn ignored(
        &self,
        files: &Files,
        timeout: Duration,
        cancel: &CancellationToken,
    ) -> Result<Bounded<Name>, GitError> {
        let mut session = self.session(files, "ls-files", timeout, &NoCredentials, cancel);
        self.check()?;
        session.locate().await?;
        session.ignored().await.map_err(|error| self.shown(error))
    }
}

impl Session<'_> {
    async fn ignored(&self) -> Result<Bounded<Name>, GitError> {
        let ask = Call::new(["ls-files", "-z", "--others", "--ignored", "--exclude-standard"])
            .args(["--directory"])
            .reading();
        let mut found = Bounded::default();
        let mut records = names::Records::new(0);
        let mut take = |record: &[u8]| {
            let path = record.strip_suffix(b"/").unwrap_or(record);
            if !path.is_empty() {
                found.push(names::name(path));
            }
        };
        self.stream(ask, &mut |piece| records.push(piece, &mut take)).await?;
        Ok(found)
    }
}
