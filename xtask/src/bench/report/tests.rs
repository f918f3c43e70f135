//! Targets are judged and the table shows it.

use super::*;

fn micros(microseconds: u64) -> Duration {
    Duration::from_micros(microseconds)
}

fn times(p50: u64, p99: u64) -> Figure {
    Figure::Times { p50: micros(p50), p99: micros(p99) }
}

fn is_met(ours: Figure, target: Target) -> Option<bool> {
    Row::new("x", ours).beside("theirs", times(300, 900)).target(target).is_met()
}

#[test]
fn a_target_is_met_by_its_limit_and_missed_beyond_it() {
    let within = Target::Within { p50: micros(500), p99: micros(3000) };
    for (ours, target, expected) in [
        (times(500, 3000), within, true),
        (times(501, 3000), within, false),
        (times(500, 3001), within, false),
        (Figure::Time(micros(100)), Target::TimeUpTo(micros(100)), true),
        (times(101, 101), Target::TimeUpTo(micros(100)), false),
        (Figure::Bytes(40), Target::BytesUpTo(40), true),
        (Figure::Bytes(41), Target::BytesUpTo(40), false),
        (Figure::PerSecond(5000.0), Target::PerSecondFrom(5000.0), true),
        (Figure::PerSecond(4999.0), Target::PerSecondFrom(5000.0), false),
        (times(200, 9000), Target::RatioFrom(1.5), true),
        (times(201, 300), Target::RatioFrom(1.5), false),
        (times(330, 9000), Target::TimesBesideUpTo(1.1), true),
        (times(331, 331), Target::TimesBesideUpTo(1.1), false),
        (times(1300, 9000), Target::OverBesideUpTo(micros(1000)), true),
        (times(1301, 1301), Target::OverBesideUpTo(micros(1000)), false),
        (Figure::Bytes(1), Target::TimesBesideUpTo(9.0), false),
        (Figure::Bytes(1), Target::PerSecondFrom(0.0), false),
    ] {
        assert_eq!(is_met(ours, target), Some(expected), "{ours:?} {target:?}");
    }
    assert_eq!(Row::new("x", times(1, 1)).is_met(), None);
}

#[test]
fn the_table_lines_up_and_says_what_was_missed() {
    let mut report = Report::default();
    report.add(Row::new("call", times(213, 1500)).target(Target::TimeUpTo(micros(2000))));
    let slow = Row::new("read a file", times(400, 1000)).beside("theirs", times(300, 900));
    report.add(slow.target(Target::RatioFrom(1.5)));
    report.add(Row::new("memory", Figure::Bytes(3 * 1_048_576)));
    let expected = "\
what         ours (p50 / p99)  beside (p50 / p99)       ratio  target
call         0.213 / 1.500 ms                                  ≤ 2 ms  ok
read a file  0.400 / 1.000 ms  0.300 / 0.900 ms theirs  0.75x  ≥ 1.5x  MISS
memory       3.00 MB
";
    assert_eq!(report.to_string(), expected);
    assert_eq!(report.missed(), 1);
}

#[test]
fn the_json_has_numbers_in_milliseconds_and_bytes() {
    let mut report = Report::default();
    let row = Row::new("call", times(200, 1500)).beside("theirs", Figure::Time(micros(400)));
    report.add(row.target(Target::RatioFrom(1.5)));
    report.add(Row::new("size", Figure::Bytes(7)));
    let expected = json!({"rows": [
        {
            "what": "call",
            "ours": {"p50Ms": 0.2, "p99Ms": 1.5},
            "beside": {"name": "theirs", "figure": {"ms": 0.4}},
            "ratio": 2.0,
            "target": "≥ 1.5x",
            "met": true,
        },
        {
            "what": "size",
            "ours": {"bytes": 7},
            "beside": null,
            "ratio": null,
            "target": null,
            "met": null,
        },
    ]});
    assert_eq!(report.to_json(), expected);
}
