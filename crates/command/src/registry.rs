//! The one list of commands: those compiled in, and those that outside programs add while running.
//!
//! Schemas are made once, when a command enters the registry; every surface reads the same ones.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};

use openspace_protocol::Access;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::{
    Does, Entry, Error, Focus, Meta, Order, Prepared, Result, Set, Shown, declared::Declared,
    listing, schema,
};

#[cfg(test)]
mod tests;

const PREFIX: &str = "openspace.";

/// The canonical id: `editor.open` and `openspace.editor.open` are both `openspace.editor.open`.
pub fn canonical_id(id: &str) -> String {
    format!("{PREFIX}{}", id.strip_prefix(PREFIX).unwrap_or(id))
}

/// The name in tool lists: `openspace.editor.open`, `openspace_editor_open` and `editor.open` are
/// all `editor_open`. Several clients reject names with dots.
pub fn tool_name(id: &str) -> String {
    let name = id.replace('.', "_");
    name.strip_prefix("openspace_").unwrap_or(&name).to_owned()
}

type Prepare<S> = Box<dyn Fn(Value) -> Result<Prepared<S>> + Send + Sync>;

/// A command as the registry holds it.
pub struct Definition<S: 'static> {
    /// Canonical id.
    pub id: String,
    /// Name in tool lists.
    pub tool: String,
    /// The palette's line.
    pub title: String,
    /// Documentation: the first line says it all, the rest explains. That it is deprecated comes
    /// first, so that every surface that shows one line shows it.
    pub doc: String,
    /// Since when it is deprecated, and what to use instead.
    pub deprecated: Option<&'static str>,
    /// What it can do to the world.
    pub access: Access,
    /// Where it is offered.
    pub shown: Shown,
    /// Which group of tools it belongs to.
    pub set: Set,
    /// Whether it may ask for attention.
    pub focus: Focus,
    /// How calls of one caller are ordered.
    pub order: Order,
    /// Whether running it twice is the same as once.
    pub idempotent: bool,
    /// Default keys.
    pub keys: Vec<String>,
    /// Whether its arguments may hold a whole file, so that edges let more of them in.
    pub whole_files: bool,
    /// What a call of it amounts to.
    pub does: Does,
    /// Schema of the arguments.
    pub input: Arc<Value>,
    /// Schema of the answer.
    pub output: Arc<Value>,
    /// What a list of tools says of it.
    pub listing: Listing,
    /// The schemas with their names, if it is compiled in.
    pub declared: Option<Declared>,
    /// The outside program that added it, if it is not compiled in.
    pub bridge: Option<String>,
    prepare: Prepare<S>,
}

/// A command as a list of tools names it: the same in fewer words.
#[derive(Clone, Debug)]
pub struct Listing {
    /// What it does, in one line.
    pub doc: String,
    /// Schema of the arguments, without what explains itself.
    pub input: Arc<Value>,
    /// Schema of the answer: names and types.
    pub output: Arc<Value>,
}

/// Why a run-time command was not accepted.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum DefinitionError {
    /// The id has the wrong form.
    #[error("`{0}` is not an id of the form `area.verb` in small letters, digits and `_`")]
    BadId(String),
    /// The id, or one that differs only in punctuation, is taken.
    #[error("`{0}` is already the id of a command")]
    Taken(String),
}

