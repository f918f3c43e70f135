//! The live space: what is open where, highlighted, running. One state, one revision.
//!
//! Every change is a transaction: it works on a copy, and either all of it becomes the state, is
//! told to every view as one event and is handed to the store, or nothing happened. What is told
//! and saved is what differs. The space does no IO of its own and runs no programs; areas do that
//! and then say here what is so.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use openspace_command::Result;
use openspace_protocol::{Event, Patch};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::{
    events::{Events, Listener, News},
    part::{Declared, Held},
    state::State,
    store::{Aside, Saving, Store, StoreError},
};

#[cfg(test)]
mod tests;

/// Where the store keeps what is the space's own.
const OWN: &str = "space";
const REVISION: &str = "revision";

/// What has to hold between parts: given the state before a change, it mends the state after it. It
/// looks at what changed, not at everything.
pub type Rule = fn(&State, &mut State) -> Result<()>;

/// The whole state as a view gets it when it attaches.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Snapshot {
    /// Which run of the server this is.
    pub boot: String,
    /// The last event that is part of this snapshot.
    pub seq: u64,
    /// The space's revision.
    pub revision: u64,
    /// The parts by name, each as entries by key.
    pub parts: BTreeMap<String, BTreeMap<String, Value>>,
    /// What an earlier run saved and this one could not read; it is kept aside.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aside: Vec<Aside>,
}

/// What a view gets when it attaches.
pub enum Attached {
    /// Everything, because there is nothing to resume from.
    Fresh(Box<Snapshot>, Listener),
    /// What it missed, and then the rest.
    Resumed(Listener),
}

struct Live {
    state: State,
    /// Fields of saved entries that this program does not know, by part and key.
    unknown: BTreeMap<&'static str, BTreeMap<String, Map<String, Value>>>,
}

