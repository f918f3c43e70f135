//! Messages as lines: whole ones or none, and none that never ends.

use std::io::{Error, ErrorKind, Result};

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// Messages are small; answers may be large.
const BUFFER: usize = 64 * 1024;
/// What the server takes.
const MOST: usize = crate::mcp::LONGEST_MESSAGE;

/// The lines of a stream.
pub(super) struct Lines<R> {
    from: BufReader<R>,
    /// What has come of the line that is not whole yet.
    begun: Vec<u8>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(from: R) -> Self {
        Self { from: BufReader::with_capacity(BUFFER, from), begun: Vec::new() }
    }

    /// The next line with its end, or none when the stream has ended; what was cut off is dropped.
    /// Nothing is lost when it is not waited for any longer.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        loop {
            let piece = self.from.fill_buf().await?;
            if piece.is_empty() {
                return Ok(None);
            }
            let end = piece.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(piece.len(), |end| end + 1);
            if self.begun.len() + taken > MOST {
                let why = format!("a message is longer than {} MiB", MOST / 1024 / 1024);
                return Err(Error::new(ErrorKind::InvalidData, why));
            }
            self.begun.extend_from_slice(&piece[..taken]);
            self.from.consume(taken);
            if end.is_some() {
                return Ok(Some(std::mem::take(&mut self.begun)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt as _;

    use super::*;

    #[tokio::test]
    async fn a_line_is_whole_however_it_comes() {
        let (mut writer, reader) = tokio::io::duplex(4);
        let mut lines = Lines::new(reader);
        writer.write_all(b"ab").await.unwrap();
        let not_yet = tokio::time::timeout(std::time::Duration::ZERO, lines.next()).await;
        assert!(not_yet.is_err());
        let written = tokio::spawn(async move { writer.write_all(b"cdefg\n\nlast").await });
        assert_eq!(lines.next().await.unwrap().unwrap(), b"abcdefg\n");
        assert_eq!(lines.next().await.unwrap().unwrap(), b"\n");
        assert_eq!(lines.next().await.unwrap(), None, "what was cut off is no message");
        written.await.unwrap().unwrap();
    }
}
