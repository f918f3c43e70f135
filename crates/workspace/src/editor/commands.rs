//! `editor.open`, `editor.scroll_to`, `editor.close`, `editor.read_file`, `editor.discard`. The list of
//! the area's commands.

use std::sync::Arc;

use openspace_command::{Access, Command, Error, Focus, Meta, Result, Set, Shown};
use openspace_host::{
    HostError,
    files::{FileError, LineRange},
    operation::{MayRead, ReadText},
};
use openspace_protocol::{Event, PaneId, RevealTarget};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Highlight, Range, RevealMode, check_range,
    highlight_commands::{self, ClearHighlight, PutHighlight, new_highlight_id},
    state_command::State,
};
use crate::{
    Cx, Entry, Workspace,
    buffers::show,
    file::{self, commands::Reading, is_person},
    layout::{
        Closed, OpenTab, TabKind,
        commands::{existing_file, open_tab},
    },
    refusal::refused,
    space::Space,
    workspace::ask,
};

/// The commands of this area.
pub const COMMANDS: &[Entry] = &[
    Entry::of::<Open>(),
    Entry::of::<ScrollTo>(),
    Entry::of::<PutHighlight>(),
    Entry::of::<ClearHighlight>(),
    Entry::of::<ReadFile>(),
    Entry::of::<Close>(),
    Entry::of::<Discard>(),
    Entry::of::<State>(),
];

/// Where a file was opened.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Opened {
    /// The file, relative to the root.
    path: String,
    /// The pane that shows it.
    pane_id: PaneId,
    /// Whether it was open before.
    already_open: bool,
    /// Lines of the file, when a line was asked for and the whole file was seen.
    total_lines: Option<u64>,
    /// The highlight on the range, when one was asked for.
    highlight_id: Option<String>,
    /// How many browsers show it now; 0 means that nobody is looking yet.
    viewers: usize,
}

/// Open a file and show a line.
///
/// Shows the file in every attached browser without taking the keyboard. Works with no browser
/// attached: the file is open in the layout when one attaches. With `highlight` the range is
/// marked as well.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Open {
    /// Path relative to the workspace root.
    path: String,
    /// Line to bring into view, counting from 1.
    line: Option<u32>,
    /// Last line of the range to show; needs `line`.
    end_line: Option<u32>,
    /// Column where the range starts, counting from 1; needs `line`.
    column: Option<u32>,
    /// Column where the range ends; needs `line`.
    end_column: Option<u32>,
    /// Mark the range; needs `line`.
    #[serde(default)]
    highlight: bool,
    /// How a browser reacts: `auto-focus`, `suggest-only` or `disabled`; the person's setting when
    /// left out.
    mode: Option<RevealMode>,
    /// Open it in a new pane beside the active one.
    #[serde(default)]
    new_pane: bool,
}

impl Open {
    fn range(&self) -> Option<Range> {
        let start_line = self.line?;
        Some(Range {
            start_line,
            end_line: self.end_line.unwrap_or(start_line),
            start_column: self.column,
            end_column: self.end_column,
        })
    }
}

impl Command<Workspace> for Open {
    const META: Meta = Meta::new("editor.open", "Editor: Open", Access::View)
        .set(Set::Ide)
        .focus(Focus::Show)
        .idempotent();
    type Output = Opened;

    fn summary(&self) -> String {
        match self.line {
            Some(line) => format!("open {} at line {line}", self.path),
            None => format!("open {}", self.path),
        }
    }

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    fn check(&self) -> Result<()> {
        match self.range() {
            Some(range) => check_range(range, "the range"),
            None if self.end_line.is_some()
                || self.column.is_some()
                || self.end_column.is_some()
                || self.highlight =>
            {
                Err(Error::invalid("argument `line`: needed for a range or a highlight"))
            }
            None => Ok(()),
        }
    }

