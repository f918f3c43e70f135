//! What the page remembers by itself: which views are open, what was typed into search, and so on.
//!
//! Words and texts that only the page understands, in three scopes. One file holds a scope.

use std::{collections::BTreeMap, path::PathBuf};

use openspace_command::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{UserData, file_name, private_folder, read, write};

/// The largest scope, as it is kept.
const MAX_SCOPE: usize = 4 * 1024 * 1024;

/// Texts by their keys.
pub type Texts = BTreeMap<String, String>;

/// How far something is remembered.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "UiScope")]
pub enum Scope {
    /// For every workspace, whatever the profile.
    Application,
    /// For every workspace, with the profile.
    Profile,
    /// For one workspace.
    Workspace,
}

/// A change of one scope.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// Which.
    pub scope: Scope,
    /// New texts.
    #[serde(default)]
    pub set: Texts,
    /// Keys to forget; a key that is also set is kept.
    #[serde(default)]
    pub remove: Vec<String>,
}

impl Scope {
    const ALL: [Self; 3] = [Self::Application, Self::Profile, Self::Workspace];
}

impl UserData {
    /// Everything that is remembered.
    pub fn ui_state(&self) -> Result<BTreeMap<Scope, Texts>> {
        Scope::ALL.into_iter().map(|scope| Ok((scope, self.texts(scope)?))).collect()
    }

    /// Remember and forget.
    pub fn change_ui_state(&self, change: Change) -> Result<()> {
        let _lock = self.lock()?;
        let mut texts = self.texts(change.scope)?;
        for key in &change.remove {
            texts.remove(key);
        }
        texts.extend(change.set);
        let content = serde_json::to_vec(&texts)
            .map_err(|error| Error::internal("the state cannot be encoded").because(error))?;
        if content.len() > MAX_SCOPE {
            let message =
                format!("the scope would have {} bytes, more than {MAX_SCOPE}", content.len());
            return Err(Error::invalid(message).hint("remove keys that are not needed"));
        }
        let path = self.scope_file(change.scope);
        if let Some(folder) = path.parent() {
            private_folder(folder)?;
        }
        write(&path, &content)
    }

    fn texts(&self, scope: Scope) -> Result<Texts> {
        let path = self.scope_file(scope);
        let Some(content) = read(&path, MAX_SCOPE)? else { return Ok(Texts::new()) };
        // The page does well without what it remembered; it does not without an answer.
        Ok(serde_json::from_slice(&content).unwrap_or_else(|error| {
            tracing::error!(%error, file = file_name(&path), "what the page remembered is lost");
            Texts::new()
        }))
    }

    fn scope_file(&self, scope: Scope) -> PathBuf {
        match scope {
            Scope::Application => self.folder.join("ui-state/application.json"),
            Scope::Profile => self.folder.join("ui-state/profile.json"),
            Scope::Workspace => self.workspace.clone(),
        }
    }
}

#[cfg(test)]
mod tests;
