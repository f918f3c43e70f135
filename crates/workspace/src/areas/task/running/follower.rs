//! Reads the terminal of a task while it runs, and for as long as it goes on.

use std::{sync::Arc, time::Duration};

use openspace_host::{HostError, TerminalHandle};
use openspace_terminal::{Life, ReadRequest};
use tokio::time::sleep;

use super::{Finish, LINES, Reader, Running, lock};

/// A terminal is looked at this often at most.
const LOOK_EVERY: Duration = Duration::from_millis(300);

/// Somebody who reads a terminal until the task in it ends.
pub(super) struct Follower {
    pub(super) running: Arc<Running>,
    pub(super) key: String,
    /// The number that the task's command has at least.
    pub(super) next: u64,
}

impl Follower {
    /// Until the task ends; or, for who waits for it, until it has looked for the first time.
    pub(super) async fn follow(
        &self,
        terminal: &TerminalHandle,
        reader: &mut Reader,
        until_it_has_looked: bool,
    ) -> Finish {
        let mut changed = terminal.changed();
        loop {
            // How it is before what it shows: then all that the task printed is there when it has ended.
            let status = match terminal.status().await {
                Ok(status) => status,
                Err(error) => return lost(&error),
            };
            let ended = status.last_ended.filter(|ended| ended.number >= self.next);
            let request = ReadRequest { lines: LINES, since: Some(reader.cursor()) };
            let text = match terminal.read(request).await {
                Ok(reading) => reading.text,
                Err(error) => return lost(&error),
            };
            if text.dropped > 0 {
                reader.gap();
            }
            let last = ended.as_ref().filter(|ended| ended.number == self.next);
            let last = last.and_then(|ended| ended.end_line);
            let mut has_looked = false;
            for (number, line) in (text.first_line..).zip(&text.lines) {
                // What stands behind it is the prompt.
                if last.is_some_and(|last| number >= last) {
                    break;
                }
                lock(&self.running.tail).push(line);
                has_looked |= reader.line(line);
            }
            reader.read_to(text.cursor);
            if let Some(ended) = ended {
                // Of several that have ended since, nobody knows which was the task's.
                let code = ended.exit_code.filter(|_| ended.number == self.next);
                return Finish::Ended(code);
            }
            if let Life::Exited(exit) = status.life {
                return Finish::Ended(exit.code);
            }
            if has_looked {
                self.running.publish(&self.key, reader);
                if until_it_has_looked {
                    return Finish::Watching;
                }
            }
            if !text.more {
                if !changed.next().await {
                    return Finish::Failed("its terminal was closed".into());
                }
                sleep(LOOK_EVERY).await;
            }
        }
    }

    /// Nobody waits for what goes on; it is followed all the same.
    pub(super) fn go_on(self, terminal: TerminalHandle, mut reader: Reader) {
        tokio::spawn(async move {
            let stop = self.running.tasks.stop.clone();
            let finish = tokio::select! {
                biased;
                () = stop.cancelled() => return,
                finish = self.follow(&terminal, &mut reader, false) => finish,
            };
            self.running.publish(&self.key, &reader);
            self.running.note_finish(&self.key, &finish);
        });
    }
}

fn lost(error: &HostError) -> Finish {
    Finish::Failed(match error {
        HostError::Unknown { .. } => "its terminal was closed".into(),
        error => error.to_string(),
    })
}
