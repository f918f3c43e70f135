//! What holds for all texts that bytes can spell.

use pretty_assertions::assert_eq;

use super::*;

/// A text, and what two sides made of it.
const SEEDS: &[&[u8]] = &[
    b"a\nb\nc\nd\ne\n\xffA\nb\nc\nd\ne\n\xffa\nb\nc\nd\nE\n",
    b"a\nb\nc\n\xffa\nx\nc\n\xffa\ny\nc\n",
    b"a\nb\nc\n\xffb\nc\n\xffa\nb\nc\nd",
    b"\n\n\na\n\n\n\xff\n\na\n\n\xff\n\n\n\nb\n\n",
    b"\xffone\xfftwo",
    b"a\r\nb\rc\n\xffa\nb\nc\n\xffa\r\nB\r\nc",
];

#[test]
fn no_text_makes_a_merge_lose_a_line_of_either_side() {
    openspace_fuzz::hold(SEEDS, |data| {
        let [base, one, two] = openspace_fuzz::texts(data);
        let both = keep_both(&base, &one, &two);
        for side in [&one, &two] {
            assert!(holds(&both, &written(&base, side)), "{both:?}");
        }
        let mirrored = merge(&base, &two, &one).map(|merged| merged.text);
        match merge(&base, &one, &two) {
            Ok(merged) => {
                assert_eq!(mirrored, Ok(merged.text.clone()));
                assert_eq!(both, merged.text);
                assert_eq!(with_the_others(&base, &merged.own, &two), merged.text);
            }
            Err(clashes) => {
                assert_eq!(mirrored.map_err(|mirrored| mirrored.len()), Err(clashes.len()));
                for clash in clashes {
                    assert!(clash.one.end <= lines(&one).len());
                    assert!(clash.two.end <= lines(&two).len());
                }
            }
        }
    });
}

#[test]
fn no_text_makes_what_is_carried_over_touch_another_line() {
    openspace_fuzz::hold(SEEDS, |data| {
        let [base, text, changed] = openspace_fuzz::texts(data);
        if let Ok(splices) = carry_over(&base, &text, &changed) {
            let ends = splices.iter().map(|splice| splice.old.end);
            let starts = splices.iter().skip(1).map(|splice| splice.old.start);
            assert!(ends.clone().zip(starts).all(|(end, start)| end <= start), "{splices:?}");
            assert!(ends.max().unwrap_or(0) <= lines(&base).len(), "{splices:?}");
        }
        let whole = carry_over(&base, &base, &changed).map(|splices| apply(&base, &splices));
        assert_eq!(whole, Ok(changed));
        let feeds = with_line_feeds(&base);
        let splices = carry_over(&feeds, &feeds, &with_line_feeds(&text)).unwrap();
        assert_eq!(with_line_feeds(&apply_raw(&base, &splices)), with_line_feeds(&text));
    });
}
