//! What holds for all texts and offsets that bytes can spell.

use pretty_assertions::assert_eq;

use super::*;

const SEEDS: &[&[u8]] = &[
    b"one\ntwo\nthree\n\xffone\n2\nthree\n",
    "é𝄞z\n中文\n".as_bytes(),
    b"\x02\x03\xf0\x9d\x84\x9e\n\xf0\x9d\x84\x9e\n\xff\xf0\x9d\x84\x9e",
    b"\r\n\n\xff\n\r\n\xff",
    b"\0\xffa\n\xf0\x9d\x84\x9e\n\xffb",
];

#[test]
fn the_way_from_any_text_to_any_other_leads_there() {
    openspace_fuzz::hold(SEEDS, |data| {
        let [old, new] = openspace_fuzz::texts(data);
        assert_eq!(apply(&old, &between(&old, &new)), Ok(new.clone()));
        assert_eq!(apply(&new, &between(&new, &old)), Ok(old));
    });
}

#[test]
fn an_offset_names_the_place_that_a_browser_means_or_is_refused() {
    openspace_fuzz::hold(SEEDS, |data| {
        let (numbers, rest) = data.split_at(data.len().min(2));
        let [text, new] = openspace_fuzz::texts(rest);
        let [start, end] = [0, 1].map(|at| usize::from(numbers.get(at).copied().unwrap_or(0)));
        let units: Vec<u16> = text.encode_utf16().collect();
        let expected = (start <= end && end <= units.len())
            .then(|| (String::from_utf16(&units[..start]), String::from_utf16(&units[end..])));
        let made = apply(&text, &[edit(start, end, &new)]);
        match expected {
            Some((Ok(before), Ok(after))) => assert_eq!(made, Ok(format!("{before}{new}{after}"))),
            _ => assert!(made.is_err(), "{made:?}"),
        }
    });
}
