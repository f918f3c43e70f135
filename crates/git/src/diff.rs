//! Changes of files: complete counts, and hunks as far as they fit and may be shown.
//!
//! Git is asked twice: for facts, which are complete whatever their number, and for the text. A
//! piece of text is shown only under a name that the facts know and the rules allow; a secret file
//! is listed without its content, under its old name as under its new one.

use std::collections::HashMap;

use super::BUDGET;
use super::child::{Call, Session};
use super::error::GitError;
use super::names::{self, Prefix, Records};
use super::reply::{Bounded, ChangeKind, Changes, DiffReply, FileDiff, Name};
use super::request::DiffRequest;
use super::status::kind;
use openspace_files::Files;

const DEFAULT_CONTEXT: u32 = 3;
pub const MAX_CONTEXT: u32 = 100;
/// One file does not take the room of all others.
const FILE_BUDGET: usize = 20 * 1024;

/// What is compared, and how it is shown.
pub(super) struct Comparison {
    /// Options and revisions that say what to compare.
    pub(super) what: Vec<String>,
    pub(super) paths: Vec<String>,
    pub(super) context: u32,
    pub(super) stat_only: bool,
}

impl Session<'_> {
    pub(super) async fn diff(&self, request: &DiffRequest) -> Result<DiffReply, GitError> {
        if request.revision.is_some() && request.staged.is_some() {
            return Err(GitError::invalid("`staged` and `revision` exclude each other"));
        }
        let paths = self.limited(names::paths(&request.paths)?);
        let compare = |what: &[&str]| Comparison {
            what: what.iter().map(|&word| word.to_owned()).collect(),
            paths: paths.clone(),
            context: request.context.unwrap_or(DEFAULT_CONTEXT).min(MAX_CONTEXT),
            stat_only: request.stat_only,
        };
        let mut room = BUDGET;
        let mut reply = DiffReply::default();
        if let Some(revision) = &request.revision {
            let range = self.range(revision).await?;
            let words = range.for_diff();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            reply.between = Some(self.changes(&compare(&words), &mut room).await?);
            return Ok(reply);
        }
        if request.staged != Some(false) {
            reply.staged = Some(self.changes(&compare(&["--cached"]), &mut room).await?);
        }
        if request.staged != Some(true) {
            reply.unstaged = Some(self.changes(&compare(&[]), &mut room).await?);
        }
        Ok(reply)
    }

    /// Paths that keep git beneath the workspace.
    pub(super) fn limited(&self, paths: Vec<String>) -> Vec<String> {
        if paths.is_empty() && !self.prefix.is_empty() { vec![".".to_owned()] } else { paths }
    }

    /// `room` is what is left of the budget of the reply.
    pub(super) async fn changes(
        &self,
        comparison: &Comparison,
        room: &mut usize,
    ) -> Result<Changes, GitError> {
        let call = |options: &[&str]| {
            Call::new(["diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-relative"])
                .arg("--ignore-submodules=dirty")
                .args(["--find-renames", "--submodule=short", "--no-abbrev"])
                .args(options)
                .args(&comparison.what)
                .arg("--")
                .args(&comparison.paths)
                .reading()
        };
        let mut facts = Facts::new(&self.prefix, self.files);
        let mut records = Records::new(0);
        let ask = call(&["--raw", "--numstat", "-z"]);
        self.stream(ask, &mut |piece| records.push(piece, |record| facts.record(record))).await?;
        let mut changes = facts.changes;
        changes.truncated = changes.totals.files > changes.files.len() as u64;
        if comparison.stat_only || changes.files.is_empty() {
            return Ok(changes);
        }
        let context = format!("--unified={}", comparison.context);
        let ask = call(&[
            "--patch",
            &context,
            "--inter-hunk-context=0",
            "--src-prefix=a/",
            "--dst-prefix=b/",
        ]);
        let mut patch = Patch {
            changes: &mut changes,
            places: &facts.places,
            files: self.files,
            prefix: &self.prefix,
            room,
            old: None,
            current: None,
            in_hunk: false,
        };
        let mut lines = Records::new(b'\n');
        self.stream(ask, &mut |piece| lines.push(piece, |line| patch.line(line))).await?;
        let rest = lines.rest();
        if !rest.is_empty() {
            patch.line(&rest);
        }
        Ok(changes)
    }
}

