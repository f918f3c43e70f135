//! What a view that joins later can scroll back to.

use super::*;
use crate::model::Model;
use crate::types::Size;

const SIZE: Size = Size { rows: 4, cols: 10 };
const NONCE: &str = "0123456789abcdef";

fn model(text: &str) -> Model {
    let mut model = Model::new(SIZE);
    model.believe(NONCE.into());
    model.process(text.as_bytes(), false);
    model
}

/// What a fresh view can scroll back to, and its marks: the lines they are on, counting from the
/// top of the screen, and the cells.
fn seen(model: &mut Model) -> (Vec<String>, Vec<(i64, usize, String)>) {
    let mut view = Model::new(SIZE);
    view.believe(NONCE.into());
    view.process(&model.repaint(), false);
    let history = view.emulator.history();
    (history.lines.iter().cloned().collect(), marks_of(history))
}

fn marks_of(history: &History) -> Vec<(i64, usize, String)> {
    let mark = |mark: &Mark| {
        let line = i64::try_from(mark.spot.0).unwrap() - i64::try_from(history.next()).unwrap();
        let letter = mark.body.strip_prefix("633;").unwrap().strip_suffix(NONCE).unwrap();
        (line, mark.spot.1, letter.to_owned())
    };
    history.marks().map(mark).collect()
}

fn shell(mark: &str) -> String {
    format!("\x1b]633;{mark};{NONCE}\x07")
}

/// A prompt, a command and its output, as the script of bash marks them.
fn command(folder: &str, line: &str, output: &str, code: u8) -> String {
    let (cwd, start, end) = (shell(&format!("P;Cwd={folder}")), shell("A"), shell("B"));
    let (text, run, done) = (shell(&format!("E;{line}")), shell("C"), shell(&format!("D;{code}")));
    format!("{cwd}{start}$ {end}{line}\r\n{text}{run}{output}{done}")
}

fn marks(expected: &[(i64, usize, &str)]) -> Vec<(i64, usize, String)> {
    expected.iter().map(|&(line, cell, mark)| (line, cell, mark.to_owned())).collect()
}

#[test]
fn lines_keep_their_colours() {
    let mut model = model("plain\r\n\x1b[1;31mred\x1b[0m and \x1b[44mit\r\n\x1b[m1\r\n2\r\n3\r\n4");
    let (lines, _) = seen(&mut model);
    assert_eq!(lines, ["plain", "\x1b[31;1mred\x1b[m and \x1b[44mit\x1b[m"]);
}

#[test]
fn marks_come_again_where_they_stood() {
    let one = command("/a", "ls", "1\r\n2\r\n3\r\n4\r\n", 0);
    let two = command("/a", "no", "!\r\n", 127);
    let prompt = format!("{}{}$ {}", shell("P;Cwd=/b"), shell("A"), shell("B"));
    let mut model = model(&format!("{one}{two}{prompt}"));
    let (lines, seen) = seen(&mut model);
    assert_eq!(lines, ["$ ls", "1", "2", "3"]);
    let expected = marks(&[
        (-4, 0, "P;Cwd=/a;"),
        (-4, 0, "A;"),
        (-4, 2, "B;"),
        (-3, 0, "E;ls;"),
        (-3, 0, "C;"),
        (1, 0, "D;0;"),
        (1, 0, "P;Cwd=/a;"),
        (1, 0, "A;"),
        (1, 2, "B;"),
        (2, 0, "E;no;"),
        (2, 0, "C;"),
        (3, 0, "D;127;"),
        (3, 0, "P;Cwd=/b;"),
        (3, 0, "A;"),
        (3, 2, "B;"),
    ]);
    assert_eq!(seen, expected);
    assert_eq!(marks_of(model.emulator.history()), expected);
}

#[test]
fn marks_stay_with_their_lines_when_the_size_changes() {
    let mut model = model(&command("/a", "echo 0123456789", "0123456789\r\n", 0));
    model.resize(Size { rows: 4, cols: 7 });
    model.resize(SIZE);
    let places: Vec<(i64, usize, String)> = marks_of(model.emulator.history());
    let top = places[0].0;
    let places: Vec<(i64, usize)> = places.iter().map(|mark| (mark.0 - top, mark.1)).collect();
    assert_eq!(places, [(0, 0), (0, 0), (0, 2), (1, 0), (1, 0), (2, 0)]);
}

