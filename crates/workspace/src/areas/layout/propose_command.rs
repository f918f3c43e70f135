//! `layout.propose`: a browser says how the person has arranged the window.

use std::collections::{BTreeSet, HashSet};

use openspace_command::{Command, ErrorKind, Meta, Result, Set, Shown};
use openspace_layout::{KnownTab, Layout, Proposal, Proposed, TabKey};
use openspace_protocol::Access;
use openspace_space::State;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    Cx, OpenSpace,
    agents::brought,
    areas::{
        editor::keep_unsaved_open,
        layout::LayoutPart,
        tabs::{Content, content_of, known, names_a_file},
    },
    paths::{existing_file, is_person},
    refusal::layout_refused,
};

/// How many things a summary names.
const NAMED: usize = 3;

/// The window as it is now for everybody.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Agreed {
    /// The space's revision that has this layout.
    revision: u64,
    /// The layout, as in the part `layout` of the space.
    layout: Layout,
    /// What came of the proposal.
    #[serde(flatten)]
    proposed: Proposed,
}

impl Command<OpenSpace> for Proposal {
    const META: Meta = Meta::new("layout.propose", "Layout: Propose", Access::View)
        .set(Set::Ide)
        .shown(Shown::Hidden);
    type Output = Agreed;

    fn summary(&self) -> String {
        let opened = self.opened().map(|key| format!("open {}", key.content_id));
        let closed = self.closed().map(|key| format!("close {}", key.content_id));
        let ids: HashSet<_> = self.panes().into_iter().filter_map(|(_, pane)| pane.id).collect();
        let gone = self.known_panes.iter().filter(|id| !ids.contains(id));
        let gone = gone.map(|id| format!("close {id}"));
        let all: Vec<String> = opened.chain(closed).chain(gone).collect();
        let what = match all.len().checked_sub(NAMED) {
            _ if all.is_empty() => "arrange the window".into(),
            None | Some(0) => all.join(", "),
            Some(more) => format!("{} and {more} more", all[..NAMED].join(", ")),
        };
        self.view_id.as_ref().map_or_else(|| what.clone(), |view| format!("{what} in {view}"))
    }

    fn paths(&self) -> Vec<String> {
        let files = self.opened().filter(|key| names_a_file(key.kind));
        files.map(|key| key.content_id).collect()
    }

    async fn run(mut self, cx: Cx) -> Result<Agreed> {
        let missing = check_opened_files(&cx, &mut self).await?;
        let person = is_person(&cx.caller);
        let space = cx.state.space();
        let mut arranged = None;
        let agreed = space
            .change(brought::by(&cx, |state| {
                fit_to_what_is_known(&mut self, state);
                let mut layout = state.part::<LayoutPart>().clone();
                let proposed = layout.propose(&self).map_err(layout_refused)?;
                for key in proposed.opened.iter().filter(|key| missing.contains(key)) {
                    layout.mark_missing(key.kind, &key.content_id, true).map_err(layout_refused)?;
                }
                // Nobody else can make a revision before this change ends.
                let changes = layout != *state.part::<LayoutPart>();
                let revision = space.events().revision() + u64::from(changes);
                if changes {
                    let before = state.part::<LayoutPart>().clone();
                    *state.part_mut::<LayoutPart>() = layout.clone();
                    arranged = Some(before.clone());
                    // A person was asked by the page.
                    if !person {
                        keep_unsaved_open(state, &before)?;
                    }
                }
                Ok(Agreed { revision, layout, proposed })
            }))
            .await?;
        if let Some(before) = arranged.filter(|_| person) {
            let Proposed { opened, closed, .. } = &agreed.proposed;
            cx.state.doings().arranged((&before, &agreed.layout), opened, closed);
        }
        Ok(agreed)
    }
}

/// What the space knew and knows no more is not opened; what it knows brings its title.
fn fit_to_what_is_known(proposal: &mut Proposal, state: &State) {
    let mut gone = Vec::new();
    for tab in proposal.tabs_mut().into_iter().filter(|tab| !names_a_file(tab.kind)) {
        match known(state, tab.kind, &tab.content_id) {
            Some(known) => tab.title = tab.title.take().or(Some(known.title)),
            None => gone.push(TabKey::new(tab.kind, tab.content_id.clone())),
        }
    }
    // What was known and is not open is what somebody closed.
    proposal.known_tabs.extend(gone.into_iter().map(KnownTab::from));
}

/// Spell the files that the person opened the one way, and say which of them do not exist.
async fn check_opened_files(cx: &Cx, proposal: &mut Proposal) -> Result<BTreeSet<TabKey>> {
    let opened: HashSet<TabKey> = proposal.opened().collect();
    let present = cx.state.space().state();
    let present = present.part::<LayoutPart>();
    let mut missing = BTreeSet::new();
    for tab in proposal.tabs_mut() {
        let key = TabKey::new(tab.kind, tab.content_id.clone());
        let is_new = opened.contains(&key) && present.find_tab(tab.kind, &tab.content_id).is_none();
        if !is_new || matches!(content_of(tab.kind)?, Content::Known(_)) {
            continue;
        }
        // A text that has no file yet is open before anything is typed into it.
        if cx.state.path(&tab.content_id).is_ok_and(|path| path.is_untitled()) {
            continue;
        }
        match existing_file(cx, &tab.content_id).await {
            Ok(path) => tab.content_id = path.into(),
            Err(error) if error.kind == ErrorKind::NotFound => {
                tab.content_id = cx.state.path(&tab.content_id)?.into();
                missing.insert(TabKey::new(tab.kind, tab.content_id.clone()));
            }
            // A person's tab of a file that cannot be read has its place like any other, and says
            // why.
            Err(error) if error.kind == ErrorKind::Denied && is_person(&cx.caller) => {
                tab.content_id = cx.state.path(&tab.content_id)?.into();
            }
            Err(error) => return Err(error),
        }
    }
    Ok(missing)
}
