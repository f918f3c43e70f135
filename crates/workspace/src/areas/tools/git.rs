//! `workspace.git`: git as structured operations, with credentials that the caller never sees.

use std::sync::Arc;

use openspace_command::{Caller, CallerKind, Command, Error, Intent, Line, Meta, Result, Set};
use openspace_git::{AddRequest, BlameRequest, GitReply, GitRequest, MAX_CONTEXT, MOST_COMMITS};
use openspace_host::operation;
use openspace_protocol::Access;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{check_reach, recorded};
use crate::{
    Cx, OpenSpace, bounds::check_bounds, paths::is_person, places::Place, refusal::refused, walls,
    workspaces::MAIN,
};

pub(crate) mod address;
mod asking;
mod line;
pub mod looking;
mod text;

pub(crate) use self::asking::{ask_git, clone_into};

/// How long git may take when the call does not say.
const DEFAULT_TIMEOUT_MS: u64 = 120_000;
/// How long git may take at most.
const MAX_TIMEOUT_MS: u64 = 3_600_000;

/// Why the person's keys are not there.
const NOT_ADOPTED: &str = "this repository appeared while agents had a place here, so git runs in that place, without \
    your keys; look at .git/config, and if the repository is yours say so with workspace.adopt_repository";

/// What to do with git.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "GitAction")]
pub enum Action {
    /// Branch, upstream, staged, unstaged, untracked and conflicting files.
    Status,
    /// What changed, staged and unstaged, or between revisions.
    Diff,
    /// Commits, newest first.
    Log,
    /// One commit, or a file as it was in a commit.
    Show,
    /// Which commit each line of a file comes from; unsaved text counts.
    Blame,
    /// List, create, delete or rename branches.
    Branch,
    /// List, create or delete tags.
    Tag,
    /// Switch to a branch, creating it when it is missing, or to a revision.
    Checkout,
    /// Stage files.
    Add,
    /// Throw away or unstage changes.
    Restore,
    /// Throw away changes for good; with `include_untracked`, untracked files go to the trash.
    Discard,
    /// Put changes aside and take them back.
    Stash,
    /// Commit.
    Commit,
    /// Join a branch or commit to the current branch.
    Merge,
    /// Put own commits on top of a branch or commit.
    Rebase,
    /// Make the changes of a commit here too.
    CherryPick,
    /// Take back a commit with a new one.
    Revert,
    /// Take back the newest commit; its changes stay staged.
    Undo,
    /// Go on with a merge, rebase, cherry-pick or revert once its conflicts are staged.
    Continue,
    /// Go on without the commit that a rebase, cherry-pick or revert stopped at.
    Skip,
    /// Give up a merge, rebase, cherry-pick, revert or bisect.
    Abort,
    /// List, add or forget remotes.
    Remote,
    /// Send commits to a remote.
    Push,
    /// Fetch and bring the current branch up to date.
    Pull,
    /// Learn what a remote has.
    Fetch,
    /// Clone into an empty workspace.
    Clone,
    /// Make the workspace a repository.
    Init,
}

impl Action {
    /// Its word in calls.
    fn word(self) -> String {
        let word = serde_json::to_value(self).ok();
        word.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned()
    }
}

