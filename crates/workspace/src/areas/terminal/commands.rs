//! `terminal.create`, `terminal.send`, `terminal.run`, `terminal.interrupt`, `terminal.read_output`, `terminal.list`, `terminal.close`,
//! `terminal.resize`, `terminal.rename`, `terminal.restart`.

use std::sync::Arc;

use openspace_command::{
    Caller, CallerKind, Command, Error, ErrorKind, Focus, Intent, Meta, Result, Shown,
};
use openspace_files::Kind;
use openspace_host::{TerminalHandle, operation::StatPath};
use openspace_layout::{Area, OpenTab, Split, TabKind};
use openspace_protocol::{Access, PaneId, RelPath, TerminalId};
use openspace_space::State;
use openspace_terminal::{Life, ReadRequest, Size, Status};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    MAX_OF_AN_AGENT, MAX_TERMINALS, Start, TerminalRecord, TerminalState, find_terminal,
    read_command::ReadOutput,
    rename_command::Rename,
    restart_command::Restart,
    run_commands::{Interrupt, Run},
    typing,
};
use crate::{
    Cx, Entry, OpenSpace,
    agents::brought,
    areas::{
        layout::{
            LayoutPart,
            commands::{open_tab, pane},
        },
        terminal::{TerminalCounter, Terminals, TerminalsPart},
    },
    bounds::check_bounds,
    open_space::ask,
    permission::sources,
    refusal::refused,
    walls,
};

/// The commands of this area.
pub const COMMANDS: &[Entry] = &[
    Entry::of::<Create>(),
    Entry::of::<Send>(),
    Entry::of::<Run>(),
    Entry::of::<Interrupt>(),
    Entry::of::<ReadOutput>(),
    Entry::of::<List>(),
    Entry::of::<Close>(),
    Entry::of::<Resize>(),
    Entry::of::<Rename>(),
    Entry::of::<Restart>(),
];

/// Text that may be typed at once.
const MAX_TEXT: usize = 1024 * 1024;
const MAX_TITLE: usize = 100;

/// A terminal.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TerminalInfo {
    /// Its id.
    terminal_id: TerminalId,
    /// What is known about it.
    #[serde(flatten)]
    record: TerminalRecord,
    /// The pane that shows it, if it is open in one.
    pane_id: Option<PaneId>,
    /// Rows and columns, while its shell lives.
    size: Option<Size>,
    /// Whether a full-screen program (an editor, a pager) has taken the screen.
    alternate_screen: bool,
}

pub(super) async fn info(cx: &Cx, id: TerminalId, record: &TerminalRecord) -> TerminalInfo {
    let status = match cx.state.service::<Terminals>().get(id) {
        Some(terminal) => terminal.status().await.ok(),
        None => None,
    };
    TerminalInfo {
        terminal_id: id,
        record: record.clone(),
        pane_id: cx
            .state
            .space()
            .state()
            .part::<LayoutPart>()
            .find_tab(TabKind::Terminal, &id.to_string()),
        size: status.as_ref().map(|status| status.size),
        alternate_screen: status.is_some_and(|status| status.alternate_screen),
    }
}

/// Create a terminal with a shell in it.
///
/// The person can type in it too.
///
/// It opens in the bottom area unless another place is asked for. Send it text with `terminal.send`
/// and read what it shows with `terminal.read_output`.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Create {
    /// Title of its tab, and another name for it.
    ///
    /// It is while no other terminal has the same.
    title: Option<String>,
    /// Folder to start in.
    ///
    /// Relative to the root.
    cwd: Option<String>,
    /// Absolute path of the shell.
    ///
    /// The person's own when left out.
    shell_path: Option<String>,
    /// `main` is where the editors are.
    ///
    /// It opens in the area's active pane.
    area: Option<Area>,
    /// Open it in this pane.
    target_pane_id: Option<String>,
    /// Open it in a new pane.
    ///
    /// It appears beside the target, or beside the area's active pane.
    #[serde(default)]
    new_pane: bool,
    /// `vertical`: to the right, `horizontal`: below.
    ///
    /// The target or the area's active pane is split for it.
    split_direction: Option<Split>,
    /// Leave the confined place; asks.
    ///
    /// It changes nothing where there is no such place.
    #[serde(default)]
    outside: bool,
    /// With `outside`: why.
    reason: Option<String>,
}

impl Create {
    /// One with this title, in the bottom area.
    pub(crate) fn titled(title: &str, outside: bool, reason: Option<String>) -> Self {
        let title: String = title.chars().take(MAX_TITLE).collect();
        Self {
            title: Some(title),
            cwd: None,
            shell_path: None,
            area: None,
            target_pane_id: None,
            new_pane: false,
            split_direction: None,
            outside,
            reason,
        }
    }
}

