//! What a person said of agents: that one has to pause, or is not let in any more; and the calls that
//! are looked after, so that they can be kept from beginning and ended.
//!
//! An agent that is paused or disconnected stays so across restarts. A pause goes over to the next
//! session of its client, so that reconnecting does not shake it off; a new session of a client that was
//! disconnected is let in, because nobody can tell it from one that the person has just started.

use std::collections::BTreeMap;

use openspace_command::{
    Attendance, Beginning, CallerKind, Error, ErrorKind, Progress, Result, Supervisor,
};
use openspace_host::BoxFuture;
use openspace_space::{Entries, Part, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use super::{Agents, Live, agent_id, past::client};
use crate::{
    consents::{Asking, Consents},
    metrics::Wall,
};

/// Agents of which something is kept; what was said longest ago goes first.
const MAX_STANDING: usize = 1_000;

/// What a person said of agents, by id.
pub struct StandingPart;

impl Part for StandingPart {
    const NAME: &'static str = "standing";
    const PUBLISHED: bool = false;
    const ANNOUNCED: bool = false;
    type Content = Entries<Standing>;
}

/// What a person said of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Standing {
    /// It has to pause.
    #[serde(default)]
    pub paused: Option<Said>,
    /// It is not let in any more.
    #[serde(default)]
    pub disconnected: Option<Said>,
}

/// When somebody said it, and who.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Said {
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// Who.
    pub by: String,
}

impl Standing {
    fn is_plain(&self) -> bool {
        self.paused.is_none() && self.disconnected.is_none()
    }

    fn said_at(&self) -> u64 {
        let said = [&self.paused, &self.disconnected];
        said.into_iter().flatten().map(|said| said.at).max().unwrap_or_default()
    }
}

/// What was said before the server started.
pub(super) fn saved(state: &State) -> BTreeMap<String, Standing> {
    let saved = state.part::<StandingPart>().iter();
    saved.map(|(id, standing)| (id.to_string(), standing.clone())).collect()
}

/// Why a person ended calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// They stopped what the agent runs.
    Stopped,
    /// They disconnected it.
    Disconnected,
}

impl Ending {
    fn error(self) -> Error {
        let did = match self {
            Self::Stopped => "a person stopped what this agent runs",
            Self::Disconnected => "a person disconnected this agent",
        };
        Error::new(ErrorKind::Cancelled, format!("{did}; whether this call took effect is unknown"))
            .hint("do not call again by yourself: ask the person how to go on")
    }
}

/// A call that is looked after.
pub(super) struct Attended {
    agent: String,
    ending: watch::Sender<Option<Ending>>,
}

impl Agents {
    /// Pause an agent, or let it go on.
    pub fn pause(&self, id: &str, said: Option<Said>) -> Result<()> {
        self.stand(id, |standing| standing.paused = said)
    }

    /// Let an agent in no more, or let it in again.
    pub fn disconnect(&self, id: &str, said: Option<Said>) -> Result<()> {
        self.stand(id, |standing| standing.disconnected = said)
    }

    /// What was said of an agent.
    pub fn standing(&self, id: &str) -> Standing {
        self.lock().standing.get(id).cloned().unwrap_or_default()
    }

    /// Every agent of which something was said.
    pub(super) fn with_standing(&self) -> Vec<String> {
        self.lock().standing.keys().cloned().collect()
    }

    fn stand(&self, id: &str, change: impl FnOnce(&mut Standing)) -> Result<()> {
        let mut live = self.lock();
        let mut standing = live.standing.get(id).cloned().unwrap_or_default();
        change(&mut standing);
        self.set_standing(&mut live, id, standing)?;
        self.tell_in_time(&mut live, true);
        Ok(())
    }

    fn set_standing(&self, live: &mut Live, id: &str, standing: Standing) -> Result<()> {
        let mut gone = None;
        if live.standing.len() >= MAX_STANDING && !live.standing.contains_key(id) {
            let oldest = live.standing.iter().min_by_key(|(_, standing)| standing.said_at());
            gone = oldest.map(|(id, _)| id.clone());
        }
        if let Some(space) = self.space.upgrade() {
            space.change_now(|state| {
                let part = state.part_mut::<StandingPart>();
                if let Some(gone) = &gone {
                    part.remove(gone.as_str());
                }
                if standing.is_plain() {
                    part.remove(id);
                } else {
                    part.insert(id, standing.clone());
                }
                Ok(())
            })?;
        }
        if let Some(gone) = gone {
            live.standing.remove(&gone);
        }
        if standing.is_plain() {
            live.standing.remove(id);
        } else {
            live.standing.insert(id.to_owned(), standing);
        }
        Ok(())
    }

