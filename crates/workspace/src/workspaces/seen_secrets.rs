//! Secrets of the space's workspace that agents may know: opened in the moment before they were hidden, or to be found
//! in git's history. Views are told, so that a person can make new ones. Only names are here, and nothing is saved: a
//! history is looked at anew, and what was opened is in the log.

use std::sync::Arc;

use openspace_space::{Entries, Part, Space};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Secrets that are told at most.
const MOST: usize = 100;

/// Secrets that agents may know, by how and their path.
pub struct SeenSecrets;

impl Part for SeenSecrets {
    const NAME: &'static str = "seen-secrets";
    const SAVED: bool = false;
    type Content = Entries<SeenSecret>;
}

/// A secret that agents may know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeenSecret {
    /// The file, relative to the root.
    pub path: String,
    /// How an agent may know it.
    pub how: Seen,
}

/// How an agent may know a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Seen {
    /// A program had it open in the moment before it was hidden.
    Opened,
    /// Some commit has it.
    Committed,
}

/// Tells views of secrets.
pub(super) fn tell(space: &Arc<Space>, how: Seen, paths: &[String]) {
    let told = space.observe(|state| {
        let part = state.part_mut::<SeenSecrets>();
        for path in paths {
            let key = match how {
                Seen::Opened => format!("opened {path}"),
                Seen::Committed => format!("committed {path}"),
            };
            if part.len() < MOST {
                part.insert(key, SeenSecret { path: path.clone(), how });
            }
        }
        Ok(())
    });
    if let Err(error) = told {
        tracing::error!(%error, "views were not told of secrets that agents may know");
    }
}
