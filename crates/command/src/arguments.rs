//! Arguments read into a command's own type. What went wrong is told by type, not by the words for it.

use std::fmt;

use serde::{
    Deserializer,
    de::{
        self, DeserializeOwned, DeserializeSeed, Error as _, IntoDeserializer, MapAccess, Visitor,
    },
    forward_to_deserialize_any,
};
use serde_json::{Value, map};

use crate::{Error, Result};

/// Read arguments. The error names the argument, and knows one that no field takes.
pub(crate) fn read<T: DeserializeOwned>(arguments: Value) -> Result<T> {
    serde_path_to_error::deserialize(Arguments(whole_numbers(arguments))).map_err(|error| {
        let at = error.path().to_string();
        let Unread { reason, unknown } = error.into_inner();
        let error = Error::invalid(match at.as_str() {
            "." => reason,
            at => format!("argument `{at}`: {reason}"),
        });
        match unknown {
            Some(name) => error.for_unknown(name),
            None => error,
        }
    })
}

/// The same with `5.0` as `5`: JSON does not tell them apart, and some callers write all numbers so.
fn whole_numbers(mut value: Value) -> Value {
    /// Beyond this, a float does not say which integer is meant.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match &mut value {
        Value::Number(number) if number.is_f64() => {
            let float =
                number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() <= EXACT);
            #[expect(clippy::cast_possible_truncation, reason = "it is whole and small enough")]
            if let Some(whole) = float.map(|float| float as i64) {
                *number = whole.into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = whole_numbers(item.take())),
        Value::Object(map) => map.values_mut().for_each(|item| *item = whole_numbers(item.take())),
        _ => {}
    }
    value
}

/// Why arguments are not those of a command.
#[derive(Debug)]
struct Unread {
    reason: String,
    /// The name that no field takes, if that is why.
    unknown: Option<String>,
}

impl fmt::Display for Unread {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.reason)
    }
}

impl std::error::Error for Unread {}

impl de::Error for Unread {
    fn custom<T: fmt::Display>(reason: T) -> Self {
        Self { reason: reason.to_string(), unknown: None }
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        let error: serde_json::Error = de::Error::unknown_field(field, expected);
        Self { unknown: Some(field.to_owned()), ..Self::from(error) }
    }
}

impl From<serde_json::Error> for Unread {
    fn from(error: serde_json::Error) -> Self {
        Self { reason: error.to_string(), unknown: None }
    }
}

/// The arguments themselves; their values are read as JSON.
struct Arguments(Value);

impl<'de> Deserializer<'de> for Arguments {
    type Error = Unread;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unread> {
        match self.0 {
            Value::Object(arguments) => {
                visitor.visit_map(Entries { rest: arguments.into_iter(), value: None })
            }
            other => Ok(other.deserialize_any(visitor)?),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

struct Entries {
    rest: map::IntoIter,
    /// The value of the name that was read last.
    value: Option<Value>,
}

impl<'de> MapAccess<'de> for Entries {
    type Error = Unread;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Unread> {
        let Some((name, value)) = self.rest.next() else { return Ok(None) };
        self.value = Some(value);
        seed.deserialize(name.into_deserializer()).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Unread> {
        let value = self.value.take().ok_or_else(|| Unread::custom("a value without a name"))?;
        Ok(seed.deserialize(value)?)
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Point {
        #[serde(alias = "column")]
        x: u32,
        #[serde(default)]
        inner: Option<Box<Self>>,
    }

    fn refusal(arguments: Value) -> (String, Option<String>) {
        let error = read::<Point>(arguments).unwrap_err();
        (error.message.clone(), error.unknown_argument().map(str::to_owned))
    }

    #[test]
    fn arguments_become_the_type_that_they_are_for() {
        let inner = Some(Box::new(Point { x: 2, inner: None }));
        let read: Point = read(json!({"column": 1, "inner": {"x": 2}})).unwrap();
        assert_eq!(read, Point { x: 1, inner });
    }

    #[test]
    fn a_whole_number_may_be_written_as_a_float() {
        let inner = Some(Box::new(Point { x: 0, inner: None }));
        let read_one: Point = read(json!({"x": 5.0, "inner": {"x": -0.0}})).unwrap();
        assert_eq!(read_one, Point { x: 5, inner });
        for wrong in [json!(5.5), json!(1e300), json!(-1.0)] {
            read::<Point>(json!({"x": wrong})).unwrap_err();
        }
    }

    #[test]
    fn an_argument_that_nothing_takes_is_known_by_its_name() {
        let expected = "expected one of `column`, `x`, `inner`";
        let message = format!("argument `y`: unknown field `y`, {expected}");
        assert_eq!(refusal(json!({"x": 1, "y": 2})), (message, Some("y".into())));
        let message = format!("argument `inner.y`: unknown field `y`, {expected}");
        assert_eq!(refusal(json!({"x": 1, "inner": {"x": 1, "y": 2}})), (message, None));
    }

    #[test]
    fn a_wrong_value_is_not_an_unknown_argument() {
        let message = "argument `column`: invalid type: string \"unknown field `y`\", expected u32";
        assert_eq!(refusal(json!({"column": "unknown field `y`"})), (message.into(), None));
        assert_eq!(refusal(json!({})), ("missing field `x`".into(), None));
    }
}
