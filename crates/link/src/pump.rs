//! Moves frames over one stream until it ends. One task reads, writes and keeps the time; what
//! frames mean is the [`Side`]'s, and whether another stream follows is decided by its owner.

use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader, ReadBuf};
use tokio::time::{sleep, timeout};

use super::frame::{self, Received, Unread};
use super::session::Session;
use super::{BoxStream, Heartbeat, Violation};

const READ_BUFFER: usize = 128 * 1024;
/// A larger payload is written from where it is.
const COPIED: usize = 64 * 1024;
/// How long an acknowledgement waits for a frame to travel with.
const ACKNOWLEDGE_AFTER: Duration = Duration::from_millis(20);

/// How long to read what is left in a stream that the other side has given up.
pub(super) const DRAIN: Duration = Duration::from_millis(100);

/// How a stream ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The caller said goodbye, or has heard it said.
    Goodbye,
    /// The stream ended between two frames.
    Closed,
    Broken(String),
    Violation(Violation),
}

pub(super) enum Flow {
    On,
    Goodbye,
}

/// What a frame does on this side. Must not wait.
pub(super) trait Side {
    fn dispatch(&self, session: &Arc<Session>, frame: Received) -> Result<Flow, Violation>;
}

pub(super) async fn run(
    stream: BoxStream,
    session: &Arc<Session>,
    side: &impl Side,
    heartbeat: Option<Heartbeat>,
) -> End {
    let (reader, writer) = tokio::io::split(stream);
    let heard = AtomicBool::new(true);
    let reader = Attentive { reader, heard: &heard };
    let mut reading = pin!(read(reader, session, side));
    tokio::select! {
        end = &mut reading => end,
        written = write(writer, session) => match written {
            Ok(end) => end,
            Err(error) => timeout(DRAIN, reading).await.unwrap_or_else(|_| broken(&error)),
        },
        end = listen(session, &heard, heartbeat) => end,
        () = acknowledge(session) => End::Closed,
    }
}

fn broken(error: &io::Error) -> End {
    End::Broken(match error.kind() {
        io::ErrorKind::UnexpectedEof => "the stream ended inside a frame".to_owned(),
        _ => format!("the stream broke: {error}"),
    })
}

async fn read(reader: impl AsyncRead + Unpin, session: &Arc<Session>, side: &impl Side) -> End {
    let mut reader = BufReader::with_capacity(READ_BUFFER, reader);
    loop {
        let frame = match frame::read(&mut reader).await {
            Ok(frame) => frame,
            Err(Unread::Closed) => return End::Closed,
            Err(Unread::Broken(error)) => return broken(&error),
            Err(Unread::Violation(violation)) => return End::Violation(violation),
        };
        let flow = session.note(&frame).and_then(|()| {
            if frame.kind.is_sequenced() { side.dispatch(session, frame) } else { Ok(Flow::On) }
        });
        match flow {
            Ok(Flow::On) => {}
            Ok(Flow::Goodbye) => return End::Goodbye,
            Err(violation) => return End::Violation(violation),
        }
    }
}

async fn write(mut writer: impl AsyncWrite + Unpin, session: &Session) -> io::Result<End> {
    let mut batch = Vec::new();
    let mut buffer = Vec::new();
    loop {
        let ready = session.take(&mut batch);
        if batch.is_empty() {
            writer.flush().await?;
            session.ready().await;
            continue;
        }
        for frame in batch.drain(..) {
            buffer.extend_from_slice(&frame.prefix(ready.acknowledged));
            if frame.payload.len() <= COPIED {
                buffer.extend_from_slice(&frame.payload);
            } else {
                writer.write_all(&buffer).await?;
                buffer.clear();
                writer.write_all(&frame.payload).await?;
            }
        }
        writer.write_all(&buffer).await?;
        buffer.clear();
        if ready.goodbye {
            writer.flush().await?;
            writer.shutdown().await?;
            return Ok(End::Goodbye);
        }
    }
}

/// Breaks a stream on which the other side has fallen silent.
async fn listen(session: &Session, heard: &AtomicBool, heartbeat: Option<Heartbeat>) -> End {
    let Some(Heartbeat { interval, patience }) = heartbeat else {
        return std::future::pending().await;
    };
    loop {
        sleep(interval).await;
        if heard.swap(false, Ordering::Relaxed) {
            continue;
        }
        session.ping();
        sleep(patience).await;
        if !heard.swap(false, Ordering::Relaxed) {
            let silent = interval + patience;
            return End::Broken(format!("the other side has been silent for {silent:?}"));
        }
    }
}

async fn acknowledge(session: &Session) {
    loop {
        session.owing().await;
        sleep(ACKNOWLEDGE_AFTER).await;
        session.acknowledge_owed();
    }
}

/// Notices bytes, so that a large frame on a slow stream is not taken for silence.
struct Attentive<'a, R> {
    reader: R,
    heard: &'a AtomicBool,
}

impl<R: AsyncRead + Unpin> AsyncRead for Attentive<'_, R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.reader).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.heard.store(true, Ordering::Relaxed);
        }
        polled
    }
}