#[test]
fn wide_characters_before_a_mark_are_counted_as_a_person_sees_them() {
    let prompt = format!("{}中文{}ls\r\n1\r\n2\r\n3\r\n4", shell("A"), shell("B"));
    let (lines, seen) = seen(&mut model(&prompt));
    assert_eq!(lines, ["中文ls"]);
    assert_eq!(seen, marks(&[(-1, 0, "A;"), (-1, 4, "B;")]));
}

#[test]
fn marks_under_a_full_screen_program_are_on_the_screen_below_it() {
    let prompt = format!("{}$ {}vi\r\n{}", shell("A"), shell("B"), shell("C"));
    let (_, seen) = seen(&mut model(&format!("{prompt}\x1b[?1049h\x1b[Hfull")));
    assert_eq!(seen, marks(&[(0, 0, "A;"), (0, 2, "B;"), (1, 0, "C;")]));
}

#[test]
fn a_prompt_that_is_drawn_again_is_marked_once() {
    let prompt = format!("{}$ {}", shell("A"), shell("B"));
    let (_, seen) = seen(&mut model(&format!("{prompt}ab\r{prompt}abc\r{prompt}")));
    assert_eq!(seen, marks(&[(0, 0, "A;"), (0, 2, "B;")]));
}

#[test]
fn what_a_program_cleared_does_not_come_back() {
    let before = command("/a", "seq", "1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n", 0);
    for clear in ["\x1b[H\x1b[2J\x1b[3J", "\x1b[3J\x1b[H\x1b[J", "\x1bc"] {
        let (lines, seen) = seen(&mut model(&format!("{before}{clear}new\r\n")));
        assert_eq!((lines.as_slice(), seen), ([].as_slice(), marks(&[(0, 0, "P;Cwd=/a;")])));
    }
    // The older of two prompts stays when only the screen is erased.
    let (lines, seen) = seen(&mut model(&format!("{before}{}\x1b[H\x1b[2J", shell("A"))));
    assert_eq!(lines, ["$ seq", "1", "2", "3"]);
    assert_eq!(seen.len(), 5, "{seen:?}");
}

#[test]
fn a_command_of_which_the_prompt_is_lost_is_not_half_told() {
    let many = "line\r\n".repeat(LINE_LIMIT + 10);
    let (lines, seen) = seen(&mut model(&command("/a", "many", &many, 0)));
    assert_eq!(lines.len(), LINE_LIMIT);
    assert_eq!(seen, marks(&[(0, 0, "P;Cwd=/a;")]));
}

#[tokio::test(start_paused = true)]
async fn a_view_is_told_how_long_ago_a_command_began_and_ended() {
    let mut model = model(&format!("{}$ {}{}", shell("A"), shell("B"), shell("C")));
    tokio::time::advance(std::time::Duration::from_millis(250)).await;
    model.process(shell("D;0").as_bytes(), false);
    tokio::time::advance(std::time::Duration::from_secs(1)).await;
    let repaint = String::from_utf8(model.repaint()).unwrap();
    for mark in
        [format!("\x1b]7633;1250\x07{}", shell("C")), format!("7633;1000\x07{}", shell("D;0"))]
    {
        assert!(repaint.contains(&mark), "{repaint:?}");
    }
}

#[test]
fn everything_that_is_kept_is_bounded() {
    let mut model = model("");
    for number in 0..3 * MARK_LIMIT {
        let mark = shell(&format!("E;{}", "x".repeat(number % 900)));
        model.process(format!("{mark}\x1b[3{}m{number}\r\n", number % 8).as_bytes(), false);
    }
    model.process("中".repeat(BYTE_LIMIT).as_bytes(), false);
    let history = model.emulator.history();
    assert!(history.lines.len() <= LINE_LIMIT && history.marks.len() <= MARK_LIMIT);
    assert!(history.mark_bytes <= MARK_BYTE_LIMIT && history.bytes <= BYTE_LIMIT);
    assert!(history.open.len() <= LINE_BYTE_LIMIT + 100);
    assert_eq!(history.bytes, history.lines.iter().map(String::len).sum::<usize>());
    assert!(model.repaint().len() <= BYTE_LIMIT + MARK_BYTE_LIMIT + 100_000);
}
