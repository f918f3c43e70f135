//! The state of a thread is read past any name.

use super::*;

#[test]
fn the_state_stands_after_the_last_bracket() {
    for (stat, expected) in [
        ("1 (bash) R 1 1", true),
        ("1 (bash) D 1 1", true),
        ("1 (bash) S 1 1", false),
        ("1 (a) R (b) S 1 1", false),
        ("1 (a) S (b) R 1 1", true),
        ("", false),
    ] {
        assert_eq!(is_at_work(stat), expected, "{stat}");
    }
}

#[test]
fn whoever_looks_is_at_work() {
    assert!(at_work(std::process::id()).unwrap() >= 1);
}
