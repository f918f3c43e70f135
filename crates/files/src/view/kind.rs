//! What a file is, by its first bytes, and how many pixels an image has.

use super::Source;
use crate::files::{Encoding, FileError};

/// How many segments of a JPEG are passed on the way to its size.
const MAX_SEGMENTS: usize = 1000;

pub(super) enum Guess {
    Text(Encoding),
    Binary(Option<&'static str>),
    Image(Image),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Image {
    Png,
    Jpeg,
    Gif,
    Webp,
    Bmp,
}

/// First bytes that only such a file has.
const SIGNATURES: &[(&[u8], &str)] = &[
    (b"\x7fELF", "elf"),
    (b"MZ", "windows executable"),
    (b"\xfe\xed\xfa\xce", "mach-o"),
    (b"\xfe\xed\xfa\xcf", "mach-o"),
    (b"\xce\xfa\xed\xfe", "mach-o"),
    (b"\xcf\xfa\xed\xfe", "mach-o"),
    (b"\0asm", "wasm"),
    (b"!<arch>\n", "ar archive"),
    (b"\xca\xfe\xba\xbe", "java class"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\0", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"%PDF-", "pdf"),
    (b"SQLite format 3\0", "sqlite"),
    (b"OggS", "ogg"),
    (b"fLaC", "flac"),
    (b"ID3", "mp3"),
    (b"\0\0\x01\0", "icon"),
    (b"wOFF", "woff"),
    (b"wOF2", "woff2"),
    (b"\0\x01\0\0\0", "truetype"),
    (b"OTTO", "opentype"),
];

/// Judge the first bytes of a file. What reads as text is text, whatever it begins with.
pub(super) fn guess(first: &[u8]) -> Guess {
    let encoding = Encoding::of(first);
    match encoding {
        Some(encoding @ (Encoding::Utf8 | Encoding::Utf8Bom)) if is_utf8(first) => {
            return Guess::Text(encoding);
        }
        Some(encoding @ (Encoding::Utf16Le | Encoding::Utf16Be)) => return Guess::Text(encoding),
        _ => {}
    }
    if let Some(image) = Image::of(first) {
        return Guess::Image(image);
    }
    let known = SIGNATURES.iter().find(|(start, _)| first.starts_with(start));
    match (known.map(|(_, name)| *name).or_else(|| name_at_an_offset(first)), encoding) {
        (None, Some(encoding)) => Guess::Text(encoding),
        (name, _) => Guess::Binary(name),
    }
}

/// Whether the bytes are UTF-8, but for a character cut at their end.
fn is_utf8(first: &[u8]) -> bool {
    std::str::from_utf8(first).err().is_none_or(|error| error.error_len().is_none())
}

fn name_at_an_offset(first: &[u8]) -> Option<&'static str> {
    if first.get(257..262) == Some(b"ustar") {
        return Some("tar");
    }
    if first.get(4..8) == Some(b"ftyp") {
        return Some("mp4");
    }
    (first.starts_with(b"RIFF") && first.get(8..12) == Some(b"WAVE")).then_some("wav")
}

impl Image {
    fn of(first: &[u8]) -> Option<Self> {
        if first.starts_with(b"\x89PNG\r\n\x1a\n") {
            Some(Self::Png)
        } else if first.starts_with(b"\xff\xd8\xff") {
            Some(Self::Jpeg)
        } else if first.starts_with(b"GIF87a") || first.starts_with(b"GIF89a") {
            Some(Self::Gif)
        } else if first.starts_with(b"RIFF") && first.get(8..12) == Some(b"WEBP") {
            Some(Self::Webp)
        } else if first.starts_with(b"BM") && first.get(6..10) == Some(&[0; 4]) {
            Some(Self::Bmp)
        } else {
            None
        }
    }

    pub(super) fn mime_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
            Self::Bmp => "image/bmp",
        }
    }

    /// Width and height, if the head of the file says them.
    pub(super) fn pixels(
        self,
        source: &Source<'_>,
        first: &[u8],
    ) -> Result<Option<(u32, u32)>, FileError> {
        let head = Head(first);
        Ok(match self {
            Self::Png => head.png(),
            Self::Gif => head.small(6).zip(head.small(8)),
            Self::Bmp => head.bmp(),
            Self::Webp => head.webp(),
            Self::Jpeg => return jpeg(source),
        })
    }
}

/// Numbers at places of the head of a file; absent where it is too short.
struct Head<'a>(&'a [u8]);

impl Head<'_> {
    fn bytes<const COUNT: usize>(&self, at: usize) -> Option<[u8; COUNT]> {
        self.0.get(at..at + COUNT)?.try_into().ok()
    }

    fn small(&self, at: usize) -> Option<u32> {
        self.bytes(at).map(u16::from_le_bytes).map(u32::from)
    }

    fn png(&self) -> Option<(u32, u32)> {
        if self.bytes(12)? != *b"IHDR" {
            return None;
        }
        self.bytes(16).map(u32::from_be_bytes).zip(self.bytes(20).map(u32::from_be_bytes))
    }

    fn bmp(&self) -> Option<(u32, u32)> {
        if self.bytes(14).map(u32::from_le_bytes)? == 12 {
            return self.small(18).zip(self.small(20));
        }
        // A negative height says that the rows start at the top.
        let size = |at| self.bytes(at).map(i32::from_le_bytes).map(i32::unsigned_abs);
        size(18).zip(size(22))
    }

    fn webp(&self) -> Option<(u32, u32)> {
        match &self.bytes::<4>(12)? {
            b"VP8 " => {
                // Two bits of each are a scale.
                let size = |at| self.small(at).map(|size| size & 0x3fff);
                (self.bytes(23)? == [0x9d, 0x01, 0x2a]).then_some(())?;
                size(26).zip(size(28))
            }
            b"VP8L" => {
                (self.bytes(20)? == [0x2f]).then_some(())?;
                let bits = self.bytes(21).map(u32::from_le_bytes)?;
                Some(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
            }
            b"VP8X" => {
                let size = |at| {
                    self.bytes(at)
                        .map(|[low, middle, high]| u32::from_le_bytes([low, middle, high, 0]) + 1)
                };
                size(24).zip(size(27))
            }
            _ => None,
        }
    }
}

/// The size stands in a frame header, after segments of any length.
fn jpeg(source: &Source<'_>) -> Result<Option<(u32, u32)>, FileError> {
    let mut at = 2_u64;
    for _ in 0..MAX_SEGMENTS {
        let mut segment = [0; 9];
        let filled = source.fill(&mut segment, at)?;
        let [0xff, marker, high, low, _, rest @ ..] = segment else { return Ok(None) };
        if filled < 4 {
            return Ok(None);
        }
        match marker {
            // Padding, and markers without a length.
            0xff => at += 1,
            0x01 | 0xd0..=0xd8 => at += 2,
            0xc0..=0xcf if !matches!(marker, 0xc4 | 0xc8 | 0xcc) => {
                let [top, bottom, left, right] = rest;
                let pixels = (u16::from_be_bytes([left, right]), u16::from_be_bytes([top, bottom]));
                return Ok((filled == 9).then_some((pixels.0.into(), pixels.1.into())));
            }
            // The image itself begins, or everything ends.
            0xd9 | 0xda => return Ok(None),
            _ => at += 2 + u64::from(u16::from_be_bytes([high, low])),
        }
    }
    Ok(None)
}
