//! Following a started shell to its end: reading its pipes, keeping its time, ending its tree.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::process::ExitStatus;
use std::task::{Context, Poll};
use std::time::Duration;

use rustix::process::Signal;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::process::Child;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::start::Started;
use super::{Patience, ProcessError, Stream, text};
use crate::tree::{self, TreeError};

const READ_BYTES: usize = 64 * 1024;
/// How many reads take what two pipes of the largest size can hold.
const LEFT_IN_PIPES: usize = 32;

/// Where output goes.
pub trait Sink: Send {
    /// A piece in the order of arrival, never with a character cut in two.
    fn take(&mut self, stream: Stream, piece: &[u8]);
    /// Waits until more may come. Losing the future must lose nothing.
    fn room(&mut self) -> impl Future<Output = ()> + Send;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
/// Why it ended.
pub enum Cause {
    Exited,
    TimedOut,
    Cancelled,
}

/// How it ended.
pub struct Ending {
    pub cause: Cause,
    /// Absent only if the shell could not be ended.
    pub status: Option<ExitStatus>,
    pub duration: Duration,
    /// How many processes outlived the shell.
    pub left_behind: usize,
    /// Those that could not be ended.
    pub survivors: Vec<u32>,
}

/// Follows a program to its end: what it prints goes to `sink`; when its time is over or it is
/// cancelled it is ended, and with it everything it left behind.
pub async fn follow(
    mut started: Started,
    limit: Option<Duration>,
    patience: Patience,
    cancel: &CancellationToken,
    sink: &mut impl Sink,
) -> Result<Ending, ProcessError> {
    let begin = Instant::now();
    // A time too far away to be told is no limit.
    let deadline = limit.and_then(|limit| begin.checked_add(limit));
    let late = async {
        match deadline {
            Some(deadline) => sleep_until(deadline).await,
            None => std::future::pending().await,
        }
    };
    let mut late = pin!(late);
    let mut pipes = Pipes::new(&mut started);
    let mut ended = None;
    let cause = loop {
        tokio::select! {
            biased;
            () = cancel.cancelled() => break Cause::Cancelled,
            status = started.child.wait() => {
                ended = Some((status.map_err(ProcessError::Wait)?, begin.elapsed()));
                break Cause::Exited;
            }
            () = &mut late => break Cause::TimedOut,
            () = pipes.pump(sink), if pipes.are_open() => {}
        }
    };
    let grace = match cause {
        Cause::Exited => {
            pipes.drain(sink, patience.drain_after_exit).await;
            patience.leftover_grace
        }
        Cause::TimedOut | Cause::Cancelled => patience.term_grace,
    };

    let told = {
        let mut end = pin!(tree::end(&started.tree, Signal::TERM, grace));
        loop {
            tokio::select! {
                biased;
                told = &mut end => break told,
                status = started.child.wait(), if ended.is_none() => {
                    ended = Some((status.map_err(ProcessError::Wait)?, begin.elapsed()));
                }
                () = pipes.pump(sink), if pipes.are_open() => {}
            }
        }
    };
    pipes.drain(sink, patience.drain_after_end).await;
    pipes.close(sink);
    if ended.is_none()
        && let Ok(status) = timeout(patience.drain_after_end, started.child.wait()).await
    {
        ended = Some((status.map_err(ProcessError::Wait)?, begin.elapsed()));
    }
    let (told, survivors) = match told {
        Ok(told) => (told, Vec::new()),
        Err(TreeError::StillRunning(survivors)) => (0, survivors),
        Err(error) => return Err(ProcessError::Wait(std::io::Error::other(error))),
    };
    started.over();
    Ok(Ending {
        cause,
        status: ended.map(|(status, _)| status),
        duration: ended.map_or_else(|| begin.elapsed(), |(_, duration)| duration),
        left_behind: if cause == Cause::Exited { told } else { 0 },
        survivors,
    })
}

struct Pipe {
    stream: Stream,
    /// Absent once it has come to its end.
    reader: Option<Box<dyn AsyncRead + Send + Unpin>>,
    /// The beginning of a character whose rest has not arrived.
    held: Vec<u8>,
}

impl Pipe {
    /// The number of bytes read, none at the end. A pipe that fails has nothing more to say.
    fn poll(&mut self, context: &mut Context<'_>, buffer: &mut [u8]) -> Poll<usize> {
        let Some(reader) = &mut self.reader else { return Poll::Pending };
        let mut buffer = ReadBuf::new(buffer);
        Pin::new(reader).poll_read(context, &mut buffer).map(|result| match result {
            Ok(()) => buffer.filled().len(),
            Err(error) => {
                tracing::warn!(%error, "a pipe of a run could not be read");
                0
            }
        })
    }

