//! Moments in and out.

use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;

const NOW: u64 = 1_700_000_000_000;

#[test]
fn known_moments_are_written_and_read() {
    for (at, text) in [
        (0, "1970-01-01T00:00:00.000Z"),
        (NOW, "2023-11-14T22:13:20.000Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        (1_735_689_599_999, "2024-12-31T23:59:59.999Z"),
    ] {
        assert_eq!(rfc3339(at), text);
        assert_eq!(parse(text, NOW), Some(at));
    }
}

#[test]
fn other_spellings_of_a_moment_are_read() {
    for (text, at) in [
        ("2023-11-14T22:13:20Z", NOW),
        ("2023-11-14t22:13:20z", NOW),
        ("2023-11-14 22:13:20.5Z", NOW + 500),
        ("2023-11-14T22:13:20.123456789Z", NOW + 123),
        ("2023-11-15T00:13:20+02:00", NOW),
        ("2023-11-14T16:43:20-05:30", NOW),
        ("1700000000000", NOW),
        ("0", 0),
        ("30s", NOW - 30_000),
        ("15m", NOW - 900_000),
        ("2h", NOW - 7_200_000),
        ("7d", NOW - 604_800_000),
        ("1w", NOW - 604_800_000),
        ("100000w", 0),
    ] {
        assert_eq!(parse(text, NOW), Some(at), "{text}");
    }
}

#[test]
fn what_is_no_moment_is_refused() {
    for text in [
        "",
        "m",
        "h1",
        "-1h",
        "+1h",
        "1.5h",
        "1 h",
        "yesterday",
        "2023-11-14",
        "2023-11-14T22:13:20",
        "2023-02-29T00:00:00Z",
        "2023-13-01T00:00:00Z",
        "2023-11-14T24:00:00Z",
        "1969-12-31T00:00:00Z",
        "2023-11-14T22:13:20.Z",
        "2023-11-14T22:13:20+2:00",
        "2023-11-14T22:13:20+99:00",
        "日本h",
        "1970-01-01T00:00:00+01:00",
        "99999999999999999999",
        "99999999999999999999d",
        "é",
    ] {
        assert_eq!(parse(text, NOW), None, "{text}");
    }
}

proptest! {
    #[test]
    fn every_moment_is_read_as_it_was_written(at in 0_u64..253_402_300_800_000) {
        prop_assert_eq!(parse(&rfc3339(at), NOW), Some(at));
    }

    #[test]
    fn no_text_is_too_odd(text in any::<String>(), at in any::<u64>()) {
        parse(&text, at);
        rfc3339(at);
    }
}
