//! Secrets in text become `***`, with what they are still to be seen: `--token ***`, `ghp_***`.
//!
//! It knows secrets by where they stand (a URL's userinfo, a header, an assignment, an option) and
//! by their shape (tokens with a well-known start, private keys). It looks at text alone: what has
//! neither place nor shape passes. When in doubt it hides too much rather than too little. The time
//! taken grows with the length of the text and no faster.

use std::{borrow::Cow, sync::LazyLock};

use regex::{Regex, RegexSet};

/// What stands in a secret's place.
pub const MASK: &str = "***";

/// Hiding one secret may bring another into view; more rounds than these were never needed.
const MAX_ROUNDS: usize = 8;

/// A value as shells and files write it: pieces that are quoted, escaped or plain, up to a space or
/// to what ends a word. A quote that nobody closes holds all that follows.
const VALUE: &str = r#"(?:"(?:\\.|[^"\\])*\\?(?:"|\z)|'[^']*(?:'|\z)|\\.|[^\s"'`\\&;|<>()])+"#;

/// Words in the name of something secret.
const SECRET: &str = "(?:token|secret|passwd|password|passphrase|pwd|api[_-]?key|access[_-]?key|private[_-]?key|credential)";
/// The same without the one that ordinary sentences put before a colon.
const SECRET_IN_PROSE: &str = "(?:secret|passwd|password|passphrase|pwd|api[_-]?key|access[_-]?key|private[_-]?key|credential|[._-]token|token[\"'])";
/// What a name is made of.
const NAME: &str = "[a-z0-9_.-]*";

/// Each rule keeps its first group and hides the rest of what it matches.
fn rules() -> Vec<String> {
    vec![
        // Without its dashes the first line is not taken for one again.
        r"(-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?)-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)".into(),
        r#"(://)[^\s/?#"'<>`]+(?<after>@)"#.into(),
        r#"(authorization\\?["']?\s*[:=]\s*\\?["']?(?:(?:bearer|basic|token|digest|negotiate|apikey)\s+)?)[^\s"'\\][^"'\r\n\\]*"#.into(),
        format!(r#"({NAME}{SECRET}{NAME}\\?["']?[ \t]*(?:=>|[:=]?=)[ \t]*){VALUE}"#),
        format!(r#"({NAME}{SECRET_IN_PROSE}{NAME}\\?["']?[ \t]*:[ \t]*){VALUE}"#),
        format!(r"(--?{NAME}{SECRET}{NAME}\s+){VALUE}"),
        format!(r"((?:^|\s)(?:-u|--user|--proxy-user)[ =]\s*[^\s:]+:){VALUE}"),
        r"((?-u:\b)bearer\s+)[a-z0-9._~+/=-]{8,}".into(),
        r"((?:gh[pousr]_|npm_|hf_))[a-z0-9]{16,}".into(),
        r"((?:github_pat_|glpat-|xox[abeprs]-|xapp-|AIza|[sr]k_live_|dop_v1_))[a-z0-9_-]{10,}".into(),
        r"((?-u:\b)sk-(?:ant-|proj-)?)[a-z0-9_-]{16,}".into(),
        r"((?-u:\b)(?:AKIA|ASIA))[A-Z0-9]{12,}".into(),
        r"(eyJ)[a-z0-9_-]{6,}\.[a-z0-9_-]+(?:\.[a-z0-9_-]*)?".into(),
    ]
}

struct Rules {
    /// Says in one pass which rules are worth trying.
    any: RegexSet,
    each: Vec<Regex>,
}

static RULES: LazyLock<Option<Rules>> = LazyLock::new(|| {
    let rules: Vec<String> = rules().iter().map(|rule| format!("(?is){rule}")).collect();
    let each = rules.iter().map(|rule| Regex::new(rule)).collect::<Result<_, _>>().ok()?;
    Some(Rules { any: RegexSet::new(&rules).ok()?, each })
});

/// The text with every secret in it hidden. Masking it again changes nothing.
pub fn mask(text: &str) -> Cow<'_, str> {
    // Rules that cannot be read would be a fault of this file, which its tests show. Nothing that
    // was not looked at may pass.
    let Some(rules) = &*RULES else { return Cow::Borrowed(MASK) };
    let mut masked = Cow::Borrowed(text);
    for _ in 0..MAX_ROUNDS {
        match rules.round(&masked) {
            Some(changed) => masked = Cow::Owned(changed),
            None => return masked,
        }
    }
    masked
}

impl Rules {
    /// The text after every rule was tried once; `None` when that changed nothing.
    fn round(&self, text: &str) -> Option<String> {
        let mut now = Cow::Borrowed(text);
        for index in self.any.matches(text) {
            let changed = self.each[index].replace_all(&now, |found: &regex::Captures<'_>| {
                let keep = found.get(1).map_or("", |kept| kept.as_str());
                let after = found.name("after").map_or("", |kept| kept.as_str());
                format!("{keep}{MASK}{after}")
            });
            now = Cow::Owned(changed.into_owned());
        }
        (now != text).then(|| now.into_owned())
    }
}

#[cfg(test)]
mod tests;
