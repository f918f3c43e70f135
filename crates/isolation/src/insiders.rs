//! Whether who calls a port of this machine is a program in one of our places.
//!
//! Programs in a place with this machine's network reach servers on it, ours too. What opens ours is not in the place, but it
//! may leak there. The kernel knows which socket is at the other end of a connection, and who has it open.
//!
//! This looks and decides nothing: who is let in is the server's. What cannot be told is told as that, for a program can
//! hide a connection while it is looked for; it never counts as a program outside.

mod processes;
mod sockets;

#[cfg(test)]
mod tests;

use std::collections::{HashSet, VecDeque};
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, PidfdFlags};

use self::processes::{Has, Processes};
use self::sockets::Socket;

/// How often it is looked for one that nobody seems to have: it may be handed on meanwhile.
const LOOKS: usize = 3;
/// Programs outside that had a connection before and are asked first.
const REMEMBERED: usize = 8;

/// Who is at the other end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// A program outside of all places, or another machine.
    Outside,
    /// A program in a place.
    Inside,
    /// Nobody of this machine who could be seen. Programs in places can do that on purpose.
    Unknown,
}

/// The programs in all places of a machine.
#[derive(Clone, Debug, Default)]
pub struct Insiders(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    roots: Mutex<Vec<Root>>,
    /// The last at the end.
    outside: Mutex<VecDeque<u32>>,
}

/// A process whose descendants are all in a place, or carry what one says to others.
#[derive(Clone, Debug)]
struct Root {
    pid: u32,
    user: u32,
    /// Whether it is outside and carries connections, none of them to loopback.
    carries: bool,
    /// As long as it has not ended, the number is its own.
    alive: Arc<OwnedFd>,
}

impl Root {
    fn is_alive(&self) -> bool {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut asked = [PollFd::new(&*self.alive, PollFlags::IN)];
        !matches!(rustix::event::poll(&mut asked, Some(&now)), Ok(1..))
    }
}

impl Insiders {
    /// Says who is the first in a place, before anybody else is in it.
    pub(crate) fn add(&self, pid: u32, user: u32) -> std::io::Result<()> {
        self.add_root(pid, user, false)
    }

    /// Says who carries the connections of a place.
    pub(crate) fn add_carrier(&self, pid: u32, user: u32) -> std::io::Result<()> {
        self.add_root(pid, user, true)
    }

    fn add_root(&self, pid: u32, user: u32, carries: bool) -> std::io::Result<()> {
        let none = || std::io::Error::from(std::io::ErrorKind::InvalidInput);
        let number = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or_else(none)?;
        let alive = match rustix::process::pidfd_open(number, PidfdFlags::empty()) {
            Ok(alive) => Arc::new(alive),
            // It has ended already, and all in its place with it.
            Err(rustix::io::Errno::SRCH) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let mut roots = self.0.roots.lock().unwrap_or_else(PoisonError::into_inner);
        roots.retain(Root::is_alive);
        roots.push(Root { pid, user, carries, alive });
        drop(roots);
        Ok(())
    }

    /// The places that are open, as this connection may come from them.
    fn roots(&self, peer: SocketAddr) -> Vec<Root> {
        let mut roots = self.0.roots.lock().unwrap_or_else(PoisonError::into_inner);
        roots.retain(Root::is_alive);
        let reaches = |root: &&Root| !root.carries || !peer.ip().is_loopback();
        roots.iter().filter(reaches).cloned().collect()
    }

    /// Who is at the other end of a connection from `peer` to the address `here`. It reads the tables of the kernel, so
    /// not on a thread of the runtime.
    pub fn whose(&self, peer: SocketAddr, here: SocketAddr) -> Whose {
        let canonical =
            |address: SocketAddr| SocketAddr::new(address.ip().to_canonical(), address.port());
        let (peer, here) = (canonical(peer), canonical(here));
        let looks = (0..LOOKS).map(|_| self.look(peer, here));
        looks.into_iter().find(|whose| *whose != Whose::Unknown).unwrap_or(Whose::Unknown)
    }

    fn look(&self, peer: SocketAddr, here: SocketAddr) -> Whose {
        let roots = self.roots(peer);
        if roots.is_empty() {
            return Whose::Outside;
        }
        let socket = match sockets::at(peer, here) {
            Ok(Some(socket)) => socket,
            // Who is on another machine has no socket on this one.
            Ok(None) if is_of_this_machine(peer) => return Whose::Unknown,
            Ok(None) => return Whose::Outside,
            Err(error) => {
                tracing::error!(%error, "it cannot be told who calls");
                return Whose::Unknown;
            }
        };
        if socket.inode == 0 {
            // It was closed as soon as something had been said.
            return Whose::Unknown;
        }
        if roots.iter().all(|root| root.user != socket.user) {
            return Whose::Outside;
        }
        self.who_has(&socket, &roots)
    }

    fn who_has(&self, socket: &Socket, roots: &[Root]) -> Whose {
        let processes = match Processes::now() {
            Ok(processes) => processes,
            Err(error) => {
                tracing::error!(%error, "it cannot be told who calls");
                return Whose::Unknown;
            }
        };
        let inside = processes.beneath(roots.iter().map(|root| root.pid));
        let name = socket.name();
        let mut is_hidden_inside = false;
        for pid in &inside {
            match processes::has(*pid, &name) {
                Has::Yes => return Whose::Inside,
                Has::No => {}
                Has::CannotSee => is_hidden_inside |= !processes::is_ours(*pid),
            }
        }
        let mut may_be_hidden_outside = processes::are_some_unseen();
        for pid in self.outside_first(&processes, &inside) {
            match processes::has(pid, &name) {
                Has::Yes => {
                    // A list of processes that start each other meanwhile may miss who is between them.
                    if processes::is_beneath(pid, |above| inside.contains(&above)) {
                        return Whose::Inside;
                    }
                    self.remember(pid);
                    return Whose::Outside;
                }
                Has::No => {}
                Has::CannotSee => {
                    may_be_hidden_outside |= processes::may_be_of(pid, socket.user);
                }
            }
        }
        if inside.iter().any(|pid| processes::has_in_threads(*pid, &name)) {
            return Whose::Inside;
        }
        // Such as what `ssh` has on this machine: nobody but root sees what it has open. Or who brings connections into
        // the container in which this process is.
        if may_be_hidden_outside && !is_hidden_inside { Whose::Outside } else { Whose::Unknown }
    }

    /// Programs outside, those first that are likely: who called before, then who was started last.
    fn outside_first(&self, processes: &Processes, inside: &HashSet<u32>) -> Vec<u32> {
        let known = self.0.outside.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut others = processes.all();
        others.sort_unstable_by(|a, b| b.cmp(a));
        let known = known.into_iter().rev().filter(|pid| others.contains(pid)).collect::<Vec<_>>();
        others.retain(|pid| !known.contains(pid));
        known.into_iter().chain(others).filter(|pid| !inside.contains(pid)).collect()
    }

    fn remember(&self, pid: u32) {
        let mut outside = self.0.outside.lock().unwrap_or_else(PoisonError::into_inner);
        outside.retain(|known| *known != pid);
        if outside.len() == REMEMBERED {
            outside.pop_front();
        }
        outside.push_back(pid);
    }
}

/// Only an address of this machine can be taken by a program on it.
fn is_of_this_machine(peer: SocketAddr) -> bool {
    let mut any = peer;
    any.set_port(0);
    peer.ip().is_loopback() || UdpSocket::bind(any).is_ok()
}
