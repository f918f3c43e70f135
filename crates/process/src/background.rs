//! Commands that run on while others work: started at once, read in pieces, ended on demand.
//!
//! The newest output is kept in memory, all of it in a file once it is more than that. This module
//! keeps no list of runs; whoever holds the handle decides how long a run lives.

use std::collections::VecDeque;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::follow::{Cause, Ending, Sink, follow};
use super::spill::{Spill, reread};
use super::start::{check, start};
use super::text::{Readable, unfinished};
use crate::run::{BUDGET, FullOutput, LARGEST_SPILL, ProcessError, Run, Stream};

/// How much of the newest output stays in memory.
const RING: usize = 1024 * 1024;

/// A command in the background. Clones are the same run; dropping the last one ends it, because
/// nobody could see it any more. The file of its output stays.
#[derive(Clone)]
pub struct Background {
    shared: Arc<Shared>,
    stop: CancellationToken,
    _ends_with_the_last_handle: Arc<DropGuard>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    pub state: State,
    /// How much both streams have given so far.
    pub total_bytes: u64,
    /// The output holds zero bytes.
    pub binary: bool,
    /// The file with all output, once it is more than what stays in memory.
    pub full: Option<FullOutput>,
    /// Until now, or until the shell ended.
    pub duration: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum State {
    Running {
        pid: u32,
    },
    Ended(End),
    /// The system did not tell how the run ended.
    Lost {
        message: String,
    },
}

/// How a run ended. What outlived the shell has been ended as well.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct End {
    /// As the kernel reports it; absent when a signal ended the shell or it could not be ended.
    pub exit_code: Option<i32>,
    pub signal: Option<i32>,
    pub timed_out: bool,
    pub killed: bool,
    pub left_behind: usize,
    pub survivors: Vec<u32>,
}

/// A part of the output of both streams, in the order of arrival.
///
/// Successive reads, each with the `cursor` of the one before, give every byte exactly once, but
/// for those counted in `dropped`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Chunk {
    /// Bytes that are not UTF-8, and zero bytes, are shown as U+FFFD.
    pub text: String,
    /// Pass as `since` to go on from here.
    pub cursor: u64,
    /// How many bytes after `since` are lost because neither memory nor file holds them.
    pub dropped: u64,
    /// More is there to be read at once.
    pub more: bool,
}

impl Background {
    /// Starts a command and returns at once. Must be called in a tokio runtime.
    pub fn start(run: Run) -> Result<Self, ProcessError> {
        Self::start_with(run, RING, LARGEST_SPILL)
    }

    fn start_with(run: Run, ring: usize, spill: u64) -> Result<Self, ProcessError> {
        check(&run)?;
        let started = start(&run)?;
        let pid = started.child.id().unwrap_or_default();
        let shared = Arc::new(Shared {
            output: Mutex::default(),
            state: watch::Sender::new((State::Running { pid }, None)),
            begin: Instant::now(),
        });
        let stop = CancellationToken::new();
        let guard = Arc::new(stop.clone().drop_guard());
        let mut keeper = Keeper {
            shared: Arc::clone(&shared),
            folder: run.spill,
            ring,
            limit: spill,
            spill: None,
        };
        tokio::spawn({
            let stop = stop.clone();
            async move {
                let ending = follow(started, run.timeout, run.patience, &stop, &mut keeper).await;
                keeper.finish().await;
                let duration = match &ending {
                    Ok(ending) => ending.duration,
                    Err(_) => keeper.shared.begin.elapsed(),
                };
                keeper.shared.state.send_replace((ended(ending), Some(duration)));
            }
        });
        Ok(Self { shared, stop, _ends_with_the_last_handle: guard })
    }

    /// Reads from a cursor on; 0 is the beginning. Does not wait for output.
    pub async fn read(&self, since: u64) -> Result<Chunk, ProcessError> {
        let plan = self.shared.output().plan(since)?;
        let (mut bytes, from) = match plan.source {
            Source::Memory(bytes) => (bytes, since + plan.dropped),
            Source::File { path, size } => (reread(path, since, size).await?, since),
        };
        if from + (bytes.len() as u64) < plan.end {
            let whole = bytes.len() - unfinished(&bytes);
            if whole > 0 {
                bytes.truncate(whole);
            }
        }
        let cursor = from + bytes.len() as u64;
        Ok(Chunk {
            text: Readable::of(&bytes).text.into_owned(),
            cursor,
            dropped: plan.dropped,
            more: cursor < plan.end,
        })
    }

    pub fn status(&self) -> Status {
        let (state, duration) = self.shared.state.borrow().clone();
        let output = self.shared.output();
        Status {
            state,
            total_bytes: output.end,
            binary: output.binary,
            full: output.full.clone(),
            duration: duration.unwrap_or_else(|| self.shared.begin.elapsed()),
        }
    }

    /// Waits until the run has ended, but not longer than `patience`.
    pub async fn wait(&self, patience: Duration) -> Status {
        // Running out of patience is no failure: the status tells.
        _ = timeout(patience, self.ended()).await;
        self.status()
    }

