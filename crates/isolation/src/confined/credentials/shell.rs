//! Scripts of a shell, in which people set variables that hold credentials.
//!
//! Only the value goes: a script without the line might not be a script any more.

use super::is_credential;

/// The text with nothing as the value of each credential; nothing if a value has no end.
pub(super) fn without(text: &str) -> Option<String> {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('=') {
        let (before, after) = rest.split_at(at);
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
        let start = before
            .rfind(|letter| !is_part(letter))
            .map_or(0, |last| last + before[last..].chars().next().map_or(1, char::len_utf8));
        let name = before[start..].trim_start_matches('-');
        kept.push_str(before);
        kept.push('=');
        let value = &after[1..];
        // Where the person is, is no credential, though its name ends like one.
        let is_secret =
            is_credential(name) || (name.ends_with("PWD") && !matches!(name, "PWD" | "OLDPWD"));
        if !is_secret || name.is_empty() {
            rest = value;
            continue;
        }
        rest = &value[end(value)?..];
    }
    kept.push_str(rest);
    Some(kept)
}

/// Where a value ends.
fn end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'\'' => at = after(bytes, at + 1, b'\'', false)?,
            b'"' | b'`' => at = after(bytes, at + 1, *byte, true)?,
            b'(' => at = after_bracket(bytes, at + 1)?,
            b' ' | b'\t' | b'\n' | b'\r' | b';' | b'&' | b'|' | b')' | b'<' | b'>' => break,
            _ => at += 1,
        }
    }
    Some(at.min(bytes.len()))
}

/// The place after the mark that ends a quotation.
fn after(bytes: &[u8], mut at: usize, mark: u8, escapes: bool) -> Option<usize> {
    loop {
        match bytes.get(at)? {
            b'\\' if escapes => at += 2,
            byte if *byte == mark => return Some(at + 1),
            _ => at += 1,
        }
    }
}

/// The place after the bracket that ends a substitution.
fn after_bracket(bytes: &[u8], mut at: usize) -> Option<usize> {
    let mut open = 1;
    while open > 0 {
        match bytes.get(at)? {
            b'\\' => at += 2,
            b'\'' => at = after(bytes, at + 1, b'\'', false)?,
            b'"' => at = after(bytes, at + 1, b'"', true)?,
            byte => {
                open += i32::from(*byte == b'(') - i32::from(*byte == b')');
                at += 1;
            }
        }
    }
    Some(at)
}
