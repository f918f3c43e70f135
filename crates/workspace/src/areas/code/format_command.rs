//! `code.format`: a file in the form that its server gives it.

use openspace_command::{Command, Error, Meta, Result, Shown};
use openspace_languages::{Position, Range};
use openspace_protocol::Access;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    addressing::known_text,
    asking::{Asking, Told},
    commands::{MOST_WAIT, check_wait, wait},
    edits::{ChangedFile, Edits},
    running::Running,
};
use crate::{Cx, OpenSpace, bounds::check_bounds};

/// Lines that are looked at for how a file is indented.
const LOOKED_AT: usize = 500;

/// Format a file, or some lines of it, as its language server does.
///
/// It is the text as the person sees it that is formatted. Lines that the person has changed and not saved are kept; a
/// format that touches them is a conflict.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Format {
    /// Path.
    ///
    /// Of a file, relative to the root or absolute.
    #[serde(alias = "file_path", alias = "filePath")]
    path: String,
    /// First line, to format only some.
    #[schemars(range(min = 1))]
    line: Option<u32>,
    /// Last line; the same when left out.
    #[schemars(range(min = 1))]
    #[serde(alias = "endLine")]
    end_line: Option<u32>,
    /// A dry run.
    ///
    /// Only say what would change.
    #[serde(default, alias = "dryRun")]
    dry_run: bool,
    /// The wait.
    ///
    /// Most seconds to wait for a server that loads; 10 when left out.
    #[schemars(range(max = MOST_WAIT))]
    wait_s: Option<u32>,
}

/// What was formatted.
#[derive(Serialize, JsonSchema)]
pub struct Formatted {
    #[serde(flatten)]
    told: Told,
    /// The file, if something changed in it.
    files: Vec<ChangedFile>,
    /// True when nothing was changed because only that was asked for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    dry_run: bool,
}

impl Command<OpenSpace> for Format {
    const META: Meta = Meta::new("code.format", "Code: Format File", Access::Edit)
        .shown(Shown::Searchable)
        .idempotent();
    type Output = Formatted;

    fn summary(&self) -> String {
        format!("format {}", self.path)
    }

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    fn check(&self) -> Result<()> {
        check_wait(self.wait_s)?;
        check_bounds("line", self.line, 1..=u32::MAX)?;
        check_bounds("end_line", self.end_line, 1..=u32::MAX)?;
        match (self.line, self.end_line) {
            (None, Some(_)) => Err(Error::invalid("argument `end_line`: goes with `line`")),
            (Some(line), Some(end)) if end < line => {
                Err(Error::invalid("argument `end_line`: comes before `line`"))
            }
            _ => Ok(()),
        }
    }

    async fn run(self, cx: Cx) -> Result<Formatted> {
        let asking = Asking::new(&cx, wait(self.wait_s));
        let path = cx.state.path(&self.path)?;
        let servers = asking.file(&path).await?;
        let text = known_text(&servers, &path);
        let options = options(&text);
        let range = self.line.map(|line| range(&text, line, self.end_line.unwrap_or(line)));
        let method = match range {
            Some(_) => "textDocument/rangeFormatting",
            None => "textDocument/formatting",
        };
        let params = |running: &Running| {
            let document = json!({"uri": running.uri(&path)});
            let mut params = json!({"textDocument": document, "options": options});
            if let Some(range) = range {
                params["range"] = json!(range);
            }
            params
        };
        let answer = asking.first(&servers, method, params).await?;
        let edits = Edits::of_file(&path, &answer.value, &answer.running)?;
        let files = edits.make(&cx, &asking, &answer.running, self.dry_run).await?;
        let told = Told::by(&answer.running, true);
        Ok(Formatted { told, files, dry_run: self.dry_run })
    }

    fn text(formatted: &Formatted) -> Option<String> {
        let verb = if formatted.dry_run { "Would change" } else { "Changed" };
        Some(match formatted.files.first() {
            Some(file) => format!("{verb} {}", file.line()),
            None => "It has that form already.".to_owned(),
        })
    }
}

/// Whole lines of a text, counted from 1; without the line break after the last.
fn range(text: &str, first: u32, last: u32) -> Range {
    let end = text.split('\n').nth(last as usize - 1).map_or(0, |line| line.encode_utf16().count());
    Range {
        start: Position { line: first - 1, character: 0 },
        end: Position { line: last - 1, character: u32::try_from(end).unwrap_or(u32::MAX) },
    }
}

/// How a file is indented now: servers that have no rules of their own keep to it.
fn options(text: &str) -> Value {
    let lines = || text.lines().take(LOOKED_AT);
    let with_tabs = lines().filter(|line| line.starts_with('\t')).count();
    let blanks = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let indents = lines().filter(|line| !line.trim().is_empty()).map(blanks);
    let smallest = indents.filter(|count| *count > 1).min();
    let with_blanks = lines().filter(|line| line.starts_with("  ")).count();
    json!({"tabSize": smallest.unwrap_or(4).min(8), "insertSpaces": with_tabs <= with_blanks})
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn a_file_keeps_how_it_is_indented() {
        let spaces = json!({"tabSize": 2, "insertSpaces": true});
        assert_eq!(options("a\n  b\n    c\n"), spaces);
        assert_eq!(options("a\n\tb\n"), json!({"tabSize": 4, "insertSpaces": false}));
        assert_eq!(options(""), json!({"tabSize": 4, "insertSpaces": true}));
    }
}
