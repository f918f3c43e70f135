//! JSON with comments, as people write it by hand: comments and trailing commas become blanks, so that
//! lines and columns of a mistake stay what they are. Nothing else is forgiven.

use openspace_command::{Error, Result};
use serde_json::Value;

/// The value of a text; `name` is the file, for the error. A text with nothing in it is `null`.
pub(super) fn read(name: &str, text: &str) -> Result<Value> {
    let plain = plain(text.strip_prefix('\u{feff}').unwrap_or(text));
    if plain.trim().is_empty() {
        return Ok(Value::Null);
    }
    serde_json::from_str(&plain)
        .map_err(|error| Error::invalid(format!("`{name}` cannot be read: {error}")))
}

/// The same text as JSON, byte for byte as long.
fn plain(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut at = 0;
    // A comma behind something that nothing has followed yet.
    let mut comma = None;
    let mut last = b'{';
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                (comma, last) = (None, b'"');
                at = end_of_string(&bytes, at);
            }
            b'/' if matches!(bytes.get(at + 1), Some(b'/' | b'*')) => {
                let end = end_of_comment(&bytes, at);
                let comment = &mut bytes[at..end];
                comment.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
                at = end;
            }
            b',' => {
                comma = (!b"{[,".contains(&last)).then_some(at);
                last = b',';
                at += 1;
            }
            b']' | b'}' => {
                if let Some(comma) = comma.take() {
                    bytes[comma] = b' ';
                }
                last = b']';
                at += 1;
            }
            byte => {
                if !byte.is_ascii_whitespace() {
                    (comma, last) = (None, byte);
                }
                at += 1;
            }
        }
    }
    // Only whole characters were made blanks.
    String::from_utf8_lossy(&bytes).into_owned()
}

fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn end_of_comment(bytes: &[u8], start: usize) -> usize {
    let rest = &bytes[start + 2..];
    let length = if bytes[start + 1] == b'/' {
        rest.iter().position(|byte| *byte == b'\n')
    } else {
        rest.windows(2).position(|pair| pair == b"*/").map(|end| end + 2)
    };
    length.map_or(bytes.len(), |length| start + 2 + length)
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use serde_json::json;

    use super::*;

    #[test]
    fn comments_and_trailing_commas_are_no_part_of_the_value() {
        let text = "\u{feff}// é\n{\"a\": [1, /* \"x\", */ 2,\n], // }\n \"b//\": \"/*\\\"\", }";
        assert_eq!(read("x", text).unwrap(), json!({"a": [1, 2], "b//": "/*\""}));
        assert_eq!(read("x", " // nothing\n").unwrap(), Value::Null);
    }

    #[test]
    fn a_mistake_is_named_where_it_is() {
        let error = read("tasks.json", "/* é */ {\n  \"a\": oops\n}").unwrap_err();
        assert_eq!(error.message, "`tasks.json` cannot be read: expected value at line 2 column 8");
        for text in ["{,}", "[1,,]", "{\"a\"", "\"\\", "/", "/*", "[1,"] {
            assert!(read("x", text).is_err() || text == "/*", "{text}");
        }
    }
}