impl<S: Send + Sync + 'static> Definition<S> {
    fn compiled_in(entry: &Entry<S>) -> Self {
        let Meta {
            id,
            title,
            access,
            shown,
            set,
            focus,
            order,
            idempotent,
            keys,
            whole_files,
            does,
            deprecated,
        } = entry.meta;
        let mut input = (entry.input)();
        let doc = match input.as_object_mut().and_then(|root| root.shift_remove("description")) {
            Some(Value::String(doc)) => doc,
            _ => String::new(),
        };
        let doc = match deprecated {
            Some(since) => format!("Deprecated {since}. {doc}"),
            None => doc,
        };
        let listing = Listing {
            doc: listing::doc(&doc),
            input: Arc::new(listing::input(&input)),
            output: Arc::new(listing::output(Some((entry.declared.result)()))),
        };
        Self {
            id: canonical_id(id),
            tool: tool_name(id),
            title: title.into(),
            doc,
            listing,
            deprecated,
            access,
            shown,
            set,
            focus,
            order,
            idempotent,
            keys: keys.iter().map(|&key| key.into()).collect(),
            whole_files,
            does,
            input: Arc::new(input),
            output: Arc::new((entry.output)()),
            declared: Some(entry.declared),
            bridge: None,
            prepare: Box::new(entry.prepare),
        }
    }

    /// A command that an outside program adds: it runs programs as far as anyone can know, so it
    /// has that class of access.
    pub fn bridged(
        bridge: &str,
        id: &str,
        title: String,
        doc: String,
        input: Value,
        prepare: impl Fn(Value) -> Result<Prepared<S>> + Send + Sync + 'static,
    ) -> Result<Self, DefinitionError> {
        let id = canonical_id(id);
        if !is_well_formed(&id) {
            return Err(DefinitionError::BadId(id));
        }
        let input = Arc::new(input);
        Ok(Self {
            tool: tool_name(&id),
            id,
            title,
            // What an outside program says was not written to be shortened.
            listing: Listing {
                doc: doc.clone(),
                input: Arc::clone(&input),
                output: Arc::new(listing::output(None)),
            },
            doc,
            deprecated: None,
            access: Access::Execute,
            shown: Shown::Everywhere,
            set: Set::Ide,
            focus: Focus::Never,
            order: Order::Fifo,
            idempotent: false,
            keys: Vec::new(),
            whole_files: false,
            does: Does::Act,
            input,
            output: Arc::new(schema::answer(json!({}))),
            declared: None,
            bridge: Some(bridge.into()),
            prepare: Box::new(prepare),
        })
    }

    /// Read and check arguments. An error says which arguments there are.
    pub(crate) fn prepare(&self, args: Value) -> Result<Prepared<S>> {
        (self.prepare)(args).map_err(|error| {
            if error.hint.is_some() {
                return error;
            }
            let meant = error.unknown_argument().and_then(|name| self.meant_by(name));
            let meant = meant.map(|name| format!("did you mean `{name}`? ")).unwrap_or_default();
            error.hint(format!("{meant}{} takes {}", self.tool, self.signature()))
        })
    }

    /// The argument that an unknown one was meant to be: the same letters, or one slip away.
    fn meant_by(&self, unknown: &str) -> Option<&str> {
        let letters = |name: &str| -> Vec<char> {
            let plain = name.chars().filter(|letter| letter.is_alphanumeric());
            plain.flat_map(char::to_lowercase).take(100).collect()
        };
        let unknown = letters(unknown);
        let names = self.input.get("properties")?.as_object()?.keys();
        names.map(String::as_str).find(|name| one_slip_apart(&unknown, &letters(name)))
    }

    /// The arguments in one line: `path (string), line? (integer)`.
    pub fn signature(&self) -> String {
        let required = self.input.get("required").and_then(Value::as_array);
        let is_required =
            |name: &str| required.is_some_and(|names| names.iter().any(|word| word == name));
        let arguments: Vec<String> = self
            .input
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .map(|(name, schema)| {
                let words = words_of(schema);
                let kind = match schema.get("type") {
                    _ if !words.is_empty() => words.join("|"),
                    Some(Value::String(kind)) => kind.clone(),
                    _ => "value".into(),
                };
                format!("{name}{} ({kind})", if is_required(name) { "" } else { "?" })
            })
            .collect();
        if arguments.is_empty() { "no arguments".into() } else { arguments.join(", ") }
    }
}

/// Whether two words are the same but for one letter that is wrong, missing or too many, or two that
/// changed places.
pub fn one_slip_apart(one: &[char], other: &[char]) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let same = short.iter().zip(long).take_while(|(a, b)| a == b).count();
    let (short, long) = (&short[same..], &long[same..]);
    match long.len() - short.len() {
        0 => {
            let swapped = matches!((short, long), ([a, b, ..], [c, d, ..]) if a == d && b == c);
            let wrong = if swapped { 2 } else { 1 };
            short.get(wrong..).unwrap_or_default() == long.get(wrong..).unwrap_or_default()
        }
        1 => short == &long[1..],
        _ => false,
    }
}

