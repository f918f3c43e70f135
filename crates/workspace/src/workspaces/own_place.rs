//! The place of one agent that the server starts: like the agents' place beside the workspace, with what of the home
//! is that agent's own. What other agents start runs elsewhere and sees nothing of it.

use std::sync::Arc;

use openspace_command::{Error, ErrorKind, Result};
use openspace_isolation::{OwnHome, Reach};

use super::{
    MAIN, Workspaces,
    agents_place::{AgentsPlaces, Whose},
    listening::Keeping,
};
use crate::places::Place;

impl Workspaces {
    /// The place of an agent in the workspace of the space; `own` is what of the home it needs, from there on.
    pub(crate) async fn own_place(&self, agent: &str, own: &OwnHome) -> Result<Arc<Place>> {
        // It speaks to us over this machine's loopback, and we to it.
        if let AgentsPlaces::Confined(confining) = &self.hosting.agents
            && confining.reach != Reach::Machine
        {
            let message =
                "without this machine's loopback an agent cannot reach the tools of the space";
            return Err(Error::new(ErrorKind::Unsupported, message)
                .hint("start the server without `--agents-network`, or connect an agent that runs elsewhere"));
        }
        self.open_for(&of(agent), own).await
    }

    /// End everything in the place of an agent.
    pub(crate) async fn close_own_place(&self, agent: &str) -> Result<()> {
        let _alone = self.guard(MAIN).lock_owned().await;
        self.close_place_of(&of(agent)).await
    }

    /// What keeps the places of agents in a workspace.
    pub(super) fn keepings(&self, id: &str) -> Vec<Keeping> {
        let open = self.lock_for_agents();
        let of_it = open.iter().filter(|(whose, _)| whose.workspace == id);
        of_it.map(|(_, open)| open.keeping.clone()).collect()
    }
}

fn of(agent: &str) -> Whose {
    Whose { workspace: MAIN.to_owned(), agent: Some(agent.to_owned()) }
}
