//! Runs a command in a terminal that a person may be watching, and waits for what was asked.
//!
//! The command is typed at the prompt, so everybody sees it; its output and exit code come from the
//! marks of the shell. What a person is typing is never mixed with it, and a command is never ended
//! here: a wait that ends early leaves it running. Nothing here judges what may be run.

mod types;
mod typing;
mod watch;

use std::time::Duration;

use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

pub use self::types::{Ended, RunOutcome, RunRequest, Wait};
use self::typing::Keys;
use self::watch::{Until, Watch};
use super::{Shared, Terminal};
use crate::marks::{Phase, ShellState};
use crate::types::{Life, TerminalError};

/// How long a shell may take from its start, or from the end of a command, to its prompt.
const PROMPT_PATIENCE: Duration = Duration::from_secs(10);
/// How long what is typed may wait for the first prompt of a shell, from its start.
const FIRST_PROMPT_PATIENCE: Duration = Duration::from_secs(5);
/// The rest of a prompt may be drawn after its end was marked.
const SETTLE: Duration = Duration::from_millis(500);
/// How long a shell may take to start what was typed. A shell that asks for the rest of an
/// unfinished command does not always say so.
const START_PATIENCE: Duration = Duration::from_secs(5);
const TAKE_BACK_PATIENCE: Duration = Duration::from_millis(500);
const TAKE_BACK_TRIES: usize = 6;

/// How the shell can be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ready {
    /// It is at its prompt and tells of its commands.
    Prompt,
    /// It tells nothing, but has the keyboard.
    Bare,
    Ended,
}

/// What became of the typed command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    Running {
        number: u64,
        first_line: u64,
    },
    NotRun,
    /// It waits for the rest of the command.
    Open,
    ShellEnded,
}

/// The right to be the only run of a terminal.
struct OnlyRun<'a>(&'a Shared);

impl<'a> OnlyRun<'a> {
    fn take(shared: &'a Shared, command: &str) -> Result<Self, TerminalError> {
        let mut state = shared.state();
        if let Some(running) = &state.run {
            return Err(TerminalError::Busy { running: Some(running.clone()) });
        }
        state.run = Some(command.to_owned());
        drop(state);
        Ok(Self(shared))
    }
}

impl Drop for OnlyRun<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.run = None;
        state.model.keep_head(0);
    }
}

impl Terminal {
    /// Types a command at the prompt and waits. See [`RunOutcome`]. `typed` is called when the command is typed.
    pub async fn run(
        &self,
        request: RunRequest,
        typed: impl FnOnce() + Send,
        cancel: &CancellationToken,
    ) -> Result<RunOutcome, TerminalError> {
        let keys = Keys::check(&request.command)?;
        let until = Until::new(&request.wait)?;
        let _only = OnlyRun::take(&self.shared, &request.command)?;
        let limit = request.lines.clamp(1, crate::transcript::LINE_LIMIT);

        let ready = tokio::select! {
            biased;
            () = cancel.cancelled() => None,
            ready = self.ready() => Some(ready?),
        };
        let mut watch = Watch::new(self, until, limit);
        let bare = match ready {
            None => return Ok(watch.outcome(Ended::Cancelled)),
            Some(Ready::Ended) => return Err(TerminalError::Ended),
            Some(Ready::Bare) if request.wait == Wait::Exit || keys.lines() > 1 => {
                return Err(TerminalError::NoIntegration);
            }
            Some(ready) => ready == Ready::Bare,
        };
        if let Wait::Port { port } = request.wait
            && watch::accepts(port.get()).await
        {
            return Err(TerminalError::PortTaken(port.get()));
        }

        let deadline = Instant::now() + Duration::from_millis(request.timeout_ms);
        if bare {
            let (line, _) = self.shared.state().model.cursor_in_text();
            watch.first_line = line + 1;
            watch.bare = true;
            watch.typed();
            self.write(&keys.plain()).await?;
            typed();
        } else {
            match self.enter(&keys, &mut watch, deadline, typed, cancel).await? {
                Some(Start::Running { number, first_line }) => {
                    watch.number = Some(number);
                    watch.first_line = first_line;
                }
                Some(Start::NotRun) => return Ok(watch.outcome(Ended::NotRun)),
                Some(Start::ShellEnded) => return Ok(watch.outcome(Ended::ShellEnded)),
                Some(Start::Open) => return Err(TerminalError::NotStarted),
                None => return Ok(watch.outcome(Ended::Cancelled)),
            }
        }
        Ok(watch.follow(deadline, cancel).await)
    }

