//! The form of JSON-RPC messages, one in a frame.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, value::RawValue};

/// Bytes of an id that is repeated back.
const LONGEST_ID: usize = 1024;
/// Bytes of a message that are told when it is none.
const TOLD: usize = 200;
/// The server has no such method.
pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
/// The text changed meanwhile.
pub(crate) const CONTENT_MODIFIED: i64 = -32801;
/// The server gave up, and wants to be asked again.
pub(crate) const SERVER_CANCELLED: i64 = -32802;

/// What the server said.
#[derive(Debug)]
pub(crate) enum Incoming {
    Told { method: String, params: Value },
    Asked { id: Value, method: String, params: Value },
    Answered { id: Value, answer: Result<Box<RawValue>, Refusal> },
}

/// That something was refused, and why.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct Refusal {
    pub(crate) code: i64,
    #[serde(default)]
    pub(crate) message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<Value>,
}

/// Everything that a message may have; which of it is there says what it is.
#[derive(Deserialize)]
struct Fields<'a> {
    #[serde(default, deserialize_with = "even_null")]
    id: Option<Value>,
    #[serde(default)]
    method: Option<String>,
    #[serde(default)]
    params: Value,
    #[serde(borrow, default, deserialize_with = "even_null")]
    result: Option<&'a RawValue>,
    #[serde(default)]
    error: Option<Refusal>,
}

/// What is there and null is there.
fn even_null<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    value: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(value).map(Some)
}

impl Incoming {
    /// A message, or what is wrong with it.
    pub(crate) fn read(body: &[u8]) -> Result<Self, String> {
        let text =
            std::str::from_utf8(body).map_err(|_| "a message that is not UTF-8".to_owned())?;
        let beginning = || text[..text.floor_char_boundary(TOLD)].to_owned();
        let fields: Fields<'_> = serde_json::from_str(text)
            .map_err(|error| format!("no message ({error}): {}", beginning()))?;
        let fits = |id: &Value| match id {
            Value::String(id) => id.len() <= LONGEST_ID,
            Value::Number(_) => true,
            _ => false,
        };
        match fields {
            Fields { id: None, method: Some(method), params, .. } => {
                Ok(Self::Told { method, params })
            }
            Fields { id: Some(id), .. } if !fits(&id) => {
                Err(format!("a message with an id that is none: {}", beginning()))
            }
            Fields { id: Some(id), method: Some(method), params, .. } => {
                Ok(Self::Asked { id, method, params })
            }
            Fields { id: Some(id), error: Some(error), .. } => {
                Ok(Self::Answered { id, answer: Err(error) })
            }
            Fields { id: Some(id), result: Some(result), .. } => {
                Ok(Self::Answered { id, answer: Ok(result.to_owned()) })
            }
            _ => Err(format!("a message that says nothing: {}", beginning())),
        }
    }
}

pub(crate) fn call(id: u64, method: &str, params: &Value) -> Vec<u8> {
    #[derive(Serialize)]
    struct Call<'a> {
        jsonrpc: &'static str,
        id: u64,
        method: &'a str,
        #[serde(skip_serializing_if = "Value::is_null")]
        params: &'a Value,
    }
    body(&Call { jsonrpc: "2.0", id, method, params })
}

pub(crate) fn notification(method: &str, params: &Value) -> Vec<u8> {
    #[derive(Serialize)]
    struct Notification<'a> {
        jsonrpc: &'static str,
        method: &'a str,
        #[serde(skip_serializing_if = "Value::is_null")]
        params: &'a Value,
    }
    body(&Notification { jsonrpc: "2.0", method, params })
}

pub(crate) fn answer(id: &Value, answer: Result<Value, Refusal>) -> Vec<u8> {
    #[derive(Serialize)]
    struct Answer<'a> {
        jsonrpc: &'static str,
        id: &'a Value,
        #[serde(skip_serializing_if = "Option::is_none")]
        result: Option<Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<Refusal>,
    }
    let (result, error) = match answer {
        Ok(result) => (Some(result), None),
        Err(error) => (None, Some(error)),
    };
    body(&Answer { jsonrpc: "2.0", id, result, error })
}

/// Messages are made of values of JSON alone, and those can always be written.
fn body(message: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(message).unwrap_or_default()
}

/// Take a member out of what a server said, which need not be an object.
pub(crate) fn taken(from: &mut Value, name: &str) -> Value {
    from.get_mut(name).map(Value::take).unwrap_or_default()
}

#[cfg(test)]
mod tests;
