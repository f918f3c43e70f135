//! `view.report`: a browser says what it really shows.

use openspace_command::{Command, Error, Meta, Result, Set, Shown};
use openspace_protocol::Access;
use openspace_space::Space;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MAX_SEEN, MAX_VIEWS, View, is_word};
use crate::{Cx, Entry, OpenSpace, areas::view::ViewsPart};

/// The commands of this area.
pub const COMMANDS: &[Entry] = &[Entry::of::<Report>()];

/// Note that a browser attached.
pub fn attach(space: &Space, view: &str) -> Result<()> {
    let attached = space.change_now(|state| {
        if state.part::<ViewsPart>().len() >= MAX_VIEWS {
            return Err(Error::conflict(format!("{MAX_VIEWS} browsers are attached already"))
                .hint("close one of them"));
        }
        state.part_mut::<ViewsPart>().insert(view.to_owned(), View::default());
        Ok(())
    });
    attached.map(|_| ())
}

/// Note that a browser is gone.
pub fn detach(space: &Space, view: &str) {
    let gone = space.change_now(|state| {
        state.part_mut::<ViewsPart>().remove(view);
        Ok(())
    });
    if let Err(error) = gone {
        tracing::error!(view, %error, "a browser's leaving could not be noted");
    }
}

/// Nothing to add.
#[derive(Serialize, JsonSchema)]
pub struct Noted {}

/// Report what a browser shows: panes in pixels, cursors, visible lines.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Report {
    /// The browser's id, as it was told when it attached.
    view_id: String,
    /// What it shows.
    view: View,
    /// Files in which the person selected lines since the last report, by hand: a selection that moved because its text
    /// was changed is nothing that they did.
    #[serde(default)]
    selected: Vec<String>,
}

impl Command<OpenSpace> for Report {
    const META: Meta = Meta::new("view.report", "View: Report", Access::View)
        .set(Set::Ide)
        .shown(Shown::Hidden)
        .idempotent()
        .observes();
    type Output = Noted;

    fn summary(&self) -> String {
        format!("report of {}", self.view_id)
    }

    fn check(&self) -> Result<()> {
        if self.selected.len() > MAX_SEEN || !self.selected.iter().all(|path| is_word(path)) {
            return Err(Error::invalid(
                "argument `selected`: at most 1000 paths of 1 to 4096 bytes",
            ));
        }
        self.view.check()
    }

    async fn run(self, cx: Cx) -> Result<Noted> {
        let (now, mut before) = (self.view.clone(), View::default());
        let noted = cx.state.space().observe(|state| {
            let Some(view) = state.part_mut::<ViewsPart>().get_mut(self.view_id.as_str()) else {
                return Err(Error::not_found(format!("no browser `{}` is attached", self.view_id))
                    .hint("attach to the event stream first; it tells the id"));
            };
            before = std::mem::replace(view, self.view);
            Ok(Noted {})
        })?;
        cx.state.doings().looked(&cx.caller, (&before, &now), &self.selected);
        Ok(noted)
    }
}
