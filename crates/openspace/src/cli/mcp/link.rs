//! A stream of messages to a server: one of another process, or the one in this process.

use anyhow::{Context, Result, bail};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};

use super::lines::Lines;
use crate::{
    client::Client,
    mcp::{Joining, STREAM_PROTOCOL},
    server::Server,
};

/// What may be under way to a server in this process.
const BETWEEN: usize = 64 * 1024;
/// A head is a few lines.
const MOST_OF_HEAD: usize = 16 * 1024;

/// Both directions to a server.
pub(super) struct Link {
    pub(super) read: Lines<Box<dyn AsyncRead + Send + Unpin>>,
    pub(super) write: Box<dyn AsyncWrite + Send + Unpin>,
}

impl Link {
    /// Join the server of another process.
    pub(super) async fn to(client: &Client, joining: &Joining) -> Result<Self> {
        let authority = client.url.trim_start_matches("http://");
        let (read, mut write) = client.connect().await?.into_split();
        let mut read = BufReader::new(read);
        let request = format!(
            "GET /mcp/stream?{} HTTP/1.1\r\nhost: {authority}\r\nauthorization: Bearer {}\r\n\
             connection: upgrade\r\nupgrade: {STREAM_PROTOCOL}\r\n\r\n",
            joining.query(),
            client.token(),
        );
        write.write_all(request.as_bytes()).await.context("the server hung up")?;
        read_head(&mut read).await?;
        Ok(Self { read: Lines::new(Box::new(read)), write: Box::new(write) })
    }

    /// Join the server of this process.
    pub(super) fn within(server: &Server, joining: Joining) -> Self {
        let (ours, theirs) = tokio::io::duplex(BETWEEN);
        let (read, write) = tokio::io::split(ours);
        let mcp = std::sync::Arc::clone(server.mcp());
        tokio::spawn(async move {
            let (read, write) = tokio::io::split(theirs);
            if let Err(error) = Box::pin(mcp.serve_stream(read, write, joining)).await {
                tracing::debug!(%error, "the client's stream ended");
            }
        });
        Self { read: Lines::new(Box::new(read)), write: Box::new(write) }
    }
}

async fn read_head<R: AsyncRead + Unpin>(from: &mut BufReader<R>) -> Result<()> {
    let mut head = String::new();
    loop {
        let before = head.len();
        if from.read_line(&mut head).await.context("the server's answer")? == 0 {
            bail!("the server hung up");
        }
        if &head[before..] == "\r\n" {
            break;
        }
        if head.len() > MOST_OF_HEAD {
            bail!("the server's answer has no end");
        }
    }
    let first = head.lines().next().unwrap_or_default();
    if !first.contains(" 101 ") {
        bail!("the server refused to be joined: {first}");
    }
    Ok(())
}
