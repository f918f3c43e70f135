//! How opencode is followed and when it is asked, against a stand-in that answers as little as is needed.

use std::{sync::Arc, time::Duration};

use pretty_assertions::assert_eq;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::mpsc,
};

use super::*;
use crate::{Agent, BoxFuture, model::SessionId};

/// Tells how long it is asked to wait, and waits until it is told that the time has come.
#[derive(Debug)]
struct Waits {
    asked: mpsc::UnboundedSender<Duration>,
    over: Arc<tokio::sync::Semaphore>,
}

impl Clock for Waits {
    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        let over = Arc::clone(&self.over);
        let _heard = self.asked.send(time);
        Box::pin(async move { over.acquire().await.unwrap().forget() })
    }
}

fn waits() -> (Arc<Waits>, mpsc::UnboundedReceiver<Duration>) {
    let (asked, heard) = mpsc::unbounded_channel();
    (Arc::new(Waits { asked, over: Arc::new(tokio::sync::Semaphore::new(0)) }), heard)
}

fn opencode(listener: &TcpListener, clock: Arc<Waits>) -> OpenCode {
    let url = format!("http://{}", listener.local_addr().unwrap());
    OpenCode::new(Address::new(&url, "/here").unwrap(), clock)
}

/// Answers one request: the stream begins and stays open, everything else is an empty object.
async fn answer(mut stream: TcpStream, open: mpsc::UnboundedSender<TcpStream>) {
    let mut request = Vec::new();
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        if stream.read_buf(&mut request).await.unwrap() == 0 {
            return;
        }
    }
    if request.starts_with(b"GET /global/event") {
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
        let _kept = open.send(stream);
    } else {
        let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
        stream.write_all(answer).await.unwrap();
    }
}

fn serve(listener: TcpListener) -> mpsc::UnboundedReceiver<TcpStream> {
    let (open, streams) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream, open.clone()));
        }
    });
    streams
}

#[tokio::test]
async fn nothing_is_asked_before_it_is_said_to_listen() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let agent = opencode(&listener, waits().0);
    let error = agent.session(&SessionId::from("ses_1")).await.unwrap_err().to_string();
    assert!(error.ends_with("does not answer: nobody has said yet that it listens"), "{error}");
    let listener = listener.into_std().unwrap();
    let accepted = listener.accept().map(drop).map_err(|error| error.kind());
    assert_eq!(accepted, Err(std::io::ErrorKind::WouldBlock));
}

#[tokio::test]
async fn one_that_does_not_answer_is_tried_again_after_longer_and_longer_times() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (clock, mut asked) = waits();
    let agent = opencode(&listener, Arc::clone(&clock));
    drop(listener);
    agent.listens();
    let mut times = Vec::new();
    for _ in 0..8 {
        times.push(asked.recv().await.unwrap().as_millis());
        clock.over.add_permits(1);
    }
    assert_eq!(times, [100, 200, 500, 1000, 2000, 5000, 5000, 5000]);
}

#[tokio::test]
async fn a_stream_that_is_silent_or_ends_is_begun_again_with_a_gap() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (clock, mut asked) = waits();
    let agent = opencode(&listener, Arc::clone(&clock));
    let mut streams = serve(listener);
    let mut events = agent.subscribe();
    agent.listens();

    let mut told = Vec::new();
    let mut next = async |events: &mut crate::Subscription| told.push(events.next().await.unwrap());
    let _silent = streams.recv().await.unwrap();
    next(&mut events).await;
    next(&mut events).await;
    // It waits for something to be said, and then for the next try.
    assert_eq!(asked.recv().await.unwrap(), Duration::from_secs(30));
    clock.over.add_permits(1);
    next(&mut events).await;
    assert_eq!(asked.recv().await.unwrap(), Duration::from_millis(100));
    clock.over.add_permits(1);
    let ends = streams.recv().await.unwrap();
    next(&mut events).await;
    next(&mut events).await;
    drop(ends);
    next(&mut events).await;

    let connected = Event::Connection { connected: true, why: None };
    let broken = |why: &str| Event::Connection { connected: false, why: Some(why.to_owned()) };
    let gap = |why: &str| Event::Gap { why: why.to_owned() };
    let expected = [
        connected.clone(),
        gap("events begin here"),
        broken("it said nothing for 30 s"),
        connected,
        gap("events were not heard for a while"),
        broken("the stream ended"),
    ];
    let told: Vec<Event> = told.iter().map(|event| Event::clone(event)).collect();
    assert_eq!(told, expected);
}
