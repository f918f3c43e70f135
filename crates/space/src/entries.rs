//! Contents that most parts are made of: entries under keys, and a number that only grows.

use std::{
    borrow::{Borrow, Cow},
    collections::BTreeMap,
    fmt,
    sync::Arc,
};

use imbl::{OrdMap, ordmap::DiffItem};
use openspace_protocol::{
    ApprovalId, TerminalId,
    part::{Content, Visit},
};
use schemars::JsonSchema;
use serde::{Serialize, Serializer, de::DeserializeOwned};

/// What entries are found by; told and saved as text.
pub trait Key: Ord + Clone + Send + Sync + 'static {
    /// As text.
    fn text(&self) -> Cow<'_, str>;
    /// From text; nothing if it is none.
    fn parse(text: &str) -> Option<Self>;
}

impl Key for Arc<str> {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
    }

    fn parse(text: &str) -> Option<Self> {
        Some(text.into())
    }
}

macro_rules! id_key {
    ($id:ty) => {
        impl Key for $id {
            fn text(&self) -> Cow<'_, str> {
                Cow::Owned(self.to_string())
            }

            fn parse(text: &str) -> Option<Self> {
                text.parse().ok()
            }
        }
    };
}

id_key!(TerminalId);
id_key!(ApprovalId);

/// Entries under keys. A copy shares everything until it is changed, and what differs between two
/// copies is found without looking at the rest.
pub struct Entries<V, K: Key = Arc<str>>(OrdMap<K, Arc<V>>);

impl<V, K: Key> Clone for Entries<V, K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<V, K: Key> Default for Entries<V, K> {
    fn default() -> Self {
        Self(OrdMap::new())
    }
}

impl<V: fmt::Debug, K: Key + fmt::Debug> fmt::Debug for Entries<V, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.0.iter()).finish()
    }
}

impl<V: PartialEq, K: Key> PartialEq for Entries<V, K> {
    fn eq(&self, other: &Self) -> bool {
        self.0.ptr_eq(&other.0) || self.0 == other.0
    }
}

impl<V, K: Key> Entries<V, K> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The entry under a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.0.get(key).map(|value| &**value)
    }

    /// Whether there is an entry under a key.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.0.contains_key(key)
    }

    /// Entries with their keys, in the order of the keys.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> {
        self.0.iter().map(|(key, value)| (key, &**value))
    }

    /// The keys, in order.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.0.keys()
    }

    /// The entries, in the order of their keys.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.0.values().map(|value| &**value)
    }

    /// Put an entry under a key; whether there was one before.
    pub fn insert(&mut self, key: impl Into<K>, value: V) -> bool {
        self.0.insert(key.into(), Arc::new(value)).is_some()
    }

    /// Take the entry under a key away.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<Arc<V>>
    where
        K: Borrow<Q>,
    {
        self.0.remove(key)
    }
}

impl<V: Clone, K: Key> Entries<V, K> {
    /// The entry under a key, to be changed.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.0.get_mut(key).map(Arc::make_mut)
    }

    /// The entry under a key, to be changed; a new one if there was none.
    pub fn or_default(&mut self, key: impl Into<K>) -> &mut V
    where
        V: Default,
    {
        Arc::make_mut(self.0.entry(key.into()).or_default())
    }

    /// Change entries where `change` gives another, and take away those where it gives none.
    pub fn update(&mut self, change: impl Fn(&K, &V) -> Updated<V>) {
        let updates: Vec<(K, Option<V>)> = self
            .0
            .iter()
            .filter_map(|(key, value)| match change(key, value) {
                Updated::Same => None,
                Updated::Other(value) => Some((key.clone(), Some(value))),
                Updated::Gone => Some((key.clone(), None)),
            })
            .collect();
        for (key, value) in updates {
            match value {
                Some(value) => drop(self.0.insert(key, Arc::new(value))),
                None => drop(self.0.remove(&key)),
            }
        }
    }

    /// Keep only the entries that are wanted.
    pub fn retain(&mut self, wanted: impl Fn(&K, &V) -> bool) {
        self.update(|key, value| if wanted(key, value) { Updated::Same } else { Updated::Gone });
    }
}

