//! The first words: accepted, refused, of another version, or never spoken.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};
use tokio::time::Instant;

use super::super::{LARGEST_HELLO, Link, LinkError, Options, VERSION, Violation, serve};
use super::stage::Script;

fn script() -> Arc<Script> {
    Arc::default()
}

#[tokio::test]
async fn the_outline_of_the_greeting_never_changes() {
    let (ours, mut theirs) = duplex(1024);
    let connecting = tokio::spawn(Link::connect(ours, b"hi".to_vec(), Options::default()));
    let mut bytes = [0; 16];
    theirs.read_exact(&mut bytes).await.unwrap();
    assert_eq!(bytes, *b"OSP-LINK\0\0\0\x01\0\0\0\x1b");
    connecting.abort();
}

#[tokio::test]
async fn both_sides_name_both_versions() {
    let newer = b"OSP-LINK\0\0\0\x09\0\0\0\0";
    let expected = LinkError::Version { ours: VERSION, theirs: 9 };

    let (ours, mut theirs) = duplex(1024);
    theirs.write_all(newer).await.unwrap();
    let connected = Link::connect(ours, Vec::new(), Options::default()).await.map(|_| ());
    assert_eq!(connected, Err(expected.clone()));

    let (mut ours, theirs) = duplex(1024);
    ours.write_all(newer).await.unwrap();
    assert_eq!(serve(theirs, script(), Options::default()).await, Err(expected.clone()));
    let mut answer = Vec::new();
    ours.read_to_end(&mut answer).await.unwrap();
    assert_eq!(answer, *b"OSP-LINK\0\0\0\x01\0\0\0\0");
    assert_eq!(
        expected.to_string(),
        "this side speaks version 1 of the link, the other side version 9: use the same release \
         on both sides"
    );
}

#[tokio::test]
async fn a_refusal_reaches_the_caller_with_its_reason() {
    let (ours, theirs) = duplex(1024);
    let served = tokio::spawn(serve(theirs, script(), Options::default()));
    let connected = Link::connect(ours, b"nonsense".to_vec(), Options::default()).await;
    let refused = LinkError::Refused { reason: "nonsense is not served here".to_owned() };
    assert_eq!(connected.map(|_| ()), Err(refused.clone()));
    assert_eq!(served.await.unwrap(), Err(refused));
}

#[tokio::test]
async fn a_stranger_is_told_apart_from_a_link() {
    let (ours, mut theirs) = duplex(1024);
    theirs.write_all(b"SSH-2.0-OpenSSH_9.2p1 Debian\r\n").await.unwrap();
    let connected = Link::connect(ours, Vec::new(), Options::default()).await.map(|_| ());
    assert_eq!(connected, Err(LinkError::Protocol(Violation::NotALink)));
}

#[tokio::test]
async fn the_size_of_a_greeting_is_bounded_on_both_sides() {
    let (ours, _theirs) = duplex(1024);
    let size = LARGEST_HELLO + 1;
    let connected = Link::connect(ours, vec![0; size], Options::default()).await.map(|_| ());
    assert_eq!(connected, Err(LinkError::TooLarge { size, limit: LARGEST_HELLO }));

    let (mut ours, theirs) = duplex(1024);
    ours.write_all(b"OSP-LINK\0\0\0\x01\xff\xff\xff\xff").await.unwrap();
    let size = 0xffff_ffff;
    assert_eq!(
        serve(theirs, script(), Options::default()).await,
        Err(LinkError::Protocol(Violation::LargeGreeting { size }))
    );
}

#[tokio::test(start_paused = true)]
async fn a_silent_stream_is_given_up() {
    let began = Instant::now();
    let options = Options { handshake: Duration::from_secs(3), ..Options::default() };
    let lost = Err(LinkError::Lost { reason: "no greeting in time".to_owned() });
    let (ours, _theirs) = duplex(1024);
    assert_eq!(Link::connect(ours, Vec::new(), options).await.map(|_| ()), lost);
    let (_ours, theirs) = duplex(1024);
    assert_eq!(serve(theirs, script(), options).await, lost);
    assert_eq!(began.elapsed(), Duration::from_secs(6));
}
