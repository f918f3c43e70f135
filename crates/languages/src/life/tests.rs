//! When servers are started again, and which must end.

use pretty_assertions::assert_eq;

use super::*;

fn s(seconds: u64) -> Moment {
    Moment::from_secs(seconds)
}

#[test]
fn a_server_that_crashes_is_started_ever_later_and_then_not() {
    let mut crashes = Crashes::default();
    let again: Vec<Option<Moment>> = (0..5).map(|_| crashes.note(s(10))).collect();
    assert_eq!(again, [Some(s(11)), Some(s(12)), Some(s(14)), Some(s(18)), None]);
    assert_eq!(crashes.note(s(20)), None);
    crashes.forget();
    assert_eq!(crashes.note(s(20)), Some(s(21)));
}

#[test]
fn old_crashes_are_forgotten() {
    let mut crashes = Crashes::default();
    for now in [0, 1, 2, 3] {
        assert!(crashes.note(s(now)).is_some());
    }
    assert_eq!(crashes.note(s(181)), Some(s(185)));
    assert_eq!(crashes.note(s(1000)), Some(s(1001)));
}

/// Memory and last use of each, and which must end.
type Case<'a> = (&'a [(u64, u64)], &'a [(usize, TooMuch)]);

#[test]
fn the_largest_and_then_the_least_used_must_end() {
    let usage = |server, memory, used| Usage {
        server,
        memory: u64::saturating_mul(memory, MIB),
        unused: s(10 - used),
    };
    let limits = Limits { memory_mib: 100, memory_of_all_mib: 150, ..Limits::default() };
    let cases: &[Case<'_>] = &[
        (&[(100, 1), (50, 2)], &[]),
        (&[(101, 9), (50, 2)], &[(0, TooMuch::ByItself)]),
        (&[(90, 3), (90, 1), (60, 2)], &[(1, TooMuch::Together)]),
        (&[(90, 3), (90, 2), (90, 1)], &[(2, TooMuch::Together), (1, TooMuch::Together)]),
        (
            &[(u64::MAX, 1), (u64::MAX, 2), (1, 0)],
            &[(0, TooMuch::ByItself), (1, TooMuch::ByItself)],
        ),
    ];
    for (usages, expected) in cases {
        let usages: Vec<Usage<usize>> = usages
            .iter()
            .enumerate()
            .map(|(it, (memory, used))| usage(it, *memory, *used))
            .collect();
        assert_eq!(over_limits(&limits, &usages), *expected);
    }
}
