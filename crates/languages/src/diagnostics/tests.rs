//! What is known of files, and how fresh it is; and what a change broke and fixed.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::{book::*, wire::*, *};
use crate::{Moment, position::Position, uri::Uri};

fn file() -> Uri {
    Uri::read("file:///a")
}

fn at(ms: u64) -> Moment {
    Moment::from_millis(ms)
}

fn item(line: u32, message: &str) -> Value {
    let place = json!({"line": line, "character": 0});
    json!({"range": {"start": place, "end": place}, "message": message})
}

fn diagnostic(line: u32, message: &str) -> Diagnostic {
    serde_json::from_value(item(line, message)).unwrap()
}

fn open(version: i32, edition: u64) -> Text {
    Text { version: Some(version), edition }
}

fn publish(book: &mut Book, version: Option<i32>, message: &str, text: Text, now: u64) {
    let said = json!({"uri": "file:///a", "version": version, "diagnostics": [item(0, message)]});
    book.published(Published::read(said).unwrap(), text, at(now));
}

fn pull(book: &mut Book, identifier: &str, asked: Text, is_ready: bool, answer: Value) -> bool {
    let answer = Pulled::read(answer).unwrap();
    book.pulled(&file(), identifier, asked, is_ready, answer, |_| None)
}

fn pushed(book: &Book, text: Text) -> (Freshness, Vec<String>) {
    told(&book.report(&file(), text, &Way::Push))
}

fn told(report: &Report) -> (Freshness, Vec<String>) {
    (report.freshness, report.items.iter().map(|it| it.message.clone()).collect())
}

fn knows(freshness: Freshness, messages: &[&str]) -> (Freshness, Vec<String>) {
    (freshness, messages.iter().map(|&it| it.to_owned()).collect())
}

#[test]
fn a_push_with_a_version_is_fresh_for_that_version_alone() {
    let mut book = Book::default();
    assert_eq!(pushed(&book, open(1, 0)), knows(Freshness::Pending, &[]));
    publish(&mut book, Some(1), "one", open(2, 1), 0);
    assert_eq!(pushed(&book, open(2, 1)), knows(Freshness::Pending, &["one"]));
    publish(&mut book, Some(2), "two", open(2, 1), 0);
    assert_eq!(pushed(&book, open(2, 1)), knows(Freshness::Fresh, &["two"]));
    // Late, and about less than what is known.
    publish(&mut book, Some(1), "one again", open(2, 1), 0);
    assert_eq!(pushed(&book, open(2, 1)), knows(Freshness::Fresh, &["two"]));
    // Another file changed.
    assert_eq!(pushed(&book, open(2, 2)), knows(Freshness::Old, &["two"]));
    assert_eq!(pushed(&book, open(3, 3)), knows(Freshness::Pending, &["two"]));
    // A version that we never said is the last one.
    publish(&mut book, Some(9), "nine", open(3, 3), 0);
    assert_eq!(pushed(&book, open(3, 3)), knows(Freshness::Fresh, &["nine"]));
}

#[test]
fn a_push_without_a_version_counts_only_well_behind_a_barrier() {
    let mut book = Book::default();
    let text = open(2, 1);
    publish(&mut book, None, "before", text, 0);
    assert!(book.needs_barrier(&file(), 2));
    book.barrier_sent(&file(), 2);
    assert!(!book.needs_barrier(&file(), 2) && !book.needs_barrier(&file(), 3));
    publish(&mut book, None, "while asked", text, 10);
    assert_eq!(pushed(&book, text), knows(Freshness::Pending, &["while asked"]));
    book.barrier_answered(&file(), 2, at(20));
    publish(&mut book, None, "too soon", text, 119);
    assert_eq!(pushed(&book, text), knows(Freshness::Pending, &["too soon"]));
    publish(&mut book, None, "behind", text, 120);
    assert_eq!(pushed(&book, text), knows(Freshness::Likely, &["behind"]));
    // The text changed again; the barrier was for another.
    assert!(book.needs_barrier(&file(), 3));
    publish(&mut book, None, "late", open(3, 2), 500);
    assert_eq!(pushed(&book, open(3, 2)), knows(Freshness::Pending, &["late"]));
}

