//! Join a running server: pass messages between standard input and output and that server.
//!
//! Two plain threads and blocking calls: every message passes here, and nothing is faster.

use std::{
    fs::File,
    io::{BufRead, BufReader, Read, Write},
    net::{Shutdown, TcpStream},
    os::fd::AsFd,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use anyhow::{Context, Result, bail};

use crate::{
    client::Client,
    mcp::{STREAM_PROTOCOL, ToolSet},
};

/// Messages are small; answers may be large.
const BUFFER: usize = 64 * 1024;

/// Pass messages through until either side closes.
pub(super) fn join(client: &Client, set: ToolSet) -> Result<()> {
    let authority = client.url.trim_start_matches("http://");
    let stream = TcpStream::connect(authority)
        .with_context(|| format!("the server at {} does not answer", client.url))?;
    stream.set_nodelay(true).context("the connection")?;
    let mut to_server = stream.try_clone().context("the connection")?;
    let mut from_server = BufReader::with_capacity(BUFFER, stream);
    let request = format!(
        "GET /mcp/stream?set={} HTTP/1.1\r\nhost: {authority}\r\nauthorization: Bearer {}\r\n\
         connection: upgrade\r\nupgrade: {STREAM_PROTOCOL}\r\n\r\n",
        set.word(),
        client.token(),
    );
    to_server.write_all(request.as_bytes()).context("the server hung up")?;
    read_head(&mut from_server)?;

    let mut input =
        File::from(std::io::stdin().as_fd().try_clone_to_owned().context("standard input")?);
    let mut output =
        File::from(std::io::stdout().as_fd().try_clone_to_owned().context("standard output")?);
    let all_sent = Arc::new(AtomicBool::new(false));
    let sender_done = Arc::clone(&all_sent);
    let sending = thread::spawn(move || {
        let sent = pass(&mut input, &mut to_server);
        // Noted before the server hears of it: it may close its side before this thread has ended.
        sender_done.store(sent.is_ok(), Ordering::SeqCst);
        // The client is done; what the server still has to say is passed on.
        drop(to_server.shutdown(Shutdown::Write));
        sent
    });
    pass(&mut from_server, &mut output).context("passing answers on")?;
    if !all_sent.load(Ordering::SeqCst) {
        bail!("the server at {} has stopped\n  hint: start it again, then reconnect", client.url);
    }
    match sending.join() {
        Ok(sent) => sent.context("passing messages to the server"),
        Err(_) => bail!("passing messages to the server failed"),
    }
}

/// Copy until the end, each piece as soon as it is there.
fn pass(from: &mut impl Read, to: &mut impl Write) -> std::io::Result<()> {
    let mut buffer = vec![0; BUFFER];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => to.write_all(&buffer[..count])?,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn read_head(from_server: &mut impl BufRead) -> Result<()> {
    let mut first = String::new();
    loop {
        let mut line = String::new();
        if from_server.read_line(&mut line).context("the server's answer")? == 0 {
            bail!("the server hung up");
        }
        if first.is_empty() {
            first.clone_from(&line);
        }
        if line == "\r\n" {
            break;
        }
    }
    if !first.contains(" 101 ") {
        bail!("the server refused to be joined: {}", first.trim());
    }
    Ok(())
}
