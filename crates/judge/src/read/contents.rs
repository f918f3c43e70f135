//! Contents of files that go along in an address or a header: `curl "https://x/?q=$(cat f)"`.
//!
//! Addresses are put together from what commands say all day long (`$(uname -m)`, `$(cat VERSION)`), so not every one
//! asks: what a file holds must come first, and stand where anything fits (behind `?`, in a name of a host, in a
//! header), or be packed so that it fits everywhere (`base64`). Looked at is the text of words, and variables that the
//! line itself set.

use std::collections::BTreeMap;

use super::MAX_PARTS;
use crate::{Word, danger, options::among};

/// Programs that say what is in a file, when they come first.
const SAY: &str = "\
    awk base32 base64 bzip2 cat cut dd egrep fgrep grep gzip head hexdump jq nl od openssl paste rev rg sed sort \
    strings tac tail tar tr uniq xxd xz zcat zip";
/// Programs that make anything fit.
const PACK: &str = "base32 base64 bzip2 gzip hexdump od openssl tar xxd xz zip";
/// Programs that say it if their text says that they read.
const INTERPRETERS: &str = "node perl php python python3 ruby";
/// Programs that look names up: what is asked for is sent.
const LOOK_UP: &str = "dig drill host nslookup ping";
/// Options of which the value is a name of a file here, or none that is sent.
const STAYS: &str = "-O -P -o -w --output --output-document --directory-prefix --write-out";
/// Options of which the value is sent.
const SENT: &str = "-A -H -b -e -u --cookie --header --referer --user --user-agent";

/// What a text holds of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Holds {
    /// As it is.
    Text,
    /// So that it fits into any place of an address.
    Packed,
    /// In an address already.
    Address,
}

/// Variables that hold some of it.
#[derive(Default)]
pub(super) struct Holders(BTreeMap<String, Holds>);

impl Holders {
    /// A variable is set to a word, or to what is written so.
    pub(super) fn set(&mut self, name: &str, value: &str) {
        let sends = self.sends_in(value, "");
        let holds = self.spots(value).into_iter().map(|spot| spot.holds).max();
        match holds {
            Some(_) if sends && value.contains("://") => self.note(name, Holds::Address),
            Some(holds) => self.note(name, holds),
            None => {}
        }
    }

    /// A variable is set to what is read.
    pub(super) fn read_into(&mut self, name: &str) {
        self.note(name, Holds::Text);
    }

    fn note(&mut self, name: &str, holds: Holds) {
        if self.0.len() < MAX_PARTS {
            self.0.insert(name.to_owned(), holds);
        }
    }

    /// Whether a command sends contents of files by its words.
    pub(super) fn sends(&self, name: &str, args: &[Word]) -> bool {
        let is_of_these = among(name, LOOK_UP) || danger::is_downloader(name);
        is_of_these && !danger::all_go_nowhere(args) && {
            let before = std::iter::once("").chain(args.iter().map(Word::written));
            before.zip(args).any(|(before, word)| {
                !among(before, STAYS) && self.sends_in(word.written(), before)
            })
        }
    }

    /// Whether a word sends some of it; `option` is the word before it.
    fn sends_in(&self, text: &str, option: &str) -> bool {
        let quotes = ['"', '\''];
        self.spots(text).into_iter().any(|spot| {
            let before = text[..spot.at].trim_start_matches(quotes);
            let after = text[spot.end..].trim_end_matches(quotes);
            let is_anything = match before.split_once("://") {
                Some((_, rest)) => rest.contains(['?', '#']) || !rest.contains('/'),
                None if among(option, SENT) => true,
                // The whole address is kept in a file, or it is the name of a host.
                None if before.is_empty() => after.starts_with('.'),
                None => before.contains('?') || !before.contains('/') || before.starts_with('-'),
            };
            match spot.holds {
                Holds::Text => is_anything,
                Holds::Packed => is_anything || !before.is_empty(),
                Holds::Address => true,
            }
        })
    }

    /// Where in a text something of a file is put.
    fn spots(&self, text: &str) -> Vec<Spot> {
        let mut spots = Vec::new();
        for (at, sign) in text.match_indices(['$', '`']) {
            let rest = &text[at + 1..];
            let inner = match sign {
                "`" => Some(rest),
                _ => rest.strip_prefix('(').filter(|inner| !inner.starts_with('(')),
            };
            let (holds, end) = if let Some(inner) = inner {
                // What is inside of it may hold brackets too; what stands behind the last one is behind it.
                let end = text.rfind([')', '`']).map_or(text.len(), |end| end + 1);
                (said_by(inner), end.max(at + 1))
            } else {
                let rest = rest.strip_prefix('{').unwrap_or(rest);
                let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let name = &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())];
                let end = text.len() - rest.len() + name.len();
                let end = end + usize::from(text[end..].starts_with('}'));
                (self.0.get(name).copied(), end)
            };
            spots.extend(holds.map(|holds| Spot { at, end, holds }));
        }
        spots
    }
}

struct Spot {
    at: usize,
    end: usize,
    holds: Holds,
}

/// What a command in a substitution says of files.
fn said_by(inner: &str) -> Option<Holds> {
    let inner = inner.trim_start();
    if inner.starts_with('<') {
        return Some(Holds::Text);
    }
    let ends = |c: char| c.is_whitespace() || "|;&()\"'`".contains(c);
    let mut words = inner.split(ends).filter(|word| !word.is_empty());
    let program = |word: &str| word.rsplit('/').next().unwrap_or(word).to_owned();
    let first = program(words.next()?);
    let reads = ["open(", "read", "stdin", "<"];
    let says = among(&first, SAY)
        || among(&first, INTERPRETERS) && reads.iter().any(|word| inner.contains(word))
        || first == "git"
            && words.clone().next().is_some_and(|verb| among(verb, "archive cat-file diff show"));
    let packs = among(&first, INTERPRETERS)
        || among(&first, PACK)
        || words.any(|word| among(&program(word), PACK) || word.starts_with('@'));
    says.then_some(if packs { Holds::Packed } else { Holds::Text })
}