#[test]
fn who_names_versions_needs_no_barrier() {
    let mut book = Book::default();
    assert!(book.needs_barrier(&file(), 1));
    publish(&mut book, Some(1), "one", open(1, 0), 0);
    assert!(!book.needs_barrier(&file(), 2));
    // Another process may be another program.
    book.forget_process();
    assert!(book.needs_barrier(&file(), 2));
    assert_eq!(pushed(&book, open(1, 0)), knows(Freshness::Pending, &["one"]));
}

#[test]
fn an_answer_is_about_the_text_for_which_it_was_asked() {
    let mut book = Book::default();
    let way = Way::Pull(vec![String::new()]);
    let report = |book: &Book, text| told(&book.report(&file(), text, &way));
    let full =
        |message: &str| json!({"kind": "full", "resultId": "r", "items": [item(0, message)]});
    assert!(pull(&mut book, "", open(1, 0), false, full("too soon")));
    assert_eq!(report(&book, open(1, 0)), knows(Freshness::Pending, &["too soon"]));
    assert!(pull(&mut book, "", open(1, 0), true, full("one")));
    assert_eq!(report(&book, open(1, 0)), knows(Freshness::Fresh, &["one"]));
    assert_eq!(report(&book, open(2, 1)), knows(Freshness::Pending, &["one"]));
    assert_eq!(book.result(&file(), ""), Some("r"));
    assert!(pull(&mut book, "", open(2, 1), true, json!({"kind": "unchanged", "resultId": "s"})));
    assert_eq!(report(&book, open(2, 1)), knows(Freshness::Fresh, &["one"]));
    assert_eq!(book.result(&file(), ""), Some("s"));
    book.refresh();
    assert_eq!(report(&book, open(2, 1)), knows(Freshness::Old, &["one"]));
    let other = Book::default();
    assert_eq!(report(&other, open(2, 1)), knows(Freshness::Pending, &[]));
    assert!(!pull(&mut Book::default(), "", open(1, 0), true, json!({"kind": "unchanged"})));
}

#[test]
fn what_several_say_is_as_fresh_as_the_least_fresh() {
    let mut book = Book::default();
    let names = ["a".to_owned(), "b".to_owned()];
    let way = Way::Pull(names.to_vec());
    let full = |message: &str| json!({"kind": "full", "items": [item(0, message)]});
    pull(&mut book, "a", open(1, 0), true, full("of a"));
    assert_eq!(book.to_pull(&file(), open(1, 0), &names), ["b"]);
    assert_eq!(told(&book.report(&file(), open(1, 0), &way)), knows(Freshness::Pending, &["of a"]));
    pull(&mut book, "b", open(1, 0), true, full("of b"));
    assert_eq!(
        told(&book.report(&file(), open(1, 0), &way)),
        knows(Freshness::Fresh, &["of a", "of b"])
    );
    assert!(book.to_pull(&file(), open(1, 0), &names).is_empty());
    assert_eq!(book.to_pull(&file(), open(1, 1), &names), ["a", "b"]);
}

#[test]
fn what_is_told_unasked_stands_beside_and_is_not_said_twice() {
    let mut book = Book::default();
    let way = Way::Pull(vec![String::new()]);
    pull(&mut book, "", open(1, 0), true, json!({"kind": "full", "items": [item(0, "same")]}));
    let said = json!({"uri": "file:///a", "diagnostics": [item(0, "same"), item(1, "of a build")]});
    book.published(Published::read(said).unwrap(), open(1, 0), at(0));
    let report = book.report(&file(), open(1, 0), &way);
    assert_eq!(
        (report.freshness, report.items, report.beside),
        (Freshness::Fresh, vec![diagnostic(0, "same")], vec![diagnostic(1, "of a build")])
    );
}

#[test]
fn another_way_begins_without_what_the_old_one_told() {
    let mut book = Book::default();
    publish(&mut book, Some(1), "pushed", open(1, 0), 0);
    let way = Way::Pull(vec![String::new()]);
    book.change_way(&file(), &way);
    assert_eq!(told(&book.report(&file(), open(1, 0), &way)), knows(Freshness::Pending, &[]));
    pull(&mut book, "", open(1, 0), true, json!({"kind": "full", "items": [item(0, "pulled")]}));
    book.change_way(&file(), &Way::Push);
    assert_eq!(pushed(&book, open(1, 0)), knows(Freshness::Pending, &[]));
}

