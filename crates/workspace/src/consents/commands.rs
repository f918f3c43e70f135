//! `consent.list`, `consent.give` and `consent.revoke`: for people, and for scripts that stand for them.

use openspace_command::{Command, Error, Meta, Result, Set, Shown};
use openspace_protocol::Access;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Consent, ConsentState, ConsentsPart,
    words::{Words, words},
};
use crate::{Cx, Entry, OpenSpace, agents::commands::check_no_agent};

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
    type Output = Said;

    fn summary(&self) -> String {
        format!("agree to {}", self.client)
    }

    fn check(&self) -> Result<()> {
        check_client(&self.client)
    }

    async fn run(self, cx: Cx) -> Result<Said> {
        check_no_agent(&cx.caller)?;
        let consents = cx.state.agents().consents();
        let consent = consents.say(&self.client, ConsentState::Given, &cx.caller.id).await?;
        Ok(Said { client: self.client, consent })
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
    type Output = Said;

    fn summary(&self) -> String {
        format!("take back that {} does more than look", self.client)
    }

    fn check(&self) -> Result<()> {
        check_client(&self.client)
    }

    async fn run(self, cx: Cx) -> Result<Said> {
        check_no_agent(&cx.caller)?;
        let consents = cx.state.agents().consents();
        let consent = consents.say(&self.client, ConsentState::Revoked, &cx.caller.id).await?;
        Ok(Said { client: self.client, consent })
    }
}
