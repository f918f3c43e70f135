//! Merging: what two sides changed apart from each other is all there, and nothing typed vanishes.

use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;

mod fuzz;

fn check(base: &str, one: &str, two: &str, expected: Option<&str>) {
    let merged = merge(base, one, two).ok().map(|merged| merged.text);
    assert_eq!(merged.as_deref(), expected, "{base:?} {one:?} {two:?}");
    let mirrored = merge(base, two, one).ok().map(|merged| merged.text);
    assert_eq!(mirrored, merged, "the order of the sides makes no difference");
}

#[test]
fn changes_of_different_lines_go_together() {
    check("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", Some("A\nb\nC\n"));
    check("a\nb\nc\n", "A\nb\nc\n", "a\nB\nc\n", Some("A\nB\nc\n"));
    check("a\nb\nc\n", "a\nx\nb\nc\n", "a\nB\nc\n", Some("a\nx\nB\nc\n"));
    check("a\nb\nc\n", "b\nc\n", "a\nb\nc\nd\n", Some("b\nc\nd\n"));
    check("a\nb", "a\nb\nc", "a\nB", Some("a\nB\nc"));
}

#[test]
fn changes_of_the_same_lines_clash_unless_they_are_the_same() {
    check("a\nb\nc\n", "a\nx\nc\n", "a\ny\nc\n", None);
    check("a\nb\nc\n", "a\nx\nb\nc\n", "a\ny\nb\nc\n", None);
    check("a\nb\nc\n", "a\nc\n", "a\nB\nc\n", None);
    check("a\nb\nc\n", "a\nx\nc\n", "a\nx\nc\n", Some("a\nx\nc\n"));
    check("a\nb\nc\nd\n", "a\nx\nc\nD\n", "a\nx\nc\nd\n", Some("a\nx\nc\nD\n"));
}

#[test]
fn a_line_without_an_end_never_runs_into_the_next() {
    check("a\nb\n", "a\nb", "a\nb\nc", None);
    check("a", "a\nb", "a\nc", None);
    check("", "a", "", Some("a"));
    check("a\n", "a", "x\na\n", Some("x\na"));
}

#[test]
fn a_clash_names_the_lines_of_both_sides() {
    let clashes = merge("a\nb\nc\nd\n", "0\na\nx\ny\nc\nd\n", "a\nz\nc\nD\n").unwrap_err();
    assert_eq!(clashes, [Clash { one: 2..4, two: 1..2 }]);
}

#[test]
fn only_what_the_first_side_changed_alone_is_its_own() {
    let merged = merge("a\nb\nc\nd\ne\n", "A\nb\nC\nd\ne\n", "a\nb\nC\nd\nE\n").unwrap();
    assert_eq!(merged.text, "A\nb\nC\nd\nE\n");
    assert_eq!(merged.own, [Splice { old: 0..1, new: vec!["A".into()] }]);
}

#[test]
fn where_both_wrote_both_are_kept_in_order() {
    assert_eq!(keep_both("a\nb\nc\n", "a\nx\nc\n", "a\ny\nc\n"), "a\nx\ny\nc\n");
    assert_eq!(keep_both("a\nb\nc\n", "a\nc\n", "a\nB\nc\n"), "a\nB\nc\n");
    assert_eq!(keep_both("", "one", "two"), "one\ntwo");
}

#[test]
fn a_change_beside_other_changes_is_carried_over() {
    let over = |base: &str, text: &str, changed: &str| {
        carry_over(base, text, changed).map(|splices| apply(base, &splices))
    };
    assert_eq!(over("a\nb\nc\n", "a\nmine\nb\nc\n", "a\nmine\nb\nC\n").unwrap(), "a\nb\nC\n");
    assert_eq!(over("a\nb\nc\n", "a\nB\nc\n", "a\nB\nx\nc\n").unwrap(), "a\nb\nx\nc\n");
    assert_eq!(over("a\nc\n", "a\nmine\nc\n", "a\nmine\nx\nc\n").unwrap(), "a\nx\nc\n");
    assert_eq!(over("a\n", "a\nmine\n", "a\nmine\nx\n").unwrap(), "a\nx\n");
    let touched = carry_over("a\nb\nc\n", "a\nmine\nc\n", "a\nyours\nc\n").unwrap_err();
    assert_eq!(touched, [Clash { one: 1..2, two: 1..2 }]);
    let across = carry_over("a\nb\nc\nd\n", "a\nc\nd\n", "x\nd\n").unwrap_err();
    assert_eq!(across, [Clash { one: 0..1, two: 1..1 }]);
}

#[test]
fn lines_that_stay_keep_their_ends() {
    let raw = "a\r\nb\nc\rd";
    assert_eq!(with_line_feeds(raw), "a\nb\nc\nd");
    let splices = [
        Splice { old: 1..2, new: vec!["B".into(), "x".into()] },
        Splice { old: 4..4, new: vec!["end".into()] },
    ];
    assert_eq!(apply_raw(raw, &splices), "a\r\nB\nx\nc\rd\nend");
    assert_eq!(apply_raw("a\r\nb\r\n", &[Splice { old: 1..3, new: Vec::new() }]), "a");
}

/// Texts of a few short lines, so that equal lines are common.
fn text() -> impl Strategy<Value = String> {
    "([ab]{0,2}\n){0,6}[ab]{0,2}"
}