#[test]
fn related_files_come_with_an_answer_and_closed_ones_grow_old() {
    let mut book = Book::default();
    let other = Uri::read("file:///b");
    let answer = json!({
        "kind": "full", "items": [],
        "relatedDocuments": {"file:///b": {"kind": "full", "items": [item(3, "there")]}, "file:///c": 7},
    });
    pull(&mut book, "", open(1, 0), true, answer);
    let way = Way::Pull(vec![String::new()]);
    let closed = Text { version: None, edition: 0 };
    assert_eq!(told(&book.report(&other, closed, &way)), knows(Freshness::Fresh, &["there"]));
    let later = Text { version: None, edition: 1 };
    assert_eq!(told(&book.report(&other, later, &way)), knows(Freshness::Old, &["there"]));
    book.closed(&file());
    assert_eq!(told(&book.report(&file(), closed, &way)), knows(Freshness::Old, &[]));
    publish(&mut book, Some(1), "of the disk", closed, 0);
    assert_eq!(pushed(&book, closed), knows(Freshness::Likely, &["of the disk"]));
}

#[test]
fn what_failed_is_said_until_it_works() {
    let mut book = Book::default();
    let way = Way::Pull(vec![String::new()]);
    book.failed(&file(), "no".to_owned());
    assert_eq!(book.report(&file(), open(1, 0), &way).failure.as_deref(), Some("no"));
    pull(&mut book, "", open(1, 0), true, json!({"kind": "full", "items": []}));
    assert_eq!(book.report(&file(), open(1, 0), &way).failure, None);
}

#[test]
fn what_cannot_be_read_is_left_out_and_counted() {
    let mut items =
        vec![item(7, "later"), json!(null), json!({"message": "nowhere"}), item(1, "first")];
    items.push(json!({"range": item(0, "")["range"], "message": "odd", "severity": 9}));
    let said = json!({"uri": "file:///a", "diagnostics": items});
    let found = Published::read(said).unwrap().found;
    assert_eq!(
        (found.items, found.left_out),
        (vec![diagnostic(1, "first"), diagnostic(7, "later")], 3)
    );
    let many: Vec<Value> = (0..1500).map(|line| item(line, "x")).collect();
    let found = Published::read(json!({"uri": "file:///a", "diagnostics": many})).unwrap().found;
    assert_eq!((found.items.len(), found.left_out), (MOST_IN_FILE, 500));
    for nonsense in [json!(null), json!([]), json!({"uri": 7}), json!("x")] {
        assert!(Published::read(nonsense.clone()).is_none() && Pulled::read(nonsense).is_none());
    }
}

#[test]
fn a_diagnostic_keeps_all_that_was_said_of_it() {
    let place = json!({"line": 1, "character": 2});
    let said = json!({
        "range": {"start": place, "end": place}, "severity": 2, "code": 2304, "source": "ts",
        "message": "m", "tags": [1], "data": {"fix": [1]},
    });
    let read: Diagnostic = serde_json::from_value(said.clone()).unwrap();
    assert_eq!(read.severity, Severity::Warning);
    assert_eq!(serde_json::to_value(&read).unwrap(), said);
    assert_eq!(diagnostic(0, "unsaid").severity, Severity::Error);
}

#[test]
fn files_are_bounded() {
    let mut book = Book::default();
    for number in 0..MOST_FILES * 2 {
        let said = json!({"uri": format!("file:///{number}"), "diagnostics": [item(0, "x")]});
        book.published(Published::read(said).unwrap(), Text { version: None, edition: 0 }, at(0));
    }
    assert_eq!(book.files().len(), MOST_FILES);
}

type Short = Vec<(u32, String)>;

fn change(before: &[Diagnostic], old: &str, after: &[Diagnostic], new: &str) -> (Short, Short) {
    let Difference { new, fixed } = difference((before, old), (after, new));
    let short = |all: Vec<Diagnostic>| {
        all.into_iter().map(|it| (it.range.start.line, it.message)).collect()
    };
    (short(new), short(fixed))
}

