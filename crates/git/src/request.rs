//! What can be asked of git.
//!
//! These are plain values: they check nothing that needs the repository.

use openspace_protocol::RelPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One thing to do with the repository of the workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum GitRequest {
    /// Branch, upstream, staged, unstaged, untracked and conflicting files.
    Status(StatusRequest),
    /// What changed, staged and unstaged, or since a revision.
    Diff(DiffRequest),
    /// Commits, newest first.
    Log(LogRequest),
    /// One commit with its changes, or one file as it was in a commit.
    Show(ShowRequest),
    /// Which commit each line of a file comes from.
    Blame(BlameRequest),
    /// List, create, delete or rename branches.
    Branch(BranchRequest),
    /// List, create or delete tags.
    Tag(TagRequest),
    /// Switch to a branch, which is created when it does not exist, or to a revision.
    Checkout(CheckoutRequest),
    /// Stage files, deletions included.
    Add(AddRequest),
    /// Throw away changes to files, or take them out of the index.
    Restore(RestoreRequest),
    /// Throw away changes to files for good, and move untracked ones to the trash.
    Discard(DiscardRequest),
    /// Put changes aside and take them back.
    Stash(StashRequest),
    /// Commit.
    Commit(CommitRequest),
    /// Join another branch or commit to the current branch.
    Merge(JoinRequest),
    /// Put the current branch's own commits on top of another branch or commit.
    Rebase(JoinRequest),
    /// Make the changes of a commit here too.
    CherryPick(JoinRequest),
    /// Take back the changes of a commit with a new one.
    Revert(JoinRequest),
    /// Take back the newest commit; its changes stay, staged.
    Undo(StepRequest),
    /// Go on with a merge, rebase, cherry-pick or revert whose conflicts are resolved and staged.
    Continue(StepRequest),
    /// Go on with a rebase, cherry-pick or revert without the commit that it stopped at.
    Skip(StepRequest),
    /// Give up a merge, rebase, cherry-pick, revert or bisect: everything is as it was before it.
    Abort(StepRequest),
    /// List, add or forget remotes.
    Remote(RemoteRequest),
    /// Send a branch and tags to a remote. Hooks of the repository do not run for it.
    Push(PushRequest),
    /// Fetch and bring the current branch up to date.
    Pull(PullRequest),
    /// Learn what a remote has.
    Fetch(FetchRequest),
    /// Clone a repository into the workspace, which must be empty.
    Clone(CloneRequest),
    /// Make the workspace a repository.
    Init(InitRequest),
}

impl GitRequest {
    /// Whether files of the work tree may be written for it.
    pub(super) fn may_write_files(&self) -> bool {
        match self {
            Self::Status(_)
            | Self::Diff(_)
            | Self::Log(_)
            | Self::Show(_)
            | Self::Blame(_)
            | Self::Branch(_)
            | Self::Tag(_)
            | Self::Remote(_)
            | Self::Push(_)
            | Self::Fetch(_)
            | Self::Clone(_)
            | Self::Init(_) => false,
            Self::Stash(stash) => stash.operation != StashOperation::List,
            Self::Checkout(_)
            | Self::Add(_)
            | Self::Restore(_)
            | Self::Discard(_)
            | Self::Commit(_)
            | Self::Merge(_)
            | Self::Rebase(_)
            | Self::CherryPick(_)
            | Self::Revert(_)
            | Self::Undo(_)
            | Self::Continue(_)
            | Self::Skip(_)
            | Self::Abort(_)
            | Self::Pull(_) => true,
        }
    }

    /// Whether it changes something here from the beginning. What speaks to a remote does so when the remote
    /// has answered.
    pub(super) fn changes_at_once(&self) -> bool {
        match self {
            Self::Branch(branch) => branch.operation != BranchOperation::List,
            Self::Tag(tag) => tag.operation != TagOperation::List,
            Self::Remote(remote) => remote.operation != RemoteOperation::List,
            Self::Init(_) => true,
            Self::Pull(_) => false,
            other => other.may_write_files(),
        }
    }

