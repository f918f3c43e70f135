//! Nobody is measured twice in a row.

use std::cell::RefCell;

use super::*;

#[test]
fn all_warm_up_before_they_take_turns() {
    let order = RefCell::new(String::new());
    let mut next = 0;
    let mut first = || {
        order.borrow_mut().push('a');
        next += 1;
        Ok(Duration::from_secs(next))
    };
    let mut second = || {
        order.borrow_mut().push('b');
        Ok(Duration::ZERO)
    };
    let measured = in_turns(2, 3, [&mut first, &mut second]).unwrap();
    assert_eq!(
        measured,
        [[3, 4, 5], [0, 0, 0]].map(|times| times.map(Duration::from_secs).to_vec())
    );
    assert_eq!(order.into_inner(), "aabbababab");
}

#[test]
fn the_first_failure_ends_it() {
    let mut calls = 0;
    let mut fails = || {
        calls += 1;
        anyhow::bail!("no")
    };
    assert!(in_turns(0, 3, [&mut fails]).is_err());
    assert_eq!(calls, 1);
}
