//! What git answered, as facts.
//!
//! Paths are relative to the workspace root. Every list has a bound and says how long it really is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::blame::BlameReply;
use super::discard::DiscardReply;
use super::joining::{JoinReply, UndoReply};
use super::tag::TagReply;
use super::transport::RemoteReply;
use super::unfinished::StepReply;

/// The answer to the request of the same name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum GitReply {
    Status(StatusReply),
    Diff(DiffReply),
    Log(LogReply),
    Show(ShowReply),
    File(FileReply),
    Blame(BlameReply),
    Branch(BranchReply),
    Tag(TagReply),
    Checkout(CheckoutReply),
    Add(AddReply),
    Restore(RestoreReply),
    Discard(DiscardReply),
    Stash(StashReply),
    Commit(CommitReply),
    Merge(JoinReply),
    Rebase(JoinReply),
    CherryPick(JoinReply),
    Revert(JoinReply),
    Undo(UndoReply),
    Continue(StepReply),
    Skip(StepReply),
    Abort(StepReply),
    Remote(RemoteReply),
    Push(PushReply),
    Pull(PullReply),
    Fetch(FetchReply),
    Clone(CloneReply),
    Init(InitReply),
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// What git is in the middle of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    Merge,
    Rebase,
    CherryPick,
    Revert,
    Bisect,
    /// Patches from a mailbox are being applied.
    Apply,
}

/// How a file differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    Added,
    Modified,
    Deleted,
    Renamed,
    Copied,
    /// A file became a link or the like.
    TypeChanged,
    /// In conflict.
    Unmerged,
}

/// A path in the repository.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Name {
    /// Relative to the workspace root.
    pub path: String,
    /// The name is not UTF-8; what is not is shown as U+FFFD, so the path cannot be used.
    #[serde(default, skip_serializing_if = "is_false")]
    pub lossy: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    #[serde(flatten)]
    pub name: Name,
    /// How it differs.
    pub change: ChangeKind,
    /// Where it was before it was renamed or copied; relative to the workspace root, or to the
    /// repository's with a leading `/` when it lies outside the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_path: Option<String>,
}

/// How the two sides of a conflict differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConflictKind {
    BothModified,
    BothAdded,
    BothDeleted,
    AddedByUs,
    AddedByThem,
    DeletedByUs,
    DeletedByThem,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Conflict {
    #[serde(flatten)]
    pub name: Name,
    /// What each side did.
    pub conflict: ConflictKind,
}

/// The beginning of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Bounded_{T}")]
pub struct Bounded<T> {
    /// At most 1000.
    pub entries: Vec<T>,
    /// How many there really are.
    pub total: u64,
}

impl<T> Default for Bounded<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), total: 0 }
    }
}

impl<T> Bounded<T> {
    /// The longest list.
    pub const LIMIT: usize = 1000;

    pub(super) fn push(&mut self, entry: T) {
        self.total += 1;
        if self.entries.len() < Self::LIMIT {
            self.entries.push(entry);
        }
    }
}