    async fn run(self, cx: Cx) -> Result<Opened> {
        let (path, total_lines) = checked_file(&cx, &self.path, self.range()).await?;
        if self.highlight {
            cx.state.follower().catch_up(&path).await?;
        }
        let target = target(&cx, &path, self.range(), self.mode)?;
        let by = cx.caller.id.clone();
        let space = cx.state.space();
        let opened = space
            .change(|state| {
                let request = OpenTab {
                    new_pane: self.new_pane,
                    ..OpenTab::new(TabKind::Editor, path.as_str())
                };
                let opened = open_tab(state, request)?;
                let editor = Arc::make_mut(&mut state.editors).entry(path.clone()).or_default();
                editor.reveal = self.range();
                let highlight_id = match self.range().filter(|_| self.highlight) {
                    Some(range) => {
                        let highlight = Highlight {
                            path: path.clone(),
                            ranges: vec![range],
                            color: highlight_commands::DEFAULT_COLOR.into(),
                            note: None,
                            by,
                        };
                        let id = new_highlight_id(state)?;
                        Arc::make_mut(&mut state.highlights).insert(id.clone(), highlight);
                        Some(id)
                    }
                    None => None,
                };
                reveal(space, target);
                Ok(Opened {
                    path: path.clone(),
                    pane_id: opened.pane_id,
                    already_open: opened.already_open,
                    total_lines,
                    highlight_id,
                    viewers: opened.viewers,
                })
            })
            .await?;
        if opened.highlight_id.is_some() {
            cx.state.follower().track(&path).await?;
        }
        Ok(opened)
    }
}

fn target(
    cx: &Cx,
    path: &str,
    range: Option<Range>,
    mode: Option<RevealMode>,
) -> Result<RevealTarget> {
    Ok(RevealTarget { path: cx.state.path(path)?, range, mode, by: cx.caller.clone() })
}

/// Tell views to bring a file into sight. Called as the last step of the change that puts it in front
/// of its pane: nothing can fail any more, and views hear why before they hear of the change.
fn reveal(space: &Space, target: RevealTarget) {
    space.tell(Event::Reveal { target });
}

/// A file that exists and may be read, with its number of lines when a range in it was asked for.
pub(super) async fn checked_file(
    cx: &Cx,
    path: &str,
    range: Option<Range>,
) -> Result<(String, Option<u64>)> {
    let path = existing_file(cx, path).await?;
    let wanted = cx.state.path(&path)?;
    let person = is_person(&cx.caller);
    let lines = range.map(|range| LineRange {
        start_line: Some(range.start_line),
        end_line: Some(range.start_line),
    });
    let Some(range_of_lines) = lines else {
        ask(cx, MayRead { path: wanted, person }).await.map_err(refused)?;
        return Ok((path, None));
    };
    let total = if let Some(live) = cx.state.buffers().live(&wanted) {
        let may = ask(cx, MayRead { path: wanted, person }).await;
        may.map(|()| Some(show::count_lines(&live.text)))
    } else {
        let read = ask(cx, ReadText { path: wanted, range: range_of_lines, person }).await;
        read.map(|read| read.total_lines)
    };
    match total {
        Ok(total) => {
            if let (Some(total), Some(range)) = (total, range)
                && u64::from(range.end_line) > total
            {
                return Err(beyond(&path, range.end_line, total));
            }
            Ok((path, total))
        }
        Err(HostError::File(FileError::LineBeyondEnd { lines, .. })) => {
            Err(beyond(&path, range.map_or(0, |range| range.start_line), lines))
        }
        Err(error) => Err(refused(error)),
    }
}

fn beyond(path: &str, line: u32, lines: u64) -> Error {
    let error =
        Error::invalid(format!("there is no line {line} in `{path}`, which has {lines} lines"));
    match lines {
        0 => error.hint("the file is empty; open it without a line"),
        lines => error.hint(format!("use a line from 1 to {lines}")),
    }
}

/// What is in view now.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Scrolled {
    /// The file.
    path: String,
    /// The pane that shows it.
    pane_id: PaneId,
    /// How many browsers show it now.
    viewers: usize,
}

/// Bring a line of an open file into view.
///
/// The file comes to the front of its pane; which pane is the active one stays as it is.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScrollTo {
    /// Path of an open file, relative to the workspace root.
    path: String,
    /// Line to bring into view, counting from 1.
    line: u32,
    /// Column to bring into view, counting from 1.
    column: Option<u32>,
}

