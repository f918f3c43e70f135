//! What an agent brought goes with it: when its session ended, when it was quiet for too long, or when a
//! person says so.
//!
//! Here it is only looked who is gone and done what is due, by calling `agent.clean_up` in the name of
//! the server, so that it is on the record. Things that came with nobody are never touched, and those
//! that a person took to stay.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use openspace_command::{Call, Caller, CallerKind, Error};
use serde_json::json;

use super::brought::{self, Stays, Thing};
use crate::{Dispatcher, OpenSpace};

/// How often it is looked who is gone while nothing happens.
const LOOK_EVERY: Duration = Duration::from_secs(20);

/// In whose name the server itself calls.
pub fn server() -> Caller {
    Caller::new(CallerKind::Script, "server", None)
}

/// Look after what agents leave behind, for as long as the space is there.
pub(crate) fn start(dispatcher: &Dispatcher) {
    let moved = Arc::clone(&dispatcher.state().agents().moved);
    let dispatcher = dispatcher.downgrade();
    tokio::spawn(async move {
        loop {
            let Some(dispatcher) = dispatcher.upgrade() else { return };
            let pause = look(&dispatcher).await;
            // Nothing of the space is held while nothing happens.
            drop(dispatcher);
            // A pause is over early when somebody leaves.
            drop(tokio::time::timeout(pause, moved.notified()).await);
        }
    });
}

/// Only one look at a time: what is due would be done twice.
struct Alone<'a>(&'a AtomicBool);

impl Drop for Alone<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// Clean up after everybody who is gone for good, and say when it is worth to look again.
pub async fn look(dispatcher: &Dispatcher) -> Duration {
    let state = dispatcher.state();
    let agents = state.agents();
    if agents.is_looking.swap(true, Ordering::AcqRel) {
        return LOOK_EVERY;
    }
    let _alone = Alone(&agents.is_looking);
    // Nobody says that they go quiet.
    let mut next = agents.settings().idle.map_or(LOOK_EVERY, |idle| idle.min(LOOK_EVERY));
    for agent in brought::owners(&state.space().state()) {
        if agents.server_stops.load(Ordering::Acquire) {
            break;
        }
        let now = state.now();
        match agents.due(&agent) {
            Some((at, why)) if at <= now => {
                let things: Vec<String> = brought::things(&state.space().state(), &agent)
                    .iter()
                    .map(Thing::name)
                    .collect();
                let args = json!({"agentId": agent, "why": why, "things": things});
                let reply = dispatcher.dispatch(Call::new(server(), "agent.clean_up", args)).await;
                if let Err(error) = reply.result {
                    tracing::warn!(%error, agent, "what an agent left could not all be ended");
                }
            }
            Some((at, _)) => next = next.min(Duration::from_millis(at - now)),
            None => {}
        }
    }
    next
}

/// What became of things.
#[derive(Default)]
pub(super) struct Ended {
    pub(super) ended: Vec<Thing>,
    pub(super) kept: Vec<Thing>,
    pub(super) failed: Vec<(Thing, Error)>,
}

/// End things of an agent, those that nobody took to. What stays is its agent's no more.
pub(super) async fn end(state: &OpenSpace, agent: &str, wanted: &[String]) -> Ended {
    let mut outcome = Ended::default();
    let things = brought::things(&state.space().state(), agent);
    for mut thing in things.into_iter().filter(|thing| wanted.contains(&thing.name())) {
        let Some(kind) = brought::kind(&thing.kind) else { continue };
        // Looked at anew: a person may have taken to it just now.
        thing.stays = brought::stays_of(&state.space().state(), &thing.kind, &thing.id);
        if thing.stays.is_none() {
            match (kind.end)(state, &thing.id).await {
                Ok(stays) => thing.stays = stays,
                Err(error) => {
                    outcome.failed.push((thing, error));
                    continue;
                }
            }
        }
        match thing.stays {
            Some(_) => outcome.kept.push(thing),
            None => outcome.ended.push(thing),
        }
    }
    let released = state.space().change_now(|state| {
        for thing in outcome.ended.iter().chain(&outcome.kept) {
            brought::forget(state, &thing.kind, &thing.id);
        }
        Ok(())
    });
    if let Err(error) = released {
        tracing::error!(%error, agent, "what stays could not be noted");
    }
    outcome
}

/// End the programs of an agent; the terminals that they ran in stay.
pub(super) async fn stop(state: &OpenSpace, agent: &str) -> Ended {
    let mut outcome = Ended::default();
    for thing in brought::things(&state.space().state(), agent) {
        let Some(stop) = brought::kind(&thing.kind).and_then(|kind| kind.stop) else { continue };
        match thing.stays {
            // A program in it may be the person's.
            Some(Stays::TypedInto) => outcome.kept.push(thing),
            _ => match stop(state, &thing.id).await {
                Ok(()) => outcome.ended.push(thing),
                Err(error) => outcome.failed.push((thing, error)),
            },
        }
    }
    outcome
}
