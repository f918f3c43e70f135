//! Line endings, the byte order mark and the end of the file stay as they are.

use super::*;

#[test]
fn a_file_with_carriage_returns_keeps_them() {
    let text = "one\r\ntwo\r\nthree\r\n";
    assert_eq!(
        outcome(text, "one\ntwo", "one\nand\ntwo"),
        ("one\r\nand\r\ntwo\r\nthree\r\n".to_owned(), Rule::Exact)
    );
    assert_eq!(outcome(text, "two\r\n", "").0, "one\r\nthree\r\n");
    assert_eq!(outcome(text, "\ntwo", "").0, "one\r\nthree\r\n", "no half of an ending is left");
}

#[test]
fn a_file_without_carriage_returns_gets_none() {
    assert_eq!(
        outcome("one\ntwo\n", "one\r\ntwo", "1\r\n2\r\n"),
        ("1\n2\n\n".to_owned(), Rule::Exact)
    );
}

#[test]
fn a_carriage_return_alone_is_a_character() {
    assert_eq!(outcome("a\rb\nc", "a\rb", "a\rd").0, "a\rd\nc");
    assert_eq!(outcome("a\r\nb\rc\r\n", "b\rc", "d").0, "a\r\nd\r\n");
}

#[test]
fn mixed_endings_stay_with_their_lines() {
    let text = "a\r\nb\nc\r\nd\n";
    assert_eq!(outcome(text, "a\nb\nc\nd", "a\nB\nc\nD").0, "a\r\nB\nc\r\nD\n");
    assert_eq!(outcome(text, "b\nc", "b\nx\ny\nc").0, "a\r\nb\nx\ny\nc\r\nd\n");
    assert_eq!(outcome(text, "c", "c\nx").0, "a\r\nb\nc\r\nx\r\nd\n");
    assert_eq!(outcome(text, "b\n", "").0, "a\r\nc\r\nd\n");
}

#[test]
fn mixed_endings_stay_when_a_loose_rule_matches() {
    assert_eq!(
        outcome(
            "if a {\r\n    b();\n    c();\r\n}\n",
            "if a {\nb();\nc();\n}",
            "if a {\nb();\nd();\n}"
        ),
        ("if a {\r\n    b();\n    d();\r\n}\n".to_owned(), Rule::LineTrimmed)
    );
}

#[test]
fn the_byte_order_mark_stays() {
    let text = "\u{feff}first\nsecond\n";
    assert_eq!(outcome(text, "first", "1st"), ("\u{feff}1st\nsecond\n".to_owned(), Rule::Exact));
    assert_eq!(outcome(text, "\u{feff}first", "1st").0, "\u{feff}1st\nsecond\n");
    assert_eq!(outcome(text, "first", "\u{feff}1st").0, "\u{feff}1st\nsecond\n");
    assert_eq!(refusal(text, "\u{feff}", ""), EditError::EmptyOld { edit: ONLY });
    assert_eq!(
        outcome("\u{feff}a {\r\n\tb\r\n}\r\n", "a {\nb\n}", "a {\nc\n}"),
        ("\u{feff}a {\r\n\tc\r\n}\r\n".to_owned(), Rule::LineTrimmed)
    );
}

#[test]
fn a_last_line_without_newline_stays_so() {
    assert_eq!(outcome("a\nb", "b", "c").0, "a\nc");
    assert_eq!(
        outcome("a\n    b", "b\n", "c\n"),
        ("a\n    c".to_owned(), Rule::LineTrimmed),
        "a newline that is not there is not put there"
    );
    assert_eq!(outcome("a\n    b\nc", "b  \n", "").0, "a\nc", "a line goes with its newline");
    assert_eq!(outcome("a\n    b", "b  \n", "").0, "a\n");
}
