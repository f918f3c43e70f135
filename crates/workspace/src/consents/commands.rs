//! `consent.list`, `consent.give` and `consent.revoke`: for people, and for scripts that stand for them.

use std::fmt::Write as _;

use openspace_command::{Command, Error, Meta, Result, Set, Shown};
use openspace_protocol::Access;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Consent, ConsentState, ConsentsPart,
    words::{Words, words},
};
use crate::{
    Cx, Entry, OpenSpace,
    agents::{AgentsPart, commands::check_no_agent},
};

/// The commands of this area.
pub const COMMANDS: &[Entry] = &[Entry::of::<List>(), Entry::of::<Give>(), Entry::of::<Revoke>()];

/// Longest name of a client.
const MAX_NAME: usize = 80;

/// What was said of a client.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Said {
    /// The client's name.
    client: String,
    /// What was said.
    #[serde(flatten)]
    consent: Consent,
}

/// What was said of a client now.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SaidNow {
    /// What was said.
    #[serde(flatten)]
    said: Said,
    /// Whether a client of that name was ever here; else it was said ahead, or the name has a slip in it.
    known: bool,
    /// Clients that are here or were asked about.
    clients: Vec<String>,
}

/// What was said of clients, and what agreeing means.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Consented {
    /// Whether each client has to be agreed to; else only what was taken back counts.
    asks: bool,
    /// The clients of which something was said, by name.
    clients: Vec<Said>,
    /// What somebody agrees to.
    words: Words,
}

/// List which clients were agreed to, and what that means.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct List {}

impl Command<OpenSpace> for List {
    const META: Meta = Meta::new("consent.list", "Consent: List", Access::Read)
        .set(Set::Ide)
        .shown(Shown::Searchable);
    type Output = Consented;

    fn summary(&self) -> String {
        "list consents".into()
    }

    async fn run(self, cx: Cx) -> Result<Consented> {
        check_no_agent(&cx.caller)?;
        let state = cx.state.space().state();
        let said = |(client, consent): (&std::sync::Arc<str>, &Consent)| Said {
            client: client.to_string(),
            consent: consent.clone(),
        };
        Ok(Consented {
            asks: cx.state.agents().consents().asks(),
            clients: state.part::<ConsentsPart>().iter().map(said).collect(),
            words: words(&cx.state),
        })
    }

    fn text(all: &Consented) -> Option<String> {
        let mut lines = vec![all.words.text(), String::new()];
        lines.extend(all.clients.iter().map(|Said { client, consent }| {
            let Consent { state, by, .. } = consent;
            match state {
                ConsentState::Asked => format!("{client}: waits for an answer"),
                ConsentState::Given => format!("{client}: agreed to by {by}"),
                ConsentState::Revoked => format!("{client}: taken back by {by}"),
            }
        }));
        lines.push(match (all.asks, all.clients.is_empty()) {
            (true, _) => "Every other client has to be agreed to.".into(),
            (false, true) => "Every client is agreed to (--consent given).".into(),
            (false, false) => "Every other client is agreed to (--consent given).".into(),
        });
        Some(lines.join("\n"))
    }
}

/// Clients that are here, and those of which something was asked or said.
fn clients(state: &OpenSpace) -> Vec<String> {
    let state = state.space().state();
    let client = |id: &str| id.split('#').next().unwrap_or(id).to_owned();
    let here = state.part::<AgentsPart>().keys().map(|id| client(id));
    let mut all: Vec<String> =
        here.chain(state.part::<ConsentsPart>().keys().map(ToString::to_string)).collect();
    all.sort();
    all.dedup();
    all
}

/// Say it, and whether anybody has that name.
async fn say(cx: &Cx, client: String, state: ConsentState) -> Result<SaidNow> {
    check_no_agent(&cx.caller)?;
    let clients = clients(&cx.state);
    let consents = cx.state.agents().consents();
    let consent = consents.say(&client, state, &cx.caller.id).await?;
    let known = clients.contains(&client);
    Ok(SaidNow { said: Said { client, consent }, known, clients })
}

fn told(now: &SaidNow) -> String {
    let SaidNow { said: Said { client, consent }, known, clients } = now;
    let (what, back) = match consent.state {
        ConsentState::Given => ("agreed to; it may do more than look", "revoke"),
        ConsentState::Asked | ConsentState::Revoked => ("taken back; it only looks", "give"),
    };
    let mut text = format!("{client}: {what}");
    if !known {
        let names = if clients.is_empty() { "none".into() } else { clients.join(", ") };
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "\nNote: no client of that name was here yet, so this is kept for when one comes. Clients that were: {names}.\n\
             `openspace consent {back} {client}` says the opposite."
        );
    }
    text
}

fn check_client(client: &str) -> Result<()> {
    let length = client.chars().count();
    if client.trim().is_empty() || length > MAX_NAME || client.chars().any(char::is_control) {
        return Err(Error::invalid(format!(
            "argument `client`: must be 1 to {MAX_NAME} printable characters"
        )));
    }
    Ok(())
}

/// Agree that a client does more than look, in this space.
///
/// Calls of it that wait go on at once. `consent.list` says what that means in plain words.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Give {
    /// The client's name, such as `opencode`.
    client: String,
}

impl Command<OpenSpace> for Give {
    const META: Meta = Meta::new("consent.give", "Consent: Give", Access::Edit)
        .set(Set::Ide)
        .shown(Shown::Searchable)
        .idempotent()
        .parallel();
    type Output = SaidNow;

    fn summary(&self) -> String {
        format!("agree to {}", self.client)
    }

    fn check(&self) -> Result<()> {
        check_client(&self.client)
    }

    async fn run(self, cx: Cx) -> Result<SaidNow> {
        say(&cx, self.client, ConsentState::Given).await
    }

    fn text(said: &SaidNow) -> Option<String> {
        Some(told(said))
    }
}

/// Take back that a client does more than look.
///
/// Its next calls only look, those that run go on: `agent.stop` ends them.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Revoke {
    /// The client's name, such as `opencode`.
    client: String,
}

impl Command<OpenSpace> for Revoke {
    const META: Meta = Meta::new("consent.revoke", "Consent: Take Back", Access::Edit)
        .set(Set::Ide)
        .shown(Shown::Searchable)
        .idempotent()
        .parallel();
    type Output = SaidNow;

    fn summary(&self) -> String {
        format!("take back that {} does more than look", self.client)
    }

    fn check(&self) -> Result<()> {
        check_client(&self.client)
    }

    async fn run(self, cx: Cx) -> Result<SaidNow> {
        say(&cx, self.client, ConsentState::Revoked).await
    }

    fn text(said: &SaidNow) -> Option<String> {
        Some(told(said))
    }
}
