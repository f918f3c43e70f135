//! The live space: what is open where, highlighted, running. One state, one revision.
//!
//! Every change is a transaction: it works on a copy, and either all of it becomes the state, is
//! told to every view and is handed to the store, or nothing happened. The space does no IO of its
//! own and runs no programs; areas do that and then say here what is so.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use openspace_command::Result;
use openspace_protocol::{Event, TerminalId};
use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

use crate::{
    agents::AgentRecords,
    buffers::Unsaved,
    editor::{Highlights, OpenEditors},
    events::{Events, Listener},
    layout::{Layout, Named, Tab, TabKind},
    problems::Problems,
    store::{Saving, Store},
    terminal::TerminalRecord,
    view::Views,
    workspaces::WorkspaceRecords,
};

/// Terminals by id.
pub type TerminalRecords = BTreeMap<TerminalId, TerminalRecord>;

/// Numbers that only grow, so that no id is used twice.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Counters {
    /// The last terminal's number.
    pub terminal: u64,
    /// The last highlight's number.
    pub highlight: u64,
    /// The last workspace's number.
    #[serde(default)]
    pub workspace: u64,
}

/// The state. Parts are shared until changed, so that a copy costs nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Where things are shown.
    pub layout: Arc<Layout>,
    /// Layouts saved under a name.
    pub layouts: Arc<Named>,
    /// What is known about open files.
    pub editors: Arc<OpenEditors>,
    /// Highlighted lines.
    pub highlights: Arc<Highlights>,
    /// Terminals, running and ended.
    pub terminals: Arc<TerminalRecords>,
    /// Workspaces beside the one of the space.
    pub workspaces: Arc<WorkspaceRecords>,
    /// What attached browsers report of themselves; gone with them.
    pub views: Arc<Views>,
    /// Agents that are connected, and what they run.
    pub agents: Arc<AgentRecords>,
    /// What linters and compilers found, by who reported it.
    pub problems: Arc<Problems>,
    /// Files with unsaved text. The text itself is the buffers' to keep.
    pub buffers: Arc<Unsaved>,
    /// Numbers that only grow.
    pub counters: Arc<Counters>,
}

impl State {
    /// Forget what is known about files that are no longer open, and mark tabs of unsaved files.
    fn settle(&mut self) {
        let is_wrong = |tab: &Tab| {
            tab.kind == TabKind::Editor
                && tab.dirty != self.buffers.contains_key(tab.content_id.as_str())
        };
        let wrong: Vec<(String, bool)> = self
            .layout
            .tabs()
            .filter(|(_, tab)| is_wrong(tab))
            .map(|(_, tab)| (tab.content_id.clone(), !tab.dirty))
            .collect();
        for (path, dirty) in wrong {
            let layout = Arc::make_mut(&mut self.layout);
            if let Err(error) = layout.set_dirty(TabKind::Editor, &path, dirty) {
                tracing::error!(path, %error, "a tab that is there cannot be marked");
            }
        }
        let closed = |path: &String| self.layout.find_tab(TabKind::Editor, path).is_none();
        if self.editors.keys().any(closed) {
            let layout = Arc::clone(&self.layout);
            Arc::make_mut(&mut self.editors)
                .retain(|path, _| layout.find_tab(TabKind::Editor, path).is_some());
        }
    }
}

/// A part of the state as views see it.
struct Part {
    name: &'static str,
    /// Saved by the store.
    saved: bool,
    /// Told to views.
    told: bool,
    same: fn(&State, &State) -> bool,
    get: fn(&State) -> Value,
    schema: fn() -> Schema,
}

/// The schema of a part as it is told.
fn schema_of<T: JsonSchema>(_: fn(&State) -> &Arc<T>) -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}

macro_rules! part {
    ($field:ident, $saved:expr, $told:expr) => {
        Part {
            name: stringify!($field),
            saved: $saved,
            told: $told,
            same: |a, b| Arc::ptr_eq(&a.$field, &b.$field) || a.$field == b.$field,
            get: |state| json!(*state.$field),
            schema: || schema_of(|state| &state.$field),
        }
    };
}

const PARTS: &[Part] = &[
    part!(layouts, true, true),
    part!(editors, true, true),
    part!(highlights, true, true),
    part!(terminals, true, true),
    // After what is in it, so that whoever arranges panes knows their contents.
    part!(layout, true, true),
    part!(workspaces, true, true),
    part!(views, false, true),
    part!(agents, false, true),
    part!(problems, false, true),
    part!(buffers, false, true),
    part!(counters, true, false),
];

/// The schema of each part that views are told, by name.
pub fn part_schemas() -> BTreeMap<&'static str, Schema> {
    PARTS.iter().filter(|part| part.told).map(|part| (part.name, (part.schema)())).collect()
}

/// The whole state as a view gets it when it attaches.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Snapshot {
    /// Which run of the server this is.
    pub boot: String,
    /// The last event that is part of this snapshot.
    pub seq: u64,
    /// The space's revision.
    pub revision: u64,
    /// The parts, by name.
    pub parts: Map<String, Value>,
}

/// What a view gets when it attaches.
pub enum Attached {
    /// Everything, because there is nothing to resume from.
    Fresh(Box<Snapshot>, Listener),
    /// Only what it missed.
    Resumed(Listener),
}

