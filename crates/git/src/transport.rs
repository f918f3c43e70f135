//! Speaking to remotes: fetch, pull, push, clone.
//!
//! An agent can write into the repository of the workspace: hooks, credential helpers, proxies,
//! rewritten addresses. So git never speaks to a remote from there. A fresh bare repository with a
//! configuration of our own, the *relay*, does: it reads and writes the real repository's objects,
//! but none of its settings, hooks or references. When it has ended, the real repository's
//! references are changed by an ordinary git, which knows of no credential.
//!
//! A credential is asked for when the remote wants one, for the host of the remote's address only,
//! and reaches git over a socket: it is in no argument, environment, file or message. Partial
//! clones, submodules, large-file storage and `pre-push` hooks are not served.

mod clone;
mod fetch;
mod helper;
mod pull;
mod push;
mod refspec;
mod relay;
mod remotes;
mod url;

use super::child::{Call, Done, Session};
use super::error::{GitError, message};
use super::names;

use self::helper::Asked;
use self::refspec::Refspec;
use self::url::Url;

pub(super) use self::clone::clone;
pub(super) use self::fetch::fetch;
pub(super) use self::pull::pull;
pub(super) use self::push::push;
pub(super) use self::remotes::remote;
pub use self::remotes::{RemoteInfo, RemoteReply};

/// A configured remote.
struct Remote {
    name: String,
    url: Url,
    refspecs: Vec<Refspec>,
}

impl Session<'_> {
    /// The remote that is named, else the branch's own, `origin`, or the only one.
    async fn remote(
        &self,
        wanted: Option<&str>,
        branch: Option<&str>,
        to_push: bool,
    ) -> Result<Remote, GitError> {
        let listed = self.remote_names().await?;
        let known: Vec<&str> = listed.iter().map(String::as_str).collect();
        let own = match branch {
            Some(branch) => {
                self.setting(&format!("branch.{branch}.remote")).await?.into_iter().next()
            }
            None => None,
        };
        let own = own.filter(|name| known.contains(&name.as_str()));
        let name = match (wanted, own, known.as_slice()) {
            (Some(name), _, _) => name.to_owned(),
            (None, Some(name), _) => name,
            (None, None, &[only]) => only.to_owned(),
            (None, None, _) => "origin".to_owned(),
        };
        if names::ref_name(&name).is_err() || !known.contains(&name.as_str()) {
            return Err(GitError::NoRemote { remote: name });
        }
        let mut ask = Call::new(["remote", "get-url"]);
        if to_push {
            ask = ask.arg("--push");
        }
        let told = self.must(ask.args(["--", &name]).reading()).await?.line();
        let url = Url::parse(told.lines().next().unwrap_or_default(), &self.top())?;
        let configured = self.setting(&format!("remote.{name}.fetch")).await?;
        let refspecs = if configured.is_empty() {
            vec![Refspec::usual(&name)]
        } else {
            configured.iter().map(|text| Refspec::parse(text)).collect::<Result<_, _>>()?
        };
        Ok(Remote { name, url, refspecs })
    }

    async fn setting(&self, key: &str) -> Result<Vec<String>, GitError> {
        let done = self.run(Call::new(["config", "--get-all", key]).reading()).await?;
        Ok(done.line().lines().map(str::to_owned).collect())
    }

    /// The root of the repository's files, from which addresses that are paths are meant.
    fn top(&self) -> std::path::PathBuf {
        let depth = self.prefix.0.split(|&byte| byte == b'/').skip(1).count();
        let root = &self.git.settings.root;
        root.ancestors().nth(depth).unwrap_or(root).to_owned()
    }

    async fn follow_upstream(&self, branch: &str, remote: &str, of: &str) -> Result<(), GitError> {
        self.must(Call::new(["config", &format!("branch.{branch}.remote"), remote])).await?;
        let merge = format!("refs/heads/{of}");
        self.must(Call::new(["config", &format!("branch.{branch}.merge"), &merge])).await?;
        Ok(())
    }
}

/// Why a remote did not serve.
fn refused(action: &str, url: &Url, done: &Done, asked: Asked) -> GitError {
    const DENIED: [&str; 5] = [
        "Authentication failed",
        "could not read Username",
        "could not read Password",
        "returned error: 401",
        "returned error: 403",
    ];
    const AWAY: [&str; 7] = [
        "Could not read from remote repository",
        "unable to access",
        "does not appear to be a git repository",
        "repository not found",
        "not found",
        "does not exist",
        "unable to connect",
    ];
    let said = &done.stderr;
    let host = || url.host().unwrap_or_default().to_owned();
    if asked == Asked::InVain {
        return GitError::NoCredential { host: host() };
    }
    if DENIED.iter().any(|words| said.contains(words)) || said.contains("Permission denied (") {
        return GitError::AuthenticationFailed { host: host() };
    }
    let message = message(said, "");
    if AWAY.iter().any(|words| said.contains(words)) {
        return GitError::Unreachable { message };
    }
    GitError::Failed { action: action.to_owned(), exit_code: done.code, message }
}
