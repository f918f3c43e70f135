//! The frame: a length, a fixed header, a payload. What the kinds mean is decided elsewhere.
//!
//! All numbers are big-endian: length `u32` (of all that follows it), kind `u8`, sequence `u64`,
//! acknowledged `u64`, call `u64`, payload.

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _};

use super::{LARGEST_FRAME, LARGEST_PAYLOAD, Violation};

/// Kind, sequence, acknowledged, call.
pub(super) const HEADER: usize = 1 + 8 + 8 + 8;
/// The length field and the header.
pub(super) const PREFIX: usize = 4 + HEADER;
/// Up to here memory is taken on the word of the length field; beyond, only as bytes arrive.
const TRUSTED: usize = 128 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    /// Caller: a new call with its request.
    Open = 1,
    /// Caller: an input.
    Input = 2,
    /// Caller: please stop; the reply is still owed.
    Cancel = 3,
    /// Both: so much was consumed (`u64`).
    Credit = 4,
    /// Server: an item.
    Item = 5,
    /// Server: the end of a call.
    Reply = 6,
    /// Server: the end of a call whose handler failed, with a text.
    Failed = 7,
    /// Caller: the session is over.
    Goodbye = 8,
    /// Both, outside of the sequence: the header's acknowledgement is all there is to say.
    Acknowledge = 9,
    /// Both, outside of the sequence.
    Ping = 10,
    /// Both, outside of the sequence.
    Pong = 11,
}

impl Kind {
    fn from_byte(byte: u8) -> Option<Self> {
        Some(match byte {
            1 => Self::Open,
            2 => Self::Input,
            3 => Self::Cancel,
            4 => Self::Credit,
            5 => Self::Item,
            6 => Self::Reply,
            7 => Self::Failed,
            8 => Self::Goodbye,
            9 => Self::Acknowledge,
            10 => Self::Ping,
            11 => Self::Pong,
            _ => return None,
        })
    }

    /// Whether frames of this kind are numbered, acknowledged and sent again after a break.
    pub(super) fn is_sequenced(self) -> bool {
        !matches!(self, Self::Acknowledge | Self::Ping | Self::Pong)
    }

    fn allows(self, payload: usize) -> bool {
        match self {
            Self::Open | Self::Input | Self::Item | Self::Reply | Self::Failed => {
                payload <= LARGEST_PAYLOAD
            }
            Self::Credit => payload == size_of::<u64>(),
            Self::Cancel | Self::Goodbye | Self::Acknowledge | Self::Ping | Self::Pong => {
                payload == 0
            }
        }
    }
}

/// A frame to be sent; what it acknowledges is known only when it is written.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) kind: Kind,
    pub(super) sequence: u64,
    pub(super) call: u64,
    pub(super) payload: Arc<Vec<u8>>,
}

impl Frame {
    pub(super) fn unsequenced(kind: Kind) -> Self {
        Self { kind, sequence: 0, call: 0, payload: Arc::default() }
    }

    /// Everything but the payload.
    pub(super) fn prefix(&self, acknowledged: u64) -> [u8; PREFIX] {
        // A payload is checked against LARGEST_PAYLOAD before it becomes a frame.
        let length = u32::try_from(HEADER + self.payload.len()).unwrap_or(u32::MAX);
        let mut prefix = [0; PREFIX];
        prefix[..4].copy_from_slice(&length.to_be_bytes());
        prefix[4] = self.kind as u8;
        prefix[5..13].copy_from_slice(&self.sequence.to_be_bytes());
        prefix[13..21].copy_from_slice(&acknowledged.to_be_bytes());
        prefix[21..].copy_from_slice(&self.call.to_be_bytes());
        prefix
    }
}

/// A frame that arrived.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Received {
    pub(super) kind: Kind,
    pub(super) sequence: u64,
    pub(super) acknowledged: u64,
    pub(super) call: u64,
    pub(super) payload: Vec<u8>,
}

/// Why no frame came.
#[derive(Debug)]
pub(super) enum Unread {
    /// The stream ended between two frames.
    Closed,
    /// The stream broke or ended inside a frame.
    Broken(io::Error),
    Violation(Violation),
}

impl From<io::Error> for Unread {
    fn from(error: io::Error) -> Self {
        Self::Broken(error)
    }
}

/// Reads one frame. Not cancel safe: a dropped read leaves the stream inside a frame.
pub(super) async fn read(reader: &mut (impl AsyncBufRead + Unpin)) -> Result<Received, Unread> {
    if reader.fill_buf().await?.is_empty() {
        return Err(Unread::Closed);
    }
    let mut length = [0; 4];
    reader.read_exact(&mut length).await?;
    let size = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
    if !(HEADER..=LARGEST_FRAME).contains(&size) {
        return Err(Unread::Violation(Violation::FrameSize { size }));
    }
    let byte = reader.read_u8().await?;
    let Some(kind) = Kind::from_byte(byte) else {
        return Err(Unread::Violation(Violation::Kind { kind: byte }));
    };
    if !kind.allows(size - HEADER) {
        return Err(Unread::Violation(Violation::FrameSize { size }));
    }
    let sequence = reader.read_u64().await?;
    let acknowledged = reader.read_u64().await?;
    let call = reader.read_u64().await?;
    let payload = read_payload(reader, size - HEADER).await?;
    Ok(Received { kind, sequence, acknowledged, call, payload })
}

async fn read_payload(
    reader: &mut (impl AsyncBufRead + Unpin),
    size: usize,
) -> io::Result<Vec<u8>> {
    if size <= TRUSTED {
        let mut payload = vec![0; size];
        reader.read_exact(&mut payload).await?;
        return Ok(payload);
    }
    let mut payload = Vec::with_capacity(TRUSTED);
    reader.take(size as u64).read_to_end(&mut payload).await?;
    if payload.len() < size {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(payload)
}
