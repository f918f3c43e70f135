//! Sessions and their streams: who may continue one, and when it is over.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};
use tokio::net::{UnixListener, UnixStream};
use tokio::time::Instant;

use super::super::greeting::{self, Greeting, Kind, SessionId};
use super::super::{
    Accept, BoxStream, Dial, Heartbeat, Link, LinkError, Options, serve, serve_again,
};
use super::stage::{Cut, Cuts, Script, board, eager, pair};

#[tokio::test(start_paused = true)]
async fn a_restarted_server_is_a_loss() {
    let (dial, accept, _) = board(Cuts { caller: vec![1000], ..Cuts::default() });
    let script = Arc::new(Script::default());
    let (first, mut streams) = tokio::sync::mpsc::channel(1);
    let second = Arc::new(Script::default());
    let servers = {
        let (script, second) = (Arc::clone(&script), Arc::clone(&second));
        tokio::spawn(async move {
            let mut accept = accept;
            let stream = accept.accept().await.unwrap();
            let ended = serve(stream, script, Options::default()).await;
            first.send(ended).await.unwrap();
            serve_again(accept, second, Options::default()).await
        })
    };
    let (link, _) = Link::connect_again(dial, b"hello".to_vec(), eager()).await.unwrap();
    let call = link.call(b"flood 100".to_vec());
    assert_eq!(
        call.reply().await,
        Err(LinkError::Lost { reason: "the other side no longer knows this session".to_owned() })
    );
    assert!(streams.recv().await.is_some());
    assert_eq!(second.handled.load(Ordering::SeqCst), 0);
    drop(link);
    servers.abort();
}

