//! The same failing call, again and again: advice first, then a stop.
//!
//! A model that gets the same error for the same arguments seldom thinks of something else by itself.
//! At the third failure the hint says so; after the sixth the call is not run any more until the caller
//! has done something else that worked, or some time has passed, and then it has one more try. Only
//! agents are stopped: people try again on purpose, and scripts wait that way for something to be there.

use std::{
    collections::VecDeque,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    time::Duration,
};

use openspace_protocol::ErrorKind;
use serde_json::{Map, Value};
use tokio::time::Instant;

use crate::{Caller, CallerKind, Error, Result};

/// From this failure on the hint says that another try will not help.
pub(crate) const ADVISED_AT: u32 = 3;
/// After so many failures the call is not run any more.
pub(crate) const STOPPED_AFTER: u32 = 6;
/// A call that is stopped has another try after this time.
pub(crate) const STOPPED_FOR: Duration = Duration::from_mins(1);
/// A failure this old is forgotten.
const FORGOTTEN_AFTER: Duration = Duration::from_mins(10);
/// Failing calls remembered for each caller.
const MOST: usize = 20;

/// Which call it is: the command and its arguments, in any order. Nothing of them is kept.
pub(crate) fn digest(
    caller: &Caller,
    command: &str,
    arguments: &Map<String, Value>,
) -> Option<u64> {
    (caller.kind == CallerKind::Agent).then(|| {
        let mut hasher = DefaultHasher::new();
        command.hash(&mut hasher);
        of_map(arguments).hash(&mut hasher);
        hasher.finish()
    })
}

fn of_map(map: &Map<String, Value>) -> u64 {
    let one = |(name, value): (&String, &Value)| {
        let mut hasher = DefaultHasher::new();
        (name, of(value)).hash(&mut hasher);
        hasher.finish()
    };
    map.iter().map(one).fold(map.len() as u64, u64::wrapping_add)
}

fn of(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    match value {
        Value::Null => 0.hash(&mut hasher),
        Value::Bool(truth) => (1, truth).hash(&mut hasher),
        Value::Number(number) => (2, number).hash(&mut hasher),
        Value::String(text) => (3, text).hash(&mut hasher),
        Value::Array(items) => {
            (4, items.len()).hash(&mut hasher);
            for item in items {
                of(item).hash(&mut hasher);
            }
        }
        Value::Object(map) => (5, of_map(map)).hash(&mut hasher),
    }
    hasher.finish()
}

/// Whether a failure says something about the call: not when it only came at a bad time, when somebody
/// has yet to answer, or when what became of it is not known.
fn counts(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::InvalidArgs
            | ErrorKind::NotFound
            | ErrorKind::Conflict
            | ErrorKind::Denied
            | ErrorKind::Policy
            | ErrorKind::Unsupported
            | ErrorKind::TimedOut
            | ErrorKind::Internal
    )
}

struct Failing {
    call: u64,
    kind: ErrorKind,
    times: u32,
    last: Instant,
    why: String,
    /// Something else worked since, or a try was given away.
    may_try: bool,
}

/// The failing calls of one caller, oldest first.
#[derive(Default)]
pub(crate) struct Repeats(VecDeque<Failing>);

impl Repeats {
    /// Refuse a call that has failed too often.
    pub(crate) fn check(&mut self, call: u64, now: Instant) -> Result<()> {
        let Some(failing) = self.0.iter_mut().find(|failing| failing.call == call) else {
            return Ok(());
        };
        let since = now.duration_since(failing.last);
        if failing.times < STOPPED_AFTER || failing.may_try || since >= STOPPED_FOR {
            return Ok(());
        }
        let left = (STOPPED_FOR.saturating_sub(since)).as_secs_f64().ceil();
        let Failing { times, why, .. } = failing;
        let message =
            format!("this call failed {times} times in the same way and is stopped: {why}");
        Err(Error::new(ErrorKind::Limit, message).hint(format!(
            "do something else first: it has another try when one of your other calls succeeded, or in {left:.0} s; if you do not know what to change, ask the person"
        )))
    }

