//! Lines that were made to hurt: everything ends, and soon.

use super::judged;
use crate::{Doubt, MAX_LINE_BYTES};

fn cut(mut line: String) -> String {
    line.truncate(MAX_LINE_BYTES);
    line
}

#[test]
fn a_line_that_is_too_long_is_not_read() {
    let longest = format!("cat > x <<E\n{}\nE", "a".repeat(MAX_LINE_BYTES - 15));
    assert_eq!((longest.len(), judged(&longest).doubts), (MAX_LINE_BYTES - 1, vec![]));
    assert_eq!(judged(&format!("{longest}\n\n")).doubts, [Doubt::TooLong]);
    assert_eq!(judged(&format!("echo {}", "a".repeat(10_000))).doubts, []);
    assert_eq!(judged(&format!("echo {}", "a".repeat(20_000))).doubts, [Doubt::TooLong]);
}

#[test]
fn nesting_has_an_end() {
    let nested =
        |open: &str, close: &str| format!("{}a{}", open.repeat(5_000), close.repeat(5_000));
    for (open, close) in [
        ("(", ")"),
        ("$(", ")"),
        ("{ ", "; }"),
        ("${x:-", "}"),
        ("$((", "))"),
        ("\"$(", ")\""),
        ("<(", ")"),
        ("if a; then ", "; fi"),
        ("! ", ""),
        ("a && ", ""),
        ("case x in ", ""),
        ("[[ ", ""),
        ("while a; do ", ""),
    ] {
        assert!(!judged(&cut(nested(open, close))).doubts.is_empty(), "{open}");
    }
    assert_eq!(judged(&nested("(", ")")).doubts, [Doubt::TooDeep]);
}

#[test]
fn what_is_inside_what_is_inside_has_an_end() {
    for inside in ["env ", "sudo ", "eval ", "xargs ", "nohup ", "time ", "timeout 1 "] {
        let line = format!("{}rm -rf x", inside.repeat(1_000));
        assert!(judged(&cut(line)).doubts.contains(&Doubt::TooMuch), "{inside}");
    }
    // One text, read again by each of many shells.
    let line = format!("{{ {} }} <<E\n{}E\n", "bash;".repeat(400), "ls\n".repeat(15_000));
    assert!(judged(&line).doubts.contains(&Doubt::TooMuch));
}

#[test]
fn many_commands_have_an_end() {
    for one in ["a;", "a|", "a\n", "$(a) ", "`a` ", "cat <<E\nE\n", "f() { a; };"] {
        let judged = judged(&cut(one.repeat(20_000)));
        assert!(judged.parts.len() <= 500, "{one}");
        assert!(!judged.doubts.is_empty(), "{one}");
    }
}

#[test]
fn rows_of_one_sign_are_read_or_doubted() {
    for sign in "\"'`$(){}[]<>|&;#\\!*?~=-+@%^:,./ \n\ta0é".chars() {
        for length in [1, 2, 3, 100, 20_000] {
            let judged = judged(&sign.to_string().repeat(length));
            assert!(judged.parts.len() <= 500);
        }
    }
}
