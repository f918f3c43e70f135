//! What holds for all bytes on a stream.

use tokio::io::BufReader;

use super::super::LinkError;
use super::super::frame::{self, Kind, Unread};
use super::super::greeting;
use super::garbage::{bytes, call_bytes, serve_bytes};

/// Streams as both sides send them, one for each kind of frame and some that go on.
fn streams() -> Vec<Vec<u8>> {
    let credit = 9_u64.to_be_bytes();
    vec![
        bytes(Kind::Open, 1, 0, 1, b"echo hello"),
        [bytes(Kind::Open, 1, 0, 1, b"inputs 2"), bytes(Kind::Input, 2, 0, 1, b"in")].concat(),
        [bytes(Kind::Open, 1, 0, 1, b"hold"), bytes(Kind::Cancel, 2, 0, 1, b"")].concat(),
        [bytes(Kind::Open, 1, 0, 1, b"count 5"), bytes(Kind::Credit, 2, 1, 1, &credit)].concat(),
        [bytes(Kind::Item, 1, 1, 1, b"item"), bytes(Kind::Reply, 2, 1, 1, b"reply")].concat(),
        bytes(Kind::Failed, 1, 1, 1, b"failed"),
        [bytes(Kind::Open, 1, 0, 1, b"ignore"), bytes(Kind::Goodbye, 2, 0, 0, b"")].concat(),
        [Kind::Acknowledge, Kind::Ping, Kind::Pong].map(|kind| bytes(kind, 0, 0, 0, b"")).concat(),
    ]
}

fn hold(run: impl Fn(&[u8])) {
    let streams = streams();
    let seeds: Vec<&[u8]> = streams.iter().map(Vec::as_slice).collect();
    openspace_fuzz::hold(&seeds, run);
}

/// Whatever is waited for is there at once: nobody answers here, and a link is patient.
fn run(future: impl Future<Output = ()>) {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().start_paused(true).build().unwrap().block_on(future);
}

/// What was read, written again, and why nothing more was.
async fn again(mut stream: &[u8]) -> (Vec<u8>, Unread) {
    let (mut written, mut reader) = (Vec::new(), BufReader::new(&mut stream));
    loop {
        match frame::read(&mut reader).await {
            Ok(read) => written.extend(bytes(
                read.kind,
                read.sequence,
                read.acknowledged,
                read.call,
                &read.payload,
            )),
            Err(unread) => return (written, unread),
        }
    }
}

#[test]
fn frames_that_are_read_are_written_as_the_same_bytes() {
    hold(|data| {
        run(async {
            let (written, unread) = again(data).await;
            assert!(data.starts_with(&written));
            assert_eq!(matches!(unread, Unread::Closed), written.len() == data.len());
        });
    });
}

#[test]
fn greetings_that_are_read_are_written_as_the_same_bytes() {
    let hello = b"OSP-LINK\0\0\0\x01\0\0\0\x1e\x01session-of-16-by\0\0\0\0\0\0\0\x07hello";
    openspace_fuzz::hold(&[hello], |data| {
        run(async {
            if let Ok(read) = greeting::read(&mut &data[..]).await {
                let mut written = Vec::new();
                greeting::write(&mut written, &read).await.unwrap();
                assert!(data.starts_with(&written));
            }
        });
    });
}

#[test]
fn no_bytes_end_a_link_without_a_reason() {
    hold(|data| {
        run(async {
            let served = serve_bytes(data).await;
            let known =
                matches!(served, Ok(()) | Err(LinkError::Protocol(_) | LinkError::Lost { .. }));
            assert!(known, "{served:?}");
            let called = call_bytes(data).await;
            assert!(
                matches!(called, LinkError::Protocol(_) | LinkError::Lost { .. }),
                "{called:?}"
            );
        });
    });
}
