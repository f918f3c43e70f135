//! Hostile texts: nothing is lost, nothing is invented, and no cut makes a difference.

use pretty_assertions::assert_eq;

use super::{super::Piece, WrittenCommand, pieces};

const SEEDS: &[&[u8]] = &[
    br#"text %%OS{"cmd":"x","args":{}}%% more text"#,
    br#"%%OS{"cmd":"a","args":{"data":"{}\"}%%"}}%%%%OS{"cmd":"b"}%%"#,
    b"%%OS{not json}%% 100%% %%%OS{\"\n\\\"}%%OS{{{",
    b"%%OS{\"cmd\":\"x}%%\n%%OS{}} %%OS{}%",
    "é%%OS{\"cmd\":\"ü\",\"args\":{\"€\":\"𝄞\"}}%%ß".as_bytes(),
];

#[test]
fn no_text_is_read_differently_when_it_comes_letter_by_letter() {
    openspace_fuzz::hold(SEEDS, |data| {
        let text = String::from_utf8_lossy(data);
        let letters = text.char_indices().map(|(at, letter)| &text[at..at + letter.len_utf8()]);
        assert_eq!(pieces(letters), pieces([text.as_ref()]));
    });
}

#[test]
fn every_letter_is_told_as_text_or_belongs_to_a_block() {
    openspace_fuzz::hold(SEEDS, |data| {
        let text = String::from_utf8_lossy(data);
        let mut rest = text.as_ref();
        for piece in pieces([rest]) {
            rest = match &piece {
                Piece::Text(told) => rest.strip_prefix(told.as_str()),
                Piece::Discarded { text, .. } => {
                    assert!(text.starts_with("%%OS{"));
                    rest.strip_prefix(text.as_str())
                }
                Piece::Command(command) => without(rest, command),
            }
            .unwrap_or_else(|| panic!("{piece:?} is not what {rest:?} begins with"));
        }
        assert_eq!(rest, "");
    });
}

/// What follows the block with this command that the text begins with.
fn without<'a>(text: &'a str, command: &WrittenCommand) -> Option<&'a str> {
    let block = text.strip_prefix("%%OS")?;
    let ends = block.match_indices("}%%").map(|(at, _)| at + 1);
    let is_command = |end: &usize| {
        serde_json::from_str::<WrittenCommand>(&block[..*end]).is_ok_and(|read| read == *command)
    };
    ends.into_iter().find(is_command).map(|end| &block[end + 2..])
}
