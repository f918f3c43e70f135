//! What leaves for an agent is masked, and here is where: the answer's data and text, errors, progress.
//!
//! It does not know which secrets there are or where they come from; it asks [`Masks`] for a masker. Names of
//! fields stay as they are, and so do values that are names themselves (paths, ids, hashes): a caller gives
//! them back to us, and a name that was changed names nothing.

use std::sync::{
    Arc, LazyLock,
    atomic::{AtomicBool, Ordering},
};

use futures::future::BoxFuture;
use openspace_secrets::Masker;
use serde_json::Value;

use crate::{Caller, CallerKind, Error, Reply, Since};

#[cfg(test)]
mod tests;

/// Fields that hold the name of a file or folder.
const PATHS: &[&str] = &[
    "activePath",
    "contentId",
    "cwd",
    "file",
    "file_path",
    "files",
    "folder",
    "from",
    "full_output",
    "kept_root",
    "old_path",
    "output_inside",
    "path",
    "paths",
    "root",
    "root_inside",
    "to",
    "trashed",
    "unsaved",
];
/// Fields that hold what tells one content, commit or thing from others.
const MARKS: &[&str] =
    &["deleted_oid", "hash", "head", "id", "oid", "parents", "previous_hash", "short_oid"];
/// The longest name of a file and the longest mark, in bytes: what is longer names nothing.
const MAX_PATH: usize = 4_096;
const MAX_MARK: usize = 128;

/// Whoever knows which secrets there are.
pub trait Masks: Send + Sync + 'static {
    /// What hides the secrets that are known now.
    fn masker(&self) -> Arc<Masker>;

    /// Wait until they are known for the first time. An agent's call does not run before.
    fn ready(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}

/// Knows no secret, only the forms of well-known tokens.
#[derive(Clone, Copy, Debug, Default)]
pub struct TokensAlone;

impl Masks for TokensAlone {
    fn masker(&self) -> Arc<Masker> {
        static MASKER: LazyLock<Arc<Masker>> = LazyLock::new(Arc::default);
        Arc::clone(&MASKER)
    }
}

/// Whether one call is answered with its secrets to be seen. It is not, until somebody who may decide that
/// allows it; then the record of the call says so.
#[derive(Clone, Debug, Default)]
pub struct Unmask(Arc<AtomicBool>);

impl Unmask {
    /// Answer this call as it is.
    pub fn allow(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether that was allowed.
    pub fn is_allowed(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Whether what this caller gets is masked. A person's secrets are their own, and a script has the token, which
/// opens more than a masked answer hides.
pub(crate) fn is_masked_for(caller: &Caller) -> bool {
    caller.kind == CallerKind::Agent
}

/// Mask an answer, and note in it how many secrets it had.
pub(crate) fn mask_reply(masker: &Masker, reply: &mut Reply) {
    let mut masking = Masking { masker, count: 0, names: Vec::new() };
    match &mut reply.result {
        Ok(data) => {
            for (key, value) in data.iter_mut() {
                masking.value(key, value);
            }
        }
        Err(error) => masking.error(error),
    }
    let mut in_text = 0;
    if let Some(text) = &mut reply.text {
        in_text = masking.text_around_names(text);
    }
    // The text says the same again.
    let in_answer = masking.count.max(in_text);
    reply.masked = in_answer + reply.since.as_mut().map_or(0, |since| mask_since(masker, since));
}

/// Mask what people did meanwhile; its line says the same again.
pub(crate) fn mask_since(masker: &Masker, since: &mut Since) -> usize {
    let mut masking = Masking { masker, count: 0, names: Vec::new() };
    masking.value("", &mut since.data);
    let in_line = masking.text_around_names(&mut since.line);
    masking.count.max(in_line)
}

/// Mask a value, and count what was masked.
pub(crate) fn mask_value(masker: &Masker, value: &mut Value) -> usize {
    let mut masking = Masking { masker, count: 0, names: Vec::new() };
    masking.value("", value);
    masking.count
}

/// What a reader is told of masked secrets.
pub(crate) fn told(count: usize) -> String {
    match count {
        1 => "(1 secret is masked: ⟨secret …⟩ stands in its place)".to_owned(),
        many => format!("({many} secrets are masked: ⟨secret …⟩ stands in their place)"),
    }
}

struct Masking<'m> {
    masker: &'m Masker,
    count: usize,
    /// Names that would have been changed.
    names: Vec<String>,
}

impl Masking<'_> {
    /// The value of a field; what is in a list has the name of the list.
    fn value(&mut self, key: &str, value: &mut Value) {
        match value {
            Value::String(text) if is_name(key, text) => {
                if self.masker.mask(text).count > 0 {
                    self.names.push(text.clone());
                }
            }
            Value::String(text) => self.text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(key, item)),
            Value::Object(fields) => {
                fields.iter_mut().for_each(|(key, value)| self.value(key, value));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn text(&mut self, text: &mut String) {
        let masked = self.masker.mask(text);
        if masked.count > 0 {
            self.count += masked.count;
            *text = masked.text.into_owned();
        }
    }

    fn error(&mut self, error: &mut Error) {
        self.text(&mut error.message);
        if let Some(hint) = &mut error.hint {
            self.text(hint);
        }
    }

    /// Mask a text that says what the data says, with the same names left in it; how many secrets it had.
    fn text_around_names(&mut self, text: &mut String) -> usize {
        // A longer name may hold a shorter one.
        self.names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        let (masked, count) = around(self.masker, text, &self.names);
        if count > 0 {
            *text = masked;
        }
        count
    }
}

fn around(masker: &Masker, text: &str, names: &[String]) -> (String, usize) {
    let Some((name, others)) = names.split_first() else {
        let masked = masker.mask(text);
        return (masked.text.into_owned(), masked.count);
    };
    let mut count = 0;
    let pieces: Vec<String> = text
        .split(name.as_str())
        .map(|piece| {
            let (masked, found) = around(masker, piece, others);
            count += found;
            masked
        })
        .collect();
    (pieces.join(name), count)
}

fn is_name(key: &str, text: &str) -> bool {
    let is_mark = MARKS.contains(&key) || key.ends_with("Id") || key.ends_with("_id");
    let in_mark =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':');
    is_mark && text.len() <= MAX_MARK && text.bytes().all(in_mark)
        || PATHS.contains(&key) && text.len() <= MAX_PATH && !text.contains(['\n', '\r'])
}
