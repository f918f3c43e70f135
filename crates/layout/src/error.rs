//! Why a change of the layout was refused. Each error names what would have been accepted.

use std::fmt::Display;

use openspace_protocol::PaneId;
use thiserror::Error;

use super::{TabKey, TabKind};

/// How many alternatives a message names; the fields hold all of them.
const NAMED_IN_MESSAGE: usize = 30;

/// A change that was refused. The layout is as it was before.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum LayoutError {
    /// No pane has this id now.
    #[error("there is no pane {id}; the panes are {}", list(valid))]
    UnknownPane {
        /// The id asked for.
        id: PaneId,
        /// The panes there are.
        valid: Vec<PaneId>,
    },
    /// No tab shows this content.
    #[error("no tab shows {}`{content_id}`; open are: {}", word(*kind), list(open))]
    UnknownTab {
        /// The kind asked for, if one was given.
        kind: Option<TabKind>,
        /// The content asked for.
        content_id: String,
        /// The tabs there are.
        open: Vec<TabKey>,
    },
    /// Several kinds of tab show this content.
    #[error("`{content_id}` is open as {}; say which", list(kinds))]
    AmbiguousTab {
        /// The content asked for.
        content_id: String,
        /// The kinds that show it.
        kinds: Vec<TabKind>,
    },
    /// A number outside what is possible here.
    #[error("{what} can be {min} to {max}, not {asked}")]
    OutOfRange {
        /// What the number is for.
        what: String,
        /// The number asked for.
        asked: f64,
        /// The smallest number that works.
        min: f64,
        /// The largest number that works.
        max: f64,
    },
    /// A number that must lie between two others, and does not.
    #[error("{what} must be more than {above} and less than {below}, not {asked}")]
    NotBetween {
        /// What the number is for.
        what: &'static str,
        /// The number asked for.
        asked: f64,
        /// What it must be more than.
        above: f64,
        /// What it must be less than.
        below: f64,
    },
    /// A place in a list that the list does not have.
    #[error("{what} counts from 0, and {asked} is beyond the {count} there are")]
    NoSuchPlace {
        /// What names the place.
        what: String,
        /// The place asked for.
        asked: usize,
        /// How many places there are.
        count: usize,
    },
    /// A list that has not as many entries as are needed.
    #[error("{what}: {needed} needed, not {given}")]
    WrongCount {
        /// What the list is.
        what: &'static str,
        /// How many are needed.
        needed: usize,
        /// How many were given.
        given: usize,
    },
    /// A split without anything in it.
    #[error("a split has no children; it needs at least one")]
    EmptySplit,
    /// No divider can change this dimension of the pane.
    #[error("the {dimension} of {id} cannot change: {reason}")]
    NothingToResize {
        /// The pane.
        id: PaneId,
        /// `width` or `height`.
        dimension: &'static str,
        /// What stands in the way.
        reason: String,
    },
    /// A size was to change, but neither width nor height was given.
    #[error("give a width or a height")]
    NoDimension,
    /// One pane was named where two different ones are needed.
    #[error("two different panes are needed, not {0} twice")]
    SamePane(PaneId),
    /// The main area keeps one pane.
    #[error("{0} is the last pane of the main area, which always keeps one")]
    LastPane(PaneId),
    /// A bound of the layout is reached.
    #[error("there can be no more than {limit} {what}")]
    TooMany {
        /// What there would be too many of.
        what: &'static str,
        /// How many there can be.
        limit: usize,
    },
    /// One thing was named where each may be named once.
    #[error("{what} is there twice")]
    Twice {
        /// The pane or the tab.
        what: String,
    },
    /// Not a name for a layout.
    #[error("a layout's name has 1 to {limit} printable characters and no space at its ends")]
    BadName {
        /// The most characters a name has.
        limit: usize,
    },
    /// No layout was saved under this name.
    #[error("no layout is named `{name}`; the saved ones are: {}", list(valid))]
    UnknownLayout {
        /// The name asked for.
        name: String,
        /// The names there are.
        valid: Vec<String>,
    },
}

fn word(kind: Option<TabKind>) -> String {
    kind.map(|kind| format!("{kind} ")).unwrap_or_default()
}

fn list<T: Display>(items: &[T]) -> String {
    if items.is_empty() {
        return "none".into();
    }
    let named: Vec<String> = items.iter().take(NAMED_IN_MESSAGE).map(T::to_string).collect();
    let rest = items.len() - named.len();
    let named = named.join(", ");
    if rest == 0 { named } else { format!("{named} and {rest} more") }
}
