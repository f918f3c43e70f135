//! Secrets that would be taken along: staged, committed or put aside with all the rest, though the last commit does not
//! have them as they are.
//!
//! Whoever says "all" rarely means a file with keys in it, and what "all" is, others can change: a line in
//! `.gitignore` or an entry in the index is enough. What is in a commit can be read by whoever reads the repository.

use openspace_protocol::RelPath;

use super::child::{Call, Session};
use super::error::GitError;
use super::names::{self, Records};

/// Files of the index.
pub(super) const KNOWN: [&str; 1] = ["--cached"];
/// These, and files that git does not know yet and does not ignore.
pub(super) const KNOWN_AND_NEW: [&str; 3] = ["--cached", "--others", "--exclude-standard"];

/// Names that git is asked about at once.
const AT_ONCE: usize = 500;

impl Session<'_> {
    /// Refuses to take along secrets that the last commit does not have as they are, unless a person means it.
    pub(super) async fn leave_secrets(
        &self,
        listing: &[&str],
        files: &[RelPath],
        force: bool,
    ) -> Result<(), GitError> {
        if force && self.git.person {
            return Ok(());
        }
        let mut new = self.secrets(listing, files).await?;
        if !new.is_empty()
            && let Some(head) = self.head().await?
        {
            let mut left = Vec::new();
            for some in new.chunks(AT_ONCE) {
                left.extend(self.unlike(&head, some).await?);
            }
            new = left;
        }
        if new.is_empty() {
            return Ok(());
        }
        Err(GitError::SecretsAlong { files: new.iter().map(ToString::to_string).collect() })
    }

    /// Which of these files are not, or not as they are now, in a commit. That one of their name is in it proves
    /// nothing: whoever can commit can have put something else there.
    async fn unlike(&self, head: &str, files: &[RelPath]) -> Result<Vec<RelPath>, GitError> {
        let same = self.unmatched(&["ls-tree", "-r", "--name-only", head], files).await?;
        let call = Call::new(["diff", "--name-only", "-z", "--no-ext-diff", "--no-textconv"])
            .args(["--no-renames", "--relative", head, "--"])
            .args(names::paths(files)?)
            .reading();
        let mut found = same;
        let mut records = Records::new(0);
        let mut take = |name: &[u8]| {
            let path = std::str::from_utf8(name).ok().and_then(|name| RelPath::parse(name).ok());
            found.extend(path.filter(|path| !path.is_root()));
        };
        self.stream(call, &mut |piece| records.push(piece, &mut take)).await?;
        found.sort();
        found.dedup();
        Ok(found)
    }

    /// The secrets among files that git lists.
    async fn secrets(&self, listing: &[&str], files: &[RelPath]) -> Result<Vec<RelPath>, GitError> {
        let paths = self.limited(names::paths(files)?);
        let call = Call::new(["ls-files", "-z"]).args(listing).arg("--").args(paths).reading();
        let mut found = Vec::new();
        let mut records = Records::new(0);
        let mut take = |name: &[u8]| {
            // A name that is no path of the workspace is no secret file in it.
            if let Ok(name) = std::str::from_utf8(name)
                && names::is_hidden(self.files, name)
                && let Ok(path) = RelPath::parse(name)
            {
                found.push(path);
            }
        };
        self.stream(call, &mut |piece| records.push(piece, &mut take)).await?;
        found.sort();
        found.dedup();
        Ok(found)
    }
}
