//! The middle line can only be known when all lines are equally long.

use super::*;

#[test]
fn every_line_has_the_same_length() {
    for number in [1, 99, HUGE_LINES / 2, HUGE_LINES] {
        assert_eq!(line(number).len() as u64, LINE_BYTES, "{number}");
    }
}

#[test]
fn no_line_is_part_of_another_one() {
    assert!(!line(12).contains(&line(2)));
}
