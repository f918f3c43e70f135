//! `GitError`: why git did not do what was asked, and what to try next.
//!
//! Git tells most reasons in words only. They are read here, in one place, with the language fixed;
//! what is not understood stays git's own message, without any credential in it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::child::Done;
use super::names::without_magic;

/// The most of git's own words that an error carries.
const LONGEST_MESSAGE: usize = 4 * 1024;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum GitError {
    #[error("git is not installed where the files are")]
    GitMissing,
    #[error("the workspace is not in a git repository")]
    NotARepository,
    #[error("`.git` is there, and git does not take it for a repository")]
    Unusable,
    #[error("the repository belongs to another user, and git does not trust it")]
    UntrustedOwner,
    #[error("{message}")]
    InvalidRequest { message: String },
    #[error("there is no revision `{revision}`")]
    NoSuchRevision { revision: String },
    #[error("there is no branch `{branch}`")]
    NoSuchBranch { branch: String },
    #[error("the branch `{branch}` exists already")]
    BranchExists { branch: String },
    #[error("there is no tag `{tag}`")]
    NoSuchTag { tag: String },
    #[error("the tag `{tag}` exists already")]
    TagExists { tag: String },
    #[error("the branch `{branch}` has commits that are in no other")]
    NotMerged { branch: String },
    #[error("git knows no file and there is none at: {}", files.join(", "))]
    NoSuchFiles { files: Vec<String> },
    #[error("ignored by a `.gitignore`: {}", files.join(", "))]
    Ignored { files: Vec<String> },
    #[error("nothing on these lines of `{path}` differs")]
    NoChangeThere { path: String },
    #[error("git does not know these, so they would be deleted: {}", files.join(", "))]
    WouldDelete { files: Vec<String> },
    #[error("`{path}` may not be deleted, by the rule `{rule}`")]
    Protected { path: String, rule: String },
    #[error("the content of `{path}` is secret by the rule `{rule}`")]
    Secret { path: String, rule: String },
    #[error("`{path}` is another name of a secret file")]
    SecretTwin { path: String },
    #[error("secret, and not committed as they are: {}", files.join(", "))]
    SecretsAlong { files: Vec<String> },
    #[error("there is no file `{path}` in `{revision}`")]
    NotInRevision { path: String, revision: String },
    #[error("the lock `{file}` is there: another git is at work, or one was ended in the middle")]
    Locked { file: String },
    #[error("in conflict: {}", files.join(", "))]
    Conflicts { files: Vec<String> },
    #[error("conflict markers are left in: {}", files.join(", "))]
    ConflictMarkers { files: Vec<String> },
    #[error("uncommitted changes would be lost in: {}", files.join(", "))]
    WouldOverwrite { files: Vec<String> },
    #[error("there are uncommitted changes")]
    UncommittedChanges,
    #[error("git does not know in whose name to commit")]
    NoIdentity,
    #[error("there is nothing to commit")]
    NothingToCommit,
    #[error("there are no changes to put aside")]
    NothingToStash,
    #[error("there is no stash entry {index}")]
    NoSuchStash { index: u32 },
    #[error("git is in the middle of another operation: {message}")]
    InTheMiddle { message: String },
    #[error("the index of the repository names `{name}`, which git itself would not put there")]
    CraftedIndex { name: String },
    #[error("`{path}` is a link or a pipe, and would mislead git")]
    Misleading { path: String },
    #[error("others can change the repository meanwhile: {reason}")]
    NotStill { reason: String },
    #[error("going on would run programs: {}", lines.join("; "))]
    RunsPrograms { lines: Vec<String> },
    #[error("git is not in the middle of anything")]
    NothingUnfinished,
    #[error("nothing is left of the commit that git stopped at")]
    NothingLeft,
    #[error("no branch is checked out")]
    Detached,
    #[error("there is no commit yet")]
    NoCommitYet,
    #[error("there is no remote `{remote}`")]
    NoRemote { remote: String },
    #[error("the branch `{branch}` follows no other")]
    NoUpstream { branch: String },
    #[error("`{name}` was rejected by the remote: {reason}")]
    Rejected { name: String, reason: String, messages: Vec<String> },
    #[error("both sides have commits of their own: {ahead} here, {behind} on `{upstream}`")]
    Diverged { upstream: String, ahead: u64, behind: u64 },
    #[error("the address of the remote contains a password")]
    CredentialInUrl,
    #[error("the address `{url}` cannot be used: {reason}")]
    BadUrl { url: String, reason: String },
    #[error("`{host}` asks for a credential, and there is none")]
    NoCredential { host: String },
    #[error("`{host}` did not accept the credential")]
    AuthenticationFailed { host: String },
    #[error("the remote could not be reached or read: {message}")]
    Unreachable { message: String },
    #[error("the workspace folder is not empty")]
    NotEmpty,
    #[error("the hook `{hook}` {}", ended(*exit_code))]
    HookFailed { hook: String, exit_code: Option<i32>, output: String },
    #[error("git {action} was ended after {seconds} seconds")]
    TimedOut {
        action: String,
        seconds: u64,
        /// What had been printed.
        output: String,
        /// Processes that could not be ended.
        survivors: Vec<u32>,
    },
    #[error("git {action} was cancelled")]
    Cancelled { action: String },
    #[error("git {action} printed more than can be read")]
    TooMuchOutput { action: String },
    #[error("git {action} failed: {message}")]
    Failed { action: String, exit_code: Option<i32>, message: String },
}