impl TerminalInfo {
    /// Its id.
    pub(crate) fn id(&self) -> TerminalId {
        self.terminal_id
    }
}

impl Command<OpenSpace> for Create {
    const META: Meta =
        Meta::new("terminal.create", "Terminal: Create", Access::Execute).focus(Focus::Show);
    type Output = TerminalInfo;

    fn summary(&self) -> String {
        format!("create terminal {}", self.title.as_deref().unwrap_or_default())
    }

    fn check(&self) -> Result<()> {
        if self.area.is_some() && self.target_pane_id.is_some() {
            return Err(Error::invalid("argument `area`: does not go with `targetPaneId`")
                .hint("a pane is in an area already; leave one of the two out"));
        }
        walls::check_reason(self.outside, self.reason.as_deref())?;
        check_title(self.title.as_deref())
    }

    fn intent(&self, state: &OpenSpace, caller: &Caller) -> Intent {
        Intent {
            site: walls::site(state, caller, None, self.outside),
            folder: Some(self.cwd.clone().unwrap_or_else(|| ".".into())),
            reason: self.reason.clone(),
            ..Intent::default()
        }
    }

    async fn run(self, cx: Cx) -> Result<TerminalInfo> {
        walls::check_outside(&cx, None, self.outside)?;
        // A place that is not there must not cost a shell.
        if let Some(target) = &self.target_pane_id {
            pane(cx.state.space().state().part::<LayoutPart>(), target)?;
        }
        let workspaces = cx.state.workspaces();
        let confined = !self.outside && workspaces.is_beside(&cx.caller, None)?;
        let place = workspaces.place_for(&cx.caller, None, self.outside).await?;
        let shell = Terminals::shell(&place, self.shell_path.as_deref())?;
        let cwd = folder(&cx, self.cwd.as_deref().unwrap_or(".")).await?;
        let space = Arc::clone(cx.state.space());
        let id = space.change_now(|state| {
            check_room(state, &cx.caller)?;
            Ok(TerminalId(state.part_mut::<TerminalCounter>().advance()))
        })?;
        let id = id.0;
        let start = Start { place, id, shell: shell.clone(), folder: cwd.clone() };
        let pid = cx.state.service::<Terminals>().start_shell(start).await?;
        let title = self.title.unwrap_or_else(|| {
            let name = shell.file_name().map(|name| name.to_string_lossy().into_owned());
            format!("{} {id}", name.unwrap_or_else(|| "shell".into()))
        });
        let record = TerminalRecord {
            title: title.clone(),
            cwd: cwd.to_string(),
            shell,
            state: TerminalState::Running { pid },
            created_by: cx.caller.id.clone(),
            created_as: Some(cx.caller.kind),
            confined,
            created_at: cx.state.now(),
        };
        let opened = space
            .change(brought::by(&cx, |state| {
                // Others may have come while its shell was started.
                check_room(state, &cx.caller)?;
                state.part_mut::<TerminalsPart>().insert(id, record.clone());
                let target = self.target_pane_id.as_deref();
                let request = OpenTab {
                    title: Some(title),
                    area: self.area,
                    target: target
                        .map(|text| pane(state.part::<LayoutPart>(), text))
                        .transpose()?,
                    new_pane: self.new_pane,
                    split: self.split_direction,
                    ..OpenTab::new(TabKind::Terminal, id.to_string())
                };
                open_tab(state, request)
            }))
            .await;
        if let Err(error) = opened {
            // Nothing half-made stays behind: a shell nobody can find would run for ever.
            cx.state.service::<Terminals>().close(id).await?;
            return Err(error);
        }
        note_early_end(&cx, id).await;
        Ok(info(&cx, id, &record).await)
    }
}

/// Whether there may be one terminal more, of this caller.
fn check_room(state: &State, caller: &Caller) -> Result<()> {
    let terminals = state.part::<TerminalsPart>();
    let error = if terminals.len() >= MAX_TERMINALS {
        Error::conflict(format!("there are {MAX_TERMINALS} terminals already"))
    } else {
        let is_of_it = |one: &TerminalRecord| one.is_agents() && one.created_by == caller.id;
        let is_agent = caller.kind == CallerKind::Agent;
        if !is_agent || terminals.values().filter(|one| is_of_it(one)).count() < MAX_OF_AN_AGENT {
            return Ok(());
        }
        Error::new(
            ErrorKind::Limit,
            format!(
                "an agent may have {MAX_OF_AN_AGENT} terminals at once, and `{}` has them",
                caller.id
            ),
        )
    };
    Err(error.hint("close some with terminal_close; one terminal can run many commands"))
}

