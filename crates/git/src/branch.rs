//! Branches: which there are, making and removing them, switching between them.

use super::child::{Call, Session};
use super::error::{GitError, classify};
use super::names::{self, Records};
use super::reply::{Bounded, BranchInfo, BranchReply, CheckoutReply};
use super::request::{BranchOperation, BranchRequest, CheckoutRequest};

const FORMAT: &str = "--format=%(refname)%00%(objectname)%00%(HEAD)%00%(upstream:short)%00\
    %(upstream:track,nobracket)%00%(committerdate:iso-strict)%00%(symref)%00%(contents:subject)";

impl Session<'_> {
    pub(super) async fn branch(&self, request: &BranchRequest) -> Result<BranchReply, GitError> {
        let refuse = |what: &str| Err(GitError::invalid(what));
        let name = request.name.as_deref();
        match (request.operation, name) {
            (BranchOperation::List, None) => {
                let branches = self.branches(&["refs/heads", "refs/remotes"]).await?;
                Ok(BranchReply { branches, ..BranchReply::default() })
            }
            (BranchOperation::List, Some(_)) => {
                refuse("`name` needs an `operation`: create, delete or rename")
            }
            (_, None) => refuse("`name` is missing"),
            (BranchOperation::Create, Some(name)) => {
                self.create(name, request.start_point.as_deref()).await?;
                self.only(name).await
            }
            (BranchOperation::Delete, Some(name)) => self.delete(name, request.force).await,
            (BranchOperation::Rename, Some(name)) => {
                let Some(new) = request.new_name.as_deref() else {
                    return refuse("`new_name` is missing");
                };
                self.existing(name).await?;
                self.must_be_new(new).await?;
                self.must(Call::new(["branch", "--move", "--", name, new])).await?;
                self.only(new).await
            }
        }
    }

    async fn only(&self, name: &str) -> Result<BranchReply, GitError> {
        let branches = self.branches(&[&format!("refs/heads/{name}")]).await?;
        Ok(BranchReply { branches, ..BranchReply::default() })
    }

    async fn branches(&self, refs: &[&str]) -> Result<Bounded<BranchInfo>, GitError> {
        let call = Call::new(["for-each-ref", FORMAT]).args(refs).reading();
        let mut found = Bounded::default();
        let mut lines = Records::new(b'\n');
        let mut take = |line: &[u8]| {
            if let Some(branch) = parse(&String::from_utf8_lossy(line)) {
                found.push(branch);
            }
        };
        self.stream(call, &mut |piece| lines.push(piece, &mut take)).await?;
        Ok(found)
    }

    /// The commit of a branch of this repository.
    pub(super) async fn existing(&self, name: &str) -> Result<String, GitError> {
        let reference = format!("refs/heads/{}", names::ref_name(name)?);
        match self.resolve(&reference).await {
            Err(GitError::NoSuchRevision { .. }) => {
                Err(GitError::NoSuchBranch { branch: name.to_owned() })
            }
            other => other,
        }
    }

    async fn must_be_new(&self, name: &str) -> Result<(), GitError> {
        match self.existing(name).await {
            Ok(_) => Err(GitError::BranchExists { branch: name.to_owned() }),
            Err(GitError::NoSuchBranch { .. }) => Ok(()),
            Err(other) => Err(other),
        }
    }

    async fn create(&self, name: &str, start: Option<&str>) -> Result<(), GitError> {
        self.must_be_new(name).await?;
        let start = match start {
            Some(start) => self.start_point(start).await?,
            None => self.head().await?.ok_or(GitError::NoCommitYet)?,
        };
        self.must(Call::new(["branch", "--", name, &start])).await.map(drop)
    }

    /// A remote's branch stays a name, so that the new branch follows it; the rest becomes an oid.
    async fn start_point(&self, text: &str) -> Result<String, GitError> {
        let oid = self.resolve(text).await?;
        let full = format!("refs/remotes/{text}");
        let is_remote = names::ref_name(text).is_ok() && self.resolve(&full).await.is_ok();
        Ok(if is_remote { full } else { oid })
    }

    async fn delete(&self, name: &str, force: bool) -> Result<BranchReply, GitError> {
        let oid = self.existing(name).await?;
        let how = if force { "-D" } else { "-d" };
        let done = self.run(Call::new(["branch", how, "--", name])).await?;
        if !done.is_success() {
            return Err(if done.stderr.contains("not fully merged") {
                GitError::NotMerged { branch: name.to_owned() }
            } else {
                classify(self.action, &done)
            });
        }
        Ok(BranchReply {
            deleted: Some(name.to_owned()),
            deleted_oid: Some(oid),
            ..BranchReply::default()
        })
    }

    /// The current branch, also before its first commit; none when detached.
    pub(super) async fn current(&self) -> Result<Option<String>, GitError> {
        let ask = Call::new(["symbolic-ref", "--quiet", "HEAD"]).reading();
        let done = self.run(ask).await?;
        Ok(done.line().strip_prefix("refs/heads/").map(str::to_owned))
    }

    pub(super) async fn upstream(&self, branch: &str) -> Result<Option<String>, GitError> {
        let reference = format!("refs/heads/{branch}");
        let ask = Call::new(["for-each-ref", "--format=%(upstream:short)", &reference]).reading();
        Ok(Some(self.must(ask).await?.line()).filter(|name| !name.is_empty()))
    }

    pub(super) async fn checkout(
        &self,
        request: &CheckoutRequest,
    ) -> Result<CheckoutReply, GitError> {
        let previous = self.current().await?;
        let (created, call) = match (&request.branch, &request.revision) {
            (Some(branch), None) => self.switch(branch, request).await?,
            (None, Some(revision)) => {
                if request.create.is_some() || request.start_point.is_some() {
                    return Err(GitError::invalid("`create` and `start_point` need `branch`"));
                }
                let oid = self.resolve(revision).await?;
                (false, Call::new(["switch", "--quiet", "--detach", &oid]))
            }
            _ => return Err(GitError::invalid("give either `branch` or `revision`")),
        };
        let done = self.hooked(call).await?;
        if !done.is_success() {
            if done.stderr.contains("resolve your current index first") {
                return Err(GitError::Conflicts { files: self.conflicts().await? });
            }
            return Err(classify(self.action, &done));
        }
        let branch = self.current().await?;
        let upstream = match &branch {
            Some(branch) => self.upstream(branch).await?,
            None => None,
        };
        Ok(CheckoutReply { head: self.head().await?, branch, created, previous, upstream })
    }

    async fn switch(
        &self,
        branch: &str,
        request: &CheckoutRequest,
    ) -> Result<(bool, Call), GitError> {
        let exists = match self.existing(branch).await {
            Ok(_) => true,
            // The branch that the first commit will make.
            Err(GitError::NoSuchBranch { .. }) => {
                self.head().await?.is_none() && self.current().await?.as_deref() == Some(branch)
            }
            Err(other) => return Err(other),
        };
        if exists {
            if request.create == Some(true) || request.start_point.is_some() {
                return Err(GitError::BranchExists { branch: branch.to_owned() });
            }
            return Ok((false, Call::new(["switch", "--quiet", "--no-guess", branch])));
        }
        if request.create == Some(false) {
            return Err(GitError::NoSuchBranch { branch: branch.to_owned() });
        }
        let create = Call::new(["switch", "--quiet", "--create", branch]);
        if let Some(start) = &request.start_point {
            return Ok((true, create.arg(self.start_point(start).await?)));
        }
        if request.create.is_none() {
            let ask = Call::new(["for-each-ref", "--format=%(refname)"])
                .arg(format!("refs/remotes/*/{branch}"))
                .reading();
            let found = self.must(ask).await?.line();
            if !found.is_empty() && !found.contains('\n') {
                return Ok((true, create.args(["--track", &found])));
            }
        }
        Ok((true, create))
    }
}

fn parse(line: &str) -> Option<BranchInfo> {
    let mut fields = line.splitn(8, '\0');
    let mut field = || fields.next();
    let (name, oid, current, upstream) = (field()?, field()?, field()?, field()?);
    let (track, committed, symbolic, summary) = (field()?, field()?, field()?, field()?);
    if !symbolic.is_empty() {
        return None;
    }
    let remote = name.starts_with("refs/remotes/");
    let upstream = Some(upstream.to_owned()).filter(|name| !name.is_empty());
    let gone = track == "gone";
    let count = |word: &str| {
        let said = track.split(", ").find_map(|part| part.strip_prefix(word)?.trim().parse().ok());
        upstream.as_ref().filter(|_| !gone).map(|_| said.unwrap_or(0))
    };
    Some(BranchInfo {
        name: name.trim_start_matches("refs/heads/").trim_start_matches("refs/remotes/").to_owned(),
        remote,
        current: current == "*",
        oid: oid.to_owned(),
        ahead: count("ahead"),
        behind: count("behind"),
        upstream_gone: gone,
        upstream,
        committed: committed.to_owned(),
        summary: summary[..summary.floor_char_boundary(500)].to_owned(),
    })
}
