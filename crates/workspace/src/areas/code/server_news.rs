//! What a language server tells by itself, brought to pages: its state, what it can, notices, and what is to be asked
//! again. What it finds wrong is in the space's problems, and no business of this.
//!
//! A server that floods is told in pieces: news are gathered, and of notices only the first few are told.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use openspace_languages::{Event, State};
use tokio::{
    sync::broadcast::error::RecvError,
    time::{Instant, sleep_until},
};

use super::{
    page_hub::CodePages,
    pages::{PageFeature, ToLanguagePage},
    running::Running,
    servers::named,
};

/// How long news are gathered.
const GATHERED_FOR: Duration = Duration::from_millis(100);
/// Notices of one server that are told in [`NOTICES_WITHIN`]; the rest is not.
const MOST_NOTICES: usize = 5;
const NOTICES_WITHIN: Duration = Duration::from_secs(10);

/// Hear a server as long as it is known.
pub(super) fn hear(
    pages: Arc<CodePages>,
    running: &Arc<Running>,
) -> impl Future<Output = ()> + Send + use<> {
    let mut events = running.server.subscribe();
    let mut news = News {
        pages,
        name: named(running),
        due: None,
        refresh: BTreeSet::new(),
        notices: (Instant::now(), 0),
        was_ready: false,
    };
    async move {
        loop {
            let due = news.due;
            let is_due = async {
                match due {
                    Some(due) => sleep_until(due).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                event = events.recv() => match event {
                    Ok(event) => news.note(&event),
                    Err(RecvError::Lagged(_)) => {
                        news.pages.changed();
                        news.ask_again(PageFeature::ALL);
                    }
                    Err(RecvError::Closed) => return,
                },
                () = is_due => news.tell(),
            }
        }
    }
}

struct News {
    pages: Arc<CodePages>,
    name: String,
    due: Option<Instant>,
    refresh: BTreeSet<PageFeature>,
    /// Since when notices are counted, and how many there were.
    notices: (Instant, usize),
    was_ready: bool,
}

impl News {
    fn note(&mut self, event: &Event) {
        match event {
            Event::State(state) => {
                self.pages.changed();
                let is_ready = *state == State::Ready;
                // What it said before it had read everything may be more now.
                if is_ready && !self.was_ready {
                    self.ask_again(PageFeature::ALL);
                }
                self.was_ready = is_ready;
            }
            Event::Abilities => self.pages.changed(),
            Event::Refresh(feature) => self.ask_again(PageFeature::of(*feature)),
            Event::Notice { level, text } if self.may_notice() => {
                let (level, server) = ((*level).into(), self.name.clone());
                let text = text.clone();
                self.pages.tell(&ToLanguagePage::Notice { level, server, text });
            }
            _ => {}
        }
    }

    fn may_notice(&mut self) -> bool {
        let (since, count) = &mut self.notices;
        if since.elapsed() >= NOTICES_WITHIN {
            (*since, *count) = (Instant::now(), 0);
        }
        *count += 1;
        *count <= MOST_NOTICES
    }

    fn ask_again(&mut self, features: impl IntoIterator<Item = PageFeature>) {
        self.refresh.extend(features);
        self.due.get_or_insert_with(|| Instant::now() + GATHERED_FOR);
    }

    fn tell(&mut self) {
        self.due = None;
        for feature in std::mem::take(&mut self.refresh) {
            self.pages.tell(&ToLanguagePage::Refresh { feature });
        }
    }
}