#[tokio::test(start_paused = true)]
async fn a_caller_who_stays_away_ends_the_session() {
    let (dial, accept, _) = board(Cuts::default());
    let script = Arc::new(Script::default());
    let options = Options { away: Duration::from_secs(7), ..Options::default() };
    let served = tokio::spawn(serve_again(accept, Arc::clone(&script), options));
    let stream = dial.dial().await.unwrap();
    let stream = Cut::after(stream, usize::MAX);
    let switch = stream.switch();
    let (link, _) = Link::connect(stream, b"hello".to_vec(), options).await.unwrap();
    let call = link.call(b"hold".to_vec());
    script.until(&script.handled, 1).await;
    let began = Instant::now();
    switch.store(true, Ordering::SeqCst);
    call.cancel();
    assert!(matches!(call.reply().await, Err(LinkError::Lost { .. })));
    assert_eq!(
        served.await.unwrap(),
        Err(LinkError::Lost { reason: "the caller stayed away for 7s".to_owned() })
    );
    assert_eq!(began.elapsed(), Duration::from_secs(7));
    assert_eq!(script.cancelled.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_half_open_stream_is_noticed() {
    let heartbeat =
        Heartbeat { interval: Duration::from_secs(5), patience: Duration::from_secs(2) };
    let options = Options { heartbeat: Some(heartbeat), ..eager() };
    let (ours, theirs) = duplex(1024);
    let served = tokio::spawn(serve(theirs, Arc::new(Script::default()), Options::default()));
    let (link, _) = Link::connect(ours, b"hello".to_vec(), options).await.unwrap();
    // An answering side is left alone for as long as it answers.
    tokio::time::sleep(Duration::from_mins(10)).await;
    assert_eq!(link.call(b"echo on".to_vec()).reply().await, Ok(b"on".to_vec()));
    drop(link);
    assert_eq!(served.await.unwrap(), Ok(()));

    let (ours, theirs) = duplex(1024);
    let greeting = tokio::spawn(async move {
        let mut theirs = theirs;
        let mut greeting = greeting::read(&mut theirs).await.unwrap();
        greeting.kind = Kind::Welcome;
        greeting::write(&mut theirs, &greeting).await.unwrap();
        theirs
    });
    let (link, _) = Link::connect(ours, Vec::new(), options).await.unwrap();
    let _mute = greeting.await.unwrap();
    assert_eq!(
        link.lost().await,
        LinkError::Lost { reason: "the other side has been silent for 7s".to_owned() }
    );
}

#[tokio::test(start_paused = true)]
async fn a_second_session_is_refused_and_disturbs_nothing() {
    let (dial, accept, _) = board(Cuts::default());
    let served = tokio::spawn(serve_again(accept, Arc::new(Script::default()), eager()));
    let stream = dial.dial().await.unwrap();
    let (link, _) = Link::connect(stream, b"hello".to_vec(), eager()).await.unwrap();
    let second = Link::connect_again(dial, b"hello".to_vec(), eager()).await.map(|_| ());
    assert_eq!(
        second,
        Err(LinkError::Refused { reason: "a session is already under way".to_owned() })
    );
    drop(served);
    assert_eq!(link.call(b"echo on".to_vec()).reply().await, Ok(b"on".to_vec()));
}

#[tokio::test(start_paused = true)]
async fn when_the_stream_ends_handlers_are_cancelled_and_awaited() {
    let (link, script, served) = pair().await;
    let call = link.call(b"hold".to_vec());
    script.until(&script.handled, 1).await;
    drop(call);
    drop(link);
    assert_eq!(served.await.unwrap(), Ok(()));
    assert_eq!(script.cancelled.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_ignores_the_end_is_dropped_after_the_grace() {
    let (link, script, served) = pair().await;
    let call = link.call(b"ignore".to_vec());
    script.until(&script.handled, 1).await;
    let began = Instant::now();
    drop(call);
    drop(link);
    assert_eq!(served.await.unwrap(), Ok(()));
    assert_eq!(began.elapsed(), Options::default().grace);
    // The handler held a clone of the script, as did the one who served.
    while Arc::strong_count(&script) > 1 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn strangers_at_the_door_do_not_end_the_waiting() {
    let (dial, accept, _) = board(Cuts::default());
    let served = tokio::spawn(serve_again(accept, Arc::new(Script::default()), eager()));
    let mut stranger = dial.dial().await.unwrap();
    stranger.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    drop(dial.dial().await.unwrap());
    let refused = Link::connect(dial.dial().await.unwrap(), b"nonsense".to_vec(), eager()).await;
    assert!(matches!(refused.map(|_| ()), Err(LinkError::Refused { .. })));
    let (link, _) =
        Link::connect(dial.dial().await.unwrap(), b"hello".to_vec(), eager()).await.unwrap();
    assert_eq!(link.call(b"echo on".to_vec()).reply().await, Ok(b"on".to_vec()));
    drop(link);
    assert_eq!(served.await.unwrap(), Ok(()));
}

#[tokio::test(start_paused = true)]
async fn nobody_is_awaited_for_ever() {
    let (_dial, accept, _) = board(Cuts::default());
    let began = Instant::now();
    let served = serve_again(accept, Arc::new(Script::default()), Options::default()).await;
    assert_eq!(served, Err(LinkError::Lost { reason: "nobody came".to_owned() }));
    assert_eq!(began.elapsed(), Options::default().away);
}

/// The caller has left a stream that the server still believes in.
#[tokio::test(start_paused = true)]
async fn a_stream_that_continues_the_session_replaces_the_one_before() {
    let (dial, accept, _) = board(Cuts::default());
    let served = tokio::spawn(serve_again(accept, Arc::new(Script::default()), eager()));
    let session = SessionId([5; 16]);
    let hello = Greeting { kind: Kind::New, session, received: 0, payload: Vec::new() };
    let mut first = dial.dial().await.unwrap();
    greeting::write(&mut first, &hello).await.unwrap();
    assert_eq!(greeting::read(&mut first).await.unwrap().kind, Kind::Welcome);
    let mut second = dial.dial().await.unwrap();
    let resume = Greeting { kind: Kind::Resume, ..hello.clone() };
    greeting::write(&mut second, &resume).await.unwrap();
    let resumed = Greeting { kind: Kind::Resumed, ..hello };
    assert_eq!(greeting::read(&mut second).await.unwrap(), resumed);
    assert_eq!(first.read(&mut [0]).await.unwrap(), 0);
    drop((first, second));
    drop(dial);
    assert!(served.await.unwrap().is_err());
}

struct Door(UnixListener);

impl Accept for Door {
    async fn accept(&mut self) -> io::Result<BoxStream> {
        let (stream, _) = self.0.accept().await?;
        Ok(Box::new(stream))
    }
}

struct Address(std::path::PathBuf);

impl Dial for Address {
    async fn dial(&self) -> io::Result<BoxStream> {
        // Long enough for the largest frame, short enough that many follow each other.
        let stream = UnixStream::connect(&self.0).await?;
        Ok(Box::new(Cut::after(stream, 700_000)))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_outlives_many_real_sockets() {
    let folder = tempfile::tempdir().unwrap();
    let address = folder.path().join("door");
    let door = Door(UnixListener::bind(&address).unwrap());
    let served = tokio::spawn(serve_again(door, Arc::new(Script::default()), eager()));
    let (link, _) =
        Link::connect_again(Address(address), b"hello".to_vec(), eager()).await.unwrap();
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..8_u8 {
        let link = link.clone();
        calls.spawn(async move {
            let mut call = link.call(b"inputs 100".to_vec());
            let sender = call.sender();
            let feeding = tokio::spawn(async move {
                for input in 0..100_u8 {
                    sender.send(vec![number ^ input; 3000]).await.unwrap();
                }
            });
            for input in 0..100_u8 {
                assert!(call.next().await == Ok(Some(vec![number ^ input; 3000])));
            }
            feeding.await.unwrap();
            assert_eq!(call.next().await, Ok(None));
        });
    }
    while let Some(done) = calls.join_next().await {
        done.unwrap();
    }
    drop(link);
    assert!(matches!(served.await.unwrap(), Ok(()) | Err(LinkError::Lost { .. })));
}
