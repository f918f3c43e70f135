//! Tokens that are known by their form: what they begin with, and what follows.
//!
//! Source files are full of words about tokens, so a form counts only with something behind it that nobody
//! wrote by hand. A verdict is about a bounded number of letters: a stream need not wait for more. Nothing
//! here matches what stands in a secret's place.

use std::ops::Range;

use crate::{
    masker::OPEN,
    words::{is_common, is_reference},
};

/// Letters of which a token is made.
pub(crate) type Alphabet = fn(u8) -> bool;

/// What a token begins with, and what has to follow.
pub(crate) struct Token {
    /// Stays to be seen: it says what it is.
    pub(crate) start: &'static str,
    form: Form,
}

enum Form {
    /// At least so many letters of an alphabet, the first of them of several kinds.
    Run(Alphabet, usize),
    /// The same, where no letter or digit stands before.
    Word(Alphabet, usize),
    Jwt,
    Url,
    PrivateKey,
}

/// What a text has to say about a token.
#[derive(Debug)]
pub(crate) enum Verdict {
    No,
    /// More of the text is needed.
    Wait,
    Yes(Range<usize>, Alphabet),
}

/// Where a run of letters ends, and whether it might go on in text that is still to come.
struct Run {
    end: usize,
    is_open: bool,
}

fn alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn url_safe(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn dotted(byte: u8) -> bool {
    url_safe(byte) || byte == b'.'
}

fn header(byte: u8) -> bool {
    dotted(byte) || matches!(byte, b'~' | b'+' | b'/' | b'=')
}

fn key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || byte.is_ascii_whitespace()
        || matches!(byte, b'+' | b'/' | b'=' | b'\\')
}

fn nothing(_: u8) -> bool {
    false
}

macro_rules! tokens {
    ($($start:literal $form:expr,)*) => {
        &[$(Token { start: $start, form: $form },)*]
    };
}

/// The tokens that are known.
pub(crate) const TOKENS: &[Token] = tokens! {
    "ghp_" Form::Run(alphanumeric, 30),
    "gho_" Form::Run(alphanumeric, 30),
    "ghu_" Form::Run(alphanumeric, 30),
    "ghs_" Form::Run(alphanumeric, 30),
    "ghr_" Form::Run(alphanumeric, 30),
    "github_pat_" Form::Run(url_safe, 22),
    "glpat-" Form::Run(url_safe, 20),
    "npm_" Form::Word(alphanumeric, 30),
    "pypi-" Form::Word(url_safe, 40),
    "hf_" Form::Word(alphanumeric, 30),
    "dckr_pat_" Form::Run(url_safe, 20),
    "xoxa-" Form::Run(url_safe, 16),
    "xoxb-" Form::Run(url_safe, 16),
    "xoxe-" Form::Run(url_safe, 16),
    "xoxp-" Form::Run(url_safe, 16),
    "xoxr-" Form::Run(url_safe, 16),
    "xoxs-" Form::Run(url_safe, 16),
    "xapp-" Form::Run(url_safe, 16),
    "sk_live_" Form::Run(alphanumeric, 16),
    "rk_live_" Form::Run(alphanumeric, 16),
    "sk_test_" Form::Run(alphanumeric, 16),
    "whsec_" Form::Run(header, 24),
    "dop_v1_" Form::Run(alphanumeric, 32),
    "shpat_" Form::Run(alphanumeric, 24),
    "SG." Form::Word(dotted, 40),
    "AIza" Form::Word(url_safe, 30),
    "ya29." Form::Word(dotted, 30),
    "GOCSPX-" Form::Word(url_safe, 20),
    "AKIA" Form::Word(alphanumeric, 16),
    "ASIA" Form::Word(alphanumeric, 16),
    "sk-" Form::Word(url_safe, 20),
    "Bearer " Form::Word(header, 20),
    "bearer " Form::Word(header, 20),
    "BEARER " Form::Word(header, 20),
    "uthorization: Basic " Form::Run(header, 12),
    "uthorization: basic " Form::Run(header, 12),
    // Links of this program and others of its kind, which let in whoever opens them first.
    "/open?code=" Form::Run(alphanumeric, 24),
    "/approve?code=" Form::Run(alphanumeric, 24),
    "eyJ" Form::Jwt,
    "://" Form::Url,
    "-----BEGIN " Form::PrivateKey,
};

/// The first part of a JWT, at most.
const MAX_HEADER: usize = 1_024;
/// The rest of it, at least.
const MIN_CLAIMS: usize = 10;
/// A user and a password in an address, at most; the password, at least.
const MAX_USER: usize = 128;
const MAX_PASSWORD: usize = 256;
const MIN_PASSWORD: usize = 6;
/// The words between dashes above a key, and what may stand before its first letter.
const MAX_TITLE: usize = 40;
const MAX_MARGIN: usize = 80;
/// So many letters of a key make it one.
const MIN_KEY: usize = 16;

