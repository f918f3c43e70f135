//! `code.hover`: what a symbol is, in the words of its server.

use openspace_command::{Command, Meta, Result};
use openspace_protocol::Access;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    addressing::Target,
    asking::{Asking, Told},
    commands::{MOST_WAIT, check_wait, wait},
};
use crate::{Cx, OpenSpace};

/// Bytes of the words of a server.
const LONGEST: usize = 4096;

/// Show the type and documentation of a symbol.
///
/// The place is named as in `code.definition`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hover {
    /// The symbol.
    ///
    /// By the end of its path of names: `Widget/area`, `Widget::area` or `area`; `area[2]` is the second of equals in a
    /// file.
    symbol: Option<String>,
    /// Path.
    ///
    /// Of a file, relative to the root or absolute.
    #[serde(alias = "file_path", alias = "filePath")]
    path: Option<String>,
    /// Line.
    #[schemars(range(min = 1))]
    line: Option<u32>,
    /// Column.
    ///
    /// In units of UTF-16, as editors count.
    #[schemars(range(min = 1))]
    column: Option<u32>,
    /// The wait.
    ///
    /// Most seconds to wait for a server that loads; 10 when left out.
    #[schemars(range(max = MOST_WAIT))]
    wait_s: Option<u32>,
}

/// What a symbol is.
#[derive(Serialize, JsonSchema)]
pub struct Shown {
    #[serde(flatten)]
    told: Told,
    /// Where it is: path, line and column.
    place: String,
    /// What the server says of it, as Markdown, at most 4 KiB; empty if it says nothing.
    text: String,
    /// True when it says more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

impl Hover {
    fn target(&self) -> Target {
        let Self { symbol, path, line, column, .. } = self;
        Target { symbol: symbol.clone(), path: path.clone(), line: *line, column: *column }
    }
}

impl Command<OpenSpace> for Hover {
    const META: Meta = Meta::new("code.hover", "Code: Show Type and Documentation", Access::Read)
        .shown(openspace_command::Shown::Searchable);
    type Output = Shown;

    fn summary(&self) -> String {
        format!("what {} is", self.target().words())
    }

    fn paths(&self) -> Vec<String> {
        self.path.iter().cloned().collect()
    }

    fn check(&self) -> Result<()> {
        check_wait(self.wait_s)?;
        self.target().check()
    }

    async fn run(self, cx: Cx) -> Result<Shown> {
        let asking = Asking::new(&cx, wait(self.wait_s));
        let found = self.target().find(&asking).await?;
        let params = |running: &super::running::Running| found.params(running);
        let answer = asking.first(&found.servers, "textDocument/hover", params).await?;
        let words = words(&answer.value["contents"]);
        let text = words[..words.floor_char_boundary(LONGEST)].to_owned();
        let truncated = text.len() < words.len();
        let (at, path) = (found.position, &found.path);
        let place = format!("{path}:{}:{}", at.line + 1, at.character + 1);
        let told = Told::by(&answer.running, answer.complete).noting(found.note);
        Ok(Shown { told, place, text, truncated })
    }

    fn text(shown: &Shown) -> Option<String> {
        let text = match shown.text.as_str() {
            "" => "Its server says nothing of it.",
            text => text,
        };
        let more = if shown.truncated { "\n(cut)" } else { "" };
        let text = format!("{}\n{text}{more}\n{}", shown.place, shown.told.line());
        Some(text.trim_end().to_owned())
    }
}

/// The words of a hover, in any of the forms that the protocol has had.
fn words(contents: &Value) -> String {
    match contents {
        Value::String(text) => text.trim().to_owned(),
        Value::Array(parts) => {
            let parts = parts.iter().map(words).filter(|part| !part.is_empty());
            parts.collect::<Vec<String>>().join("\n\n")
        }
        Value::Object(part) => {
            let value = part.get("value").and_then(Value::as_str).unwrap_or_default().trim();
            match part.get("language").and_then(Value::as_str) {
                Some(language) if !value.is_empty() => format!("```{language}\n{value}\n```"),
                _ => value.to_owned(),
            }
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use serde_json::json;

    use super::*;

    #[test]
    fn every_form_of_words_is_read() {
        let code = json!({"language": "rust", "value": "fn a()"});
        assert_eq!(words(&json!({"kind": "markdown", "value": " x "})), "x");
        assert_eq!(words(&json!([code, "y", ""])), "```rust\nfn a()\n```\n\ny");
        assert_eq!(words(&Value::Null), "");
    }
}
