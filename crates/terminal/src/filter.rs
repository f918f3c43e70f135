//! Cuts the raw output of a program into whole, safe pieces before the emulator sees them.
//!
//! The emulator's own parser is not enough for a transcript: it drops U+FFFD, prints the rest of a
//! sequence that began with an 8-bit control, collects an unfinished operating system command
//! without a bound, and cannot say in the middle of which sequence it is. This filter keeps its
//! place wherever a chunk ends, bounds everything it collects and hands on complete sequences
//! only. It interprets nothing: what a sequence means is decided in `model`.

#[cfg(test)]
mod tests;

/// Stands for U+FFFD inside the emulator, which refuses to print that character. Programs cannot
/// send this noncharacter themselves: it is read as a broken character, too.
pub(super) const REPLACEMENT: char = '\u{ffff}';
/// Fills the last column when a wide character does not fit in it any more, so that the emulator
/// marks the row as wrapped. It never leaves the model.
pub(super) const FILLER: char = '\u{fffe}';

const REPLACEMENT_TEXT: &str = "\u{ffff}";
const BODY_LIMIT: usize = 4096;
const ESCAPE: u8 = 0x1b;
const CANCEL: u8 = 0x18;
const SUBSTITUTE: u8 = 0x1a;
const STRING_TERMINATOR: u8 = 0x9c;

/// Receives what the filter recognised.
pub(super) trait Sink {
    /// Printable ASCII and the controls that move the cursor: backspace, tab, the three line feeds
    /// and carriage return.
    fn plain(&mut self, bytes: &[u8]);
    /// Printable characters beyond ASCII.
    fn text(&mut self, text: &str);
    /// Shift out (`true`) and shift in.
    fn shift(&mut self, out: bool);
    fn escape(&mut self, intermediates: &[u8], last: u8);
    /// A control sequence, without its introducer and with its final byte.
    fn control_sequence(&mut self, body: &[u8]);
    fn system_command(&mut self, body: &[u8]);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    SystemCommand,
    /// Device control, application, privacy and start-of-string texts: nothing in them is shown.
    Ignored,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Ground,
    Escape,
    ControlSequence,
    Text(Kind),
    TextEscape(Kind),
}

#[derive(Debug)]
pub(super) struct Filter {
    state: State,
    body: Vec<u8>,
    overflowed: bool,
    /// What was read of the unfinished sequence, for a view that joins in the middle of it.
    pending: Vec<u8>,
    /// Continuation bytes still expected inside a string, and the byte that announced them.
    continuation: (u8, u8),
    character: [u8; 4],
    character_length: usize,
}

impl Filter {
    pub(super) fn new() -> Self {
        Self {
            state: State::Ground,
            body: Vec::new(),
            overflowed: false,
            pending: Vec::new(),
            continuation: (0, 0),
            character: [0; 4],
            character_length: 0,
        }
    }

    /// The beginning of the sequence or character that the next chunk continues.
    pub(super) fn pending(&self) -> &[u8] {
        if self.state == State::Ground {
            &self.character[..self.character_length]
        } else {
            &self.pending
        }
    }

    pub(super) fn feed(&mut self, bytes: &[u8], sink: &mut impl Sink) {
        let mut rest = bytes;
        while let Some(&byte) = rest.first() {
            let taken = if self.state == State::Ground {
                self.ground(rest, sink)
            } else {
                self.step(byte, sink);
                1
            };
            rest = &rest[taken..];
        }
    }

    fn ground(&mut self, bytes: &[u8], sink: &mut impl Sink) -> usize {
        if self.character_length > 0 {
            return self.continue_character(bytes[0], sink);
        }
        let plain = bytes.iter().position(|&byte| !is_plain(byte)).unwrap_or(bytes.len());
        if plain > 0 {
            sink.plain(&bytes[..plain]);
            return plain;
        }
        match bytes[0] {
            ESCAPE => self.begin(State::Escape, &[ESCAPE]),
            0x0e => sink.shift(true),
            0x0f => sink.shift(false),
            0x80.. => {
                let high = bytes.iter().position(u8::is_ascii).unwrap_or(bytes.len());
                return self.beyond_ascii(&bytes[..high], high == bytes.len(), sink);
            }
            _ => {}
        }
        1
    }

    /// Takes one piece of `bytes`, none of which is ASCII, and says how much that was.
    fn beyond_ascii(&mut self, bytes: &[u8], at_end: bool, sink: &mut impl Sink) -> usize {
        let (valid, broken) = match std::str::from_utf8(bytes) {
            Ok(text) => return self.characters(text, sink),
            Err(error) => (error.valid_up_to(), error.error_len()),
        };
        if valid > 0 {
            return std::str::from_utf8(&bytes[..valid])
                .map_or(valid, |text| self.characters(text, sink));
        }
        match broken {
            Some(1) if bytes[0] < 0xa0 => {
                self.eight_bit_control(bytes[0], sink);
                1
            }
            Some(length) => {
                sink.text(REPLACEMENT_TEXT);
                length
            }
            None if at_end => {
                self.character[..bytes.len()].copy_from_slice(bytes);
                self.character_length = bytes.len();
                bytes.len()
            }
            None => {
                sink.text(REPLACEMENT_TEXT);
                bytes.len()
            }
        }
    }