impl ScrollTo {
    fn range(&self) -> Range {
        Range {
            start_line: self.line,
            end_line: self.line,
            start_column: self.column,
            end_column: None,
        }
    }
}

impl Command<Workspace> for ScrollTo {
    const META: Meta = Meta::new("editor.scroll_to", "Editor: Scroll to Line", Access::View)
        .set(Set::Ide)
        .focus(Focus::Show)
        .idempotent();
    type Output = Scrolled;

    fn summary(&self) -> String {
        format!("scroll {} to line {}", self.path, self.line)
    }

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    fn check(&self) -> Result<()> {
        check_range(self.range(), "the line")
    }

    async fn run(self, cx: Cx) -> Result<Scrolled> {
        let (path, _) = checked_file(&cx, &self.path, Some(self.range())).await?;
        let target = target(&cx, &path, Some(self.range()), None)?;
        let space = cx.state.space();
        space
            .change(|state| {
                let layout = Arc::make_mut(&mut state.layout);
                if layout.find_tab(TabKind::Editor, &path).is_none() {
                    let error = Error::conflict(format!("`{path}` is not open"));
                    return Err(error.hint("editor_open opens it"));
                }
                let pane_id = layout.bring_to_front(Some(TabKind::Editor), &path)?;
                let editor = Arc::make_mut(&mut state.editors).entry(path.clone()).or_default();
                editor.reveal = Some(self.range());
                reveal(space, target);
                Ok(Scrolled { path: path.clone(), pane_id, viewers: state.views.len() })
            })
            .await
    }
}

/// Close an open file.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Close {
    /// Path of the open file, relative to the workspace root.
    path: String,
}

impl Command<Workspace> for Close {
    const META: Meta = Meta::new("editor.close", "Editor: Close", Access::View).set(Set::Ide);
    type Output = Closed;

    fn summary(&self) -> String {
        format!("close {}", self.path)
    }

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    async fn run(self, cx: Cx) -> Result<Closed> {
        let path = cx.state.path(&self.path)?;
        cx.state
            .space()
            .change(|state| {
                let layout = Arc::make_mut(&mut state.layout);
                Ok(layout.close_tab(Some(TabKind::Editor), path.as_str())?)
            })
            .await
    }
}

/// Read a file as the person sees it.
///
/// Gives the text of an open editor when there is one, else the file on disk.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReadFile {
    /// Path relative to the workspace root.
    path: String,
    /// First line to return, counting from 1.
    start_line: Option<u32>,
    /// Last line to return.
    end_line: Option<u32>,
}

impl Command<Workspace> for ReadFile {
    const META: Meta =
        Meta::new("editor.read_file", "Editor: Read File", Access::Read).set(Set::Ide);
    type Output = Reading;

    fn summary(&self) -> String {
        format!("read {}", self.path)
    }

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    async fn run(self, cx: Cx) -> Result<Reading> {
        let range = LineRange { start_line: self.start_line, end_line: self.end_line };
        file::commands::read(&cx, &self.path, range).await
    }

    fn text(output: &Reading) -> Option<String> {
        Some(file::commands::describe(output))
    }
}

/// A file without unsaved text.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Discarded {
    /// The file.
    path: String,
}

/// Drop what the person typed into a file and did not save.
///
/// The file is then as it is on disk, in every browser. There is no way back.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Discard {
    /// Path relative to the workspace root.
    path: String,
}

impl Command<Workspace> for Discard {
    const META: Meta =
        Meta::new("editor.discard", "Editor: Discard Unsaved Changes", Access::Destroy)
            .set(Set::Ide)
            .shown(Shown::Hidden);
    type Output = Discarded;

    fn summary(&self) -> String {
        format!("discard unsaved changes of {}", self.path)
    }

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    async fn run(self, cx: Cx) -> Result<Discarded> {
        let path = cx.state.path(&self.path)?;
        cx.state.buffers().discard(&path).await?;
        Ok(Discarded { path: path.to_string() })
    }
}