    fn give(&mut self, bytes: &[u8], sink: &mut impl Sink) {
        let joined;
        let mut piece = bytes;
        if !self.held.is_empty() {
            joined = [self.held.as_slice(), bytes].concat();
            piece = &joined;
        }
        let (whole, begun) = piece.split_at(piece.len() - text::unfinished(piece));
        self.held = begun.to_vec();
        if !whole.is_empty() {
            sink.take(self.stream, whole);
        }
    }

    fn close(&mut self, sink: &mut impl Sink) {
        self.reader = None;
        let held = std::mem::take(&mut self.held);
        if !held.is_empty() {
            sink.take(self.stream, &held);
        }
    }
}

struct Pipes {
    pipes: [Pipe; 2],
    buffer: Vec<u8>,
    /// The first pipe filled the whole buffer.
    flooded: bool,
}

impl Pipes {
    fn new(started: &mut Started) -> Self {
        let Child { stdout, stderr, .. } = &mut started.child;
        let stdout = stdout.take().map(|pipe| Box::new(pipe) as _);
        let stderr = stderr.take().map(|pipe| Box::new(pipe) as _);
        Self {
            pipes: [
                Pipe { stream: Stream::Stdout, reader: stdout, held: Vec::new() },
                Pipe { stream: Stream::Stderr, reader: stderr, held: Vec::new() },
            ],
            buffer: vec![0; READ_BYTES],
            flooded: false,
        }
    }

    fn are_open(&self) -> bool {
        self.pipes.iter().any(|pipe| pipe.reader.is_some())
    }

    /// Reads once from a pipe that has something. Losing the future loses nothing.
    async fn pump(&mut self, sink: &mut impl Sink) {
        sink.room().await;
        self.read(sink).await;
    }

    async fn read(&mut self, sink: &mut impl Sink) {
        let (index, count) = poll_fn(|context| self.poll(context)).await;
        self.flooded = index == 0 && count == self.buffer.len();
        if count == 0 {
            self.pipes[index].close(sink);
        } else {
            self.pipes[index].give(&self.buffer[..count], sink);
        }
    }

    /// Programs mostly print before they complain, so stdout goes first where the kernel tells no
    /// order, but a flood of it must not hide what goes wrong.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<(usize, usize)> {
        for index in if self.flooded { [1, 0] } else { [0, 1] } {
            if let Poll::Ready(count) = self.pipes[index].poll(context, &mut self.buffer) {
                return Poll::Ready((index, count));
            }
        }
        Poll::Pending
    }

    /// Reads to the end of both pipes, or for so long, and then what the pipes still hold.
    async fn drain(&mut self, sink: &mut impl Sink, patience: Duration) {
        let all = async {
            while self.are_open() {
                self.pump(sink).await;
            }
        };
        if timeout(patience, all).await.is_ok() {
            return;
        }
        // A slow disk may have used up the time; what the shell itself wrote is here already.
        for _ in 0..LEFT_IN_PIPES {
            if !self.are_open() || timeout(Duration::ZERO, self.read(sink)).await.is_err() {
                return;
            }
        }
    }

    fn close(&mut self, sink: &mut impl Sink) {
        for pipe in &mut self.pipes {
            pipe.close(sink);
        }
    }
}
