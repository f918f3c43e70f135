//! Times as agents write them: `2026-11-18T15:00:00.123Z`.

/// Milliseconds since 1970, if it is such a time.
pub(super) fn milliseconds(text: &str) -> Option<i64> {
    let (date, time) = text.split_once(['T', 't', ' '])?;
    let mut date = date.splitn(3, '-').map(number);
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let zone = time.find(['Z', 'z', '+', '-'])?;
    let (clock, zone) = time.split_at(zone);
    let mut clock = clock.splitn(3, ':');
    let (hour, minute) = (number(clock.next()?)?, number(clock.next()?)?);
    let (second, fraction) = clock.next()?.split_once('.').map_or_else(
        || time[..time.len() - zone.len()].rsplit(':').next().map(|second| (second, "")),
        Some,
    )?;
    let second = number(second)?;
    let fraction: String = fraction.chars().chain("000".chars()).take(3).collect();
    let is_real = (1970..10_000).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    let seconds =
        ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second - offset(zone)?;
    is_real.then_some(seconds * 1000 + number(&fraction)?)
}

/// Seconds that a zone is ahead.
fn offset(zone: &str) -> Option<i64> {
    if zone.eq_ignore_ascii_case("Z") {
        return Some(0);
    }
    let (hours, minutes) = zone[1..].split_once(':')?;
    let seconds = (number(hours)? * 60 + number(minutes)?) * 60;
    Some(if zone.starts_with('-') { -seconds } else { seconds })
}

fn number(digits: &str) -> Option<i64> {
    let is_number =
        !digits.is_empty() && digits.len() <= 4 && digits.bytes().all(|it| it.is_ascii_digit());
    is_number.then(|| digits.parse().ok())?
}

/// Days since 1970. The year begins in March, so that the day that may be missing is its last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 719_469
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::milliseconds;

    #[test]
    fn times_are_read_in_every_usual_form() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2026-11-18T15:32:19.120Z", Some(1_795_015_939_120)),
            ("2026-11-18T15:32:19.1234567Z", Some(1_795_015_939_123)),
            ("2026-11-18T17:32:19+02:00", Some(1_795_015_939_000)),
            ("2024-02-29T23:59:59-01:30", Some(1_709_256_599_000)),
            ("", None),
            ("2026-11-18", None),
            ("2026-13-18T15:32:19Z", None),
            ("2026-11-18T15:32Z", None),
            ("2026-11-18T15:32:19", None),
            ("99999999999999999999-1-1T1:1:1Z", None),
        ] {
            assert_eq!(milliseconds(text), expected, "{text}");
        }
    }
}