/// How a hook ended.
fn ended(exit_code: Option<i32>) -> String {
    match exit_code {
        Some(code) => format!("failed with exit code {code}"),
        None => "was ended by a signal".to_owned(),
    }
}

impl GitError {
    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self::InvalidRequest { message: message.into() }
    }

    pub(super) fn io(action: &str, what: &str, error: &std::io::Error) -> Self {
        let message = format!("{what}: {error}");
        Self::Failed { action: action.to_owned(), exit_code: None, message }
    }

    /// What to try next.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::GitMissing => "install git in the workspace's environment",
            Self::NotARepository => "use the action `init` or `clone` first",
            Self::Unusable => {
                "one of its own files is missing or damaged: look at `.git/HEAD`, `.git/objects` and \
                 `.git/refs` in a terminal"
            }
            Self::UntrustedOwner => {
                "a person can allow it with `git config --global --add safe.directory FOLDER`"
            }
            Self::NoSuchRevision { .. } => "list commits with `log` and branches with `branch`",
            Self::NoSuchBranch { .. } => "list branches with the action `branch`",
            Self::BranchExists { .. } => "switch to it with `checkout`, or choose another name",
            Self::NoSuchTag { .. } => "list tags with the action `tag`",
            Self::TagExists { .. } => "choose another name, or delete it first",
            Self::NoChangeThere { .. } => "see `diff` for where the changes are",
            Self::ConflictMarkers { .. } => {
                "edit each file until no conflict marker is left, or set `force` if they belong there"
            }
            Self::NotMerged { .. } => "set `force` to delete it with its commits",
            Self::NoSuchFiles { .. } => "see `status` for the files that changed",
            Self::Ignored { .. } => "change `.gitignore` if they belong into the repository",
            Self::WouldDelete { .. } => "set `include_untracked` to move them to the trash",
            Self::Protected { .. } => "a person may delete it in a shell",
            Self::Secret { .. } | Self::SecretTwin { .. } => {
                "secret files are listed, but their content is never shown"
            }
            Self::SecretsAlong { .. } => {
                "leave them out, by name or in `.gitignore`; a person who means it sets `force`"
            }
            Self::NotInRevision { .. } => "use `log` with `path` to find commits that have it",
            Self::Locked { file } => {
                return Some(format!(
                    "wait and try again; if no git is running, a person may delete `{file}`"
                ));
            }
            Self::Conflicts { .. } => {
                "edit each file until no conflict marker is left, stage it with `add`, then commit \
                 a merge or go on with `continue`; or give it up with `abort`; `status` shows which \
                 operation it is"
            }
            Self::WouldOverwrite { .. } => {
                "commit them, put them aside with `stash`, or throw them away with `restore`"
            }
            Self::UncommittedChanges => "commit them or put them aside with `stash`",
            Self::NoIdentity => {
                "tell git in a terminal: `git config --global user.name 'YOUR NAME'` and \
                 `git config --global user.email YOU@EXAMPLE`, without `--global` for this repository only"
            }
            Self::NothingToCommit => {
                "see `status`; name new files in `files`, or set `all` for changed ones"
            }
            Self::NoSuchStash { .. } => "list entries with the operation `list`",
            Self::InTheMiddle { .. } => {
                "finish it with `continue` or give it up with `abort`; `status` shows which it is"
            }
            Self::CraftedIndex { .. } => {
                "some program wrote `.git/index` itself: find out which before anything else; \
                 then, in a terminal, `rm .git/index && git reset` makes it anew from the last commit"
            }
            Self::Misleading { .. } => {
                "git keeps no links or pipes there: find out which program made it, and take it away in a terminal"
            }
            Self::NotStill { .. } => {
                "try again; if it stays so, end what agents run in the workspace"
            }
            Self::RunsPrograms { .. } => {
                "if these lines are yours, go on in a terminal with `git rebase --continue`; \
                 `git rebase --edit-todo` shows them all, and `abort` gives it up"
            }
            Self::NothingUnfinished => "`status` tells what git is in the middle of",
            Self::NothingLeft => "go on without it with `skip`",
            Self::Detached => "switch to a branch with `checkout` first",
            Self::NoCommitYet => "make a first commit",
            Self::NoRemote { .. } => {
                "list remotes with the action `remote`, or add one with its operation `add`"
            }
            Self::NoUpstream { .. } => "name `remote` and `branch`, or push with `set_upstream`",
            Self::Rejected { reason, .. } if reason.contains("remote rejected") => {
                "the remote's own rules forbid it; read `messages`"
            }
            Self::Rejected { .. } => {
                "the remote has commits that are lacking here: `pull` first, then push again"
            }
            Self::Diverged { .. } => "pull again with the strategy `rebase` or `merge`",
            Self::CredentialInUrl => {
                "remove it from the address; credentials come from the credential broker, which a \
                 person configures"
            }
            Self::NoCredential { .. } | Self::AuthenticationFailed { .. } => {
                "a person must configure the credential broker for this host"
            }
            Self::HookFailed { .. } => "read `output`, mend what the hook asks for, try again",
            Self::TimedOut { .. } => {
                "a hook or a remote may hang; read `output`, or allow more time"
            }
            Self::NotEmpty => "clone needs an empty workspace",
            Self::Unreachable { .. } => {
                "check the address and the network; a sandbox has none unless it was created with it"
            }
            Self::InvalidRequest { .. }
            | Self::NothingToStash
            | Self::BadUrl { .. }
            | Self::Cancelled { .. }
            | Self::TooMuchOutput { .. }
            | Self::Failed { .. } => return None,
        };
        Some(hint.to_owned())
    }
}

