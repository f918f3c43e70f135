//! The texts that a server has been told, and how it is told that they changed.
//!
//! Only we open documents, so versions are a counter of ours: it never goes back, not for a document that is opened
//! again and not for a server that was started again. What is late can be known as late by its version. Texts have
//! line feeds alone, as live buffers do. Which documents should be open is for others to say.

use std::{collections::BTreeMap, sync::Arc};

use openspace_text::offsets::{self, Edit, OffsetError};
use serde_json::{Value, json};

use crate::{
    abilities::{Change, TextSync},
    position::{Encoding, Range, Walk},
    uri::Uri,
};

/// Documents that are open at a time.
pub const MOST_DOCUMENTS: usize = 200;
/// The largest text that a server is told.
pub const LARGEST_TEXT: usize = 5 * 1024 * 1024;

/// Why a server was not told a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// Another must be closed first.
    #[error("{MOST_DOCUMENTS} documents are open; close one first")]
    TooMany,
    /// It has no language features.
    #[error("{uri} has {bytes} bytes; language servers are told texts of {LARGEST_TEXT} at most")]
    TooLarge {
        /// Which.
        uri: Uri,
        /// How large.
        bytes: usize,
    },
    /// It must be opened first.
    #[error("{0} is not open; open it first")]
    NotOpen(Uri),
    /// The edits are not of the text that it has.
    #[error("{uri} has another text: {why}; give the whole text")]
    Other {
        /// Which.
        uri: Uri,
        /// What does not fit.
        why: OffsetError,
    },
}

/// An open document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The name of its language as the protocol has it.
    pub language: String,
    /// Its text.
    pub text: Arc<str>,
    /// The version of this text.
    pub version: i32,
    /// The file on disk has it too, so that other files can be judged by either.
    pub saved: bool,
}

/// A message to the server.
pub(crate) type Message = (&'static str, Value);

#[derive(Debug, Default)]
pub(crate) struct Documents {
    open: BTreeMap<Uri, Document>,
    version: i32,
    /// Counts what can change an answer about another file.
    edition: u64,
}

impl Documents {
    pub(crate) fn get(&self, uri: &Uri) -> Option<&Document> {
        self.open.get(uri)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Uri, &Document)> {
        self.open.iter()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    pub(crate) fn edition(&self) -> u64 {
        self.edition
    }

    /// The version that was given last.
    pub(crate) fn last_version(&self) -> i32 {
        self.version
    }

    /// Something changed that is no text of ours: files, settings.
    pub(crate) fn touch(&mut self) {
        self.edition += 1;
    }

    fn next(&mut self) -> i32 {
        // Two thousand million keystrokes away; then it says what is equal, and never what is older.
        self.version = self.version.saturating_add(1);
        self.version
    }

    /// A document that is open already gets the text instead.
    pub(crate) fn open(
        &mut self,
        uri: &Uri,
        language: &str,
        text: Arc<str>,
        saved: bool,
        sync: TextSync,
    ) -> Result<Option<Message>, DocumentError> {
        check(uri, &text)?;
        if self.open.get(uri).is_some_and(|open| open.language == language) {
            return self.replace(uri, &text, sync);
        }
        if self.open.len() >= MOST_DOCUMENTS && !self.open.contains_key(uri) {
            return Err(DocumentError::TooMany);
        }
        let version = self.next();
        if !saved {
            self.touch();
        }
        let document = Document { language: language.to_owned(), text, version, saved };
        let opened = sync.open_close.then(|| opened(uri, &document));
        self.open.insert(uri.clone(), document);
        Ok(opened)
    }

    /// Edits of the text that it has, in order, all of them about the text before the first.
    pub(crate) fn change(
        &mut self,
        uri: &Uri,
        edits: &[Edit],
        sync: TextSync,
    ) -> Result<Option<Message>, DocumentError> {
        let Some(document) = self.open.get(uri) else {
            return Err(DocumentError::NotOpen(uri.clone()));
        };
        if edits.is_empty() {
            return Ok(None);
        }
        let text = offsets::apply(&document.text, edits)
            .map_err(|why| DocumentError::Other { uri: uri.clone(), why })?;
        check(uri, &text)?;
        let changes = match sync.change {
            Change::Nothing => None,
            Change::Whole => Some(json!([{"text": text}])),
            Change::Pieces => Some(pieces(&document.text, edits)),
        };
        let version = self.next();
        self.touch();
        if let Some(document) = self.open.get_mut(uri) {
            document.saved = false;
            document.version = version;
            document.text = text.into();
        }
        Ok(changes.map(|changes| {
            let named = json!({"uri": uri, "version": version});
            let params = json!({"textDocument": named, "contentChanges": changes});
            ("textDocument/didChange", params)
        }))
    }

    /// The whole text, of which only what differs is told.
    pub(crate) fn replace(
        &mut self,
        uri: &Uri,
        text: &str,
        sync: TextSync,
    ) -> Result<Option<Message>, DocumentError> {
        check(uri, text)?;
        let Some(document) = self.open.get(uri) else {
            return Err(DocumentError::NotOpen(uri.clone()));
        };
        let edits = offsets::between(&document.text, text);
        self.change(uri, &edits, sync)
    }

    /// The disk has this text now.
    pub(crate) fn saved(
        &mut self,
        uri: &Uri,
        sync: TextSync,
    ) -> Result<Option<Message>, DocumentError> {
        let Some(document) = self.open.get_mut(uri) else {
            return Err(DocumentError::NotOpen(uri.clone()));
        };
        document.saved = true;
        Ok(sync.save.map(|with_text| {
            let mut params = json!({"textDocument": {"uri": uri}});
            if with_text {
                params["text"] = json!(&*document.text);
            }
            ("textDocument/didSave", params)
        }))
    }

    pub(crate) fn close(&mut self, uri: &Uri, sync: TextSync) -> Option<Message> {
        // Now the disk counts.
        if !self.open.remove(uri)?.saved {
            self.touch();
        }
        let params = json!({"textDocument": {"uri": uri}});
        sync.open_close.then_some(("textDocument/didClose", params))
    }

    /// What a server that was started again has to be told.
    pub(crate) fn all_opened(&self, sync: TextSync) -> Vec<Message> {
        if !sync.open_close {
            return Vec::new();
        }
        self.open.iter().map(|(uri, document)| opened(uri, document)).collect()
    }
}

fn check(uri: &Uri, text: &str) -> Result<(), DocumentError> {
    if text.len() > LARGEST_TEXT {
        return Err(DocumentError::TooLarge { uri: uri.clone(), bytes: text.len() });
    }
    Ok(())
}

fn opened(uri: &Uri, document: &Document) -> Message {
    let text = json!({
        "uri": uri,
        "languageId": document.language,
        "version": document.version,
        "text": &*document.text,
    });
    ("textDocument/didOpen", json!({"textDocument": text}))
}

/// Edits as the protocol has them: each is about the text that the ones before it made. From the last to the first,
/// none moves the place of another.
fn pieces(text: &str, edits: &[Edit]) -> Value {
    let mut walk = Walk::new(text, Encoding::Utf16);
    let mut pieces: Vec<Value> = edits
        .iter()
        .map(|edit| {
            walk.go_to_units(edit.start);
            let start = walk.position;
            walk.go_to_units(edit.end);
            json!({"range": Range { start, end: walk.position }, "text": edit.text})
        })
        .collect();
    pieces.reverse();
    Value::Array(pieces)
}

#[cfg(test)]
mod tests;
