//! What is told of an agent whose text holds commands, and which of them are handed on.

use std::time::{Duration, Instant};

use pretty_assertions::assert_eq;
use proptest::{collection::vec, prelude::*};
use serde_json::json;

use super::{
    Outcome,
    book::{Book, Heard},
    notes::Notes,
};
use crate::{
    Event, TextField,
    interceptor::GUARD,
    model::{
        LongText, Message, MessageId, MessageInfo, Part, PartContent, PartId, Role, SessionId,
        SessionStatus, ToolState,
    },
};

const X: &str = r#"%%OS{"cmd":"x","args":{"a":1}}%%"#;

fn session() -> SessionId {
    "ses".into()
}

fn info(id: &str, role: Role, is_over: bool) -> MessageInfo {
    MessageInfo {
        id: id.into(),
        session_id: session(),
        role,
        created: 1,
        completed: is_over.then_some(2),
        answers: None,
        mode: None,
        model: None,
        usage: None,
        cost: None,
        finish: None,
        failure: None,
        is_summary: false,
        diffs: Vec::new(),
    }
}

fn part(message: &str, text: &str, has_ended: bool) -> Part {
    Part {
        id: PartId(format!("{message}-text")),
        message_id: message.into(),
        session_id: session(),
        content: PartContent::Text {
            text: LongText::new(text),
            is_synthetic: false,
            started: Some(1),
            ended: has_ended.then_some(2),
        },
    }
}

fn says(message: &str, text: &str, has_ended: bool) -> Event {
    Event::PartUpdated { part: part(message, text, has_ended) }
}

fn adds(message: &str, delta: &str) -> Event {
    Event::TextDelta {
        session_id: session(),
        message_id: message.into(),
        part_id: PartId(format!("{message}-text")),
        field: TextField::Text,
        delta: delta.into(),
    }
}

fn is(status: SessionStatus) -> Event {
    Event::Status { session_id: session(), status }
}

/// A book, and all that came of what it heard.
struct Listener {
    book: Book,
    now: Instant,
    /// What a page shows of the text of parts, put together from what it was told.
    shown: String,
    cards: Vec<Part>,
    found: Vec<String>,
    wrong: Vec<String>,
}

impl Listener {
    /// One who hears an agent that begins to answer with this message.
    fn of(message: &str) -> Self {
        let mut listener = Self {
            book: Book::default(),
            now: Instant::now(),
            shown: String::new(),
            cards: Vec::new(),
            found: Vec::new(),
            wrong: Vec::new(),
        };
        listener.hears(&is(SessionStatus::Busy {}));
        listener.hears(&Event::MessageUpdated { message: info(message, Role::Assistant, false) });
        listener
    }

    fn hears(&mut self, event: &Event) {
        let heard = self.book.hear(event, self.now);
        self.take(heard);
    }

    fn take(&mut self, heard: Heard) {
        for event in heard.events {
            match event {
                Event::TextDelta { delta, .. } => self.shown.push_str(&delta),
                Event::PartUpdated { part } => {
                    if let PartContent::Text { text, .. } = &part.content {
                        self.shown.clone_from(&text.text);
                    } else {
                        self.cards.retain(|card| card.id != part.id);
                        self.cards.push(part);
                    }
                }
                _ => {}
            }
        }
        self.found.extend(heard.found.iter().map(|found| found.command.cmd.clone()));
        self.wrong.extend(heard.wrong.into_iter().map(|(_, words)| words));
    }

    /// The whole of an answer that comes in these pieces.
    fn answer(&mut self, message: &str, pieces: &[&str]) {
        self.hears(&says(message, "", false));
        for piece in pieces {
            self.hears(&adds(message, piece));
        }
        self.hears(&says(message, &pieces.concat(), true));
    }
}

fn state(card: &Part) -> ToolState {
    let PartContent::Tool { call } = &card.content else { panic!("{card:?}") };
    call.state
}

#[test]
fn a_command_is_taken_out_handed_on_once_and_has_a_card() {
    let mut told = Listener::of("m");
    told.answer("m", &["I open it: %", "%OS{\"cmd\":\"x\",\"ar", "gs\":{\"a\":1}}%", "% there."]);
    assert_eq!(told.shown, "I open it:  there.");
    assert_eq!(told.found, ["x"]);
    let [card] = &told.cards[..] else { panic!("{:?}", told.cards) };
    assert_eq!((card.id.0.as_str(), state(card)), ("m-text-command-0", ToolState::Running));
    let PartContent::Tool { call } = &card.content else { panic!() };
    assert_eq!((call.tool.as_str(), &call.input), ("x", &json!({"a": 1})));
}

