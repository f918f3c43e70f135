//! A word of a command: its text with quotes undone, where the text says it, and what is open where not.
//!
//! Nothing is expanded here. `~`, `$HOME` and `$PWD` are known as places, not as paths.

use std::ops::Range;

mod ansi;

/// A piece of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Text as the program gets it.
    Text(String),
    /// Somebody's home: `~`, `~name`, `$HOME`.
    Home,
    /// The folder that the shell is in: `$PWD`, `~+`, `$(pwd)`.
    Here,
    /// One of `*`, `?` and `[` that stands for names of files.
    Glob(char),
    /// Something that is only known when it runs.
    Unknown {
        /// It can become several words, or none.
        splits: bool,
    },
}

/// A word of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    written: String,
    pieces: Vec<Piece>,
}

/// What a part of a word's text is, as the grammar sees it.
pub(crate) struct Expansion {
    pub(crate) range: Range<usize>,
    pub(crate) piece: Piece,
}

/// The text of a word is not what the grammar took it for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Mismatch;

impl Word {
    /// The word as it stands in the line.
    pub fn written(&self) -> &str {
        &self.written
    }

    /// The word as the program gets it; nothing where it is only known when it runs.
    pub fn known(&self) -> Option<&str> {
        match &self.pieces[..] {
            [] => Some(""),
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }

    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The same word, as it stands in the line.
    pub(crate) fn shown_as(mut self, written: &str) -> Self {
        written.clone_into(&mut self.written);
        self
    }

    /// Something that is only known when it runs.
    pub(crate) fn unknown(written: &str, splits: bool) -> Self {
        Self { written: written.to_owned(), pieces: vec![Piece::Unknown { splits }] }
    }

    /// Whether it can become several words or none: an open `$x`, a list, names of files.
    pub(crate) fn splits(&self) -> bool {
        self.pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Unknown { splits: true } | Piece::Glob(_)))
    }

    /// Whether it is the value of that variable and nothing else.
    pub(crate) fn is_variable(&self, name: &str) -> bool {
        let bare = self.written.trim_matches('"');
        let bare = bare.strip_prefix('$').unwrap_or_default();
        bare.strip_prefix('{').and_then(|bare| bare.strip_suffix('}')).unwrap_or(bare) == name
    }

    /// Whether what a function or a script was called with is in it: `$1`, `${2}`, `$@`.
    pub(crate) fn has_argument(&self) -> bool {
        has_argument(&self.written)
    }

    /// What it surely begins with.
    pub(crate) fn beginning(&self) -> &str {
        match self.pieces.first() {
            Some(Piece::Text(text)) => text,
            _ => "",
        }
    }

    /// Whether a program could take it for an option.
    pub(crate) fn may_be_option(&self) -> bool {
        match self.pieces.as_slice() {
            [] | [Piece::Home | Piece::Here, ..] => false,
            // `"$folder"/name`: no option has a slash there.
            [Piece::Unknown { splits: false }, Piece::Text(rest), ..] => !rest.starts_with('/'),
            [Piece::Text(text), rest @ ..] => {
                text.starts_with('-') && (text.len() > 1 || !rest.is_empty())
            }
            [Piece::Glob(_) | Piece::Unknown { .. }, ..] => true,
        }
    }

    /// The same word without its first characters, which must be known.
    pub(crate) fn after(&self, prefix: &str) -> Option<Self> {
        let rest = self.beginning().strip_prefix(prefix)?;
        let mut pieces = self.pieces.clone();
        if rest.is_empty() {
            drop(pieces.drain(..1));
        } else if let Some(first) = pieces.first_mut() {
            *first = Piece::Text(rest.to_owned());
        }
        let written = self.written.strip_prefix(prefix).unwrap_or(&self.written);
        Some(Self { written: written.to_owned(), pieces })
    }

    /// Reads the text of one word. `expansions` are the pieces of it that the grammar knows as such,
    /// in their order; `assigns` says that a value is read, in which `~` means the home in more places.
    pub(crate) fn scan(
        text: &str,
        expansions: &[Expansion],
        assigns: bool,
    ) -> Result<Self, Mismatch> {
        let mut scanner = Scanner { text, at: 0, expansions, pieces: Vec::new(), assigns };
        scanner.run()?;
        Ok(Self { written: text.to_owned(), pieces: scanner.pieces })
    }
}

/// Whether a text uses what a function or a script was called with.
pub(crate) fn has_argument(text: &str) -> bool {
    text.split('$').skip(1).any(|text| {
        let text = text.strip_prefix('{').unwrap_or(text);
        text.starts_with(|c: char| c.is_ascii_digit() && c != '0' || "@*".contains(c))
    })
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    expansions: &'a [Expansion],
    pieces: Vec<Piece>,
    assigns: bool,
}

