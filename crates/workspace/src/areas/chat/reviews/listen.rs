//! What agents tell of their own tools, as changes of files.
//!
//! A tool that is done tells what it did: as a diff, which is taken back from the text as it is now, or not at all. For
//! the latter the text is kept that a file had when the agent last looked at it. Where neither gives the text before, the
//! change is named and not shown. So is what a program of the agent did: an agent tells at most which files are another
//! than before, and whose hand it was cannot be told from that.

use std::{
    collections::{BTreeSet, HashMap, VecDeque},
    sync::Arc,
};

use openspace_agents::{
    Event,
    model::{
        Change, DiffText, FileDiff, LongText, PartContent, SessionId, SessionStatus, ToolCall,
        ToolState,
    },
};
use openspace_protocol::RelPath;
use openspace_text::{merge::with_line_feeds, patch::take_back};

use super::{LARGEST, MOST_MISSED, Missed, Reviews, ReviewsPart, forget, pair, read, think};
use crate::{Dispatcher, OpenSpace, conversations::Told};

/// Texts that are kept because an agent looked at a file.
const MOST_SEEN: usize = 64;
/// Sessions at work of which is remembered what programs may have changed.
const MOST_WORKING: usize = 64;
/// What our own tools are called with an agent: their calls are known as calls.
const OURS: &str = "openspace_";

/// Listen to all agents, for as long as the space is there.
pub fn start(dispatcher: &Dispatcher) {
    let mut told = dispatcher.state().conversations().subscribe();
    let reviews = dispatcher.state().service::<Reviews>();
    let dispatcher = dispatcher.downgrade();
    let listening = async move {
        let mut seen = Seen::default();
        while let Some((agent, told)) = told.next().await {
            let Told::Event(event) = told else { continue };
            let Some(dispatcher) = dispatcher.upgrade() else { return };
            hear(dispatcher.state(), &mut seen, &agent, &event).await;
        }
    };
    reviews.listen(|| tokio::spawn(listening).abort_handle());
}

/// The text of a file; none where there is no file.
type Text = Option<String>;

/// The texts of files that an agent looked at last, and what its programs may have done.
#[derive(Default)]
struct Seen {
    texts: HashMap<(String, RelPath), Text>,
    order: VecDeque<(String, RelPath)>,
    /// By the address of a session.
    working: HashMap<String, Working>,
}

/// A turn that is not over.
#[derive(Default)]
struct Working {
    /// Whether a program ran in it.
    ran: bool,
    /// Files that are another than before, and that a tool told of: perhaps a program changed them too.
    both: BTreeSet<RelPath>,
}

impl Seen {
    fn note(&mut self, agent: &str, path: &RelPath, text: Text) {
        let key = (agent.to_owned(), path.clone());
        if self.texts.insert(key.clone(), text).is_none() {
            self.order.push_back(key);
            if self.order.len() > MOST_SEEN
                && let Some(oldest) = self.order.pop_front()
            {
                self.texts.remove(&oldest);
            }
        }
    }

    fn at_work(&mut self, address: String) -> &mut Working {
        if self.working.len() >= MOST_WORKING && !self.working.contains_key(&address) {
            // Sessions whose end is never told must not fill it: what they would have named is not known then.
            self.working.clear();
        }
        self.working.entry(address).or_default()
    }

    fn get(&self, agent: &str, path: &RelPath) -> Option<Text> {
        self.texts.get(&(agent.to_owned(), path.clone())).cloned()
    }
}

async fn hear(state: &OpenSpace, seen: &mut Seen, agent: &str, event: &Arc<Event>) {
    match &**event {
        Event::SessionDeleted { session_id } => {
            let address = format!("{agent}/{session_id}");
            let gone = state.space().change(|state| {
                forget(state, &address);
                Ok(())
            });
            if let Err(error) = gone.await {
                tracing::error!(%error, address, "a review of a session that is gone stays");
            }
        }
        Event::PartUpdated { part } => match &part.content {
            PartContent::Tool { call } => {
                if runs_programs(&call.tool) {
                    let address = address_of(state, agent, &part.session_id).await;
                    seen.at_work(address).ran = true;
                }
                if !call.tool.starts_with(OURS) {
                    used(state, seen, agent, &part.session_id, call).await;
                }
            }
            PartContent::Patch { files } => {
                meanwhile(state, seen, agent, &part.session_id, files).await;
            }
            _ => {}
        },
        Event::Status { session_id, status: SessionStatus::Idle {} } => {
            // Only now is all told that tools did: what a tool is about to tell is no program's.
            let address = format!("{agent}/{session_id}");
            if let Some(working) = seen.working.remove(&address).filter(|working| working.ran) {
                also_changed(state, &address, working.both).await;
            }
        }
        _ => {}
    }
}

