//! Arguments as a reader is shown them, and the digest by which the same call is known again.
//!
//! What is shown holds no secret that can be told by its look, and has a bound whatever was given. The
//! digest is of all that was given and of the line that was judged: a yes for one call must never fit another one.

use openspace_command::{Intent, Line, SeenFile};
use openspace_secrets::Masker;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::ShownArgument;

/// Longest value shown, in characters.
const MAX_VALUE: usize = 2_000;
/// Longest text of all values together, in characters.
const MAX_VALUES: usize = 8_000;
/// Arguments shown.
const MAX_ARGUMENTS: usize = 50;
/// So much of a text is looked at for secrets, in characters; what lies beyond would not be shown.
const MAX_LOOKED_AT: usize = 4 * MAX_VALUE;

/// A text without secrets, cut where it is longer than `most` characters. Lines stay lines.
pub fn shown(text: &str, most: usize) -> String {
    // A secret that is cut through would not be known as one: cut at a space, or show nothing of it.
    let looked_at = match text.char_indices().nth(MAX_LOOKED_AT.max(most)) {
        Some((end, _)) => &text[..text[..end].rfind(char::is_whitespace).unwrap_or_default()],
        None => text,
    };
    let masker = Masker::default();
    let masked = masker.mask_record(looked_at);
    let is_plain = |c: char| c == '\n' || c == '\t' || !(c.is_control() || reorders(c));
    let plain = masked.chars().map(|c| if is_plain(c) { c } else { '\u{fffd}' });
    let mut line: String = plain.take(most + 1).collect();
    match line.char_indices().nth(most) {
        Some((end, _)) => line.replace_range(end.., "…"),
        None if looked_at.len() < text.len() => line.push('…'),
        None => {}
    }
    line
}

/// Characters that change the order in which others are shown, so that a text reads as another.
fn reorders(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{061c}')
}

/// Arguments as a reader is shown them.
pub fn arguments(given: &Map<String, Value>) -> Vec<ShownArgument> {
    let mut left = MAX_VALUES;
    let mut all = Vec::new();
    for (name, value) in given.iter().take(MAX_ARGUMENTS) {
        let text = match value {
            Value::String(text) => shown(text, MAX_VALUE.min(left)),
            other => shown(&other.to_string(), MAX_VALUE.min(left)),
        };
        left = left.saturating_sub(text.chars().count());
        all.push(ShownArgument { name: shown(name, 100), value: text });
    }
    all
}

/// The digest of a call: the same for the same members, in whatever order they were given, and the same line. A key for
/// a terminal is another call when another line stands there, and a line when a file that it runs has changed.
pub fn digest(given: &Map<String, Value>, intent: &Intent) -> String {
    let mut hash = Sha256::new();
    add_members(&mut hash, given);
    if let Some(Line { text, shell, is_typed }) = &intent.line {
        add_piece(&mut hash, b'l', text.as_bytes());
        add_piece(&mut hash, b's', shell.as_bytes());
        add_piece(&mut hash, b't', &[u8::from(*is_typed)]);
    }
    if let Some(thing) = &intent.thing {
        add_piece(&mut hash, b'i', thing.as_bytes());
    }
    // What lies in the files that it runs is as much of it as its words.
    for SeenFile { path, content } in &intent.seen {
        add_piece(&mut hash, b'f', path.as_bytes());
        add_piece(&mut hash, b'c', content.as_bytes());
    }
    hash.finalize().iter().fold(String::with_capacity(64), |mut word, byte| {
        // Writing to a String cannot fail.
        let _ = std::fmt::Write::write_fmt(&mut word, format_args!("{byte:02x}"));
        word
    })
}

/// Every piece has its kind and length before it, so that no two values make the same bytes.
fn add(hash: &mut Sha256, value: &Value) {
    match value {
        Value::Object(members) => add_members(hash, members),
        Value::Array(items) => {
            add_piece(hash, b'a', &items.len().to_le_bytes());
            for item in items {
                add(hash, item);
            }
        }
        Value::String(text) => add_piece(hash, b's', text.as_bytes()),
        other => add_piece(hash, b'v', other.to_string().as_bytes()),
    }
}

fn add_members(hash: &mut Sha256, members: &Map<String, Value>) {
    add_piece(hash, b'o', &members.len().to_le_bytes());
    let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
    sorted.sort_by_key(|(name, _)| *name);
    for (name, value) in sorted {
        add_piece(hash, b'n', name.as_bytes());
        add(hash, value);
    }
}

fn add_piece(hash: &mut Sha256, kind: u8, bytes: &[u8]) {
    hash.update([kind]);
    hash.update(bytes.len().to_le_bytes());
    hash.update(bytes);
}
