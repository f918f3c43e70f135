//! Commands that an agent writes into its text, for agents that can call no tool: `%%OS{"cmd":…,"args":…}%%`.
//!
//! A machine over pieces of text that may be cut anywhere. Text outside of such blocks is given back as it
//! came; what may be the beginning of one is held until it is known. A block that is none (no JSON, no end, too
//! long, too slow) is taken out too and told with the reason, and the text goes on behind it: one bad block harms
//! no other. Nothing is run here, and there is no clock: the time is handed in.

use std::{
    mem,
    time::{Duration, Instant},
};

use serde::Deserialize;
use serde_json::{Map, Value};

#[cfg(test)]
mod tests;

const OPENING: &str = "%%OS{";
/// What of the opening is not part of the JSON.
const BEFORE_JSON: &str = "%%OS";
const CLOSING: &str = "%%";

/// The most bytes that the JSON of a block may have.
pub const BLOCK_LIMIT: usize = 64 * 1024;
/// How long a block may take from its opening to its end.
pub const GUARD: Duration = Duration::from_secs(5);

/// A piece of what an agent wrote, in the order in which it wrote it.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// To be shown.
    Text(String),
    /// To be run.
    Command(WrittenCommand),
    /// Neither: a block that cannot be run, as it was written, and why.
    Discarded { text: String, why: Why },
}

/// A command as an agent wrote it. Whether there is such a one is not known here.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct WrittenCommand {
    pub cmd: String,
    #[serde(default)]
    pub args: Map<String, Value>,
}

/// Why a block cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    #[error("the block is not {{\"cmd\": …, \"args\": {{…}}}}: {0}")]
    NotACommand(String),
    #[error("the block's last brace is not followed by `%%`")]
    NotClosed,
    #[error("a line ends inside a string of the block; write \\n")]
    LineInString,
    #[error("the block is longer than {} KB", BLOCK_LIMIT / 1024)]
    TooLong,
    #[error("the block did not end within {} s", GUARD.as_secs())]
    TooSlow,
    #[error("the text ended inside the block")]
    Unfinished,
}

/// Takes command blocks out of one stream of text.
#[derive(Debug, Default)]
pub struct Interceptor {
    state: State,
}

#[derive(Debug)]
enum State {
    /// Outside of a block. So many letters of the opening were just seen and are not told yet.
    Text {
        seen: usize,
    },
    Block(Block),
}

impl Default for State {
    fn default() -> Self {
        Self::Text { seen: 0 }
    }
}

#[derive(Debug)]
struct Block {
    since: Instant,
    /// Begins with its first brace.
    json: String,
    at: At,
}

/// Where in a block the next letter stands.
#[derive(Clone, Copy, Debug)]
enum At {
    Braces {
        depth: usize,
    },
    String {
        depth: usize,
    },
    Escaped {
        depth: usize,
    },
    /// Behind the last brace, with so many letters of the closing seen.
    Closing {
        seen: usize,
    },
}

impl Interceptor {
    /// The next piece of the text comes. What is known now is given back, neighbouring text as one piece.
    pub fn push(&mut self, text: &str, now: Instant) -> Vec<Piece> {
        let mut pieces = self.tick(now);
        let mut rest = text;
        while let Some(next) = rest.chars().next() {
            match &mut self.state {
                State::Text { seen: 0 } => {
                    let plain = rest.find('%').unwrap_or(rest.len());
                    say(&mut pieces, &rest[..plain]);
                    rest = &rest[plain..];
                    if !rest.is_empty() {
                        self.state = State::Text { seen: 1 };
                        rest = &rest[1..];
                    }
                }
                State::Text { seen } => {
                    let (told, held) = after(*seen, next);
                    say(&mut pieces, &OPENING[..told]);
                    *seen = held;
                    if held == OPENING.len() {
                        self.state = State::Block(Block::open(now));
                    }
                    // A letter that continues nothing is read once more, as text.
                    rest = if held == 0 { rest } else { &rest[1..] };
                }
                State::Block(block) => match block.step(next) {
                    Step::Inside => rest = &rest[next.len_utf8()..],
                    Step::Ended => {
                        pieces.push(block.read());
                        rest = &rest[next.len_utf8()..];
                        self.state = State::default();
                    }
                    Step::Broken(why) => {
                        pieces.push(block.discard(why));
                        self.state = State::Text { seen: block.signs_of_closing() };
                    }
                },
            }
        }
        pieces
    }

