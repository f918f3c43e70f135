//! The frames of a stream of server-sent events, from bytes that come in any pieces.
//!
//! Only `data` is read, which is all that opencode sends. A frame that is too long is passed over and told as such.

/// Bytes of one frame: a part with the longest text that models write fits, and is made shorter later.
pub(super) const LONGEST_FRAME: usize = 16 * 1024 * 1024;

/// A frame.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Frame {
    Data(Vec<u8>),
    TooLong,
}

/// What came so far of a frame.
#[derive(Debug)]
pub(super) struct Frames {
    line: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    is_too_long: bool,
    longest: usize,
}

impl Default for Frames {
    fn default() -> Self {
        Self::within(LONGEST_FRAME)
    }
}

impl Frames {
    fn within(longest: usize) -> Self {
        Self { line: Vec::new(), data: Vec::new(), has_data: false, is_too_long: false, longest }
    }

    /// More bytes; the frames that they complete.
    pub(super) fn push(&mut self, mut bytes: &[u8]) -> Vec<Frame> {
        let mut frames = Vec::new();
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            self.grow(&bytes[..end]);
            bytes = &bytes[end + 1..];
            frames.extend(self.line_ended());
        }
        self.grow(bytes);
        frames
    }

    fn grow(&mut self, bytes: &[u8]) {
        if self.line.len() + self.data.len() + bytes.len() > self.longest {
            self.is_too_long = true;
            self.line = Vec::new();
            self.data = Vec::new();
        }
        if self.is_too_long {
            // Only whether a line is empty counts until the frame is over.
            if self.line.is_empty() {
                self.line.extend(bytes.first());
            }
        } else {
            self.line.extend_from_slice(bytes);
        }
    }

    fn line_ended(&mut self) -> Option<Frame> {
        let mut line = std::mem::take(&mut self.line);
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        if !line.is_empty() {
            if let Some(data) = line.strip_prefix(b"data:") {
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(data.strip_prefix(b" ").unwrap_or(data));
                self.has_data = true;
            }
            return None;
        }
        let data = std::mem::take(&mut self.data);
        let had_data = std::mem::take(&mut self.has_data);
        if std::mem::take(&mut self.is_too_long) {
            return Some(Frame::TooLong);
        }
        had_data.then_some(Frame::Data(data))
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    const STREAM: &str =
        ": hello\n\ndata: {\"a\":1}\n\nevent: x\r\ndata:one\r\ndata: two\r\n\r\ndata: rest";

    fn data(text: &str) -> Frame {
        Frame::Data(text.as_bytes().to_vec())
    }

    #[test]
    fn frames_are_the_same_however_the_bytes_come() {
        let whole = Frames::default().push(STREAM.as_bytes());
        assert_eq!(whole, [data("{\"a\":1}"), data("one\ntwo")]);
        for size in 1..STREAM.len() {
            let mut frames = Frames::default();
            let pieces = STREAM.as_bytes().chunks(size).flat_map(|piece| frames.push(piece));
            assert_eq!(pieces.collect::<Vec<_>>(), whole, "pieces of {size}");
        }
    }

    #[test]
    fn a_frame_that_is_too_long_is_passed_over_and_the_next_is_read() {
        let stream = format!("data: {}\nid: 1\n\ndata: next\n\n", "x".repeat(100));
        for size in [1, 7, stream.len()] {
            let mut frames = Frames::within(50);
            let pieces = stream.as_bytes().chunks(size).flat_map(|piece| frames.push(piece));
            assert_eq!(pieces.collect::<Vec<_>>(), [Frame::TooLong, data("next")]);
        }
    }
}
