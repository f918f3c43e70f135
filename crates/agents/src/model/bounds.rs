//! How much there may be of anything, and how what is too long is made shorter.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[cfg(test)]
mod tests;

/// Bytes of a text: of a part, of what a tool put out, of a patch.
pub const LONGEST_TEXT: usize = 256 * 1024;
/// Bytes of the arguments of a tool, all their texts together.
pub const LONGEST_INPUT: usize = 64 * 1024;
/// Bytes of data that a message carries in itself, such as a picture, in base64.
pub const LONGEST_DATA: usize = 8 * 1024 * 1024;
/// Bytes of a name, a title or a sentence.
pub const LONGEST_NAME: usize = 4096;
/// Sessions in one answer.
pub const MOST_SESSIONS: usize = 200;
/// Messages in one answer.
pub const MOST_MESSAGES: usize = 200;
/// Parts of one message.
pub const MOST_PARTS: usize = 2000;
/// Files in one list of changes.
pub const MOST_DIFFS: usize = 1000;

/// A text that may be longer than what is told of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LongText {
    /// Its beginning, or all of it.
    pub text: String,
    /// Bytes that are not here.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u64,
}

impl LongText {
    /// A text of at most [`LONGEST_TEXT`].
    pub fn new(text: impl Into<String>) -> Self {
        Self::within(text, LONGEST_TEXT)
    }

    /// A text of at most so many bytes.
    pub fn within(text: impl Into<String>, longest: usize) -> Self {
        let mut text = text.into();
        let whole = text.len();
        text.truncate(text.floor_char_boundary(longest));
        // A short beginning must not keep the room of the whole.
        text.shrink_to_fit();
        let left_out = (whole - text.len()) as u64;
        Self { text, left_out }
    }

    /// Whether it is all there.
    pub fn is_whole(&self) -> bool {
        self.left_out == 0
    }
}

/// A name or a sentence, shortened with an ellipsis when it is longer than [`LONGEST_NAME`].
pub fn shortened(text: &str) -> String {
    if text.len() <= LONGEST_NAME {
        return text.to_owned();
    }
    let ellipsis = '…';
    let kept = text.floor_char_boundary(LONGEST_NAME - ellipsis.len_utf8());
    format!("{}{ellipsis}", &text[..kept])
}

/// A value whose texts, names and entries together are at most so many bytes, and how many bytes were left out of it.
/// Lists and objects are cut at their end, texts at theirs.
pub fn bounded_value(value: Value, longest: usize) -> (Value, u64) {
    let mut room = Room { left: longest, left_out: 0 };
    let value = room.take(value);
    (value, room.left_out)
}

struct Room {
    left: usize,
    left_out: u64,
}

impl Room {
    /// What a value costs beside its texts.
    const ENTRY: usize = 8;

    fn take(&mut self, value: Value) -> Value {
        self.left = self.left.saturating_sub(Self::ENTRY);
        match value {
            Value::String(text) => {
                let text = LongText::within(text, self.left);
                self.left -= text.text.len();
                self.left_out += text.left_out;
                Value::String(text.text)
            }
            Value::Array(values) => {
                Value::Array(values.into_iter().filter_map(|value| self.entry(0, value)).collect())
            }
            Value::Object(entries) => {
                let kept = entries.into_iter().filter_map(|(name, value)| {
                    self.entry(name.len(), value).map(|value| (name, value))
                });
                Value::Object(kept.collect())
            }
            plain => plain,
        }
    }

    fn entry(&mut self, name: usize, value: Value) -> Option<Value> {
        if self.left < name + Self::ENTRY {
            self.left = 0;
            self.left_out += (name + value.to_string().len()) as u64;
            return None;
        }
        self.left -= name;
        Some(self.take(value))
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