impl<V: PartialEq, K: Key> Entries<V, K> {
    /// Keys whose entry is another than before, or was or is not there. What both share costs nothing.
    pub fn keys_since(&self, before: &Self) -> Vec<K> {
        let key = |difference| match difference {
            DiffItem::Add(key, _)
            | DiffItem::Remove(key, _)
            | DiffItem::Update { new: (key, _), .. } => K::clone(key),
        };
        before.0.diff(&self.0).map(key).collect()
    }
}

impl<V: Clone + PartialEq, K: Key> Entries<V, K> {
    /// Have just these entries; those that are the same stay as they are.
    pub fn become_these(&mut self, entries: impl IntoIterator<Item = (K, V)>) {
        let mut next = OrdMap::new();
        for (key, value) in entries {
            let present = self.0.get(&key).filter(|present| ***present == value);
            let value = present.map_or_else(|| Arc::new(value), Arc::clone);
            next.insert(key, value);
        }
        self.0 = next;
    }
}

/// What became of an entry.
pub enum Updated<V> {
    /// It is as it was.
    Same,
    /// It is another.
    Other(V),
    /// It is there no more.
    Gone,
}

impl<V, K: Key, I: Into<K>> FromIterator<(I, V)> for Entries<V, K> {
    fn from_iter<T: IntoIterator<Item = (I, V)>>(entries: T) -> Self {
        Self(entries.into_iter().map(|(key, value)| (key.into(), Arc::new(value))).collect())
    }
}

impl<V, K: Key, I: Into<K>> Extend<(I, V)> for Entries<V, K> {
    fn extend<T: IntoIterator<Item = (I, V)>>(&mut self, entries: T) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<V: Serialize, K: Key> Serialize for Entries<V, K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(key, value)| (key.text(), value)))
    }
}

impl<V, K> Content for Entries<V, K>
where
    K: Key,
    V: Serialize + DeserializeOwned + JsonSchema + PartialEq + Send + Sync + 'static,
{
    type Entry = V;

    fn tell(&self, to: &mut dyn Visit<V>) {
        self.iter().for_each(|(key, value)| to.put(&key.text(), value));
    }

    fn tell_since(&self, before: &Self, to: &mut dyn Visit<V>) {
        for difference in before.0.diff(&self.0) {
            match difference {
                DiffItem::Add(key, value) => to.put(&key.text(), value),
                DiffItem::Update { old: (_, old), new: (key, new) } => {
                    if old != new {
                        to.put(&key.text(), new);
                    }
                }
                DiffItem::Remove(key, _) => to.removed(&key.text()),
            }
        }
    }

    fn from_entries(entries: BTreeMap<String, V>) -> Result<Self, String> {
        let entry = |(key, value): (String, V)| match K::parse(&key) {
            Some(key) => Ok((key, Arc::new(value))),
            None => Err(format!("`{key}` is not a key of this part")),
        };
        entries.into_iter().map(entry).collect::<Result<_, _>>().map(Self)
    }
}

/// A number that only grows, so that no id is used twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counter(u64);

impl Counter {
    const KEY: &str = "last";

    /// The next number, from 1.
    pub fn advance(&mut self) -> u64 {
        self.0 += 1;
        self.0
    }
}

impl Content for Counter {
    type Entry = u64;

    fn tell(&self, to: &mut dyn Visit<u64>) {
        to.put(Self::KEY, &self.0);
    }

    fn tell_since(&self, before: &Self, to: &mut dyn Visit<u64>) {
        if self != before {
            self.tell(to);
        }
    }

    fn from_entries(entries: BTreeMap<String, u64>) -> Result<Self, String> {
        Ok(Self(entries.get(Self::KEY).copied().unwrap_or_default()))
    }
}