/// A shell that ended before its record was there is noted now.
pub(super) async fn note_early_end(cx: &Cx, id: TerminalId) {
    let Some(terminal) = cx.state.service::<Terminals>().get(id) else { return };
    let Ok(Status { life: Life::Exited(exit), .. }) = terminal.status().await else { return };
    let noted = cx.state.space().change_now(|state| {
        if let Some(record) = state.part_mut::<TerminalsPart>().get_mut(&id) {
            record.state = TerminalState::Exited { code: exit.code, signal: exit.signal };
        }
        Ok(())
    });
    if let Err(error) = noted {
        tracing::error!(%id, %error, "the end of a terminal could not be noted");
    }
}

pub(super) fn check_title(title: Option<&str>) -> Result<()> {
    match title {
        Some(title)
            if title.trim().is_empty()
                || title.chars().count() > MAX_TITLE
                || title.chars().any(char::is_control) =>
        {
            Err(Error::invalid(format!(
                "argument `title`: must be 1 to {MAX_TITLE} printable characters"
            )))
        }
        _ => Ok(()),
    }
}

/// A folder beneath the root to start a shell in.
pub(super) async fn folder(cx: &Cx, cwd: &str) -> Result<RelPath> {
    let cwd = cx.state.path(cwd)?;
    let stat = ask(cx, StatPath { path: cwd.clone() }).await.map_err(refused)?;
    if stat.kind != Kind::Folder {
        return Err(Error::invalid(format!("argument `cwd`: `{cwd}` is not a folder")));
    }
    Ok(cwd)
}

/// What was typed.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Sent {
    /// The terminal.
    terminal_id: TerminalId,
    /// Bytes typed.
    bytes: usize,
    /// Pass it as `since` to `terminal.read_output` to get what comes after.
    cursor: u64,
}

/// Type text into a terminal.
///
/// A newline presses Enter; `\u0003` is Ctrl-C. `terminal.read_output` with the `cursor` given here
/// reads what comes of it.
///
/// Control keys are their characters. The answer comes before the program reacts.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Send {
    /// Its id or title.
    terminal_id: String,
    /// The text.
    ///
    /// It is typed as it is.
    #[schemars(length(min = 1))]
    text: String,
}

impl Command<OpenSpace> for Send {
    const META: Meta = Meta::new("terminal.send", "Terminal: Type Text", Access::Execute);
    type Output = Sent;

    fn summary(&self) -> String {
        format!("type {} bytes into {}", self.text.len(), self.terminal_id)
    }

    fn check(&self) -> Result<()> {
        if self.text.is_empty() || self.text.len() > MAX_TEXT {
            return Err(Error::invalid(format!("argument `text`: must be 1 to {MAX_TEXT} bytes")));
        }
        Ok(())
    }

    fn intent(&self, state: &OpenSpace, caller: &Caller) -> Intent {
        typing::typing(state, caller, &self.terminal_id, &self.text)
    }

    async fn closer_intent(
        &self,
        state: &Arc<OpenSpace>,
        caller: &Caller,
    ) -> Result<Option<Intent>> {
        Ok(typing::looked_at(state, caller, &self.terminal_id, &self.text).await)
    }

    async fn run(self, cx: Cx) -> Result<Sent> {
        let (id, terminal) = live(&cx, &self.terminal_id)?;
        note_typing(&cx, id);
        let read = terminal.read(ReadRequest { lines: 0, since: None }).await.map_err(refused)?;
        // Enter is a carriage return on a keyboard; shells in line mode take both, programs that
        // read keys only this one.
        let keys = self.text.replace("\r\n", "\r").replace('\n', "\r");
        let is_line = typing::is_line(&cx.state, &cx.caller, id, &terminal).await;
        let terminals = cx.state.service::<Terminals>();
        let turn = terminals.typed.turn(id);
        let _turn = turn.lock().await;
        typing::check_judged(&cx, &self.intent(&cx.state, &cx.caller))?;
        sources::check_unchanged(&cx, cx.state.place()).await?;
        terminals.typed_by(id, cx.caller.kind, keys.as_bytes());
        terminal.write(keys).await.map_err(refused)?;
        if cx.caller.kind == CallerKind::Agent && is_line {
            terminals.typed.note(id, &self.text);
        }
        Ok(Sent { terminal_id: id, bytes: self.text.len(), cursor: read.text.cursor })
    }
}

/// Who types into an agent's terminal and is no agent shares it.
pub(super) fn note_typing(cx: &Cx, id: TerminalId) {
    if cx.caller.kind != CallerKind::Agent {
        brought::typed_into(cx.state.space(), id);
    }
}

