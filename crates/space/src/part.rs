//! What an area says of what it keeps in the space.

use std::{any::Any, collections::BTreeMap, sync::Arc};

use openspace_protocol::{
    Patch,
    part::{Content, Visit},
};
use schemars::{Schema, generate::SchemaSettings};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// A part of the space, declared by the area whose it is.
pub trait Part: 'static {
    /// What it is called where it is told and saved.
    const NAME: &'static str;
    /// Counts forms of it that an older program could not read. A new field is no new form.
    const VERSION: u32 = 1;
    /// Whether it outlives the server.
    const SAVED: bool = true;
    /// Whether views are told of it.
    const PUBLISHED: bool = true;
    /// Whether changes of it matter to agents that follow the state. What they do themselves does
    /// not: they would hear of it without end.
    const ANNOUNCED: bool = true;
    /// Whether agents that read the state are shown it.
    const FOR_AGENTS: bool = true;
    /// What it is made of.
    type Content: Content;
}

/// A part as the space knows it.
#[expect(clippy::struct_excessive_bools, reason = "each is one choice of a part, named as such")]
#[derive(Clone, Copy)]
pub struct Declared {
    pub(crate) name: &'static str,
    pub(crate) version: u32,
    pub(crate) saved: bool,
    pub(crate) published: bool,
    pub(crate) announced: bool,
    pub(crate) for_agents: bool,
    pub(crate) empty: fn() -> Arc<dyn Held>,
    pub(crate) restore: fn(&BTreeMap<String, String>) -> Restored,
    schema: fn() -> Schema,
}

impl Declared {
    /// Declare a part.
    pub const fn of<P: Part>() -> Self {
        Self {
            name: P::NAME,
            version: P::VERSION,
            saved: P::SAVED,
            published: P::PUBLISHED,
            announced: P::ANNOUNCED,
            for_agents: P::FOR_AGENTS,
            empty: || Arc::new(Holder::<P>(P::Content::default())),
            restore: restore::<P>,
            schema: || {
                let settings = SchemaSettings::draft2020_12().for_serialize();
                settings
                    .into_generator()
                    .into_root_schema_for::<BTreeMap<String, <P::Content as Content>::Entry>>()
            },
        }
    }

    /// What it is called.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Whether views are told of it.
    pub const fn is_published(&self) -> bool {
        self.published
    }

    /// The schema of it as it is told: entries by key.
    pub fn schema(&self) -> Schema {
        (self.schema)()
    }
}

/// A part's content, whatever it is.
pub(crate) trait Held: Send + Sync {
    fn whole(&self) -> BTreeMap<String, Value>;
    fn since(&self, before: &dyn Held) -> Patch;
    fn copy(&self) -> Arc<dyn Held>;
    fn content(&self) -> &dyn Any;
    fn content_mut(&mut self) -> &mut dyn Any;
}

struct Holder<P: Part>(P::Content);

impl<P: Part> Held for Holder<P> {
    fn whole(&self) -> BTreeMap<String, Value> {
        let mut told = Patch::default();
        self.0.tell(&mut Telling(&mut told));
        told.put
    }

    fn since(&self, before: &dyn Held) -> Patch {
        let mut told = Patch::default();
        match before.content().downcast_ref::<P::Content>() {
            Some(before) => self.0.tell_since(before, &mut Telling(&mut told)),
            None => self.0.tell(&mut Telling(&mut told)),
        }
        told
    }

    fn copy(&self) -> Arc<dyn Held> {
        Arc::new(Self(self.0.clone()))
    }

    fn content(&self) -> &dyn Any {
        &self.0
    }

    fn content_mut(&mut self) -> &mut dyn Any {
        &mut self.0
    }
}

struct Telling<'a>(&'a mut Patch);

impl<E: Serialize> Visit<E> for Telling<'_> {
    fn put(&mut self, key: &str, entry: &E) {
        self.0.put.insert(key.to_owned(), json!(entry));
    }

    fn removed(&mut self, key: &str) {
        self.0.removed.insert(key.to_owned());
    }
}

/// What became of the saved entries of a part.
pub(crate) struct Restored {
    pub(crate) held: Arc<dyn Held>,
    /// Entries that could not be read, and why.
    pub(crate) unreadable: Vec<(String, String)>,
    /// Fields of entries that this program does not know; they are saved along with the rest.
    pub(crate) unknown: BTreeMap<String, Map<String, Value>>,
}

/// Read what was saved. An entry that cannot be read is left out, and so are those that the content
/// cannot do anything with then.
fn restore<P: Part>(saved: &BTreeMap<String, String>) -> Restored {
    let mut unreadable = Vec::new();
    let mut unknown = BTreeMap::new();
    let mut entries = BTreeMap::new();
    for (key, text) in saved {
        match read_entry::<<P::Content as Content>::Entry>(text) {
            Ok((entry, fields)) => {
                entries.insert(key.clone(), entry);
                if !fields.is_empty() {
                    unknown.insert(key.clone(), fields);
                }
            }
            Err(why) => unreadable.push((key.clone(), why)),
        }
    }
    let (content, lost) = P::Content::salvage(entries);
    unreadable.extend(lost);
    Restored { held: Arc::new(Holder::<P>(content)), unreadable, unknown }
}

/// An entry, and those of its fields that the program does not know.
fn read_entry<E: Serialize + serde::de::DeserializeOwned>(
    text: &str,
) -> Result<(E, Map<String, Value>), String> {
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let entry = E::deserialize(&value).map_err(|error| error.to_string())?;
    let mut fields = match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    if !fields.is_empty()
        && let Ok(Value::Object(known)) = serde_json::to_value(&entry)
    {
        fields.retain(|name, value| !known.contains_key(name) && !value.is_null());
    }
    Ok((entry, fields))
}
