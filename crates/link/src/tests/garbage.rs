//! Whatever the other side sends ends in a typed error: no panic, no memory on its word.

use std::sync::Arc;

use proptest::prelude::*;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, duplex};

use super::super::frame::{self, Frame, Kind, Unread};
use super::super::greeting::{self, Greeting, SessionId};
use super::super::{LARGEST_FRAME, Link, LinkError, MOST_CALLS, Options, Violation, WINDOW, serve};
use super::stage::Script;

pub(super) fn bytes(
    kind: Kind,
    sequence: u64,
    acknowledged: u64,
    call: u64,
    payload: &[u8],
) -> Vec<u8> {
    let frame = Frame { kind, sequence, call, payload: Arc::new(payload.to_vec()) };
    [&frame.prefix(acknowledged), payload].concat()
}

/// What the serving side says to a caller who greets well and then sends this.
pub(super) async fn serve_bytes(bytes: &[u8]) -> Result<(), LinkError> {
    let (mut ours, theirs) = duplex(16 * 1024 * 1024);
    let hello = Greeting {
        kind: greeting::Kind::New,
        session: SessionId([1; 16]),
        received: 0,
        payload: Vec::new(),
    };
    greeting::write(&mut ours, &hello).await.unwrap();
    ours.write_all(bytes).await.unwrap();
    ours.shutdown().await.unwrap();
    serve(theirs, Arc::new(Script::default()), Options::default()).await
}

/// What a caller with one open call says to a server that greets well and then sends this.
pub(super) async fn call_bytes(bytes: &[u8]) -> LinkError {
    let (ours, theirs) = duplex(16 * 1024 * 1024);
    let connecting = tokio::spawn(Link::connect(ours, Vec::new(), Options::default()));
    let mut theirs = welcome(theirs).await;
    let (link, _) = connecting.await.unwrap().unwrap();
    let call = link.call(b"request".to_vec());
    // The request has left before anything can acknowledge it.
    let mut request = [0; frame::PREFIX + 7];
    theirs.read_exact(&mut request).await.unwrap();
    theirs.write_all(bytes).await.unwrap();
    theirs.shutdown().await.unwrap();
    let lost = link.lost().await;
    let reply = call.reply().await;
    assert!(reply == Err(lost.clone()) || reply.is_ok() || is_failed(&reply));
    lost
}

fn is_failed(reply: &Result<Vec<u8>, LinkError>) -> bool {
    matches!(reply, Err(LinkError::Failed { .. }))
}

async fn welcome(mut stream: DuplexStream) -> DuplexStream {
    let hello = greeting::read(&mut stream).await.unwrap();
    let welcome = Greeting { kind: greeting::Kind::Welcome, ..hello };
    greeting::write(&mut stream, &welcome).await.unwrap();
    stream
}

#[tokio::test]
async fn every_broken_rule_has_a_name_on_the_serving_side() {
    let open = bytes(Kind::Open, 1, 0, 1, b"hold");
    let after_open = |frame: Vec<u8>| [open.clone(), frame].concat();
    let half = vec![0; WINDOW / 2];
    let opens: Vec<u8> = (1..=MOST_CALLS as u64 + 1)
        .flat_map(|number| bytes(Kind::Open, number, 0, number, b"hold"))
        .collect();
    let cases = [
        (vec![0, 0, 0, 3], Violation::FrameSize { size: 3 }),
        (vec![0xff; 4], Violation::FrameSize { size: 0xffff_ffff }),
        (vec![0, 0, 0, 25, 99], Violation::Kind { kind: 99 }),
        (bytes(Kind::Cancel, 1, 0, 1, b"x"), Violation::FrameSize { size: 26 }),
        (bytes(Kind::Credit, 1, 0, 1, b"x"), Violation::FrameSize { size: 26 }),
        (bytes(Kind::Item, 1, 0, 1, b""), Violation::Direction),
        (bytes(Kind::Open, 2, 0, 1, b""), Violation::Sequence { expected: 1, found: 2 }),
        (bytes(Kind::Ping, 2, 0, 0, b""), Violation::Sequence { expected: 0, found: 2 }),
        (bytes(Kind::Open, 1, 9, 1, b""), Violation::Acknowledgement { sent: 0, found: 9 }),
        (bytes(Kind::Input, 1, 0, 5, b""), Violation::UnknownCall { call: 5 }),
        (bytes(Kind::Cancel, 1, 0, 5, b""), Violation::UnknownCall { call: 5 }),
        (bytes(Kind::Open, 1, 0, 0, b""), Violation::CallOrder { call: 0 }),
        (after_open(bytes(Kind::Open, 2, 0, 1, b"")), Violation::CallOrder { call: 1 }),
        (
            after_open(bytes(Kind::Credit, 2, 0, 1, &1_u64.to_be_bytes())),
            Violation::Credit { call: 1 },
        ),
        (
            after_open(
                [
                    bytes(Kind::Input, 2, 0, 1, &half),
                    bytes(Kind::Input, 3, 0, 1, &half),
                    bytes(Kind::Input, 4, 0, 1, b""),
                ]
                .concat(),
            ),
            Violation::Overrun { call: 1 },
        ),
        (opens, Violation::Calls),
    ];
    for (bytes, violation) in cases {
        assert_eq!(serve_bytes(&bytes).await, Err(LinkError::Protocol(violation)));
    }
}

