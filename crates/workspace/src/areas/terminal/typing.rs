//! What agents type into terminals, as lines that somebody can decide about.
//!
//! A line is judged when it is complete, also when it came in pieces; what is not complete starts nothing
//! yet. Keys for a program that has the whole screen are no lines, where walls hold what that program does.
//!
//! Where nothing holds it, a line is known only if it comes whole and to a prompt: a program can take its first
//! letters and leave the rest to the shell, one with the whole screen runs others at a key, and any can say
//! that it has the screen. So whatever else may act is asked about. What people type is not looked at.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use openspace_command::{Caller, CallerKind, Error, Intent, Line, Result, Site};
use openspace_host::TerminalHandle;
use openspace_protocol::TerminalId;
use openspace_terminal::Status;
use tokio::time::{Instant, sleep_until};

use super::{TerminalRecord, Terminals, TerminalsPart, find_terminal};
use crate::{Cx, OpenSpace, walls};

/// So much of an unfinished line is remembered; a longer one is not read by anybody.
const MAX_UNFINISHED: usize = 128 * 1024;
/// Throws away what stands at the prompt.
const CTRL_C: char = '\u{3}';
/// Throws away what stands before the cursor.
const CTRL_U: char = '\u{15}';
/// Keys that edit a line, or throw it away: they start nothing.
const EDITS: [char; 5] = [CTRL_C, CTRL_U, '\t', '\u{8}', '\u{7f}'];
/// So long after Enter a shell is given to say that it runs something; until then it seems to be at its prompt.
const SETTLES_WITHIN: Duration = Duration::from_millis(500);

/// What an agent typed into a terminal.
#[derive(Default)]
struct Unfinished {
    /// Since the last Enter.
    text: String,
    /// When that was.
    entered: Option<Instant>,
    /// Held by the call that types now.
    turn: Arc<tokio::sync::Mutex<()>>,
}

/// What agents typed since the last Enter, by terminal.
#[derive(Default)]
pub(super) struct Typed(Mutex<BTreeMap<TerminalId, Unfinished>>);

impl Typed {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<TerminalId, Unfinished>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn before(&self, id: TerminalId) -> String {
        self.lock().get(&id).map(|typed| typed.text.clone()).unwrap_or_default()
    }

    /// What agents' calls wait for that type into a terminal: between the last look and the keys nobody else types.
    pub(super) fn turn(&self, id: TerminalId) -> Arc<tokio::sync::Mutex<()>> {
        Arc::clone(&self.lock().entry(id).or_default().turn)
    }

    /// The lines that a text completes, with what was typed before on the first of them.
    fn line(&self, id: TerminalId, text: &str) -> Option<String> {
        let text = with_line_ends(text);
        let (complete, _) = text.rsplit_once('\n')?;
        let line = self.before(id) + complete;
        (!line.trim().is_empty()).then_some(line)
    }

    /// What was typed and is typed now, if a key in it may act: programs with the whole screen take others than
    /// Enter for it too. Enter is among it as a control character, so nobody takes it for a line that is known.
    fn acting(&self, id: TerminalId, text: &str) -> Option<String> {
        let acts = |c: char| c.is_control() && !EDITS.contains(&c);
        text.contains(acts).then(|| self.before(id) + &text.replace('\n', "\r"))
    }

    /// Whether a text is one line, whole, with nothing before it.
    fn is_whole(&self, id: TerminalId, text: &str) -> bool {
        let text = with_line_ends(text);
        let is_one = text.strip_suffix('\n').is_some_and(|line| !line.contains(char::is_control));
        is_one && self.before(id).is_empty()
    }

    /// When a shell that was given its last line has had time to say what it does.
    fn settles_at(&self, id: TerminalId) -> Option<Instant> {
        self.lock().get(&id)?.entered.map(|entered| entered + SETTLES_WITHIN)
    }

