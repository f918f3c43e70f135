//! The conversation between a server and the runner that works for it, over any byte stream.
//!
//! One side calls ([`Link`]), the other serves ([`serve`], [`serve_again`]). A call is a request, any
//! number of items from the handler, any number of inputs to it, and one reply; many calls share one
//! stream and none waits for the consumer of another. When the caller can dial again, a broken
//! stream is replaced: frames carry sequence numbers, what was not acknowledged is sent again, and
//! nothing is lost or doubled.
//!
//! Payloads are opaque bytes. Nothing here knows of files or programs, encrypts, authenticates or
//! starts a fresh session in place of a lost one: what cannot be continued is [`LinkError::Lost`].
//!
//! Everything is bounded: the frame by [`LARGEST_FRAME`], unacknowledged frames by a budget in bytes
//! for which senders wait, what one call may leave unread by a window, and the number of calls by
//! [`MOST_CALLS`]. A peer that breaks a rule ends the link with [`LinkError::Protocol`].

mod client;
mod frame;
mod greeting;
mod lane;
mod outbox;
mod pump;
mod server;
mod session;
#[cfg(test)]
mod tests;

use std::io;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};

pub use self::client::{Call, Link, Sender};
pub use self::server::{Exchange, Handler, Inputs, Items, Unsent, serve, serve_again};

/// The version of the frames. Both sides must speak the same one.
pub const VERSION: u32 = 1;
/// The largest frame, its header included and its length field not.
pub const LARGEST_FRAME: usize = 80 * 1024 * 1024;
/// The largest request, reply, item or input.
pub const LARGEST_PAYLOAD: usize = LARGEST_FRAME - frame::HEADER;
/// The largest hello or welcome.
pub const LARGEST_HELLO: usize = 1024 * 1024;
/// How many calls may be open at once. A caller above it waits.
pub const MOST_CALLS: usize = 1024;
/// What may be unread per call and direction. A message above the half of it counts as the half, so
/// that a message of any size can pass: at most two such messages wait unread.
pub const WINDOW: usize = 256 * 1024;
/// What may be sent and not yet acknowledged. A larger frame waits until nothing else is.
pub const REPLAY: usize = 8 * 1024 * 1024;

/// Why a link or a call ended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    #[error(
        "this side speaks version {ours} of the link, the other side version {theirs}: \
         use the same release on both sides"
    )]
    Version { ours: u32, theirs: u32 },
    #[error("the other side refuses the link: {reason}")]
    Refused { reason: String },
    #[error("the other side broke the rules of the link: {0}")]
    Protocol(#[from] Violation),
    #[error("the link is lost: {reason}")]
    Lost { reason: String },
    #[error("the call failed on the other side: {message}")]
    Failed { message: String },
    #[error("a message of {size} bytes exceeds the limit of {limit}")]
    TooLarge { size: usize, limit: usize },
    #[error("the call has already ended")]
    Ended,
}

impl LinkError {
    fn lost(reason: impl Into<String>) -> Self {
        Self::Lost { reason: reason.into() }
    }
}

/// A rule of the link that the other side broke.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    #[error("it does not begin as a link does")]
    NotALink,
    #[error("a greeting that has no meaning here")]
    Greeting,
    #[error("a greeting of {size} bytes")]
    LargeGreeting { size: usize },
    #[error("a frame of {size} bytes")]
    FrameSize { size: usize },
    #[error("a frame of the unknown kind {kind}")]
    Kind { kind: u8 },
    #[error("a frame that only this side may send")]
    Direction,
    #[error("frame {found} in place of {expected}")]
    Sequence { expected: u64, found: u64 },
    #[error("an acknowledgement of frame {found}, {sent} being the last one sent")]
    Acknowledgement { sent: u64, found: u64 },
    #[error("a frame for call {call}, which was never opened")]
    UnknownCall { call: u64 },
    #[error("call {call} opened out of order")]
    CallOrder { call: u64 },
    #[error("more than {MOST_CALLS} calls at once")]
    Calls,
    #[error("more for call {call} than its window holds")]
    Overrun { call: u64 },
    #[error("more credit for call {call} than was used")]
    Credit { call: u64 },
    #[error("it takes frames and acknowledges none")]
    NeverAcknowledges,
}

/// How patient a side is. The defaults suit a child's standard streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How long the greeting of a new stream may take.
    pub handshake: Duration,
    /// Without it a stream whose other end vanished silently is never noticed.
    pub heartbeat: Option<Heartbeat>,
    /// How the calling side dials again.
    pub redial: Redial,
    /// How long the serving side keeps a session whose caller is away.
    pub away: Duration,
    /// How long handlers may take to stop when their session has ended; then they are dropped.
    pub grace: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            handshake: Duration::from_secs(30),
            heartbeat: None,
            redial: Redial::default(),
            away: Duration::from_mins(1),
            grace: Duration::from_secs(10),
        }
    }
}

/// When a silent stream counts as broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heartbeat {
    /// After this long without a byte the other side is asked for one.
    pub interval: Duration,
    /// How long it may then stay silent.
    pub patience: Duration,
}

/// How often to dial without success before the link counts as lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Redial {
    pub attempts: u32,
    /// The pause after the first failure; it doubles with each further one.
    pub first_pause: Duration,
    pub longest_pause: Duration,
}

impl Default for Redial {
    fn default() -> Self {
        Self {
            attempts: 8,
            first_pause: Duration::from_millis(50),
            longest_pause: Duration::from_secs(5),
        }
    }
}

/// Bytes in both directions.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

pub type BoxStream = Box<dyn Stream>;

/// A way to the serving side that can be taken again after a break.
pub trait Dial: Send + Sync + 'static {
    fn dial(&self) -> impl Future<Output = io::Result<BoxStream>> + Send;
}

/// Where the streams of a session arrive. An error means that no more will.
pub trait Accept: Send + 'static {
    fn accept(&mut self) -> impl Future<Output = io::Result<BoxStream>> + Send;
}
