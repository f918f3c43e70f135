//! The person's own list of agents, beside the settings: outside of every workspace, so that no agent changes it.

use std::{io, path::Path, path::PathBuf};

use openspace_workspace::conversations::AgentsFile;

use crate::policy_file;

/// Its name in the person's folder.
const NAME: &str = "agents.toml";

/// The file.
#[derive(Clone, Debug)]
pub(crate) struct UserAgents(PathBuf);

impl UserAgents {
    /// The file in the person's folder; it may not be there.
    pub(crate) fn of(config: &Path) -> Self {
        Self(config.join(NAME))
    }
}

impl AgentsFile for UserAgents {
    fn name(&self) -> String {
        self.0.display().to_string()
    }

    fn read(&self) -> io::Result<Option<String>> {
        policy_file::read(&self.0)
    }

    fn write(&self, text: &str) -> io::Result<()> {
        policy_file::write(&self.0, text)
    }
}