/// Work with git.
///
/// `command.help` says what each argument means.
///
/// An argument that the action does not know is an error that names those it knows. Answers are
/// structured. Commits are made in the configured name. Push, pull, fetch and clone use
/// credentials that the server holds; there is no way to see them.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Git {
    /// What to do.
    action: Action,
    /// `diff`, `status`: only these files and folders.
    #[serde(skip_serializing_if = "Option::is_none")]
    paths: Option<Vec<String>>,
    /// `add`, `restore`, `discard`, `commit`: files and folders. A commit with files takes exactly these.
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<Vec<String>>,
    /// `log`, `show`, `blame`: one file.
    ///
    /// `log`: only commits that changed it; a folder will do too. `show`: as it was.
    #[serde(skip_serializing_if = "Option::is_none", alias = "file_path", alias = "filePath")]
    path: Option<String>,
    /// `add`, `restore`, `blame`: only these lines of a file, as in `1,5-9`.
    ///
    /// Of `add`, and of `restore` with `staged`, the changes on them; unsaved text counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<String>,
    /// `commit`, `stash`, `tag`: the message. An amended commit keeps its own without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// `checkout`, `push`, `pull`, `clone`, `init`: the branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    /// A revision, or a range `A..B`.
    ///
    /// `show`, `blame`, `checkout`, `tag`, `merge`, `rebase`, `cherry_pick`, `revert`: a revision. `diff`, `log`: or a
    /// range.
    #[serde(
        skip_serializing_if = "Option::is_none",
        alias = "rev",
        alias = "commit",
        alias = "ref"
    )]
    revision: Option<String>,
    /// `log`: several to start at.
    ///
    /// In place of `revision`.
    #[serde(skip_serializing_if = "Option::is_none")]
    revisions: Option<Vec<String>>,
    /// `diff`: staged only (true) or unstaged only (false). `restore`: unstage.
    #[serde(skip_serializing_if = "Option::is_none", alias = "cached")]
    staged: Option<bool>,
    /// `diff`: unchanged lines around each change.
    #[schemars(range(max = MAX_CONTEXT))]
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<u32>,
    /// `diff`, `show`: only which files changed and by how much.
    #[serde(skip_serializing_if = "Option::is_none")]
    stat_only: Option<bool>,
    /// `log`: most commits.
    #[schemars(range(min = 1, max = MOST_COMMITS))]
    #[serde(skip_serializing_if = "Option::is_none", alias = "max_count")]
    limit: Option<u32>,
    /// `log`: commits to pass over.
    #[serde(skip_serializing_if = "Option::is_none")]
    skip: Option<u32>,
    /// list, create, delete, rename (`branch`); list, create, delete (`tag`); list, add, remove (`remote`); push, pop, apply, list, drop (`stash`).
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<String>,
    /// `branch`, `tag`, `remote`: which one.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// `branch`: its new name.
    #[serde(skip_serializing_if = "Option::is_none")]
    new_name: Option<String>,
    /// `branch`, `checkout`: where a new branch starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    start_point: Option<String>,
    /// `branch`, `add`, `commit`, `stash`: all the same.
    ///
    /// `branch`: delete it although its commits are in no other. `add`: although conflict markers are left. `add`,
    /// `commit` and `stash`: take secret files along that are in no commit yet, if a person asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    force: Option<bool>,
    /// `checkout`: the branch must be new (true) or exist (false).
    #[serde(skip_serializing_if = "Option::is_none")]
    create: Option<bool>,
    /// `restore`: the revision to take the content from.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    /// `commit`: known files; `log`: all branches.
    ///
    /// `commit`: stage known files first. `log`: every branch and tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    all: Option<bool>,
    /// `commit`: replace the newest commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    amend: Option<bool>,
    /// `commit`: although nothing changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    allow_empty: Option<bool>,
    /// `stash`, `discard`: untracked files too.
    ///
    /// `discard`: those among `files`.
    #[serde(skip_serializing_if = "Option::is_none")]
    include_untracked: Option<bool>,
    /// `stash`: which entry, 0 is the newest.
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<u32>,
    /// `push`, `pull`, `fetch`: the name of the remote.
    #[serde(skip_serializing_if = "Option::is_none")]
    remote: Option<String>,
    /// `push`: tags to send too.
    #[serde(skip_serializing_if = "Option::is_none")]
    tags: Option<Vec<String>>,
    /// `push`: replace the remote's branch if it is still where the last fetch saw it.
    #[serde(skip_serializing_if = "Option::is_none")]
    force_with_lease: Option<bool>,
    /// `push`: remember the remote's branch as upstream.
    #[serde(skip_serializing_if = "Option::is_none")]
    set_upstream: Option<bool>,
    /// `pull`: `fast_forward`, `rebase` or `merge`.
    #[serde(skip_serializing_if = "Option::is_none")]
    strategy: Option<String>,
    /// `fetch`: forget branches that the remote no longer has.
    #[serde(skip_serializing_if = "Option::is_none")]
    prune: Option<bool>,
    /// `clone`, `remote`: the address.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// `clone`: only so many of the newest commits.
    #[schemars(range(min = 1))]
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    /// Milliseconds; 120000 when left out.
    ///
    /// Git is ended then.
    #[schemars(range(min = 1, max = MAX_TIMEOUT_MS))]
    #[serde(skip_serializing, alias = "timeout", alias = "timeoutMs")]
    timeout_ms: Option<u64>,
    /// Which workspace.
    ///
    /// The one of the IDE when left out.
    #[serde(skip_serializing, alias = "workspaceId", alias = "workspace")]
    workspace_id: Option<String>,
}

