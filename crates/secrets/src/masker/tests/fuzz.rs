//! What holds whatever is masked, and whatever is known: the laws, for hostile texts and hostile values.

use std::{collections::HashSet, sync::Arc};

use pretty_assertions::assert_eq;

use super::*;
use crate::{places, values_of};

/// No mask is longer, in bytes.
const LONGEST_MASK: usize = 100;

/// A text without the ends of values whose beginning is missing, which a stream cannot know.
fn masked_in_one_piece(masker: &Arc<Masker>, text: &str) -> String {
    let mut stream = Stream::new(Arc::clone(masker));
    let mut told = stream.push(text);
    told.push_str(&stream.finish());
    told
}

/// Three values and a text.
fn check(input: &[u8]) {
    let [text, names, values @ ..] = openspace_fuzz::texts::<5>(input);
    let values = values.map(|value: String| Value::new(&names, value));
    let masker = Arc::new(Masker::new(&values));
    let once = masker.mask(&text);

    assert!(once.text.len() <= text.len() + LONGEST_MASK * once.count);
    assert!(once.count <= text.len() / 6 + 1);
    let again = masker.mask(&once.text);
    assert_eq!((again.text.as_ref(), again.count), (once.text.as_ref(), 0), "twice is once");
    for value in values.iter().map(|value| value.text().trim()).filter(|value| is_taken(value)) {
        for piece in pieces(value) {
            assert!(!once.text.contains(piece), "{piece} is left in {}", once.text);
            let around = format!("{text}{piece}{text}");
            let around = masker.mask(&around);
            assert!(around.count > 0 && !around.text.contains(piece), "{piece} is left");
        }
    }
    let record = masker.mask_record(&text).into_owned();
    assert_eq!(masker.mask_record(&record), record, "a record twice is a record once");

    let in_one = masked_in_one_piece(&masker, &text);
    for size in [1, 3, 64] {
        assert_eq!(streamed(&masker, &text, size).0, in_one, "in pieces of {size}");
    }
}

/// What a value is known by: itself, or as much as is taken at once.
fn pieces(value: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = value;
    while !rest.is_empty() {
        let (piece, more) = rest.split_at(rest.floor_char_boundary(LONGEST));
        pieces.push(piece);
        rest = more;
    }
    pieces.retain(|piece| is_taken(piece));
    pieces
}

#[test]
fn no_known_value_is_left_and_a_stream_does_the_same() {
    openspace_fuzz::hold(
        &[
            b"a swordfish b\xffX of .env\xffswordfish",
            b"wJalrXUtnFEMI/K7MDENG/bPxRfiC wJalrXUt\xffK\xffwJalrXUtnFEMI/K7MDENG/bPxRfiC\xff7MDENG/bPx",
            b"xcuttlefishsk-abcDEF0123456789abcd\xff\xffcuttlefish\xffsk-abcDEF01",
            b"https://me:s3cr3tpw@host eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x\xffA\xffs3cr3tpw@host",
            b"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\n-----END\xffB\xffMIIEvQIBADANBgkq",
            b"abcdefghabcdefgh\xffabcdef of\xffabcdefgh\xffdefghabc\xffefghab",
            b"c3dvcmRmaXNo%20 it's\xff--token -x-token\xffswordfish\xffit's 1\xff\"quoted\"",
            "größer ⟨secret X⟩ 日本語日本語\u{ff}é".as_bytes(),
            b"Bearer abcDEF0123456789abcd uthorization: Basic dXNlcjpwYXNz\xffpw\xffuthorization",
            b"ghp_abcDEF0123456789abcDEF0123456789\xff\xffgithub_pat_x",
        ],
        check,
    );
}

#[test]
fn any_file_can_be_read_for_its_values() {
    let seeds: [&[u8]; 6] = [
        b"A_TOKEN=\"x\\\"y\nz\" # c\nexport B_KEY='abcdef'\n#C_SECRET=`old one`",
        b"{\"token\": \"abcdef\", \"x\": [{\"private_key\": \"-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBgkq\\n\"}]}",
        b"a:\n  password: \"swordfish\"\n- secret = 1\nmachine x password abcdef",
        b"-----BEGIN EC PRIVATE KEY-----\nMIIEvQIBADANBgkq\n-----END EC PRIVATE KEY-----",
        b"URL=postgres://me:s3cr3t%40pw@h/x?token=abcdef#y",
        b"\xef\xbb\xbfX=\xff",
    ];
    openspace_fuzz::hold(&seeds, |bytes| {
        for name in [".env", "credentials.json", "secrets.yaml", "id_rsa"] {
            let values = values_of(name, bytes);
            assert!(values.len() <= crate::MAX_VALUES);
            let mut seen = HashSet::new();
            assert!(values.iter().all(|value| seen.insert(value.text().to_owned())), "each once");
            assert!(values.iter().all(|value| value.text().len() <= bytes.len()));
        }
        // The rules of records see the same.
        let text = String::from_utf8_lossy(bytes);
        let once = places::mask(&text).into_owned();
        assert_eq!(places::mask(&once), once);
    });
}
