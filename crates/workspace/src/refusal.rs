//! What a host says, in words for a caller: the kind, the sentence, the next step.

use openspace_command::{Error, ErrorKind};
use openspace_files::{change::ChangeError, grep::GrepError};
use openspace_git::GitError;
use openspace_host::HostError;
use openspace_layout::LayoutError;
use openspace_process::ProcessError;
use openspace_text::edit::EditError;

mod files;
mod terminals;

/// Put a failure of a host into words for a caller.
pub fn refused(error: impl Into<HostError>) -> Error {
    match error.into() {
        HostError::File(error) => files::refused(error),
        HostError::Change(error) => change(error),
        HostError::Grep(error) => grep(error),
        HostError::Process(error) => process(error),
        HostError::Terminal(error) => terminals::refused(error),
        HostError::Git(error) => git(error),
        HostError::Watch(error) => Error::internal("the file cannot be watched").because(error),
        error @ HostError::Unknown { .. } => Error::not_found(error.to_string()),
        error @ HostError::TooMany { .. } => {
            Error::conflict(error.to_string()).hint("end some of them first")
        }
        error @ HostError::Cancelled => Error::new(ErrorKind::Cancelled, error.to_string()),
        error @ HostError::Unreachable(_) => Error::internal(error.to_string())
            .hint("the server's log says more; workspace_get shows how the workspace is made"),
        error @ HostError::Lost(_) => Error::new(ErrorKind::Lost, error.to_string()).hint(
            "whether it was done is unknown: look before you try again; the next call starts the \
             workspace anew, without the programs that ran in it",
        ),
        error @ (HostError::Protocol(_) | HostError::Internal(_)) => {
            Error::internal("the host failed").because(error)
        }
    }
}

fn with(kind: ErrorKind, message: String, hint: Option<String>) -> Error {
    let refusal = Error::new(kind, message);
    match hint {
        Some(hint) => refusal.hint(hint),
        None => refusal,
    }
}

fn change(error: ChangeError) -> Error {
    let error = match error {
        ChangeError::File(error) => return files::refused(error),
        other => other,
    };
    let kind = match &error {
        ChangeError::Stale { .. }
        | ChangeError::Edit(
            EditError::NotFound { .. }
            | EditError::Several { .. }
            | EditError::Disproportionate { .. },
        ) => ErrorKind::Conflict,
        ChangeError::Edit(_) => ErrorKind::InvalidArgs,
        ChangeError::File(_) | ChangeError::NotText { .. } => ErrorKind::Unsupported,
    };
    with(kind, error.to_string(), error.hint())
}

fn grep(error: GrepError) -> Error {
    let message = error.to_string();
    match error {
        GrepError::File(error) => files::refused(error),
        GrepError::BadPattern { .. } => Error::invalid(message)
            .hint("the syntax is that of Rust's regex crate; fixed_strings searches plain text"),
        GrepError::NeedsMultiline { .. } => Error::invalid(message).hint("set multiline"),
        GrepError::UnknownType { .. } => Error::invalid(message)
            .hint("types are ripgrep's, such as rust, ts, py; or use include"),
        GrepError::OffsetTooLarge { .. } => {
            Error::invalid(message).hint("narrow the search with path or include")
        }
    }
}

