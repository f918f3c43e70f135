//! What agents brought: which terminal, run, highlight, tab or pane came with which agent's session.
//!
//! A thing is noted when the change in which it came was an agent's, and forgotten when the thing goes,
//! whoever takes it away. What a person brought is never here, so nothing that is here is a person's
//! alone. A thing that a person has taken to (typed into, edited, pinned) stays when its agent goes.
//!
//! Which kinds of things there are, what of them came and how one ends, each area declares
//! ([`Bringing`]). Nothing here ends anything.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use openspace_buffers::BuffersPart;
use openspace_command::{Caller, CallerKind, Result};
use openspace_host::BoxFuture;
use openspace_protocol::TerminalId;
use openspace_space::{Entries, Part, Space, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AgentsPart, agent_id};
use crate::{Cx, OpenSpace, areas::AREAS};

/// Things that are noted at once; what comes when there are as many is nobody's, and stays.
pub const MAX_BROUGHT: usize = 10_000;

/// What agents brought, by kind and id such as `terminal/t3`.
pub struct BroughtPart;

impl Part for BroughtPart {
    const NAME: &'static str = "brought";
    const PUBLISHED: bool = false;
    const ANNOUNCED: bool = false;
    type Content = Entries<Brought>;
}

/// A thing that came with an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Brought {
    /// The agent.
    pub by: String,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// What a person did with it, so that it is theirs too.
    #[serde(default)]
    pub taken_to: Option<Stays>,
}

/// Why a thing stays although its agent goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stays {
    /// Somebody else typed into it.
    TypedInto,
    /// A person edited the file.
    Edited,
    /// It is in a pane that somebody else pinned.
    Pinned,
    /// It has unsaved changes.
    Unsaved,
    /// It shows what others brought.
    InUse,
}

impl Stays {
    /// For readers.
    pub const fn words(self) -> &'static str {
        match self {
            Self::TypedInto => "somebody else typed into it",
            Self::Edited => "a person edited the file",
            Self::Pinned => "somebody else pinned it",
            Self::Unsaved => "it has unsaved changes",
            Self::InUse => "it shows what others opened",
        }
    }
}

/// What came and went between two states, by id.
#[derive(Default)]
pub struct CameAndWent {
    /// What is there and was not.
    pub came: Vec<String>,
    /// What was there and is not.
    pub went: Vec<String>,
}

type Ending<T> = for<'a> fn(&'a OpenSpace, &'a str) -> BoxFuture<'a, Result<T>>;

/// A kind of things that go with the agent that brought them.
pub struct Bringing {
    /// What it is called, such as `terminal`.
    pub kind: &'static str,
    /// What came and went between two states. Nothing for what is not in the space; that is noted with
    /// [`note`] and forgotten with [`forget`].
    pub between: fn(&State, &State) -> CameAndWent,
    /// Why one stays although its agent goes.
    pub stays: fn(&State, id: &str, agent: &str) -> Option<Stays>,
    /// End one, by id. What it says stays after all.
    pub end: Ending<Option<Stays>>,
    /// End the programs in one and leave the thing itself; only for kinds that run programs.
    pub stop: Option<Ending<()>>,
}

/// Every kind, in the order in which they end.
pub(crate) fn kinds() -> impl Iterator<Item = &'static Bringing> {
    AREAS.iter().flat_map(|area| area.brought)
}

/// The kind of this name.
pub(crate) fn kind(name: &str) -> Option<&'static Bringing> {
    kinds().find(|bringing| bringing.kind == name)
}

fn key(kind: &str, id: &str) -> String {
    format!("{kind}/{id}")
}

/// A change of the space by a caller: what comes with it came with the caller, if that is an agent.
pub(crate) fn by<T>(
    cx: &Cx,
    change: impl FnOnce(&mut State) -> Result<T>,
) -> impl FnOnce(&mut State) -> Result<T> {
    let now = cx.state.now();
    move |state| {
        let before = (cx.caller.kind == CallerKind::Agent).then(|| state.clone());
        let changed = change(state)?;
        if let Some(before) = before {
            for bringing in kinds() {
                for id in (bringing.between)(&before, state).came {
                    note(state, &cx.caller, now, bringing.kind, &id);
                }
            }
        }
        Ok(changed)
    }
}