/// The words that a value may be, where a schema lists them, in either of its two ways.
pub fn words_of(schema: &Value) -> Vec<&str> {
    let listed = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    let described = schema.get("oneOf").and_then(Value::as_array).into_iter().flatten();
    let described = described.filter_map(|form| form.get("const"));
    listed.chain(described).filter_map(Value::as_str).collect()
}

fn is_well_formed(id: &str) -> bool {
    let words: Vec<&str> = id.split('.').collect();
    let is_word = |word: &&str| {
        !word.is_empty()
            && word.starts_with(|c: char| c.is_ascii_lowercase())
            && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    (2..=5).contains(&words.len()) && words.iter().all(is_word) && id.len() <= 64
}

struct Catalogue<S: 'static> {
    definitions: Vec<Arc<Definition<S>>>,
    by_tool: HashMap<String, Arc<Definition<S>>>,
}

impl<S: 'static> Catalogue<S> {
    fn of(definitions: Vec<Arc<Definition<S>>>) -> Self {
        let by_tool = definitions.iter().map(|d| (d.tool.clone(), Arc::clone(d))).collect();
        Self { definitions, by_tool }
    }
}

/// The list of commands. Reading it takes a snapshot; changing it bumps the version.
pub struct Registry<S: 'static> {
    catalogue: RwLock<Arc<Catalogue<S>>>,
    version: watch::Sender<u64>,
}

impl<S: Send + Sync + 'static> Registry<S> {
    /// The registry of the compiled-in commands, area by area.
    pub fn new(areas: &[&[Entry<S>]]) -> Self {
        let definitions = areas
            .iter()
            .flat_map(|area| area.iter())
            .map(|entry| Arc::new(Definition::compiled_in(entry)))
            .collect();
        Self {
            catalogue: RwLock::new(Arc::new(Catalogue::of(definitions))),
            version: watch::Sender::new(1),
        }
    }

    fn current(&self) -> Arc<Catalogue<S>> {
        Arc::clone(&self.catalogue.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Every command, in the order of declaration.
    pub fn all(&self) -> Vec<Arc<Definition<S>>> {
        self.current().definitions.clone()
    }

    /// The command of that name, in any of its forms.
    pub fn find(&self, name: &str) -> Option<Arc<Definition<S>>> {
        let catalogue = self.current();
        // Most callers use the tool's own name: no need to build it.
        catalogue.by_tool.get(name).or_else(|| catalogue.by_tool.get(&tool_name(name))).cloned()
    }

    /// The command of that name, or an error that lists those that exist.
    pub fn resolve(&self, name: &str) -> Result<Arc<Definition<S>>> {
        self.find(name).ok_or_else(|| {
            let shown: String = name.chars().take(100).collect();
            let tools: Vec<String> = self
                .all()
                .iter()
                .filter(|d| d.shown == Shown::Everywhere)
                .map(|d| d.tool.clone())
                .collect();
            Error::not_found(format!("there is no command `{shown}`"))
                .hint(format!("commands are {}; command_search finds more", tools.join(", ")))
        })
    }

    /// Put a bridge's commands in place of those it had before: all of them, or none.
    pub fn replace_bridge(
        &self,
        bridge: &str,
        commands: Vec<Definition<S>>,
    ) -> Result<(), DefinitionError> {
        let mut slot = self.catalogue.write().unwrap_or_else(PoisonError::into_inner);
        let mut definitions: Vec<_> = slot
            .definitions
            .iter()
            .filter(|d| d.bridge.as_deref() != Some(bridge))
            .cloned()
            .collect();
        let before = slot.definitions.len();
        let unchanged = commands.is_empty() && definitions.len() == before;
        for command in commands {
            if definitions.iter().any(|d| d.tool == command.tool) {
                return Err(DefinitionError::Taken(command.id));
            }
            definitions.push(Arc::new(command));
        }
        if !unchanged {
            *slot = Arc::new(Catalogue::of(definitions));
            drop(slot);
            self.version.send_modify(|version| *version += 1);
        }
        Ok(())
    }

    /// Counts up with every change of the list.
    pub fn version(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }
}
