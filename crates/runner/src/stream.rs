//! The streams over which the runner is asked: its own standard ones, or a socket.

use std::{io, os::fd::AsFd as _, path::Path};

use openspace_link::{Accept, BoxStream};
use tokio::net::{UnixListener, unix::pipe};

/// Standard input and output as one stream. Whoever starts the runner gives it pipes.
pub(crate) fn standard() -> io::Result<BoxStream> {
    let input = io::stdin().as_fd().try_clone_to_owned()?;
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    let input = pipe::Receiver::from_owned_fd(input)?;
    let output = pipe::Sender::from_owned_fd(output)?;
    Ok(Box::new(tokio::io::join(input, output)))
}

/// Whoever connects to a socket.
pub(crate) struct Socket(UnixListener);

impl Socket {
    pub(crate) fn bind(path: &Path) -> io::Result<Self> {
        Ok(Self(UnixListener::bind(path)?))
    }
}

impl Accept for Socket {
    async fn accept(&mut self) -> io::Result<BoxStream> {
        let (stream, _) = self.0.accept().await?;
        Ok(Box::new(stream))
    }
}