/// Note that a thing came with a caller, if that is an agent.
pub fn note(state: &mut State, caller: &Caller, at: u64, kind: &str, id: &str) {
    if caller.kind != CallerKind::Agent {
        return;
    }
    if state.part::<BroughtPart>().len() >= MAX_BROUGHT {
        return tracing::warn!(kind, "too much came with agents: a thing will stay");
    }
    let brought = Brought { by: agent_id(caller), at, taken_to: None };
    state.part_mut::<BroughtPart>().insert(key(kind, id), brought);
}

/// Forget a thing that is gone.
pub fn forget(state: &mut State, kind: &str, id: &str) {
    let key = key(kind, id);
    if state.part::<BroughtPart>().contains_key(key.as_str()) {
        state.part_mut::<BroughtPart>().remove(key.as_str());
    }
}

/// A thing is known by another id from here on.
pub(crate) fn rename(state: &mut State, kind: &str, from: &str, to: &str) {
    let from = key(kind, from);
    if state.part::<BroughtPart>().contains_key(from.as_str())
        && let Some(brought) = state.part_mut::<BroughtPart>().remove(from.as_str())
    {
        state.part_mut::<BroughtPart>().insert(key(kind, to), Brought::clone(&brought));
    }
}

/// Somebody else than an agent took to a thing, so that it stays.
fn take_to(state: &mut State, key: &str, why: Stays) {
    let is_new = |brought: &Brought| brought.taken_to.is_none();
    if state.part::<BroughtPart>().get(key).is_some_and(is_new)
        && let Some(brought) = state.part_mut::<BroughtPart>().get_mut(key)
    {
        brought.taken_to = Some(why);
    }
}

/// Somebody else than an agent typed into a terminal: it is shared from here on.
pub fn typed_into(space: &Space, terminal: TerminalId) {
    let key = key(TERMINAL, &terminal.to_string());
    let is_new = space.state().part::<BroughtPart>().get(key.as_str()).map(|one| one.taken_to);
    if is_new != Some(None) {
        return;
    }
    let noted = space.change_now(|state| {
        take_to(state, &key, Stays::TypedInto);
        Ok(())
    });
    if let Err(error) = noted {
        tracing::error!(%terminal, %error, "that a terminal is shared could not be noted");
    }
}

/// The kind of terminals.
pub(crate) const TERMINAL: &str = "terminal";
/// The kind of tabs, by their names in the layout.
pub(crate) const TAB: &str = "tab";

/// Why a thing stays, if it does.
fn stays(state: &State, kind: &str, id: &str, brought: &Brought) -> Option<Stays> {
    let dynamic = || self::kind(kind).and_then(|kind| (kind.stays)(state, id, &brought.by));
    brought.taken_to.or_else(dynamic)
}

/// Why a thing of an agent stays, if it does; nothing when it is not noted.
pub(crate) fn stays_of(state: &State, kind: &str, id: &str) -> Option<Stays> {
    let brought = state.part::<BroughtPart>().get(key(kind, id).as_str())?;
    stays(state, kind, id, brought)
}

/// Whether a thing came with this agent.
pub(crate) fn is_of(state: &State, kind: &str, id: &str, agent: &str) -> bool {
    let brought = state.part::<BroughtPart>().get(key(kind, id).as_str());
    brought.is_some_and(|brought| brought.by == agent)
}

/// A thing that an agent brought.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Thing {
    /// Its kind, such as `terminal`.
    pub kind: String,
    /// Its id among its kind.
    pub id: String,
    /// Why it stays when the agent goes; it goes too if null.
    pub stays: Option<Stays>,
}

impl Thing {
    /// Kind and id in one word.
    pub fn name(&self) -> String {
        key(&self.kind, &self.id)
    }
}

