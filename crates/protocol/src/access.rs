//! What a command can do to the world: the unit of permission.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a command can do to the world: the unit of permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Changes only what is shown.
    View,
    /// Looks, changes nothing.
    Read,
    /// Changes files or saved things; can be undone or repeated.
    Edit,
    /// Removes something for good.
    Destroy,
    /// Runs a program or types into one.
    Execute,
    /// Reaches out to the network.
    Reach,
}