/// Reads what `--raw --numstat -z` prints.
struct Facts<'run> {
    prefix: &'run Prefix,
    files: &'run Files,
    changes: Changes,
    /// Where the file of a name, as git spells it, is in the list.
    places: HashMap<Vec<u8>, usize>,
    expected: Expected,
}

enum Expected {
    Entry,
    Path(ChangeKind),
    OldPath(Fact),
    NewPath(Fact, Vec<u8>),
}

#[derive(Clone, Copy)]
enum Fact {
    Change(ChangeKind),
    Counts(Option<(u64, u64)>),
}

impl<'run> Facts<'run> {
    fn new(prefix: &'run Prefix, files: &'run Files) -> Self {
        Self {
            prefix,
            files,
            changes: Changes::default(),
            places: HashMap::new(),
            expected: Expected::Entry,
        }
    }

    fn record(&mut self, record: &[u8]) {
        match std::mem::replace(&mut self.expected, Expected::Entry) {
            Expected::Entry => self.entry(record),
            Expected::Path(change) => self.file(Fact::Change(change), record, None),
            Expected::OldPath(fact) => self.expected = Expected::NewPath(fact, record.to_vec()),
            Expected::NewPath(fact, old) => self.file(fact, record, Some(&old)),
        }
    }

    fn entry(&mut self, record: &[u8]) {
        if record.first() == Some(&b':') {
            let status = record.rsplit(|&byte| byte == b' ').next().unwrap_or_default();
            let change = status.first().copied().and_then(kind).unwrap_or(ChangeKind::Modified);
            self.expected = match change {
                ChangeKind::Renamed | ChangeKind::Copied => Expected::OldPath(Fact::Change(change)),
                _ => Expected::Path(change),
            };
            return;
        }
        let mut words = record.splitn(3, |&byte| byte == b'\t');
        let mut count = || std::str::from_utf8(words.next()?).ok()?.parse().ok();
        // A binary file has signs instead of numbers.
        let (insertions, deletions): (Option<u64>, Option<u64>) = (count(), count());
        let counts = Fact::Counts(insertions.zip(deletions));
        match words.next() {
            Some(b"") => self.expected = Expected::OldPath(counts),
            Some(path) => self.file(counts, path, None),
            None => {}
        }
    }

    fn file(&mut self, fact: Fact, path: &[u8], old: Option<&[u8]>) {
        let Some(name) = self.prefix.inside(path) else { return };
        let place = self.places.get(path).copied();
        match (fact, place) {
            (Fact::Change(change), Some(place)) => {
                // A file in conflict may be listed a second time with its difference.
                let known = &mut self.changes.files[place].change;
                if change == ChangeKind::Unmerged {
                    *known = change;
                }
            }
            (Fact::Change(change), None) => {
                self.changes.totals.files += 1;
                if self.changes.files.len() < Bounded::<FileDiff>::LIMIT {
                    self.places.insert(path.to_vec(), self.changes.files.len());
                    let old_path = old.map(|old| self.prefix.anywhere(old));
                    let file = self.described(name, change, old_path);
                    self.changes.files.push(file);
                }
            }
            (Fact::Counts(counts), place) => {
                let (insertions, deletions) = counts.unwrap_or_default();
                self.changes.totals.insertions += insertions;
                self.changes.totals.deletions += deletions;
                if let Some(place) = place {
                    let file = &mut self.changes.files[place];
                    file.insertions += insertions;
                    file.deletions += deletions;
                    file.binary |= counts.is_none();
                }
            }
        }
    }