#[test]
fn what_is_told_or_read_again_is_never_run_again() {
    let text = format!("a {X} b");
    let mut told = Listener::of("m");
    told.answer("m", &[&text]);
    assert_eq!(told.found.len(), 1);
    told.hears(&says("m", &text, true));
    told.hears(&says("m", &text, false));
    told.hears(&Event::MessageUpdated { message: info("m", Role::Assistant, true) });
    told.hears(&is(SessionStatus::Idle {}));
    // A fork tells all again, under other ids.
    told.hears(&Event::MessageUpdated { message: info("n", Role::Assistant, true) });
    told.hears(&says("n", &text, true));
    // And what is told of a session that does not work, or of a message that nobody knows, is of the past too.
    told.hears(&Event::MessageUpdated { message: info("o", Role::Assistant, false) });
    told.answer("o", &[&text]);
    told.hears(&is(SessionStatus::Busy {}));
    told.answer("unknown", &[&text]);
    let summary = MessageInfo { is_summary: true, ..info("s", Role::Assistant, false) };
    told.hears(&Event::MessageUpdated { message: summary });
    told.answer("s", &[&text]);
    assert_eq!((told.found.len(), told.shown.as_str()), (1, "a  b"));

    let message = |role| Message {
        info: info("m", role, true),
        parts: vec![part("m", &text, true)],
        parts_left_out: 0,
    };
    let mut read = message(Role::Assistant);
    told.book.read(&mut read);
    let texts: Vec<_> = read.parts.iter().map(|part| &part.content).collect();
    assert!(
        matches!(texts[..], [PartContent::Text { text, .. }, PartContent::Tool { .. }] if text.text == "a  b"),
        "{texts:?}"
    );
    let mut persons = message(Role::User);
    told.book.read(&mut persons);
    assert_eq!(persons, message(Role::User), "what a person says is theirs");
}

#[test]
fn what_a_person_says_is_left_alone() {
    let mut told = Listener::of("m");
    told.hears(&Event::MessageUpdated { message: info("p", Role::User, false) });
    told.hears(&says("p", X, false));
    assert_eq!((told.shown.as_str(), told.found.len()), (X, 0));
}

#[test]
fn halves_of_two_blocks_around_a_gap_make_no_command() {
    let mut told = Listener::of("m");
    told.hears(&says("m", "", false));
    told.hears(&adds("m", "a %%OS{\"cmd\":\"x\","));
    told.hears(&Event::Gap { why: "slow".into() });
    told.hears(&adds("m", "\"args\":{}}%% c"));
    assert_eq!(told.found, Vec::<String>::new());
    let whole = "a %%OS{\"cmd\":\"x\",\"args\":{}}%% b %%OS{\"cmd\":\"y\",\"args\":{}}%% c";
    told.hears(&says("m", whole, true));
    assert_eq!((told.found.join(" ").as_str(), told.shown.as_str()), ("x y", "a  b  c"));
}

#[test]
fn a_text_that_is_told_otherwise_at_its_end_runs_nothing_twice() {
    let mut told = Listener::of("m");
    told.hears(&says("m", "", false));
    told.hears(&adds("m", &format!("key-of-mine {X} then {X} \n")));
    assert_eq!(told.found.len(), 2);
    told.hears(&says("m", &format!("⟨secret⟩ {X} then {X}"), true));
    assert_eq!((told.found.len(), told.shown.as_str()), (2, "⟨secret⟩  then "));
}

#[test]
fn a_block_that_is_none_is_told_with_the_reason_and_one_that_does_not_end_is_given_up() {
    let mut told = Listener::of("m");
    told.hears(&says("m", "", false));
    told.hears(&adds("m", "a %%OS{not json}%% b %%OS{\"cmd\""));
    assert_eq!(told.wrong.len(), 1);
    assert_eq!(told.book.deadline(), Some(told.now + GUARD));
    told.now += GUARD + Duration::from_millis(1);
    let heard = told.book.tick(told.now);
    told.take(heard);
    told.hears(&adds("m", " c"));
    assert_eq!((told.shown.as_str(), told.found.len()), ("a  b  c", 0));
    assert_eq!(told.cards.iter().map(state).collect::<Vec<_>>(), [ToolState::Failed; 2]);
    assert!(told.wrong[1].contains("did not end within 5 s"), "{:?}", told.wrong);
}

