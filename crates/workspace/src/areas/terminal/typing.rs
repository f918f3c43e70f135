//! What agents type into terminals, as lines that somebody can decide about.
//!
//! A line is judged when it is complete, also when it came in pieces; what is not complete starts nothing
//! yet. Keys for a program that has the whole screen are no lines. What people type is not looked at.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use openspace_command::{Caller, CallerKind, Intent, Line};
use openspace_protocol::TerminalId;

use super::{TerminalRecord, Terminals, TerminalsPart, find_terminal};
use crate::{OpenSpace, walls};

/// So much of an unfinished line is remembered; a longer one is not read by anybody.
const MAX_UNFINISHED: usize = 128 * 1024;
/// Keys that throw away what stands at the prompt: Ctrl-C, Ctrl-D and Ctrl-U.
const CLEARS: [char; 3] = ['\u{3}', '\u{4}', '\u{15}'];

/// What agents typed since the last Enter, by terminal.
#[derive(Default)]
pub(super) struct Typed(Mutex<BTreeMap<TerminalId, String>>);

impl Typed {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<TerminalId, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lines that a text completes, with what was typed before on the first of them.
    pub(super) fn line(&self, id: TerminalId, text: &str) -> Option<String> {
        let text = with_line_ends(text);
        let (complete, _) = text.rsplit_once('\n')?;
        let before = self.lock().get(&id).cloned().unwrap_or_default();
        let line = before + complete;
        (!line.trim().is_empty()).then_some(line)
    }

    /// An agent typed a text.
    pub(super) fn note(&self, id: TerminalId, text: &str) {
        let text = with_line_ends(text);
        let mut typed = self.lock();
        let unfinished = typed.entry(id).or_default();
        let begins_anew = |c: char| c == '\n' || CLEARS.contains(&c);
        match text.rsplit_once(begins_anew) {
            Some((_, rest)) => rest.clone_into(unfinished),
            None => unfinished.push_str(&text),
        }
        let end = unfinished.floor_char_boundary(MAX_UNFINISHED);
        unfinished.truncate(end);
        if unfinished.is_empty() {
            typed.remove(&id);
        }
    }

    /// The terminal is gone.
    pub(super) fn forget(&self, id: TerminalId) {
        self.lock().remove(&id);
    }
}

fn with_line_ends(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// What a call would do that types into a terminal; `line` says which lines it completes.
pub(super) fn intent(
    state: &OpenSpace,
    caller: &Caller,
    terminal: &str,
    line: impl FnOnce(&Typed, TerminalId) -> Option<String>,
) -> Intent {
    let space = state.space().state();
    // What is not there is said when it is looked for.
    let Ok((id, record)) = find_terminal(space.part::<TerminalsPart>(), terminal) else {
        return Intent::default();
    };
    let theirs = theirs(caller, id, record);
    let Some(text) = line(&state.service::<Terminals>().typed, id) else {
        return Intent { theirs, ..Intent::default() };
    };
    let shell = record.shell.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Intent {
        site: walls::terminal_site(state, caller, record),
        line: Some(Line { text, shell, is_typed: true }),
        theirs,
        ..Intent::default()
    }
}

/// What a call would do that starts a new shell in a terminal.
pub(super) fn restart_intent(state: &OpenSpace, caller: &Caller, terminal: &str) -> Intent {
    let space = state.space().state();
    let Ok((id, record)) = find_terminal(space.part::<TerminalsPart>(), terminal) else {
        return Intent::default();
    };
    Intent {
        site: walls::terminal_site(state, caller, record),
        folder: Some(record.cwd.clone()),
        theirs: theirs(caller, id, record),
        ..Intent::default()
    }
}

/// The same, for a terminal in which a program has the whole screen: what is typed are keys. Several lines
/// may outlive that program, so they stay lines.
pub(super) async fn as_keys(
    state: &Arc<OpenSpace>,
    caller: &Caller,
    terminal: &str,
    text: &str,
) -> Option<Intent> {
    if text.trim_end_matches(['\n', '\r']).contains(['\n', '\r']) {
        return None;
    }
    let space = state.space().state();
    let (id, _) = find_terminal(space.part::<TerminalsPart>(), terminal).ok()?;
    let status = state.service::<Terminals>().get(id)?.status().await.ok()?;
    status.alternate_screen.then(|| intent(state, caller, terminal, |_, _| None))
}

/// An agent in a terminal that no agent made is in somebody else's.
fn theirs(caller: &Caller, id: TerminalId, record: &TerminalRecord) -> Option<String> {
    let is_theirs = caller.kind == CallerKind::Agent && !record.is_agents();
    is_theirs.then(|| format!("terminal {id}"))
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn a_line_that_comes_in_pieces_is_one_line() {
        let (typed, id) = (Typed::default(), TerminalId(1));
        for piece in ["rm ", "-rf"] {
            assert_eq!(typed.line(id, piece), None);
            typed.note(id, piece);
        }
        assert_eq!(typed.line(TerminalId(2), " x\n"), Some(" x".into()));
        assert_eq!(typed.line(id, " x\r"), Some("rm -rf x".into()));
        assert_eq!(typed.line(id, " x\nls\r\nec"), Some("rm -rf x\nls".into()));
        typed.note(id, " x\nls\r\nec");
        assert_eq!(typed.line(id, "ho\n"), Some("echo".into()));
        typed.note(id, "\u{3}");
        assert_eq!((typed.line(id, "\n"), typed.line(id, "a\n")), (None, Some("a".into())));
    }

    #[test]
    fn what_is_remembered_of_a_line_without_an_end_has_a_bound() {
        let (typed, id) = (Typed::default(), TerminalId(1));
        for _ in 0..10 {
            typed.note(id, &"é".repeat(20_000));
        }
        assert_eq!(typed.lock()[&id].len(), MAX_UNFINISHED);
        typed.forget(id);
        assert_eq!(typed.lock().len(), 0);
    }
}
