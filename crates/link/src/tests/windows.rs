//! Nobody waits for the consumer of another call, and nothing grows while one does not read.

use std::sync::atomic::Ordering;
use std::time::Duration;

use std::sync::Arc;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, BufReader, duplex};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::super::frame::{self, Frame, Kind, Received};
use super::super::greeting::{self, Greeting};
use super::super::{Link, Options, REPLAY, WINDOW};
use super::stage::pair;

/// With the time paused, a sleep ends when nothing else can move.
async fn until_all_is_still() {
    sleep(Duration::from_secs(1)).await;
}

#[tokio::test(start_paused = true)]
async fn a_producer_stops_when_the_window_is_full() {
    let (link, script, _) = pair().await;
    let mut call = link.call(b"flood 1000".to_vec());
    until_all_is_still().await;
    let full = WINDOW / 1064;
    assert_eq!(script.flooded.load(Ordering::SeqCst), full);
    // Below half a window nothing is given back.
    for _ in 0..full / 2 - 1 {
        call.next().await.unwrap();
    }
    until_all_is_still().await;
    assert_eq!(script.flooded.load(Ordering::SeqCst), full);
    for _ in 0..full {
        call.next().await.unwrap();
    }
    until_all_is_still().await;
    let flooded = script.flooded.load(Ordering::SeqCst);
    assert!((full + full / 2..=2 * full + full / 2).contains(&flooded), "{flooded}");
}

#[tokio::test(start_paused = true)]
async fn many_empty_items_fill_a_window_too() {
    let (link, script, _) = pair().await;
    let _call = link.call(b"flood 0".to_vec());
    until_all_is_still().await;
    assert_eq!(script.flooded.load(Ordering::SeqCst), WINDOW / 64);
}

#[tokio::test(start_paused = true)]
async fn items_larger_than_the_window_pass_two_at_a_time() {
    let (link, script, _) = pair().await;
    let mut call = link.call(b"flood 1000000".to_vec());
    until_all_is_still().await;
    assert_eq!(script.flooded.load(Ordering::SeqCst), 2);
    for taken in 1..20 {
        assert_eq!(call.next().await.unwrap().unwrap().len(), 1_000_000);
        until_all_is_still().await;
        assert_eq!(script.flooded.load(Ordering::SeqCst), 2 + taken);
    }
}

#[tokio::test(start_paused = true)]
async fn calls_that_nobody_reads_do_not_hold_up_others() {
    let (link, _, _) = pair().await;
    let unread: Vec<_> = (0..100).map(|_| link.call(b"flood 60000".to_vec())).collect();
    until_all_is_still().await;
    // More than the windows and the budget of the link together.
    for _ in 0..100 {
        let mut request = vec![b'x'; 1_000_000];
        request[..5].copy_from_slice(b"echo ");
        assert!(link.call(request.clone()).reply().await.unwrap() == request[5..]);
    }
    drop(unread);
    assert_eq!(link.call(b"echo on".to_vec()).reply().await, Ok(b"on".to_vec()));
}

#[tokio::test(start_paused = true)]
async fn inputs_that_nobody_reads_stop_their_sender() {
    let (link, _, _) = pair().await;
    let call = link.call(b"hold".to_vec());
    let sender = call.sender();
    let feeding = tokio::spawn(async move {
        let mut sent = 0;
        while sender.send(vec![1; 936]).await.is_ok() {
            sent += 1;
        }
        sent
    });
    until_all_is_still().await;
    assert!(!feeding.is_finished());
    drop(call);
    assert_eq!(feeding.await.unwrap(), WINDOW / 1000);
}

/// A server that says what the test tells it to, and the link to it.
async fn puppet(buffer: usize) -> (Link, BufReader<tokio::io::DuplexStream>) {
    let (ours, mut theirs) = duplex(buffer);
    let connecting = tokio::spawn(Link::connect(ours, Vec::new(), Options::default()));
    let hello = greeting::read(&mut theirs).await.unwrap();
    let welcome = Greeting { kind: greeting::Kind::Welcome, ..hello };
    greeting::write(&mut theirs, &welcome).await.unwrap();
    (connecting.await.unwrap().unwrap().0, BufReader::new(theirs))
}

#[tokio::test(start_paused = true)]
async fn what_is_not_acknowledged_holds_up_the_sender() {
    let (link, mut theirs) = puppet(64 * 1024 * 1024).await;
    let mut calls = JoinSet::new();
    for _ in 0..20 {
        calls.spawn(link.call(vec![1; 1_000_000]).reply());
    }
    let frame = frame::PREFIX + 1_000_000;
    let at_once = REPLAY / (1_000_000 + 64);
    for acknowledged in [0, 3, 8] {
        until_all_is_still().await;
        let prefix = Frame::unsequenced(Kind::Acknowledge).prefix(acknowledged);
        theirs.write_all(&prefix).await.unwrap();
        until_all_is_still().await;
    }
    let mut arrived = vec![0; frame * (at_once + 8)];
    theirs.read_exact(&mut arrived).await.unwrap();
    let more = tokio::time::timeout(Duration::from_secs(5), theirs.read_u8()).await;
    assert!(more.is_err(), "{more:?}");
}

#[tokio::test(start_paused = true)]
async fn a_frame_is_acknowledged_even_when_there_is_nothing_to_say() {
    let (link, mut theirs) = puppet(1024).await;
    let call = link.call(b"request".to_vec());
    let request = frame::read(&mut theirs).await.unwrap();
    assert_eq!((request.kind, request.sequence, request.acknowledged), (Kind::Open, 1, 0));
    let reply =
        Frame { kind: Kind::Reply, sequence: 1, call: 1, payload: Arc::new(b"done".to_vec()) };
    theirs.write_all(&[&reply.prefix(1)[..], b"done"].concat()).await.unwrap();
    assert_eq!(call.reply().await, Ok(b"done".to_vec()));
    let acknowledgement = Received {
        kind: Kind::Acknowledge,
        sequence: 0,
        acknowledged: 1,
        call: 0,
        payload: Vec::new(),
    };
    assert_eq!(frame::read(&mut theirs).await.unwrap(), acknowledgement);
}