    /// A call failed: the error with advice, if it did so before.
    pub(crate) fn failed(&mut self, call: u64, error: Error, now: Instant) -> Error {
        self.0.retain(|failing| now.duration_since(failing.last) < FORGOTTEN_AFTER);
        if !counts(error.kind) {
            return error;
        }
        let before = self.0.iter().position(|failing| failing.call == call);
        let before = before.and_then(|index| self.0.remove(index));
        let times =
            before.filter(|before| before.kind == error.kind).map_or(0, |before| before.times);
        let times = times + 1;
        while self.0.len() >= MOST {
            self.0.pop_front();
        }
        let (kind, why) = (error.kind, error.message.clone());
        self.0.push_back(Failing { call, kind, times, last: now, why, may_try: false });
        if times < ADVISED_AT {
            return error;
        }
        let then = match STOPPED_AFTER.saturating_sub(times) {
            0 => "; it is stopped now until something else succeeds".to_owned(),
            left => format!("; after {left} more it is stopped"),
        };
        let advice = format!(
            "this call failed the same way {times} times: another try will not help, change what you ask for{then}"
        );
        let hint = match &error.hint {
            Some(hint) => format!("{hint}; {advice}"),
            None => advice,
        };
        error.hint(hint)
    }

    /// A call succeeded: it does not fail any more, and others may be tried again.
    pub(crate) fn succeeded(&mut self, call: u64) {
        self.0.retain(|failing| failing.call != call);
        self.0.iter_mut().for_each(|failing| failing.may_try = true);
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use serde_json::json;

    use super::*;

    fn missing() -> Error {
        Error::not_found("there is no a").hint("look elsewhere")
    }

    fn hint(repeats: &mut Repeats, now: Instant) -> String {
        repeats.failed(1, missing(), now).hint.unwrap()
    }

    #[test]
    fn the_third_failure_comes_with_advice_and_the_sixth_with_a_stop() {
        let (mut repeats, now) = (Repeats::default(), Instant::now());
        let advice = |times: u32, then: &str| {
            format!(
                "look elsewhere; this call failed the same way {times} times: another try will not help, change what you ask for; {then}"
            )
        };
        let expected = [
            "look elsewhere".to_owned(),
            "look elsewhere".to_owned(),
            advice(3, "after 3 more it is stopped"),
            advice(4, "after 2 more it is stopped"),
            advice(5, "after 1 more it is stopped"),
            advice(6, "it is stopped now until something else succeeds"),
        ];
        for expected in expected {
            repeats.check(1, now).unwrap();
            assert_eq!(hint(&mut repeats, now), expected);
        }
        let stopped = repeats.check(1, now).unwrap_err();
        assert_eq!(stopped.kind, ErrorKind::Limit);
        assert_eq!(
            stopped.message,
            "this call failed 6 times in the same way and is stopped: there is no a"
        );
        assert!(stopped.hint.unwrap().contains("or in 60 s"));
        repeats.check(2, now).unwrap();
    }

    #[test]
    fn something_else_that_works_or_time_gives_one_more_try() {
        let (mut repeats, now) = (Repeats::default(), Instant::now());
        for _ in 0..STOPPED_AFTER {
            hint(&mut repeats, now);
        }
        assert!(repeats.check(1, now).is_err());
        repeats.succeeded(2);
        repeats.check(1, now).unwrap();
        hint(&mut repeats, now);
        assert!(repeats.check(1, now).is_err(), "one try, not six");
        repeats.check(1, now + STOPPED_FOR).unwrap();
        repeats.succeeded(1);
        assert_eq!(hint(&mut repeats, now), "look elsewhere", "it worked since");
    }

    #[test]
    fn another_way_to_fail_and_bad_times_do_not_add_up() {
        let (mut repeats, now) = (Repeats::default(), Instant::now());
        hint(&mut repeats, now);
        hint(&mut repeats, now);
        let other = repeats.failed(1, Error::conflict("it is open"), now);
        assert_eq!(other.hint, None);
        for kind in [ErrorKind::Busy, ErrorKind::Limit, ErrorKind::Cancelled, ErrorKind::Lost] {
            for _ in 0..10 {
                repeats.failed(3, Error::new(kind, "later"), now);
                repeats.check(3, now).unwrap();
            }
        }
    }

    #[test]
    fn a_call_is_the_same_in_any_order_of_its_arguments_and_other_with_other_ones() {
        let agent = Caller::new(CallerKind::Agent, "a", None);
        let of = |value: Value| digest(&agent, "x", value.as_object().unwrap()).unwrap();
        assert_eq!(
            of(json!({"a": 1, "b": [true, {"c": "d", "e": null}]})),
            of(json!({"b": [true, {"e": null, "c": "d"}], "a": 1}))
        );
        let all = [
            json!({}),
            json!({"a": 1}),
            json!({"a": "1"}),
            json!({"a": [1]}),
            json!({"b": 1}),
            json!({"a": [1, 2]}),
            json!({"a": [2, 1]}),
            json!({"a": null}),
        ];
        let digests: std::collections::BTreeSet<u64> = all.into_iter().map(of).collect();
        assert_eq!(digests.len(), 8);
        let person = Caller::new(CallerKind::Person, "a", None);
        assert_eq!(digest(&person, "x", &Map::new()), None);
    }
}
