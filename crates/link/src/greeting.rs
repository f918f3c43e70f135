//! The first words on a stream. Their outline never changes, whatever the version: eight magic
//! bytes, the version as `u32`, the length of the rest as `u32`, the rest. Only the rest belongs to
//! a version, so that any two releases can at least tell each other that they do not match.
//!
//! The rest in this version: kind `u8`, session of 16 bytes, last received sequence `u64`, payload.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use super::{LARGEST_HELLO, LinkError, VERSION, Violation};

const MAGIC: [u8; 8] = *b"OSP-LINK";
const FIXED: usize = 1 + 16 + 8;

/// Names a session for as long as it lives; chosen by the caller so that it can repeat a greeting
/// whose answer it never saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SessionId(pub(super) [u8; 16]);

impl SessionId {
    pub(super) fn random() -> Result<Self, LinkError> {
        let mut id = [0; 16];
        let mut filled = 0;
        while filled < id.len() {
            filled +=
                rustix::rand::getrandom(&mut id[filled..], rustix::rand::GetRandomFlags::empty())
                    .map_err(|error| LinkError::lost(format!("no random number: {error}")))?;
        }
        Ok(Self(id))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    /// Caller: a new session; the payload is its hello.
    New = 1,
    /// Caller: the session goes on with this stream.
    Resume = 2,
    /// Server: the session exists; the payload is the welcome.
    Welcome = 3,
    /// Server: the session goes on.
    Resumed = 4,
    /// Server: no; the payload says why.
    Refused = 5,
    /// Server: there is no such session.
    Unknown = 6,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Greeting {
    pub(super) kind: Kind,
    pub(super) session: SessionId,
    /// The last sequence number that the sender of this greeting has received.
    pub(super) received: u64,
    pub(super) payload: Vec<u8>,
}

/// Why there is no greeting.
#[derive(Debug)]
pub(super) enum Ungreeted {
    /// Another stream may fare better.
    Broken(String),
    Final(LinkError),
}

impl From<io::Error> for Ungreeted {
    fn from(error: io::Error) -> Self {
        Self::Broken(match error.kind() {
            io::ErrorKind::UnexpectedEof => "the stream ended in the greeting".to_owned(),
            _ => format!("the stream broke in the greeting: {error}"),
        })
    }
}

impl From<Violation> for Ungreeted {
    fn from(violation: Violation) -> Self {
        Self::Final(violation.into())
    }
}

pub(super) async fn write(
    stream: &mut (impl AsyncWrite + Unpin),
    greeting: &Greeting,
) -> io::Result<()> {
    let mut rest = Vec::with_capacity(FIXED + greeting.payload.len());
    rest.push(greeting.kind as u8);
    rest.extend_from_slice(&greeting.session.0);
    rest.extend_from_slice(&greeting.received.to_be_bytes());
    rest.extend_from_slice(&greeting.payload);
    write_outline(stream, &rest).await
}

/// All that a peer of another version can understand.
pub(super) async fn write_version(stream: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
    write_outline(stream, &[]).await
}

async fn write_outline(stream: &mut (impl AsyncWrite + Unpin), rest: &[u8]) -> io::Result<()> {
    let length = u32::try_from(rest.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
    let mut bytes = Vec::with_capacity(MAGIC.len() + 8 + rest.len());
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&VERSION.to_be_bytes());
    bytes.extend_from_slice(&length.to_be_bytes());
    bytes.extend_from_slice(rest);
    stream.write_all(&bytes).await?;
    stream.flush().await
}

/// Reads exactly the greeting and not a byte of the frames behind it.
pub(super) async fn read(stream: &mut (impl AsyncRead + Unpin)) -> Result<Greeting, Ungreeted> {
    let mut magic = [0; MAGIC.len()];
    stream.read_exact(&mut magic).await?;
    if magic != MAGIC {
        return Err(Violation::NotALink.into());
    }
    let theirs = stream.read_u32().await?;
    if theirs != VERSION {
        return Err(Ungreeted::Final(LinkError::Version { ours: VERSION, theirs }));
    }
    let size = usize::try_from(stream.read_u32().await?).unwrap_or(usize::MAX);
    if size > FIXED + LARGEST_HELLO {
        return Err(Violation::LargeGreeting { size }.into());
    }
    let Some(payload_size) = size.checked_sub(FIXED) else {
        return Err(Violation::Greeting.into());
    };
    let kind = match stream.read_u8().await? {
        1 => Kind::New,
        2 => Kind::Resume,
        3 => Kind::Welcome,
        4 => Kind::Resumed,
        5 => Kind::Refused,
        6 => Kind::Unknown,
        _ => return Err(Violation::Greeting.into()),
    };
    let mut session = [0; 16];
    stream.read_exact(&mut session).await?;
    let received = stream.read_u64().await?;
    let mut payload = Vec::new();
    stream.take(payload_size as u64).read_to_end(&mut payload).await?;
    if payload.len() < payload_size {
        return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
    }
    Ok(Greeting { kind, session: SessionId(session), received, payload })
}
