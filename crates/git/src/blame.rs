//! Which commit each line of a file comes from. Unsaved text counts: its lines come from no commit.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::child::{Call, Session};
use super::error::{GitError, classify};
use super::lines::Lines;
use super::names::{self, Records};
use super::reply::CommitInfo;
use super::request::BlameRequest;
use super::scratch::Scratch;

/// The most lines of one answer.
const MOST_LINES: usize = 1000;

/// Lines one after another that come from the same commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BlamedLines {
    /// The first of them, from 1.
    pub first: u32,
    /// The last of them.
    pub last: u32,
    /// The commit; absent for lines that are in none yet.
    pub oid: Option<String>,
}

/// A commit that lines come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BlamedCommit {
    pub oid: String,
    pub short_oid: String,
    /// `Name <address>`.
    pub author: String,
    /// When it was written, as in ISO 8601.
    pub authored: String,
    /// The first line of the message.
    pub summary: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BlameReply {
    /// The file, relative to the workspace root.
    pub path: String,
    /// In the order of the file, at most 1000 lines of it.
    pub lines: Vec<BlamedLines>,
    /// The commits that `lines` names.
    pub commits: Vec<BlamedCommit>,
}

impl Session<'_> {
    pub(super) async fn blame(&self, request: &BlameRequest) -> Result<BlameReply, GitError> {
        let BlameRequest { path, lines, revision, content } = request;
        names::may_show(self.files, path)?;
        let lines = match lines {
            Some(text) => Lines::parse(text)?,
            None => Lines(vec![1..=MOST_LINES]),
        };
        if lines.count() > MOST_LINES {
            return Err(GitError::invalid(format!("`lines` are more than {MOST_LINES}")));
        }
        let mut call = Call::new(["blame", "--porcelain", "--no-progress"]).reading();
        for range in &lines.0 {
            call = call.arg(format!("-L{},{}", range.start(), range.end()));
        }
        // Held until git has read it.
        let scratch;
        match (revision, content) {
            (Some(revision), _) => call = call.arg(self.resolve(revision).await?),
            (None, Some(text)) => {
                scratch = Scratch::holding(self, text.as_bytes())?;
                call = call.arg("--contents").arg(scratch.path());
            }
            (None, None) => {}
        }
        if revision.is_none() && self.head().await?.is_none() {
            return Err(GitError::NoCommitYet);
        }
        let done = self.run(call.args(["--", path.as_str()])).await?;
        if !done.is_success() {
            return Err(if done.stderr.contains("no such path") {
                let revision = revision.clone().unwrap_or_else(|| "HEAD".to_owned());
                GitError::NotInRevision { path: path.to_string(), revision }
            } else if done.stderr.contains("Cannot lstat") {
                GitError::NoSuchFiles { files: vec![path.to_string()] }
            } else if let Some(at) = done.stderr.find("has only") {
                let rest = done.stderr[at..].trim_end();
                GitError::invalid(format!("`{path}` {rest}"))
            } else {
                classify(self.action, &done)
            });
        }
        let found = read(&done.stdout);
        let commits = self.blamed_commits(&found).await?;
        Ok(BlameReply { path: path.to_string(), lines: found, commits })
    }

    async fn blamed_commits(&self, lines: &[BlamedLines]) -> Result<Vec<BlamedCommit>, GitError> {
        let mut oids: Vec<String> = lines.iter().filter_map(|lines| lines.oid.clone()).collect();
        oids.sort();
        oids.dedup();
        if oids.is_empty() {
            return Ok(Vec::new());
        }
        let commits = self.commits(&["--no-walk=unsorted".to_owned()], oids, &[]).await?;
        let mut known: HashMap<String, CommitInfo> =
            commits.into_iter().map(|commit| (commit.oid.clone(), commit)).collect();
        // In the order in which the file names them.
        let in_order = lines.iter().filter_map(|lines| known.remove(lines.oid.as_ref()?));
        Ok(in_order
            .map(|CommitInfo { oid, short_oid, author, authored, summary, .. }| BlamedCommit {
                oid,
                short_oid,
                author,
                authored,
                summary,
            })
            .collect())
    }
}

/// Reads the porcelain: each line of the file has a head `OID OLD NEW [COUNT]` and ends with its
/// text behind a tab. What stands between is told elsewhere.
fn read(told: &[u8]) -> Vec<BlamedLines> {
    let mut found: Vec<BlamedLines> = Vec::new();
    let mut records = Records::new(b'\n');
    let mut is_head = true;
    records.push(told, |record| {
        let was_head = std::mem::replace(&mut is_head, record.first() == Some(&b'\t'));
        if !was_head {
            return;
        }
        let text = String::from_utf8_lossy(record);
        let mut words = text.split(' ');
        let (Some(oid), Some(Ok(line))) = (words.next(), words.nth(1).map(str::parse)) else {
            return;
        };
        let oid = oid.bytes().any(|byte| byte != b'0').then(|| oid.to_owned());
        match found.last_mut() {
            Some(last) if last.oid == oid && last.last + 1 == line => last.last = line,
            _ => found.push(BlamedLines { first: line, last: line, oid }),
        }
    });
    found
}
