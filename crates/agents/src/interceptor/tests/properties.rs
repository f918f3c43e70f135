//! What holds for any text that was made of plain pieces and blocks, and for any way to cut it.

use pretty_assertions::assert_eq;
use proptest::{collection::vec, prelude::*};
use serde_json::Value;

use super::{super::Piece, WrittenCommand, joined, pieces, text};

/// Letters that make a machine of this kind stumble, and others of one to four bytes.
fn anything() -> impl Strategy<Value = String> {
    vec(
        prop_oneof![
            Just('%'),
            Just('O'),
            Just('S'),
            Just('{'),
            Just('}'),
            Just('"'),
            Just('\\'),
            Just('\n'),
            any::<char>()
        ],
        0..80,
    )
    .prop_map(|letters| letters.into_iter().collect())
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![anything().prop_map(Value::from), any::<i64>().prop_map(Value::from)];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            vec((anything(), inner), 0..3).prop_map(Value::from_iter),
        ]
    })
}

/// A piece and how it is written.
fn written() -> impl Strategy<Value = (Piece, String)> {
    let plain = anything().prop_map(|plain| {
        let plain = plain.replace("%%OS{", "").replace('{', "(");
        (text(&plain), plain)
    });
    let command = (anything(), vec((anything(), value()), 0..3)).prop_map(|(cmd, fields)| {
        let command = WrittenCommand { cmd, args: fields.into_iter().collect() };
        let json = serde_json::json!({"cmd": command.cmd, "args": command.args});
        (Piece::Command(command), format!("%%OS{json}%%"))
    });
    prop_oneof![plain, command]
}

/// The text, cut behind these letters.
fn cut<'a>(text: &'a str, cuts: &[usize]) -> Vec<&'a str> {
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| ends[cut % ends.len()]).collect();
    cuts.extend([0, text.len()]);
    cuts.sort_unstable();
    cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

proptest! {
    #[test]
    fn any_cut_of_any_text_gives_the_same(text in anything(), cuts in vec(any::<usize>(), 0..20)) {
        assert_eq!(pieces(cut(&text, &cuts)), pieces([text.as_str()]));
    }

    #[test]
    fn text_between_blocks_is_never_changed(
        written in vec(written(), 0..8), cuts in vec(any::<usize>(), 0..20)
    ) {
        let (expected, source): (Vec<Piece>, Vec<String>) = written.into_iter().unzip();
        let expected: Vec<Piece> = joined(expected);
        let expected = expected.into_iter().filter(|piece| *piece != text("")).collect::<Vec<_>>();
        assert_eq!(pieces(cut(&source.concat(), &cuts)), joined(expected));
    }
}
