//! Finds a server for the client: the one that runs for the workspace, else one in this process.
//!
//! Who may serve is decided by the lock of the state folder alone. Two that try at once both look
//! again, and then one of them finds the other.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use anyhow::Result;
use tokio::time::{Instant, sleep};

use super::{super::hosting::HostingArgs, link::Link};
use crate::{
    client::Client,
    environment::Environment,
    mcp::{Joining, ToolSet},
    server::{AlreadyRunning, ServeOptions, Server},
    state_folder::{StateFolder, random_word},
};

/// How long the first try waits for a server that is just starting or stopping.
const FIRST_WITHIN: Duration = Duration::from_secs(10);
/// How often it is looked whether a server is there.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// The longest pause after tries that failed.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Which kind of server has gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gone {
    /// One that a person started, and perhaps is just starting again.
    Server,
    /// One that only stood in: nobody else will start it again.
    StandIn,
}

impl Gone {
    /// How long another server may take to come before this process stands in.
    fn patience(self) -> Duration {
        match self {
            Self::Server => Duration::from_secs(3),
            Self::StandIn => Duration::from_millis(300),
        }
    }
}

/// A server that was found.
pub(super) struct Found {
    pub(super) link: Link,
    /// The server itself, if it is in this process.
    pub(super) own: Option<Server>,
    /// Whether it only stands in for one.
    pub(super) is_stand_in: bool,
}

/// What is needed to find or start a server.
pub(super) struct Seeker {
    serve: ServeOptions,
    set: ToolSet,
    /// Whom the server takes the client for; the same on every server.
    session: String,
    hosting: HostingArgs,
    environment: Environment,
    /// Why the last try failed.
    why: Mutex<Option<String>>,
}

impl Seeker {
    pub(super) fn new(
        serve: ServeOptions,
        set: ToolSet,
        hosting: HostingArgs,
        environment: Environment,
    ) -> Self {
        let (session, why) = (random_word(3), Mutex::default());
        Self { serve, set, session, hosting, environment, why }
    }

    fn joining(&self, again: bool) -> Joining {
        Joining { set: self.set, session: Some(self.session.clone()), again }
    }

    /// The first server. What is wrong at the start is an error and not waited for.
    pub(super) async fn first(&self) -> Result<Found> {
        let give_up = Instant::now() + FIRST_WITHIN;
        loop {
            if let Some(found) = self.running(false).await? {
                return Ok(found);
            }
            match self.stand_in(false).await {
                Ok(found) => return Ok(found),
                // Another one is just starting or stopping: soon it can be joined, or its place taken.
                Err(error) if error.is::<AlreadyRunning>() && Instant::now() < give_up => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The next server, however long it takes.
    pub(super) async fn next(&self, gone: Gone) -> Found {
        let alone_from = Instant::now() + gone.patience();
        let mut pause = LOOK_EVERY;
        loop {
            let tried = match self.running(true).await {
                Ok(None) if Instant::now() >= alone_from => self.stand_in(true).await.map(Some),
                tried => tried,
            };
            match tried {
                Ok(Some(found)) => {
                    *self.why.lock().unwrap_or_else(PoisonError::into_inner) = None;
                    return found;
                }
                Ok(None) => pause = LOOK_EVERY,
                Err(error) if error.is::<AlreadyRunning>() => pause = LOOK_EVERY,
                // One that is just going is still announced.
                Err(error) if Instant::now() < alone_from => {
                    tracing::debug!(%error, "the server is not there yet");
                }
                Err(error) => {
                    self.failed(&error);
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
            sleep(pause).await;
        }
    }

    /// Remember why a try failed, and log it when it is another reason than before.
    pub(super) fn failed(&self, error: &anyhow::Error) {
        let why = format!("{error:#}");
        let mut last = self.why.lock().unwrap_or_else(PoisonError::into_inner);
        if last.as_ref() != Some(&why) {
            tracing::warn!(why, "no server can be had for the moment");
            *last = Some(why);
        }
    }

    /// Why there is no server, if a try failed.
    pub(super) fn why(&self) -> Option<String> {
        self.why.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn running(&self, again: bool) -> Result<Option<Found>> {
        let state_folder = StateFolder::of(&self.environment.state, &self.serve.root)?;
        let Some(running) = state_folder.running()? else { return Ok(None) };
        let client = Client::find(&self.environment, &self.serve.root)?;
        self.hosting.check_joined(&client).await?;
        let link = Link::to(&client, &self.joining(again)).await?;
        Ok(Some(Found { link, own: None, is_stand_in: running.stand_in }))
    }

    async fn stand_in(&self, again: bool) -> Result<Found> {
        let server = Server::start(self.serve.clone(), &self.environment).await?;
        let link = Link::within(&server, self.joining(again));
        Ok(Found { link, own: Some(server), is_stand_in: true })
    }
}
