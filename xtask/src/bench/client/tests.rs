//! Answers as they come from a socket, whole and in pieces.

use std::{io, iter, net::TcpListener, thread};

use super::*;

/// Gives one byte at a time, as a slow network may.
struct Dribble<'a>(&'a [u8]);

impl Read for Dribble<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.0.len().min(buffer.len()).min(1);
        buffer[..length].copy_from_slice(&self.0[..length]);
        self.0 = &self.0[length..];
        Ok(length)
    }
}

/// Reads answers from these bytes; whole and in pieces they must be the same.
#[track_caller]
fn check(bytes: &str, expected: &[Result<Answer, String>]) {
    assert_eq!(read(Answers::new(bytes.as_bytes()), expected.len()), expected);
    assert_eq!(read(Answers::new(Dribble(bytes.as_bytes())), expected.len()), expected);
}

fn read<R: Read>(mut answers: Answers<R>, count: usize) -> Vec<Result<Answer, String>> {
    let next = || answers.next().map_err(|error| format!("{error:#}"));
    iter::repeat_with(next).take(count).collect()
}

fn answer(status: u16, headers: &[(&str, &str)], body: &str) -> Answer {
    let headers = headers.iter().map(|(name, value)| ((*name).into(), (*value).into()));
    Answer { status, headers: headers.collect(), body: body.into() }
}

fn events(body: &str) -> Answer {
    answer(200, &[("content-type", "text/event-stream")], body)
}

#[test]
fn answers_follow_each_other_on_one_connection() {
    let bytes = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst\
                 HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n\
                 HTTP/1.1 204 No Content\r\nX-A: b:c \r\n\r\n\
                 HTTP/1.1 404 Not Found\r\ncontent-length: 4\r\n\r\nlast";
    check(
        bytes,
        &[
            Ok(answer(200, &[("content-length", "5")], "first")),
            Ok(answer(202, &[("content-length", "0")], "")),
            Ok(answer(204, &[("x-a", "b:c")], "")),
            Ok(answer(404, &[("content-length", "4")], "last")),
            Err("the server closed the connection".into()),
        ],
    );
}

#[test]
fn chunks_are_joined_and_their_extensions_and_trailers_are_left_out() {
    let bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
                 6\r\nhello \r\nA;name=value\r\nbig\r\nworld\r\n0\r\nX-After: 1\r\n\r\n\
                 HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    let chunked = [("transfer-encoding", "chunked")];
    check(bytes, &[Ok(answer(200, &chunked, "hello big\r\nworld")), Ok(answer(200, &chunked, ""))]);
}

#[test]
fn a_broken_answer_is_an_error() {
    for (bytes, error) in [
        ("SSH-2.0\r\n", "not HTTP/1.1: SSH-2.0"),
        ("HTTP/1.1 200 OK\r\nContent", "a line was cut off or is too long"),
        ("HTTP/1.1 200 OK\r\nContent\r\n", "a header without a colon"),
        ("HTTP/1.1 200 OK\r\n\r\n", "a body of None bytes in the coding None"),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfour",
            "the body was cut off: failed to fill whole buffer",
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nlong\r\n",
            "a chunk is longer than it says",
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffff\r\n",
            "the body is too large",
        ),
    ] {
        check(bytes, &[Err(error.into())]);
    }
}

#[test]
fn the_message_is_the_body_or_the_last_event_with_data() {
    let plain = answer(200, &[("content-type", "application/json")], "{\"a\":1}");
    assert_eq!(plain.message().unwrap(), "{\"a\":1}");
    let stream = "id: 0\nretry: 3000\ndata: \n\n: alive\n\nevent: message\ndata: {\"progress\":1}\n\n\
                  data: {\"a\":\ndata:2}\nid: 1\n\n";
    assert_eq!(events(stream).message().unwrap(), "{\"a\":\n2}");
    assert_eq!(events("data: one\r\n\r\n").message().unwrap(), "one");
    let nothing = events("data: \n\ndata: not ended").message().unwrap_err();
    assert_eq!(nothing.to_string(), "a stream of events without a message");
}

#[test]
fn a_request_has_the_token_its_headers_and_its_length() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let authority = listener.local_addr().unwrap().to_string();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = vec![0; 4096];
        let length = stream.read(&mut request).unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").unwrap();
        String::from_utf8(request[..length].to_vec()).unwrap()
    });
    let mut connection = Connection::open(&format!("http://{authority}/mcp"), "secret").unwrap();
    let received = connection.exchange("POST", "/mcp", "X-A: b\r\n", "{}").unwrap();
    assert_eq!(received, answer(200, &[("content-length", "2")], "ok"));
    let expected = format!(
        "POST /mcp HTTP/1.1\r\nHost: {authority}\r\nAuthorization: Bearer secret\r\n\
         Content-Length: 2\r\nX-A: b\r\n\r\n{{}}"
    );
    assert_eq!(server.join().unwrap(), expected);
}
