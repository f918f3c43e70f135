//! Join a running server: pass messages between standard input and output and that server.

use anyhow::{Context, Result, bail};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::tcp::OwnedReadHalf,
};

use crate::{
    client::Client,
    mcp::{STREAM_PROTOCOL, ToolSet},
};

/// Pass messages through until either side closes.
pub(super) async fn join(client: &Client, set: ToolSet) -> Result<()> {
    let stream = client.connect().await?;
    let (from_server, mut to_server) = stream.into_split();
    let mut from_server = BufReader::new(from_server);
    let authority = client.url.trim_start_matches("http://");
    let request = format!(
        "GET /mcp/stream?set={} HTTP/1.1\r\nhost: {authority}\r\nauthorization: Bearer {}\r\n\
         connection: upgrade\r\nupgrade: {STREAM_PROTOCOL}\r\n\r\n",
        set.word(),
        client.token(),
    );
    to_server.write_all(request.as_bytes()).await.context("the server hung up")?;
    read_head(&mut from_server).await?;

    let mut input = tokio::io::stdin();
    let mut output = tokio::io::stdout();
    tokio::select! {
        sent = tokio::io::copy(&mut input, &mut to_server) => {
            sent.context("passing messages to the server")?;
            // The client is done; what the server still has to say is passed on.
            drop(to_server.shutdown().await);
            tokio::io::copy(&mut from_server, &mut output).await.context("passing answers on")?;
            Ok(())
        }
        received = tokio::io::copy(&mut from_server, &mut output) => {
            received.context("passing answers on")?;
            bail!("the server at {} has stopped\n  hint: start it again, then reconnect", client.url)
        }
    }
}

async fn read_head(from_server: &mut BufReader<OwnedReadHalf>) -> Result<()> {
    let mut first = String::new();
    loop {
        let mut line = String::new();
        if from_server.read_line(&mut line).await.context("the server's answer")? == 0 {
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
