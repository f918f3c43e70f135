//! Which remotes there are, adding and forgetting them. Speaks to none.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::url::Url;
use crate::child::{Call, Session};
use crate::error::GitError;
use crate::names;
use crate::reply::Bounded;
use crate::request::{RemoteOperation, RemoteRequest};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RemoteInfo {
    /// The name, such as `origin`.
    pub name: String,
    /// Its address, without user and password; absent when it is one that is not used.
    pub url: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RemoteReply {
    /// The remotes that there are now.
    pub remotes: Bounded<RemoteInfo>,
}

pub(crate) async fn remote(
    session: &Session<'_>,
    request: &RemoteRequest,
) -> Result<RemoteReply, GitError> {
    let given = (request.operation, request.name.as_deref(), request.url.as_deref());
    match given {
        (RemoteOperation::List, None, None) => {}
        (RemoteOperation::Add, Some(name), Some(url)) => {
            let name = names::ref_name(name)?;
            if session.remote_names().await?.iter().any(|known| known == name) {
                return Err(GitError::invalid(format!("there is a remote `{name}` already")));
            }
            // It is kept as it was given: a relative path stays one.
            Url::parse(url, &session.top())?;
            session.must(Call::new(["remote", "add", "--", name, url])).await?;
        }
        (RemoteOperation::Remove, Some(name), None) => {
            let name = names::ref_name(name)?;
            if session.remote_names().await?.iter().all(|known| known != name) {
                return Err(GitError::NoRemote { remote: name.to_owned() });
            }
            session.must(Call::new(["remote", "remove", "--", name])).await?;
        }
        _ => return Err(GitError::invalid("`add` needs `name` and `url`, `remove` a `name`")),
    }
    let mut remotes = Bounded::default();
    for name in session.remote_names().await? {
        let asked = Call::new(["remote", "get-url", "--", &name]).reading();
        let told = session.must(asked).await?.line();
        let url = Url::parse(told.lines().next().unwrap_or_default(), &session.top());
        remotes.push(RemoteInfo { name, url: url.ok().map(|url| url.shown) });
    }
    Ok(RemoteReply { remotes })
}

impl Session<'_> {
    pub(super) async fn remote_names(&self) -> Result<Vec<String>, GitError> {
        let listed = self.must(Call::new(["remote"]).reading()).await?.line();
        Ok(listed.lines().map(str::to_owned).collect())
    }
}