/// What an agent brought, in the order in which it ends.
pub fn things(state: &State, agent: &str) -> Vec<Thing> {
    let mut found = Vec::new();
    for (key, brought) in state.part::<BroughtPart>().iter().filter(|(_, one)| one.by == agent) {
        let Some((kind, id)) = key.split_once('/') else { continue };
        let stays = stays(state, kind, id, brought);
        found.push(Thing { kind: kind.into(), id: id.into(), stays });
    }
    let place = |kind: &str| kinds().position(|bringing| bringing.kind == kind);
    found.sort_by_key(|thing| place(&thing.kind));
    found
}

/// The agents that brought something which is still there.
pub(crate) fn owners(state: &State) -> BTreeSet<String> {
    state.part::<BroughtPart>().values().map(|brought| brought.by.clone()).collect()
}

/// How many things each agent brought, by kind.
pub(super) fn counts(state: &State) -> BTreeMap<String, BTreeMap<String, u32>> {
    let mut counts: BTreeMap<String, BTreeMap<String, u32>> = BTreeMap::new();
    for (key, brought) in state.part::<BroughtPart>().iter() {
        if let Some((kind, _)) = key.split_once('/') {
            *counts.entry(brought.by.clone()).or_default().entry(kind.into()).or_default() += 1;
        }
    }
    counts
}

/// Things of an earlier run that cannot be there any more.
pub(crate) fn forget_what_ended(state: &mut State) {
    let kept = |key: &Arc<str>, _: &Brought| {
        let kind = key.split_once('/').map(|(kind, _)| kind);
        kind.and_then(self::kind).is_some_and(|kind| kind.kind != RUN)
    };
    if !state.part::<BroughtPart>().iter().all(|(key, one)| kept(key, one)) {
        state.part_mut::<BroughtPart>().retain(kept);
    }
}

/// The kind of background runs: they do not outlive the server.
pub(crate) const RUN: &str = "run";

/// What is gone is forgotten, what a person edits is theirs too, and the list of agents says how much
/// each of them brought.
#[expect(clippy::unnecessary_wraps, reason = "a rule of the space may refuse; this one mends")]
pub(crate) fn keep_true(before: &State, now: &mut State) -> Result<()> {
    if before.part::<BroughtPart>().is_empty() && now.part::<BroughtPart>().is_empty() {
        return Ok(());
    }
    for bringing in kinds() {
        for id in (bringing.between)(before, now).went {
            forget(now, bringing.kind, &id);
        }
    }
    if !now.shares::<BuffersPart>(before) {
        let typed = now.part::<BuffersPart>().keys_since(before.part::<BuffersPart>());
        let typed = typed.into_iter().filter(|path| now.part::<BuffersPart>().contains_key(path));
        for path in typed.collect::<Vec<_>>() {
            for name in crate::areas::layout::tabs_of_file(now, &path) {
                take_to(now, &key(TAB, &name), Stays::Edited);
            }
        }
    }
    tell_how_much(before, now);
    Ok(())
}

/// Only what differs is counted.
fn tell_how_much(before: &State, now: &mut State) {
    let keys = now.part::<BroughtPart>().keys_since(before.part::<BroughtPart>());
    for key in keys {
        let Some((kind, _)) = key.split_once('/') else { continue };
        let owner = |state: &State| state.part::<BroughtPart>().get(&key).map(|one| one.by.clone());
        let (was, is) = (owner(before), owner(now));
        if was == is {
            continue;
        }
        for (agent, more) in [(was, false), (is, true)] {
            let Some(agent) = agent.filter(|id| now.part::<AgentsPart>().contains_key(id.as_str()))
            else {
                continue;
            };
            let Some(record) = now.part_mut::<AgentsPart>().get_mut(agent.as_str()) else {
                continue;
            };
            let count = record.brought.entry(kind.to_owned()).or_default();
            *count = if more { *count + 1 } else { count.saturating_sub(1) };
            record.brought.retain(|_, count| *count > 0);
        }
    }
}
