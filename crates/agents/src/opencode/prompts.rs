//! What is said to opencode, in its form.

use serde_json::{Value, json};

use super::address::encoded;
use crate::{
    AgentError,
    model::{Lines, Prompt, PromptPart, Span},
};

#[cfg(test)]
mod tests;

/// Parts of one prompt.
const MOST_PARTS: usize = 200;

/// The parts of a prompt.
pub(super) fn parts(prompt: &Prompt) -> Result<Vec<Value>, AgentError> {
    let invalid =
        |why: &str| AgentError::Invalid { what: "the prompt".to_owned(), why: why.to_owned() };
    match prompt.parts.len() {
        0 => Err(invalid("it says nothing")),
        1..=MOST_PARTS => prompt.parts.iter().map(part).collect(),
        _ => Err(invalid("it has too many parts")),
    }
}

fn part(part: &PromptPart) -> Result<Value, AgentError> {
    Ok(match part {
        PromptPart::Text { text, is_synthetic: false } => json!({ "type": "text", "text": text }),
        PromptPart::Text { text, is_synthetic: true } => {
            json!({ "type": "text", "text": text, "synthetic": true })
        }
        PromptPart::File { path, mime, lines, mention } => {
            file(path, mime.as_deref(), *lines, mention.as_ref())?
        }
        PromptPart::Image { mime, base64, name } => {
            is_image(mime, base64)?;
            without_null(json!({
                "type": "file",
                "mime": mime,
                "filename": name,
                "url": format!("data:{mime};base64,{base64}"),
            }))
        }
        PromptPart::Agent { name, mention } => without_null(json!({
            "type": "agent",
            "name": name,
            "source": mention.as_ref().map(span),
        })),
    })
}

fn file(
    path: &str,
    mime: Option<&str>,
    lines: Option<Lines>,
    mention: Option<&Span>,
) -> Result<Value, AgentError> {
    if !path.starts_with('/') {
        return Err(AgentError::Invalid {
            what: format!("the file `{path}`"),
            why: "opencode wants an absolute path".to_owned(),
        });
    }
    let names = path.split('/').map(encoded).collect::<Vec<_>>().join("/");
    let range = match lines {
        None => String::new(),
        Some(Lines { first, last: None }) => format!("?start={first}"),
        Some(Lines { first, last: Some(last) }) => format!("?start={first}&end={last}"),
    };
    let source = |mention| json!({ "type": "file", "path": path, "text": span(mention) });
    Ok(without_null(json!({
        "type": "file",
        "mime": mime.unwrap_or("text/plain"),
        "filename": path.rsplit('/').next(),
        "url": format!("file://{names}{range}"),
        "source": mention.map(source),
    })))
}

fn span(span: &Span) -> Value {
    json!({ "value": span.text, "start": span.start, "end": span.end })
}

/// Only what it says it is, so that nothing else gets into the address that it is sent in.
fn is_image(mime: &str, base64: &str) -> Result<(), AgentError> {
    let is_word = |letter: u8| letter.is_ascii_alphanumeric() || b"+-.".contains(&letter);
    let kind = mime.strip_prefix("image/").filter(|kind| !kind.is_empty());
    let is_base64 = |letter: u8| letter.is_ascii_alphanumeric() || b"+/=".contains(&letter);
    let why = if !kind.is_some_and(|kind| kind.bytes().all(is_word)) {
        format!("`{mime}` is no type of pictures")
    } else if base64.is_empty() || !base64.bytes().all(is_base64) {
        "its bytes are not in base64".to_owned()
    } else {
        return Ok(());
    };
    Err(AgentError::Invalid { what: "the picture".to_owned(), why })
}

fn without_null(mut value: Value) -> Value {
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    value
}
