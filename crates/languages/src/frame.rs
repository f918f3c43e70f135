//! Frames of the protocol: a header that names a length, then so many bytes.
//!
//! Servers, and the programs that they start, print things where only frames belong. What is no header is skipped and
//! told; after too much of it nobody listens any more. What the bytes mean is not known here.

/// The largest body that is read; a larger one is skipped and told.
pub const LARGEST_BODY: usize = 64 * 1024 * 1024;
/// A length beyond this is no length: skipping so much would be the end of listening, without a word.
const LARGEST_LENGTH: u64 = 1024 * 1024 * 1024;
/// The longest line of a header. A longer one is noise, and told in pieces.
const LONGEST_LINE: usize = 1024;
/// Bytes of noise between two frames, after which nobody listens.
const MOST_NOISE: usize = 256 * 1024;
/// What is told of a line of noise.
const TOLD_NOISE: usize = 200;

const LENGTH: &[u8] = b"content-length:";
const KIND: &[u8] = b"content-type:";

/// What stood in the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// The body of a frame.
    Body(Vec<u8>),
    /// A body of this many bytes, which was thrown away.
    TooLarge {
        /// How many.
        bytes: u64,
    },
    /// A line that is not part of any frame, cut short.
    Noise(String),
}

/// Why nothing more can be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FrameError {
    /// A length that cannot be meant.
    #[error("it announced a message of {0} bytes")]
    Length(u64),
    /// Noise without end.
    #[error("it wrote more than {MOST_NOISE} bytes that are no message")]
    Noise,
}

/// Takes a stream apart, however its bytes come.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    bytes: Vec<u8>,
    /// Where in `bytes` reading goes on.
    at: usize,
    part: Part,
    noise: usize,
    broken: Option<FrameError>,
}

#[derive(Clone, Copy, Debug)]
enum Part {
    Header { length: Option<u64> },
    Body { length: usize },
    Skipped { left: u64, bytes: u64 },
}

impl Default for Part {
    fn default() -> Self {
        Self::Header { length: None }
    }
}

impl Frames {
    /// More bytes have come. What was read before is forgotten, so no more is kept than one body and these.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        if self.broken.is_some() {
            return;
        }
        self.bytes.drain(..self.at);
        self.at = 0;
        if self.bytes.is_empty() {
            self.bytes.shrink_to(LONGEST_LINE * 64);
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// The next thing in the stream, or nothing before more bytes have come.
    pub(crate) fn next(&mut self) -> Result<Option<Frame>, FrameError> {
        if let Some(broken) = &self.broken {
            return Err(broken.clone());
        }
        let next = self.read();
        if let Err(error) = &next {
            self.broken = Some(error.clone());
            self.bytes = Vec::new();
            self.at = 0;
        }
        next
    }

    fn read(&mut self) -> Result<Option<Frame>, FrameError> {
        loop {
            let rest = &self.bytes[self.at..];
            match self.part {
                Part::Header { length } => {
                    let Some((line, taken)) = line(rest) else { return Ok(None) };
                    let read = Line::read(line);
                    self.at += taken;
                    match read {
                        Line::End => self.begin_body(length)?,
                        Line::Kind => {}
                        Line::Length { length, noise } => {
                            if length > LARGEST_LENGTH {
                                return Err(FrameError::Length(length));
                            }
                            self.part = Part::Header { length: Some(length) };
                            if let Some(noise) = noise {
                                return self.noise(noise, taken).map(Some);
                            }
                        }
                        Line::Noise(noise) => return self.noise(noise, taken).map(Some),
                    }
                }
                Part::Body { length } => {
                    let Some(body) = rest.get(..length) else { return Ok(None) };
                    let body = body.to_vec();
                    self.at += length;
                    self.begin_header();
                    return Ok(Some(Frame::Body(body)));
                }
                Part::Skipped { left, bytes } => {
                    let skipped = rest.len().min(usize::try_from(left).unwrap_or(usize::MAX));
                    self.at += skipped;
                    let left = left - skipped as u64;
                    if left > 0 {
                        self.part = Part::Skipped { left, bytes };
                        return Ok(None);
                    }
                    self.begin_header();
                    return Ok(Some(Frame::TooLarge { bytes }));
                }
            }
        }
    }

    fn begin_header(&mut self) {
        self.part = Part::default();
        self.noise = 0;
    }

    /// An empty line: the body begins, or it was an empty line among noise.
    fn begin_body(&mut self, length: Option<u64>) -> Result<(), FrameError> {
        let Some(bytes) = length else {
            return self.count_noise(2);
        };
        self.part = match usize::try_from(bytes) {
            Ok(length) if length <= LARGEST_BODY => Part::Body { length },
            _ => Part::Skipped { left: bytes, bytes },
        };
        Ok(())
    }

    fn noise(&mut self, noise: String, bytes: usize) -> Result<Frame, FrameError> {
        self.count_noise(bytes)?;
        Ok(Frame::Noise(noise))
    }

    fn count_noise(&mut self, bytes: usize) -> Result<(), FrameError> {
        self.noise += bytes;
        if self.noise > MOST_NOISE { Err(FrameError::Noise) } else { Ok(()) }
    }
}

/// The next line without its end, and how many bytes it takes. One that is too long is cut.
fn line(rest: &[u8]) -> Option<(&[u8], usize)> {
    let near = &rest[..rest.len().min(LONGEST_LINE)];
    if let Some(end) = near.iter().position(|byte| *byte == b'\n') {
        let line = &near[..end];
        return Some((line.strip_suffix(b"\r").unwrap_or(line), end + 1));
    }
    (rest.len() >= LONGEST_LINE).then_some((near, LONGEST_LINE))
}

enum Line {
    End,
    Kind,
    /// A program may have written something before it, without an end of line.
    Length {
        length: u64,
        noise: Option<String>,
    },
    Noise(String),
}

impl Line {
    fn read(line: &[u8]) -> Self {
        if line.is_empty() {
            return Self::End;
        }
        let lower = line.to_ascii_lowercase();
        if lower.starts_with(KIND) {
            return Self::Kind;
        }
        let found = lower.windows(LENGTH.len()).rposition(|window| window == LENGTH);
        let length = found.and_then(|at| {
            let digits = line[at + LENGTH.len()..].trim_ascii();
            let length = digits.iter().all(u8::is_ascii_digit).then_some(digits)?;
            Some((at, std::str::from_utf8(length).ok()?.parse().ok()?))
        });
        match length {
            Some((0, length)) => Self::Length { length, noise: None },
            Some((at, length)) => Self::Length { length, noise: Some(told(&line[..at])) },
            None => Self::Noise(told(line)),
        }
    }
}

fn told(noise: &[u8]) -> String {
    String::from_utf8_lossy(&noise[..noise.len().min(TOLD_NOISE)]).into_owned()
}

/// A frame with this body.
pub(crate) fn write(body: &[u8], frames: &mut Vec<u8>) {
    frames.extend_from_slice(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes());
    frames.extend_from_slice(body);
}

#[cfg(test)]
mod tests;
