//! What holds for all texts and edits that bytes can spell.

use super::{patch::patch, *};

/// A text, then what is looked for and what is put there, twice.
const SEEDS: &[&[u8]] = &[
    b"fn one() {\n    let a = 1;\n    two(a);\n}\n\xfflet a = 1;\xfflet a = 2;\xfftwo(a);\xfftwo(a + 1);",
    b"a\r\nb\r\nc\r\n\xffb\xffB\nB\xffc\n\xff",
    b"\tif x:\n\t\treturn \"a\\n\"\n\n\xffif x:\n  return\xffif y:\n  return\xff\\n\xff\n",
    b"\xef\xbb\xbf\xc3\xa9 \xf0\x9d\x84\x9e\n\xc2\xa0\xc3\xa9\n\xff\xc3\xa9\xff\xf0\x9d\x84\x9e\xff\xc2\xa0\xff ",
    b"one\ntwo\nthree\nfour\nfive\n\xffone\n2\n3\nfour\nfive\xff1\n2\n3\n4\n5\xff\n\n\xff\n",
    b"aaaa aaaa\xffaa\xffa\xffa\xffaa",
];

#[test]
fn no_edits_end_in_anything_but_a_true_diff_or_an_error() {
    openspace_fuzz::hold(SEEDS, |data| {
        let [text, old, new, second, third] = openspace_fuzz::texts(data);
        for replace_all in [false, true] {
            let first = Replacement { old: old.clone(), new: new.clone(), replace_all };
            let edits = [first, edit(&second, &third)];
            for edits in [&edits[..1], &edits[..]] {
                let Ok(edited) = run(&text, edits) else { continue };
                assert_eq!(patch(&text, &edited.diff), edited.text);
                assert_eq!(edited.rules.len(), edits.len());
                assert!(edited.replacements >= edits.len() as u64);
            }
        }
    });
}

#[test]
fn an_exact_edit_of_any_text_is_a_plain_replacement() {
    openspace_fuzz::hold(SEEDS, |data| {
        let [text, old, new] = openspace_fuzz::texts(data);
        let has_own_rules = |text: &str| text.contains(['\r', '\u{feff}']);
        if [&text, &old, &new].into_iter().any(|text| has_own_rules(text)) {
            return;
        }
        let Ok(edited) = run(&text, &[edit(&old, &new)]) else { return };
        if edited.rules == [Rule::Exact] {
            assert_eq!(edited.text, text.replacen(&old, &new, 1));
        }
    });
}
