//! Files of lines, whatever they are called: `key: value`, `key = value`, `password value`.

use crate::names::is_named_secret;

/// What begins a comment; what is commented out today was in use yesterday.
const COMMENT: [char; 6] = ['#', ';', '/', '!', ' ', '\t'];

/// Give every name with its value.
pub(super) fn each_pair(text: &str, mut found: impl FnMut(&str, &str)) {
    for line in text.lines() {
        let line = line.trim_start_matches(COMMENT);
        let line = line.strip_prefix("- ").unwrap_or(line);
        let line = line.strip_prefix("export ").unwrap_or(line);
        if let Some((name, value)) = pair(line) {
            found(name, value);
        }
        // As in `.netrc`.
        let mut words = line.split_whitespace().peekable();
        while let Some(word) = words.next() {
            if let Some(value) = words.peek().filter(|_| is_named_secret(word) && is_name(word)) {
                found(word, unquoted(value));
            }
        }
    }
}

/// The name before the first `=` or `:`, and the value after it.
fn pair(line: &str) -> Option<(&str, &str)> {
    let at = line.find(['=', ':'])?;
    let (name, value) = (line[..at].trim(), line[at + 1..].trim_start_matches(['=', '>']));
    let name = name.trim_matches(['"', '\'', '[', ']']);
    let is_pair = is_name(name) && !value.starts_with("//");
    is_pair.then(|| (name, unquoted(value)))
}

/// A word, or a few.
fn is_name(name: &str) -> bool {
    let is_letter = |letter: char| {
        letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | ' ' | '/' | '@')
    };
    !name.is_empty() && name.len() <= 100 && name.chars().all(is_letter)
}

/// The value without its quotes, or without what follows it.
fn unquoted(value: &str) -> &str {
    let value = value.trim();
    for quote in ['"', '\''] {
        if let Some(inner) = value.strip_prefix(quote) {
            let end = inner.find(quote).unwrap_or(inner.len());
            return &inner[..end];
        }
    }
    let end = value.find(" #").unwrap_or(value.len());
    value[..end].trim_end().trim_end_matches([',', ';'])
}
