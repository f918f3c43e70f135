//! What becomes of connections that say too little.

use std::time::Duration;

use axum::{Router, body::Bytes, routing::post};
use openspace_isolation::Insiders;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};
use tokio_util::sync::CancellationToken;

use super::{Patience, serve};

/// Long enough for every answer, and never waited for.
const LONG: Duration = Duration::from_mins(10);
const SHORT: Duration = Duration::from_millis(50);

struct Stage {
    address: std::net::SocketAddr,
    stop: CancellationToken,
    serving: tokio::task::JoinHandle<()>,
}

impl Stage {
    async fn open(patience: Patience) -> Self {
        let router = Router::new().route("/", post(|body: Bytes| async move { body }));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let stop = CancellationToken::new();
        let serving =
            tokio::spawn(serve(listener, router, patience, Insiders::default(), stop.clone()));
        Self { address, stop, serving }
    }

    /// All that is answered to these bytes until the connection ends.
    async fn answer(&self, sent: &str) -> String {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(sent.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer.lines().next().unwrap_or_default().to_owned()
    }

    async fn close(self) {
        self.stop.cancel();
        self.serving.await.unwrap();
    }
}

#[tokio::test]
async fn a_head_that_is_not_finished_in_time_ends_the_connection() {
    let stage = Stage::open(Patience { head: SHORT, body: LONG }).await;
    for half in ["", "POST / HTTP/1.1\r\n", "POST / HTTP/1.1\r\nHost: a\r\nX: "] {
        assert_eq!(stage.answer(half).await, "", "{half:?}");
    }
    stage.close().await;
}

#[tokio::test]
async fn a_body_that_stops_coming_is_an_answer() {
    let stage = Stage::open(Patience { head: LONG, body: SHORT }).await;
    let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\nConnection: close\r\n\r\n";
    assert_eq!(stage.answer(&format!("{head}half")).await, "HTTP/1.1 400 Bad Request");
    assert_eq!(stage.answer(&format!("{head}all of it")).await, "HTTP/1.1 200 OK");
    stage.close().await;
}

#[tokio::test]
async fn a_silent_connection_does_not_keep_the_server_from_stopping() {
    let stage = Stage::open(Patience { head: LONG, body: LONG }).await;
    let silent = TcpStream::connect(stage.address).await.unwrap();
    let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    assert_eq!(stage.answer(head).await, "HTTP/1.1 200 OK");
    stage.close().await;
    drop(silent);
}
