//! Whose the commands are that run in terminals: who pressed Enter last when one began.
//!
//! A guess as good as a person's who looks at the same screen, and no proof: it decides nothing. It is kept for the
//! commands that fail, which agents are told of when a person ran them.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use openspace_command::CallerKind;
use openspace_protocol::TerminalId;
use openspace_terminal::{CommandMark, Status};

/// Who pressed Enter last, by terminal.
#[derive(Default)]
pub(super) struct Entered(Mutex<BTreeMap<TerminalId, CallerKind>>);

impl Entered {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<TerminalId, CallerKind>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Somebody typed a text, or pressed keys.
    pub(super) fn typed(&self, id: TerminalId, by: CallerKind, keys: &[u8]) {
        if keys.iter().any(|key| matches!(key, b'\r' | b'\n')) {
            self.lock().insert(id, by);
        }
    }

    fn last(&self, id: TerminalId) -> Option<CallerKind> {
        self.lock().get(&id).copied()
    }

    pub(super) fn forget(&self, id: TerminalId) {
        self.lock().remove(&id);
    }
}

/// The commands of one shell, as far as they were looked at.
#[derive(Default)]
pub(super) struct Commands {
    /// The number of the next command that ends.
    next: u64,
    /// Who began that one, once it was seen to run.
    begun_by: Option<CallerKind>,
}

impl Commands {
    /// The shell is so now. Gives a command that has ended since, with who began it.
    pub(super) fn look(
        &mut self,
        id: TerminalId,
        status: &Status,
        entered: &Entered,
    ) -> Option<(CommandMark, Option<CallerKind>)> {
        let ended = status.last_ended.as_ref().filter(|ended| ended.number >= self.next);
        let ended = ended.map(|ended| {
            // Of several that ended since, the others were begun and ended unseen.
            let seen = self.begun_by.take().filter(|_| ended.number == self.next);
            self.next = ended.number + 1;
            (ended.clone(), seen.or_else(|| entered.last(id)))
        });
        if status.at_prompt == Some(false) && self.begun_by.is_none() {
            self.begun_by = entered.last(id);
        }
        ended
    }
}

#[cfg(test)]
mod tests {
    use openspace_terminal::{Life, Size};
    use pretty_assertions::assert_eq;

    use super::*;

    fn status(ended: Option<u64>, runs: bool) -> Status {
        let mark = |number| CommandMark {
            number,
            command: Some("make".into()),
            first_line: 0,
            end_line: Some(1),
            exit_code: Some(2),
            cwd: None,
        };
        Status {
            life: Life::Running { pid: 1 },
            size: Size { rows: 24, cols: 80 },
            alternate_screen: false,
            title: String::new(),
            integration: true,
            at_prompt: Some(!runs),
            running_command: None,
            cwd: None,
            last_ended: ended.map(mark),
        }
    }

    #[test]
    fn a_command_is_whose_enter_began_it_whatever_is_typed_while_it_runs() {
        let (id, entered, mut commands) = (TerminalId(1), Entered::default(), Commands::default());
        let mut look = |ended, runs| {
            let found = commands.look(id, &status(ended, runs), &entered);
            found.map(|(mark, by)| (mark.number, by))
        };
        assert_eq!(look(None, false), None);
        entered.typed(id, CallerKind::Agent, b"make");
        assert_eq!(entered.last(id), None, "no Enter");
        entered.typed(id, CallerKind::Agent, b"make\r");
        assert_eq!(look(None, true), None);
        entered.typed(id, CallerKind::Person, b"y\r");
        assert_eq!(look(None, true), None);
        assert_eq!(look(Some(0), false), Some((0, Some(CallerKind::Agent))));
        assert_eq!(look(Some(0), false), None);
        assert_eq!(look(Some(3), true), Some((3, Some(CallerKind::Person))), "begun unseen");
        entered.forget(id);
        assert_eq!(look(Some(4), false), Some((4, Some(CallerKind::Person))));
    }
}
