//! Moments as people write them: RFC 3339 in and out, and spans such as `2h` that mean "ago".
//!
//! All in UTC and in milliseconds since 1970. It knows no time zones and no leap seconds.

/// What a moment may look like, for errors.
pub const FORMS: &str = "RFC 3339 such as 2026-03-01T12:00:00Z, a span such as 15m, 2h or 7d \
                         (that long ago), or milliseconds since 1970";

const SECOND: u64 = 1_000;
const DAY: u64 = 24 * 60 * 60 * SECOND;

/// A moment as RFC 3339 in UTC, with milliseconds.
pub fn rfc3339(at: u64) -> String {
    let (year, month, day) = civil(at / DAY);
    let (second, milli) = (at % DAY / SECOND, at % SECOND);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

/// The moment that a text means; `None` when it means none.
pub fn parse(text: &str, now: u64) -> Option<u64> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok();
    }
    span(text).map(|ago| now.saturating_sub(ago)).or_else(|| moment(text))
}

fn span(text: &str) -> Option<u64> {
    let unit = match text.as_bytes().last()? {
        b's' => SECOND,
        b'm' => 60 * SECOND,
        b'h' => 60 * 60 * SECOND,
        b'd' => DAY,
        b'w' => 7 * DAY,
        _ => return None,
    };
    number(&text[..text.len() - 1])?.checked_mul(unit)
}

/// Digits alone: a sign would be understood by `str::parse`.
fn number(digits: &str) -> Option<u64> {
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

fn moment(text: &str) -> Option<u64> {
    let part = |from: usize, to: usize| number(text.get(from..to)?);
    let mark = |at: usize, marks: &[u8]| text.as_bytes().get(at).is_some_and(|b| marks.contains(b));
    let marked =
        mark(4, b"-") && mark(7, b"-") && mark(10, b"Tt ") && mark(13, b":") && mark(16, b":");
    let (year, month, day) = (part(0, 4)?, part(5, 7)?, part(8, 10)?);
    let (hour, minute, second) = (part(11, 13)?, part(14, 16)?, part(17, 19)?);
    let in_range = (1970..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=days_in(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    if !(marked && in_range) {
        return None;
    }
    let (milli, zone) = fraction(text.get(19..)?)?;
    let clock = (hour * 3600 + minute * 60 + second) * SECOND + milli;
    let at = (days(year, month, day) * DAY + clock).checked_add_signed(-offset(zone)?)?;
    Some(at)
}

/// Milliseconds of a fraction, if there is one, and what follows it.
fn fraction(rest: &str) -> Option<(u64, &str)> {
    let Some(rest) = rest.strip_prefix('.') else { return Some((0, rest)) };
    let end = rest.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
    let digits: String = rest[..end].chars().chain("000".chars()).take(3).collect();
    if end == 0 { None } else { Some((number(&digits)?, &rest[end..])) }
}

/// Milliseconds that a zone is ahead of UTC.
fn offset(zone: &str) -> Option<i64> {
    if zone.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let sign = match zone.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes) = zone.get(1..)?.split_once(':')?;
    if hours.len() != 2 || minutes.len() != 2 {
        return None;
    }
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    let ahead = i64::try_from((hours * 60 + minutes) * 60 * SECOND).ok()?;
    (hours < 24 && minutes < 60).then_some(sign * ahead)
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400)
}

fn days_in(year: u64, month: u64) -> u64 {
    match month {
        2 => 28 + u64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970 to the first day of a year.
fn days_before(year: u64) -> u64 {
    let leaps = |year: u64| year / 4 - year / 100 + year / 400;
    (year - 1970) * 365 + leaps(year - 1) - leaps(1969)
}

fn days(year: u64, month: u64, day: u64) -> u64 {
    days_before(year) + (1..month).map(|month| days_in(year, month)).sum::<u64>() + day - 1
}

/// Year, month and day of a number of days since 1970.
fn civil(days: u64) -> (u64, u64, u64) {
    // 146 097 days are 400 years; the guess is at most one year too late.
    let mut year = 1970 + days * 400 / 146_097;
    while days_before(year) > days {
        year -= 1;
    }
    while days_before(year + 1) <= days {
        year += 1;
    }
    let (mut month, mut day) = (1, days - days_before(year));
    while day >= days_in(year, month) {
        day -= days_in(year, month);
        month += 1;
    }
    (year, month, day + 1)
}

#[cfg(test)]
mod tests;