impl Token {
    /// Whether a token begins where `start` was found in `text`. `is_free` is true when no letter or digit
    /// stands before it, `is_last` when no more text follows.
    pub(crate) fn judge(&self, text: &str, at: usize, is_free: bool, is_last: bool) -> Verdict {
        let from = at + self.start.len();
        match self.form {
            Form::Run(alphabet, least) => run_of(text, from, alphabet, least, is_last),
            Form::Word(alphabet, least) if is_free => run_of(text, from, alphabet, least, is_last),
            Form::Jwt if is_free => jwt(text, from, is_last),
            Form::Word(..) | Form::Jwt => Verdict::No,
            Form::Url => password(text, from, is_last),
            Form::PrivateKey => private_key(text, from, is_last),
        }
    }
}

fn run(text: &str, from: usize, most: usize, is_last: bool, alphabet: impl Fn(u8) -> bool) -> Run {
    let count =
        text.as_bytes()[from..].iter().take(most).take_while(|byte| alphabet(**byte)).count();
    let end = from + count;
    Run { end, is_open: end == text.len() && !is_last && count < most }
}

/// Too little of something: it is none, or not yet.
fn too_little(run: &Run) -> Verdict {
    if run.is_open { Verdict::Wait } else { Verdict::No }
}

fn run_of(text: &str, from: usize, alphabet: Alphabet, least: usize, is_last: bool) -> Verdict {
    let found = run(text, from, usize::MAX, is_last, alphabet);
    if found.end - from < least {
        return too_little(&found);
    }
    let first = &text.as_bytes()[from..from + least];
    let kinds = [u8::is_ascii_digit, u8::is_ascii_lowercase, u8::is_ascii_uppercase];
    let kinds = kinds.into_iter().filter(|kind| first.iter().any(*kind)).count();
    if kinds > 1 { Verdict::Yes(from..found.end, alphabet) } else { Verdict::No }
}

fn jwt(text: &str, from: usize, is_last: bool) -> Verdict {
    let first = run(text, from, MAX_HEADER, is_last, url_safe);
    if first.is_open {
        return Verdict::Wait;
    }
    if first.end - from < MIN_CLAIMS || text.as_bytes().get(first.end) != Some(&b'.') {
        return Verdict::No;
    }
    let claims = run(text, first.end + 1, MIN_CLAIMS, is_last, url_safe);
    if claims.end - first.end <= MIN_CLAIMS {
        return too_little(&claims);
    }
    let all = run(text, from, usize::MAX, is_last, dotted);
    Verdict::Yes(from..all.end, dotted)
}

/// The password of `://user:password@`.
fn password(text: &str, from: usize, is_last: bool) -> Verdict {
    let in_name = |byte: u8| {
        byte > b' '
            && !matches!(byte, b'/' | b'?' | b'#' | b'@' | b'"' | b'\'' | b'<' | b'>' | b'`')
    };
    let user = run(text, from, MAX_USER, is_last, |byte| in_name(byte) && byte != b':');
    if text.as_bytes().get(user.end) != Some(&b':') {
        return too_little(&user);
    }
    let secret = run(text, user.end + 1, MAX_PASSWORD, is_last, in_name);
    if text.as_bytes().get(secret.end) != Some(&b'@') {
        return too_little(&secret);
    }
    let hidden = user.end + 1..secret.end;
    let word = &text[hidden.clone()];
    let is_one = word.len() >= MIN_PASSWORD
        && !text[from..secret.end].contains(OPEN)
        && !word.contains(['$', '{', '*'])
        && !is_common(word)
        && !is_reference(word);
    if is_one { Verdict::Yes(hidden, nothing) } else { Verdict::No }
}

/// What is between the lines of dashes, where that is a key and not somebody's words about one.
fn private_key(text: &str, from: usize, is_last: bool) -> Verdict {
    let title = run(text, from, MAX_TITLE, is_last, |byte| {
        byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' '
    });
    if title.is_open {
        return Verdict::Wait;
    }
    let is_key = ["PRIVATE KEY", "PRIVATE KEY BLOCK"];
    if !is_key.iter().any(|words| text[from..title.end].ends_with(words)) {
        return Verdict::No;
    }
    let dashes = run(text, title.end, 5, is_last, |byte| byte == b'-');
    if dashes.end - title.end < 5 {
        return too_little(&dashes);
    }
    let margin = margin(text, dashes.end, is_last);
    if margin.is_open {
        return Verdict::Wait;
    }
    let letters = run(text, margin.end, MIN_KEY, is_last, |byte| key(byte) && byte != b'\\');
    if letters.end - margin.end < MIN_KEY {
        return too_little(&letters);
    }
    let all = run(text, dashes.end, usize::MAX, is_last, key);
    Verdict::Yes(dashes.end..all.end, key)
}

/// Ends of lines, also those that are written as `\n`, and blanks.
fn margin(text: &str, from: usize, is_last: bool) -> Run {
    let bytes = text.as_bytes();
    let mut end = from;
    while end - from < MAX_MARGIN {
        match bytes.get(end) {
            Some(byte) if byte.is_ascii_whitespace() => end += 1,
            Some(b'\\') if matches!(bytes.get(end + 1), Some(b'n' | b'r')) => end += 2,
            Some(b'\\') if end + 1 == bytes.len() && !is_last => return Run { end, is_open: true },
            _ => break,
        }
    }
    Run { end, is_open: end == bytes.len() && !is_last && end - from < MAX_MARGIN }
}
