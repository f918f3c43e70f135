//! `code.format`: a file in the form that its server gives it.

use openspace_command::{Command, Meta, Result, Shown};
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
use crate::{Cx, OpenSpace};

/// Lines that are looked at for how a file is indented.
const LOOKED_AT: usize = 500;

/// Format a file as its language server does.
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
        check_wait(self.wait_s)
    }

    async fn run(self, cx: Cx) -> Result<Formatted> {
        let asking = Asking::new(&cx, wait(self.wait_s));
        let path = cx.state.path(&self.path)?;
        let servers = asking.file(&path).await?;
        let options = options(&known_text(&servers, &path));
        let params = |running: &Running| json!({"textDocument": {"uri": running.uri(&path)}, "options": options});
        let answer = asking.first(&servers, "textDocument/formatting", params).await?;
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