/// The reason why git ended with an error.
pub(super) fn classify(action: &str, done: &Done) -> GitError {
    let said = format!("{}\n{}", done.stderr, String::from_utf8_lossy(&done.stdout));
    if said.contains("not a git repository") || said.contains("must be run in a work tree") {
        return GitError::NotARepository;
    }
    if said.contains("detected dubious ownership") {
        return GitError::UntrustedOwner;
    }
    if said.contains("Please tell me who you are") {
        return GitError::NoIdentity;
    }
    if let Some(file) = between(&said, "Unable to create '", "': File exists") {
        return GitError::Locked { file: file.to_owned() };
    }
    if said.contains("would be overwritten by")
        || said.contains("already exists, no checkout")
        || said.contains("untracked working tree files would be")
    {
        return GitError::WouldOverwrite { files: named(&said) };
    }
    let unknown = quoted(&said, "pathspec '", "' did not match");
    if !unknown.is_empty() {
        return GitError::NoSuchFiles { files: unknown };
    }
    let unmerged = quoted(&said, "error: path '", "' is unmerged");
    if !unmerged.is_empty() {
        return GitError::Conflicts { files: unmerged };
    }
    let unstaged = ["You have unstaged changes", "Your index contains uncommitted changes"];
    if unstaged.iter().any(|words| said.contains(words)) {
        return GitError::UncommittedChanges;
    }
    let middle =
        ["during a merge", "during a rebase", "during a cherry-pick", "not concluded your"];
    if let Some(line) = said.lines().find(|line| middle.iter().any(|words| line.contains(words))) {
        return GitError::InTheMiddle { message: plain(line) };
    }
    GitError::Failed {
        action: action.to_owned(),
        exit_code: done.code,
        message: message(&done.stderr, &String::from_utf8_lossy(&done.stdout)),
    }
}

/// Git's own words, shortened; what it prints on its standard output only if it did not complain.
pub(super) fn message(stderr: &str, stdout: &str) -> String {
    let said = if stderr.trim().is_empty() { stdout } else { stderr };
    let said = mask(said.trim());
    let from = said.ceil_char_boundary(said.len().saturating_sub(LONGEST_MESSAGE));
    if said.is_empty() { "it gave no reason".to_owned() } else { said[from..].to_owned() }
}

fn plain(line: &str) -> String {
    mask(line.trim_start_matches("fatal: ").trim_start_matches("error: ").trim())
}

fn between<'text>(text: &'text str, before: &str, after: &str) -> Option<&'text str> {
    let start = text.find(before)? + before.len();
    let rest = &text[start..];
    Some(&rest[..rest.find(after)?])
}

/// The names in lines of the same form.
fn quoted(said: &str, before: &str, after: &str) -> Vec<String> {
    said.lines()
        .filter_map(|line| between(line, before, after))
        .map(|name| without_magic(name).to_owned())
        .collect()
}

/// The files in git's message: a line each, indented by a tab, or before a colon.
fn named(said: &str) -> Vec<String> {
    let mut files: Vec<String> = said
        .lines()
        .filter_map(|line| {
            line.strip_prefix('\t').or_else(|| line.strip_suffix(" already exists, no checkout"))
        })
        .map(|name| name.trim_end().to_owned())
        .take(1000)
        .collect();
    files.sort();
    files.dedup();
    files
}

/// Takes passwords out of addresses: `//user:password@host` becomes `//***@host`.
pub(super) fn mask(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("//") {
        let (before, after) = rest.split_at(at + 2);
        masked.push_str(before);
        let end = after
            .find(|letter: char| letter == '/' || letter.is_whitespace() || letter.is_control())
            .unwrap_or(after.len());
        let authority = &after[..end];
        rest = match authority.rfind('@') {
            Some(sign) if authority[..sign].contains(':') => {
                masked.push_str("***");
                &after[sign..]
            }
            _ => after,
        };
    }
    masked.push_str(rest);
    masked
}
