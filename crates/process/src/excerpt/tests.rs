//! Head and tail of a long output, whatever the pieces it came in.

use proptest::prelude::*;

use super::Excerpt;
use crate::text::Readable;
use crate::{BUDGET, Captured};

fn excerpt(text: &str, piece: usize) -> Captured {
    let mut excerpt = Excerpt::default();
    let mut rest = text;
    while !rest.is_empty() {
        let (now, later) = rest.split_at(rest.ceil_char_boundary(piece));
        excerpt.push(&Readable::of(now.as_bytes()));
        rest = later;
    }
    excerpt.finish()
}

fn numbered(count: usize) -> String {
    (0..count).fold(String::new(), |text, number| text + &format!("line {number}\n"))
}

/// Splits at the mark and gives what stands before it, what the mark says, and what stands after.
fn around_the_mark(text: &str) -> (&str, usize, usize, &str) {
    let start = text.find('[').unwrap();
    let (mark, tail) = text[start..].split_once('\n').unwrap();
    let numbers: Vec<usize> = mark
        .split(|character: char| !character.is_ascii_digit())
        .filter_map(|word| word.parse().ok())
        .collect();
    (&text[..start], numbers[0], numbers[1], tail)
}

#[test]
fn a_text_of_exactly_the_budget_is_kept_whole() {
    for piece in [1000, 7, BUDGET * 2] {
        let text = "x".repeat(BUDGET);
        let expected = Captured {
            text: text.clone(),
            truncated: false,
            binary: false,
            total_bytes: BUDGET as u64,
            total_lines: 1,
        };
        assert_eq!(excerpt(&text, piece), expected);
    }
}

#[test]
fn a_longer_text_keeps_its_first_and_last_lines_and_says_what_is_missing() {
    let text = numbered(20_000);
    let captured = excerpt(&text, 4096);
    let (head, bytes, lines, tail) = around_the_mark(&captured.text);
    assert!(text.starts_with(head) && text.ends_with(tail));
    assert!(head.ends_with('\n') && tail.starts_with("line "));
    assert!(head.len() > 15_000 && tail.len() > 25_000);
    assert_eq!(bytes, text.len() - head.len() - tail.len());
    assert_eq!(lines, 20_000 - head.lines().count() - tail.lines().count());
    assert!(captured.text.len() <= BUDGET);
    assert_eq!((captured.truncated, captured.total_lines), (true, 20_000));
    assert_eq!(captured.total_bytes, text.len() as u64);
}

#[test]
fn one_endless_line_is_cut_between_characters() {
    let text = "€".repeat(BUDGET);
    let captured = excerpt(&text, 999);
    let (head, bytes, lines, tail) = around_the_mark(&captured.text);
    assert_eq!(head.trim_start_matches('€'), "\n");
    assert_eq!(tail.trim_end_matches('€'), "");
    assert_eq!((bytes, lines), (text.len() - (head.len() - 1) - tail.len(), 0));
    assert!(captured.text.len() <= BUDGET);
    assert_eq!(captured.total_lines, 1);
}

proptest! {
    #[test]
    fn the_size_of_the_pieces_changes_nothing(
        lines in proptest::collection::vec("[aé€😀]{0,400}", 0..300),
        piece in 1_usize..70_000,
    ) {
        let text = lines.join("\n");
        let captured = excerpt(&text, piece);
        prop_assert_eq!(&captured, &excerpt(&text, text.len().max(1)));
        prop_assert!(captured.text.len() <= BUDGET);
        prop_assert_eq!(captured.total_lines, text.lines().count() as u64);
        if text.len() <= BUDGET {
            prop_assert_eq!(captured.text, text);
        }
    }
}