    /// Time goes by. Gives up a block that takes too long.
    pub fn tick(&mut self, now: Instant) -> Vec<Piece> {
        match &mut self.state {
            State::Block(block) if now >= block.since + GUARD => {
                let discarded = block.discard(Why::TooSlow);
                self.state = State::Text { seen: block.signs_of_closing() };
                vec![discarded]
            }
            _ => Vec::new(),
        }
    }

    /// When `tick` has something to do, if no text comes before.
    pub fn deadline(&self) -> Option<Instant> {
        match &self.state {
            State::Text { .. } => None,
            State::Block(block) => Some(block.since + GUARD),
        }
    }

    /// No more text comes. Gives back what was held; the next text is another stream.
    pub fn finish(&mut self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        match mem::take(&mut self.state) {
            State::Text { seen } => say(&mut pieces, &OPENING[..seen]),
            State::Block(mut block) => {
                pieces.push(block.discard(Why::Unfinished));
                say(&mut pieces, &CLOSING[..block.signs_of_closing()]);
            }
        }
        pieces
    }
}

/// What a letter makes of so many letters of the opening that were seen before: how many of them are text
/// after all, and how many letters of the opening are seen now.
fn after(seen: usize, next: char) -> (usize, usize) {
    match next {
        _ if OPENING[seen..].starts_with(next) => (0, seen + 1),
        // Of three signs the last two may belong to an opening, of `%%O%` the last one.
        '%' if seen == 2 => (1, 2),
        '%' => (seen, 1),
        _ => (seen, 0),
    }
}

fn say(pieces: &mut Vec<Piece>, text: &str) {
    match pieces.last_mut() {
        _ if text.is_empty() => {}
        Some(Piece::Text(said)) => said.push_str(text),
        _ => pieces.push(Piece::Text(text.to_owned())),
    }
}

/// What a letter does to a block.
enum Step {
    Inside,
    /// It was the last one.
    Ended,
    /// It does not belong to the block any more.
    Broken(Why),
}

impl Block {
    fn open(since: Instant) -> Self {
        Self { since, json: OPENING[BEFORE_JSON.len()..].to_owned(), at: At::Braces { depth: 1 } }
    }

    fn step(&mut self, next: char) -> Step {
        let at = match (self.at, next) {
            (At::Closing { seen: 0 }, '%') => {
                self.at = At::Closing { seen: 1 };
                return Step::Inside;
            }
            (At::Closing { .. }, '%') => return Step::Ended,
            (At::Closing { .. }, _) => return Step::Broken(Why::NotClosed),
            // No JSON has it: a quotation mark is missing, and waiting for it would swallow what follows.
            (At::String { .. } | At::Escaped { .. }, '\n') => {
                return Step::Broken(Why::LineInString);
            }
            (At::Braces { depth }, '{') => At::Braces { depth: depth + 1 },
            (At::Braces { depth: 1 }, '}') => At::Closing { seen: 0 },
            (At::Braces { depth }, '}') => At::Braces { depth: depth - 1 },
            (At::Braces { depth }, '"') | (At::Escaped { depth }, _) => At::String { depth },
            (At::String { depth }, '"') => At::Braces { depth },
            (At::String { depth }, '\\') => At::Escaped { depth },
            (at, _) => at,
        };
        if self.json.len() + next.len_utf8() > BLOCK_LIMIT {
            return Step::Broken(Why::TooLong);
        }
        self.json.push(next);
        self.at = at;
        Step::Inside
    }

    /// How much of the closing was seen. It is not part of a block that is given up.
    fn signs_of_closing(&self) -> usize {
        match self.at {
            At::Closing { seen } => seen,
            _ => 0,
        }
    }

    fn read(&mut self) -> Piece {
        match serde_json::from_str(&self.json) {
            Ok(command) => Piece::Command(command),
            Err(error) => {
                self.json.push_str(CLOSING);
                self.discard(Why::NotACommand(error.to_string()))
            }
        }
    }

    fn discard(&mut self, why: Why) -> Piece {
        self.json.insert_str(0, BEFORE_JSON);
        Piece::Discarded { text: mem::take(&mut self.json), why }
    }
}