#[test]
fn what_only_moved_is_neither_new_nor_fixed() {
    let before = [diagnostic(0, "a"), diagnostic(1, "b")];
    let after = [diagnostic(2, "a"), diagnostic(3, "b")];
    assert_eq!(change(&before, "one\ntwo\n", &after, "x\ny\none\ntwo\n"), (vec![], vec![]));
    assert_eq!(change(&after, "x\ny\none\ntwo\n", &before, "one\ntwo\n"), (vec![], vec![]));
}

#[test]
fn of_several_that_are_the_same_the_one_on_the_new_line_is_new() {
    let before = [diagnostic(0, "unused"), diagnostic(2, "unused")];
    let after = [diagnostic(0, "unused"), diagnostic(1, "unused"), diagnostic(3, "unused")];
    let (old, new) = ("a\nb\nc\n", "a\nx\nb\nc\n");
    assert_eq!(change(&before, old, &after, new), (vec![(1, "unused".to_owned())], vec![]));
    assert_eq!(change(&after, new, &before, old), (vec![], vec![(1, "unused".to_owned())]));
}

#[test]
fn the_worst_come_first_and_another_word_is_another_thing() {
    let warning = Diagnostic { severity: Severity::Warning, ..diagnostic(0, "w") };
    let after = [warning, diagnostic(5, "e"), diagnostic(2, "e")];
    let before = [diagnostic(1, "gone")];
    let expected = [(2, "e"), (5, "e"), (0, "w")].map(|(line, it)| (line, it.to_owned())).to_vec();
    assert_eq!(change(&before, "", &after, ""), (expected, vec![(1, "gone".to_owned())]));
    let coded = |code: u32| Diagnostic { code: Some(json!(code)), ..diagnostic(0, "m") };
    assert_eq!(difference((&[coded(1)], ""), (&[coded(2)], "")).new, [coded(2)]);
}

#[test]
fn what_stands_before_a_change_on_its_line_stays() {
    let place = |line, character| Position { line, character };
    let on = |line, character| Diagnostic {
        range: Range { start: place(line, character), end: place(line, character) },
        ..diagnostic(0, "m")
    };
    // A line is broken in the middle: one of the two same things moves with what is behind the break.
    let (old, new) = ("ab\n", "a\nb\n");
    let difference =
        difference((&[on(0, 0), on(0, 1)], old), (&[on(0, 0), on(1, 0), on(7, 0)], new));
    assert_eq!((difference.new, difference.fixed), (vec![on(7, 0)], vec![]));
}

#[test]
fn a_list_has_what_is_known_of_an_older_text_and_of_closed_files_only_what_comes_unasked() {
    let mut book = Book::default();
    let pulls = Way::Pull(vec![String::new()]);
    let answer = json!({"kind": "full", "items": [item(1, "asked")]});
    assert!(pull(&mut book, "", open(1, 0), true, answer));
    publish(&mut book, Some(1), "unasked", open(1, 0), 0);
    let list = |book: &Book, text: Text| {
        let items = book.to_list(&file(), text, &pulls);
        items.into_iter().map(|it| it.message).collect::<Vec<String>>()
    };
    assert_eq!(list(&book, open(2, 1)), ["asked", "unasked"]);
    book.closed(&file());
    assert_eq!(list(&book, Text { version: None, edition: 1 }), ["unasked"]);
}

#[test]
fn of_too_many_the_worst_are_kept() {
    let mut items: Vec<Value> = (0..2_000).map(|line| item(line, "hint")).collect();
    for (line, said) in items.iter_mut().enumerate() {
        said["severity"] = json!(if line == 1_999 { 1 } else { 4 });
    }
    let said = json!({"uri": "file:///a", "version": 1, "diagnostics": items});
    let mut book = Book::default();
    book.published(Published::read(said).unwrap(), open(1, 0), at(0));
    let report = book.report(&file(), open(1, 0), &Way::Push);
    let last = report.items.last().map(|it| (it.range.start.line, it.severity));
    assert_eq!((report.items.len(), report.left_out), (MOST_IN_FILE, 1_000));
    assert_eq!(last, Some((1_999, Severity::Error)));
}
