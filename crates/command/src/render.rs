//! Answers as readable text, complete: an agent that is shown only the text misses nothing.

use std::fmt::Write;

use serde_json::Value;

/// Write a value as an indented listing: `name: value` lines, lists with dashes, text blocks as
/// they are.
pub fn render(value: &Value) -> String {
    let mut text = String::new();
    block(&mut text, value, 0);
    text.truncate(text.trim_end().len());
    text
}

fn block(text: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                named(text, key, value, depth);
            }
        }
        Value::Array(items) => {
            for item in items {
                indent(text, depth);
                text.push_str("- ");
                match item {
                    Value::Object(_) | Value::Array(_) if !is_empty(item) => {
                        let mut inner = String::new();
                        block(&mut inner, item, depth + 1);
                        text.push_str(inner.trim_start());
                    }
                    simple => scalar(text, simple, depth + 1),
                }
            }
        }
        simple => scalar(text, simple, depth),
    }
}

fn named(text: &mut String, key: &str, value: &Value, depth: usize) {
    indent(text, depth);
    text.push_str(key);
    match value {
        Value::Object(_) | Value::Array(_) if !is_empty(value) => {
            text.push_str(":\n");
            block(text, value, depth + 1);
        }
        simple => {
            text.push_str(": ");
            scalar(text, simple, depth + 1);
        }
    }
}

fn scalar(text: &mut String, value: &Value, depth: usize) {
    match value {
        Value::String(words) if words.contains('\n') => {
            text.push_str("|\n");
            for line in words.lines() {
                indent(text, depth);
                text.push_str(line);
                text.push('\n');
            }
            return;
        }
        Value::String(words) if words.is_empty() => text.push_str("\"\""),
        Value::String(words) => text.push_str(words),
        Value::Null => text.push_str("none"),
        Value::Array(_) => text.push_str("(empty list)"),
        Value::Object(_) => text.push_str("(empty)"),
        other => {
            // Writing to a String cannot fail.
            let _ = write!(text, "{other}");
        }
    }
    text.push('\n');
}

fn is_empty(value: &Value) -> bool {
    value.as_array().is_some_and(Vec::is_empty)
        || value.as_object().is_some_and(serde_json::Map::is_empty)
}

fn indent(text: &mut String, depth: usize) {
    (0..depth).for_each(|_| text.push_str("  "));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_field_is_in_the_text() {
        let value = json!({
            "path": "src/lib.rs", "line": 3, "none": null, "empty": [], "note": "a\nb",
            "panes": [{"id": "p1", "tabs": ["x", "y"]}, {"id": "p2", "tabs": []}],
        });
        let expected = "path: src/lib.rs\nline: 3\nnone: none\nempty: (empty list)\nnote: |\n  a\n  b\npanes:\n  - id: p1\n    tabs:\n      - x\n      - y\n  - id: p2\n    tabs: (empty list)";
        assert_eq!(render(&value), expected);
    }
}
