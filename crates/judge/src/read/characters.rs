//! Characters that a person does not see, or that a terminal acts on: a line with one is not read.

use crate::Doubt;

/// Whether characters are in a text that no command line needs.
pub(super) fn odd(text: &str) -> Option<Doubt> {
    let control = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if text.chars().any(control) {
        return Some(Doubt::ControlCharacter);
    }
    text.chars().any(is_hidden).then_some(Doubt::HiddenCharacter)
}

/// Characters without a shape, those that turn the order of others, blanks that are none for a shell, and
/// the marks of `prepare`. What joins and varies pictures is let through: messages are full of them.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{a0}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{1680}'
        | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{2000}'..='\u{200b}'
        | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}'
        | '\u{3000}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{10ffff}')
}
