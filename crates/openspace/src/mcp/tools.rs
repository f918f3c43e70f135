//! Commands as tools. The lists are made once for each version of the catalogue.

use std::{
    str::FromStr,
    sync::{Arc, Mutex, PoisonError},
};

use openspace_command::{Definition, Listing, Set, Shown};
use openspace_protocol::Access;
use openspace_workspace::{OpenSpace, Registry};
use rmcp::model::{MetaObject, Tool, ToolAnnotations, object};
use serde_json::{Value, json};

#[cfg(test)]
mod tests;

/// Which tools a client is shown. Every command can be called whatever the set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ToolSet {
    /// All everyday ones.
    #[default]
    All,
    /// Showing and steering, for agents with file tools of their own.
    Ide,
    /// Files and programs, for agents without.
    Workspace,
}

impl ToolSet {
    /// Every set.
    pub const ALL: [Self; 3] = [Self::All, Self::Ide, Self::Workspace];

    /// The word in URLs and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Ide => "ide",
            Self::Workspace => "workspace",
        }
    }

    fn has(self, set: Set) -> bool {
        matches!(
            (self, set),
            (Self::All, _)
                | (_, Set::Both)
                | (Self::Ide, Set::Ide)
                | (Self::Workspace, Set::Workspace)
        )
    }
}

impl FromStr for ToolSet {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|set| set.word() == word);
        found.ok_or_else(|| format!("there is no tool set `{word}`; use all, ide or workspace"))
    }
}

struct Listed {
    version: u64,
    all: Vec<(Set, Tool)>,
}

/// The lists of tools.
pub(super) struct Tools {
    dotted_names: bool,
    listed: Mutex<Option<Arc<Listed>>>,
}

impl Tools {
    pub(super) fn new(dotted_names: bool) -> Self {
        Self { dotted_names, listed: Mutex::default() }
    }

    /// The tools of a set, always in the same order.
    pub(super) fn list(&self, registry: &Registry, set: ToolSet) -> Vec<Tool> {
        let listed = self.current(registry);
        listed.all.iter().filter(|(of, _)| set.has(*of)).map(|(_, tool)| tool.clone()).collect()
    }

    /// The name of a command's tool, if it is in the list of a set.
    pub(super) fn offered(
        &self,
        definition: &Definition<OpenSpace>,
        set: ToolSet,
    ) -> Option<String> {
        let listed = definition.shown == Shown::Everywhere && set.has(definition.set);
        listed.then(|| self.name(definition).to_owned())
    }

    fn name<'a>(&self, definition: &'a Definition<OpenSpace>) -> &'a str {
        if self.dotted_names { &definition.id } else { &definition.tool }
    }

    fn current(&self, registry: &Registry) -> Arc<Listed> {
        let version = *registry.version().borrow();
        let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(listed) = listed.as_ref().filter(|listed| listed.version == version) {
            return Arc::clone(listed);
        }
        let all = registry
            .all()
            .iter()
            .filter(|definition| definition.shown == Shown::Everywhere)
            .map(|definition| (definition.set, self.tool(definition)))
            .collect();
        let fresh = Arc::new(Listed { version, all });
        *listed = Some(Arc::clone(&fresh));
        fresh
    }

    /// The tool of a command.
    pub(super) fn tool(&self, definition: &Definition<OpenSpace>) -> Tool {
        let name = self.name(definition).to_owned();
        let Listing { doc, input, output } = &definition.listing;
        Tool::new(name, doc.clone(), object((**input).clone()))
            .with_title(definition.title.clone())
            .with_raw_output_schema(Arc::new(object((**output).clone())))
            .with_annotations(annotations(definition))
            .with_meta(meta(
                json!({"openspace/id": definition.id, "openspace/access": definition.access}),
            ))
    }
}

/// All four hints, from the class of access.
fn annotations(definition: &Definition<OpenSpace>) -> ToolAnnotations {
    let access = definition.access;
    ToolAnnotations::new()
        .read_only(access == Access::Read)
        .destructive(matches!(access, Access::Destroy | Access::Execute))
        .idempotent(definition.idempotent)
        .open_world(matches!(access, Access::Execute | Access::Reach))
}

/// Metadata from JSON.
pub(super) fn meta(value: Value) -> MetaObject {
    MetaObject::from(object(value))
}
