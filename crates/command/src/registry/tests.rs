//! What the registry says about a command.

use pretty_assertions::assert_eq;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::*;
use crate::{Command, Cx};

#[derive(Serialize, JsonSchema)]
struct Nothing {}

/// Ring a bell.
///
/// It is heard by all.
#[derive(Deserialize, JsonSchema)]
struct Ring {}

impl Command<()> for Ring {
    const META: Meta = Meta::new("bell.ring", "Bell: Ring", Access::View)
        .deprecated("since 0.3, use `bell.sound`");
    type Output = Nothing;

    fn summary(&self) -> String {
        "ring".into()
    }

    async fn run(self, _: Cx<()>) -> Result<Nothing> {
        Ok(Nothing {})
    }
}

/// Sound a bell.
#[derive(Deserialize, JsonSchema)]
struct Sound {}

impl Command<()> for Sound {
    const META: Meta = Meta::new("bell.sound", "Bell: Sound", Access::View);
    type Output = Nothing;

    fn summary(&self) -> String {
        "sound".into()
    }

    async fn run(self, _: Cx<()>) -> Result<Nothing> {
        Ok(Nothing {})
    }
}

#[test]
fn a_deprecated_command_says_so_in_its_first_line() {
    let registry = Registry::new(&[&[Entry::<()>::of::<Ring>(), Entry::of::<Sound>()]]);
    let told: Vec<(String, Option<&str>)> =
        registry.all().iter().map(|command| (command.doc.clone(), command.deprecated)).collect();
    let ring =
        "Deprecated since 0.3, use `bell.sound`. Ring a bell.\n\nIt is heard by all.".to_owned();
    assert_eq!(
        told,
        [(ring, Some("since 0.3, use `bell.sound`")), ("Sound a bell.".to_owned(), None)]
    );
}
