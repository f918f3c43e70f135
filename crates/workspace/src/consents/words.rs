//! What somebody agrees to, in plain words: one text for the command line, the page and whoever asks.

use openspace_isolation::Provider;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{OpenSpace, workspaces::MAIN};

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
    let reach = match state.workspaces().record(MAIN) {
        Ok(main) if main.provider == Provider::Sandbox => {
            let network = if main.network { "with the network" } else { "without network" };
            format!(
                "Its programs run in a sandbox {network}: they can write to the folder and to nothing else."
            )
        }
        _ => "Its programs run as you do: they reach your files, your programs and the network."
            .to_owned(),
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
