//! How errors of the system travel between processes: by number or by text.
//!
//! An error of the system keeps its number, so that its kind is the same on the other side. Any
//! other error keeps its text and loses its kind.

use std::io;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Wire {
    /// The number that the system gives this error.
    Code(i32),
    /// What the error says.
    Message(String),
}

pub fn serialize<S: Serializer>(error: &io::Error, out: S) -> Result<S::Ok, S::Error> {
    match error.raw_os_error() {
        Some(code) => Wire::Code(code),
        None => Wire::Message(error.to_string()),
    }
    .serialize(out)
}

pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<io::Error, D::Error> {
    Ok(match Wire::deserialize(input)? {
        Wire::Code(code) => io::Error::from_raw_os_error(code),
        Wire::Message(message) => io::Error::other(message),
    })
}

/// A path of the machine, to be shown: what is not text in it is replaced, for an error must travel.
pub mod path {
    use std::path::{Path, PathBuf};

    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(path: &Path, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(&path.to_string_lossy())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<PathBuf, D::Error> {
        String::deserialize(input).map(PathBuf::from)
    }
}