impl Command<OpenSpace> for Git {
    const META: Meta =
        Meta::new("workspace.git", "Workspace: Git", Access::Execute).set(Set::Workspace);
    type Output = GitReply;

    fn summary(&self) -> String {
        let word = self.action.word();
        let more = [&self.message, &self.branch, &self.revision, &self.url, &self.name, &self.path];
        let more: Vec<&str> = more.into_iter().flatten().map(String::as_str).collect();
        let files = [&self.files, &self.paths].into_iter().flatten().flatten();
        let files: Vec<&str> = files.map(String::as_str).take(20).collect();
        ["git", &word].into_iter().chain(more).chain(files).collect::<Vec<_>>().join(" ")
    }

    fn workspace(&self) -> Option<&str> {
        Some(recorded(self.workspace_id.as_ref()))
    }

    fn paths(&self) -> Vec<String> {
        let many = [&self.files, &self.paths].into_iter().flatten().flatten();
        many.chain(&self.path).cloned().collect()
    }

    fn check(&self) -> Result<()> {
        check_bounds("timeout_ms", self.timeout_ms, 1..=MAX_TIMEOUT_MS)?;
        check_bounds("context", self.context, 0..=MAX_CONTEXT)?;
        check_bounds("limit", self.limit, 1..=MOST_COMMITS)?;
        check_bounds("depth", self.depth, 1..=u32::MAX)
    }

    /// Who only looks starts nothing that it chose; all else is what somebody would type.
    fn intent(&self, state: &OpenSpace, caller: &Caller) -> Intent {
        if self.only_looks() {
            return Intent { access: Some(Access::Read), ..Intent::default() };
        }
        let reaches = matches!(
            self.action,
            Action::Push | Action::Pull | Action::Fetch | Action::Clone | Action::Remote
        );
        // The server does these, with the person's keys and whatever address is written there: each is asked
        // about, as a push is for what its line says.
        let is_asked = reaches && self.action != Action::Push;
        let line = Line { text: line::line(self), shell: "bash".into(), is_typed: false };
        Intent {
            access: reaches.then_some(Access::Reach),
            site: walls::site(state, caller, self.workspace_id.as_deref(), false),
            line: (!is_asked).then_some(line),
            // A yes to one of these must not open the others, nor the same for another remote.
            each_time: self.is_for_server(),
            ..Intent::default()
        }
    }

    /// With the address that is meant, which may stand in the repository only.
    async fn closer_intent(
        &self,
        state: &Arc<OpenSpace>,
        caller: &Caller,
    ) -> Result<Option<Intent>> {
        let about = address::about(self, state, caller).await;
        Ok(about.map(|about| Intent { about: Some(about), ..self.intent(state, caller) }))
    }

    async fn run(self, cx: Cx) -> Result<GitReply> {
        let workspace = self.workspace_id.as_deref();
        check_reach(&cx, workspace)?;
        let workspaces = cx.state.workspaces();
        // For an agent git runs in the agents' place, also when it only looks: what lies in `.git` may be the
        // agent's, links and filters included. What cannot be done there the server does, without hooks, unless
        // the settings of the repository may be an agent's too.
        let is_of_agents = workspaces.is_repository_of_agents(workspace).await?;
        let is_for_server = self.is_for_server() && !is_of_agents;
        let hooks = !(is_for_server && workspaces.is_beside(&cx.caller, workspace)?);
        let place = if is_for_server {
            workspaces.place(workspace).await?
        } else {
            workspaces.place_of_git(&cx.caller, workspace).await?
        };
        let timeout_ms = self.timeout_ms.unwrap_or(DEFAULT_TIMEOUT_MS);
        let request = completed(&cx, &place, request(&place, &self)?).await?;
        let done = ask_git(&cx, &place, request, hooks, timeout_ms).await;
        if cx.caller.kind == CallerKind::Agent {
            let is_confined = !is_for_server && workspaces.is_beside(&cx.caller, workspace)?;
            return if is_confined { done.map_err(walls::explained_git) } else { done };
        }
        if self.is_for_server() && is_of_agents {
            return done.map_err(|error| error.hint(NOT_ADOPTED));
        }
        // What a person has made here is theirs.
        if matches!(self.action, Action::Init | Action::Clone) && done.is_ok() {
            workspaces.adopt_repository(workspace.unwrap_or(MAIN)).await?;
        }
        done
    }

