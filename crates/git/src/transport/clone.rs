//! Cloning into the empty workspace.

use std::path::PathBuf;

use super::fetch::exchange_refs;
use super::helper::exchange;
use super::refspec::Refspec;
use super::refused;
use super::relay::{Format, Relay};
use super::url::Url;
use crate::child::{Call, Session};
use crate::error::GitError;
use crate::names;
use crate::reply::{CloneReply, GitReply};
use crate::request::CloneRequest;

const REMOTE: &str = "origin";

pub(crate) async fn clone(
    session: &mut Session<'_>,
    request: &CloneRequest,
) -> Result<GitReply, GitError> {
    let root = session.git.settings.root.clone();
    let url = Url::parse(&request.url, &root)?;
    if let Some(branch) = &request.branch {
        names::ref_name(branch)?;
    }
    let looked = |error: &std::io::Error| GitError::io("clone", "the workspace", error);
    if std::fs::read_dir(&root).map_err(|error| looked(&error))?.next().is_some() {
        return Err(GitError::NotEmpty);
    }
    let listing = look(session, &url).await?;
    let branch = listing.branch(request.branch.as_deref())?;

    let format = match listing.format {
        Format::Sha1 => "--object-format=sha1",
        Format::Sha256 => "--object-format=sha256",
    };
    let mut begun = Begun(Some(root.join(".git")));
    let init = Call::new(["init", "--quiet", "--template=", format, "--initial-branch", &branch]);
    session.must(init.args(["--", "."])).await?;
    session.locate().await?;
    let mut add = Call::new(["remote", "add"]);
    let mut refspec = Refspec::usual(REMOTE);
    if request.depth.is_some() {
        add = add.args(["-t", &branch]);
        let text = format!("+refs/heads/{branch}:refs/remotes/{REMOTE}/{branch}");
        refspec = Refspec::parse(&text)?;
    }
    session.must(add.args(["--", REMOTE, &url.text])).await?;
    if !listing.heads.is_empty() {
        let relay = Relay::of(session).await?;
        exchange_refs(session, &relay, &url, &[refspec], request.depth, false).await?;
    }
    let head = session.set_up(&branch, listing.head.as_deref() == Some(&branch)).await?;
    begun.0 = None;
    let shallow = session.common_dir.join("shallow").exists();
    Ok(GitReply::Clone(CloneReply { url: url.shown, branch, head, shallow }))
}

/// A repository that is of no use unless the clone succeeds.
struct Begun(Option<PathBuf>);

impl Drop for Begun {
    fn drop(&mut self) {
        if let Some(path) = &self.0
            && let Err(error) = std::fs::remove_dir_all(path)
        {
            tracing::warn!(%error, "an unfinished clone was not removed");
        }
    }
}

/// What a remote has.
struct Listing {
    /// The branch that the remote would check out.
    head: Option<String>,
    heads: Vec<String>,
    format: Format,
}

impl Listing {
    fn branch(&self, wanted: Option<&str>) -> Result<String, GitError> {
        match wanted {
            Some(branch) if self.heads.iter().any(|head| head == branch) => Ok(branch.to_owned()),
            Some(branch) => Err(GitError::NoSuchBranch { branch: branch.to_owned() }),
            None => {
                let branch = self.head.as_ref().or(self.heads.first());
                Ok(branch.cloned().unwrap_or_else(|| "main".to_owned()))
            }
        }
    }
}

async fn look(session: &Session<'_>, url: &Url) -> Result<Listing, GitError> {
    let relay = Relay::create(session, Format::Sha1, None)?;
    let call = relay.call(["ls-remote", "--quiet", "--symref", "--"]);
    let call = call.args([url.text.as_str(), "HEAD", "refs/heads/*"]);
    let (done, asked) = exchange(session, call, url).await?;
    if !done.is_success() {
        return Err(refused(session.action, url, &done, asked));
    }
    let told = String::from_utf8_lossy(&done.stdout).into_owned();
    let mut listing = Listing { head: None, heads: Vec::new(), format: Format::Sha1 };
    for (what, name) in told.lines().filter_map(|line| line.split_once('\t')) {
        if let Some(branch) = name.strip_prefix("refs/heads/") {
            if names::ref_name(branch).is_ok() {
                listing.heads.push(branch.to_owned());
            }
        } else if let Some(branch) = what.strip_prefix("ref: refs/heads/")
            && name == "HEAD"
        {
            listing.head = Some(branch.to_owned());
        }
        if what.len() == 64 && !what.contains(' ') {
            listing.format = Format::Sha256;
        }
    }
    // A remote's choice that does not exist is none.
    listing.head = listing.head.filter(|head| listing.heads.contains(head));
    Ok(listing)
}

impl Session<'_> {
    /// Checks the branch out; nothing of the remote is spoken to any more.
    async fn set_up(
        &self,
        branch: &str,
        is_remote_choice: bool,
    ) -> Result<Option<String>, GitError> {
        let tracking = format!("refs/remotes/{REMOTE}/{branch}");
        let oid = match self.resolve(&tracking).await {
            Ok(oid) => oid,
            Err(GitError::NoSuchRevision { .. }) => return Ok(None),
            Err(other) => return Err(other),
        };
        if is_remote_choice {
            let head = format!("refs/remotes/{REMOTE}/HEAD");
            self.must(Call::new(["symbolic-ref", &head, &tracking])).await?;
        }
        let own = format!("refs/heads/{branch}");
        self.must(Call::new(["update-ref", "-m", "clone", &own, &oid])).await?;
        self.follow_upstream(branch, REMOTE, branch).await?;
        self.must(Call::new(["reset", "--hard", "--quiet"])).await?;
        Ok(Some(oid))
    }
}
