//! What kind of address a remote has, in plain words for the person who is asked: a folder of this machine, a
//! host that is reached with their keys, or one of the web. Whether git may use it is decided elsewhere.

use std::sync::Arc;

use openspace_command::Caller;
use openspace_git::{GitReply, GitRequest, RemoteInfo, RemoteRequest};
use openspace_host::operation;

use super::{Action, Git};
use crate::{OpenSpace, workspaces::MAIN};

/// A question is not held up longer than that by looking for an address.
const TIMEOUT_MS: u64 = 5_000;
/// Remotes that are told where it is open which one is meant.
const MOST_REMOTES: usize = 5;

/// The address in one sentence.
pub(crate) fn sentence(url: &str) -> String {
    format!("The address is {}.", kind(url))
}

/// What kind of address it is. A user or a password in it is not shown.
fn kind(url: &str) -> String {
    if let Some((scheme, rest)) = url.split_once("://") {
        let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
        let host = authority.rsplit('@').next().unwrap_or(authority);
        return match scheme.to_ascii_lowercase().as_str() {
            "file" => format!("a folder on this machine, {rest}"),
            "ssh" | "git+ssh" | "ssh+git" => ssh(host),
            "https" => format!("the host {host}, over https"),
            "http" => format!("the host {host}, over http, which others on the way can read"),
            _ => format!("one over {scheme}, which is not served"),
        };
    }
    let before_slash = url.split('/').next().unwrap_or(url);
    match before_slash.split_once(':') {
        Some((_, rest)) if rest.starts_with(':') => {
            "one that names a program, which is not served".into()
        }
        Some((who, _)) => ssh(who.rsplit('@').next().unwrap_or(who)),
        None => format!("a folder on this machine, {url}"),
    }
}

fn ssh(host: &str) -> String {
    format!("the host {host}, over ssh with your keys")
}

/// What a person should know of the address that a call is about.
pub(super) async fn about(git: &Git, state: &Arc<OpenSpace>, caller: &Caller) -> Option<String> {
    if let Some(url) = &git.url {
        return Some(sentence(url));
    }
    if !matches!(git.action, Action::Push | Action::Pull | Action::Fetch) {
        return None;
    }
    let workspaces = state.workspaces();
    let id = git.workspace_id.as_deref().unwrap_or(MAIN);
    workspaces.check_reach(caller, &workspaces.record(id).ok()?).ok()?;
    let place = workspaces.place_of_git(caller, Some(id)).await.ok()?;
    let request = GitRequest::Remote(RemoteRequest::default());
    let asked = operation::Git { request, person: false, hooks: false, timeout_ms: TIMEOUT_MS };
    match place.ask(asked).await {
        Ok(GitReply::Remote(reply)) => of_remotes(git.remote.as_deref(), &reply.remotes.entries),
        // The call will say what is wrong; a person is asked without it.
        _ => None,
    }
}

/// The address of the remote that is named, or of those that can be meant.
fn of_remotes(wanted: Option<&str>, remotes: &[RemoteInfo]) -> Option<String> {
    let told = |one: &RemoteInfo| match &one.url {
        Some(url) => format!("`{}` is {}", one.name, kind(url)),
        None => format!("`{}` has an address that is not used", one.name),
    };
    match (wanted, remotes) {
        (Some(name), remotes) => {
            let found = remotes.iter().find(|one| one.name == name)?;
            Some(format!("The remote {}.", told(found)))
        }
        (None, []) => None,
        (None, [only]) => Some(format!("The remote {}.", told(only))),
        (None, several) => {
            let told: Vec<String> = several.iter().take(MOST_REMOTES).map(told).collect();
            let more = if several.len() > MOST_REMOTES { "; and more" } else { "" };
            Some(format!("No remote is named; there are: {}{more}.", told.join("; ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn an_address_is_told_by_its_kind_and_without_who_uses_it() {
        let rows = [
            ("/srv/x.git", "a folder on this machine, /srv/x.git"),
            ("../x", "a folder on this machine, ../x"),
            ("./a:b", "a folder on this machine, ./a:b"),
            ("file:///srv/x", "a folder on this machine, /srv/x"),
            ("git@github.com:a/b.git", "the host github.com, over ssh with your keys"),
            ("host:x", "the host host, over ssh with your keys"),
            ("ssh://me@host:22/x", "the host host:22, over ssh with your keys"),
            ("https://github.com/a/b", "the host github.com, over https"),
            ("https://me:hunter2@github.com/a", "the host github.com, over https"),
            ("http://host/x", "the host host, over http, which others on the way can read"),
            ("git://host/x", "one over git, which is not served"),
            ("ext::sh -c x", "one that names a program, which is not served"),
        ];
        for (url, expected) in rows {
            assert_eq!(sentence(url), format!("The address is {expected}."));
        }
    }

    #[test]
    fn a_remote_that_is_not_named_is_told_as_far_as_it_is_known() {
        let one = |name: &str, url: Option<&str>| RemoteInfo {
            name: name.into(),
            url: url.map(str::to_owned),
        };
        let origin = one("origin", Some("/srv/x"));
        let up = one("up", Some("git@host:x"));
        let odd = one("odd", None);
        let folder = "The remote `origin` is a folder on this machine, /srv/x.";
        let both = "No remote is named; there are: `origin` is a folder on this machine, /srv/x; `up` is the host \
                    host, over ssh with your keys.";
        let rows = [
            (Some("origin"), vec![origin.clone(), up.clone()], Some(folder)),
            (None, vec![origin.clone()], Some(folder)),
            (None, vec![origin, up], Some(both)),
            (Some("odd"), vec![odd], Some("The remote `odd` has an address that is not used.")),
            (Some("gone"), vec![], None),
            (None, vec![], None),
        ];
        for (wanted, remotes, expected) in rows {
            assert_eq!(of_remotes(wanted, &remotes).as_deref(), expected);
        }
    }
}