#[test]
fn what_became_of_commands_is_told_once_with_the_next_prompt_and_has_a_bound() {
    let mut notes = Notes::new("This is how.");
    let first = notes.take(&session());
    assert_eq!(first.text().as_deref(), Some("This is how."));
    assert_eq!(notes.take(&session()).text(), None);
    notes.give_back(&session(), first);
    notes.add(&session(), "x: done: Opened.");
    let text = notes.take(&session()).text().unwrap();
    assert_eq!(
        text,
        "This is how.\n\nWhat became of the commands in your text:\nx: done: Opened.\n"
    );
    for _ in 0..100 {
        notes.add(&session(), &"long ".repeat(1_000));
    }
    let text = notes.take(&session()).text().unwrap();
    assert!(text.len() < 9_000 && text.contains("more are not told here"), "{}", text.len());
}

#[test]
fn a_card_says_what_became_of_its_command_also_when_the_message_is_read_again() {
    let mut book = Book::default();
    let now = Instant::now();
    book.hear(&is(SessionStatus::Busy {}), now);
    book.hear(&Event::MessageUpdated { message: info("m", Role::Assistant, false) }, now);
    let heard = book.hear(&says("m", X, false), now);
    let [found] = &heard.found[..] else { panic!("{heard:?}") };
    book.ran(found, &Outcome { is_done: true, text: "Opened.".into() });
    let mut message = Message {
        info: info("m", Role::Assistant, true),
        parts: vec![part("m", X, true)],
        parts_left_out: 0,
    };
    book.read(&mut message);
    let PartContent::Tool { call } = &message.parts[1].content else { panic!("{message:?}") };
    assert_eq!(call.state, ToolState::Completed);
    assert_eq!(call.output.as_ref().map(|text| text.text.as_str()), Some("Opened."));
}

fn id(message: &str) -> MessageId {
    message.into()
}

proptest! {
    #[test]
    fn text_without_blocks_is_told_as_it_came(pieces in vec("[%OS{}\"\\n a-zé]{0,12}", 0..12)) {
        let whole = pieces.concat().replace("%%OS{", "");
        let mut told = Listener::of("m");
        told.hears(&says("m", "", false));
        // Cut where the strategy cut it, as far as it was not changed.
        let mut rest = whole.as_str();
        for piece in &pieces {
            let (now, later) = rest.split_at(rest.floor_char_boundary(piece.len().min(rest.len())));
            told.hears(&adds("m", now));
            rest = later;
        }
        told.hears(&adds("m", rest));
        told.hears(&says("m", &whole, true));
        prop_assume!(!whole.contains("%%OS{"));
        assert_eq!((told.shown.as_str(), told.found.len()), (whole.as_str(), 0));
        let mut read = Message {
            info: info("m", Role::Assistant, true),
            parts: vec![part("m", &whole, true)],
            parts_left_out: 0,
        };
        told.book.read(&mut read);
        assert_eq!((read.parts, read.info.id), (vec![part("m", &whole, true)], id("m")));
    }

    #[test]
    fn any_cut_finds_the_same_commands_and_shows_the_same(cuts in vec(0..200_usize, 0..12)) {
        let whole = format!("é %% {X} %%OS{{no}}%% 100%% {} %%O", X.replace('x', "ÿ"));
        let mut ends: Vec<usize> = cuts.iter().map(|cut| whole.floor_char_boundary(*cut)).collect();
        ends.extend([0, whole.len()]);
        ends.sort_unstable();
        let pieces: Vec<&str> = ends.windows(2).map(|pair| &whole[pair[0]..pair[1]]).collect();
        let mut told = Listener::of("m");
        told.answer("m", &pieces);
        assert_eq!(told.shown, "é %%   100%%  %%O");
        assert_eq!((told.found.join(" ").as_str(), told.cards.len()), ("x ÿ", 3));
    }
}
