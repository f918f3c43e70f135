//! Settings without the credentials that people write into them.
//!
//! A setting is left out when its name speaks of a credential; addresses lose the name and password of
//! whoever uses them; words that have the shape of a well-known token go wherever they stand. A text of
//! which it cannot be told where a value ends is not shown at all. This is a filter for what is handed
//! in by a person's own tools, not a wall: what is unknown to it stays.

mod lines;
mod shell;

#[cfg(test)]
mod tests;

/// How settings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// `name = value`, with indented lines that go on.
    Ini,
    /// git's own: sections, and lines that go on after a backslash.
    Git,
    Toml,
    Yaml,
    Xml,
    /// What `docker` keeps: JSON.
    Docker,
    /// A script of a shell.
    Shell,
}

/// What of docker's settings is no credential and of use.
const DOCKER: [&str; 6] =
    ["aliases", "detachKeys", "features", "imagesFormat", "psFormat", "statsFormat"];

/// Elements of Maven's settings that hold credentials, or nothing but.
const ELEMENTS: [&str; 6] =
    ["servers", "password", "passphrase", "privateKey", "username", "httpHeaders"];

/// A name with one of these in it is that of a credential.
const WORDS: [&str; 13] = [
    "token",
    "passw",
    "passphrase",
    "secret",
    "credential",
    "auth",
    "apikey",
    "privatekey",
    "accesskey",
    "cookie",
    "bearer",
    "extraheader",
    "netrc",
];

/// How tokens of well-known services begin.
const TOKENS: [&str; 20] = [
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "npm_",
    "pypi-",
    "sk-",
    "sk_live_",
    "rk_live_",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "ASIA",
    "AIza",
    "hf_",
    "dop_v1_",
    "eyJ",
];

/// A shorter word is none.
const SHORTEST_TOKEN: usize = 16;

/// The text without credentials; nothing if that cannot be told.
pub(super) fn without(format: Format, text: &str) -> Option<String> {
    let text = match format {
        Format::Shell => shell::without(text)?,
        Format::Ini | Format::Git | Format::Toml | Format::Yaml => lines::without(format, text)?,
        Format::Xml => without_elements(text)?,
        Format::Docker => only_harmless(text)?,
    };
    let text = without_tokens(&without_users(&text));
    // A key over several lines is not cut out piece by piece.
    (!text.contains("-----BEGIN")).then_some(text)
}

/// Whether a setting or a variable of this name holds a credential.
pub(super) fn is_credential(name: &str) -> bool {
    let plain: String = name.chars().filter(|letter| !matches!(letter, '_' | '-' | '.')).collect();
    let plain = plain.to_ascii_lowercase().replace("author", "");
    let has_word = WORDS.iter().any(|word| plain.contains(word));
    let ends = ["key", "pat", "dsn"].iter().any(|end| plain.ends_with(end));
    // The number of a signing key is public, and so is where a folder of programs lies.
    has_word || (ends && !plain.ends_with("signingkey") && plain != "path")
}

/// Takes names and passwords out of addresses such as `scheme://name:password@host`.
pub(super) fn without_users(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        kept.push_str(before);
        let ends = |letter: char| letter.is_whitespace() || "/\"'`<>,;)".contains(letter);
        let end = after.find(ends).unwrap_or(after.len());
        let host = after[..end].rfind('@').map_or(0, |at| at + 1);
        kept.push_str(&after[host..end]);
        rest = &after[end..];
    }
    kept.push_str(rest);
    kept
}

/// Takes out words that begin like a well-known token.
pub(super) fn without_tokens(text: &str) -> String {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter);
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        if end == 0 {
            let next = rest.chars().next().map_or(1, char::len_utf8);
            kept.push_str(&rest[..next]);
            rest = &rest[next..];
            continue;
        }
        let word = &rest[..end];
        let is_token = word.len() >= SHORTEST_TOKEN
            && word.bytes().any(|byte| byte.is_ascii_digit())
            && TOKENS.iter().any(|start| word.starts_with(start));
        if !is_token {
            kept.push_str(word);
        }
        rest = &rest[end..];
    }
    kept
}

fn without_elements(text: &str) -> Option<String> {
    let mut text = text.to_owned();
    for name in ELEMENTS {
        let (open, close) = (format!("<{name}"), format!("</{name}>"));
        while let Some(start) = text.find(&open) {
            let after = &text[start + open.len()..];
            // A longer name that begins alike is another element; so strange that nothing is shown.
            let head = after.find('>')?;
            if after.starts_with(|letter: char| letter.is_alphanumeric() || letter == '-') {
                return None;
            }
            let end = if after[..head].ends_with('/') {
                start + open.len() + head + 1
            } else {
                start + text[start..].find(&close)? + close.len()
            };
            text.replace_range(start..end, "");
        }
    }
    Some(text)
}

fn only_harmless(text: &str) -> Option<String> {
    let all: serde_json::Value = serde_json::from_str(text).ok()?;
    let kept = all.as_object()?.iter().filter(|(name, _)| DOCKER.contains(&name.as_str()));
    let kept: serde_json::Map<_, _> =
        kept.map(|(name, value)| (name.clone(), value.clone())).collect();
    serde_json::to_string_pretty(&kept).ok()
}