/// The live terminal a caller means.
pub(super) fn live(cx: &Cx, name: &str) -> Result<(TerminalId, TerminalHandle)> {
    let state = cx.state.space().state();
    let (id, record) = find_terminal(state.part::<TerminalsPart>(), name)?;
    let terminal = cx.state.service::<Terminals>().get(id).ok_or_else(|| {
        let why = match record.state {
            TerminalState::EndedWithServer => "its shell ended when the server was restarted",
            TerminalState::Lost => "the place where its shell ran was lost",
            _ => "its shell has ended",
        };
        Error::conflict(format!("terminal {id} does not run: {why}"))
            .hint("terminal_restart starts a new shell in it, terminal_close removes it")
    })?;
    Ok((id, terminal))
}

/// Terminals.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AllTerminals {
    /// All of them, running and ended.
    terminals: Vec<TerminalInfo>,
}

/// List the terminals.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct List {}

impl Command<OpenSpace> for List {
    const META: Meta = Meta::new("terminal.list", "Terminal: List", Access::Read);
    type Output = AllTerminals;

    fn summary(&self) -> String {
        "list terminals".into()
    }

    async fn run(self, cx: Cx) -> Result<AllTerminals> {
        let state = cx.state.space().state();
        let mut terminals = Vec::with_capacity(state.part::<TerminalsPart>().len());
        for (id, record) in state.part::<TerminalsPart>().iter() {
            terminals.push(info(&cx, *id, record).await);
        }
        Ok(AllTerminals { terminals })
    }
}

/// A terminal that is gone.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClosedTerminal {
    /// The terminal.
    terminal_id: TerminalId,
}

/// Close a terminal and end everything that runs in it.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Close {
    /// Its id or title.
    terminal_id: String,
}

impl Command<OpenSpace> for Close {
    const META: Meta = Meta::new("terminal.close", "Terminal: Close", Access::Destroy);
    type Output = ClosedTerminal;

    fn summary(&self) -> String {
        format!("close terminal {}", self.terminal_id)
    }

    /// What an agent started it may end.
    fn intent(&self, state: &OpenSpace, _caller: &Caller) -> Intent {
        let state = state.space().state();
        let found = find_terminal(state.part::<TerminalsPart>(), &self.terminal_id);
        let is_agents = found.is_ok_and(|(_, record)| record.is_agents());
        Intent { access: is_agents.then_some(Access::Execute), ..Intent::default() }
    }

    async fn run(self, cx: Cx) -> Result<ClosedTerminal> {
        let state = cx.state.space().state();
        let (id, _) = find_terminal(state.part::<TerminalsPart>(), &self.terminal_id)?;
        super::brought::close(&cx.state, id).await?;
        Ok(ClosedTerminal { terminal_id: id })
    }
}

/// A terminal's size.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResizedTerminal {
    /// The terminal.
    terminal_id: TerminalId,
    /// Its size now.
    size: Size,
}

/// Set how many rows and columns a terminal has.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Resize {
    /// Its id or title.
    terminal_id: String,
    /// Rows.
    #[schemars(range(min = Size::SMALLEST.rows, max = Size::LARGEST.rows))]
    rows: u16,
    /// Columns.
    #[schemars(range(min = Size::SMALLEST.cols, max = Size::LARGEST.cols))]
    cols: u16,
}

impl Command<OpenSpace> for Resize {
    const META: Meta = Meta::new("terminal.resize", "Terminal: Resize", Access::View)
        .shown(Shown::Searchable)
        .idempotent();
    type Output = ResizedTerminal;

    fn summary(&self) -> String {
        format!("resize {} to {}x{}", self.terminal_id, self.cols, self.rows)
    }

    fn check(&self) -> Result<()> {
        let (least, most) = (Size::SMALLEST, Size::LARGEST);
        check_bounds("rows", Some(self.rows), least.rows..=most.rows)?;
        check_bounds("cols", Some(self.cols), least.cols..=most.cols)
    }

    /// Programs in a person's terminal draw for the person's window.
    fn intent(&self, state: &OpenSpace, caller: &Caller) -> Intent {
        typing::untyped(state, caller, &self.terminal_id)
    }

    async fn run(self, cx: Cx) -> Result<ResizedTerminal> {
        let (id, terminal) = live(&cx, &self.terminal_id)?;
        let size = Size { rows: self.rows, cols: self.cols };
        terminal.resize(size).await.map_err(refused)?;
        Ok(ResizedTerminal { terminal_id: id, size })
    }
}