    fn described(&self, name: Name, change: ChangeKind, old_path: Option<String>) -> FileDiff {
        let hidden = names::is_hidden(self.files, &name.path)
            || old_path.as_ref().is_some_and(|old| names::is_hidden(self.files, old));
        FileDiff {
            name,
            change,
            old_path,
            binary: false,
            insertions: 0,
            deletions: 0,
            hidden,
            hunks: String::new(),
            truncated: false,
        }
    }
}

/// Reads a patch, line by line. Inside a hunk every line starts with a sign, so a line that starts
/// with `diff --` always begins another file.
struct Patch<'run> {
    changes: &'run mut Changes,
    places: &'run HashMap<Vec<u8>, usize>,
    files: &'run Files,
    prefix: &'run Prefix,
    room: &'run mut usize,
    old: Option<Vec<u8>>,
    current: Option<usize>,
    in_hunk: bool,
}

impl Patch<'_> {
    fn line(&mut self, line: &[u8]) {
        if line.starts_with(b"diff --") {
            (self.old, self.current, self.in_hunk) = (None, None, false);
        } else if !self.in_hunk {
            if let Some(name) = line.strip_prefix(b"--- ") {
                self.old = header_name(name, b"a/");
            } else if let Some(name) = line.strip_prefix(b"+++ ") {
                let new = header_name(name, b"b/");
                self.current = self.place(new.as_ref());
            } else if line.starts_with(b"@@") {
                self.in_hunk = true;
            }
        }
        if self.in_hunk {
            self.keep(line);
        }
    }

    fn place(&mut self, new: Option<&Vec<u8>>) -> Option<usize> {
        let old = self.old.take();
        let shown = |name: &Vec<u8>| !names::is_hidden(self.files, &self.prefix.anywhere(name));
        if !old.iter().chain(new).all(shown) {
            return None;
        }
        let place = *self.places.get(new.or(old.as_ref())?)?;
        (!self.changes.files[place].hidden).then_some(place)
    }

    fn keep(&mut self, line: &[u8]) {
        let Some(place) = self.current else { return };
        let file = &mut self.changes.files[place];
        if file.truncated {
            return;
        }
        let text = String::from_utf8_lossy(line);
        let bytes = text.len() + 1;
        if bytes > *self.room || file.hunks.len() + bytes > FILE_BUDGET {
            file.truncated = true;
            self.changes.truncated = true;
            return;
        }
        *self.room -= bytes;
        file.hunks.push_str(&text);
        file.hunks.push('\n');
    }
}

/// The name in a `---` or `+++` line, as git spells it elsewhere; none for `/dev/null`.
fn header_name(text: &[u8], prefix: &[u8]) -> Option<Vec<u8>> {
    let text = text.strip_suffix(b"\t").unwrap_or(text);
    let name = match text.strip_prefix(b"\"") {
        Some(quoted) => unquote(quoted),
        None => text.to_vec(),
    };
    name.strip_prefix(prefix).map(<[u8]>::to_vec)
}

/// Undoes git's quoting in the manner of C, behind the opening quote.
fn unquote(quoted: &[u8]) -> Vec<u8> {
    let mut name = Vec::with_capacity(quoted.len());
    let mut bytes = quoted.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => break,
            b'\\' => match bytes.next() {
                Some(b'a') => name.push(7),
                Some(b'b') => name.push(8),
                Some(b't') => name.push(b'\t'),
                Some(b'n') => name.push(b'\n'),
                Some(b'v') => name.push(11),
                Some(b'f') => name.push(12),
                Some(b'r') => name.push(b'\r'),
                Some(digit @ b'0'..=b'3') => {
                    let mut low = || bytes.next().map_or(0, |digit| digit.wrapping_sub(b'0') & 7);
                    let (middle, last) = (low(), low());
                    name.push((digit - b'0') << 6 | middle << 3 | last);
                }
                Some(other) => name.push(other),
                None => break,
            },
            other => name.push(other),
        }
    }
    name
}
