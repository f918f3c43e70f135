//! Sizes by example.

use super::*;

/// The places of the panes as `id x y width height`.
fn places(layout: &Layout) -> Vec<String> {
    let place = |pane: PaneInfo| {
        let Geometry { x, y, width, height } = pane.geometry;
        format!("{} {x} {y} {width} {height}", pane.id)
    };
    layout.panes().into_iter().map(place).collect()
}

#[test]
fn the_bottom_lies_beneath_main_and_the_right_beside_both() {
    let layout = layout([editor("a"), terminal("t1"), chat("c1")]);
    assert_eq!(places(&layout), ["p1 0 0 75 70", "p2 0 70 75 30", "p3 75 0 25 100"]);
}

#[test]
fn a_new_pane_takes_half_of_its_neighbour() {
    let layout = layout([editor("a"), beside("b"), beside("c"), below("d")]);
    let expected = ["p1 0 0 50 100", "p2 50 0 25 100", "p3 75 0 25 50", "p4 75 50 25 50"];
    assert_eq!(places(&layout), expected);
}

#[test]
fn the_others_share_the_room_of_a_closed_pane_in_proportion() {
    let mut layout = layout([editor("a"), beside("b"), beside("c")]);
    layout.close_pane(PaneId(3)).unwrap();
    assert_eq!(places(&layout), ["p1 0 0 66.67 100", "p2 66.67 0 33.33 100"]);
}

#[test]
fn a_resize_gives_exactly_what_was_asked_and_divides_the_rest_in_proportion() {
    let mut layout = layout([editor("a"), beside("b"), beside("c"), below("d")]);
    layout.resize(PaneId(4), Some(40.0), Some(30.0)).unwrap();
    let expected = ["p1 0 0 40 100", "p2 40 0 20 100", "p3 60 0 40 70", "p4 60 70 40 30"];
    assert_eq!(places(&layout), expected);
}

#[test]
fn a_resize_counts_in_percent_of_the_whole_window() {
    let mut layout = layout([editor("a"), beside("b"), chat("c1"), terminal("t1")]);
    layout.resize(PaneId(1), Some(15.0), None).unwrap();
    let expected = ["p1 0 0 15 70", "p2 15 0 60 70", "p4 0 70 75 30", "p3 75 0 25 100"];
    assert_eq!(places(&layout), expected);
}

#[test]
fn a_pane_that_fills_its_area_moves_the_edge_of_the_area() {
    let mut layout = layout([editor("a"), terminal("t1"), chat("c1")]);
    layout.resize(PaneId(1), Some(60.0), Some(50.0)).unwrap();
    assert_eq!(places(&layout), ["p1 0 0 60 50", "p2 0 50 60 50", "p3 60 0 40 100"]);
    layout.resize(PaneId(2), Some(70.0), Some(20.0)).unwrap();
    assert_eq!(places(&layout), ["p1 0 0 70 80", "p2 0 80 70 20", "p3 70 0 30 100"]);
    layout.resize(PaneId(3), Some(10.0), None).unwrap();
    assert_eq!(places(&layout), ["p1 0 0 90 80", "p2 0 80 90 20", "p3 90 0 10 100"]);
}

#[test]
fn an_area_comes_back_in_its_size() {
    let mut layout = layout([terminal("t1")]);
    layout.resize(PaneId(2), None, Some(45.0)).unwrap();
    layout.close_pane(PaneId(2)).unwrap();
    assert_eq!(places(&layout), ["p1 0 0 100 100"]);
    layout.open(terminal("t2")).unwrap();
    assert_eq!(places(&layout), ["p1 0 0 100 55", "p3 0 55 100 45"]);
}

#[test]
fn a_size_that_nothing_can_change_is_refused() {
    let mut single = layout([editor("a")]);
    let message = "the width of p1 cannot change: it fills the window in that direction";
    check_refused(&mut single, |l| l.resize(PaneId(1), Some(50.0), None), message);
    check_refused(&mut single, |l| l.resize(PaneId(1), None, None), "give a width or a height");
    let mut with_chat = layout([chat("c1"), terminal("t1")]);
    let message = "the height of p2 cannot change: it fills the window in that direction";
    check_refused(&mut with_chat, |l| l.resize(PaneId(2), Some(40.0), Some(50.0)), message);
}

#[test]
fn a_size_out_of_reach_is_refused_with_the_range() {
    let mut three = layout([editor("a"), beside("b"), beside("c")]);
    for asked in [0.0, 4.99, 90.5, 100.0, -1.0, f64::NAN, f64::INFINITY] {
        let message = format!("the width of p1 in percent can be 5 to 90, not {asked}");
        check_refused(&mut three, |l| l.resize(PaneId(1), Some(asked), None), &message);
    }
    let mut nested = layout([editor("a"), beside("b"), below("c"), beside("d")]);
    let message = "the width of p3 in percent can be 5 to 47.5, not 60";
    check_refused(&mut nested, |l| l.resize(PaneId(3), Some(60.0), None), message);
    nested.resize(PaneId(3), Some(47.5), None).unwrap();
    nested.resize(PaneId(1), Some(95.0), None).unwrap();
    let message =
        "the width of p3 cannot change: its split has only 5 percent of the window to divide";
    check_refused(&mut nested, |l| l.resize(PaneId(3), Some(5.0), None), message);
}

#[test]
fn siblings_of_a_resized_pane_keep_their_minimum() {
    let mut layout = layout([editor("a"), beside("b"), beside("c")]);
    layout.set_fractions(PaneId(1), PaneId(2), &[60.0, 35.0, 5.0]).unwrap();
    layout.resize(PaneId(1), Some(88.0), None).unwrap();
    assert_eq!(places(&layout), ["p1 0 0 88 100", "p2 88 0 7 100", "p3 95 0 5 100"]);
}

#[test]
fn a_drag_sets_the_split_between_two_panes() {
    let mut layout = layout([editor("a"), beside("b"), below("c"), terminal("t1"), chat("c1")]);
    let fractions = layout.set_fractions(PaneId(1), PaneId(3), &[300.0, 900.0]).unwrap();
    assert_eq!(fractions, [0.25, 0.75]);
    layout.set_fractions(PaneId(3), PaneId(2), &[0.4, 0.6]).unwrap();
    layout.set_fractions(PaneId(1), PaneId(4), &[0.8, 0.2]).unwrap();
    layout.set_fractions(PaneId(5), PaneId(4), &[0.6, 0.4]).unwrap();
    let expected =
        ["p1 0 0 15 80", "p2 15 0 45 32", "p3 15 32 45 48", "p4 0 80 60 20", "p5 60 0 40 100"];
    assert_eq!(places(&layout), expected);
}

#[test]
fn a_drag_below_the_minimum_is_followed_as_far_as_it_goes() {
    let mut layout = layout([editor("a"), beside("b")]);
    let fractions = layout.set_fractions(PaneId(1), PaneId(2), &[1.0, 99.0]).unwrap();
    assert_eq!(fractions, [0.05, 0.95]);
    let message = "two different panes are needed, not p1 twice";
    check_refused(&mut layout, |l| l.set_fractions(PaneId(1), PaneId(1), &[1.0, 1.0]), message);
    let message = "`fractions`: 2 needed, not 3";
    check_refused(&mut layout, |l| l.set_fractions(PaneId(1), PaneId(2), &[1.0; 3]), message);
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let message = format!(
            "each of `fractions` must be more than 0 and less than 1000000000000, not {bad}"
        );
        check_refused(
            &mut layout,
            |l| l.set_fractions(PaneId(1), PaneId(2), &[bad, 1.0]),
            &message,
        );
    }
}