/// How much changed in the part of the repository that lies outside the workspace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Outside {
    /// Staged files.
    pub staged: u64,
    /// Files with unstaged changes.
    pub unstaged: u64,
    /// Untracked files.
    pub untracked: u64,
    /// Files in conflict.
    pub conflicts: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatusReply {
    /// The current branch; absent when detached.
    pub branch: Option<String>,
    /// The current commit; absent before the first.
    pub head: Option<String>,
    /// No branch is checked out.
    pub detached: bool,
    /// The branch that is followed, such as `origin/main`.
    pub upstream: Option<String>,
    /// Own commits that the upstream lacks; absent when there is no upstream or it is gone.
    pub ahead: Option<u64>,
    /// The upstream's commits that are lacking here.
    pub behind: Option<u64>,
    /// What git is in the middle of.
    pub operation: Option<Operation>,
    /// The message that git prepared for the commit of that.
    pub message: Option<String>,
    /// How many stash entries there are.
    pub stashes: u64,
    /// Nothing is staged, changed, untracked or in conflict beneath the workspace root.
    pub clean: bool,
    /// Changes that the next commit takes.
    pub staged: Bounded<Change>,
    /// Changes that are not staged.
    pub unstaged: Bounded<Change>,
    /// Files that git does not know.
    pub untracked: Bounded<Name>,
    /// Files in conflict.
    pub conflicts: Bounded<Conflict>,
    /// Present when the repository is larger than the workspace.
    pub outside: Option<Outside>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Totals {
    /// Files that changed.
    pub files: u64,
    /// Lines added; binary files do not count.
    pub insertions: u64,
    /// Lines removed; binary files do not count.
    pub deletions: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileDiff {
    #[serde(flatten)]
    pub name: Name,
    /// How it differs.
    pub change: ChangeKind,
    /// Where it was before it was renamed or copied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_path: Option<String>,
    /// It is no text.
    #[serde(default, skip_serializing_if = "is_false")]
    pub binary: bool,
    /// Lines added.
    pub insertions: u64,
    /// Lines removed.
    pub deletions: u64,
    /// The content is secret and not shown.
    #[serde(default, skip_serializing_if = "is_false")]
    pub hidden: bool,
    /// The changes as `@@` hunks.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hunks: String,
    /// Lines of `hunks` are left out at the end.
    #[serde(default, skip_serializing_if = "is_false")]
    pub truncated: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Changes {
    /// The files, at most 1000.
    pub files: Vec<FileDiff>,
    /// Complete counts, whatever is left out above.
    pub totals: Totals,
    /// Files or lines are left out.
    pub truncated: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiffReply {
    /// From the current commit to the index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub staged: Option<Changes>,
    /// From the index to the files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unstaged: Option<Changes>,
    /// From the given revision to the files, or between the two given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub between: Option<Changes>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommitInfo {
    pub oid: String,
    pub short_oid: String,
    /// Oids of the commits before it.
    pub parents: Vec<String>,
    /// `Name <address>`.
    pub author: String,
    /// When it was written, as in ISO 8601.
    pub authored: String,
    /// When it was committed, as in ISO 8601.
    pub committed: String,
    /// Branches and tags that point at it.
    pub refs: Vec<String>,
    /// The first line of the message.
    pub summary: String,
    /// The rest of the message.
    pub body: String,
    /// `body` is cut.
    #[serde(default, skip_serializing_if = "is_false")]
    pub truncated: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogReply {
    /// Newest first.
    pub commits: Vec<CommitInfo>,
    /// There are more; go on with a larger `skip`.
    pub more: bool,
    /// Of a range `A...B`, where the two parted; absent when they have nothing in common.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ShowReply {
    /// The commit.
    pub commit: CommitInfo,
    /// What it changed, compared with its first parent.
    pub changes: Changes,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileReply {
    /// The file, relative to the workspace root.
    pub path: String,
    /// The commit it was taken from.
    pub oid: String,
    /// The size in bytes.
    pub size: u64,
    /// It is no text, and `content` is empty.
    pub binary: bool,
    /// The beginning of the file, at most 50 KiB, cut where a line ends.
    pub content: String,
    /// The file is longer.
    pub truncated: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BranchInfo {
    /// The short name: `main`, or `origin/main` for a remote's.
    pub name: String,
    /// It is what a remote was last seen to have.
    pub remote: bool,
    /// It is checked out.
    pub current: bool,
    /// The commit it points at.
    pub oid: String,
    /// The branch that it follows.
    pub upstream: Option<String>,
    /// Its upstream no longer exists.
    #[serde(default, skip_serializing_if = "is_false")]
    pub upstream_gone: bool,
    /// Commits that its upstream lacks.
    pub ahead: Option<u64>,
    /// Commits of its upstream that it lacks.
    pub behind: Option<u64>,
    /// When it last changed, as in ISO 8601.
    pub committed: String,
    /// The first line of its newest message.
    pub summary: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BranchReply {
    /// The branches, for `list`; otherwise the branch that was created or renamed.
    pub branches: Bounded<BranchInfo>,
    /// The branch that was deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted: Option<String>,
    /// The commit that the deleted branch pointed at, from which it can be created again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_oid: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckoutReply {
    /// The branch that is now current; absent when detached.
    pub branch: Option<String>,
    /// The current commit; absent before the first.
    pub head: Option<String>,
    /// The branch is new.
    pub created: bool,
    /// The branch that was current before.
    pub previous: Option<String>,
    /// The branch that it follows.
    pub upstream: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AddReply {
    /// What is staged now among the given files.
    pub staged: Bounded<Change>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RestoreReply {
    /// The files that were different before.
    pub restored: Bounded<Name>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StashEntry {
    /// Counts from 0, the newest.
    pub index: u32,
    /// The commit that keeps the changes.
    pub oid: String,
    /// When it was made, as in ISO 8601.
    pub created: String,
    /// What it is for.
    pub message: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StashReply {
    /// The entry that was made, applied, taken back or forgotten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<StashEntry>,
    /// The entries there are now, newest first.
    pub entries: Bounded<StashEntry>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommitReply {
    pub oid: String,
    pub short_oid: String,
    /// The first line of the message.
    pub summary: String,
    /// The branch; absent when detached.
    pub branch: Option<String>,
    /// The files that changed, compared with the first parent.
    pub files: Bounded<Name>,
    /// Counts over the whole repository.
    pub totals: Totals,
}

/// What happened to one branch or tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RefChange {
    Created,
    /// It moved forward.
    Updated,
    /// It was replaced by something that does not contain what it was.
    Forced,
    Deleted,
    Unchanged,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RefUpdate {
    /// The full name, such as `refs/heads/main`.
    pub name: String,
    /// What happened to it.
    pub change: RefChange,
    /// What it was before.
    pub old: Option<String>,
    /// What it is now.
    pub new: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PushReply {
    /// The name of the remote.
    pub remote: String,
    /// Where it is.
    pub url: String,
    /// What happened on the remote.
    pub refs: Vec<RefUpdate>,
    /// The branch that the pushed one now follows.
    pub upstream: Option<String>,
    /// What the remote said, bounded.
    pub messages: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FetchReply {
    /// The name of the remote.
    pub remote: String,
    /// Where it is.
    pub url: String,
    /// Which remote-tracking branches and tags changed here.
    pub refs: Bounded<RefUpdate>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PullReply {
    /// What was fetched.
    pub fetched: FetchReply,
    /// The branch that was brought up to date.
    pub branch: String,
    /// The remote-tracking branch that was taken over.
    pub from: String,
    /// The commit before; absent before the first.
    pub old: Option<String>,
    /// The commit now.
    pub new: String,
    /// What changed in the files.
    pub totals: Totals,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CloneReply {
    /// Where from.
    pub url: String,
    /// The branch that is checked out.
    pub branch: String,
    /// The current commit; absent when the repository is empty.
    pub head: Option<String>,
    /// Older commits were left out.
    pub shallow: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InitReply {
    /// The first branch.
    pub branch: String,
}
