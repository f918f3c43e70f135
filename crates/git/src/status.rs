//! The state of the work tree: what `git status` knows, parsed whole.

use openspace_protocol::RelPath;

use super::child::{Call, Session};
use super::error::GitError;
use super::names::{self, Prefix, Records};
use super::own_files;
use super::reply::{Change, ChangeKind, Conflict, ConflictKind, Operation, Outside, StatusReply};

/// The most of a prepared message that is read.
const LONGEST: u64 = 16 * 1024;

impl Session<'_> {
    pub(super) async fn status(&self, paths: &[RelPath]) -> Result<StatusReply, GitError> {
        let call = Call::new(["status", "--porcelain=v2", "--branch", "--show-stash", "-z"])
            // Git inside a submodule would run by settings that nobody looked at.
            .args(["--untracked-files=all", "--renames", "--ignore-submodules=dirty", "--"])
            .args(names::paths(paths)?)
            .reading();
        let mut records = Records::new(0);
        let mut parser = Parser::new(&self.prefix);
        self.stream(call, &mut |piece| records.push(piece, |record| parser.record(record))).await?;
        let mut status = parser.status;
        status.operation = self.operation();
        status.message = status.operation.and_then(|_| self.prepared_message());
        status.outside = (!self.prefix.is_empty()).then_some(parser.outside);
        status.clean = status.staged.total == 0
            && status.unstaged.total == 0
            && status.untracked.total == 0
            && status.conflicts.total == 0;
        Ok(status)
    }

    pub(super) fn operation(&self) -> Option<Operation> {
        const SIGNS: [(&str, Operation); 7] = [
            ("rebase-merge", Operation::Rebase),
            ("rebase-apply/applying", Operation::Apply),
            ("rebase-apply", Operation::Rebase),
            ("MERGE_HEAD", Operation::Merge),
            ("CHERRY_PICK_HEAD", Operation::CherryPick),
            ("REVERT_HEAD", Operation::Revert),
            ("BISECT_LOG", Operation::Bisect),
        ];
        SIGNS
            .iter()
            .find(|(sign, _)| self.git_dir.join(sign).exists())
            .map(|&(_, operation)| operation)
    }

    /// What git would put into the editor, without its comments.
    fn prepared_message(&self) -> Option<String> {
        let text = own_files::read(&self.git_dir.join("MERGE_MSG"), LONGEST).ok()?;
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        let message = lines.join("\n").trim().to_owned();
        (!message.is_empty()).then_some(message)
    }

    /// The files in conflict, as far as they are beneath the root.
    pub(super) async fn conflicts(&self) -> Result<Vec<String>, GitError> {
        let status = self.status(&[]).await?;
        Ok(status.conflicts.entries.into_iter().map(|conflict| conflict.name.path).collect())
    }
}

/// Reads the records of the second porcelain format.
pub(super) struct Parser<'prefix> {
    prefix: &'prefix Prefix,
    pub(super) status: StatusReply,
    pub(super) outside: Outside,
    /// A renamed file whose old name is the next record.
    renamed: Option<Vec<u8>>,
}

impl<'prefix> Parser<'prefix> {
    pub(super) fn new(prefix: &'prefix Prefix) -> Self {
        Self { prefix, status: StatusReply::default(), outside: Outside::default(), renamed: None }
    }

    pub(super) fn record(&mut self, record: &[u8]) {
        if let Some(entry) = self.renamed.take() {
            self.changed(&entry, 9, Some(record));
            return;
        }
        match record.first() {
            Some(b'#') => self.header(&String::from_utf8_lossy(record)),
            Some(b'1') => self.changed(record, 8, None),
            Some(b'2') => self.renamed = Some(record.to_vec()),
            Some(b'u') => self.unmerged(record),
            Some(b'?') => match self.prefix.inside(record.get(2..).unwrap_or_default()) {
                Some(name) => self.status.untracked.push(name),
                None => self.outside.untracked += 1,
            },
            _ => {}
        }
    }

    fn header(&mut self, line: &str) {
        let mut words = line.splitn(3, ' ').skip(1);
        let (Some(key), Some(value)) = (words.next(), words.next()) else { return };
        let status = &mut self.status;
        match key {
            "branch.oid" => status.head = (value != "(initial)").then(|| value.to_owned()),
            "branch.head" => {
                status.detached = value == "(detached)";
                status.branch = (!status.detached).then(|| value.to_owned());
            }
            "branch.upstream" => status.upstream = Some(value.to_owned()),
            "branch.ab" => {
                let mut counts = value.split(' ').map(|word| word[1..].parse().ok());
                status.ahead = counts.next().flatten();
                status.behind = counts.next().flatten();
            }
            "stash" => status.stashes = value.parse().unwrap_or_default(),
            _ => {}
        }
    }

    /// `fields` stand before the path.
    fn changed(&mut self, entry: &[u8], fields: usize, old: Option<&[u8]>) {
        let mut words = entry.splitn(fields + 1, |&byte| byte == b' ');
        let (Some(states), Some(path)) = (words.nth(1), words.nth(fields - 2)) else { return };
        let &[index, tree] = states else { return };
        let name = self.prefix.inside(path);
        for (state, staged) in [(index, true), (tree, false)] {
            let Some(change) = kind(state) else { continue };
            let moved = matches!(change, ChangeKind::Renamed | ChangeKind::Copied);
            let Some(name) = name.clone() else {
                let count =
                    if staged { &mut self.outside.staged } else { &mut self.outside.unstaged };
                *count += 1;
                continue;
            };
            let list = if staged { &mut self.status.staged } else { &mut self.status.unstaged };
            list.push(Change {
                name,
                change,
                old_path: old.filter(|_| moved).map(|old| self.prefix.anywhere(old)),
            });
        }
    }

    fn unmerged(&mut self, entry: &[u8]) {
        let mut words = entry.splitn(11, |&byte| byte == b' ');
        let (Some(states), Some(path)) = (words.nth(1), words.nth(8)) else { return };
        let conflict = match states {
            b"DD" => ConflictKind::BothDeleted,
            b"AU" => ConflictKind::AddedByUs,
            b"UD" => ConflictKind::DeletedByThem,
            b"UA" => ConflictKind::AddedByThem,
            b"DU" => ConflictKind::DeletedByUs,
            b"AA" => ConflictKind::BothAdded,
            _ => ConflictKind::BothModified,
        };
        match self.prefix.inside(path) {
            Some(name) => self.status.conflicts.push(Conflict { name, conflict }),
            None => self.outside.conflicts += 1,
        }
    }
}

/// The letter that git uses everywhere for a way to differ.
pub(super) fn kind(letter: u8) -> Option<ChangeKind> {
    Some(match letter {
        b'A' => ChangeKind::Added,
        b'M' => ChangeKind::Modified,
        b'D' => ChangeKind::Deleted,
        b'R' => ChangeKind::Renamed,
        b'C' => ChangeKind::Copied,
        b'T' => ChangeKind::TypeChanged,
        b'U' => ChangeKind::Unmerged,
        _ => return None,
    })
}
