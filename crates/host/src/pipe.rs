//! A program with a pipe, for whoever speaks with it: its input to write to, its output to read from,
//! the end of what it complained, and how it ended. The same wherever it runs.
//!
//! Nothing is lost and nothing piles up: a window of bytes waits for whoever does not read, and writing
//! waits for a program that does not read. The end of the output is told as such only when the program
//! closed it; where the place was lost, reading fails.

use std::{
    collections::VecDeque,
    io,
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use openspace_process::{Stream, pipe::Ended};
use tokio::{
    io::{
        AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, DuplexStream, ReadBuf, duplex,
    },
    sync::{mpsc, oneshot, watch},
};
use tokio_util::sync::{CancellationToken, DropGuard};

use self::window::{Takings, Window};
use crate::{
    conversation::Conversation,
    host::{Host, HostError},
    operation::{Pipe, PipeInput, PipeOutput, PipedProgram, WINDOW},
};

pub(crate) mod window;

/// What is kept of what a program complained.
const TAIL: usize = 64 * 1024;
/// The most bytes of input in one message; so many wait here besides those on their way.
const PIECE: usize = 64 * 1024;
/// What a pipe of the system may hold at most, which comes besides the window when a program ends.
const LARGEST_PIPE: usize = 1024 * 1024;
/// Messages that may wait between here and the host.
const WAITING: usize = 16;

/// A program that runs, with both ends of its pipe. Its three parts live by themselves.
pub struct PipedHandle {
    /// Writes to its standard input. Shut down or dropped, the input ends.
    pub stdin: PipeWriter,
    /// Reads its standard output. Dropped, the rest of the output is thrown away.
    pub stdout: PipeReader,
    /// The program itself. When the last clone is dropped, it is stopped.
    pub program: PipeProgram,
}

impl PipedHandle {
    /// Start a program on a host. It runs when this returns. Must be called in a tokio runtime.
    pub async fn start(host: Arc<dyn Host>, program: PipedProgram) -> Result<Self, HostError> {
        let (stdin, stdin_end) = duplex(PIECE);
        let (stdout, stdout_end) = duplex(WINDOW + LARGEST_PIPE);
        let cancel = CancellationToken::new();
        let stop = cancel.clone().drop_guard();
        let shared = Arc::new(Shared::default());
        let (started, runs) = oneshot::channel();
        tokio::spawn({
            let shared = Arc::clone(&shared);
            async move {
                let driver = Driver { shared: &shared, stdin: stdin_end, stdout: stdout_end };
                let outcome = driver.drive(&*host, program, cancel, started).await;
                shared.outcome.send_replace(Some(outcome));
            }
        });
        let Ok(pid) = runs.await else { return Err(shared.refused().await) };
        let reader = PipeReader { bytes: stdout, reading: Reading(Arc::clone(&shared)) };
        let running = Running { pid, shared, _stop: stop };
        let program = PipeProgram { running: Arc::new(running) };
        Ok(Self { stdin: PipeWriter { bytes: stdin }, stdout: reader, program })
    }
}

/// A program with a pipe, apart from its streams. Clones are the same program.
#[derive(Clone)]
pub struct PipeProgram {
    running: Arc<Running>,
}

struct Running {
    pid: u32,
    shared: Arc<Shared>,
    _stop: DropGuard,
}

impl PipeProgram {
    /// The number of its process, in its place.
    pub fn pid(&self) -> u32 {
        self.running.pid
    }

    /// The end of what it wrote to its standard error, as it is.
    pub fn stderr(&self) -> Vec<u8> {
        let tail = self.running.shared.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        tail.iter().copied().collect()
    }

    /// Ask all its processes to end, and end those that are still there after this long. Asked again
    /// with less patience, it is ended sooner. What it wrote can still be read.
    pub fn stop(&self, patience: Duration) {
        self.running.shared.stop.send_replace(Some(patience));
    }

    /// Wait for its end, and learn how it was. All that it wrote has arrived then, read or not.
    pub async fn ended(&self) -> Result<Ended, HostError> {
        self.running.shared.ended().await
    }
}

/// What the parts of a handle share with the task that speaks for them.
#[derive(Default)]
struct Shared {
    /// What the program wrote to its output and was read.
    stdout: Takings,
    stderr_taken: Takings,
    stderr: Mutex<VecDeque<u8>>,
    /// The program closed its output.
    stdout_closed: AtomicBool,
    /// How long the program may take to stop, once it was asked to.
    stop: watch::Sender<Option<Duration>>,
    outcome: watch::Sender<Option<Result<Ended, HostError>>>,
}

impl Shared {
    async fn ended(&self) -> Result<Ended, HostError> {
        let mut outcome = self.outcome.subscribe();
        match outcome.wait_for(Option::is_some).await.as_deref() {
            Ok(Some(Ok(ended))) => Ok(ended.clone()),
            Ok(Some(Err(error))) => Err(again(error)),
            // The sender is ours, so this cannot be.
            Ok(None) | Err(_) => Err(HostError::Cancelled),
        }
    }

    /// Why nothing was started. Nobody else asks.
    async fn refused(&self) -> HostError {
        drop(self.outcome.subscribe().wait_for(Option::is_some).await);
        match self.outcome.send_replace(None) {
            Some(Err(error)) => error,
            _ => HostError::Protocol("it answered before it started anything".into()),
        }
    }

    fn complained(&self, bytes: &[u8]) {
        let mut tail = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = &bytes[bytes.len().saturating_sub(TAIL)..];
        let excess = (tail.len() + bytes.len()).saturating_sub(TAIL);
        tail.drain(..excess);
        tail.extend(bytes);
    }
}

/// The same error for everybody who asks.
fn again(error: &HostError) -> HostError {
    match error {
        HostError::Lost(reason) => HostError::Lost(reason.clone()),
        HostError::Protocol(reason) => HostError::Protocol(reason.clone()),
        HostError::Unreachable(reason) => HostError::Unreachable(reason.clone()),
        HostError::Cancelled => HostError::Cancelled,
        HostError::TooMany { what, count } => {
            HostError::TooMany { what: what.clone(), count: *count }
        }
        other => HostError::Internal(other.to_string()),
    }
}

/// Speaks with the host for the parts of a handle.
struct Driver<'a> {
    shared: &'a Shared,
    stdin: DuplexStream,
    stdout: DuplexStream,
}