/// The live space.
pub struct Space {
    live: Mutex<Live>,
    rules: Vec<Rule>,
    events: Events,
    store: Arc<Store>,
    aside: Mutex<Vec<Aside>>,
    before_reading: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl Space {
    /// The space as the store has it, with the parts that areas declare and the rules between them.
    /// What cannot be read any more is put aside in the store and said in every snapshot: one broken
    /// entry must not keep a person from the others, and nothing of it is overwritten.
    pub fn restore(
        store: Arc<Store>,
        boot: String,
        parts: &[Declared],
        rules: Vec<Rule>,
    ) -> Result<Self, StoreError> {
        let mut saved = store.entries()?;
        let own = saved.remove(OWN).unwrap_or_default();
        let number = |key: &str| own.get(key).and_then(|text| text.parse().ok());
        let (mut held, mut unknown, mut unreadable) = (Vec::new(), BTreeMap::new(), Vec::new());
        let mut saves = Vec::new();
        for part in parts {
            if !part.saved {
                held.push((part.empty)());
                continue;
            }
            let mut entries = saved.remove(part.name).unwrap_or_default();
            let key = format!("version/{}", part.name);
            let version = number(&key).unwrap_or(u64::from(part.version));
            let content = if version > u64::from(part.version) {
                let why =
                    format!("it was saved in form {version}; this program knows {}", part.version);
                let lost = std::mem::take(&mut entries).into_keys();
                unreadable.extend(lost.map(|key| (part.name, key, why.clone())));
                (part.empty)()
            } else {
                let restored = (part.restore)(&entries);
                for (key, why) in restored.unreadable {
                    entries.remove(&key);
                    unreadable.push((part.name, key, why));
                }
                unknown.insert(part.name, restored.unknown);
                restored.held
            };
            saves.extend(behind(&entries, &*content).map(|(key, entry)| (part.name, key, entry)));
            held.push(content);
            saves.push((OWN, key, Some(part.version.to_string())));
        }
        let unreadable = unreadable.into_iter();
        let aside = unreadable.map(|(part, key, why)| Aside { part: part.into(), key, why });
        let aside: Vec<Aside> = aside.collect();
        store.put_aside(&aside)?;
        // Views are shown it either way, and the store says when it fails.
        drop(store.save(saves));
        let state = State::new(parts.into(), held);
        let live = Mutex::new(Live { state, unknown });
        let events = Events::new(boot, number(REVISION).unwrap_or_default());
        let aside = Mutex::new(store.aside()?);
        Ok(Self { live, rules, events, store, aside, before_reading: OnceLock::new() })
    }

    /// Let a part that follows the time be brought up to date before a view reads the whole.
    pub fn before_reading(&self, refresh: impl Fn() + Send + Sync + 'static) {
        // Only the first is kept; there is one such part.
        drop(self.before_reading.set(Box::new(refresh)));
    }

    fn refresh(&self) {
        if let Some(refresh) = self.before_reading.get() {
            refresh();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state now.
    pub fn state(&self) -> State {
        self.lock().state.clone()
    }

    /// The stream of events.
    pub fn events(&self) -> &Events {
        &self.events
    }

    /// What earlier runs saved and could not be read, kept aside in the store.
    pub fn aside(&self) -> Vec<Aside> {
        self.aside.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Put entries aside that are in the store beside the parts and cannot be read.
    pub fn put_aside(&self, entries: &[Aside]) -> Result<(), StoreError> {
        self.store.put_aside(entries)?;
        *self.aside.lock().unwrap_or_else(PoisonError::into_inner) = self.store.aside()?;
        Ok(())
    }

    /// Change the state, tell everybody, and return when it is saved. While the store fails the change
    /// is made all the same: it is what everybody sees, and it is saved when the store can again.
    pub async fn change<T>(&self, change: impl FnOnce(&mut State) -> Result<T>) -> Result<T> {
        let (value, saving) = self.change_now(change)?;
        if let Some(saving) = saving {
            saving.settled().await;
        }
        Ok(value)
    }

    /// Change what has no worth unless it is kept, such as a thing under a name: it is saved, or it is
    /// an error and `undo` takes the change back. Others may have changed the state in between, so
    /// `undo` looks at what is there.
    pub async fn change_for_good<T>(
        &self,
        change: impl FnOnce(&mut State) -> Result<T>,
        undo: impl FnOnce(&mut State) -> Result<()>,
    ) -> Result<T> {
        self.store.can_write().await?;
        let (value, saving) = self.change_now(change)?;
        let Some(saving) = saving else { return Ok(value) };
        if let Err(error) = saving.done().await {
            drop(self.change_now(undo)?);
            return Err(error.into());
        }
        Ok(value)
    }

    /// Change the state and tell everybody, without waiting for the disk.
    pub fn change_now<T>(
        &self,
        change: impl FnOnce(&mut State) -> Result<T>,
    ) -> Result<(T, Option<Saving>)> {
        let mut live = self.lock();
        let mut next = live.state.clone();
        let value = change(&mut next)?;
        for rule in &self.rules {
            rule(&live.state, &mut next)?;
        }
        let differences = differences(&live.state, &next);
        if differences.is_empty() {
            return Ok((value, None));
        }
        let mut saves = Vec::new();
        for (part, patch) in differences.iter().filter(|(part, _)| part.saved) {
            let mut unknown = live.unknown.get_mut(part.name);
            for key in &patch.removed {
                if let Some(unknown) = &mut unknown {
                    unknown.remove(key);
                }
                saves.push((part.name, key.clone(), None));
            }
            for (key, entry) in &patch.put {
                let fields = unknown.as_ref().and_then(|unknown| unknown.get(key));
                saves.push((part.name, key.clone(), Some(with_fields(entry, fields))));
            }
        }
        live.state = next;
        let revision = self.events.publish(told(differences), true);
        // The revision never goes back, so it is saved even when only what is not saved changed; but
        // nobody has to wait for that.
        let worth_waiting = !saves.is_empty();
        saves.push((OWN, REVISION.to_owned(), Some(revision.to_string())));
        let saving = self.store.save(saves);
        Ok((value, worth_waiting.then_some(saving)))
    }

    /// Change something that is only observed. Everybody is told, but it makes no revision and is
    /// not saved: nothing of the work has changed.
    pub fn observe<T>(&self, change: impl FnOnce(&mut State) -> Result<T>) -> Result<T> {
        let mut live = self.lock();
        let mut next = live.state.clone();
        let value = change(&mut next)?;
        let differences = differences(&live.state, &next);
        live.state = next;
        if let Some((event, News::Changed { parts, .. })) = told(differences) {
            self.events.publish(Some((event, News::Changed { parts, announced: false })), false);
        }
        Ok(value)
    }

    /// Tell everybody something that is not state.
    pub fn tell(&self, event: Event) {
        let news = match event {
            Event::CatalogueChanged { .. } => News::Catalogue,
            _ => News::Other,
        };
        self.events.publish(Some((event, news)), false);
    }

    /// Everything, and the point of the stream it stands at.
    pub fn snapshot(&self) -> Snapshot {
        self.snapshot_and_listener().0
    }

    /// Everything that agents are shown.
    pub fn snapshot_for_agents(&self) -> Snapshot {
        let mut snapshot = self.snapshot();
        let state = self.state();
        for (part, _) in state.parts().filter(|(part, _)| !part.for_agents) {
            snapshot.parts.remove(part.name);
        }
        snapshot
    }

    /// The state, and a listener that hears of every change of it.
    pub fn state_and_listener(&self) -> (State, Listener) {
        // Changes are published under this lock, so that these fit exactly.
        let live = self.lock();
        (live.state.clone(), self.events.listen())
    }

    fn snapshot_and_listener(&self) -> (Snapshot, Listener) {
        self.refresh();
        let (state, listener, revision) = {
            let live = self.lock();
            (live.state.clone(), self.events.listen(), self.events.revision())
        };
        let parts = state.parts().filter(|(part, _)| part.published);
        let snapshot = Snapshot {
            boot: self.events.boot().to_owned(),
            seq: listener.seq,
            revision,
            parts: parts.map(|(part, held)| (part.name.to_owned(), held.whole())).collect(),
            aside: self.aside(),
        };
        (snapshot, listener)
    }

    /// Attach a view: what it missed since `(boot, seq)`, or a snapshot, then every event.
    pub fn attach(&self, since: Option<(&str, u64)>) -> Attached {
        if let Some(listener) = since.and_then(|(boot, seq)| self.events.resume(boot, seq)) {
            self.refresh();
            return Attached::Resumed(listener);
        }
        let (snapshot, listener) = self.snapshot_and_listener();
        Attached::Fresh(Box::new(snapshot), listener)
    }
}

/// What the saved entries of a part lack of what it tells, and what they have besides. Changes are
/// saved as what differs from the state before, so that the store has to hold that state from the
/// start: also what nobody has changed yet, and what was saved in other pieces.
fn behind(
    saved: &BTreeMap<String, String>,
    content: &dyn Held,
) -> impl Iterator<Item = (String, Option<String>)> {
    let whole = content.whole();
    let gone: Vec<_> = saved.keys().filter(|key| !whole.contains_key(*key)).cloned().collect();
    let missing = whole.into_iter().filter(|(key, _)| !saved.contains_key(key));
    let missing = missing.map(|(key, entry)| (key, Some(entry.to_string())));
    gone.into_iter().map(|key| (key, None)).chain(missing)
}

/// What differs between two states, part by part.
fn differences(before: &State, now: &State) -> Vec<(Declared, Patch)> {
    let changed = |(part, now): (&Declared, &Arc<dyn Held>), before: &Arc<dyn Held>| {
        let patch = (!Arc::ptr_eq(now, before)).then(|| now.since(&**before))?;
        (!patch.is_empty()).then_some((*part, patch))
    };
    let parts = now.parts().zip(before.parts());
    parts.filter_map(|(now, (_, before))| changed(now, before)).collect()
}

/// The event that tells views of differences; none if none of them is for views.
fn told(differences: Vec<(Declared, Patch)>) -> Option<(Event, News)> {
    let mut patches = BTreeMap::new();
    let (mut parts, mut announced) = (Vec::new(), false);
    for (part, patch) in differences.into_iter().filter(|(part, _)| part.published) {
        parts.push(part.name);
        announced |= part.announced;
        patches.insert(part.name.to_owned(), patch);
    }
    let news = News::Changed { parts, announced };
    (!patches.is_empty()).then_some((Event::Changed { patches }, news))
}

/// An entry as it is saved, with what a newer program had in it besides.
fn with_fields(entry: &Value, fields: Option<&Map<String, Value>>) -> String {
    match (entry, fields) {
        (Value::Object(known), Some(fields)) => {
            let mut whole = fields.clone();
            whole.extend(known.clone());
            Value::Object(whole).to_string()
        }
        _ => entry.to_string(),
    }
}
