//! Follows a command that was typed until what was asked for has come.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::pin;
use std::time::Duration;

use regex::{Regex, RegexBuilder};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::super::{State, Terminal};
use super::types::{Ended, RunOutcome, Wait};
use crate::marks::Phase;
use crate::types::{Life, ReadRequest, TerminalError};

const PATTERN_BYTES: usize = 4 * 1024;
const PATTERN_MEMORY: usize = 1024 * 1024;
const CONNECT_PATIENCE: Duration = Duration::from_millis(500);
const CONNECT_PAUSE: Duration = Duration::from_millis(50);
/// How long a finished command waits for the prompt behind it, which tells the folder.
const PROMPT_GRACE: Duration = Duration::from_secs(1);

/// What to wait for, ready to be looked for.
pub(super) enum Until {
    Exit,
    Quiet(Duration),
    Pattern(Box<Regex>),
    Port(u16),
}

impl Until {
    pub(super) fn new(wait: &Wait) -> Result<Self, TerminalError> {
        Ok(match wait {
            Wait::Exit => Self::Exit,
            Wait::Idle { quiet_ms } => Self::Quiet(Duration::from_millis(*quiet_ms)),
            Wait::Port { port } => Self::Port(port.get()),
            Wait::Pattern { pattern } if pattern.len() > PATTERN_BYTES => {
                let error = regex::Error::CompiledTooBig(PATTERN_BYTES);
                return Err(TerminalError::Pattern(error.to_string()));
            }
            Wait::Pattern { pattern } => Self::Pattern(Box::new(
                RegexBuilder::new(pattern)
                    .size_limit(PATTERN_MEMORY)
                    .dfa_size_limit(PATTERN_MEMORY)
                    .build()
                    .map_err(|error| TerminalError::Pattern(error.to_string()))?,
            )),
        })
    }
}

pub(super) struct Watch<'a> {
    terminal: &'a Terminal,
    until: Until,
    pub(super) limit: usize,
    /// Of the command, when the shell tells of it.
    pub(super) number: Option<u64>,
    /// Whether the shell tells nothing, so that only the kernel knows whether a program runs.
    pub(super) bare: bool,
    /// Of the output.
    pub(super) first_line: u64,
    began: Option<Instant>,
    /// Lines before this one were searched.
    searched: u64,
    matched: Option<String>,
}

impl<'a> Watch<'a> {
    pub(super) fn new(terminal: &'a Terminal, until: Until, limit: usize) -> Self {
        Self {
            terminal,
            until,
            limit,
            number: None,
            bare: false,
            first_line: 0,
            began: None,
            searched: 0,
            matched: None,
        }
    }

    /// The command is being typed now.
    pub(super) fn typed(&mut self) {
        self.began = Some(Instant::now());
    }

    pub(super) async fn follow(
        mut self,
        deadline: Instant,
        cancel: &CancellationToken,
    ) -> RunOutcome {
        let mut changed = self.terminal.changed();
        let mut quiet_since = Instant::now();
        let mut finished_at = None;
        let port = match self.until {
            Until::Port(port) => Some(port),
            Until::Exit | Until::Quiet(_) | Until::Pattern(_) => None,
        };
        let quiet = match self.until {
            Until::Quiet(quiet) => Some(quiet),
            Until::Exit | Until::Pattern(_) | Until::Port(_) => None,
        };
        let mut opened = pin!(accepting(port));
        let ended = loop {
            let seen = self.look();
            if let Some(ended) = seen.ended {
                break ended;
            }
            if seen.finished && finished_at.is_none() {
                finished_at = Some(Instant::now());
            }
            let graced = finished_at.map(|at| at + PROMPT_GRACE);
            tokio::select! {
                biased;
                () = cancel.cancelled() => break Ended::Cancelled,
                () = until(graced) => break Ended::Exited,
                () = sleep_until(deadline), if finished_at.is_none() => break Ended::TimedOut,
                () = until(quiet.map(|quiet| quiet_since + quiet)), if finished_at.is_none() => {
                    break Ended::Idle;
                }
                () = &mut opened, if finished_at.is_none() => break Ended::PortOpen,
                // The sender lives as long as the terminal.
                _ = changed.changed() => quiet_since = Instant::now(),
            }
        };
        self.outcome(ended)
    }