impl Driver<'_> {
    async fn drive(
        self,
        host: &dyn Host,
        program: PipedProgram,
        cancel: CancellationToken,
        started: oneshot::Sender<u32>,
    ) -> Result<Ended, HostError> {
        let Self { shared, stdin, stdout } = self;
        let (items, told) = mpsc::channel(WAITING);
        let (said, inputs) = mpsc::channel(WAITING);
        let conversation = Conversation { items: Some(items), inputs: Some(inputs), cancel };
        let window = Window::default();
        let deaf = CancellationToken::new();
        let asked = host.ask_with(Pipe { program }, conversation);
        let hear = hear(told, stdout, shared, &window, &deaf, started);
        tokio::select! {
            (outcome, ()) = async { tokio::join!(asked, hear) } => outcome,
            never = speak(said, stdin, shared, &window, &deaf) => match never {},
        }
    }
}

/// Take what the host tells, at once: nothing that is told is behind bytes that nobody reads.
async fn hear(
    mut told: mpsc::Receiver<PipeOutput>,
    stdout: DuplexStream,
    shared: &Shared,
    window: &Window,
    deaf: &CancellationToken,
    started: oneshot::Sender<u32>,
) {
    let mut started = Some(started);
    let mut stdout = Some(stdout);
    while let Some(item) = told.recv().await {
        match item {
            PipeOutput::Started { pid } => {
                if let Some(started) = started.take() {
                    // Who did not wait for it has given up the program.
                    _ = started.send(pid);
                }
            }
            PipeOutput::Bytes { stream: Stream::Stdout, bytes } => {
                let unread = match &mut stdout {
                    Some(open) => open.write_all(&bytes).await.is_err(),
                    None => true,
                };
                if unread {
                    stdout = None;
                    shared.stdout.take(bytes.len());
                }
            }
            PipeOutput::Bytes { stream: Stream::Stderr, bytes } => {
                shared.complained(&bytes);
                shared.stderr_taken.take(bytes.len());
            }
            PipeOutput::Closed(Stream::Stdout) => {
                shared.stdout_closed.store(true, Ordering::Release);
                stdout = None;
            }
            PipeOutput::Closed(Stream::Stderr) => {}
            PipeOutput::Took(bytes) => window.regain(bytes),
            PipeOutput::Deaf => deaf.cancel(),
        }
    }
}

