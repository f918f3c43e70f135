//! Files as servers name them, in one form: the same file always is the same text.
//!
//! Servers encode other letters than we do (`file:///c%3A/`, `%40` for `@`), so what they say is taken apart and put
//! together anew. A name that is no file (`jdt:`, `untitled:`) is kept as it is.

use std::{
    ffi::OsStr,
    fmt,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Deserializer, Serialize};

const FILE: &str = "file://";

/// The name of a document.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Uri(String);

impl Uri {
    /// The file at an absolute path of the place where the server runs.
    pub fn of_path(path: &Path) -> Self {
        Self::of_bytes(path.as_os_str().as_bytes())
    }

    /// What a server said.
    pub fn read(text: &str) -> Self {
        let beneath = text
            .get(..FILE.len())
            .filter(|scheme| scheme.eq_ignore_ascii_case(FILE))
            .map(|_| &text[FILE.len()..]);
        // Behind the scheme stands a host, which is this one, then the path.
        match beneath.and_then(|rest| rest.find('/').map(|at| (&rest[..at], &rest[at..]))) {
            Some(("" | "localhost", path)) => Self::of_bytes(&decoded(path)),
            _ => Self(text.to_owned()),
        }
    }

    /// The path of a file; nothing if it is no file.
    pub fn path(&self) -> Option<PathBuf> {
        let path = self.0.strip_prefix(FILE).filter(|path| path.starts_with('/'))?;
        Some(PathBuf::from(OsStr::from_bytes(&decoded(path))))
    }

    /// As it is said to a server.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn of_bytes(path: &[u8]) -> Self {
        let mut uri = String::with_capacity(FILE.len() + path.len());
        uri.push_str(FILE);
        for byte in path {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                    uri.push(char::from(*byte));
                }
                _ => {
                    uri.push('%');
                    uri.extend(
                        [byte >> 4, byte & 15].map(|digit| char::from(DIGITS[usize::from(digit)])),
                    );
                }
            }
        }
        Self(uri)
    }
}

const DIGITS: &[u8; 16] = b"0123456789ABCDEF";

/// A `%` that two digits do not follow is one.
fn decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let digit = |at: usize| {
        let digit = char::from(*bytes.get(at)?).to_digit(16)?;
        u8::try_from(digit).ok()
    };
    let (mut path, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(byte) = bytes.get(at) {
        if let (b'%', Some(high), Some(low)) = (byte, digit(at + 1), digit(at + 2)) {
            path.push(high << 4 | low);
            at += 3;
        } else {
            path.push(*byte);
            at += 1;
        }
    }
    path
}

impl fmt::Display for Uri {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Uri {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        String::deserialize(value).map(|text| Self::read(&text))
    }
}

#[cfg(test)]
mod tests;
