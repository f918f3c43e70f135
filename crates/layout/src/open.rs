//! Opening of tabs: where content comes to be shown, and that what is open already is not opened twice
//! unless a second view was asked for.

use std::sync::Arc;

use openspace_protocol::PaneId;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Area, Layout, LayoutError, Side, Split, Tab, TabKind,
    change::{check_content_id, check_title, default_title},
};

/// What to open and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenTab {
    /// What to show.
    pub kind: TabKind,
    /// Which one of those.
    pub content_id: String,
    /// What to write on the tab; the last part of the content id if nothing else is known.
    pub title: Option<String>,
    /// The area to use when no pane is named; where the kind is at home if nothing else is asked.
    pub area: Option<Area>,
    /// The pane to use, or to put the new pane beside.
    pub target: Option<PaneId>,
    /// Make a new pane, to the right unless `split` says otherwise (in the right area, below).
    pub new_pane: bool,
    /// Make a new pane by this split.
    pub split: Option<Split>,
    /// Panes to leave as they are, where none is named and the area has another one.
    pub spared: Vec<PaneId>,
}

impl OpenTab {
    /// Opens the content where its kind is at home.
    pub fn new(kind: TabKind, content_id: impl Into<String>) -> Self {
        let content_id = content_id.into();
        Self {
            kind,
            content_id,
            title: None,
            area: None,
            target: None,
            new_pane: false,
            split: None,
            spared: Vec::new(),
        }
    }
}

/// Where something is open now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Opened {
    /// The pane that shows it.
    pub pane: PaneId,
    /// The pane was made for it.
    pub created_pane: bool,
    /// It was open before.
    pub already_open: bool,
}

impl Layout {
    /// Opens a tab and makes it and its pane active.
    ///
    /// A file that is open already is shown a second time in a new pane where `new_pane` or `split`
    /// ask for one. Otherwise what is open becomes active where it is; only a `target` that is another
    /// pane moves it, into that pane or, where it can be shown only once, into a new one beside it.
    pub fn open(&mut self, request: OpenTab) -> Result<Opened, LayoutError> {
        check_content_id(&request.content_id)?;
        if let Some(title) = &request.title {
            check_title(title)?;
        }
        let in_new_pane = request.new_pane || request.split.is_some();
        self.attempt(|layout| match layout.find_tab(request.kind, &request.content_id) {
            Some(pane) if in_new_pane && request.kind.shows_a_file() => {
                layout.open_again(pane, request)
            }
            Some(pane) => layout.reopen(pane, request),
            None => layout.open_new(request),
        })
    }

    fn open_new(&mut self, request: OpenTab) -> Result<Opened, LayoutError> {
        let (pane, created_pane) = self.destination(&request)?;
        let OpenTab { kind, content_id, title, .. } = request;
        let title = title.unwrap_or_else(|| default_title(&content_id));
        let tab = Tab { kind, content_id, title, dirty: false, missing: false, nth: 0 };
        let end = self.pane(pane)?.tabs.len();
        self.insert_tab(pane, end, Arc::new(tab))?;
        self.focus_pane(pane)?;
        Ok(Opened { pane, created_pane, already_open: false })
    }

    /// Shows once more, in a pane of its own, what another pane shows.
    fn open_again(&mut self, present: PaneId, request: OpenTab) -> Result<Opened, LayoutError> {
        let (pane, created_pane) = self.destination(&request)?;
        let OpenTab { kind, content_id, title, .. } = request;
        self.mark_reopened(kind, &content_id, title)?;
        let shown = self.pane(present)?;
        let Some(index) = shown.place_of(kind, &content_id) else {
            return Err(self.unknown_tab(Some(kind), &content_id));
        };
        let nth = self.free_nth(kind, &content_id);
        let tab = Tab { nth, ..Tab::clone(&shown.tabs[index]) };
        self.insert_tab(pane, 0, Arc::new(tab))?;
        self.focus_pane(pane)?;
        Ok(Opened { pane, created_pane, already_open: true })
    }

    fn reopen(&mut self, present: PaneId, request: OpenTab) -> Result<Opened, LayoutError> {
        let (present, pane, created_pane) = match request.target {
            Some(target)
                if self.panes_showing(request.kind, &request.content_id).contains(&target) =>
            {
                (target, target, false)
            }
            Some(_) => {
                let (pane, created_pane) = self.destination(&request)?;
                (present, pane, created_pane)
            }
            None => (present, present, false),
        };
        let OpenTab { kind, content_id, title, .. } = request;
        self.mark_reopened(kind, &content_id, title)?;
        self.relocate(present, kind, &content_id, pane, None)?;
        Ok(Opened { pane, created_pane, already_open: true })
    }

    fn mark_reopened(
        &mut self,
        kind: TabKind,
        content_id: &str,
        title: Option<String>,
    ) -> Result<(), LayoutError> {
        self.mark_missing(kind, content_id, false)?;
        title.map_or(Ok(()), |title| self.set_title(kind, content_id, &title))
    }

    /// The pane a request asks for, made if need be.
    fn destination(&mut self, request: &OpenTab) -> Result<(PaneId, bool), LayoutError> {
        let home = request.area.unwrap_or_else(|| request.kind.home());
        let in_new_pane = request.new_pane || request.split.is_some();
        let pane = match (request.target, self.grid(home)) {
            (Some(target), _) => target,
            (None, Some(grid)) if in_new_pane => grid.active,
            (None, Some(grid)) => self.unspared(home, grid.active, &request.spared),
            (None, None) => return Ok((self.fill(home)?, true)),
        };
        let (area, ..) = self.locate(pane)?;
        let side = match request.split {
            Some(split) => Side::from(split),
            None if !request.new_pane => return Ok((pane, false)),
            None if area == Area::Right => Side::Below,
            None => Side::Right,
        };
        Ok((self.split(pane, side)?, true))
    }

    /// This pane or, when it is to be spared, the next one of the area that is not, else the last before it.
    fn unspared(&self, area: Area, pane: PaneId, spared: &[PaneId]) -> PaneId {
        if !spared.contains(&pane) {
            return pane;
        }
        let panes: Vec<PaneId> =
            self.leaves().filter(|(home, _)| *home == area).map(|(_, leaf)| leaf.id).collect();
        let place = panes.iter().position(|id| *id == pane).unwrap_or(0);
        let (before, after) = panes.split_at(place);
        let mut nearest = after.iter().chain(before.iter().rev());
        nearest.find(|id| !spared.contains(id)).copied().unwrap_or(pane)
    }
}
