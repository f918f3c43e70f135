//! A small blocking HTTP/1.1 client for one kept-alive connection.
//!
//! It understands what our server answers: bodies with a length, chunked bodies, and events in
//! either. It follows no redirects, speaks no TLS and refuses what it does not understand, because
//! a client that guesses would measure something else.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    time::Duration,
};

use anyhow::{Context, Result, bail};

#[cfg(test)]
mod tests;

const LONGEST_LINE: u64 = 16 * 1024;
const MOST_HEADERS: usize = 100;
const LARGEST_BODY: usize = 256 * 1024 * 1024;
const BUFFER: usize = 64 * 1024;
/// A server that is silent for so long has failed; nothing here takes a second.
const ANSWER_WITHIN: Duration = Duration::from_mins(1);

pub(super) struct Connection {
    stream: TcpStream,
    answers: Answers<TcpStream>,
    authority: String,
    token: String,
    request: Vec<u8>,
}

impl Connection {
    /// Connects to the server of a URL such as `http://127.0.0.1:3000`.
    pub(super) fn open(url: &str, token: &str) -> Result<Self> {
        let authority = url.strip_prefix("http://").context("the URL is not http://")?;
        let authority = authority.split('/').next().unwrap_or_default().to_owned();
        let stream = TcpStream::connect(&authority)
            .with_context(|| format!("cannot connect to {authority}"))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(ANSWER_WITHIN))?;
        let answers = Answers::new(stream.try_clone()?);
        Ok(Self { stream, answers, authority, token: token.to_owned(), request: Vec::new() })
    }

    /// Sends one request and reads its answer to the end. `headers` are whole lines.
    pub(super) fn exchange(
        &mut self,
        method: &str,
        path: &str,
        headers: &str,
        body: &str,
    ) -> Result<Answer> {
        self.send(method, path, headers, body)?;
        self.answers.next().with_context(|| format!("no answer to {method} {path}"))
    }

    /// Sends one request and does not wait; to drop the connection then takes the request back.
    pub(super) fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: &str,
        body: &str,
    ) -> Result<()> {
        self.request.clear();
        // One write, so that the server never waits for the second half of a request.
        write!(
            self.request,
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\
             Content-Length: {}\r\n{headers}\r\n{body}",
            self.authority,
            self.token,
            body.len(),
        )?;
        self.stream.write_all(&self.request).context("cannot send a request")
    }
}

/// One answer, complete.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) status: u16,
    /// Names are in lower case.
    headers: Vec<(String, String)>,
    pub(super) body: String,
}

impl Answer {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// The JSON of the answer: the body, or the last message among events. What a server sends
    /// before its answer, such as progress, comes in earlier events.
    pub(super) fn message(&self) -> Result<String> {
        let kind = self.header("content-type").unwrap_or_default();
        if !kind.starts_with("text/event-stream") {
            return Ok(self.body.clone());
        }
        last_event(&self.body).context("a stream of events without a message")
    }
}

/// The data of the last event that has any; lines of one event are joined.
fn last_event(stream: &str) -> Option<String> {
    let (mut last, mut data) = (None, Vec::new());
    for line in stream.lines() {
        if let Some(value) = line.strip_prefix("data:") {
            data.push(value.strip_prefix(' ').unwrap_or(value));
        } else if line.is_empty() && !data.is_empty() {
            last = Some(data.join("\n")).filter(|event| !event.is_empty()).or(last);
            data.clear();
        }
    }
    last
}

/// The answers on one connection, in order.
struct Answers<R> {
    source: BufReader<R>,
    line: Vec<u8>,
}

impl<R: Read> Answers<R> {
    fn new(source: R) -> Self {
        Self { source: BufReader::with_capacity(BUFFER, source), line: Vec::new() }
    }

    fn next(&mut self) -> Result<Answer> {
        let status = status_of(self.line()?)?;
        let mut headers = Vec::new();
        loop {
            let line = self.line()?;
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(':').context("a header without a colon")?;
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
            if headers.len() > MOST_HEADERS {
                bail!("more than {MOST_HEADERS} headers");
            }
        }
        let mut answer = Answer { status, headers, body: String::new() };
        let mut body = Vec::new();
        match (answer.header("transfer-encoding"), answer.header("content-length")) {
            (Some("chunked"), None) => self.chunks(&mut body)?,
            (None, Some(length)) => {
                let length = length.parse().context("a wrong content-length")?;
                self.append(length, &mut body)?;
            }
            (None, None) if status == 204 => {}
            (coding, length) => bail!("a body of {length:?} bytes in the coding {coding:?}"),
        }
        answer.body = String::from_utf8(body).context("the body is not text")?;
        Ok(answer)
    }

    fn chunks(&mut self, body: &mut Vec<u8>) -> Result<()> {
        loop {
            let line = self.line()?;
            let size = line.split(';').next().unwrap_or_default().trim();
            let size = usize::from_str_radix(size, 16).context("a wrong size of a chunk")?;
            if size == 0 {
                // Trailers may follow; an empty line ends them.
                while !self.line()?.is_empty() {}
                return Ok(());
            }
            self.append(size, body)?;
            if !self.line()?.is_empty() {
                bail!("a chunk is longer than it says");
            }
        }
    }

    fn append(&mut self, size: usize, body: &mut Vec<u8>) -> Result<()> {
        let start = body.len();
        let end = start.checked_add(size).filter(|end| *end <= LARGEST_BODY);
        body.resize(end.context("the body is too large")?, 0);
        self.source.read_exact(&mut body[start..]).context("the body was cut off")
    }

    /// The next line without its end.
    fn line(&mut self) -> Result<&str> {
        self.line.clear();
        self.source.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut self.line)?;
        match self.line.strip_suffix(b"\r\n") {
            Some(line) => Ok(str::from_utf8(line)?),
            None if self.line.is_empty() => bail!("the server closed the connection"),
            None => bail!("a line was cut off or is too long"),
        }
    }
}

fn status_of(line: &str) -> Result<u16> {
    let rest = line.strip_prefix("HTTP/1.1 ").with_context(|| format!("not HTTP/1.1: {line}"))?;
    rest.split(' ').next().unwrap_or_default().parse().context("a wrong status")
}