    /// The word that names the action.
    pub fn action(&self) -> &'static str {
        match self {
            Self::Status(_) => "status",
            Self::Diff(_) => "diff",
            Self::Log(_) => "log",
            Self::Show(_) => "show",
            Self::Blame(_) => "blame",
            Self::Branch(_) => "branch",
            Self::Tag(_) => "tag",
            Self::Checkout(_) => "checkout",
            Self::Add(_) => "add",
            Self::Restore(_) => "restore",
            Self::Discard(_) => "discard",
            Self::Stash(_) => "stash",
            Self::Commit(_) => "commit",
            Self::Merge(_) => "merge",
            Self::Rebase(_) => "rebase",
            Self::CherryPick(_) => "cherry_pick",
            Self::Revert(_) => "revert",
            Self::Undo(_) => "undo",
            Self::Continue(_) => "continue",
            Self::Skip(_) => "skip",
            Self::Abort(_) => "abort",
            Self::Remote(_) => "remote",
            Self::Push(_) => "push",
            Self::Pull(_) => "pull",
            Self::Fetch(_) => "fetch",
            Self::Clone(_) => "clone",
            Self::Init(_) => "init",
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StatusRequest {
    /// Only these files and folders; all when empty.
    pub paths: Vec<RelPath>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DiffRequest {
    /// True for staged changes only, false for unstaged changes only; both when absent. Not
    /// together with `revision`.
    pub staged: Option<bool>,
    /// Only these files and folders; all when empty.
    pub paths: Vec<RelPath>,
    /// Compare the files as they are with this revision, or two revisions: `A..B` from A to B,
    /// `A...B` from where B left A to B.
    pub revision: Option<String>,
    /// Unchanged lines around each change; 3 when absent, at most 100.
    pub context: Option<u32>,
    /// Only which files changed and by how many lines.
    pub stat_only: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LogRequest {
    /// How many commits; 20 when absent, at most 200.
    pub limit: Option<u32>,
    /// How many commits to pass over first.
    pub skip: u32,
    /// Only commits that changed this file or folder.
    pub path: Option<RelPath>,
    /// Where to start, or a range `A..B`; the current commit when absent.
    pub revision: Option<String>,
    /// Where to start, several revisions at once, at most 100. Not together with `revision`.
    pub revisions: Vec<String>,
    /// Start at every branch and tag. Not together with `revision` and `revisions`.
    pub all: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ShowRequest {
    /// The commit; the current one when absent.
    pub revision: Option<String>,
    /// Show this file as it was in the commit instead of the commit's changes.
    pub path: Option<RelPath>,
    /// Only which files changed and by how many lines.
    pub stat_only: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlameRequest {
    /// The file.
    pub path: RelPath,
    /// Only these lines, such as `12`, `3-7` or `1,5-9`; the first 1000 when absent.
    #[serde(default)]
    pub lines: Option<String>,
    /// The file as it was in this commit; as it is now when absent.
    #[serde(default)]
    pub revision: Option<String>,
    /// What the file holds now, when that is not what the disk has. Not for callers.
    #[serde(default)]
    pub content: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BranchOperation {
    #[default]
    List,
    Create,
    Delete,
    Rename,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BranchRequest {
    /// What to do; lists branches when absent.
    pub operation: BranchOperation,
    /// The branch to create, delete or rename.
    pub name: Option<String>,
    /// The new name, for `rename`.
    pub new_name: Option<String>,
    /// Where a created branch starts; the current commit when absent.
    pub start_point: Option<String>,
    /// Delete a branch although its commits are in no other.
    pub force: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TagOperation {
    #[default]
    List,
    Create,
    Delete,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TagRequest {
    /// What to do; lists tags when absent.
    pub operation: TagOperation,
    /// The tag to create or delete.
    pub name: Option<String>,
    /// Where a created tag points; at the current commit when absent.
    pub revision: Option<String>,
    /// What a created tag is for; with it the tag has an author and a time of its own.
    pub message: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CheckoutRequest {
    /// The branch to switch to. One that exists on exactly one remote only is created to track it.
    pub branch: Option<String>,
    /// A revision to look at without a branch (detached). Not together with `branch`.
    pub revision: Option<String>,
    /// True: the branch must be new. False: it must exist. Absent: it is created when missing.
    pub create: Option<bool>,
    /// Where a new branch starts; the current commit when absent.
    pub start_point: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddRequest {
    /// Files and folders to stage as they are now; what was deleted is staged as deleted.
    pub files: Vec<RelPath>,
    /// Only the changes on these lines of one file, such as `12`, `3-7` or `1,5-9`. What was
    /// removed belongs to the line above it.
    #[serde(default)]
    pub lines: Option<String>,
    /// Stage files in conflict although conflict markers are left in them, and, for a person, secret files that
    /// are in no commit yet.
    #[serde(default)]
    pub force: bool,
    /// What the one file holds now, when that is not what the disk has. Not for callers.
    #[serde(default)]
    pub content: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RestoreRequest {
    /// Files and folders to restore.
    pub files: Vec<RelPath>,
    /// True: take them out of the index and leave the files alone. False: throw away what changed
    /// in the files, which cannot be undone; a file in conflict gets its markers back.
    #[serde(default)]
    pub staged: bool,
    /// The revision whose content is taken; the index for files and the current commit for the
    /// index when absent.
    #[serde(default)]
    pub source: Option<String>,
    /// Only the changes on these lines of one file, as the index counts them; with `staged`.
    #[serde(default)]
    pub lines: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiscardRequest {
    /// Files and folders whose changes are thrown away: tracked files become what the index has.
    pub files: Vec<RelPath>,
    /// Move the untracked files among them to the trash, ignored ones never. When false, naming
    /// what is only untracked is an error.
    #[serde(default)]
    pub include_untracked: bool,
    /// The time, in milliseconds since 1970, for the trash. Not for callers.
    #[serde(default)]
    pub at: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StashOperation {
    /// Put the changes aside.
    Push,
    /// Take changes back and forget the entry.
    Pop,
    /// Take changes back and keep the entry.
    Apply,
    List,
    /// Forget an entry with its changes.
    Drop,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StashRequest {
    /// What to do.
    pub operation: StashOperation,
    /// What the entry is for, with `push`.
    #[serde(default)]
    pub message: Option<String>,
    /// Put untracked files aside too, with `push`.
    #[serde(default)]
    pub include_untracked: bool,
    /// Put secret files aside too that are in no commit, with `push`, for a person.
    #[serde(default)]
    pub force: bool,
    /// Which entry, counting from 0, the newest; 0 when absent.
    #[serde(default)]
    pub index: Option<u32>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of git's own, on its own")]
pub struct CommitRequest {
    /// The commit message; when absent, an amended commit keeps its own.
    #[serde(default)]
    pub message: Option<String>,
    /// Commit exactly these files and folders as they are now, new and deleted ones included.
    /// Whatever else is staged stays staged. When empty, what is staged is committed. If the
    /// commit fails, for instance in a hook, the files stay staged.
    #[serde(default)]
    pub files: Vec<RelPath>,
    /// Stage every change to files that git already knows first. Not together with `files`.
    #[serde(default)]
    pub all: bool,
    /// Replace the newest commit instead of adding one.
    #[serde(default)]
    pub amend: bool,
    /// Commit although nothing changed.
    #[serde(default)]
    pub allow_empty: bool,
    /// Take secret files along that are in no commit yet, with `all` or `files`, for a person.
    #[serde(default)]
    pub force: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JoinRequest {
    /// A branch or a commit.
    pub revision: String,
}

/// What is unfinished, `status` tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepRequest {}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RemoteOperation {
    #[default]
    List,
    Add,
    Remove,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RemoteRequest {
    /// What to do; lists remotes when absent.
    pub operation: RemoteOperation,
    /// The remote to add or remove.
    pub name: Option<String>,
    /// Where an added remote is, as for `clone`.
    pub url: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PushRequest {
    /// The name of the remote; the branch's own, `origin` or the only one when absent.
    pub remote: Option<String>,
    /// The branch, which has the same name on the remote; the current one when absent.
    pub branch: Option<String>,
    /// Names of tags to send too.
    pub tags: Vec<String>,
    /// Replace the remote's branch, but only if it still is where the last fetch saw it.
    pub force_with_lease: bool,
    /// Remember the remote's branch as the upstream; when absent, only if there is none yet.
    pub set_upstream: Option<bool>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PullStrategy {
    /// Only move forward; fail when both sides have commits of their own.
    #[default]
    FastForward,
    /// Put own commits on top of the remote's.
    Rebase,
    /// Join both sides with a merge commit.
    Merge,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PullRequest {
    /// The name of the remote; the branch's own, `origin` or the only one when absent.
    pub remote: Option<String>,
    /// The remote's branch; the upstream of the current one when absent.
    pub branch: Option<String>,
    /// What to do when both sides have commits of their own.
    pub strategy: PullStrategy,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FetchRequest {
    /// The name of the remote; the branch's own, `origin` or the only one when absent.
    pub remote: Option<String>,
    /// Forget branches that the remote no longer has.
    pub prune: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CloneRequest {
    /// Where from: `https://…`, `ssh://…`, `user@host:path` or a path. Never with a password in it.
    pub url: String,
    /// The branch to check out; the remote's own choice when absent.
    #[serde(default)]
    pub branch: Option<String>,
    /// Only this many of the newest commits of that one branch.
    #[serde(default)]
    pub depth: Option<u32>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct InitRequest {
    /// The name of the first branch; `main` when absent.
    pub branch: Option<String>,
}
