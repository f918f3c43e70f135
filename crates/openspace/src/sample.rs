//! A command that exists in tests only, to see how a surface shows what no real command is now.

use openspace_command::{Command, Cx, Entry, Meta, Result};
use openspace_protocol::Access;
use openspace_workspace::{OpenSpace, Registry};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Ring a bell.
///
/// It is heard by all.
#[derive(Deserialize, JsonSchema)]
struct Ring {}

#[derive(Serialize, JsonSchema)]
struct Rung {}

impl Command<OpenSpace> for Ring {
    const META: Meta = Meta::new("bell.ring", "Bell: Ring", Access::View)
        .deprecated("since 0.3, use `bell.sound`");
    type Output = Rung;

    fn summary(&self) -> String {
        "ring".into()
    }

    async fn run(self, _: Cx<OpenSpace>) -> Result<Rung> {
        Ok(Rung {})
    }
}

/// A registry with one command, which is deprecated.
pub(crate) fn deprecated() -> Registry {
    Registry::new(&[&[Entry::of::<Ring>()]])
}

/// What each surface says about it in one line.
pub(crate) const LINE: &str = "Deprecated since 0.3, use `bell.sound`. Ring a bell.";