/// The live space.
pub struct Space {
    state: Mutex<State>,
    events: Events,
    store: Arc<Store>,
    before_reading: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl Space {
    /// The space as the store has it. A part that cannot be read any more starts empty and is
    /// logged: one broken part must not keep a person from the others.
    pub fn restore(store: Arc<Store>, boot: String) -> Result<Self, crate::store::StoreError> {
        let saved = store.parts()?;
        let revision = part_of(&saved, "revision");
        let state = State {
            layout: Arc::new(part_of(&saved, "layout")),
            layouts: Arc::new(part_of(&saved, "layouts")),
            editors: Arc::new(part_of(&saved, "editors")),
            highlights: Arc::new(part_of(&saved, "highlights")),
            terminals: Arc::new(part_of(&saved, "terminals")),
            workspaces: Arc::new(part_of(&saved, "workspaces")),
            views: Arc::default(),
            agents: Arc::default(),
            problems: Arc::default(),
            buffers: Arc::default(),
            counters: Arc::new(part_of(&saved, "counters")),
        };
        let (state, events) = (Mutex::new(state), Events::new(boot, revision));
        Ok(Self { state, events, store, before_reading: OnceLock::new() })
    }

    /// Let a part that follows the time be brought up to date before a view reads the whole.
    pub(crate) fn before_reading(&self, refresh: impl Fn() + Send + Sync + 'static) {
        // Only the first is kept; there is one such part.
        drop(self.before_reading.set(Box::new(refresh)));
    }

    fn refresh(&self) {
        if let Some(refresh) = self.before_reading.get() {
            refresh();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state now.
    pub fn state(&self) -> State {
        self.lock().clone()
    }

    /// The stream of events.
    pub fn events(&self) -> &Events {
        &self.events
    }

    /// Change the state, tell everybody, and return when it is saved.
    pub async fn change<T>(&self, change: impl FnOnce(&mut State) -> Result<T>) -> Result<T> {
        let (value, saving) = self.change_now(change)?;
        if let Some(saving) = saving {
            saving.done().await;
        }
        Ok(value)
    }

    /// Change the state and tell everybody, without waiting for the disk.
    pub fn change_now<T>(
        &self,
        change: impl FnOnce(&mut State) -> Result<T>,
    ) -> Result<(T, Option<Saving>)> {
        let mut current = self.lock();
        let mut next = current.clone();
        let value = change(&mut next)?;
        next.settle();
        let mut events = Vec::new();
        let mut saves = Vec::new();
        for part in PARTS {
            if (part.same)(&current, &next) {
                continue;
            }
            let value = (part.get)(&next);
            if part.saved {
                saves.push((part.name.to_owned(), value.to_string()));
            }
            if part.told {
                events.push(Event::Changed { part: part.name.to_owned(), value });
            }
        }
        if events.is_empty() && saves.is_empty() {
            return Ok((value, None));
        }
        *current = next;
        let revision = self.events.publish(events, true);
        // The revision never goes back, so it is saved even when only what is not saved changed; but
        // nobody has to wait for that.
        let worth_waiting = !saves.is_empty();
        saves.push(("revision".to_owned(), revision.to_string()));
        let saving = self.store.save(saves);
        Ok((value, worth_waiting.then_some(saving)))
    }

    /// Change something that is only observed. Everybody is told, but it makes no revision: nothing
    /// of the work has changed.
    pub(crate) fn observe(&self, change: impl FnOnce(&mut State)) {
        let mut current = self.lock();
        let mut next = current.clone();
        change(&mut next);
        let changed = PARTS.iter().filter(|part| part.told && !(part.same)(&current, &next));
        let events: Vec<Event> = changed
            .map(|part| Event::Changed { part: part.name.to_owned(), value: (part.get)(&next) })
            .collect();
        *current = next;
        self.events.publish(events, false);
    }

    /// Tell everybody something that is not state.
    pub fn tell(&self, event: Event) {
        self.events.publish(vec![event], false);
    }

    /// Everything, and the point of the stream it stands at.
    pub fn snapshot(&self) -> Snapshot {
        self.refresh();
        let state = self.lock();
        self.snapshot_of(&state)
    }

    fn snapshot_of(&self, state: &State) -> Snapshot {
        let parts = PARTS
            .iter()
            .filter(|part| part.told)
            .map(|part| (part.name.to_owned(), (part.get)(state)))
            .collect();
        Snapshot {
            boot: self.events.boot().to_owned(),
            seq: self.events.seq(),
            revision: self.events.revision(),
            parts,
        }
    }

    /// Attach a view: what it missed since `(boot, seq)`, or a snapshot, then every event.
    pub fn attach(&self, since: Option<(&str, u64)>) -> Attached {
        self.refresh();
        // Changes are published under this lock, so the snapshot and the listener fit exactly.
        let state = self.lock();
        let listener = self.events.listen(since);
        if listener.missed.is_some() {
            return Attached::Resumed(listener);
        }
        let mut snapshot = self.snapshot_of(&state);
        snapshot.seq = listener.seq;
        Attached::Fresh(Box::new(snapshot), listener)
    }
}

fn part_of<T: DeserializeOwned + Default>(saved: &BTreeMap<String, String>, name: &str) -> T {
    let Some(text) = saved.get(name) else {
        return T::default();
    };
    serde_json::from_str(text).unwrap_or_else(|error| {
        tracing::error!(part = name, %error, "a saved part of the space cannot be read; it starts empty");
        T::default()
    })
}
