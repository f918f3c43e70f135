//! Fetching: into the relay, then the real repository's references by an ordinary git.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

use super::helper::exchange;
use super::refspec::Refspec;
use super::refused;
use super::relay::Relay;
use super::url::Url;
use crate::child::{Call, Session};
use crate::error::GitError;
use crate::names::Records;
use crate::reply::{Bounded, FetchReply, RefChange, RefUpdate};

/// Where the relay keeps what it fetched.
const FETCHED: &str = "refs/openspace/fetched/";
/// More references than this are more than anyone works with.
const MOST_REFS: usize = 200_000;
/// For more branches than this nobody asks whether they moved forward.
const MOST_JUDGED: usize = 50;

/// References and what they point at.
pub(super) type Refs = BTreeMap<String, String>;

pub(crate) async fn fetch(
    session: &Session<'_>,
    remote: Option<&str>,
    prune: bool,
) -> Result<FetchReply, GitError> {
    let branch = session.current().await?;
    let remote = session.remote(remote, branch.as_deref(), false).await?;
    let relay = Relay::of(session).await?;
    let refs = exchange_refs(session, &relay, &remote.url, &remote.refspecs, None, prune).await?;
    Ok(FetchReply { remote: remote.name, url: remote.url.shown, refs })
}

/// Fetches and makes the real repository's references follow.
pub(super) async fn exchange_refs(
    session: &Session<'_>,
    relay: &Relay,
    url: &Url,
    refspecs: &[Refspec],
    depth: Option<u32>,
    prune: bool,
) -> Result<Bounded<RefUpdate>, GitError> {
    let failed = |what: &str, error: &std::io::Error| GitError::io(session.action, what, error);
    let known = session.refs(&[]).await?;
    relay
        .put("packed-refs", haves(&known).as_bytes())
        .map_err(|error| failed("the repository for the exchange cannot be filled", &error))?;
    let mut call = relay.call(["fetch", "--quiet", "--no-write-fetch-head", "--no-prune"]);
    if let Some(depth) = depth {
        call = call.arg(format!("--depth={}", depth.max(1)));
    }
    let wanted = refspecs.iter().map(|refspec| refspec.for_relay(FETCHED));
    let call = call.args(["--", &url.text]).args(wanted);
    let (done, asked) = exchange(session, call, url).await?;
    if !done.is_success() {
        return Err(refused(session.action, url, &done, asked));
    }
    session.stand_still_after_exchange().await?;
    if depth.is_some()
        && let Some(list) =
            relay.shallow().map_err(|error| failed("nothing was cut off", &error))?
    {
        super::relay::put(&session.common_dir.join("shallow"), list.as_bytes())
            .map_err(|error| failed("where history is cut off cannot be noted", &error))?;
    }
    let fetched = relay.fetched(session).await?;
    let updates = compare(&known, &fetched, refspecs, prune);
    apply(session, relay, &updates).await?;
    judge(session, updates).await
}

impl Session<'_> {
    /// The repository's own references, symbolic ones left out.
    async fn refs(&self, under: &[&str]) -> Result<Refs, GitError> {
        self.list_refs(Call::new(["for-each-ref", FORMAT]).args(under).reading()).await
    }

    async fn list_refs(&self, call: Call) -> Result<Refs, GitError> {
        let mut refs = Refs::new();
        let mut lines = Records::new(b'\n');
        let mut take = |line: &[u8]| {
            let text = String::from_utf8_lossy(line);
            let mut words = text.split(' ');
            if let (Some(oid), Some(name), Some("")) = (words.next(), words.next(), words.next())
                && refs.len() <= MOST_REFS
            {
                refs.insert(name.to_owned(), oid.to_owned());
            }
        };
        self.stream(call, &mut |piece| lines.push(piece, &mut take)).await?;
        if refs.len() > MOST_REFS {
            return Err(GitError::TooMuchOutput { action: self.action.to_owned() });
        }
        Ok(refs)
    }
}

