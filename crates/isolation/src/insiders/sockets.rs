//! The kernel's table of connections over TCP, in which each socket has a number and an owner.
//!
//! The table is read as text: asking for one connection by netlink would be quicker, but a kernel without the part that
//! answers says the same as when there is no such connection.

use std::fmt::Write as _;
use std::io::{self, BufRead as _, BufReader};
use std::net::{IpAddr, SocketAddr};

/// A socket of this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Socket {
    /// Its number; 0 when no process has it any more.
    pub(super) inode: u64,
    /// Whose it is.
    pub(super) user: u32,
}

impl Socket {
    /// What a descriptor of it is called.
    pub(super) fn name(&self) -> String {
        format!("socket:[{}]", self.inode)
    }
}

/// The socket with its own address `own` that is connected to `other`.
pub(super) fn at(own: SocketAddr, other: SocketAddr) -> io::Result<Option<Socket>> {
    // A socket for IPv6 that is connected over IPv4 stands in the table for IPv6.
    let mut tables = vec![("/proc/self/net/tcp6", true)];
    if own.is_ipv4() {
        tables.insert(0, ("/proc/self/net/tcp", false));
    }
    for (table, is_new) in tables {
        let wanted = format!("{} {}", written(own, is_new), written(other, is_new));
        match find(table, &wanted) {
            Ok(None) => {}
            // A machine without IPv6 has no such table.
            Err(error) if is_new && error.kind() == io::ErrorKind::NotFound => {}
            found => return found,
        }
    }
    Ok(None)
}

#[expect(clippy::disallowed_methods, reason = "the kernel's own, not a file of the workspace")]
fn find(table: &str, wanted: &str) -> io::Result<Option<Socket>> {
    let mut lines = BufReader::with_capacity(64 * 1024, std::fs::File::open(table)?);
    let mut line = String::new();
    loop {
        line.clear();
        if lines.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let Some((_, rest)) = line.split_once(": ") else { continue };
        let Some(rest) = rest.strip_prefix(wanted) else { continue };
        // State, queues, timer, retransmits, user, timeout, number.
        let mut words = rest.split_ascii_whitespace().skip(4);
        let (user, inode) = (words.next(), words.nth(1));
        let socket =
            user.and_then(|user| user.parse().ok()).zip(inode.and_then(|it| it.parse().ok()));
        let (user, inode) =
            socket.ok_or_else(|| io::Error::other(format!("{table} is not as known")))?;
        return Ok(Some(Socket { inode, user }));
    }
}

/// An address as the tables have it: words of 32 bits as they lie in memory, and the port.
fn written(address: SocketAddr, is_new: bool) -> String {
    let bytes: Vec<u8> = match address.ip() {
        IpAddr::V4(ip) if is_new => ip.to_ipv6_mapped().octets().to_vec(),
        IpAddr::V4(ip) => ip.octets().to_vec(),
        IpAddr::V6(ip) => ip.octets().to_vec(),
    };
    let mut text = String::new();
    for word in bytes.as_chunks::<4>().0 {
        _ = write!(text, "{:08X}", u32::from_ne_bytes(*word));
    }
    _ = write!(text, ":{:04X}", address.port());
    text
}