/// A text, and two more that are made from it by changing some of its lines.
fn family() -> impl Strategy<Value = (String, String, String)> {
    let line = "[a-e]{0,2}";
    let side = || prop::collection::vec((0..8_usize, 0..3_u8, line), 0..3);
    (prop::collection::vec(line, 1..8), side(), side()).prop_map(|(base, one, two)| {
        let make = |changes: Vec<(usize, u8, String)>| {
            let mut lines = base.clone();
            for (at, how, new) in changes {
                let at = at % lines.len();
                match how {
                    0 => lines.insert(at, new),
                    1 => lines[at] = new,
                    _ if lines.len() > 1 => drop(lines.remove(at)),
                    _ => {}
                }
            }
            lines.join("\n")
        };
        (base.join("\n"), make(one), make(two))
    })
}

/// The lines that one text has and another has not, however often.
fn written(base: &str, side: &str) -> Vec<String> {
    let (base, side) = (lines(base), lines(side));
    hunks(&base, &side).iter().flat_map(|hunk| owned(&side[hunk.new.clone()])).collect()
}

/// Whether all these lines stand in a text, in this order.
fn holds(text: &str, wanted: &[String]) -> bool {
    let mut rest = lines(text).into_iter();
    wanted.iter().all(|line| rest.any(|found| found == line))
}

/// The first side's own changes and all of the second side's, made in one go.
fn with_the_others(base: &str, own: &[Splice], two: &str) -> String {
    let new = lines(two);
    let others = hunks(&lines(base), &new)
        .into_iter()
        .map(|hunk| Splice { old: hunk.old, new: owned(&new[hunk.new]) });
    let mut all: Vec<Splice> = own.iter().cloned().chain(others).collect();
    all.sort_by_key(|splice| (splice.old.start, splice.old.end));
    assert!(all.windows(2).all(|pair| pair[0].old.end <= pair[1].old.start), "{all:?}");
    apply(base, &all)
}

proptest! {
    #[test]
    fn a_side_that_changed_nothing_changes_nothing(base in text(), side in text()) {
        let whole = |merged: Merged| merged.text;
        prop_assert_eq!(merge(&base, &side, &base).map(whole), Ok(side.clone()));
        prop_assert_eq!(merge(&base, &base, &side).map(whole), Ok(side.clone()));
        prop_assert_eq!(merge(&base, &side, &side).map(whole), Ok(side.clone()));
        prop_assert_eq!(keep_both(&base, &side, &base), side.clone());
        prop_assert_eq!(keep_both(&base, &base, &side), side);
    }

    #[test]
    fn sides_clash_exactly_when_they_change_the_same_lines((base, one, two) in family()) {
        let merged = merge(&base, &one, &two);
        let mirrored = merge(&base, &two, &one);
        prop_assert_eq!(merged.is_ok(), mirrored.is_ok());
        let (a, b) = (hunks(&lines(&base), &lines(&one)), hunks(&lines(&base), &lines(&two)));
        let overlaps = a.iter().any(|a| b.iter().any(|b| overlap(&a.old, &b.old)));
        if !overlaps {
            prop_assert!(merged.is_ok());
        }
        if let (Ok(merged), Ok(mirrored)) = (&merged, &mirrored) {
            prop_assert_eq!(&merged.text, &mirrored.text);
            prop_assert_eq!(keep_both(&base, &one, &two), merged.text.clone());
        } else {
            prop_assert!(overlaps);
        }
    }

    #[test]
    fn nothing_that_was_written_vanishes((base, one, two) in family()) {
        let both = keep_both(&base, &one, &two);
        prop_assert!(holds(&both, &written(&base, &one)), "{both:?}");
        prop_assert!(holds(&both, &written(&base, &two)), "{both:?}");
        if let Ok(merged) = merge(&base, &one, &two) {
            prop_assert!(holds(&merged.text, &written(&base, &one)));
            prop_assert!(holds(&merged.text, &written(&base, &two)));
        }
    }

    #[test]
    fn own_changes_and_those_of_the_other_side_make_the_whole((base, one, two) in family()) {
        if let Ok(merged) = merge(&base, &one, &two) {
            prop_assert_eq!(with_the_others(&base, &merged.own, &two), merged.text);
        }
    }

    #[test]
    fn what_is_carried_over_leaves_the_rest_alone((base, text, changed) in family()) {
        if let Ok(splices) = carry_over(&base, &text, &changed) {
            let mut at = 0;
            for splice in &splices {
                prop_assert!(splice.old.start >= at && splice.old.end <= lines(&base).len());
                at = splice.old.end;
            }
            let new_base = apply(&base, &splices);
            let growth = lines(&changed).len().cast_signed() - lines(&text).len().cast_signed();
            let grown = lines(&base).len().saturating_add_signed(growth);
            prop_assert_eq!(lines(&new_base).len(), grown.max(1));
        }
        prop_assert_eq!(carry_over(&base, &text, &text), Ok(Vec::new()));
        let whole = carry_over(&base, &base, &changed).map(|splices| apply(&base, &splices));
        prop_assert_eq!(whole, Ok(changed));
    }

    #[test]
    fn a_raw_text_changes_like_one_with_line_feeds(raw in "([ab]{0,1}(\r\n|\r|\n)){0,5}[ab]{0,1}", new in text()) {
        let text = with_line_feeds(&raw);
        let splices = carry_over(&text, &text, &new).unwrap();
        prop_assert_eq!(with_line_feeds(&apply_raw(&raw, &splices)), new);
    }
}
