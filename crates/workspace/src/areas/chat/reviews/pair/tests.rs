//! Two texts and a third: what is the session's, what is somebody else's, and what stays reviewed.

use pretty_assertions::assert_eq;

use super::{
    HunkState::{Changed, Gone, Made},
    *,
};

const BASE: &str = "a\nb\nc\nd\ne\nf\ng\n";
const MADE: &str = "a\nB\nc\nd\ne\nF\ng\n";

fn pair(before: &str, after: &str) -> Pair {
    Pair::new(Some(before.into()), Some(after.into()))
}

/// The changes as `old>new`, and how they stand.
fn standing(pair: &Pair, now: Option<&str>) -> Vec<(String, HunkState, Range<usize>)> {
    let one = |it: Standing| {
        let (old, new) = pair.texts(&it.change);
        (format!("{old}>{new}"), it.state, it.now)
    };
    pair.standing(now).into_iter().map(one).collect()
}

fn review(pair: &mut Pair, index: usize) {
    let id = pair.changes()[index].id.clone();
    pair.reviewed.insert(id);
}

#[test]
fn changes_are_found_where_they_are_now() {
    let pair = pair(BASE, MADE);
    let made = |text: &str, state, now| (text.to_owned(), state, now);
    assert_eq!(standing(&pair, Some(MADE)), [made("b>B", Made, 1..2), made("f>F", Made, 5..6)]);
    let with_more = format!("new\nlines\n{MADE}");
    let moved = [made("b>B", Made, 3..4), made("f>F", Made, 7..8)];
    assert_eq!(standing(&pair, Some(&with_more)), moved);
    let touched = "a\nB2\nc\nd\ne\nf\ng\n";
    let touched = standing(&pair, Some(touched));
    assert_eq!(touched, [made("b>B", Changed, 1..2), made("f>F", Gone, 5..6)]);
    assert_eq!(standing(&pair, None)[0].1, Changed);
}

#[test]
fn what_others_change_is_no_change_of_the_session() {
    let first = pair(BASE, MADE);
    let others = "0\na\nB\nc\nd!\ne\nF\ng\n";
    let after = "0\na\nB\nc\nd!\ne\nF\nG\n";
    let second = first.changed(Some(others), Some(after));
    assert_eq!(second.base.as_deref(), Some("0\na\nb\nc\nd!\ne\nf\ng\n"));
    let told: Vec<String> = standing(&second, Some(after)).into_iter().map(|it| it.0).collect();
    assert_eq!(told, ["b>B", "f\ng>F\nG"]);
}

#[test]
fn what_was_reviewed_stays_so_until_the_session_changes_it() {
    let mut first = pair(BASE, MADE);
    review(&mut first, 0);
    review(&mut first, 1);
    let reviewed = |pair: &Pair, now: &str| -> Vec<bool> {
        pair.standing(Some(now)).into_iter().map(|it| it.is_reviewed).collect()
    };
    // Somebody else changes a reviewed line, and the session another one.
    let others = "a\nB mine\nc\nd\ne\nF\ng\n";
    let after = "a\nB mine\nc\nd\ne\nF2\ng\n";
    let second = first.changed(Some(others), Some(after));
    assert_eq!(reviewed(&second, after), [true, false]);
    let mut third = second.clone();
    review(&mut third, 1);
    assert_eq!(reviewed(&third.changed(Some(after), Some(after)), after), [true, true]);
}

#[test]
fn the_same_lines_at_two_places_are_two_changes() {
    let pair = pair("a\nx\nb\nx\nc\n", "a\ny\nb\ny\nc\n");
    let ids = pair.ids();
    assert_eq!(ids.len(), 2);
}

#[test]
fn changes_are_taken_out_of_the_text_as_it_is_now() {
    let pair = pair(BASE, MADE);
    let now = "new\r\na\r\nB\r\nc\r\nd\r\ne\r\nF\r\ng\r\n";
    let plain = merge::with_line_feeds(now);
    let all = pair.standing(Some(&plain));
    let out = pair.taken_out(now, &[&all[0]]).unwrap();
    assert_eq!(merge::with_line_feeds(&out), "new\na\nb\nc\nd\ne\nF\ng\n");
    let left = pair.without(&BTreeSet::from([all[0].change.id.clone()]));
    assert_eq!(
        (left.base.as_deref(), left.made.as_deref()),
        (Some(BASE), Some("a\nb\nc\nd\ne\nF\ng\n"))
    );
}

#[test]
fn a_file_that_came_or_went_is_one_change() {
    let came = Pair::new(None, Some(String::new()));
    assert_eq!(came.changes().len(), 1);
    let went = Pair::new(Some("a\n".into()), None);
    let here = standing(&went, None);
    assert_eq!((here.len(), here[0].1), (1, Made));
    assert_eq!(standing(&went, Some("a\n"))[0].1, Gone);
    let ids = came.ids();
    assert_eq!(came.without(&ids), Pair::default());
    assert_eq!(went.without(&went.ids()).made.as_deref(), Some("a\n"));
    // Somebody deleted what the session made: nothing of it is left.
    assert_eq!(came.followed(None), Pair::default());
}
