//! `code.rename`: another name for a symbol, everywhere it is used.

use openspace_command::{Command, Meta, Result, Shown};
use openspace_protocol::Access;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    addressing::Target,
    after_edit::Problems,
    asking::{Asking, Told},
    commands::{MOST_WAIT, check_name, check_wait, wait},
    edits::{ChangedFile, Edits},
};
use crate::{Cx, OpenSpace};

/// Rename a symbol everywhere it is used.
///
/// In all files or none. Named as in `code.definition`.
///
/// Lines that the person has changed and not saved are kept; a rename that touches them is a conflict. A server that
/// has not read everything is not asked.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rename {
    /// The new name.
    ///
    /// Of the symbol alone.
    #[serde(alias = "newName")]
    new_name: String,
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

/// What was renamed.
#[derive(Serialize, JsonSchema)]
pub struct Renamed {
    #[serde(flatten)]
    told: Told,
    /// The files that were changed.
    files: Vec<ChangedFile>,
    /// True when nothing was changed because only that was asked for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    dry_run: bool,
    /// What it broke and mended.
    #[serde(skip_serializing_if = "Option::is_none")]
    problems: Option<Problems>,
}

impl Rename {
    fn target(&self) -> Target {
        let Self { symbol, path, line, column, .. } = self;
        Target { symbol: symbol.clone(), path: path.clone(), line: *line, column: *column }
    }
}

impl Command<OpenSpace> for Rename {
    const META: Meta =
        Meta::new("code.rename", "Code: Rename Symbol", Access::Edit).shown(Shown::Searchable);
    type Output = Renamed;

    fn summary(&self) -> String {
        format!("rename {} to {}", self.target().words(), self.new_name)
    }

    fn paths(&self) -> Vec<String> {
        self.path.iter().cloned().collect()
    }

    fn check(&self) -> Result<()> {
        check_wait(self.wait_s)?;
        check_name("new_name", &self.new_name)?;
        self.target().check()
    }

    async fn run(self, cx: Cx) -> Result<Renamed> {
        let asking = Asking::new(&cx, wait(self.wait_s)).requiring();
        let found = self.target().find(&asking).await?;
        let new_name = self.new_name.clone();
        let params = |running: &super::running::Running| {
            let mut params = found.params(running);
            params["newName"] = json!(new_name);
            params
        };
        let answer = asking.first(&found.servers, "textDocument/rename", params).await?;
        let running = answer.running;
        let edits = Edits::of_workspace(&answer.value, &running)?;
        if edits.is_empty() {
            return Err(openspace_command::Error::new(
                openspace_command::ErrorKind::Unsupported,
                format!("{} has nothing to rename there", running.name),
            )
            .hint("code_definition says what is there"));
        }
        // Asked again with all of these files open, so that the edits are about texts that are known.
        let files: Vec<_> = edits.files().into_iter().collect();
        running.tell_texts(&asking.state, &asking.servers, &files).await?;
        let one = std::slice::from_ref(&running);
        let answer = asking.first(one, "textDocument/rename", params).await?;
        let edits = Edits::of_workspace(&answer.value, &running)?;
        let (files, problems) = edits.make_and_tell(&cx, &asking, &running, self.dry_run).await?;
        let told = Told::by(&running, answer.complete).noting(found.note);
        Ok(Renamed { told, files, dry_run: self.dry_run, problems })
    }

    fn text(renamed: &Renamed) -> Option<String> {
        let verb = if renamed.dry_run { "Would change" } else { "Changed" };
        let mut lines = vec![format!("{verb} {} file(s)", renamed.files.len())];
        lines.extend(renamed.files.iter().map(ChangedFile::line));
        lines.extend(renamed.problems.as_ref().map(Problems::words));
        lines.push(renamed.told.line());
        Some(lines.join("\n").trim_end().to_owned())
    }
}
