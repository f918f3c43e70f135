//! `agent.list`, `agent.pause`, `agent.stop`, `agent.disconnect`, `agent.admit` and `agent.clean_up`: what
//! a person does about agents.
//!
//! No agent says anything about another one, or about itself but that it goes: that is refused here,
//! whatever a policy says.

use std::collections::BTreeSet;

use openspace_command::{Caller, CallerKind, Command, Error, Meta, Result, Set, Shown};
use openspace_protocol::Access;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    AgentRecord, Why, agent_id,
    brought::{self, Thing},
    cleanup::{self, Ended},
    past::client,
    standing::{Ending, Said},
};
use crate::{Cx, Entry, OpenSpace};

/// The commands of this area.
pub const COMMANDS: &[Entry] = &[
    Entry::of::<List>(),
    Entry::of::<Pause>(),
    Entry::of::<Stop>(),
    Entry::of::<Disconnect>(),
    Entry::of::<Admit>(),
    Entry::of::<CleanUp>(),
];

/// Things that one call names at most.
const MAX_THINGS: usize = brought::MAX_BROUGHT;
/// Things that a summary names.
const NAMED: usize = 12;

/// What is said about agents is a person's to say. Whoever holds the token stands for one.
pub(crate) fn check_no_agent(caller: &Caller) -> Result<()> {
    match caller.kind {
        CallerKind::Person | CallerKind::Script => Ok(()),
        CallerKind::Agent | CallerKind::Bridge => Err(Error::denied(
            "only a person decides about agents",
        )
        .hint("ask the person; an agent can end what it brought itself with agent_clean_up")),
    }
}

/// The agent that is meant: by id, or by the name of a client that only one has. Never another one.
fn find(cx: &Cx, name: &str) -> Result<String> {
    let known = known(&cx.state);
    if known.contains(name) || cx.state.agents().is_known(name) {
        return Ok(name.to_owned());
    }
    let of_client: Vec<&String> = known.iter().filter(|id| client(id) == name).collect();
    match of_client.as_slice() {
        [one] => Ok((*one).clone()),
        [] => {
            let shown: String = name.chars().take(100).collect();
            let ids: Vec<&str> = known.iter().map(String::as_str).take(50).collect();
            let ids = if ids.is_empty() { "there are none".into() } else { ids.join(", ") };
            Err(Error::not_found(format!("there is no agent `{shown}`"))
                .hint(format!("agents: {ids}")))
        }
        several => {
            let ids: Vec<&str> = several.iter().map(|id| id.as_str()).collect();
            Err(Error::conflict(format!("several agents are called `{name}`"))
                .hint(format!("use an id: {}", ids.join(", "))))
        }
    }
}

/// Those that are there, that left something, or of which something was said.
fn known(state: &OpenSpace) -> BTreeSet<String> {
    let agents = state.agents();
    let there = agents.list().into_keys().map(|id| id.to_string());
    let owners = brought::owners(&state.space().state());
    there.chain(owners).chain(agents.with_standing()).collect()
}

/// An agent.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Listed {
    /// Its id: the client's name, and its session where it has one.
    agent_id: String,
    /// Whether it is connected.
    connected: bool,
    /// Whether a person paused it.
    paused: bool,
    /// Whether a person disconnected it.
    disconnected: bool,
    /// The client's name and version, as it says; only while it is connected.
    name: Option<String>,
    /// How many calls of it run.
    running: usize,
    /// What it brought and is still there.
    brought: Vec<Thing>,
    /// When what it brought goes unless it is heard of, in milliseconds since 1970; null while it is
    /// there, and when it stays for ever.
    goes_at: Option<u64>,
}

/// Agents.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AllAgents {
    /// Those that are connected, left something behind, or were paused or disconnected.
    agents: Vec<Listed>,
}

/// List the agents: who is connected, what each brought, and whom a person paused.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct List {}

impl Command<OpenSpace> for List {
    const META: Meta = Meta::new("agent.list", "Agents: List", Access::Read)
        .set(Set::Ide)
        .shown(Shown::Searchable);
    type Output = AllAgents;

    fn summary(&self) -> String {
        "list agents".into()
    }