    fn look(&mut self) -> Seen {
        let terminal = self.terminal;
        let mut state = terminal.shared.state();
        let finished =
            self.number.is_some_and(|number| state.model.marks().finished(number).is_some());
        let drawn = state.model.marks().phase() != Phase::Drawing;
        let ended = if self.find_pattern(&mut state) {
            Some(Ended::Matched)
        } else if matches!(state.life, Life::Exited(_)) {
            Some(Ended::ShellEnded)
        } else if finished && drawn {
            Some(Ended::Exited)
        } else if matches!(self.until, Until::Exit) && !finished && state.model.alternate_screen() {
            Some(Ended::AlternateScreen)
        } else {
            None
        };
        Seen { ended, finished }
    }

    fn find_pattern(&mut self, state: &mut State) -> bool {
        let Until::Pattern(pattern) = &self.until else { return false };
        let Extent { end, partial, .. } = extent(self.number, state);
        self.searched = self.searched.max(self.first_line);
        let lines = state.model.numbered(self.searched..end.max(self.searched));
        self.searched = self.searched.max(end);
        // What a program redraws stays on its line until the next one is begun.
        self.matched = lines.into_iter().chain(partial).find(|line| pattern.is_match(line));
        self.matched.is_some()
    }

    pub(super) fn outcome(self, ended: Ended) -> RunOutcome {
        let running_apart =
            self.terminal.foreground().is_none_or(|group| Some(group) != self.terminal.leader());
        let mut state = self.terminal.shared.state();
        let alive = matches!(state.life, Life::Running { .. });
        let duration = self.began.map_or(Duration::ZERO, |began| began.elapsed());
        let Extent { end, partial, finished, exit_code } = extent(self.number, &mut state);
        let begun = self.began.is_some() && ended != Ended::NotRun;
        let (first, end, tail) = match ended {
            _ if self.began.is_none() => (end, end, None),
            Ended::NotRun => (self.first_line, state.model.marks().prompt_line, None),
            _ => (self.first_line, end.max(self.first_line), partial),
        };
        let excerpt = state.model.output(first.min(end), end, tail, self.limit);
        let cursor = hand_out(&mut state, end);
        let exit_code = match state.life {
            Life::Exited(exit) => exit.code,
            Life::Running { .. } => exit_code,
        };
        let apart = !self.bare || running_apart;
        RunOutcome {
            ended,
            exit_code,
            output_truncated: excerpt.omitted_at.is_some(),
            omitted_at: excerpt.omitted_at,
            total_lines: excerpt.total,
            output: excerpt.lines,
            cursor,
            matched: self.matched,
            running: alive && begun && !finished && apart,
            alternate_screen: state.model.alternate_screen(),
            duration_ms: u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
            cwd: state.model.marks().cwd().map(str::to_owned),
        }
    }
}

struct Seen {
    ended: Option<Ended>,
    finished: bool,
}

/// How far the output of a command goes.
struct Extent {
    end: u64,
    /// What stands there unfinished.
    partial: Option<String>,
    finished: bool,
    exit_code: Option<i32>,
}

fn extent(number: Option<u64>, state: &mut State) -> Extent {
    if let Some((command, tail)) = number.and_then(|number| state.model.marks().finished(number)) {
        return Extent {
            end: command.end_line.unwrap_or(command.first_line),
            partial: tail.cloned(),
            finished: true,
            exit_code: command.exit_code,
        };
    }
    let (end, _) = state.model.cursor_in_text();
    Extent { end, partial: state.model.partial(), finished: false, exit_code: None }
}

/// Promises that the numbers before `end` stay what they are.
fn hand_out(state: &mut State, end: u64) -> u64 {
    let request = ReadRequest { lines: 0, since: Some(end) };
    state.model.read(request).map_or(end, |read| read.cursor)
}

async fn until(instant: Option<Instant>) {
    match instant {
        Some(instant) => sleep_until(instant).await,
        None => std::future::pending().await,
    }
}

async fn accepting(port: Option<u16>) {
    let Some(port) = port else { return std::future::pending().await };
    while !accepts(port).await {
        sleep(CONNECT_PAUSE).await;
    }
}

/// Whether somebody accepts connections on this port of the loopback interface.
pub(super) async fn accepts(port: u16) -> bool {
    for address in
        [SocketAddr::from((Ipv4Addr::LOCALHOST, port)), (Ipv6Addr::LOCALHOST, port).into()]
    {
        if let Ok(Ok(_)) = timeout(CONNECT_PATIENCE, TcpStream::connect(address)).await {
            return true;
        }
    }
    false
}
