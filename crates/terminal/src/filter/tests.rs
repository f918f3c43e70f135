//! What holds for all bytes that go through the filter.

use super::*;

const SEEDS: &[&[u8]] = &[
    "plain\r\n\ttext é 中文 \u{1f600} e\u{301}".as_bytes(),
    b"\x1b[31;1mred\x1b[m\x1b[?1049h\x1b[2;7H\x1b[38:2::1:2:3m",
    b"\x1b]0;title\x07\x1b]633;A;0123\x1b\\\x1b]8;;http://a\x9c",
    b"\x1bPq#0;2\x1b\\\x1b^private\x1b\\\x1b_application\x1b\\\x1bXstart\x1b\\",
    b"\x1b(0\x0elines\x0f\x1b(B\x1b7\x1b8\x1bc\x1b#8",
    b"\x9b1m\xc2\x9b1m\x9d0;t\x9c\xc2\x9d0;t\xc2\x9c\x90x\x9c",
    b"\xff\xe4\xb8\xf0\x9f\x98\xc3(\xed\xa0\x80\x1b[\x18\x1b]\x1a",
    "\u{fffd}\u{fffe}\u{ffff}\u{85}".as_bytes(),
];

/// What a sink was told, with pieces of text that follow each other joined.
#[derive(Debug, Default, PartialEq, Eq)]
struct Told(Vec<Event>);

#[derive(Debug, PartialEq, Eq)]
enum Event {
    Plain(Vec<u8>),
    Text(String),
    Shift(bool),
    Escape(Vec<u8>, u8),
    ControlSequence(Vec<u8>),
    SystemCommand(Vec<u8>),
}

impl Sink for Told {
    fn plain(&mut self, bytes: &[u8]) {
        assert!(!bytes.is_empty() && bytes.iter().all(|byte| is_plain(*byte)));
        match self.0.last_mut() {
            Some(Event::Plain(before)) => before.extend_from_slice(bytes),
            _ => self.0.push(Event::Plain(bytes.to_vec())),
        }
    }

    fn text(&mut self, text: &str) {
        assert!(text.chars().all(|letter| letter == REPLACEMENT
            || !(letter.is_ascii() || letter.is_control() || letter == FILLER)));
        match self.0.last_mut() {
            Some(Event::Text(before)) => before.push_str(text),
            _ => self.0.push(Event::Text(text.to_owned())),
        }
    }

    fn shift(&mut self, out: bool) {
        self.0.push(Event::Shift(out));
    }

    fn escape(&mut self, intermediates: &[u8], last: u8) {
        assert!(intermediates.iter().all(|byte| (0x20..=0x2f).contains(byte)));
        self.0.push(Event::Escape(intermediates.to_vec(), last));
    }

    fn control_sequence(&mut self, body: &[u8]) {
        let (last, before) = body.split_last().unwrap();
        assert!(
            (0x40..=0x7e).contains(last) && before.iter().all(|byte| (0x20..=0x3f).contains(byte))
        );
        self.0.push(Event::ControlSequence(body.to_vec()));
    }

    fn system_command(&mut self, body: &[u8]) {
        assert!(body.len() <= BODY_LIMIT && !body.contains(&ESCAPE) && !body.contains(&0x07));
        self.0.push(Event::SystemCommand(body.to_vec()));
    }
}

#[test]
fn no_bytes_are_cut_differently_when_they_come_one_by_one() {
    openspace_fuzz::hold(SEEDS, |data| {
        let (mut whole, mut told) = (Filter::new(), Told::default());
        whole.feed(data, &mut told);
        let (mut pieces, mut told_in_pieces) = (Filter::new(), Told::default());
        for byte in data {
            pieces.feed(&[*byte], &mut told_in_pieces);
        }
        assert_eq!(told, told_in_pieces);
        assert_eq!(whole.pending(), pieces.pending());
    });
}

#[test]
fn whoever_gets_what_is_pending_goes_on_the_same() {
    openspace_fuzz::hold(SEEDS, |data| {
        let (before, after) = data.split_at(data.len() / 2);
        let mut filter = Filter::new();
        filter.feed(before, &mut Told::default());
        let (mut joined, mut nothing) = (Filter::new(), Told::default());
        joined.feed(filter.pending(), &mut nothing);
        assert_eq!(nothing, Told::default());
        let (mut told, mut told_later) = (Told::default(), Told::default());
        filter.feed(after, &mut told);
        joined.feed(after, &mut told_later);
        assert_eq!(told, told_later);
    });
}