    fn text(reply: &GitReply) -> Option<String> {
        text::describe(reply)
    }
}

impl Git {
    /// Whether the server has to do it: it speaks to a remote, writes git's configuration or the trash. All of
    /// these are asked about.
    fn is_for_server(&self) -> bool {
        match self.action {
            Action::Clone | Action::Discard | Action::Fetch | Action::Pull | Action::Push => true,
            Action::Remote => !self.only_looks(),
            _ => false,
        }
    }

    /// Whether it changes nothing.
    fn only_looks(&self) -> bool {
        let lists = matches!(self.operation.as_deref(), None | Some("list"));
        match self.action {
            Action::Status | Action::Diff | Action::Log | Action::Show | Action::Blame => true,
            Action::Branch | Action::Tag | Action::Remote => lists && self.name.is_none(),
            Action::Stash => self.operation.as_deref() == Some("list"),
            _ => false,
        }
    }
}

/// The request that the arguments make; an argument that its action does not know is named.
fn request(place: &Place, git: &Git) -> Result<GitRequest> {
    let failed = |error: serde_json::Error| Error::invalid(error.to_string());
    let Value::Object(mut arguments) = serde_json::to_value(git).map_err(failed)? else {
        return Err(Error::internal("the arguments of git are not an object"));
    };
    resolve_paths(place, &mut arguments)?;
    let invalid = |reason: &str| {
        Error::invalid(format!("action `{}`: {reason}", git.action.word()))
            .hint("command_help shows which arguments go with which action")
    };
    let request = serde_json::from_value(Value::Object(arguments))
        .map_err(|error| invalid(&error.to_string().replace("field", "argument")))?;
    match &request {
        GitRequest::Commit(commit) if commit.message.is_none() && !commit.amend => {
            Err(invalid("missing argument `message`"))
        }
        _ => Ok(request),
    }
}

/// The request with what only the server knows: the time, and text that is not saved.
async fn completed(cx: &Cx, place: &Place, mut request: GitRequest) -> Result<GitRequest> {
    let (file, content) = match &mut request {
        GitRequest::Discard(discard) => {
            discard.at = cx.state.now();
            return Ok(request);
        }
        GitRequest::Add(AddRequest { lines: Some(_), files, content, .. }) => {
            (files.first().cloned(), content)
        }
        GitRequest::Blame(BlameRequest { revision: None, path, content, .. }) => {
            (Some(path.clone()), content)
        }
        _ => return Ok(request),
    };
    // Only the workspace of the space has unsaved text.
    let file = file.filter(|_| place.id() == MAIN);
    let unsaved = file.and_then(|path| Some((cx.state.buffers().live(&path)?, path)));
    let Some((live, path)) = unsaved else { return Ok(request) };
    // Whether the file may be read is the host's to say, unsaved or not.
    place.ask(operation::MayRead { path, person: is_person(&cx.caller) }).await.map_err(refused)?;
    *content = Some(live.text.to_string());
    Ok(request)
}

/// Paths may be typed absolute; git gets them relative to the root.
fn resolve_paths(place: &Place, arguments: &mut Map<String, Value>) -> Result<()> {
    let resolve = |path: &mut Value| -> Result<()> {
        if let Value::String(text) = path {
            *text = place.facts().resolve(text).map_err(refused)?.into();
        }
        Ok(())
    };
    for (name, value) in arguments.iter_mut() {
        match (name.as_str(), value) {
            ("files" | "paths", Value::Array(paths)) => paths.iter_mut().try_for_each(resolve)?,
            ("path", path) => resolve(path)?,
            _ => {}
        }
    }
    Ok(())
}
