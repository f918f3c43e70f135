//! Marks without a shell.

use super::*;
use crate::model::Model;
use crate::types::{ReadRequest, Size};

const SESSION: &str = "\x1b]633;P;Cwd=/a\\x3bb;N0NCE\x07\x1b]633;A;N0NCE\x07$ \x1b]633;B;N0NCE\x07run\r\n\
    \x1b]633;E;run \\\\ \\x0a2;N0NCE\x07\x1b]633;C;N0NCE\x1b\\one\r\ntwo\x1b]633;D;0\x07\x1b]633;D;7;N0NCE\x07\
    \x1b]633;A;N0NCE\x07$ \x1b]633;B;N0NCE\x07";

fn model() -> Model {
    let mut model = Model::new(Size { rows: 5, cols: 20 });
    model.believe("N0NCE".to_owned());
    model
}

fn expected() -> CommandMark {
    CommandMark {
        number: 0,
        command: Some("run \\ \n2".to_owned()),
        first_line: 1,
        end_line: Some(2),
        exit_code: Some(7),
        cwd: Some("/a;b".to_owned()),
    }
}

#[test]
fn marks_are_understood_wherever_the_output_is_cut() {
    let bytes = SESSION.as_bytes();
    for cut in 0..=bytes.len() {
        let mut model = model();
        model.process(&bytes[..cut], false);
        model.process(&bytes[cut..], false);
        let history: Vec<CommandMark> = model.marks().history().cloned().collect();
        assert_eq!(history, [expected()], "{cut}");
        assert_eq!(model.marks().state(), ShellState::AtPrompt, "{cut}");
        let tail = model.marks().finished(0).and_then(|(_, tail)| tail.cloned());
        assert_eq!(tail.as_deref(), Some("two"), "{cut}");
        assert!(!model.typing(), "{cut}");
        let read = model.read(ReadRequest { lines: 10, since: None }).unwrap();
        assert_eq!(
            (read.lines, read.partial.as_deref()),
            (vec!["$ run".to_owned(), "one".to_owned()], Some("two$"))
        );
    }
}

#[test]
fn the_history_is_bounded() {
    let mut model = model();
    for _ in 0..HISTORY_LIMIT + 5 {
        model.process(b"\x1b]633;A;N0NCE\x07\x1b]633;B;N0NCE\x07\x1b]633;C;N0NCE\x07", false);
        model.process(b"\x1b]633;D;0;N0NCE\x07", false);
    }
    let numbers: Vec<u64> = model.marks().history().map(|mark| mark.number).collect();
    assert_eq!(numbers, (5..5 + HISTORY_LIMIT as u64).collect::<Vec<u64>>());
}

#[test]
fn a_prompt_that_a_program_inherited_is_not_the_shells() {
    let mut model = model();
    model.process(b"\x1b]633;A;N0NCE\x07$ \x1b]633;B;N0NCE\x07bash\r\n\x1b]633;C;N0NCE\x07", false);
    model.process(b"$ \x1b]633;B;N0NCE\x07\x1b]633;C;N0NCE\x07", false);
    assert_eq!(model.marks().state(), ShellState::Running { command: Some("bash".to_owned()) });
    assert_eq!(model.marks().history().count(), 1);
}

#[test]
fn without_a_nonce_nothing_is_believed() {
    let mut model = Model::new(Size { rows: 5, cols: 20 });
    model.process(b"\x1b]633;A;\x07\x1b]633;A\x07\x1b]633;B;\x07", false);
    assert_eq!(model.marks().state(), ShellState::Unknown);
    assert!(!model.marks().heard());
}

#[test]
fn every_letter_typed_at_the_prompt_counts_as_typing() {
    let mut model = model();
    model.process(b"\x1b]633;A;N0NCE\x07$ \x1b]633;B;N0NCE\x07          right\r\x1b[2C", false);
    assert!(!model.typing(), "a prompt at the right is none");
    model.process(b"x", false);
    assert!(model.typing());
    model.process(b"\x08", false);
    assert!(model.typing(), "the cursor went back over it");
    model.process(b" \x08", false);
    assert!(!model.typing());
}

#[test]
fn broken_escapes_are_taken_as_they_are() {
    for (given, read) in [
        ("a\\", "a\\"),
        ("\\x", "\\x"),
        ("\\xz1", "\\xz1"),
        ("\\x1b[m", "[m"),
        ("\\\\x3b", "\\x3b"),
    ] {
        assert_eq!(unescape(given.as_bytes()), read);
    }
}
