//! What is asked of a model, and what is wrong with it.

use serde_json::{Map, Value};

/// A request that was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// The session that it says it is of.
    pub session: Option<String>,
    /// The key that it was made with.
    pub key: Option<String>,
    /// The body.
    pub body: Value,
    /// Why it was refused.
    pub wrong: Option<String>,
}

impl Asked {
    /// Whether it takes a step of a script.
    pub fn has_tools(&self) -> bool {
        self.body["tools"].as_array().is_some_and(|tools| !tools.is_empty())
    }

    /// The last message: who speaks, and the text.
    pub fn last_message(&self) -> Option<(&str, String)> {
        let message = self.body["messages"].as_array()?.last()?;
        Some((message["role"].as_str()?, text_of(&message["content"])))
    }
}

fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

/// What an honest server would say against a body, if anything.
pub(crate) fn wrong(body: &Value) -> Option<String> {
    let Some(fields) = body.as_object() else { return Some("the body is no object".to_owned()) };
    if !fields.get("model").is_some_and(Value::is_string) {
        return Some("`model` is missing".to_owned());
    }
    if fields.get("stream") != Some(&Value::Bool(true)) {
        return Some("only streams are answered here".to_owned());
    }
    let messages = fields.get("messages").and_then(Value::as_array);
    let Some(messages) = messages.filter(|messages| !messages.is_empty()) else {
        return Some("`messages` is missing or empty".to_owned());
    };
    tools_are_wrong(fields).or_else(|| messages_are_wrong(messages))
}

fn tools_are_wrong(fields: &Map<String, Value>) -> Option<String> {
    let tools = fields.get("tools")?.as_array();
    let Some(tools) = tools else { return Some("`tools` is no list".to_owned()) };
    tools.iter().find_map(|tool| {
        let name = tool["function"]["name"].as_str().unwrap_or_default();
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
        if name.is_empty() || name.len() > 64 || !name.chars().all(is_letter) {
            return Some(format!("a tool cannot be called `{name}`"));
        }
        let has_schema = tool["function"]["parameters"]["type"] == "object";
        (!has_schema).then(|| format!("the arguments of `{name}` are no object"))
    })
}

/// Every call has its result right after it, and every result its call.
fn messages_are_wrong(messages: &[Value]) -> Option<String> {
    let mut open: Vec<&str> = Vec::new();
    for message in messages {
        let role = message["role"].as_str().unwrap_or_default();
        if role == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            match open.iter().position(|open| *open == id) {
                Some(position) => drop(open.remove(position)),
                None => return Some(format!("a result for `{id}`, which was not called")),
            }
            continue;
        }
        if let Some(id) = open.first() {
            return Some(format!("the call `{id}` has no result"));
        }
        match role {
            "system" | "developer" | "user" | "assistant" => {}
            other => return Some(format!("there is no role `{other}`")),
        }
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
            if serde_json::from_str::<Map<String, Value>>(arguments).is_err() {
                return Some(format!("arguments that are no object: `{arguments}`"));
            }
            open.push(call["id"].as_str().unwrap_or_default());
        }
    }
    open.first().map(|id| format!("the call `{id}` has no result"))
}
