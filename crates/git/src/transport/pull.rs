//! Pulling: a fetch, then an ordinary merge or rebase.

use super::fetch::fetch;
use crate::child::{Call, Session};
use crate::diff::Comparison;
use crate::error::{GitError, classify};
use crate::names;
use crate::reply::{PullReply, Totals};
use crate::request::{PullRequest, PullStrategy};

pub(crate) async fn pull(
    session: &Session<'_>,
    request: &PullRequest,
) -> Result<PullReply, GitError> {
    let status = session.status(&[]).await?;
    if let Some(operation) = status.operation {
        let message = format!("{operation:?}");
        return Err(GitError::InTheMiddle { message });
    }
    let branch = session.current().await?.ok_or(GitError::Detached)?;
    let remote = session.remote(request.remote.as_deref(), Some(&branch), false).await?;
    let source = match &request.branch {
        Some(source) => format!("refs/heads/{}", names::ref_name(source)?),
        None => session
            .setting(&format!("branch.{branch}.merge"))
            .await?
            .into_iter()
            .next()
            .ok_or_else(|| GitError::NoUpstream { branch: branch.clone() })?,
    };
    let from = remote.refspecs.iter().find_map(|refspec| refspec.target_of(&source));
    let from = from.ok_or_else(|| GitError::NoUpstream { branch: branch.clone() })?;
    let fetched = fetch(session, Some(&remote.name), false).await?;
    // What was looked at before may be another by now; nothing moves any more.
    if session.is_behind() {
        session.check_index().await?;
    }
    let theirs = session.resolve(&from).await?;
    let from = from.trim_start_matches("refs/remotes/").to_owned();
    let old = session.head().await?;
    session.join(old.as_deref(), &theirs, &from, request.strategy).await?;
    let new = session.head().await?.ok_or(GitError::NoCommitYet)?;
    let totals = match &old {
        Some(old) if *old != new => session.totals(old, &new).await?,
        _ => Totals::default(),
    };
    Ok(PullReply { fetched, branch, from, old, new, totals })
}

impl Session<'_> {
    async fn join(
        &self,
        ours: Option<&str>,
        theirs: &str,
        from: &str,
        strategy: PullStrategy,
    ) -> Result<(), GitError> {
        let (ahead, behind) = match ours {
            Some(ours) => self.apart(ours, theirs).await?,
            None => (0, 1),
        };
        let call = match strategy {
            _ if behind == 0 => return Ok(()),
            _ if ahead == 0 => Call::new(["merge", "--ff-only", "--quiet", theirs]),
            PullStrategy::FastForward => {
                return Err(GitError::Diverged { upstream: from.to_owned(), ahead, behind });
            }
            PullStrategy::Rebase => Call::new(["rebase", "--quiet", "--no-autostash", theirs]),
            PullStrategy::Merge => {
                let message = format!("Merge remote-tracking branch '{from}'");
                Call::new(["merge", "--quiet", "--no-edit", "--no-ff", "-m", &message, theirs])
            }
        };
        let done = self.hooked(call).await?;
        if done.is_success() {
            return Ok(());
        }
        let files = self.conflicts().await?;
        if files.is_empty() {
            Err(classify(self.action, &done))
        } else {
            Err(GitError::Conflicts { files })
        }
    }

    /// How many commits each side has of its own.
    async fn apart(&self, ours: &str, theirs: &str) -> Result<(u64, u64), GitError> {
        let range = format!("{ours}...{theirs}");
        let ask = Call::new(["rev-list", "--left-right", "--count", &range]).reading();
        let told = self.must(ask).await?.line();
        let mut counts = told.split('\t').map(|count| count.parse().unwrap_or(0));
        Ok((counts.next().unwrap_or(0), counts.next().unwrap_or(0)))
    }

    pub(crate) async fn totals(&self, old: &str, new: &str) -> Result<Totals, GitError> {
        let comparison = Comparison {
            what: vec![old.to_owned(), new.to_owned()],
            paths: self.limited(Vec::new()),
            context: 0,
            stat_only: true,
        };
        Ok(self.changes(&comparison, &mut 0).await?.totals)
    }
}