    async fn run(self, cx: Cx) -> Result<AllAgents> {
        check_no_agent(&cx.caller)?;
        let agents = cx.state.agents();
        let (there, state) = (agents.list(), cx.state.space().state());
        let listed = |id: String| {
            let record: Option<&AgentRecord> = there.get(id.as_str());
            let standing = agents.standing(&id);
            let brought = brought::things(&state, &id);
            let goes_at = if brought.is_empty() { None } else { agents.due(&id) };
            Listed {
                connected: record.is_some(),
                paused: standing.paused.is_some(),
                disconnected: standing.disconnected.is_some(),
                name: record.map(|record| record.name.clone()),
                running: record.map_or(0, |record| record.running.len()),
                goes_at: goes_at.map(|(at, _)| at),
                brought,
                agent_id: id,
            }
        };
        Ok(AllAgents { agents: known(&cx.state).into_iter().map(listed).collect() })
    }

    fn text(all: &AllAgents) -> Option<String> {
        if all.agents.is_empty() {
            return Some("No agents.".into());
        }
        let line = |agent: &Listed| {
            let mut words = vec![if agent.connected { "connected" } else { "gone" }];
            words.extend(agent.paused.then_some("paused"));
            words.extend(agent.disconnected.then_some("disconnected"));
            let brought = names(&agent.brought);
            let brought = if brought.is_empty() { "nothing".into() } else { brought };
            format!("{}: {}; brought {brought}", agent.agent_id, words.join(", "))
        };
        Some(all.agents.iter().map(line).collect::<Vec<_>>().join("\n"))
    }
}

/// How an agent stands.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Stands {
    /// The agent.
    agent_id: String,
    /// Whether it is paused now.
    paused: bool,
    /// Whether it is disconnected now.
    disconnected: bool,
}

fn stands(cx: &Cx, agent_id: String) -> Stands {
    let standing = cx.state.agents().standing(&agent_id);
    let (paused, disconnected) = (standing.paused.is_some(), standing.disconnected.is_some());
    Stands { agent_id, paused, disconnected }
}

fn said(cx: &Cx) -> Said {
    Said { at: cx.state.now(), by: cx.caller.id.clone() }
}

/// Pause an agent: its calls are refused until it may go on. What runs goes on.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Pause {
    /// Its id, or the name of its client.
    agent_id: String,
    /// False to let it go on; true when left out.
    paused: Option<bool>,
}

impl Command<OpenSpace> for Pause {
    const META: Meta = Meta::new("agent.pause", "Agents: Pause", Access::Edit)
        .set(Set::Ide)
        .shown(Shown::Searchable)
        .idempotent()
        .parallel();
    type Output = Stands;

    fn summary(&self) -> String {
        match self.paused {
            Some(false) => format!("let {} go on", self.agent_id),
            _ => format!("pause {}", self.agent_id),
        }
    }

    async fn run(self, cx: Cx) -> Result<Stands> {
        check_no_agent(&cx.caller)?;
        let id = find(&cx, &self.agent_id)?;
        let pauses = self.paused.unwrap_or(true);
        cx.state.agents().pause(&id, pauses.then(|| said(&cx)))?;
        Ok(stands(&cx, id))
    }
}

/// What was ended.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Stopped {
    /// The agent.
    agent_id: String,
    /// How many calls of it ran and were ended.
    calls: usize,
    /// The things whose programs were ended, such as `terminal/t3`.
    stopped: Vec<String>,
    /// Those that were left alone because somebody else typed into them.
    kept: Vec<String>,
}

/// Stop everything that an agent runs: its calls, its background runs and what runs in its terminals.
///
/// The agent stays connected. A terminal that somebody else typed into is left alone.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Stop {
    /// Its id, or the name of its client.
    agent_id: String,
}

impl Command<OpenSpace> for Stop {
    const META: Meta = Meta::new("agent.stop", "Agents: Stop Programs", Access::Execute)
        .set(Set::Ide)
        .shown(Shown::Searchable)
        .idempotent()
        .parallel();
    type Output = Stopped;

    fn summary(&self) -> String {
        format!("stop what {} runs", self.agent_id)
    }

    async fn run(self, cx: Cx) -> Result<Stopped> {
        check_no_agent(&cx.caller)?;
        let id = find(&cx, &self.agent_id)?;
        stop(&cx, id, Ending::Stopped).await
    }

