//! Whether somebody agreed to a client: until then its calls only look.
//!
//! An agent names itself, so this is agreed for a name, in this space, and kept. Who started the server
//! with `--consent given` has agreed to all; taking it back for one client holds all the same. A call
//! that needs it waits for a while and runs if somebody agrees meanwhile; what it may do then is not
//! decided here.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use openspace_command::{Error, ErrorKind, Now, Progress, Result};
use openspace_protocol::Access;
use openspace_space::{Declared, Entries, Part, Space};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::{sync::watch, time::timeout};

use crate::{agents::settings::ConsentMode, areas::Area};

pub mod commands;
pub mod words;

/// What this area brings.
pub const AREA: Area =
    Area { commands: commands::COMMANDS, parts: &[Declared::of::<ConsentsPart>()], ..Area::EMPTY };

/// Clients of which something is kept.
pub const MAX_CLIENTS: usize = 200;

/// What was said of clients, by name.
pub struct ConsentsPart;

impl Part for ConsentsPart {
    const NAME: &'static str = "consents";
    // An agent's own call asks: it would hear of itself.
    const ANNOUNCED: bool = false;
    type Content = Entries<Consent>;
}

/// What was said of a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Consent {
    /// What was said last.
    pub state: ConsentState,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// Who agreed or took it back; the agent that asks if nobody said anything yet.
    pub by: String,
}

/// What was said last of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConsentState {
    /// It wants to do more than look, and nobody said anything yet.
    Asked,
    /// Somebody agreed.
    Given,
    /// Somebody took it back.
    Revoked,
}

/// A client that has to be agreed to before its call goes on.
pub struct Asking {
    client: String,
    patience: Duration,
}

/// What was agreed to.
pub struct Consents {
    space: Weak<Space>,
    now: Now,
    mode: ConsentMode,
    /// Moves whenever somebody says something.
    moved: watch::Sender<u64>,
}

impl Consents {
    /// What was agreed to before stands.
    pub fn new(space: &Arc<Space>, now: Now, mode: ConsentMode) -> Self {
        Self { space: Arc::downgrade(space), now, mode, moved: watch::Sender::new(0) }
    }

    /// Whether each client has to be agreed to.
    pub fn asks(&self) -> bool {
        matches!(self.mode, ConsentMode::Ask { .. })
    }

    fn state_of(&self, client: &str) -> Option<ConsentState> {
        let space = self.space.upgrade()?;
        space.state().part::<ConsentsPart>().get(client).map(|consent| consent.state)
    }

    /// Whether a call of a client has to wait for somebody to agree; an error where they said no.
    pub fn needed(&self, client: &str, access: Access) -> Result<Option<Asking>> {
        if matches!(access, Access::View | Access::Read) {
            return Ok(None);
        }
        match (self.state_of(client), self.mode) {
            (Some(ConsentState::Revoked), _) => Err(refused(client)),
            (Some(ConsentState::Given), _) | (_, ConsentMode::Given) => Ok(None),
            (_, ConsentMode::Ask { patience }) => {
                Ok(Some(Asking { client: client.to_owned(), patience }))
            }
        }
    }

    /// Ask, and wait until somebody agrees.
    pub(crate) async fn given(
        &self,
        asking: &Asking,
        agent: &str,
        progress: &Progress,
    ) -> Result<()> {
        let Asking { client, patience } = asking;
        let mut moved = self.moved.subscribe();
        self.ask(client, agent)?;
        progress.report(0.0, None, format!("a person has to agree to `{client}` first"));
        let agreed = async {
            loop {
                match self.state_of(client) {
                    Some(ConsentState::Given) => return Ok(()),
                    Some(ConsentState::Revoked) => return Err(refused(client)),
                    // The sender is there as long as this is.
                    Some(ConsentState::Asked) | None => drop(moved.changed().await),
                }
            }
        };
        timeout(*patience, agreed).await.unwrap_or_else(|_| {
            let message = format!(
                "nobody has agreed yet that `{client}` does more than look; nothing was done"
            );
            Err(Error::new(ErrorKind::Unanswered, message).hint(format!(
                "a person agrees with `openspace consent give {client}`; call again then"
            )))
        })
    }

    fn ask(&self, client: &str, agent: &str) -> Result<()> {
        let Some(space) = self.space.upgrade() else { return Ok(()) };
        let consent =
            Consent { state: ConsentState::Asked, at: (self.now)(), by: agent.to_owned() };
        let asked = space.change_now(|state| {
            if !state.part::<ConsentsPart>().contains_key(client) {
                make_room(state.part_mut::<ConsentsPart>())?;
                state.part_mut::<ConsentsPart>().insert(client, consent);
            }
            Ok(())
        });
        asked.map(drop)
    }

    /// Somebody agrees to a client, or takes it back.
    pub(crate) async fn say(&self, client: &str, state: ConsentState, by: &str) -> Result<Consent> {
        let Some(space) = self.space.upgrade() else {
            return Err(Error::new(ErrorKind::Lost, "the server stops"));
        };
        let said = Consent { state, at: (self.now)(), by: by.to_owned() };
        let before = space.state().part::<ConsentsPart>().get(client).cloned();
        let kept = space.change_for_good(
            |state| {
                let part = state.part_mut::<ConsentsPart>();
                if !part.contains_key(client) {
                    make_room(part)?;
                }
                part.insert(client, said.clone());
                Ok(())
            },
            |state| {
                let part = state.part_mut::<ConsentsPart>();
                match before {
                    Some(before) => drop(part.insert(client, before)),
                    None => drop(part.remove(client)),
                }
                Ok(())
            },
        );
        kept.await?;
        self.moved.send_modify(|moved| *moved += 1);
        Ok(said)
    }
}

fn refused(client: &str) -> Error {
    Error::denied(format!("a person does not agree that `{client}` does more than look"))
        .hint("looking is still possible; ask the person for anything else")
}

/// Clients choose their names, so those that only ask make room for others.
fn make_room(part: &mut Entries<Consent>) -> Result<()> {
    if part.len() < MAX_CLIENTS {
        return Ok(());
    }
    let asking = part.iter().filter(|(_, consent)| consent.state == ConsentState::Asked);
    let oldest = asking.min_by_key(|(_, consent)| consent.at).map(|(client, _)| Arc::clone(client));
    match oldest {
        Some(oldest) => drop(part.remove(&*oldest)),
        None => {
            return Err(Error::conflict(format!(
                "something was said of {MAX_CLIENTS} clients already"
            ))
            .hint("a client that nobody knows cannot be asked about any more"));
        }
    }
    Ok(())
}
