//! `workspace.adopt_repository`: a person says that the repository of a workspace is theirs.

use openspace_command::{Command, Meta, Result, Set, Shown};
use openspace_protocol::Access;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MAIN;
use crate::{Cx, OpenSpace, agents::commands::check_no_agent};

/// What came of it.
#[derive(Serialize, JsonSchema)]
pub(super) struct Adopted {
    /// Whether it was thought an agent's until now; false when it was the person's anyway.
    adopted: bool,
}

/// Say that the repository of a workspace is yours, so that git uses your keys and hooks in it.
///
/// One that appears while agents have a place may have settings that run programs: read `.git/config` first. What
/// agents run in the workspace ends; from then on they cannot change those settings.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AdoptRepository {
    /// Which workspace.
    ///
    /// The one of the IDE when left out.
    #[serde(alias = "workspaceId", alias = "workspace", alias = "id")]
    workspace_id: Option<String>,
}

impl Command<OpenSpace> for AdoptRepository {
    const META: Meta =
        Meta::new("workspace.adopt_repository", "Workspace: Adopt Repository", Access::Execute)
            .set(Set::Workspace)
            .shown(Shown::Searchable);
    type Output = Adopted;

    fn summary(&self) -> String {
        format!("adopt the repository of workspace {}", self.id())
    }

    fn workspace(&self) -> Option<&str> {
        Some(self.id())
    }

    async fn run(self, cx: Cx) -> Result<Adopted> {
        check_no_agent(&cx.caller)?;
        let adopted = cx.state.workspaces().adopt_repository(self.id()).await?;
        Ok(Adopted { adopted })
    }
}

impl AdoptRepository {
    fn id(&self) -> &str {
        self.workspace_id.as_deref().unwrap_or(MAIN)
    }
}
