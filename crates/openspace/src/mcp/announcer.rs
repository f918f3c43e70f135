//! Tells listening clients what changed: the list of tools, the state, what terminals show.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
    time::Duration,
};

use openspace_host::TerminalHandle;
use openspace_protocol::TerminalId;
use openspace_space::{Listener, News, Told};
use openspace_workspace::areas::terminal::{Terminals, TerminalsPart};
use tokio_util::sync::CancellationToken;

use super::{Edge, listeners::Change, resources};

/// Changes within this time are told once.
const GATHER: Duration = Duration::from_millis(100);
/// A busy terminal is announced this often.
const TERMINAL_EVERY: Duration = Duration::from_millis(500);

/// Start telling. Ends when the edge is gone or stops.
pub(super) fn start(edge: &Arc<Edge>) {
    let stop = edge.stop.clone();
    let weak = Arc::downgrade(edge);
    let mut listener = edge.dispatcher.state().space().events().listen();
    tokio::spawn(stop.run_until_cancelled_owned(async move {
        let mut watched: BTreeMap<TerminalId, CancellationToken> = BTreeMap::new();
        loop {
            let changes = gather(&mut listener).await;
            let Some(edge) = weak.upgrade() else { return };
            let Some(changes) = changes else {
                // Too far behind to know: everything may have changed.
                listener = edge.dispatcher.state().space().events().listen();
                for change in
                    [Change::Tools, Change::Resources, Change::Resource(resources::STATE.into())]
                {
                    edge.listeners.announce(&change).await;
                }
                continue;
            };
            if changes.contains(&Change::Resources) {
                follow_terminals(&edge, &mut watched);
            }
            for change in changes {
                edge.listeners.announce(&change).await;
            }
        }
    }));
}

/// Wait for a change, and gather those that follow at once. `None` when events were missed.
async fn gather(listener: &mut Listener) -> Option<HashSet<Change>> {
    let mut changes = HashSet::new();
    while changes.is_empty() {
        let event = listener.next().await?;
        note(&mut changes, &event);
    }
    let until = tokio::time::Instant::now() + GATHER;
    while let Ok(event) = tokio::time::timeout_at(until, listener.next()).await {
        let event = event?;
        note(&mut changes, &event);
    }
    Some(changes)
}

fn note(changes: &mut HashSet<Change>, event: &Told) {
    match &event.news {
        News::Catalogue => {
            changes.insert(Change::Tools);
        }
        News::Changed { announced: true, .. } => {
            changes.insert(Change::Resource(resources::STATE.into()));
            changes.insert(Change::Resource(resources::INSTRUCTIONS.into()));
            if event.changed::<TerminalsPart>() {
                changes.insert(Change::Resources);
            }
        }
        News::Changed { announced: false, .. } | News::Other => {}
    }
}

/// Watch terminals that are new, stop watching those that are gone.
fn follow_terminals(edge: &Arc<Edge>, watched: &mut BTreeMap<TerminalId, CancellationToken>) {
    let state = edge.dispatcher.state();
    let space = state.space().state();
    let records = space.part::<TerminalsPart>();
    watched.retain(|id, stop| {
        let keep = records.contains_key(id);
        if !keep {
            stop.cancel();
        }
        keep
    });
    for id in records.keys() {
        if let Some(terminal) = state.service::<Terminals>().get(*id)
            && !watched.contains_key(id)
        {
            let stop = edge.stop.child_token();
            watched.insert(*id, stop.clone());
            let follow = follow(Arc::downgrade(edge), *id, terminal);
            tokio::spawn(stop.run_until_cancelled_owned(follow));
        }
    }
}

async fn follow(edge: std::sync::Weak<Edge>, id: TerminalId, terminal: TerminalHandle) {
    let mut changed = terminal.changed();
    drop(terminal);
    let change = Change::Resource(resources::terminal_uri(id));
    while changed.next().await {
        let Some(edge) = edge.upgrade() else { return };
        edge.listeners.announce(&change).await;
        drop(edge);
        tokio::time::sleep(TERMINAL_EVERY).await;
    }
}
