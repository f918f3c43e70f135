//! Git for views: how the repository of the space stands, and its past. Looking is not on record, so nothing here
//! changes anything; what does is the command `workspace.git`.

use openspace_command::{Error, Result};
use openspace_git::{
    BlameReply, BlameRequest, Bounded, BranchInfo, BranchRequest, Changes, DiffRequest, GitError,
    GitReply, GitRequest, LogReply, LogRequest, MOST_COMMITS, ShowReply, ShowRequest, StashEntry,
    StashOperation, StashRequest, StatusReply, StatusRequest, TagInfo, TagRequest,
};
use openspace_host::{HostError, operation};

use crate::{OpenSpace, bounds::check_bounds, refusal::refused};

/// How long git may take for something that somebody waits to see.
const TIMEOUT_MS: u64 = 120_000;

async fn ask(workspace: &OpenSpace, request: GitRequest) -> Result<Result<GitReply, HostError>> {
    let place = workspace.workspaces().place_of_views().await?;
    let asked = operation::Git { request, person: true, hooks: true, timeout_ms: TIMEOUT_MS };
    Ok(place.ask(asked).await)
}

fn another() -> Error {
    Error::internal("git answered another question")
}

/// How git sees the workspace of the space; `None` when it is in no repository.
pub async fn repository(workspace: &OpenSpace) -> Result<Option<StatusReply>> {
    match ask(workspace, GitRequest::Status(StatusRequest::default())).await? {
        Ok(GitReply::Status(status)) => Ok(Some(status)),
        Ok(_) => Err(another()),
        Err(HostError::Git(GitError::NotARepository)) => Ok(None),
        Err(error) => Err(refused(error)),
    }
}

/// Commits, a page of them.
pub async fn log(workspace: &OpenSpace, wanted: LogRequest) -> Result<LogReply> {
    check_bounds("limit", wanted.limit, 1..=MOST_COMMITS)?;
    match ask(workspace, GitRequest::Log(wanted)).await?.map_err(refused)? {
        GitReply::Log(log) => Ok(log),
        _ => Err(another()),
    }
}

/// Which commits lines of a saved file come from; `None` when there is no telling: no commit has the file, it is
/// gone, or it is secret. A view asks for whatever is in front of somebody, so these are answers.
pub async fn blame(workspace: &OpenSpace, wanted: BlameRequest) -> Result<Option<BlameReply>> {
    match ask(workspace, GitRequest::Blame(wanted)).await? {
        Ok(GitReply::Blame(blame)) => Ok(Some(blame)),
        Ok(_) => Err(another()),
        Err(HostError::Git(
            GitError::NotARepository
            | GitError::NoCommitYet
            | GitError::NotInRevision { .. }
            | GitError::NoSuchFiles { .. }
            | GitError::Secret { .. }
            | GitError::SecretTwin { .. },
        )) => Ok(None),
        Err(error) => Err(refused(error)),
    }
}

/// Branches, also those of remotes, and tags.
pub async fn refs(workspace: &OpenSpace) -> Result<(Bounded<BranchInfo>, Bounded<TagInfo>)> {
    let (branches, tags) = tokio::join!(
        ask(workspace, GitRequest::Branch(BranchRequest::default())),
        ask(workspace, GitRequest::Tag(TagRequest::default())),
    );
    match (branches?.map_err(refused)?, tags?.map_err(refused)?) {
        (GitReply::Branch(branches), GitReply::Tag(tags)) => Ok((branches.branches, tags.tags)),
        _ => Err(another()),
    }
}

/// One commit, the current one when none is named, and which files it changed.
pub async fn commit(workspace: &OpenSpace, revision: Option<String>) -> Result<ShowReply> {
    let wanted = ShowRequest { revision, path: None, stat_only: true };
    match ask(workspace, GitRequest::Show(wanted)).await?.map_err(refused)? {
        GitReply::Show(shown) => Ok(shown),
        _ => Err(another()),
    }
}

/// Which files differ between two commits.
pub async fn changes(workspace: &OpenSpace, from: &str, to: &str) -> Result<Changes> {
    let revision = Some(format!("{from}..{to}"));
    let wanted = DiffRequest { revision, stat_only: true, ..DiffRequest::default() };
    match ask(workspace, GitRequest::Diff(wanted)).await?.map_err(refused)? {
        GitReply::Diff(diff) => diff.between.ok_or_else(another),
        _ => Err(another()),
    }
}

/// What was put aside.
pub async fn stashes(workspace: &OpenSpace) -> Result<Bounded<StashEntry>> {
    let operation = StashOperation::List;
    let wanted = StashRequest {
        operation,
        message: None,
        include_untracked: false,
        force: false,
        index: None,
    };
    match ask(workspace, GitRequest::Stash(wanted)).await?.map_err(refused)? {
        GitReply::Stash(stashes) => Ok(stashes.entries),
        _ => Err(another()),
    }
}
