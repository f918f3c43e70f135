//! The port that a server listens on, and how it is called.

use std::{
    io::ErrorKind,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
};

use anyhow::{Context as _, Result, bail};
use tokio::net::{TcpListener, TcpSocket};

/// The port tried first when none is given, and how many after it.
const FIRST_PORT: u16 = 3000;
const PORTS_TRIED: u16 = 100;
/// Connections that may wait to be taken.
const WAITING_CONNECTIONS: u32 = 1024;

/// With room for more connections at once than the usual 128: one that finds none waits a second.
fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(WAITING_CONNECTIONS)
}

pub(super) fn bind(host: IpAddr, port: Option<u16>) -> Result<TcpListener> {
    if let Some(port) = port {
        return listen((host, port).into()).with_context(|| {
            format!("port {port} on {host} cannot be used\n  hint: pass another --port, or leave it out for the next free one")
        });
    }
    let mut last = None;
    for port in FIRST_PORT..FIRST_PORT + PORTS_TRIED {
        match listen((host, port).into()) {
            Ok(listener) => return Ok(listener),
            Err(error) => last = Some(error),
        }
    }
    let reason = last.map(|error| error.to_string()).unwrap_or_default();
    bail!(
        "no port from {FIRST_PORT} on is free on {host}: {reason}\n  hint: pass --port 0 for any free port"
    )
}

/// The same port on the other loopback address. A browser may take `localhost` for that one, and whoever listens there
/// for the space: so it is ours. Nothing where the machine has no such address.
pub(super) fn twin(address: SocketAddr) -> Option<TcpListener> {
    let other: IpAddr = match address.ip() {
        IpAddr::V4(ip) if ip.is_loopback() => Ipv6Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_loopback() => Ipv4Addr::LOCALHOST.into(),
        _ => return None,
    };
    let other = SocketAddr::from((other, address.port()));
    match listen(other) {
        Ok(listener) => Some(listener),
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            let warning = "another program listens there: do not open the page as `localhost`";
            tracing::warn!(address = %other, warning);
            None
        }
        Err(error) => {
            tracing::debug!(address = %other, %error, "there is no such address here");
            None
        }
    }
}

/// How a person reaches an address: a wildcard is reached by loopback.
pub(super) fn url_of(address: SocketAddr) -> String {
    let host = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => "127.0.0.1".to_owned(),
        IpAddr::V6(ip) if ip.is_unspecified() => "[::1]".to_owned(),
        IpAddr::V6(ip) => format!("[{ip}]"),
        IpAddr::V4(ip) => ip.to_string(),
    };
    format!("http://{host}:{}", address.port())
}