    fn continue_character(&mut self, byte: u8, sink: &mut impl Sink) -> usize {
        let length = self.character_length;
        self.character[length] = byte;
        let character = self.character;
        match std::str::from_utf8(&character[..=length]) {
            Ok(text) => {
                self.character_length = 0;
                self.characters(text, sink);
                1
            }
            Err(error) if error.error_len().is_none() => {
                self.character_length += 1;
                1
            }
            Err(_) => {
                self.character_length = 0;
                sink.text(REPLACEMENT_TEXT);
                0
            }
        }
    }

    /// Takes text up to and including its first character that is not simply printed.
    fn characters(&mut self, text: &str, sink: &mut impl Sink) -> usize {
        let special = text.char_indices().find(
            |(_, character)| matches!(character, '\u{80}'..='\u{9f}' | '\u{fffd}'..='\u{ffff}'),
        );
        let Some((start, character)) = special else {
            sink.text(text);
            return text.len();
        };
        if start > 0 {
            sink.text(&text[..start]);
        }
        match u8::try_from(u32::from(character)) {
            Ok(control) => self.eight_bit_control(control, sink),
            Err(_) => sink.text(REPLACEMENT_TEXT),
        }
        start + character.len_utf8()
    }

    /// An 8-bit control is short for escape and the letter 64 below it.
    fn eight_bit_control(&mut self, control: u8, sink: &mut impl Sink) {
        if control != STRING_TERMINATOR {
            self.begin(State::Escape, &[ESCAPE]);
            self.escape(control - 0x40, sink);
        }
    }

    fn begin(&mut self, state: State, introducer: &[u8]) {
        self.state = state;
        self.body.clear();
        self.overflowed = false;
        self.continuation = (0, 0);
        self.pending.clear();
        self.pending.extend_from_slice(introducer);
    }

    fn collect(&mut self, byte: u8) {
        if self.body.len() < BODY_LIMIT {
            self.body.push(byte);
            self.pending.push(byte);
        } else {
            self.overflowed = true;
        }
    }

    fn step(&mut self, byte: u8, sink: &mut impl Sink) {
        match (self.state, byte) {
            (State::Ground, _) => {}
            (State::Text(kind) | State::TextEscape(kind), CANCEL | SUBSTITUTE) => {
                self.finish_text(kind, sink);
            }
            (_, CANCEL | SUBSTITUTE) => self.state = State::Ground,
            (State::Text(kind), ESCAPE) => {
                self.state = State::TextEscape(kind);
                self.pending.push(ESCAPE);
            }
            (State::Text(kind), _) => self.string(kind, byte, sink),
            (State::TextEscape(kind), _) => {
                self.finish_text(kind, sink);
                if byte != b'\\' {
                    self.begin(State::Escape, &[ESCAPE]);
                    self.step(byte, sink);
                }
            }
            (_, ESCAPE) => self.begin(State::Escape, &[ESCAPE]),
            (_, 0x08..=0x0d) => sink.plain(&[byte]),
            (State::Escape, 0x20..=0x2f) | (State::ControlSequence, 0x20..=0x3f) => {
                self.collect(byte);
            }
            (State::Escape, 0x30..=0x7e) => self.escape(byte, sink),
            (State::ControlSequence, 0x40..=0x7e) => {
                self.state = State::Ground;
                self.body.push(byte);
                if !self.overflowed {
                    sink.control_sequence(&self.body);
                }
            }
            (State::Escape | State::ControlSequence, _) => {}
        }
    }

    fn escape(&mut self, last: u8, sink: &mut impl Sink) {
        let next = match last {
            _ if !self.body.is_empty() => State::Ground,
            b'[' => State::ControlSequence,
            b']' => State::Text(Kind::SystemCommand),
            b'P' | b'X' | b'^' | b'_' => State::Text(Kind::Ignored),
            _ => State::Ground,
        };
        if next == State::Ground {
            self.state = State::Ground;
            if !self.overflowed {
                sink.escape(&self.body, last);
            }
        } else {
            self.begin(next, &[ESCAPE, last]);
        }
    }

    fn string(&mut self, kind: Kind, byte: u8, sink: &mut impl Sink) {
        let (expected, lead) = self.continuation;
        let continues = expected > 0 && matches!(byte, 0x80..=0xbf);
        let terminates = byte == STRING_TERMINATOR && (!continues || lead == 0xc2);
        self.continuation = match byte {
            _ if continues => (expected - 1, 0),
            0xc2..=0xdf => (1, byte),
            0xe0..=0xef => (2, byte),
            0xf0..=0xf4 => (3, byte),
            _ => (0, 0),
        };
        if terminates {
            if continues {
                self.body.pop();
            }
            self.finish_text(kind, sink);
        } else if byte == 0x07 && kind == Kind::SystemCommand {
            self.finish_text(kind, sink);
        } else {
            self.collect(byte);
        }
    }

    fn finish_text(&mut self, kind: Kind, sink: &mut impl Sink) {
        self.state = State::Ground;
        if kind == Kind::SystemCommand && !self.overflowed {
            sink.system_command(&self.body);
        }
    }
}

fn is_plain(byte: u8) -> bool {
    matches!(byte, 0x20..=0x7e | 0x08..=0x0d)
}