/// Whether a tool starts programs, by its name.
fn runs_programs(tool: &str) -> bool {
    ["bash", "shell", "exec", "terminal", "run"].iter().any(|word| tool.contains(word))
}

async fn address_of(state: &OpenSpace, agent: &str, session: &SessionId) -> String {
    let session = state.conversations().root_of(agent, session).await;
    format!("{agent}/{session}")
}

/// Name those files that are not as the tools of a session left them, though nobody told of another change.
async fn also_changed(state: &OpenSpace, address: &str, files: BTreeSet<RelPath>) {
    let reviews = state.service::<Reviews>();
    for path in files {
        let Some(pair) = pair(&state.space().state(), address, path.as_str()) else { continue };
        let is_as_left =
            read(state, state.place(), &path).await.is_ok_and(|now| now.text() == pair.made);
        if is_as_left {
            continue;
        }
        if let Err(error) = reviews.missed(state, address, &path, Missed::Meanwhile).await {
            tracing::error!(%error, address, "a change of an agent is not named for review");
        }
    }
}

/// An agent says which files changed in a step, by whatever: those that no tool told are named.
async fn meanwhile(
    state: &OpenSpace,
    seen: &mut Seen,
    agent: &str,
    session: &SessionId,
    files: &[String],
) {
    let address = address_of(state, agent, session).await;
    let reviews = state.service::<Reviews>();
    let known = state.space().state();
    let known = known.part::<ReviewsPart>().get(address.as_str()).cloned().unwrap_or_default();
    for file in files.iter().take(MOST_MISSED) {
        let Ok(path) = state.path(file) else { continue };
        if known.missed.contains_key(path.as_str()) {
            continue;
        }
        if known.files.contains_key(path.as_str()) {
            let both = &mut seen.at_work(address.clone()).both;
            if both.len() < MOST_MISSED {
                both.insert(path);
            }
            continue;
        }
        if let Err(error) = reviews.missed(state, &address, &path, Missed::Meanwhile).await {
            tracing::error!(%error, address, "a change of an agent is not named for review");
        }
    }
}

/// An agent uses a tool of its own.
async fn used(
    state: &OpenSpace,
    seen: &mut Seen,
    agent: &str,
    session: &SessionId,
    call: &ToolCall,
) {
    if call.state == ToolState::Completed && !call.diffs.is_empty() {
        let address = address_of(state, agent, session).await;
        let asked = asked(call);
        for diff in &call.diffs {
            let Ok(path) = state.path(&diff.path) else { continue };
            let noted = changed(state, seen, (agent, &address), &path, (diff, &asked)).await;
            if let Err(error) = noted {
                tracing::error!(%error, address, "a change of an agent is not kept for review");
            }
        }
        return;
    }
    if call.state == ToolState::Failed {
        return;
    }
    for location in &call.locations {
        let Ok(path) = state.path(&location.path) else { continue };
        let Ok(now) = read(state, state.place(), &path).await else { continue };
        let text = now.text();
        // What a tool is about to write may be there already: then it says nothing of what was before.
        let written = call.input["content"].as_str().map(with_line_feeds);
        if text.is_none() || written != text {
            seen.note(agent, &path, text);
        }
    }
}

/// What a tool was asked to put in the place of what, in a file. It fits where the lines around are others by now, which
/// a diff names too.
fn asked(call: &ToolCall) -> DiffText {
    let text = |name: &str| call.input[name].as_str().map(LongText::new);
    match (text("oldString"), text("newString")) {
        (Some(before), Some(after)) => DiffText::Texts { before: Some(before), after },
        _ => DiffText::Untold,
    }
}

/// A tool of an agent's own is done with a file.
async fn changed(
    state: &OpenSpace,
    seen: &mut Seen,
    (agent, address): (&str, &str),
    path: &RelPath,
    (diff, asked): (&FileDiff, &DiffText),
) -> openspace_command::Result<()> {
    let reviews = state.service::<Reviews>();
    let after = match read(state, state.place(), path).await {
        Ok(now) => now.text(),
        Err(why) => return reviews.missed(state, address, path, why).await,
    };
    let known = seen.get(agent, path);
    let before = {
        let (after, diff) = (after.clone(), diff.clone());
        let asked = FileDiff { text: asked.clone(), ..diff.clone() };
        let before = move |diff: &FileDiff, known| before(after.as_deref(), diff, known);
        // What was seen may have been looked at only when the tool was done already.
        think(move || before(&diff, known).or_else(|| before(&asked, None))).await?
    };
    seen.note(agent, path, after.clone());
    match before {
        Some(before) if before.as_ref().is_some_and(|text| text.len() > LARGEST) => {
            reviews.missed(state, address, path, Missed::TooLarge).await
        }
        Some(before) => reviews.changed(state, address, path, before, after).await,
        None => reviews.missed(state, address, path, Missed::Unknown).await,
    }
}

