//! What somebody agrees to, in plain words: one text for the command line, the page and whoever asks.

use openspace_isolation::{Network, Provider};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    OpenSpace,
    workspaces::{MAIN, Walls},
};

/// What an agent can do here once somebody agreed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ConsentWords")]
pub struct Words {
    /// What it can see.
    pub see: String,
    /// What it can change.
    pub change: String,
    /// What it can reach beyond that.
    pub reach: String,
    /// How it is taken back.
    pub back: String,
}

impl Words {
    /// As lines.
    pub fn text(&self) -> String {
        let Self { see, change, reach, back } = self;
        format!("{see}\n{change}\n{reach}\n{back}")
    }
}

/// The words for this space.
pub fn words(state: &OpenSpace) -> Words {
    let folder = state.folder().display();
    let workspaces = state.workspaces();
    let reach = match (workspaces.record(MAIN), workspaces.walls()) {
        (Ok(main), _) if main.provider == Provider::Sandbox => {
            let network = if main.network { "with the network" } else { "without network" };
            format!(
                "Its programs run in a sandbox {network}: they can write to the folder and to nothing else."
            )
        }
        (_, Walls::Confined(holds)) => {
            let network = match holds.network {
                Network::Machine | Network::Own => "they reach the network",
                Network::None => "they reach no network",
            };
            format!(
                "Its programs run in a confined place: they change the folder, caches of tools and what you let in, find nothing personal besides, and {network}. Whether one may leave that place is up to your policy."
            )
        }
        (_, Walls::Missing { .. }) => {
            "Its programs run as you do: they reach your files, your programs and the network."
                .to_owned()
        }
    };
    Words {
        see: format!(
            "An agent sees the files of {folder} that are not secret, what is open here and typed into it, saved or not, and what terminals show."
        ),
        change: "It changes, moves and deletes those files, opens and closes what is shown, and types into terminals."
            .to_owned(),
        reach,
        back: "You can pause, stop and disconnect it, and take your word back, at any time.".to_owned(),
    }
}
