//! Hostile lines: nothing panics, nothing grows without a bound, and what is no message is told as such.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::NOW;
use crate::{
    acp::{
        book::Book,
        line::{Line, Lines},
        message::Incoming,
        peer::Hearer as _,
    },
    model::SessionId,
};

const SEEDS: &[&[u8]] = &[
    br#"{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
    br#"{"jsonrpc":"2.0","id":"q","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c","rawInput":{"command":["ls"]}},"options":[{"optionId":"o","name":"n","kind":"allow_once"}]}}"#,
    br#"{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"\ud83d\ude00"}}}}"#,
    br#"{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"failed","rawOutput":[1e9,null],"content":[{"type":"diff","path":"/a","newText":"b"}],"locations":[{"path":"x","line":4294967295}]}}}"#,
    br#"{"method":"session/update","params":{"sessionId":"t","update":{"sessionUpdate":"usage_update","used":18446744073709551615,"size":0,"cost":{"amount":-1e308,"currency":"USD"}}}}"#,
    br#"{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"config_option_update","configOptions":[{"id":"model","name":"m","type":"select","currentValue":"x","options":[{"group":"g","name":"G","options":[{"value":"v","name":"V"}]}]}]}}}"#,
    br#"{"id":{},"error":{"code":-32000,"message":"m","data":{"status":429}}}"#,
];

#[test]
fn any_line_is_a_message_or_is_told_to_be_none() {
    let book = Book::new("Scripted".to_owned(), Arc::new(|| NOW));
    book.open(&SessionId("s".to_owned()), ("/project", true), |_, _| {}).unwrap();
    openspace_fuzz::hold(SEEDS, |data| match Incoming::read(data) {
        Ok(Incoming::Told { method, params }) => book.told(&method, params),
        Ok(Incoming::Asked { id, method, params }) => drop(book.asked(&id, &method, params)),
        Ok(Incoming::Answered { .. }) => {}
        Err(why) => assert!(why.len() < 5000),
    });
    assert!(book.waiting().len() <= 64 && book.sessions().len() == 1);
}

#[test]
fn any_update_of_a_session_leaves_a_history_that_can_be_read() {
    openspace_fuzz::hold(SEEDS, |data| {
        let Ok(update) = serde_json::from_slice::<Box<RawValue>>(data) else { return };
        let book = Book::new("Scripted".to_owned(), Arc::new(|| NOW));
        let id = SessionId("s".to_owned());
        book.open(&id, ("/project", true), |_, _| {}).unwrap();
        let params = format!(r#"{{"sessionId":"s","update":{update}}}"#);
        let params = RawValue::from_string(params).unwrap();
        book.told("session/update", &params);
        book.told("session/update", &params);
        let page = book.look(&id, |entry| entry.history.page(200, None)).unwrap().unwrap();
        for message in &page.messages {
            assert!(message.parts.iter().all(|part| part.message_id == message.info.id));
        }
    });
}

#[test]
fn lines_are_the_same_however_their_bytes_come() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    openspace_fuzz::hold(&[b"one\ntwo\r\n\n\nthree", b"\n", b"\r\n\r", b"end\n"], |data| {
        let read = runtime.block_on(async {
            let (mut lines, mut read) = (Lines::new(data), Vec::new());
            while let Some(line) = lines.next().await.unwrap() {
                match line {
                    Line::Whole(line) => read.push(line.to_vec()),
                    Line::TooLong { .. } => panic!("nothing here is long"),
                }
            }
            read
        });
        let ended = data.strip_suffix(b"\n").unwrap_or(data);
        let mut expected: Vec<&[u8]> = ended.split(|byte| *byte == b'\n').collect();
        for line in &mut expected {
            *line = line.strip_suffix(b"\r").unwrap_or(line);
        }
        assert_eq!(read, if data.is_empty() { Vec::new() } else { expected });
    });
}
