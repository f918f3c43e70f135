//! `workspace.glob` and `workspace.grep`: finding files by pattern and by content.

use std::fmt::Write as _;

use openspace_command::{Command, Meta, Result, Set};
use openspace_files::{
    glob::{GlobQuery, Globbed},
    grep::{GrepMode, GrepPage, GrepQuery, Grepped},
};
use openspace_host::operation;
use openspace_protocol::{Access, RelPath};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{place, recorded};
use crate::{
    Cx, OpenSpace, bounds::check_bounds, paths::explained, places::Place, refusal::refused,
};

/// Results that one call may ask for.
const MAX_LIMIT: u32 = 10_000;
/// Lines around a match that one call may ask for.
const MAX_CONTEXT: u32 = 100;

/// Find files by a pattern of their path, the newest first.
///
/// Finding nothing is no error.
///
/// `**/*.rs` finds Rust files at any depth, `src/*.ts` those directly in `src`. What `.gitignore` or
/// `.ignore` leave out is not found unless `respect_gitignore` is false; where they differ, `.ignore`
/// decides.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Glob {
    /// The glob; without a slash a name at any depth.
    ///
    /// Such as `**/*.{ts,tsx}`.
    #[serde(alias = "query", alias = "glob")]
    pattern: String,
    /// Folder to look in.
    #[serde(alias = "folder", alias = "directory")]
    path: Option<String>,
    /// Pass over ignored files; true when left out.
    ///
    /// Those that `.gitignore` or `.ignore` leave out.
    #[serde(alias = "respectGitignore")]
    respect_gitignore: Option<bool>,
    /// Find hidden files too; true when left out.
    hidden: Option<bool>,
    /// Most files; 100 when left out.
    #[schemars(range(min = 1, max = MAX_LIMIT))]
    #[serde(alias = "head_limit")]
    limit: Option<u32>,
    /// Which workspace.
    ///
    /// The one of the IDE when left out.
    #[serde(alias = "workspaceId", alias = "workspace")]
    workspace_id: Option<String>,
}

impl Command<OpenSpace> for Glob {
    const META: Meta =
        Meta::new("workspace.glob", "Workspace: Find Files by Pattern", Access::Read)
            .set(Set::Workspace);
    type Output = Globbed;

    fn summary(&self) -> String {
        format!("glob {} in {}", self.pattern, self.path.as_deref().unwrap_or("."))
    }

    fn workspace(&self) -> Option<&str> {
        Some(recorded(self.workspace_id.as_ref()))
    }

    fn paths(&self) -> Vec<String> {
        self.path.iter().cloned().collect()
    }

    fn check(&self) -> Result<()> {
        check_bounds("limit", self.limit, 1..=MAX_LIMIT)
    }

    async fn run(self, cx: Cx) -> Result<Globbed> {
        let place = place(&cx, self.workspace_id.as_deref()).await?;
        let query = GlobQuery {
            path: folder(&place, self.path.as_deref())?,
            respect_gitignore: self.respect_gitignore.unwrap_or(true),
            hidden: self.hidden.unwrap_or(true),
            limit: self.limit,
            ..GlobQuery::new(self.pattern)
        };
        match place.ask(operation::Glob { query }).await {
            Ok(found) => Ok(found),
            Err(error) => Err(explained(&place, error).await),
        }
    }

    fn text(found: &Globbed) -> Option<String> {
        if found.paths.is_empty() {
            return Some(format!("No files match ({} looked at).", found.scanned));
        }
        let mut text = String::new();
        for hit in &found.paths {
            let _ = writeln!(text, "{}", hit.path);
        }
        if found.truncated {
            let shown = found.paths.len();
            let _ = writeln!(
                text,
                "({shown} of {} files, the newest; a narrower pattern or a larger limit shows more)",
                found.total
            );
        }
        if found.unreadable > 0 {
            let _ = writeln!(text, "({} folders could not be read)", found.unreadable);
        }
        text.truncate(text.trim_end().len());
        Some(text)
    }
}

