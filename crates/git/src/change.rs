//! Staging files and restoring them.

use openspace_protocol::RelPath;

use super::along::KNOWN_AND_NEW;
use super::child::{Call, Session};
use super::diff::Comparison;
use super::error::{GitError, classify};
use super::lines::Lines;
use super::names::{self, Records, is_beneath};
use super::reply::{AddReply, Bounded, Change, Name, RestoreReply};
use super::request::{AddRequest, RestoreRequest};

impl Session<'_> {
    pub(super) async fn add(&self, request: &AddRequest) -> Result<AddReply, GitError> {
        match (&request.lines, request.files.as_slice()) {
            (None, files) => {
                if !request.force {
                    self.must_be_without_markers(files).await?;
                }
                self.stage(files, request.force).await?;
            }
            (Some(lines), [file]) => {
                let lines = Lines::parse(lines)?;
                self.stage_lines(file, &lines, request.content.as_deref()).await?;
            }
            (Some(_), _) => return Err(GitError::invalid("`lines` are those of one file")),
        }
        let changes = self.changes(&facts(&["--cached"], &request.files)?, &mut 0).await?;
        let entries = changes.files.into_iter().map(|file| Change {
            name: file.name,
            change: file.change,
            old_path: file.old_path,
        });
        let staged = Bounded { entries: entries.collect(), total: changes.totals.files };
        Ok(AddReply { staged })
    }

    /// A file in conflict that is staged counts as resolved, so it must look so.
    async fn must_be_without_markers(&self, files: &[RelPath]) -> Result<(), GitError> {
        if files.is_empty() {
            return Ok(());
        }
        let conflicts = self.status(files).await?.conflicts.entries;
        let found: Result<Vec<RelPath>, _> =
            conflicts.iter().map(|conflict| RelPath::parse(&conflict.name.path)).collect();
        let found = found.map_err(|error| GitError::invalid(error.to_string()))?;
        if found.is_empty() {
            return Ok(());
        }
        let call = Call::new(["grep", "-z", "--files-with-matches", "--no-textconv", "-G"])
            .args(["--no-recurse-submodules", "--no-full-name", "--all-match"])
            .args(["-e", "^<<<<<<< ", "-e", "^>>>>>>> ", "--"])
            .args(names::paths(&found)?)
            .reading();
        let done = self.run(call).await?;
        match done.code {
            Some(1) => Ok(()),
            Some(0) => {
                let names = done.stdout.split(|&byte| byte == 0).filter(|name| !name.is_empty());
                let files = names.map(|name| String::from_utf8_lossy(name).into_owned()).collect();
                Err(GitError::ConflictMarkers { files })
            }
            _ => Err(classify(self.action, &done)),
        }
    }

    /// Stages files as they are now. Files that neither git nor the folder knows are an error, and
    /// then nothing is staged.
    pub(super) async fn stage(&self, files: &[RelPath], force: bool) -> Result<(), GitError> {
        if files.is_empty() {
            return Err(GitError::invalid("`files` is empty"));
        }
        let known = ["ls-files", "--cached", "--others", "--exclude-standard"];
        let unknown = self.unmatched(&known, files).await?;
        // What is deleted and staged already is known to the current commit alone.
        let mut gone = unknown.clone();
        if !unknown.is_empty()
            && let Some(head) = self.head().await?
        {
            gone = self.unmatched(&["ls-tree", "-r", "--name-only", &head], &unknown).await?;
        }
        if !gone.is_empty() {
            return Err(self.missing(&gone).await?);
        }
        self.leave_secrets(&KNOWN_AND_NEW, files, force).await?;
        let present: Vec<RelPath> =
            files.iter().filter(|file| !unknown.contains(file)).cloned().collect();
        if !present.is_empty() {
            let call = Call::new(["add", "--all", "--"]).args(names::paths(&present)?);
            self.must(call).await?;
        }
        Ok(())
    }

    /// Which of the files nothing in a listing belongs to.
    pub(super) async fn unmatched(
        &self,
        listing: &[&str],
        files: &[RelPath],
    ) -> Result<Vec<RelPath>, GitError> {
        let call = Call::new(listing).args(["-z", "--"]).args(names::paths(files)?).reading();
        let mut left: Vec<RelPath> = files.to_vec();
        let mut records = Records::new(0);
        let mut take = |path: &[u8]| left.retain(|file| !is_beneath(path, file));
        self.stream(call, &mut |piece| records.push(piece, &mut take)).await?;
        Ok(left)
    }

    pub(super) async fn missing(&self, files: &[RelPath]) -> Result<GitError, GitError> {
        let listing = ["ls-files", "--others", "--ignored", "--exclude-standard"];
        let unknown = self.unmatched(&listing, files).await?;
        let named = |files: &[RelPath]| files.iter().map(ToString::to_string).collect();
        Ok(if unknown.is_empty() {
            GitError::Ignored { files: named(files) }
        } else {
            GitError::NoSuchFiles { files: named(&unknown) }
        })
    }

    pub(super) async fn restore(&self, request: &RestoreRequest) -> Result<RestoreReply, GitError> {
        if request.files.is_empty() {
            return Err(GitError::invalid("`files` is empty"));
        }
        if let Some(lines) = &request.lines {
            let ([file], true, None) = (request.files.as_slice(), request.staged, &request.source)
            else {
                let rule = "`lines` are those of one file, and go with `staged` alone";
                return Err(GitError::invalid(rule));
            };
            self.unstage_lines(file, &Lines::parse(lines)?).await?;
            let name = Name { path: file.to_string(), lossy: false };
            return Ok(RestoreReply { restored: Bounded { entries: vec![name], total: 1 } });
        }
        let source = match &request.source {
            Some(revision) => Some(self.resolve(revision).await?),
            None => None,
        };
        let mut what = Vec::new();
        if request.staged {
            what.push("--cached");
        }
        what.extend(source.as_deref());
        let before = self.changes(&facts(&what, &request.files)?, &mut 0).await?;
        let paths = names::paths(&request.files)?;
        let call = if request.staged && source.is_none() && self.head().await?.is_none() {
            // Before the first commit there is nothing to restore the index from.
            // Forced, because a file that changed since it was staged is no reason to keep it staged.
            Call::new(["rm", "--cached", "-r", "--force", "--quiet", "--"])
        } else {
            let place = match (request.staged, &source) {
                (true, _) => &["--staged"][..],
                // What git keeps of a file in conflict is its sides: it is merged again.
                (false, None) => &["--worktree", "--merge"],
                (false, Some(_)) => &["--worktree"],
            };
            let from = source.map(|oid| format!("--source={oid}"));
            Call::new(["restore", "--quiet"]).args(place).args(from).arg("--")
        };
        self.must(call.args(paths)).await?;
        let entries = before.files.into_iter().map(|file| file.name).collect();
        Ok(RestoreReply { restored: Bounded { entries, total: before.totals.files } })
    }
}

fn facts(what: &[&str], files: &[RelPath]) -> Result<Comparison, GitError> {
    Ok(Comparison {
        what: what.iter().map(|&word| word.to_owned()).collect(),
        paths: names::paths(files)?,
        context: 0,
        stat_only: true,
    })
}
