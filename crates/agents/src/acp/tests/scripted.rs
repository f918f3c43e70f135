//! An agent in this process that does what a test says, right or wrong.

use std::time::Duration;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio::{
    io::{
        AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf,
        duplex, split,
    },
    time::timeout,
};

/// What a test has in its hands.
pub(super) struct Scripted {
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
}

impl Scripted {
    /// The agent, and the two streams to it.
    pub(super) fn new() -> (Self, ReadHalf<DuplexStream>, WriteHalf<DuplexStream>) {
        let (ours, theirs) = duplex(64 * 1024);
        let ((reader, writer), (our_reader, our_writer)) = (split(theirs), split(ours));
        (Self { reader: BufReader::new(reader), writer }, our_reader, our_writer)
    }

    /// The next message.
    pub(super) async fn heard(&mut self) -> Value {
        let mut line = String::new();
        let read = timeout(Duration::from_mins(1), self.reader.read_line(&mut line)).await;
        read.expect("something is said").expect("it can be read");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// The next message, which asks this; its id and what it says.
    pub(super) async fn asked(&mut self, method: &str) -> (Value, Value) {
        let mut heard = self.heard().await;
        assert_eq!(heard["method"], method, "{heard}");
        (heard["id"].take(), heard["params"].take())
    }

    pub(super) async fn say(&mut self, message: Value) {
        self.write(format!("{message}\n").as_bytes()).await;
    }

    /// Any bytes. Whoever does not listen any more is no fault.
    pub(super) async fn write(&mut self, bytes: &[u8]) {
        drop(self.writer.write_all(bytes).await);
    }

    pub(super) async fn answer(&mut self, id: &Value, result: Value) {
        self.say(json!({"jsonrpc": "2.0", "id": id, "result": result})).await;
    }

    pub(super) async fn refuse(&mut self, id: &Value, code: i32, message: &str, data: Value) {
        let error = json!({"code": code, "message": message, "data": data});
        self.say(json!({"jsonrpc": "2.0", "id": id, "error": error})).await;
    }

    /// Something of the session `s`.
    pub(super) async fn update(&mut self, update: Value) {
        self.update_of("s", update).await;
    }

    pub(super) async fn update_of(&mut self, session: &str, update: Value) {
        let params = json!({"sessionId": session, "update": update});
        self.say(json!({"jsonrpc": "2.0", "method": "session/update", "params": params})).await;
    }

    /// A piece of text: `agent_message_chunk` and the like.
    pub(super) async fn chunk(&mut self, kind: &str, text: &str) {
        let content = json!({"type": "text", "text": text});
        self.update(json!({"sessionUpdate": kind, "content": content})).await;
    }

    pub(super) async fn ask(&mut self, id: &str, method: &str, params: Value) {
        self.say(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
    }

    /// Whether nobody is at the other end any more.
    pub(super) async fn is_left(&mut self) -> bool {
        let mut line = String::new();
        matches!(timeout(Duration::from_mins(1), self.reader.read_line(&mut line)).await, Ok(Ok(0)))
    }
}