    /// An agent typed a text.
    pub(super) fn note(&self, id: TerminalId, text: &str) {
        let mut typed = self.lock();
        let Unfinished { text: unfinished, entered, .. } = typed.entry(id).or_default();
        for letter in with_line_ends(text).chars() {
            match letter {
                '\n' => {
                    unfinished.clear();
                    *entered = Some(Instant::now());
                }
                CTRL_C => unfinished.clear(),
                // Behind a key that moves it, nobody knows where the cursor is.
                CTRL_U if !unfinished.contains(char::is_control) => unfinished.clear(),
                _ if unfinished.len() < MAX_UNFINISHED => unfinished.push(letter),
                _ => {}
            }
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

/// What a call would do that types this text into a terminal.
pub(super) fn typing(state: &OpenSpace, caller: &Caller, terminal: &str, text: &str) -> Intent {
    intent(state, caller, terminal, |typed, id, site| match site {
        Site::Confined => typed.line(id, text),
        _ => typed.acting(id, text),
    })
}

/// The same, when it was looked at what runs in the terminal: keys for a program in a confined one, or a line that comes
/// to a prompt.
pub(super) async fn looked_at(
    state: &Arc<OpenSpace>,
    caller: &Caller,
    terminal: &str,
    text: &str,
) -> Option<Intent> {
    let space = state.space().state();
    let (id, record) = find_terminal(space.part::<TerminalsPart>(), terminal).ok()?;
    let terminals = state.service::<Terminals>();
    if walls::terminal_site(state, caller, record) == Site::Confined {
        // Several lines may outlive that program, so they stay lines.
        if text.trim_end_matches(['\n', '\r']).contains(['\n', '\r']) {
            return None;
        }
        let status = terminals.get(id)?.status().await.ok()?;
        return is_for_a_program(&status).then(|| untyped(state, caller, terminal));
    }
    if !terminals.typed.is_whole(id, text) {
        return None;
    }
    if let Some(settled) = terminals.typed.settles_at(id) {
        sleep_until(settled).await;
    }
    let status = terminals.get(id)?.status().await.ok()?;
    let is_at_prompt = status.at_prompt == Some(true) && !status.alternate_screen;
    is_at_prompt.then(|| intent(state, caller, terminal, |typed, id, _| typed.line(id, text)))
}

/// Whether a program that is known to run has the whole screen, and so what is typed.
fn is_for_a_program(status: &Status) -> bool {
    status.alternate_screen && status.at_prompt == Some(false)
}

/// Whether what is typed now belongs to a line. Where nothing holds a program it always may: the program may end before
/// it has read it.
pub(super) async fn is_line(
    state: &OpenSpace,
    caller: &Caller,
    id: TerminalId,
    terminal: &TerminalHandle,
) -> bool {
    let space = state.space().state();
    let record = space.part::<TerminalsPart>().get(&id);
    let is_held =
        record.is_some_and(|record| walls::terminal_site(state, caller, record) == Site::Confined);
    !is_held || terminal.status().await.map_or(true, |status| !is_for_a_program(&status))
}

/// What a call would do that runs a line in a terminal, behind what was typed there before.
pub(super) fn running(state: &OpenSpace, caller: &Caller, terminal: &str, line: &str) -> Intent {
    intent(state, caller, terminal, |typed, id, site| {
        let all = typed.before(id) + line;
        // Of several lines the first can take what comes behind it.
        let is_known = site == Site::Confined || (all == line && !line.trim().contains('\n'));
        Some(if is_known { all } else { all + "\r" })
    })
}

/// What a call would do that acts in a terminal and types no line: one that interrupts what runs.
pub(super) fn untyped(state: &OpenSpace, caller: &Caller, terminal: &str) -> Intent {
    intent(state, caller, terminal, |_, _, _| None)
}

/// What a call would do that types into a terminal; `line` says which lines it completes there.
fn intent(
    state: &OpenSpace,
    caller: &Caller,
    terminal: &str,
    line: impl FnOnce(&Typed, TerminalId, Site) -> Option<String>,
) -> Intent {
    let space = state.space().state();
    // What is not there is said when it is looked for.
    let Ok((id, record)) = find_terminal(space.part::<TerminalsPart>(), terminal) else {
        return Intent::default();
    };
    let (theirs, thing) = (theirs(caller, id, record), Some(format!("terminal {id}")));
    let site = walls::terminal_site(state, caller, record);
    let Some(text) = line(&state.service::<Terminals>().typed, id, site) else {
        return Intent { thing, theirs, ..Intent::default() };
    };
    let shell = record.shell.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let line = Some(Line { text, shell, is_typed: true });
    Intent { site, line, thing, theirs, ..Intent::default() }
}

/// Whether a call still does what was decided about: another may have typed while a person was asked, or while it waited
/// in line. To be looked at with the terminal's turn held.
pub(super) fn check_judged(cx: &Cx, now: &Intent) -> Result<()> {
    let Some(judged) = &cx.judged else { return Ok(()) };
    if judged.line == now.line && judged.thing == now.thing {
        return Ok(());
    }
    let message = "what was typed in the terminal has changed since this call was decided about";
    Err(Error::conflict(message).hint("nothing was typed; call again, and it is decided anew"))
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
        let whole =
            ["a\n", "a\r\n", "a", "a\nb\n", "\u{1b}[A\n"].map(|text| typed.is_whole(id, text));
        assert_eq!(whole, [true, true, false, false, false]);
        typed.note(id, "b");
        assert!(!typed.is_whole(id, "a\n"), "nobody knows where that went");
    }

    #[test]
    fn only_keys_that_throw_a_line_away_for_sure_are_taken_for_it() {
        let (typed, id) = (Typed::default(), TerminalId(1));
        for (keys, left) in [
            ("rm x\u{3}", "a"),
            ("rm x\u{15}", "a"),
            // The end of input is none in the middle of a line, and before its beginning nothing stands.
            ("rm x\u{4}", "rm x\u{4}a"),
            ("\u{3}rm x\u{1}\u{15}", "rm x\u{1}\u{15}a"),
        ] {
            typed.forget(id);
            typed.note(id, keys);
            assert_eq!(typed.line(id, "a\n"), Some(left.into()), "{keys:?}");
        }
    }

    #[test]
    fn keys_that_may_act_are_told_from_those_that_edit() {
        let (typed, id) = (Typed::default(), TerminalId(1));
        typed.note(id, ":!touch x");
        for key in ["\u{1b}OM", "\u{f}", "\u{1b}[13u", "\u{4}", "\r"] {
            assert_eq!(typed.acting(id, key), Some(format!(":!touch x{key}")));
        }
        assert_eq!(typed.acting(id, "\n"), Some(":!touch x\r".into()));
        for key in ["j", "\u{3}", "\u{15}", "\t", "\u{7f}"] {
            assert_eq!(typed.acting(id, key), None, "{key:?}");
        }
    }

    #[test]
    fn what_is_remembered_of_a_line_without_an_end_has_a_bound() {
        let (typed, id) = (Typed::default(), TerminalId(1));
        for _ in 0..10 {
            typed.note(id, &"é".repeat(20_000));
        }
        assert!(typed.before(id).len() <= MAX_UNFINISHED + 1);
        typed.forget(id);
        assert_eq!(typed.lock().len(), 0);
    }
}
