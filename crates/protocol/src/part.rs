//! Parts of the space: what one capability keeps in it, told entry by entry.
//!
//! A part is entries under keys. A tree is told as its nodes, each under a key of its own, so that
//! whatever is sent, kept or saved for a change is as large as the change. This module holds the
//! words; which parts there are, nobody here knows.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

/// What changed in a part: entries that are new or other than before, and keys that are gone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Patch {
    /// Entries to put under their keys, each whole.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub put: BTreeMap<String, Value>,
    /// Keys whose entries are gone; none of them is in `put`.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub removed: BTreeSet<String>,
}

impl Patch {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.put.is_empty() && self.removed.is_empty()
    }

    /// Bring a part that was told whole up to date.
    pub fn apply(&self, entries: &mut BTreeMap<String, Value>) {
        for key in &self.removed {
            entries.remove(key);
        }
        entries.extend(self.put.iter().map(|(key, value)| (key.clone(), value.clone())));
    }
}

/// Where a content tells its entries.
pub trait Visit<E> {
    /// There is this entry now.
    fn put(&mut self, key: &str, entry: &E);
    /// There is no such entry any more.
    fn removed(&mut self, key: &str);
}

/// What can be a part of the space.
pub trait Content: Clone + Default + Send + Sync + 'static {
    /// One entry.
    type Entry: Serialize + DeserializeOwned + JsonSchema;

    /// Tell every entry.
    fn tell(&self, to: &mut dyn Visit<Self::Entry>);

    /// Tell what is other than `before`. The work is that of the difference, not of the whole,
    /// wherever that can be had.
    fn tell_since(&self, before: &Self, to: &mut dyn Visit<Self::Entry>);

    /// The content that told these entries; a sentence where they make none.
    fn from_entries(entries: BTreeMap<String, Self::Entry>) -> Result<Self, String>;

    /// What can still be made of entries when some were lost, and the keys of those that cannot be used,
    /// each with the reason. A content whose entries need each other says here how it does with fewer.
    fn salvage(entries: BTreeMap<String, Self::Entry>) -> (Self, Vec<(String, String)>) {
        let keys: Vec<String> = entries.keys().cloned().collect();
        match Self::from_entries(entries) {
            Ok(content) => (content, Vec::new()),
            Err(why) => (Self::default(), keys.into_iter().map(|key| (key, why.clone())).collect()),
        }
    }
}