    fn text(stopped: &Stopped) -> Option<String> {
        let Stopped { agent_id, calls, stopped, kept } = stopped;
        let mut text = format!("{agent_id}: {calls} calls and {} programs ended", stopped.len());
        if !kept.is_empty() {
            text = format!("{text}; left alone: {}", kept.join(", "));
        }
        Some(text)
    }
}

async fn stop(cx: &Cx, agent_id: String, ending: Ending) -> Result<Stopped> {
    let calls = cx.state.agents().end_calls(&agent_id, ending);
    let Ended { ended, kept, failed } = cleanup::stop(&cx.state, &agent_id).await;
    check_failed(&failed)?;
    let names = |things: Vec<Thing>| things.iter().map(Thing::name).collect();
    Ok(Stopped { agent_id, calls, stopped: names(ended), kept: names(kept) })
}

fn check_failed(failed: &[(Thing, Error)]) -> Result<()> {
    let Some((_, first)) = failed.first() else { return Ok(()) };
    let things: Vec<Thing> = failed.iter().map(|(thing, _)| thing.clone()).collect();
    let message = format!("could not be ended: {}: {}", names(&things), first.message);
    Err(Error::conflict(message).hint("the rest is ended; try again for these"))
}

/// What became of what an agent brought.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CleanedUp {
    /// The agent.
    agent_id: String,
    /// What was ended or closed, such as `terminal/t3`.
    ended: Vec<String>,
    /// What stays, and why.
    kept: Vec<KeptThing>,
}

/// A thing that stays.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeptThing {
    /// The thing.
    thing: String,
    /// Why, in a few words.
    why: String,
}

/// What a disconnected agent can still do.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Disconnected {
    /// How many calls of it ran and were ended.
    calls: usize,
    /// What became of what it brought.
    #[serde(flatten)]
    cleaned: CleanedUp,
    /// Whether a new session of the same client is let in. One without sessions is known by its name
    /// alone, and stays out until it is let in again.
    new_session_is_let_in: bool,
}

/// Disconnect an agent: stop what it runs, end what it brought, and refuse its calls.
///
/// Until it is let in again (`agent.admit`), or begins a new session; to keep a client out for good,
/// take back the consent to it (`consent.revoke`).
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Disconnect {
    /// Its id, or the name of its client.
    agent_id: String,
}

impl Command<OpenSpace> for Disconnect {
    const META: Meta = Meta::new("agent.disconnect", "Agents: Disconnect", Access::Destroy)
        .set(Set::Ide)
        .shown(Shown::Searchable)
        .idempotent()
        .parallel();
    type Output = Disconnected;

    fn summary(&self) -> String {
        format!("disconnect {}", self.agent_id)
    }

    async fn run(self, cx: Cx) -> Result<Disconnected> {
        check_no_agent(&cx.caller)?;
        let id = find(&cx, &self.agent_id)?;
        let agents = cx.state.agents();
        // First: nothing that it does from here on comes after what is ended.
        agents.disconnect(&id, Some(said(&cx)))?;
        let calls = agents.end_calls(&id, Ending::Disconnected);
        let cleaned = clean_up(&cx, id.clone(), Why::Disconnected).await;
        agents.end_session(&id);
        let new_session_is_let_in = id.contains('#');
        Ok(Disconnected { calls, cleaned: cleaned?, new_session_is_let_in })
    }

    fn text(done: &Disconnected) -> Option<String> {
        Some(format!("{} calls ended; {}", done.calls, done.cleaned.text()))
    }
}

/// Let an agent in again that was disconnected.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Admit {
    /// Its id, or the name of its client.
    agent_id: String,
}

impl Command<OpenSpace> for Admit {
    const META: Meta = Meta::new("agent.admit", "Agents: Let In Again", Access::Edit)
        .set(Set::Ide)
        .shown(Shown::Searchable)
        .idempotent()
        .parallel();
    type Output = Stands;

    fn summary(&self) -> String {
        format!("let {} in again", self.agent_id)
    }

    async fn run(self, cx: Cx) -> Result<Stands> {
        check_no_agent(&cx.caller)?;
        let id = find(&cx, &self.agent_id)?;
        cx.state.agents().disconnect(&id, None)?;
        Ok(stands(&cx, id))
    }
}

