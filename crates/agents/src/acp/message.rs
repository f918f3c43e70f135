//! The form of JSON-RPC messages, one on a line.

use std::borrow::Cow;

use agent_client_protocol_schema::v1::Error as Refusal;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, value::RawValue};

use crate::model::shortened;

/// Bytes of an id that is repeated back.
const LONGEST_ID: usize = 1024;

/// What the other side said.
pub(super) enum Incoming<'a> {
    Told { method: Cow<'a, str>, params: &'a RawValue },
    Asked { id: Value, method: Cow<'a, str>, params: &'a RawValue },
    Answered { id: Value, answer: Result<&'a RawValue, Refusal> },
}

/// Everything that a message may have; which of it is there says what it is.
#[derive(Deserialize)]
struct Fields<'a> {
    #[serde(default, deserialize_with = "even_null")]
    id: Option<Value>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
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

impl<'a> Incoming<'a> {
    /// A message, or what is wrong with it.
    pub(super) fn read(line: &'a [u8]) -> Result<Self, String> {
        let text = std::str::from_utf8(line).map_err(|_| "a line that is not UTF-8".to_owned())?;
        let fields: Fields<'a> = serde_json::from_str(text)
            .map_err(|error| format!("a line that is no message ({error}): {}", beginning(text)))?;
        let id_fits = |id: &Value| match id {
            Value::String(id) => id.len() <= LONGEST_ID,
            Value::Number(_) => true,
            _ => false,
        };
        match fields {
            Fields { id: None, method: Some(method), params, .. } => {
                Ok(Self::Told { method, params: params.unwrap_or(RawValue::NULL) })
            }
            Fields { id: Some(id), .. } if !id_fits(&id) => {
                Err(format!("a message with an id that is none: {}", beginning(text)))
            }
            Fields { id: Some(id), method: Some(method), params, .. } => {
                Ok(Self::Asked { id, method, params: params.unwrap_or(RawValue::NULL) })
            }
            Fields { id: Some(id), error: Some(error), .. } => {
                Ok(Self::Answered { id, answer: Err(error) })
            }
            Fields { id: Some(id), result: Some(result), .. } => {
                Ok(Self::Answered { id, answer: Ok(result) })
            }
            _ => Err(format!("a line that is no message: {}", beginning(text))),
        }
    }
}

fn beginning(text: &str) -> String {
    shortened(&text[..text.floor_char_boundary(200)])
}

pub(super) fn call(id: u64, method: &str, params: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    #[derive(Serialize)]
    struct Call<'a, P> {
        jsonrpc: &'static str,
        id: u64,
        method: &'a str,
        params: &'a P,
    }
    line(&Call { jsonrpc: "2.0", id, method, params })
}

pub(super) fn notification(method: &str, params: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    #[derive(Serialize)]
    struct Notification<'a, P> {
        jsonrpc: &'static str,
        method: &'a str,
        params: &'a P,
    }
    line(&Notification { jsonrpc: "2.0", method, params })
}

pub(super) fn answer(id: &Value, answer: Result<Value, Refusal>) -> serde_json::Result<Vec<u8>> {
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
    line(&Answer { jsonrpc: "2.0", id, result, error })
}

fn line(message: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}