/// Search the content of files with a regular expression.
///
/// Ignored and binary files and secrets are not searched.
///
/// The syntax is that of Rust's regex crate, as in ripgrep. Modes: `content` gives matching lines
/// with their numbers, `files_with_matches` the files, `count` the files with the number of matches.
/// Ignored is what `.gitignore` or `.ignore` leave out; `.ignore` decides where they differ. Finding
/// nothing is no error.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch that callers know by name")]
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grep {
    /// The regular expression, as in ripgrep.
    ///
    /// Such as `fn\s+main`.
    #[serde(alias = "query", alias = "regex")]
    pattern: String,
    /// File or folder to search.
    #[serde(alias = "folder", alias = "directory")]
    path: Option<String>,
    /// Only files that match this glob.
    ///
    /// Such as `*.ts`.
    #[serde(alias = "glob", alias = "include_pattern")]
    include: Option<String>,
    /// Only files of this type: `rust`, `ts`, `py`.
    ///
    /// The names are those of ripgrep.
    #[serde(alias = "file_type", alias = "fileType")]
    r#type: Option<String>,
    /// What to return; `content` when left out.
    #[serde(alias = "mode", alias = "outputMode")]
    output_mode: Option<GrepMode>,
    /// Case insensitive.
    ///
    /// Ignore letter case.
    #[serde(default, alias = "-i", alias = "ignore_case", alias = "caseInsensitive")]
    case_insensitive: bool,
    /// Lines before each match.
    #[schemars(range(max = MAX_CONTEXT))]
    #[serde(alias = "-B")]
    before: Option<u32>,
    /// Lines after each match.
    #[schemars(range(max = MAX_CONTEXT))]
    #[serde(alias = "-A")]
    after: Option<u32>,
    /// Lines before and after each match.
    #[schemars(range(max = MAX_CONTEXT))]
    #[serde(alias = "-C")]
    context: Option<u32>,
    /// A match may span lines.
    ///
    /// `.` matches the end of a line too then.
    #[serde(default)]
    multiline: bool,
    /// The pattern is plain text.
    #[serde(default, alias = "literal", alias = "-F")]
    fixed_strings: bool,
    /// Pass over ignored files; true when left out.
    ///
    /// Those that `.gitignore` or `.ignore` leave out.
    #[serde(alias = "respectGitignore")]
    respect_gitignore: Option<bool>,
    /// Results to pass over.
    ///
    /// Goes on after an earlier page.
    #[serde(default)]
    offset: u32,
    /// Most results; 100 when left out.
    #[schemars(range(min = 1, max = MAX_LIMIT))]
    #[serde(alias = "head_limit", alias = "max_results")]
    limit: Option<u32>,
    /// Line numbers are always given; accepted because other tools ask for them.
    #[serde(default, rename = "-n")]
    #[schemars(skip)]
    _line_numbers: bool,
    /// Which workspace.
    ///
    /// The one of the IDE when left out.
    #[serde(alias = "workspaceId", alias = "workspace")]
    workspace_id: Option<String>,
}

impl Command<OpenSpace> for Grep {
    const META: Meta =
        Meta::new("workspace.grep", "Workspace: Search Contents", Access::Read).set(Set::Workspace);
    type Output = Grepped;

    fn summary(&self) -> String {
        format!("grep {} in {}", self.pattern, self.path.as_deref().unwrap_or("."))
    }

    fn workspace(&self) -> Option<&str> {
        Some(recorded(self.workspace_id.as_ref()))
    }

    fn paths(&self) -> Vec<String> {
        self.path.iter().cloned().collect()
    }

    fn check(&self) -> Result<()> {
        check_bounds("limit", self.limit, 1..=MAX_LIMIT)?;
        for (name, lines) in
            [("before", self.before), ("after", self.after), ("context", self.context)]
        {
            check_bounds(name, lines, 0..=MAX_CONTEXT)?;
        }
        Ok(())
    }

    async fn run(self, cx: Cx) -> Result<Grepped> {
        let place = place(&cx, self.workspace_id.as_deref()).await?;
        let around = self.context.unwrap_or(0);
        let query = GrepQuery {
            path: folder(&place, self.path.as_deref())?,
            include: self.include.into_iter().collect(),
            file_type: self.r#type,
            before: self.before.unwrap_or(around),
            after: self.after.unwrap_or(around),
            mode: self.output_mode.unwrap_or_default(),
            case_insensitive: self.case_insensitive,
            multiline: self.multiline,
            fixed_strings: self.fixed_strings,
            respect_gitignore: self.respect_gitignore.unwrap_or(true),
            offset: self.offset,
            limit: self.limit,
            ..GrepQuery::new(self.pattern)
        };
        match place.ask(operation::Grep { query }).await {
            Ok(found) => Ok(found),
            Err(error) => Err(explained(&place, error).await),
        }
    }

    fn text(found: &Grepped) -> Option<String> {
        Some(describe(found))
    }
}

fn describe(found: &Grepped) -> String {
    let mut text = String::new();
    let shown = match &found.page {
        GrepPage::Matches(matches) => {
            let mut path = None;
            for hit in matches {
                if path != Some(&hit.path) {
                    path = Some(&hit.path);
                    let _ = writeln!(text, "{}:", hit.path);
                }
                for line in &hit.before {
                    let _ = writeln!(text, "  {}- {}", line.line, line.text);
                }
                let _ = writeln!(text, "  {}: {}", hit.line, hit.text);
                for line in &hit.after {
                    let _ = writeln!(text, "  {}- {}", line.line, line.text);
                }
            }
            matches.len()
        }
        GrepPage::Files(files) => {
            for file in files {
                let _ = match file.matches {
                    Some(matches) => writeln!(text, "{}: {matches}", file.path),
                    None => writeln!(text, "{}", file.path),
                };
            }
            files.len()
        }
    };
    if shown == 0 {
        let _ = writeln!(text, "No matches ({} files searched).", found.scanned_files);
    } else if found.truncated {
        let _ = writeln!(
            text,
            "({shown} results of {} in {} files; a larger offset or limit shows more)",
            found.total_matches.unwrap_or(found.total_files),
            found.total_files
        );
    }
    let skipped = [
        (found.skipped_secret, "secret"),
        (found.skipped_binary, "binary"),
        (found.skipped_large, "too large"),
        (found.unreadable, "unreadable"),
    ];
    let skipped: Vec<String> = skipped
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, why)| format!("{count} {why}"))
        .collect();
    if !skipped.is_empty() {
        let _ = writeln!(text, "(not searched: {} files)", skipped.join(", "));
    }
    text.truncate(text.trim_end().len());
    text
}

/// A path to search in.
fn folder(place: &Place, path: Option<&str>) -> Result<Option<RelPath>> {
    path.map(|path| place.facts().resolve(path).map_err(refused)).transpose()
}