impl CleanedUp {
    fn text(&self) -> String {
        let ended = if self.ended.is_empty() { "nothing".into() } else { self.ended.join(", ") };
        let kept = self.kept.iter().map(|kept| format!("; {} stays: {}", kept.thing, kept.why));
        format!("ended {ended}{}", kept.collect::<String>())
    }
}

/// End what an agent brought: its terminals, runs, highlights, tabs and panes.
///
/// What a person typed into, edited or pinned stays, and so does what is unsaved. An agent ends what it
/// brought itself; nobody else's.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CleanUp {
    /// The agent's id, or the name of its client; an agent itself leaves it out.
    agent_id: Option<String>,
    /// Why, for the record.
    why: Option<Why>,
    /// Only these things, such as `terminal/t3`; all of them when left out.
    #[schemars(length(max = MAX_THINGS))]
    things: Option<Vec<String>>,
}

impl Command<OpenSpace> for CleanUp {
    const META: Meta = Meta::new("agent.clean_up", "Agents: Clean Up", Access::Destroy)
        .set(Set::Ide)
        .shown(Shown::Searchable)
        .idempotent();
    type Output = CleanedUp;

    fn summary(&self) -> String {
        let whose = self.agent_id.as_deref().unwrap_or("oneself");
        let why = self.why.map(|why| format!(" ({})", why.words())).unwrap_or_default();
        let things = self.things.as_deref().map(shortened);
        let things = things.map(|things| format!(": {things}")).unwrap_or_default();
        format!("clean up after {whose}{why}{things}")
    }

    fn check(&self) -> Result<()> {
        if self.things.as_ref().is_some_and(|things| things.len() > MAX_THINGS) {
            return Err(Error::invalid(format!("argument `things`: at most {MAX_THINGS}")));
        }
        Ok(())
    }

    async fn run(self, cx: Cx) -> Result<CleanedUp> {
        let own = (cx.caller.kind == CallerKind::Agent).then(|| agent_id(&cx.caller));
        let agent_id = match (own, self.agent_id.as_deref()) {
            (Some(own), named) if named.is_none_or(|named| named == own) => own,
            (_, Some(named)) => {
                check_no_agent(&cx.caller)?;
                find(&cx, named)?
            }
            (_, None) => {
                return Err(Error::invalid("argument `agentId`: needed, because you are no agent"));
            }
        };
        let why = self.why.unwrap_or(Why::Asked);
        let Some(things) = self.things else { return clean_up(&cx, agent_id, why).await };
        let Ended { ended, kept, failed } = cleanup::end(&cx.state, &agent_id, &things).await;
        cx.state.counts().cleaned_up(why.word(), ended.iter().map(|thing| thing.kind.as_str()));
        check_failed(&failed)?;
        let kept = kept.into_iter().map(|thing| KeptThing {
            thing: thing.name(),
            why: thing.stays.map(|stays| stays.words().to_owned()).unwrap_or_default(),
        });
        let ended = ended.iter().map(Thing::name).collect();
        Ok(CleanedUp { agent_id, ended, kept: kept.collect() })
    }

    fn text(cleaned: &CleanedUp) -> Option<String> {
        Some(cleaned.text())
    }
}

/// End all that an agent brought, as a call of its own that names it: what was ended is on the record.
async fn clean_up(cx: &Cx, agent_id: String, why: Why) -> Result<CleanedUp> {
    let things = brought::things(&cx.state.space().state(), &agent_id);
    if things.is_empty() {
        return Ok(CleanedUp { agent_id, ended: Vec::new(), kept: Vec::new() });
    }
    let things: Vec<String> = things.iter().map(Thing::name).collect();
    let args = json!({"agentId": agent_id, "why": why, "things": things});
    let answer = cx.dispatch(CleanUp::META.id, args).await.result?;
    serde_json::from_value(Value::Object(answer))
        .map_err(|error| Error::internal("what was ended cannot be told").because(error))
}

fn names(things: &[Thing]) -> String {
    shortened(&things.iter().map(Thing::name).collect::<Vec<_>>())
}

fn shortened(names: &[String]) -> String {
    match names.len().checked_sub(NAMED) {
        None | Some(0) => names.join(", "),
        Some(more) => format!("{} and {more} more", names[..NAMED].join(", ")),
    }
}
