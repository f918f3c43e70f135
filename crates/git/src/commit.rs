//! Committing, and telling which hook would not have it.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use openspace_protocol::RelPath;

use super::along::KNOWN;
use super::child::{Call, Done, Session};
use super::error::{GitError, classify, message};
use super::names;
use super::reply::{Bounded, CommitReply, Operation};
use super::request::CommitRequest;

/// The most of git's own record of a run that is read.
const LARGEST_TRACE: u64 = 4 * 1024 * 1024;

impl Session<'_> {
    pub(super) async fn commit(&self, request: &CommitRequest) -> Result<CommitReply, GitError> {
        let text = match &request.message {
            Some(text) => Some(names::message(text)?),
            None if request.amend => None,
            None => return Err(GitError::invalid("`message` is missing")),
        };
        if request.all && !request.files.is_empty() {
            return Err(GitError::invalid("`all` and `files` exclude each other"));
        }
        let status = self.status(&[]).await?;
        if request.amend && status.head.is_none() {
            return Err(GitError::NoCommitYet);
        }
        if !request.files.is_empty()
            && let Some(operation @ (Operation::Merge | Operation::CherryPick)) = status.operation
        {
            let message = format!(
                "{operation:?} is committed as a whole: stage with `add`, commit without `files`"
            );
            return Err(GitError::InTheMiddle { message });
        }
        if status.conflicts.total > 0 {
            let files = status.conflicts.entries.into_iter().map(|file| file.name.path);
            return Err(GitError::Conflicts { files: files.collect() });
        }
        if request.all {
            self.leave_secrets(&KNOWN, &[RelPath::default()], request.force).await?;
            self.must(Call::new(["add", "--update", "--", "."])).await?;
        } else if !request.files.is_empty() {
            self.stage(&request.files, request.force).await?;
        }
        let paths = names::paths(&request.files)?;
        let may_be_empty = request.amend || request.allow_empty || status.operation.is_some();
        if !may_be_empty && !self.something_staged(&paths).await? {
            return Err(GitError::NothingToCommit);
        }
        self.make(request, text, &paths).await?;
        self.committed().await
    }

    async fn something_staged(&self, paths: &[String]) -> Result<bool, GitError> {
        let ask =
            Call::new(["diff", "--cached", "--quiet", "--no-ext-diff", "--no-textconv", "--"]);
        let done = self.run(ask.args(paths).reading()).await?;
        match done.code {
            Some(0) => Ok(false),
            Some(1) => Ok(true),
            _ => Err(classify(self.action, &done)),
        }
    }

    async fn make(
        &self,
        request: &CommitRequest,
        text: Option<&str>,
        paths: &[String],
    ) -> Result<(), GitError> {
        let mut call = match text {
            Some(text) => self.committing(&["--cleanup=whitespace", "--message", text]),
            None => self.committing(&["--cleanup=whitespace", "--no-edit"]),
        };
        if request.amend {
            // Git keeps the first author of an amended commit unless told.
            call = call.args(["--amend", "--reset-author"]);
        }
        if request.allow_empty {
            call = call.arg("--allow-empty");
        }
        if !paths.is_empty() {
            call = call.arg("--only");
        }
        let done = self.hooked(call.arg("--").args(paths)).await?;
        if done.is_success() { Ok(()) } else { Err(classify(self.action, &done)) }
    }

    /// The beginning of every commit.
    pub(super) fn committing(&self, options: &[&str]) -> Call {
        let call = Call::new(["-c", "trailer.ifexists=addIfDifferent", "commit", "--quiet"])
            .arg("--no-gpg-sign")
            .args(options);
        match self.git.settings.co_author.as_ref().filter(|_| !self.git.person) {
            Some(who) => {
                call.arg("--trailer").arg(format!("Co-authored-by: {} <{}>", who.name, who.email))
            }
            None => call,
        }
    }

    async fn committed(&self) -> Result<CommitReply, GitError> {
        let ask = Call::new(["log", "-1", "-z", "--no-color", "--no-show-signature"])
            .args(["--encoding=UTF-8", "--format=%H%x00%h%x00%P%x00%s"])
            .reading();
        let told = self.must(ask).await?.line();
        let mut fields = told.trim_end_matches('\0').split('\0').map(str::to_owned);
        let mut field = || fields.next().unwrap_or_default();
        let (oid, short_oid, parents, summary) = (field(), field(), field(), field());
        let parent = parents.split(' ').next().filter(|oid| !oid.is_empty()).map(str::to_owned);
        let changes = self.changes_of(&oid, parent.as_ref(), true).await?;
        let entries = changes.files.into_iter().map(|file| file.name).collect();
        Ok(CommitReply {
            oid,
            short_oid,
            summary,
            branch: self.current().await?,
            files: Bounded { entries, total: changes.totals.files },
            totals: changes.totals,
        })
    }

    /// Runs git where hooks of the repository may run, and tells when one of them failed.
    pub(super) async fn hooked(&self, call: Call) -> Result<Done, GitError> {
        let trace = Trace(self.git.settings.scratch.join(format!("{}.trace", self.git.marker())));
        let done = self.run(call.env("GIT_TRACE2_EVENT", &trace.0)).await?;
        if !done.is_success()
            && let Some((hook, exit_code)) = trace.failed_hook()
        {
            let output = message(&done.stderr, "");
            return Err(GitError::HookFailed { hook, exit_code, output });
        }
        Ok(done)
    }
}

/// Git's own record of the programs that it started.
struct Trace(PathBuf);

impl Drop for Trace {
    #[expect(clippy::disallowed_methods, reason = "the file is this module's own")]
    fn drop(&mut self) {
        // Git may not have come so far as to write it.
        drop(std::fs::remove_file(&self.0));
    }
}

impl Trace {
    /// The last hook that failed, and with which code.
    fn failed_hook(&self) -> Option<(String, Option<i32>)> {
        let mut text = Vec::new();
        open(&self.0).ok()?.take(LARGEST_TRACE).read_to_end(&mut text).ok()?;
        failed_hook(&String::from_utf8_lossy(&text))
    }
}

#[expect(clippy::disallowed_methods, reason = "the file is this module's own")]
fn open(path: &Path) -> std::io::Result<std::fs::File> {
    std::fs::File::open(path)
}

fn failed_hook(trace: &str) -> Option<(String, Option<i32>)> {
    let mut hooks: Vec<(&str, &str)> = Vec::new();
    let mut failed = None;
    for line in trace.lines() {
        // What a hook itself started has a longer name.
        if text_of(line, "sid").is_none_or(|sid| sid.contains('/')) {
            continue;
        }
        let Some(child) = number_of(line, "child_id") else { continue };
        match text_of(line, "event") {
            Some("child_start") => {
                hooks.extend(text_of(line, "hook_name").map(|hook| (child, hook)));
            }
            Some("child_exit") => {
                let code = number_of(line, "code").and_then(|code| code.parse().ok());
                let hook = hooks.iter().find(|(number, _)| *number == child);
                if let Some((_, hook)) = hook
                    && code != Some(0)
                {
                    failed = Some(((*hook).to_owned(), code));
                }
            }
            _ => {}
        }
    }
    failed
}

fn text_of<'line>(line: &'line str, key: &str) -> Option<&'line str> {
    let start = format!("\"{key}\":\"");
    let rest = &line[line.find(&start)? + start.len()..];
    Some(&rest[..rest.find('"')?])
}

fn number_of<'line>(line: &'line str, key: &str) -> Option<&'line str> {
    let start = format!("\"{key}\":");
    let rest = &line[line.find(&start)? + start.len()..];
    Some(&rest[..rest.find([',', '}'])?])
}