#[tokio::test]
async fn every_broken_rule_has_a_name_on_the_calling_side() {
    let half = vec![0; WINDOW / 2];
    let cases = [
        (vec![0xff; 4], Violation::FrameSize { size: 0xffff_ffff }),
        (bytes(Kind::Open, 1, 0, 1, b""), Violation::Direction),
        (bytes(Kind::Goodbye, 1, 0, 0, b""), Violation::Direction),
        (bytes(Kind::Item, 1, 0, 2, b""), Violation::UnknownCall { call: 2 }),
        (bytes(Kind::Reply, 1, 0, 2, b""), Violation::UnknownCall { call: 2 }),
        (bytes(Kind::Item, 1, 2, 1, b""), Violation::Acknowledgement { sent: 1, found: 2 }),
        (bytes(Kind::Item, 7, 0, 1, b""), Violation::Sequence { expected: 1, found: 7 }),
        (bytes(Kind::Credit, 1, 0, 1, &u64::MAX.to_be_bytes()), Violation::Credit { call: 1 }),
        (
            [bytes(Kind::Reply, 1, 1, 1, b""), bytes(Kind::Item, 2, 1, 1, b"")].concat(),
            Violation::UnknownCall { call: 1 },
        ),
        (
            [
                bytes(Kind::Item, 1, 0, 1, &half),
                bytes(Kind::Item, 2, 0, 1, &half),
                bytes(Kind::Item, 3, 0, 1, b""),
            ]
            .concat(),
            Violation::Overrun { call: 1 },
        ),
    ];
    for (bytes, violation) in cases {
        assert_eq!(call_bytes(&bytes).await, LinkError::Protocol(violation));
    }
}

#[tokio::test]
async fn a_frame_that_ends_too_early_is_a_loss() {
    let whole = bytes(Kind::Open, 1, 0, 1, b"echo");
    let lost = LinkError::Lost { reason: "the stream ended inside a frame".to_owned() };
    for size in 1..whole.len() {
        assert_eq!(serve_bytes(&whole[..size]).await, Err(lost.clone()));
    }
    assert_eq!(serve_bytes(&whole).await, Ok(()));
}

#[tokio::test]
async fn the_length_of_a_frame_is_judged_before_it_is_read() {
    let too_large = u32::try_from(LARGEST_FRAME + 1).unwrap().to_be_bytes();
    // No byte more: whoever believed the length would wait for them.
    let (mut ours, theirs) = duplex(64);
    ours.write_all(&too_large).await.unwrap();
    let read = frame::read(&mut BufReader::new(theirs)).await;
    let size = LARGEST_FRAME + 1;
    assert!(
        matches!(read, Err(Unread::Violation(Violation::FrameSize { size: found })) if found == size)
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_end_a_link_on_both_sides(noise in prop::collection::vec(any::<u8>(), 1..400)) {
        run(async {
            assert!(serve_bytes(&noise).await.is_err());
            assert!(matches!(call_bytes(&noise).await, LinkError::Protocol(_) | LinkError::Lost { .. }));
            let (mut ours, theirs) = duplex(1024);
            ours.write_all(&noise).await.unwrap();
            drop(ours);
            assert!(serve(theirs, Arc::new(Script::default()), Options::default()).await.is_err());
        });
    }

    #[test]
    fn well_formed_frames_in_any_order_never_panic(
        frames in prop::collection::vec(
            (0_u8..13, any::<bool>(), 0_u64..4, 0_u64..4, prop::collection::vec(any::<u8>(), 0..12)),
            0..40,
        )
    ) {
        let (mut sequence, mut noise) = (0, Vec::new());
        for (kind, skips, acknowledged, call, payload) in frames {
            let is_sequenced = !(9..=11).contains(&kind);
            sequence += u64::from(is_sequenced) + u64::from(skips && payload.len() == 11);
            let sent = if is_sequenced { sequence } else { 0 };
            let mut frame = bytes(Kind::Open, sent, acknowledged, call, &payload);
            frame[4] = kind;
            noise.extend(frame);
        }
        run(async {
            match serve_bytes(&noise).await {
                Ok(()) | Err(LinkError::Protocol(_) | LinkError::Lost { .. }) => {}
                Err(other) => panic!("{other:?}"),
            }
            assert!(matches!(call_bytes(&noise).await, LinkError::Protocol(_) | LinkError::Lost { .. }));
        });
    }
}

fn run(future: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(future);
}
