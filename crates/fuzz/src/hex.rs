//! Bytes as text that can be copied into a command line.

use std::fmt::Write as _;

pub(crate) fn write(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing into a String does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

pub(crate) fn read(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text.chars().map(digit).collect();
    let digits = digits.filter(|digits| digits.len().is_multiple_of(2))?;
    Some(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

fn digit(letter: char) -> Option<u8> {
    letter.to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}