    /// Types the command and waits until the shell has taken it; `None` when cancelled meanwhile.
    async fn enter(
        &self,
        keys: &Keys,
        watch: &mut Watch<'_>,
        deadline: Instant,
        typed: impl FnOnce() + Send,
        cancel: &CancellationToken,
    ) -> Result<Option<Start>, TerminalError> {
        let shell = self.shared.shell.ok_or(TerminalError::NoIntegration)?;
        let paste = self.reaches(SETTLE, |shared| shared.state().model.takes_paste()).await;
        let (started, prompts, continued) = {
            let mut state = self.shared.state();
            state.model.keep_head(watch.limit / 2);
            let (line, _) = state.model.cursor_in_text();
            // Only for a command that the shell takes and does not run.
            watch.first_line = line + keys.typed_lines(shell, paste);
            let marks = state.model.marks();
            (marks.started, marks.prompts, marks.continued)
        };
        let asks = if paste { 0 } else { keys.typed_lines(shell, paste) - 1 };
        let taken = |shared: &Shared| {
            let state = shared.state();
            let marks = state.model.marks();
            let first = marks.history().find(|command| command.number == started);
            if let Some(command) = first {
                return Some(Start::Running { number: started, first_line: command.first_line });
            }
            if matches!(state.life, Life::Exited(_)) {
                return Some(Start::ShellEnded);
            }
            if marks.at_prompt() && marks.prompts > prompts {
                return Some(Start::NotRun);
            }
            (marks.continued > continued + asks).then_some(Start::Open)
        };
        watch.typed();
        self.write(&keys.typed(shell, paste)).await?;
        typed();

        let patience = deadline.min(Instant::now() + START_PATIENCE);
        let found = tokio::select! {
            biased;
            () = cancel.cancelled() => {
                return Ok(taken(&self.shared).filter(|start| *start != Start::Open));
            }
            found = self.find(patience, taken) => found,
        };
        let found = match found {
            // A person may have pressed return just before: then the command comes after all.
            Some(Start::NotRun) => {
                let running = |shared: &Shared| {
                    taken(shared).filter(|start| matches!(start, Start::Running { .. }))
                };
                self.find(Instant::now() + SETTLE, running).await.or(found)
            }
            found => found,
        };
        match found {
            None | Some(Start::Open) => self.take_back(prompts, taken).await,
            found => Ok(found),
        }
    }

    /// Takes an unfinished command away from the shell, unless it has started after all.
    async fn take_back(
        &self,
        prompts: u64,
        taken: impl Fn(&Shared) -> Option<Start>,
    ) -> Result<Option<Start>, TerminalError> {
        let back = |shared: &Shared| {
            if let Some(start @ (Start::Running { .. } | Start::ShellEnded)) = taken(shared) {
                return Some(start);
            }
            // fish clears its line without a new prompt.
            let mut state = shared.state();
            let cleared = state.model.marks().prompts > prompts || !state.model.typing();
            (state.model.marks().at_prompt() && cleared).then_some(Start::Open)
        };
        // A line editor that is just about to read overlooks the key.
        for _ in 0..TAKE_BACK_TRIES {
            self.interrupt_key().await?;
            let found = self.find(Instant::now() + TAKE_BACK_PATIENCE, back).await;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(Some(Start::Open))
    }

    /// Waits for the first prompt of a shell that has just started and tells of its prompts. What is
    /// typed before that is shown by the device and again by the shell. Whoever is no such shell, or is
    /// not heard of for too long, is not waited for.
    pub async fn first_prompt(&self) {
        if self.shared.shell.is_none() {
            return;
        }
        let prompted = |shared: &Shared| {
            let state = shared.state();
            let over = matches!(state.life, Life::Exited(_));
            (over || state.model.marks().prompts > 0 || state.model.marks().started > 0)
                .then_some(over)
        };
        let deadline = self.shared.spawned + FIRST_PROMPT_PATIENCE;
        if Instant::now() < deadline && self.find(deadline, prompted).await == Some(false) {
            // The prompt is told of a moment before the line editor takes keys, which it does once it takes a
            // paste; not every one is asked to.
            let takes_keys = |shared: &Shared| {
                let state = shared.state();
                state.model.takes_paste() || state.model.marks().started > 0
            };
            self.reaches(SETTLE, takes_keys).await;
        }
    }

    /// Waits until a command can be typed.
    async fn ready(&self) -> Result<Ready, TerminalError> {
        // A shell that has been silent since long will not begin to speak now.
        let first = self.shared.spawned + PROMPT_PATIENCE;
        let later = Instant::now() + PROMPT_PATIENCE;
        let silent = || self.shared.shell.is_none() || !self.shared.state().model.marks().heard();
        let settled = |shared: &Shared| {
            let state = shared.state();
            if matches!(state.life, Life::Exited(_)) {
                return Some(Ok(Ready::Ended));
            }
            match (state.model.marks().phase(), state.model.marks().state()) {
                (_, ShellState::Running { command }) => {
                    Some(Err(TerminalError::Busy { running: command }))
                }
                (Phase::Prompt(_) | Phase::Continued(_), _) => Some(Ok(Ready::Prompt)),
                _ => None,
            }
        };
        let found = if self.shared.shell.is_none() {
            settled(&self.shared)
        } else {
            let found = self.find(first, settled).await;
            if found.is_none() && !silent() { self.find(later, settled).await } else { found }
        };
        match found {
            Some(Ok(Ready::Prompt)) => {}
            Some(found) => return found,
            None if !silent() => return Err(TerminalError::NoPrompt),
            None if self.foreground().is_some_and(|group| Some(group) != self.leader()) => {
                return Err(TerminalError::Busy { running: None });
            }
            None => {
                // What is typed before the first prompt would stand before it.
                self.reaches(SETTLE, |shared| shared.state().model.cursor_in_text() != (0, 0))
                    .await;
                return Ok(Ready::Bare);
            }
        }
        let untouched = self.reaches(SETTLE, |shared| !shared.state().model.typing()).await;
        if untouched { Ok(Ready::Prompt) } else { Err(TerminalError::Typing) }
    }

    async fn reaches(&self, patience: Duration, reached: impl Fn(&Shared) -> bool) -> bool {
        let found = |shared: &Shared| reached(shared).then_some(());
        self.find(Instant::now() + patience, found).await.is_some()
    }

    /// Looks whenever the terminal changes, at least once and until the deadline.
    pub(super) async fn find<T>(
        &self,
        deadline: Instant,
        look: impl Fn(&Shared) -> Option<T>,
    ) -> Option<T> {
        let mut changed = self.changed();
        loop {
            if let Some(found) = look(&self.shared) {
                return Some(found);
            }
            // The sender lives as long as this terminal, so only time can end this.
            if timeout_at(deadline, changed.changed()).await.is_err() {
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests;
