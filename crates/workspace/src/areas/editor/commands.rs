//! `editor.open`, `editor.scroll_to`, `editor.close`, `editor.read_file`, `editor.discard`. The list of
//! the area's commands.

use openspace_buffers::highlights::{Highlight, HighlightsPart};
use openspace_command::{Command, Error, Focus, Meta, Result, Set, Shown};
use openspace_files::{FileError, LineRange};
use openspace_host::{HostError, operation::ReadText};
use openspace_layout::{Closed, OpenTab, TabKind};
use openspace_protocol::{Access, Event, PaneId, RelPath, RevealTarget};
use openspace_space::Space;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Range, RevealMode, check_range,
    highlight_commands::{self, ClearHighlight, PutHighlight, new_highlight_id},
    keep_unsaved_open,
    state_command::State,
};
use crate::{
    Cx, Entry, OpenSpace,
    agents::brought,
    areas::{
        editor::EditorsPart,
        file::{
            self,
            commands::{Reading, check_lines},
        },
        layout::{LayoutPart, commands::open_tab},
        view::{ViewsPart, typed_in},
    },
    content::reading,
    paths::{existing_file, is_person, not_shown},
    refusal::layout_refused,
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
/// Attached browsers show it; the keyboard stays where it is.
///
/// Works with no browser attached: the file is open in the layout when one attaches. With
/// `highlight` the range is marked as well.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Open {
    /// Path relative to the root.
    path: String,
    /// Line to bring into view.
    #[schemars(range(min = 1))]
    line: Option<u32>,
    /// Last line of the range.
    ///
    /// Needs `line`, as all that is said of a range does.
    #[schemars(range(min = 1))]
    end_line: Option<u32>,
    /// Column where the range starts.
    #[schemars(range(min = 1))]
    column: Option<u32>,
    /// Column where the range ends.
    #[schemars(range(min = 1))]
    end_column: Option<u32>,
    /// Mark the range.
    #[serde(default)]
    highlight: bool,
    /// How a browser reacts: show it, offer it or do nothing.
    ///
    /// The person's setting when left out.
    mode: Option<RevealMode>,
    /// In a new pane, also when it is open elsewhere.
    ///
    /// The pane appears beside the active one.
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

impl Command<OpenSpace> for Open {
    const META: Meta =
        Meta::new("editor.open", "Editor: Open", Access::View).set(Set::Ide).focus(Focus::Show);
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
        // What is only offered comes to the front nowhere, and who opens it for themselves wants it where they are.
        let spares_typing =
            !is_person(&cx.caller) && self.mode.is_none_or(|mode| mode == RevealMode::AutoFocus);
        let space = cx.state.space();
        let opened = space
            .change(brought::by(&cx, |state| {
                let request = OpenTab {
                    new_pane: self.new_pane,
                    spared: if spares_typing { typed_in(state) } else { Vec::new() },
                    ..OpenTab::new(TabKind::Editor, path.as_str())
                };
                let opened = open_tab(state, request)?;
                let editor = state.part_mut::<EditorsPart>().or_default(path.as_str());
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
                        state.part_mut::<HighlightsPart>().insert(id.clone(), highlight);
                        Some(id)
                    }
                    None => None,
                };
                reveal(space, RevealTarget { pane: Some(opened.pane_id), ..target });
                Ok(Opened {
                    path: path.clone(),
                    pane_id: opened.pane_id,
                    already_open: opened.already_open,
                    total_lines,
                    highlight_id,
                    viewers: opened.viewers,
                })
            }))
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
    let by = cx.caller.clone();
    Ok(RevealTarget { path: cx.state.path(path)?, pane: None, range, mode, by })
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
    let Some(range) = range else {
        return Ok((existing_file(cx, path).await?.into(), None));
    };
    let path = cx.state.path(path)?;
    let first = Some(range.start_line);
    let form = ReadText {
        path: path.clone(),
        range: LineRange { start_line: first, end_line: first },
        person: is_person(&cx.caller),
    };
    let place = cx.state.place();
    match reading::look(cx, place, form).await.map(|read| read.content.total_lines) {
        Ok(Some(total)) if u64::from(range.end_line) > total => {
            Err(beyond(&path, range.end_line, total))
        }
        Ok(total) => Ok((path.into(), total)),
        Err(HostError::File(FileError::LineBeyondEnd { lines, .. })) => {
            Err(beyond(&path, range.start_line, lines))
        }
        Err(error) => Err(not_shown(place, error).await),
    }
}

fn beyond(path: &RelPath, line: u32, lines: u64) -> Error {
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
/// The file comes to the front of its pane.
///
/// Which pane is the active one stays as it is.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScrollTo {
    /// Path of an open file, relative to the root.
    path: String,
    /// Line to bring into view.
    #[schemars(range(min = 1))]
    line: u32,
    /// The column.
    ///
    /// What to bring into view, too.
    #[schemars(range(min = 1))]
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

impl Command<OpenSpace> for ScrollTo {
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
                let layout = state.part_mut::<LayoutPart>();
                if layout.find_tab(TabKind::Editor, &path).is_none() {
                    let error = Error::conflict(format!("`{path}` is not open"));
                    return Err(error.hint("editor_open opens it"));
                }
                let pane_id =
                    layout.bring_to_front(Some(TabKind::Editor), &path).map_err(layout_refused)?;
                let editor = state.part_mut::<EditorsPart>().or_default(path.as_str());
                editor.reveal = Some(self.range());
                reveal(space, RevealTarget { pane: Some(pane_id), ..target });
                Ok(Scrolled {
                    path: path.clone(),
                    pane_id,
                    viewers: state.part::<ViewsPart>().len(),
                })
            })
            .await
    }
}

/// Close an open file, in every pane that shows it.
///
/// A file with unsaved changes stays open: what becomes of them the person decides.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Close {
    /// Path of the open file, relative to the root.
    path: String,
}

impl Command<OpenSpace> for Close {
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
                let before = state.part::<LayoutPart>().clone();
                let layout = state.part_mut::<LayoutPart>();
                let closed = layout
                    .close_tab(Some(TabKind::Editor), path.as_str())
                    .map_err(layout_refused)?;
                keep_unsaved_open(state, &before)?;
                Ok(closed)
            })
            .await
    }
}

/// Read a file as the person sees it.
///
/// At most 50 KB; `nextLine` is the `startLine` that goes on.
///
/// Gives the text of an open editor, unsaved changes and all, when there is one, else the file on disk.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReadFile {
    /// Path relative to the root.
    path: String,
    /// The start line.
    ///
    /// The first one to return, the first of the file when left out.
    #[schemars(range(min = 1))]
    start_line: Option<u32>,
    /// The end line.
    ///
    /// The last one to return.
    #[schemars(range(min = 1))]
    end_line: Option<u32>,
}

impl Command<OpenSpace> for ReadFile {
    const META: Meta =
        Meta::new("editor.read_file", "Editor: Read File", Access::Read).set(Set::Ide);
    type Output = Reading;

    fn summary(&self) -> String {
        format!("read {}", self.path)
    }

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    fn check(&self) -> Result<()> {
        check_lines(self.start_line, self.end_line)
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
    /// Path relative to the root.
    path: String,
}

impl Command<OpenSpace> for Discard {
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
