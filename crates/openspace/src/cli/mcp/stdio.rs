//! Standard input and output without a thread between: pipes and sockets are awaited directly.
//!
//! A client that starts this program gives it pipes (most) or sockets (Node). Anything else, such
//! as a file or a terminal, goes through the runtime's own threads.

use std::{
    fs::File,
    os::{
        fd::{AsFd, OwnedFd},
        unix::{fs::FileTypeExt, net::UnixStream},
    },
};

use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::unix::pipe,
};

pub(super) type Input = Box<dyn AsyncRead + Send + Unpin>;
pub(super) type Output = Box<dyn AsyncWrite + Send + Unpin>;

/// Standard input.
pub(super) fn input() -> Input {
    match kind(&std::io::stdin()) {
        // Opened anew, so that waiting without blocking stays our own affair.
        Some(Kind::Pipe) => match pipe::OpenOptions::new().open_receiver("/proc/self/fd/0") {
            Ok(pipe) => Box::new(pipe),
            Err(_) => Box::new(tokio::io::stdin()),
        },
        Some(Kind::Socket(socket)) => match awaited(socket) {
            Ok(socket) => Box::new(socket),
            Err(_) => Box::new(tokio::io::stdin()),
        },
        None => Box::new(tokio::io::stdin()),
    }
}

/// Standard output.
pub(super) fn output() -> Output {
    match kind(&std::io::stdout()) {
        Some(Kind::Pipe) => match pipe::OpenOptions::new().open_sender("/proc/self/fd/1") {
            Ok(pipe) => Box::new(pipe),
            Err(_) => Box::new(tokio::io::stdout()),
        },
        Some(Kind::Socket(socket)) => match awaited(socket) {
            Ok(socket) => Box::new(socket),
            Err(_) => Box::new(tokio::io::stdout()),
        },
        None => Box::new(tokio::io::stdout()),
    }
}

enum Kind {
    Pipe,
    Socket(OwnedFd),
}

fn kind(descriptor: &impl AsFd) -> Option<Kind> {
    let file = File::from(descriptor.as_fd().try_clone_to_owned().ok()?);
    let kind = file.metadata().ok()?.file_type();
    if kind.is_fifo() {
        return Some(Kind::Pipe);
    }
    kind.is_socket().then(|| Kind::Socket(file.into()))
}

fn awaited(socket: OwnedFd) -> std::io::Result<tokio::net::UnixStream> {
    let socket = UnixStream::from(socket);
    socket.set_nonblocking(true)?;
    tokio::net::UnixStream::from_std(socket)
}