/// What makes more than a dollar of a dollar.
fn begins_expansion(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_({@*#?!$-".contains(c)
}

impl Scanner<'_> {
    fn run(&mut self) -> Result<(), Mismatch> {
        let mut quoted = false;
        // An empty pair of quotes makes a word that is there and empty; no piece is needed for it.
        while let Some(letter) = self.rest().chars().next() {
            if self.expansion(quoted) {
                continue;
            }
            match letter {
                '"' => {
                    quoted = !quoted;
                    self.at += 1;
                }
                '\\' => self.escape(quoted)?,
                '`' => return Err(Mismatch),
                '$' if !quoted && self.rest().starts_with("$'") => self.ansi()?,
                '$' if self.rest()[1..].starts_with(begins_expansion) => return Err(Mismatch),
                _ if quoted => self.take(letter),
                '\'' => self.single()?,
                '~' if self.at_tilde() => self.tilde(),
                '*' | '?' => self.glob(letter),
                '[' if self.rest().contains(']') => self.glob(letter),
                '{' if self.brace() => {}
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')' => {
                    return Err(Mismatch);
                }
                _ => self.take(letter),
            }
        }
        if quoted { Err(Mismatch) } else { Ok(()) }
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn push(&mut self, text: &str) {
        if let Some(Piece::Text(last)) = self.pieces.last_mut() {
            last.push_str(text);
        } else if !text.is_empty() {
            self.pieces.push(Piece::Text(text.to_owned()));
        }
    }

    fn take(&mut self, letter: char) {
        let mut buffer = [0; 4];
        self.push(letter.encode_utf8(&mut buffer));
        self.at += letter.len_utf8();
    }

    fn expansion(&mut self, quoted: bool) -> bool {
        // They come in their order, so what lies behind is not looked at again.
        let passed = self.expansions.iter().take_while(|one| one.range.start < self.at).count();
        self.expansions = &self.expansions[passed..];
        let Some(found) = self.expansions.first().filter(|one| one.range.start == self.at) else {
            return false;
        };
        let source = &self.text[found.range.clone()];
        let piece = match &found.piece {
            // `"$@"` and `"${list[@]}"` are as many words as there are.
            Piece::Unknown { splits } => Piece::Unknown {
                splits: *splits
                    && (!quoted
                        || source == "$@"
                        || source.contains("[@]")
                        || source.starts_with("${@")),
            },
            other => other.clone(),
        };
        self.pieces.push(piece);
        self.at = found.range.end;
        true
    }

    fn escape(&mut self, quoted: bool) -> Result<(), Mismatch> {
        let next = self.rest().chars().nth(1).ok_or(Mismatch)?;
        self.at += 1;
        if quoted && !matches!(next, '$' | '`' | '"' | '\\') {
            self.push("\\");
        }
        self.take(next);
        Ok(())
    }

    fn single(&mut self) -> Result<(), Mismatch> {
        let inside = &self.text[self.at + 1..];
        let length = inside.find('\'').ok_or(Mismatch)?;
        let inside = inside[..length].to_owned();
        self.push(&inside);
        self.at += length + 2;
        Ok(())
    }

    fn ansi(&mut self) -> Result<(), Mismatch> {
        let (text, length) = ansi::decode(&self.text[self.at + 2..]).ok_or(Mismatch)?;
        self.push(&text);
        self.at += 2 + length;
        Ok(())
    }

    fn at_tilde(&self) -> bool {
        self.at == 0
            || self.assigns && matches!(self.text.as_bytes().get(self.at - 1), Some(b':' | b'='))
    }

    fn tilde(&mut self) {
        let name = &self.text[self.at + 1..];
        let end = name.find(['/', ':']).unwrap_or(name.len());
        let plain = name[..end].bytes().all(|b| b.is_ascii_alphanumeric() || b"_.+-".contains(&b));
        if !plain {
            self.take('~');
            return;
        }
        let here = matches!(&name[..end], "+" | "-");
        self.pieces.push(if here { Piece::Here } else { Piece::Home });
        self.at += 1 + end;
    }

    fn glob(&mut self, letter: char) {
        self.pieces.push(Piece::Glob(letter));
        self.at += 1;
    }

    /// `{a,b}` and `{1..3}` become several words; `{}` and `a{b` are text.
    fn brace(&mut self) -> bool {
        let Some(end) = self.rest().rfind('}') else { return false };
        let inside = &self.rest()[1..end];
        if !inside.contains(',') && !inside.contains("..") {
            return false;
        }
        self.pieces.push(Piece::Unknown { splits: true });
        self.at += end + 1;
        true
    }
}
