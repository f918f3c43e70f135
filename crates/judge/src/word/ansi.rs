//! `$'…'`: text with escapes as in C.

/// The text, and how many bytes of `source` it took with the closing quote. Nothing when it is not closed.
pub(super) fn decode(source: &str) -> Option<(String, usize)> {
    let bytes = source.as_bytes();
    let mut out: Vec<u8> = Vec::new();
    let mut at = 0;
    // The shell's strings end at a zero byte: what comes after it in these quotes is not there.
    let mut ended = false;
    loop {
        match bytes.get(at)? {
            b'\'' => break,
            b'\\' => {
                let (decoded, length) = escape(&source[at + 1..])?;
                at += 1 + length;
                ended |= decoded == [0];
                if !ended {
                    out.extend(decoded);
                }
            }
            byte => {
                if !ended {
                    out.push(*byte);
                }
                at += 1;
            }
        }
    }
    Some((String::from_utf8_lossy(&out).into_owned(), at + 1))
}

/// What stands behind a backslash, and how many bytes it takes.
fn escape(source: &str) -> Option<(Vec<u8>, usize)> {
    let letter = source.chars().next()?;
    let one = |byte: u8| Some((vec![byte], 1));
    match letter {
        'a' => one(7),
        'b' => one(8),
        'e' | 'E' => one(27),
        'f' => one(12),
        'n' => one(10),
        'r' => one(13),
        't' => one(9),
        'v' => one(11),
        '\\' | '\'' | '"' | '?' => one(u8::try_from(letter).ok()?),
        'x' => number(source, 1, 2, 16)
            .map_or_else(|| kept(letter), |(value, length)| byte(value, length)),
        'u' => number(source, 1, 4, 16)
            .map_or_else(|| kept(letter), |(value, length)| character(value, length)),
        'U' => number(source, 1, 8, 16)
            .map_or_else(|| kept(letter), |(value, length)| character(value, length)),
        '0'..='7' => number(source, 0, 3, 8).and_then(|(value, length)| byte(value, length)),
        'c' => {
            let next = source.as_bytes().get(1)?;
            // A letter with control; what is not plain is left to fail as unknown text would.
            next.is_ascii().then(|| (vec![next & 0x1f], 2))
        }
        _ => kept(letter),
    }
}

fn kept(letter: char) -> Option<(Vec<u8>, usize)> {
    let mut text = vec![b'\\'];
    let mut buffer = [0; 4];
    text.extend(letter.encode_utf8(&mut buffer).as_bytes());
    Some((text, letter.len_utf8()))
}

fn byte(value: u32, length: usize) -> Option<(Vec<u8>, usize)> {
    Some((vec![u8::try_from(value & 0xff).ok()?], length))
}

fn character(value: u32, length: usize) -> Option<(Vec<u8>, usize)> {
    let letter = char::from_u32(value).unwrap_or('\u{fffd}');
    let mut buffer = [0; 4];
    Some((letter.encode_utf8(&mut buffer).as_bytes().to_vec(), length))
}

/// A number of at most `most` digits from `from` on, and where it ends.
fn number(source: &str, from: usize, most: usize, base: u32) -> Option<(u32, usize)> {
    let digits: Vec<u32> =
        source[from..].chars().take(most).map_while(|letter| letter.to_digit(base)).collect();
    if digits.is_empty() {
        return None;
    }
    let value =
        digits.iter().fold(0_u32, |value, digit| value.wrapping_mul(base).wrapping_add(*digit));
    Some((value, from + digits.len()))
}
