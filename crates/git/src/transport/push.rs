//! Pushing: exact commits to exact names, from the relay.

use super::helper::exchange;
use super::refused;
use super::relay::Relay;
use crate::child::{Call, Session};
use crate::error::GitError;
use crate::names;
use crate::reply::{PushReply, RefChange, RefUpdate};
use crate::request::PushRequest;

const MOST_TAGS: usize = 100;
const MOST_MESSAGES: usize = 100;
const LONGEST_LINE: usize = 500;

pub(crate) async fn push(
    session: &Session<'_>,
    request: &PushRequest,
) -> Result<PushReply, GitError> {
    if session.head().await?.is_none() {
        return Err(GitError::NoCommitYet);
    }
    let branch = match &request.branch {
        Some(branch) => branch.clone(),
        None => session.current().await?.ok_or(GitError::Detached)?,
    };
    let oid = session.existing(&branch).await?;
    let remote = session.remote(request.remote.as_deref(), Some(&branch), true).await?;
    let name = format!("refs/heads/{branch}");
    let tracking = remote.refspecs.iter().find_map(|refspec| refspec.target_of(&name));
    let seen = match &tracking {
        Some(tracking) => session.resolve(tracking).await.ok(),
        None => None,
    };
    let relay = Relay::of(session).await?;
    let mut call = relay.call(["push", "--porcelain", "--no-verify", "--no-follow-tags"]);
    if request.force_with_lease {
        // Without an oid the branch must not exist on the remote.
        let expected = seen.as_deref().unwrap_or_default();
        call = call.arg(format!("--force-with-lease={name}:{expected}"));
    }
    call = call.args(["--", &remote.url.text]).arg(format!("{oid}:{name}"));
    let mut sent = vec![(name.clone(), oid.clone(), seen)];
    for (tag, object) in session.tags(&request.tags).await? {
        call = call.arg(format!("{object}:{tag}"));
        sent.push((tag, object, None));
    }
    let (done, asked) = exchange(session, call, &remote.url).await?;
    let told = String::from_utf8_lossy(&done.stdout).into_owned();
    let messages = said_by_remote(&done.stderr);
    let outcome: Vec<Told> = told.lines().filter_map(Told::parse).collect();
    if let Some(rejected) = outcome.iter().find(|told| told.flag == '!') {
        let (name, reason) = (rejected.name.clone(), rejected.reason.clone());
        return Err(GitError::Rejected { name, reason, messages });
    }
    if !done.is_success() {
        return Err(refused(session.action, &remote.url, &done, asked));
    }
    let refs = sent.into_iter().filter_map(|(name, new, old)| {
        let told = outcome.iter().find(|told| told.name == name)?;
        let change = told.change();
        let old = if change == RefChange::Unchanged { Some(new.clone()) } else { old };
        let old = old.filter(|_| change != RefChange::Created);
        Some(RefUpdate { name, change, old, new: Some(new) })
    });
    let refs = refs.collect();
    session.stand_still_after_exchange().await.map_err(|error| match error {
        GitError::NotStill { reason } => {
            GitError::NotStill { reason: format!("the remote has it; {reason}") }
        }
        error => error,
    })?;
    if let Some(tracking) = &tracking {
        session.must(Call::new(["update-ref", "-m", "push", tracking, &oid])).await?;
    }
    let followed = session.upstream(&branch).await?;
    if request.set_upstream.unwrap_or(followed.is_none()) {
        session.follow_upstream(&branch, &remote.name, &branch).await?;
    }
    let upstream = session.upstream(&branch).await?;
    Ok(PushReply { remote: remote.name, url: remote.url.shown, refs, upstream, messages })
}

impl Session<'_> {
    async fn tags(&self, wanted: &[String]) -> Result<Vec<(String, String)>, GitError> {
        if wanted.len() > MOST_TAGS {
            return Err(GitError::invalid(format!("at most {MOST_TAGS} tags can be sent at once")));
        }
        let mut tags = Vec::new();
        for tag in wanted {
            let name = format!("refs/tags/{}", names::ref_name(tag)?);
            let ask = Call::new(["rev-parse", "--verify", "--quiet", "--end-of-options", &name]);
            let done = self.run(ask.reading()).await?;
            if !done.is_success() {
                return Err(GitError::NoSuchRevision { revision: tag.clone() });
            }
            tags.push((name, done.line()));
        }
        Ok(tags)
    }
}

/// One line of git's report: flag, `from:to` and a summary, with tabs between them.
struct Told {
    flag: char,
    name: String,
    reason: String,
}

impl Told {
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.splitn(3, '\t');
        let (flag, names, reason) = (fields.next()?, fields.next()?, fields.next()?);
        let mut flags = flag.chars();
        let (flag, None) = (flags.next()?, flags.next()) else { return None };
        let name = names.split_once(':')?.1.to_owned();
        Some(Self { flag, name, reason: reason.trim().to_owned() })
    }

    fn change(&self) -> RefChange {
        match self.flag {
            '*' => RefChange::Created,
            '+' => RefChange::Forced,
            '-' => RefChange::Deleted,
            '=' => RefChange::Unchanged,
            _ => RefChange::Updated,
        }
    }
}

fn said_by_remote(stderr: &str) -> Vec<String> {
    stderr
        .lines()
        .filter_map(|line| line.strip_prefix("remote: "))
        .map(|line| line.trim_end()[..line.trim_end().floor_char_boundary(LONGEST_LINE)].to_owned())
        .filter(|line| !line.is_empty())
        .take(MOST_MESSAGES)
        .collect()
}