    /// Ends the run and everything it started. Returns when all of it is gone.
    pub async fn kill(&self) -> Result<Status, ProcessError> {
        self.stop.cancel();
        self.ended().await;
        let status = self.status();
        match status.state {
            State::Ended(End { survivors, .. }) if !survivors.is_empty() => {
                Err(ProcessError::StillRunning(survivors))
            }
            _ => Ok(status),
        }
    }

    async fn ended(&self) {
        let mut state = self.shared.state.subscribe();
        // The sender lives as long as this handle.
        drop(state.wait_for(|(state, _)| !matches!(state, State::Running { .. })).await);
    }
}

fn ended(ending: Result<Ending, ProcessError>) -> State {
    match ending {
        Ok(ending) => State::Ended(End {
            exit_code: ending.status.and_then(|status| status.code()),
            signal: ending.status.and_then(|status| status.signal()),
            timed_out: ending.cause == Cause::TimedOut,
            killed: ending.cause == Cause::Cancelled,
            left_behind: ending.left_behind,
            survivors: ending.survivors,
        }),
        Err(error) => State::Lost { message: error.to_string() },
    }
}

struct Shared {
    output: Mutex<Output>,
    /// With the time the run took, once it is known.
    state: watch::Sender<(State, Option<Duration>)>,
    begin: Instant,
}

impl Shared {
    /// A panic while the lock was held leaves a state that is still consistent enough to read.
    fn output(&self) -> MutexGuard<'_, Output> {
        self.output.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The newest output, and where the older is.
#[derive(Default)]
struct Output {
    ring: VecDeque<u8>,
    /// The position of the first byte in the ring.
    start: u64,
    end: u64,
    binary: bool,
    full: Option<FullOutput>,
}

struct Plan {
    source: Source,
    dropped: u64,
    end: u64,
}

enum Source {
    Memory(Vec<u8>),
    File { path: PathBuf, size: usize },
}

impl Output {
    fn plan(&self, since: u64) -> Result<Plan, ProcessError> {
        if since > self.end {
            return Err(ProcessError::FutureCursor { since, current: self.end });
        }
        let in_file = self.full.as_ref().filter(|full| since < self.start && since < full.bytes);
        if let Some(full) = in_file {
            let size = usize::try_from(full.bytes - since).unwrap_or(BUDGET).min(BUDGET);
            let source = Source::File { path: full.path.clone(), size };
            return Ok(Plan { source, dropped: 0, end: self.end });
        }
        let dropped = self.start.saturating_sub(since);
        let skipped = usize::try_from((since + dropped) - self.start).unwrap_or(usize::MAX);
        let bytes = self.ring.iter().skip(skipped).take(BUDGET).copied().collect();
        Ok(Plan { source: Source::Memory(bytes), dropped, end: self.end })
    }

    /// Forgets the oldest bytes, but none that is still on its way to the file.
    fn trim(&mut self, size: usize, on_its_way_from: Option<u64>) {
        let oldest = self.end.saturating_sub(size as u64);
        let oldest = on_its_way_from.map_or(oldest, |from| oldest.min(from)).max(self.start);
        let count = usize::try_from(oldest - self.start).unwrap_or(usize::MAX);
        self.ring.drain(..count.min(self.ring.len()));
        self.start = oldest;
    }
}

/// The writing side of the output.
struct Keeper {
    shared: Arc<Shared>,
    folder: PathBuf,
    ring: usize,
    limit: u64,
    spill: Option<Spill>,
}

impl Keeper {
    fn note(&self, output: &mut Output) {
        let mut on_its_way_from = None;
        if let Some(spill) = &self.spill {
            let full = spill.output();
            on_its_way_from = spill.is_behind().then_some(full.bytes);
            output.full = Some(full);
        }
        output.trim(self.ring, on_its_way_from);
    }

    async fn finish(&mut self) {
        if let Some(spill) = &mut self.spill {
            spill.flush().await;
        }
        self.note(&mut self.shared.output());
    }
}

impl Sink for Keeper {
    fn take(&mut self, _: Stream, piece: &[u8]) {
        let shared = Arc::clone(&self.shared);
        let mut output = shared.output();
        output.ring.extend(piece);
        output.end += piece.len() as u64;
        output.binary |= piece.contains(&0);
        if let Some(spill) = &mut self.spill {
            spill.push(piece);
        } else if output.full.is_none() && output.ring.len() > self.ring {
            match Spill::create(&self.folder, self.limit) {
                Ok(mut spill) => {
                    spill.keep();
                    let (first, second) = output.ring.as_slices();
                    spill.push(first);
                    spill.push(second);
                    self.spill = Some(spill);
                }
                Err(failed) => output.full = Some(failed),
            }
        }
        self.note(&mut output);
    }

    async fn room(&mut self) {
        if let Some(spill) = &mut self.spill {
            spill.room().await;
            self.note(&mut self.shared.output());
        }
    }
}

#[cfg(test)]
mod tests;
