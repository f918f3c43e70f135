//! `.env` files: `export NAME="value"` with quotes over several lines, and what is commented out.

/// Give every name with its value: as the file has it, and as a program gets it where that differs.
pub(super) fn each_pair(text: &str, mut found: impl FnMut(&str, &str)) {
    let mut at = 0;
    while at < text.len() {
        let line = text[at..].split('\n').next().unwrap_or_default();
        let end = at + line.len();
        at = end + 1;
        // What is commented out today was in use yesterday.
        let is_comment = line.trim_start().starts_with('#');
        let pair = line.trim_start_matches(['#', ' ', '\t']);
        let pair = pair.strip_prefix("export ").unwrap_or(pair);
        let Some((name, value)) = pair.split_once('=') else { continue };
        let (name, value) = (name.trim(), value.trim_start());
        if name.is_empty() || name.contains(char::is_whitespace) {
            continue;
        }
        let Some(quote) = value.chars().next().filter(|first| matches!(first, '"' | '\'' | '`'))
        else {
            found(name, without_comment(value));
            continue;
        };
        let inner = &value[1..];
        // A quote may close many lines later, but not that of a comment.
        let all = if is_comment { inner } else { &text[end - inner.len()..] };
        if let Some(closes) = closed(all, quote) {
            told(name, &all[..closes], quote, &mut found);
            if closes > inner.len() {
                let after = end - inner.len() + closes;
                at = text[after..].find('\n').map_or(text.len(), |line| after + line + 1);
            }
        } else {
            // Nobody closes it: the value begins with a quote.
            found(name, without_comment(value));
            found(name, without_comment(inner));
        }
    }
}

fn told(name: &str, inner: &str, quote: char, found: &mut impl FnMut(&str, &str)) {
    found(name, inner);
    if quote == '"' && inner.contains('\\') {
        found(name, &unescaped(inner));
    }
}

/// Where the quote ends; within double quotes some are escaped.
fn closed(text: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices() {
        if letter == quote && !is_escaped {
            return Some(at);
        }
        is_escaped = letter == '\\' && !is_escaped && quote == '"';
    }
    None
}

fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        plain.push(match (letter, letter == '\\') {
            (_, true) => match letters.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some('t') => '\t',
                Some(other) => other,
                None => '\\',
            },
            (letter, false) => letter,
        });
    }
    plain
}

fn without_comment(value: &str) -> &str {
    let end = value.find(" #").or_else(|| value.find("\t#")).unwrap_or(value.len());
    value[..end].trim_end()
}