const FORMAT: &str = "--format=%(objectname) %(refname) %(symref)";

impl Relay {
    /// What was fetched, under the names it has in the real repository.
    async fn fetched(&self, session: &Session<'_>) -> Result<Refs, GitError> {
        let call = self.call(["for-each-ref", FORMAT, FETCHED, "refs/tags"]);
        let listed = session.list_refs(call).await?;
        let real = |name: String| match name.strip_prefix(FETCHED) {
            Some(name) => format!("refs/{name}"),
            None => name,
        };
        Ok(listed.into_iter().map(|(name, oid)| (real(name), oid)).collect())
    }
}

/// What is here already, so that it is not sent again. Tags keep their names, because git fetches
/// those that are missing.
fn haves(known: &Refs) -> String {
    let mut seen = HashSet::new();
    let mut text = String::new();
    for (number, (name, oid)) in known.iter().enumerate() {
        if name.starts_with("refs/tags/") {
            _ = writeln!(text, "{oid} {name}");
        } else if seen.insert(oid) {
            _ = writeln!(text, "{oid} refs/openspace/have/{number}");
        }
    }
    text
}

fn compare(known: &Refs, fetched: &Refs, refspecs: &[Refspec], prune: bool) -> Vec<RefUpdate> {
    let is_kept = |name: &str| refspecs.iter().any(|refspec| refspec.keeps(name));
    let mut updates = Vec::new();
    for (name, new) in fetched {
        let old = known.get(name);
        // A tag that is here already is never replaced.
        if old == Some(new) || (old.is_some() && !is_kept(name)) {
            continue;
        }
        updates.push(RefUpdate {
            name: name.clone(),
            change: if old.is_some() { RefChange::Updated } else { RefChange::Created },
            old: old.cloned(),
            new: Some(new.clone()),
        });
    }
    let gone =
        known.iter().filter(|(name, _)| prune && is_kept(name) && !fetched.contains_key(*name));
    updates.extend(gone.map(|(name, oid)| RefUpdate {
        name: name.clone(),
        change: RefChange::Deleted,
        old: Some(oid.clone()),
        new: None,
    }));
    updates
}

async fn apply(
    session: &Session<'_>,
    relay: &Relay,
    updates: &[RefUpdate],
) -> Result<(), GitError> {
    // Deletions go first: a branch `a` stands in the way of a branch `a/b`.
    for deletions in [true, false] {
        let mut text = String::new();
        for update in updates.iter().filter(|update| update.new.is_none() == deletions) {
            let name = &update.name;
            let old = update.old.as_deref().unwrap_or_default();
            _ = match &update.new {
                Some(new) if old.is_empty() => write!(text, "create {name}\0{new}\0"),
                Some(new) => write!(text, "update {name}\0{new}\0{old}\0"),
                None => write!(text, "delete {name}\0{old}\0"),
            };
        }
        if text.is_empty() {
            continue;
        }
        let mut call = Call::new(["update-ref", "-m", session.action, "--stdin", "-z"]);
        call.input = relay.input(text.as_bytes()).map_err(|error| {
            GitError::io(session.action, "the new references cannot be handed over", &error)
        })?;
        session.must(call).await?;
    }
    Ok(())
}

/// Tells which branches were replaced instead of moved forward.
async fn judge(
    session: &Session<'_>,
    updates: Vec<RefUpdate>,
) -> Result<Bounded<RefUpdate>, GitError> {
    let mut judged = 0;
    let mut refs = Bounded::default();
    for mut update in updates {
        if let (RefChange::Updated, Some(old), Some(new)) =
            (update.change, &update.old, &update.new)
            && judged < MOST_JUDGED
        {
            judged += 1;
            let ask = Call::new(["merge-base", "--is-ancestor", old, new]).reading();
            if !session.run(ask).await?.is_success() {
                update.change = RefChange::Forced;
            }
        }
        refs.push(update);
    }
    Ok(refs)
}