/// Say what there is to say, what is urgent first.
async fn speak(
    said: mpsc::Sender<PipeInput>,
    stdin: DuplexStream,
    shared: &Shared,
    window: &Window,
    deaf: &CancellationToken,
) -> std::convert::Infallible {
    let mut stop = shared.stop.subscribe();
    let mut stdin = Some(stdin);
    let mut buffer = vec![0; PIECE];
    loop {
        let input = tokio::select! {
            biased;
            Ok(()) = stop.changed() => {
                let Some(patience) = *stop.borrow_and_update() else { continue };
                let patience_ms = u64::try_from(patience.as_millis()).unwrap_or(u64::MAX);
                PipeInput::Stop { patience_ms }
            }
            bytes = shared.stdout.to_say() => PipeInput::Took { stream: Stream::Stdout, bytes },
            bytes = shared.stderr_taken.to_say() => {
                PipeInput::Took { stream: Stream::Stderr, bytes }
            }
            () = deaf.cancelled(), if stdin.is_some() => {
                stdin = None;
                continue;
            }
            count = next(&mut stdin, window, &mut buffer) => {
                if count == 0 {
                    stdin = None;
                    PipeInput::Close
                } else {
                    PipeInput::Bytes(buffer[..count].to_vec())
                }
            }
        };
        if said.send(input).await.is_err() {
            // The call is over; who awaits its reply knows how.
            std::future::pending::<()>().await;
        }
    }
}

/// Wait for input that may be sent; 0 when there is no more. Losing the future loses nothing.
async fn next(stdin: &mut Option<DuplexStream>, window: &Window, buffer: &mut [u8]) -> usize {
    let Some(stdin) = stdin else { return std::future::pending().await };
    let room = window.room().await.min(buffer.len());
    let count = stdin.read(&mut buffer[..room]).await.unwrap_or(0);
    window.sent(count);
    count
}

/// Writes to the standard input of a program. What was written is on its way to it; it fails with
/// `BrokenPipe` when the program takes no more.
pub struct PipeWriter {
    bytes: DuplexStream,
}

impl AsyncWrite for PipeWriter {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.bytes).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.bytes).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.bytes).poll_shutdown(context)
    }
}

/// Reads the standard output of a program.
pub struct PipeReader {
    bytes: DuplexStream,
    /// Dropped after the bytes, as it stands after them.
    reading: Reading,
}

/// Somebody may read.
struct Reading(Arc<Shared>);

impl Drop for Reading {
    /// What lies unread must not keep the window closed: the rest is thrown away.
    fn drop(&mut self) {
        self.0.stdout.take(WINDOW);
    }
}

impl AsyncRead for PipeReader {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let (before, wanted) = (buffer.filled().len(), buffer.remaining());
        ready!(Pin::new(&mut self.bytes).poll_read(context, buffer))?;
        let count = buffer.filled().len() - before;
        let shared = &self.reading.0;
        shared.stdout.take(count);
        if count == 0 && wanted > 0 && !shared.stdout_closed.load(Ordering::Acquire) {
            let message = "the program's output breaks off: nobody knows what came after";
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::UnexpectedEof, message)));
        }
        Poll::Ready(Ok(()))
    }
}
