//! A WebSocket to the server.

use futures::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{Error, Message, client::IntoClientRequest},
};

use super::{Http, in_time};

/// An open WebSocket.
pub(crate) struct Socket(WebSocketStream<TcpStream>);

impl Socket {
    /// Open it, or say with which status it was refused.
    pub(crate) async fn try_open(http: &Http, path: &str) -> Result<Self, u16> {
        let stream = TcpStream::connect(&http.authority).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let mut request = format!("ws://{}{path}", http.authority).into_client_request().unwrap();
        let token = format!("Bearer {}", http.token).parse().unwrap();
        request.headers_mut().insert("authorization", token);
        match in_time("the upgrade", client_async(request, stream)).await {
            Ok((socket, _)) => Ok(Self(socket)),
            Err(Error::Http(response)) => Err(response.status().as_u16()),
            Err(error) => panic!("{path}: {error}"),
        }
    }

    pub(crate) async fn open(http: &Http, path: &str) -> Self {
        Self::try_open(http, path).await.unwrap()
    }

    /// The next message; `None` when the other side closed.
    pub(crate) async fn next(&mut self) -> Option<Message> {
        match in_time("a message", self.0.next()).await {
            Some(Ok(Message::Close(_)) | Err(_)) | None => None,
            Some(Ok(message)) => Some(message),
        }
    }

    /// Why the other side closes; what it says before is passed over.
    pub(crate) async fn reason(&mut self) -> (u16, String) {
        loop {
            match in_time("the end", self.0.next()).await {
                Some(Ok(Message::Close(Some(frame)))) => {
                    return (frame.code.into(), frame.reason.to_string());
                }
                Some(Ok(Message::Close(None)) | Err(_)) | None => panic!("no reason was said"),
                Some(Ok(_)) => {}
            }
        }
    }

    /// The next text message.
    pub(crate) async fn json(&mut self) -> Value {
        loop {
            if let Message::Text(text) = self.next().await.expect("a message before the end") {
                return serde_json::from_str(&text).unwrap();
            }
        }
    }

    /// The first text message of which something can be made; others are passed over.
    pub(crate) async fn find(&mut self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let looking = async {
            loop {
                let message = self.json().await;
                if fits(&message) {
                    return message;
                }
            }
        };
        in_time(what, looking).await
    }

    /// Gather bytes until they hold a text.
    pub(crate) async fn bytes_until(&mut self, wanted: &str) -> String {
        let mut seen = String::new();
        while !seen.contains(wanted) {
            match self.next().await {
                Some(Message::Binary(bytes)) => seen.push_str(&String::from_utf8_lossy(&bytes)),
                Some(_) => {}
                None => panic!("ended before {wanted:?}: {seen:?}"),
            }
        }
        seen
    }

    pub(crate) async fn send(&mut self, message: Message) {
        self.0.send(message).await.unwrap();
    }

    /// Close it and wait until the other side did too.
    pub(crate) async fn close(mut self) {
        self.0.close(None).await.unwrap();
        while self.next().await.is_some() {}
    }
}
