//! Where things are shown, as commands: the layout itself is `openspace-layout`, which knows no
//! content; here is what may be opened in it, and how callers ask for it.

use openspace_layout::{Layout, Named};
use openspace_space::{Declared, Part};

use crate::areas::Area;

pub mod arrange_commands;
mod brought;
pub mod commands;
pub mod propose_command;
pub mod saved_commands;

pub(crate) use brought::{is_pinned_by_others, tabs_of_file};

/// What this area brings.
pub const AREA: Area = Area {
    commands: commands::COMMANDS,
    parts: &[Declared::of::<LayoutPart>(), Declared::of::<LayoutsPart>()],
    brought: brought::BROUGHT,
    ..Area::EMPTY
};

/// Where things are shown.
pub struct LayoutPart;

impl Part for LayoutPart {
    const NAME: &'static str = "layout";
    type Content = Layout;
}

/// Layouts saved under a name.
pub struct LayoutsPart;

impl Part for LayoutsPart {
    const NAME: &'static str = "layouts";
    type Content = Named;
}
