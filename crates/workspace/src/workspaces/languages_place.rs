//! The place of language servers: they run code of the project, as build scripts, macros and plugins.
//!
//! Where agents' programs are confined, language servers are too, in a place of their own over the same folder: what an
//! agent starts elsewhere can neither end them nor put words into their mouths. Beside a sandbox it is the agents' place.
//! Where nothing confines, it is the workspace's own, and whether they may run there is for whoever asks to find out.

use std::sync::Arc;

use openspace_command::Result;
use openspace_isolation::{OwnHome, Provider};

use super::{
    MAIN, Workspaces,
    agents_place::{Whose, is_walled},
};
use crate::places::Place;

/// Whose the place is. No agent has an id like this.
const LANGUAGES: &str = "_languages";

impl Workspaces {
    /// Whether language servers of the workspace of the space run behind walls.
    pub(crate) fn holds_servers(&self) -> bool {
        self.are_confined() || is_walled(self.main.provider)
    }

    /// Whether programs of the project are as good as any there: the person's own do not run beside them.
    pub(crate) fn trusts_project(&self) -> bool {
        self.main.provider == Provider::Sandbox
    }

    /// The place in which language servers of the workspace of the space run.
    pub(crate) async fn languages_place(&self) -> Result<Arc<Place>> {
        if !self.are_confined() {
            return self.place(None).await;
        }
        if self.main.provider == Provider::Sandbox {
            return self.agents_place(None).await;
        }
        let whose = Whose { workspace: MAIN.to_owned(), agent: Some(LANGUAGES.to_owned()) };
        self.open_for(&whose, &OwnHome::default()).await
    }
}