/// The text before a change, if it can be known.
fn before(after: Option<&str>, diff: &FileDiff, seen: Option<Text>) -> Option<Text> {
    if diff.change == Some(Change::Added) {
        return Some(None);
    }
    let taken_back = match &diff.text {
        DiffText::Patch { patch } if patch.is_whole() => {
            take_back(after.unwrap_or_default(), &patch.text)
        }
        DiffText::Texts { before, after: part } if part.is_whole() => {
            let part = with_line_feeds(&part.text);
            let old = before.as_ref().map(|text| with_line_feeds(&text.text));
            swapped(after?, &part, old.as_deref())
        }
        _ => None,
    };
    match (taken_back, seen) {
        // An empty text and no file look alike in a diff.
        (Some(text), seen) if text.is_empty() && !matches!(seen, Some(Some(_))) => Some(None),
        // A diff of a whole file may have lost what all its lines begin with.
        (Some(_), Some(seen @ Some(_))) if after.is_none() => Some(seen),
        (Some(text), _) => Some(Some(text)),
        (None, Some(seen)) if seen.as_deref() != after => Some(seen),
        (None, _) => None,
    }
}

/// A text with one part of it, at its only place, put back to what it was.
fn swapped(text: &str, part: &str, old: Option<&str>) -> Option<String> {
    let old = old?;
    if text == part {
        return Some(old.to_owned());
    }
    let (at, _) = text.match_indices(part).next().filter(|_| !part.is_empty())?;
    let is_only = !text[at + 1..].contains(part);
    is_only.then(|| format!("{}{old}{}", &text[..at], &text[at + part.len()..]))
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    fn told(change: Option<Change>, text: DiffText) -> FileDiff {
        FileDiff { path: "a".into(), change, additions: None, deletions: None, text }
    }

    fn texts(before: &str, after: &str) -> DiffText {
        DiffText::Texts { before: Some(LongText::new(before)), after: LongText::new(after) }
    }

    #[test]
    fn the_text_before_is_taken_from_the_diff_or_from_what_was_seen_and_never_guessed() {
        let patch = |patch: &str| DiffText::Patch { patch: LongText::new(patch) };
        let edit = told(None, patch("@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n"));
        let before_of = |after: &str, diff: &FileDiff, seen: Option<&str>| {
            before(Some(after), diff, seen.map(|text| Some(text.to_owned())))
        };
        assert_eq!(before_of("one\nTWO\n", &edit, None), Some(Some("one\ntwo\n".into())));
        // The diff does not fit, because the file was changed again; what was seen is known.
        assert_eq!(
            before_of("one\n2\n", &edit, Some("one\ntwo\n")),
            Some(Some("one\ntwo\n".into()))
        );
        assert_eq!(before_of("one\n2\n", &edit, None), None);
        let written = told(Some(Change::Modified), DiffText::Untold);
        assert_eq!(before_of("new\n", &written, Some("old\n")), Some(Some("old\n".into())));
        assert_eq!(before_of("new\n", &written, Some("new\n")), None);
        let added = told(Some(Change::Added), DiffText::Untold);
        assert_eq!(before_of("new\n", &added, None), Some(None));
        let created = told(None, patch("@@ -0,0 +1,1 @@\n+new\n"));
        assert_eq!(before_of("new\n", &created, None), Some(None));
        let part = told(None, texts("two", "TWO"));
        assert_eq!(before_of("one\nTWO\n", &part, None), Some(Some("one\ntwo\n".into())));
        assert_eq!(before_of("TWO\nTWO\n", &part, None), None);
        // Told after a line beside it was changed too, a diff does not fit; what was asked for does.
        let late = told(None, patch("@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n"));
        assert_eq!(before_of("ONE\nTWO\n", &late, Some("ONE\nTWO\n")), None);
        let asked = told(None, texts("one", "ONE"));
        assert_eq!(before_of("ONE\nTWO\n", &asked, None), Some(Some("one\nTWO\n".into())));
        let gone = told(Some(Change::Deleted), patch("@@ -1,1 +0,0 @@\n-one\n"));
        assert_eq!(before(None, &gone, None), Some(Some("one\n".into())));
    }
}
