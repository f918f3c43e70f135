//! Places: where the work of a workspace is done. A folder on this machine, or one behind a runner.
//!
//! A place is opened when it is first needed and again after it was lost. What was under way when
//! it was lost fails as `lost`; nothing is ever answered in its stead.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use openspace_host::{
    AnyConversation, BoxFuture, Conversation, Facts, Host, HostError,
    operation::{Operation, Reply, Request},
};

use crate::{config, open_space::OpenError};

/// A way to open a place, again and again.
pub trait Opener: Send + Sync + 'static {
    /// Open it.
    fn open(&self) -> BoxFuture<'_, Result<Arc<dyn Host>, OpenError>>;
}

/// Where the work of one workspace is done.
pub struct Place {
    id: String,
    facts: Facts,
    opener: Box<dyn Opener>,
    current: Mutex<Option<Arc<dyn Host>>>,
    opening: tokio::sync::Mutex<()>,
}

impl Place {
    /// Open a place.
    pub async fn open(id: String, opener: impl Opener) -> Result<Self, OpenError> {
        let host = connect(&opener).await?;
        Ok(Self {
            id,
            facts: host.facts().clone(),
            opener: Box::new(opener),
            current: Mutex::new(Some(host)),
            opening: tokio::sync::Mutex::default(),
        })
    }

    /// The id of its workspace.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What is known of it.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Its host; opened anew if the last one was lost.
    pub async fn host(&self) -> Result<Arc<dyn Host>, HostError> {
        if let Some(host) = self.alive().await {
            return Ok(host);
        }
        let _alone = self.opening.lock().await;
        if let Some(host) = self.alive().await {
            return Ok(host);
        }
        let host = connect(&*self.opener).await.map_err(|error| match error {
            OpenError::Place(error) => error,
            other => HostError::Internal(other.to_string()),
        })?;
        *self.current() = Some(Arc::clone(&host));
        Ok(host)
    }

    /// Do one operation.
    pub async fn ask<O: Operation>(&self, operation: O) -> Result<O::Output, HostError> {
        self.ask_with(operation, Conversation::default()).await
    }

    /// Do one operation and talk while it runs.
    pub async fn ask_with<O: Operation>(
        &self,
        operation: O,
        conversation: Conversation<O>,
    ) -> Result<O::Output, HostError> {
        let itself: &dyn Host = self;
        itself.ask_with(operation, conversation).await
    }

    /// Its host, unless there is none or it is already known to be gone.
    async fn alive(&self) -> Option<Arc<dyn Host>> {
        let host = self.opened()?;
        tokio::select! {
            biased;
            _ = host.lost() => {}
            () = std::future::ready(()) => return Some(host),
        }
        self.forget(&host);
        None
    }

    /// A host was lost: the next call opens a new one.
    pub fn forget(&self, lost: &Arc<dyn Host>) {
        let mut current = self.current();
        if current.as_ref().is_some_and(|host| Arc::ptr_eq(host, lost)) {
            *current = None;
        }
    }

    /// Its host, if it is open.
    pub fn opened(&self) -> Option<Arc<dyn Host>> {
        self.current().clone()
    }

    fn current(&self) -> MutexGuard<'_, Option<Arc<dyn Host>>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place is a host that is opened again after it was lost.
impl Host for Place {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn perform(
        &self,
        request: Request,
        conversation: AnyConversation,
    ) -> BoxFuture<'_, Result<Reply, HostError>> {
        Box::pin(async move {
            let host = self.host().await?;
            let answer = host.perform(request, conversation).await;
            if matches!(answer, Err(HostError::Lost(_))) {
                self.forget(&host);
            }
            answer
        })
    }

    /// Never for good: the next call opens it anew.
    fn lost(&self) -> BoxFuture<'_, String> {
        Box::pin(std::future::pending())
    }
}

/// Open a place and tell it the rules of its configuration.
async fn connect(opener: &dyn Opener) -> Result<Arc<dyn Host>, OpenError> {
    let host = opener.open().await?;
    config::apply(&*host).await?;
    Ok(host)
}