fn process(error: ProcessError) -> Error {
    let message = error.to_string();
    let (kind, hint) = match &error {
        ProcessError::CommandEmpty
        | ProcessError::CommandHasNul
        | ProcessError::CommandTooLong { .. }
        | ProcessError::PathRelative(_)
        | ProcessError::ProgramName(_)
        | ProcessError::HasNul { .. }
        | ProcessError::VariableName(_) => (ErrorKind::InvalidArgs, None),
        ProcessError::NotStarted { .. } => (
            ErrorKind::Unsupported,
            Some("it may be made for another system, or need what is not installed where it runs"),
        ),
        ProcessError::ProgramMissing { .. } => {
            (ErrorKind::NotFound, Some("install it where the workspace runs, or name its path"))
        }
        ProcessError::FolderMissing(_) => {
            (ErrorKind::NotFound, Some("workspace_glob finds files; the root is the default"))
        }
        ProcessError::FutureCursor { .. } => {
            (ErrorKind::InvalidArgs, Some("use the `cursor` of an earlier read of this run"))
        }
        ProcessError::Cancelled => (ErrorKind::Cancelled, None),
        ProcessError::StillRunning(_) => {
            (ErrorKind::Internal, Some("these processes are still there; a person may end them"))
        }
        ProcessError::SpillMissing(_)
        | ProcessError::ShellMissing(_)
        | ProcessError::ShellNotExecutable(_)
        | ProcessError::MarkerEmpty
        | ProcessError::Spawn { .. }
        | ProcessError::Reread { .. }
        | ProcessError::Wait(_) => (ErrorKind::Internal, None),
    };
    with(kind, message, hint.map(str::to_owned)).because(error)
}

fn git(error: GitError) -> Error {
    let kind = match &error {
        GitError::InvalidRequest { .. } | GitError::BadUrl { .. } | GitError::CredentialInUrl => {
            ErrorKind::InvalidArgs
        }
        GitError::NotARepository
        | GitError::NoSuchRevision { .. }
        | GitError::NoSuchBranch { .. }
        | GitError::NoSuchTag { .. }
        | GitError::NoChangeThere { .. }
        | GitError::NoSuchFiles { .. }
        | GitError::NotInRevision { .. }
        | GitError::NoSuchStash { .. }
        | GitError::NoRemote { .. } => ErrorKind::NotFound,
        GitError::Secret { .. }
        | GitError::SecretTwin { .. }
        | GitError::SecretsAlong { .. }
        | GitError::Protected { .. }
        | GitError::UntrustedOwner
        | GitError::CraftedIndex { .. }
        | GitError::Misleading { .. }
        | GitError::RunsPrograms { .. }
        | GitError::NoCredential { .. }
        | GitError::AuthenticationFailed { .. } => ErrorKind::Denied,
        GitError::GitMissing | GitError::TooMuchOutput { .. } => ErrorKind::Unsupported,
        GitError::TimedOut { .. } => ErrorKind::TimedOut,
        GitError::Cancelled { .. } => ErrorKind::Cancelled,
        _ => ErrorKind::Conflict,
    };
    let message = match &error {
        GitError::HookFailed { output, .. } | GitError::TimedOut { output, .. }
            if !output.trim().is_empty() =>
        {
            format!("{error}; it printed: {}", output.trim())
        }
        GitError::Rejected { messages, .. } if !messages.is_empty() => {
            format!("{error}; the remote said: {}", messages.join(" / "))
        }
        _ => error.to_string(),
    };
    let hint = error.hint();
    with(kind, message, hint).because(error)
}

/// Put a refused change of the layout into words for a caller.
#[expect(clippy::needless_pass_by_value, reason = "it is handed to `map_err`")]
pub(crate) fn layout_refused(error: LayoutError) -> Error {
    let message = error.to_string();
    match error {
        LayoutError::UnknownPane { .. } | LayoutError::UnknownTab { .. } => {
            Error::not_found(message).hint("pane_list shows what is open where")
        }
        LayoutError::UnknownLayout { .. } => {
            Error::not_found(message).hint("layout_list shows the saved layouts")
        }
        LayoutError::AmbiguousTab { .. } => {
            Error::conflict(message).hint("give `type` as well, or the pane's id")
        }
        LayoutError::LastPane(_) => {
            Error::conflict(message).hint("open something else in it instead")
        }
        LayoutError::NothingToResize { .. } => {
            Error::conflict(message).hint("split the pane first, or resize the other dimension")
        }
        LayoutError::TooMany { .. } => Error::conflict(message).hint("close something first"),
        _ => Error::invalid(message),
    }
}
