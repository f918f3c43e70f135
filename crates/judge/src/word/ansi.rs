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
    let digits = |from: usize, most: usize, base: u32| -> Option<(u32, usize)> {
        let digits: Vec<u32> =
            source[from..].chars().take(most).map_while(|digit| digit.to_digit(base)).collect();
        let value =
            digits.iter().fold(0_u32, |sum, digit| sum.wrapping_mul(base).wrapping_add(*digit));
        (!digits.is_empty()).then_some((value, from + digits.len()))
    };
    let number = match letter {
        'x' => digits(1, 2, 16),
        'u' => digits(1, 4, 16),
        'U' => digits(1, 8, 16),
        '0'..='7' => digits(0, 3, 8),
        _ => None,
    };
    match (letter, number) {
        ('u' | 'U', Some((value, length))) => {
            let letter = char::from_u32(value).unwrap_or('\u{fffd}');
            Some((letter.to_string().into_bytes(), length))
        }
        (_, Some((value, length))) => Some((vec![value.to_le_bytes()[0]], length)),
        ('a', _) => one(7),
        ('b', _) => one(8),
        ('e' | 'E', _) => one(27),
        ('f', _) => one(12),
        ('n', _) => one(10),
        ('r', _) => one(13),
        ('t', _) => one(9),
        ('v', _) => one(11),
        ('\\' | '\'' | '"' | '?', _) => one(u8::try_from(letter).ok()?),
        ('c', _) => {
            let next = source.as_bytes().get(1)?;
            // A letter with control; what is not plain is left to fail as unknown text would.
            next.is_ascii().then(|| (vec![next & 0x1f], 2))
        }
        _ => Some((format!("\\{letter}").into_bytes(), letter.len_utf8())),
    }
}
