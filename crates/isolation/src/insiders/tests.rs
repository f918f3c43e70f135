//! Who is told apart, with programs of this machine that stand in for a place.

use std::io::Read as _;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use super::{Insiders, Whose, is_of_this_machine, sockets};

/// A program that ends when the test does.
struct Program(Child);

impl Program {
    /// Connects, says that it has, and waits.
    #[expect(clippy::disallowed_methods, reason = "a program of a test, in no workspace")]
    fn start(port: u16) -> Self {
        let script = format!("exec 3<>/dev/tcp/127.0.0.1/{port}; echo; read line");
        let mut command = Command::new("bash");
        command.args(["-c", &script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdout.take().unwrap().read_exact(&mut [0]).unwrap();
        Self(child)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

fn listener() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

#[test]
fn who_is_beneath_a_first_process_of_a_place_is_inside_and_others_are_outside() {
    let (listener, here) = listener();
    let insiders = Insiders::default();
    let program = Program::start(here.port());
    let (_accepted, peer) = listener.accept().unwrap();
    assert_eq!(insiders.whose(peer, here), Whose::Outside, "there is no place");
    let other = Program::start(here.port());
    let (_also_accepted, outside) = listener.accept().unwrap();
    insiders.add(program.0.id(), user()).unwrap();
    assert_eq!(insiders.whose(peer, here), Whose::Inside);
    assert_eq!(insiders.whose(outside, here), Whose::Outside);
    drop(program);
    assert_eq!(insiders.whose(outside, here), Whose::Outside);
    drop(other);
}

#[test]
fn a_connection_that_nobody_has_is_not_taken_for_one_from_outside() {
    let (listener, here) = listener();
    let insiders = Insiders::default();
    let (place, caller) = (Program::start(here.port()), Program::start(here.port()));
    let (_of_place, _) = listener.accept().unwrap();
    let (_accepted, peer) = listener.accept().unwrap();
    insiders.add(place.0.id(), user()).unwrap();
    drop(caller);
    // It was closed, so nobody can have it, wherever this test runs.
    assert_eq!(insiders.whose(peer, here), Whose::Unknown);
}

#[test]
fn who_carries_what_a_place_says_is_looked_at_where_it_may_be_it() {
    let (listener, here) = listener();
    let insiders = Insiders::default();
    let program = Program::start(here.port());
    let (_accepted, peer) = listener.accept().unwrap();
    insiders.add_carrier(program.0.id(), user()).unwrap();
    assert_eq!(insiders.whose(peer, here), Whose::Outside, "it reaches no loopback");
}

#[test]
fn a_socket_is_found_from_both_ends_over_both_protocols() {
    for address in ["127.0.0.1:0", "[::1]:0"] {
        let listener = TcpListener::bind(address).unwrap();
        let here = listener.local_addr().unwrap();
        let stream = TcpStream::connect(here).unwrap();
        let (_accepted, peer) = listener.accept().unwrap();
        let (one, other) = (sockets::at(peer, here).unwrap(), sockets::at(here, peer).unwrap());
        let (one, other) = (one.unwrap(), other.unwrap());
        assert_ne!(one.inode, other.inode);
        assert_eq!((one.user, other.user), (user(), user()));
        drop(stream);
    }
}

#[test]
fn an_address_of_another_machine_is_not_of_this_one() {
    for (address, own) in [
        ("127.0.0.9:1", true),
        ("[::1]:1", true),
        ("192.0.2.7:1", false),
        ("[2001:db8::1]:1", false),
    ] {
        assert_eq!(is_of_this_machine(address.parse().unwrap()), own, "{address}");
    }
}
