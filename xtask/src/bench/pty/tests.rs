//! The bare reader reads all there is.

use super::*;

#[test]
fn everything_is_read_up_to_the_last_line() {
    drain("seq 1 20000; echo the end", "the end").unwrap();
    drain("echo end", "end").unwrap();
}

#[test]
fn a_terminal_without_the_last_line_is_an_error() {
    let error = drain("echo other", "end").unwrap_err();
    assert_eq!(error.to_string(), "the terminal did not print `end` at its end");
}