    /// A session begins: a pause of one of its client that is gone holds for it, too.
    pub(super) fn inherit_pause(&self, live: &mut Live, id: &str) {
        let is_gone = |other: &str| other != id && !live.agents.contains_key(other);
        let of_client = live.standing.iter().filter(|(other, standing)| {
            standing.paused.is_some() && client(other) == client(id) && is_gone(other)
        });
        let Some((other, standing)) = of_client.map(|(id, one)| (id.clone(), one.clone())).next()
        else {
            return;
        };
        let left = Standing { paused: None, ..standing.clone() };
        let own = live.standing.get(id).cloned().unwrap_or_default();
        let own = Standing { paused: standing.paused, ..own };
        let moved =
            self.set_standing(live, &other, left).and_then(|()| self.set_standing(live, id, own));
        if let Err(error) = moved {
            tracing::error!(%error, id, "a pause could not be kept");
        }
    }

    /// End the calls of an agent that have begun; how many there were.
    pub fn end_calls(&self, id: &str, ending: Ending) -> usize {
        let live = self.lock();
        let mut ended = 0;
        for call in live.attended.values().filter(|call| call.agent == id) {
            call.ending.send_replace(Some(ending));
            ended += 1;
        }
        ended
    }

    /// End the session of an agent at its edge, where it has one that can be begun anew.
    pub fn end_session(&self, id: &str) {
        if let Some(agent) = self.lock().agents.get(id) {
            agent.over.cancel();
        }
    }

    fn refuse(&self, live: &Live, id: &str) -> Result<()> {
        let Some(standing) = live.standing.get(id) else { return Ok(()) };
        let name = client(id);
        if standing.disconnected.is_some() {
            let how = if id.contains('#') {
                "the person can let you in again; until then only a new session is let in"
            } else {
                "only the person can let you in again"
            };
            let message = format!("a person disconnected `{name}`; nothing was done");
            return Err(Error::denied(message).hint(how));
        }
        if standing.paused.is_some() {
            self.counts.refused(Wall::Paused);
            let message = format!("a person paused `{name}`; nothing was done");
            return Err(Error::new(ErrorKind::Busy, message)
                .hint("wait until the person lets you go on, then call again"));
        }
        Ok(())
    }
}

impl Live {
    fn attend(&mut self, agent: String) -> (u64, watch::Receiver<Option<Ending>>) {
        let (ending, ended) = watch::channel(None);
        self.last_attended += 1;
        let number = self.last_attended;
        self.attended.insert(number, Attended { agent, ending });
        (number, ended)
    }
}

impl Supervisor for Agents {
    fn begin(&self, beginning: &Beginning<'_>) -> Result<Option<Box<dyn Attendance>>> {
        let caller = beginning.caller;
        if caller.kind != CallerKind::Agent {
            return Ok(None);
        }
        let id = agent_id(caller);
        let asking = self.consents().needed(&caller.id, beginning.access)?;
        let mut live = self.lock();
        let mut attended = None;
        // A part of a call is let go on and ended with the whole.
        if !beginning.nested {
            self.refuse(&live, &id)?;
            attended = Some(live.attend(id.clone()));
        }
        drop(live);
        let Some(agents) = self.this.upgrade() else { return Ok(None) };
        Ok(Some(Box::new(Looked { agents, agent: id, asking, attended })))
    }
}

struct Looked {
    agents: std::sync::Arc<Agents>,
    agent: String,
    asking: Option<Asking>,
    attended: Option<(u64, watch::Receiver<Option<Ending>>)>,
}

impl Attendance for Looked {
    fn let_go_on<'a>(&'a self, progress: &'a Progress) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            match &self.asking {
                Some(asking) => {
                    let consents: &Consents = self.agents.consents();
                    let given = consents.given(asking, &self.agent, progress).await;
                    // A no is counted with the call.
                    if given.as_ref().is_err_and(|error| error.kind != ErrorKind::Denied) {
                        self.agents.counts.refused(Wall::Consent);
                    }
                    given
                }
                None => Ok(()),
            }
        })
    }

    fn ended(&self) -> BoxFuture<'_, Error> {
        Box::pin(async move {
            if let Some((_, ended)) = &self.attended
                && let Ok(ending) = ended.clone().wait_for(Option::is_some).await
                && let Some(ending) = *ending
            {
                return ending.error();
            }
            std::future::pending().await
        })
    }
}

impl Drop for Looked {
    fn drop(&mut self) {
        if let Some((number, _)) = &self.attended {
            self.agents.lock().attended.remove(number);
        }
    }
}
