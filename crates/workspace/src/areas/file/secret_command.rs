//! `file.read_secret`: one secret for an agent, once, if a person says yes.
//!
//! The person's rules decide as about anything that leaves the confined place; where nobody is ever asked, nobody
//! can have said yes, and the answer is no.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use openspace_command::{
    Caller, CallerKind, Command, Error, Intent, Meta, Result, Set, Shown, Site,
};
use openspace_files::{FileError, Inspected, LineRange};
use openspace_host::{
    HostError,
    operation::{InspectPath, MayRead, ReadText},
};
use openspace_protocol::Access;
use schemars::JsonSchema;
use serde::Deserialize;

use super::commands::{Reading, describe, read_as};
use crate::{
    Cx, OpenSpace,
    refusal::refused,
    services::{Base, Service},
    walls::check_reason,
};

/// Read a secret file once, if the person allows it.
///
/// Asks the person each time. The answer is not masked, and the record says so; what programs print stays masked.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadSecret {
    /// Path of the secret file, relative to the root.
    path: String,
    /// Why the content is needed, in a sentence: the person decides by it.
    reason: String,
}

/// Files of questions that are remembered.
const MOST_ASKED: usize = 1_000;

/// Which files persons were asked about, by who asked and the name.
#[derive(Default)]
pub struct Asked(Mutex<BTreeMap<(String, String), String>>);

impl Service for Asked {
    fn start(_: &Base) -> Self {
        Self::default()
    }
}

impl Asked {
    /// The first of a name counts until it is taken.
    fn note(&self, caller: &Caller, path: &str, token: String) {
        let mut asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Questions that nobody answers stay; the last ones must not find the list full.
        if asked.len() == MOST_ASKED {
            asked.pop_first();
        }
        asked.entry((caller.id.clone(), path.to_owned())).or_insert(token);
    }

    fn take(&self, caller: &Caller, path: &str) -> Option<String> {
        let mut asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        asked.remove(&(caller.id.clone(), path.to_owned()))
    }
}

async fn inspect(state: &OpenSpace, path: &str) -> Result<Inspected> {
    let path = state.path(path)?;
    state.place().ask(InspectPath { path, person: true }).await.map_err(refused)
}

/// What tells a file from others and from itself at another time.
fn token(found: &Inspected) -> String {
    format!("{} at {}", found.token, found.place.as_deref().unwrap_or("its path"))
}

impl ReadSecret {
    /// `place` is where the file really is, if a link leads there.
    fn intent_for(&self, place: Option<&str>) -> Intent {
        let path = &self.path;
        let about = match place {
            None => format!("The agent would see what is in `{path}`."),
            Some(place) => format!(
                "`{path}` is or runs through a symbolic link: the agent would see what is in `{place}`."
            ),
        };
        Intent {
            site: Site::Outside,
            reason: Some(self.reason.clone()),
            about: Some(about),
            // A yes is for what would really be read.
            thing: place.map(|place| format!("file {place}")),
            ..Intent::default()
        }
    }
}

/// Refuse what is no secret, and what not even the person could read as text.
async fn check_secret(state: &OpenSpace, path: &str) -> Result<()> {
    let path = state.path(path)?;
    let place = state.place();
    match place.ask(MayRead { path: path.clone(), person: false }).await {
        Err(HostError::File(FileError::Forbidden { .. })) => {}
        Err(error) => return Err(refused(error)),
        Ok(()) => {
            return Err(Error::invalid(format!(
                "`{path}` is no secret, so nobody has to be asked"
            ))
            .hint("file_read reads it; what is masked in it is a value of another file"));
        }
    }
    let whole = ReadText { path, range: LineRange::default(), person: true };
    place.ask(whole).await.map(drop).map_err(refused)
}

impl Command<OpenSpace> for ReadSecret {
    // What an agent sees, its model sees: it leaves the machine.
    const META: Meta = Meta::new("file.read_secret", "File: Read a Secret Once", Access::Reach)
        .set(Set::Workspace)
        .shown(Shown::Searchable);
    type Output = Reading;

    fn summary(&self) -> String {
        format!("read the secret {}", self.path)
    }

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    fn check(&self) -> Result<()> {
        if self.reason.trim().is_empty() {
            return Err(Error::invalid("argument `reason`: is empty").hint(
                "say in a sentence what the content is needed for; the person decides by it",
            ));
        }
        check_reason(false, Some(&self.reason))
    }

    fn intent(&self, _state: &OpenSpace, _caller: &Caller) -> Intent {
        self.intent_for(None)
    }

    /// Refuses what a yes could not open, before anybody is asked, and remembers which file it was then: an
    /// agent can put another one in its name.
    async fn closer_intent(
        &self,
        state: &Arc<OpenSpace>,
        caller: &Caller,
    ) -> Result<Option<Intent>> {
        check_secret(state, &self.path).await?;
        let found = inspect(state, &self.path).await?;
        state.service::<Asked>().note(caller, &self.path, token(&found));
        Ok(Some(self.intent_for(found.place.as_deref())))
    }

    async fn run(self, cx: Cx) -> Result<Reading> {
        if cx.caller.kind != CallerKind::Agent {
            return Err(Error::denied("this is for agents, who have to ask")
                .hint("open the file in the browser, or read it where it lies"));
        }
        if cx.state.permission().policy().is_none() {
            return Err(Error::denied("nobody is asked on this server, so nobody can allow it")
                .hint("ask the person for what you need; they started the server with `--profile off`"));
        }
        let path = cx.state.path(&self.path)?;
        let reading = read_as(&cx, ReadText { path, range: LineRange::default(), person: true });
        let reading = reading.await?;
        // After it was read: what was read is what is compared.
        let is_that = cx.state.service::<Asked>().take(&cx.caller, &self.path)
            == Some(token(&inspect(&cx.state, &self.path).await?));
        if !is_that {
            return Err(Error::conflict("it is another file than when the person was asked")
                .hint("ask again; leave the file alone meanwhile"));
        }
        cx.unmask.allow();
        Ok(reading)
    }

    fn text(output: &Reading) -> Option<String> {
        Some(describe(output))
    }
}
