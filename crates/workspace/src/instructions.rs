//! What an agent is told: how to use the tools, and how the space is right now.
//!
//! Made from the live state on every request. It names the tools that its reader is offered and no
//! other, and holds no schemas: agents learn those from their list of tools. It stays the same while the state does, so that providers can
//! cache prompts that contain it.

use std::{collections::HashSet, fmt::Write};

use openspace_buffers::highlights::HighlightsPart;
use openspace_command::{Definition, tool_name};
use openspace_isolation::Provider;
use openspace_layout::{Area, PaneInfo, TabKind};
use openspace_space::State;

use crate::{
    Dispatcher, OpenSpace, Registry,
    areas::{layout::LayoutPart, terminal::TerminalsPart, view::ViewsPart},
    workspaces::{MAIN, Walls, WorkspaceRecord, WorkspacesPart},
};

/// Tools named for one area; more are counted.
const TOOLS_NAMED: usize = 40;
/// Areas of tools named; more are counted.
const AREAS_NAMED: usize = 20;
/// Panes named for one area; more are counted.
const PANES_NAMED: usize = 20;
/// Tabs named for one pane; more are counted.
const TABS_NAMED: usize = 12;
/// Unsaved files named; more are counted.
const DIRTY_NAMED: usize = 20;
/// Terminals named; more are counted.
const TERMINALS_NAMED: usize = 20;
/// Workspaces named; more are counted.
const WORKSPACES_NAMED: usize = 20;
/// Failures named.
const FAILURES_NAMED: usize = 5;
/// Bridges whose reports are shown; more are counted.
const REPORTS_SHOWN: usize = 5;
/// Characters of a bridge's report that are shown.
const REPORT_SHOWN: usize = 600;
/// Characters of a path, a title or an error that are shown.
const NAME_SHOWN: usize = 120;

/// Append a line. Writing to a `String` cannot fail.
macro_rules! line {
    ($text:expr, $($words:tt)*) => {{ let _ = writeln!($text, $($words)*); }};
}

/// Part of the guide. A command stands in it as `<area.verb>` and becomes the name of its tool; what names
/// a tool that is not offered is left out.
struct Section {
    /// Only for those who are not offered this.
    unless: Option<&'static str>,
    head: &'static str,
    /// Without any of them the section is left out.
    lines: &'static [&'static str],
}

/// What does not change.
const WELCOME: &str = "\
# OpenSpace

You share a live workspace with a person: the same files, panes and terminals. They see what you \
open, highlight and run, in a browser, as you do it. Nobody may be looking; everything works the \
same then.

Use the tools of the `openspace` server. Every result has `success`; a failure has `error`, `kind` \
and a `hint` that says what to try next. `since_your_last_call` in a result is what the person did \
meanwhile. Paths are relative to the workspace root, lines count \
from 1. Show the person what you talk about.
";

const GUIDE: &[Section] = &[
    Section {
        unless: None,
        head: "Work on files and programs with these tools:",
        lines: &[
            "<workspace.bash> runs a command to its end; what does not end goes in the background, \
             with <workspace.run_output> and <workspace.run_kill>.",
            "<workspace.read>, <workspace.write> and <workspace.edit> are for files: read before you \
             change, edit rather than write anew.",
            "<workspace.glob> finds files by name, <workspace.grep> by content.",
            "<workspace.git> commits in the configured name and pushes with credentials that you \
             need not have.",
        ],
    },
    Section {
        unless: Some("workspace.edit"),
        head: "Work on files and programs with your own tools; the person sees files change as you write \
               them:",
        lines: &[
            "<editor.read_file> reads a file with what the person has typed and not saved yet.",
        ],
    },
    Section {
        unless: None,
        head: "Examples:",
        lines: &[
            "Show a place in the code: <editor.open> {\"path\": \"src/main.rs\", \"line\": 42}, then \
             <editor.highlight> {\"path\": \"src/main.rs\", \"ranges\": [{\"startLine\": 42, \
             \"endLine\": 50}], \"note\": \"the retry loop\"}.",
            "Run something where the person can watch: <terminal.create> {\"title\": \"tests\"}, then \
             <terminal.run> {\"terminalId\": \"tests\", \"command\": \"npm test\"}.",
            "Put two things side by side: <pane.open> {\"type\": \"editor\", \"contentId\": \
             \"src/auth.ts\", \"splitDirection\": \"vertical\"}.",
        ],
    },
];

/// Ends the list of tools.
const MORE: &str = "more: <command.search> finds them, <command.run> runs them";

/// The name under which a command is offered to whom the instructions are for, if it is.
pub type Offer<'a> = &'a dyn Fn(&Definition<OpenSpace>) -> Option<String>;

/// The guide and the live state, as Markdown, for somebody who is offered these tools.
pub fn instructions(dispatcher: &Dispatcher, offer: Offer<'_>) -> String {
    instructions_for(None, dispatcher, offer)
}

/// The same for a client that may have called before, with what the person did since.
pub fn instructions_for(client: Option<&str>, dispatcher: &Dispatcher, offer: Offer<'_>) -> String {
    let mut text = String::with_capacity(4_096);
    guide(&mut text, dispatcher.registry(), offer);
    programs(&mut text, dispatcher, offer);
    let state = dispatcher.state().space().state();
    tools(&mut text, dispatcher.registry(), offer);
    now(&mut text, &state);
    terminals(&mut text, &state);
    workspaces(&mut text, dispatcher, &state);
    highlights(&mut text, &state);
    bridges(&mut text, dispatcher);
    failures(&mut text, dispatcher);
    let since = client.and_then(|client| dispatcher.state().doings().since_last_call_of(client));
    if let Some(since) = since {
        line!(text, "\n{}", since.line);
    }
    dispatcher.mask_text(text)
}

fn guide(text: &mut String, registry: &Registry, offer: Offer<'_>) {
    text.push_str(WELCOME);
    let is_offered = |id: &str| registry.find(id).is_some_and(|found| offer(&found).is_some());
    for section in GUIDE.iter().filter(|section| !section.unless.is_some_and(is_offered)) {
        let lines: Vec<String> =
            section.lines.iter().filter_map(|line| with_names(line, registry, offer)).collect();
        if !lines.is_empty() {
            line!(text, "\n{}", section.head);
        }
        for line in lines {
            line!(text, "- {line}");
        }
    }
}

/// Where the programs run that the reader starts, for one who can start any.
fn programs(text: &mut String, dispatcher: &Dispatcher, offer: Offer<'_>) {
    let workspaces = dispatcher.state().workspaces();
    let is_sandbox = workspaces.record(MAIN).is_ok_and(|main| main.provider == Provider::Sandbox);
    let line = match workspaces.walls() {
        _ if is_sandbox => return,
        Walls::Confined(_) => {
            "Programs that you start with <workspace.bash> or <terminal.create> run confined: tools and paths are \
             the machine's, but only the workspace can be changed, and secrets and the home are not there. \
             To leave that place set `outside` and a `reason`: the person is asked."
        }
        Walls::Missing { .. } => {
            "Programs that you start with <workspace.bash> or <terminal.create> are not confined on this machine, so the \
             person may be asked about each."
        }
    };
    if let Some(line) = with_names(line, dispatcher.registry(), offer) {
        line!(text, "\n{line}");
    }
}

/// The line with the names of tools in it; none if one of them is not offered.
fn with_names(line: &str, registry: &Registry, offer: Offer<'_>) -> Option<String> {
    let mut pieces = line.split('<');
    let mut text = pieces.next()?.to_owned();
    for piece in pieces {
        let (id, rest) = piece.split_once('>')?;
        let name = offer(&*registry.find(id)?)?;
        let _ = write!(text, "`{name}`{rest}");
    }
    Some(text)
}

fn tools(text: &mut String, registry: &Registry, offer: Offer<'_>) {
    let mut areas: Vec<(String, Vec<String>)> = Vec::new();
    for definition in registry.all() {
        let Some(name) = offer(&definition) else { continue };
        let area = definition.tool.split('_').next().unwrap_or_default().to_owned();
        match areas.last_mut().filter(|(name, _)| *name == area) {
            Some((_, tools)) => tools.push(name),
            None => areas.push((area, vec![name])),
        }
    }
    line!(text, "\n## Tools\n");
    for (area, tools) in areas.iter().take(AREAS_NAMED) {
        line!(text, "- {area}: {}", named(tools, TOOLS_NAMED, ", "));
    }
    if areas.len() > AREAS_NAMED {
        line!(text, "- {} more areas", areas.len() - AREAS_NAMED);
    }
    if let Some(more) = with_names(MORE, registry, offer) {
        line!(text, "- {more}");
    }
}

fn now(text: &mut String, state: &State) {
    line!(text, "\n## Now\n");
    let panes = state.part::<LayoutPart>().panes();
    for (area, name) in [(Area::Main, "Main"), (Area::Right, "Right"), (Area::Bottom, "Bottom")] {
        let here: Vec<String> =
            panes.iter().filter(|pane| pane.area == area).map(describe).collect();
        let here = if here.is_empty() { "empty".into() } else { named(&here, PANES_NAMED, "; ") };
        line!(text, "- {name}: {here}");
    }
    if let Some(active) = panes.iter().find(|pane| pane.active) {
        line!(text, "- Active pane: {}", active.id);
    }
    let mut names = HashSet::new();
    let dirty: Vec<String> = state
        .part::<LayoutPart>()
        .tabs()
        .filter(|(_, tab)| tab.dirty && names.insert(&tab.content_id))
        .map(|(_, tab)| short(&tab.content_id))
        .collect();
    if !dirty.is_empty() {
        line!(text, "- Not saved: {}", named(&dirty, DIRTY_NAMED, ", "));
    }
    let viewers = match state.part::<ViewsPart>().len() {
        0 => "nobody is looking".to_owned(),
        1 => "one browser is attached".to_owned(),
        many => format!("{many} browsers are attached"),
    };
    line!(text, "- Viewers: {viewers}");
}

/// The first of some names, and how many more there are.
fn named(names: &[String], most: usize, between: &str) -> String {
    let shown = names[..names.len().min(most)].join(between);
    match names.len().saturating_sub(most) {
        0 => shown,
        rest => format!("{shown}{between}{rest} more"),
    }
}

/// A name that does not fill the page.
fn short(name: &str) -> String {
    match name.char_indices().nth(NAME_SHOWN) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

fn describe(pane: &PaneInfo) -> String {
    let tabs: Vec<String> = pane
        .tabs
        .iter()
        .enumerate()
        .map(|(index, tab)| {
            let name = match tab.kind {
                TabKind::Editor => short(&tab.content_id),
                kind => format!("{kind} {} ({})", short(&tab.content_id), short(&tab.title)),
            };
            let front = if pane.active_tab == Some(index) { " [in front]" } else { "" };
            let dirty = if tab.dirty { " [not saved]" } else { "" };
            let missing = if tab.missing { " [missing]" } else { "" };
            format!("{name}{front}{dirty}{missing}")
        })
        .collect();
    let tabs = if tabs.is_empty() { "empty".into() } else { named(&tabs, TABS_NAMED, ", ") };
    format!("{} ({tabs})", pane.id)
}

fn terminals(text: &mut String, state: &State) {
    if state.part::<TerminalsPart>().is_empty() {
        return;
    }
    line!(text, "\n## Terminals\n");
    for (id, record) in state.part::<TerminalsPart>().iter().take(TERMINALS_NAMED) {
        let how = if record.is_running() { "running" } else { "ended" };
        line!(text, "- {id} \"{}\" in {}: {how}", record.title, short(&record.cwd));
    }
    if state.part::<TerminalsPart>().len() > TERMINALS_NAMED {
        line!(text, "- {} more", state.part::<TerminalsPart>().len() - TERMINALS_NAMED);
    }
}

/// Other workspaces, and walls that an agent would run into.
fn workspaces(text: &mut String, dispatcher: &Dispatcher, state: &State) {
    let Ok(main) = dispatcher.state().workspaces().record(MAIN) else { return };
    if state.part::<WorkspacesPart>().is_empty() && main.provider != Provider::Sandbox {
        return;
    }
    line!(text, "\n## Workspaces\n");
    line!(text, "- {MAIN}, the one above: {}", walls(&main));
    for (id, record) in state.part::<WorkspacesPart>().iter().take(WORKSPACES_NAMED) {
        let name = record.name.as_ref().map(|name| format!(" \"{}\"", short(name)));
        let name = name.unwrap_or_default();
        line!(text, "- {id}{name}: {}; `workspace_id` chooses it", walls(record));
    }
    if state.part::<WorkspacesPart>().len() > WORKSPACES_NAMED {
        line!(text, "- {} more", state.part::<WorkspacesPart>().len() - WORKSPACES_NAMED);
    }
}

fn walls(record: &WorkspaceRecord) -> String {
    let network = if record.network { "" } else { " without network" };
    format!("{}{network}", record.provider)
}

fn highlights(text: &mut String, state: &State) {
    if !state.part::<HighlightsPart>().is_empty() {
        let ids: Vec<&str> =
            state.part::<HighlightsPart>().keys().take(20).map(|id| &**id).collect();
        line!(text, "\nHighlights ({}): {}", state.part::<HighlightsPart>().len(), ids.join(", "));
    }
}

fn bridges(text: &mut String, dispatcher: &Dispatcher) {
    let states = dispatcher.state().bridges().states();
    for (bridge, state) in states.iter().take(REPORTS_SHOWN) {
        let shown: String = state.to_string().chars().take(REPORT_SHOWN).collect();
        line!(text, "\nReported by bridge {}: {shown}", short(bridge));
    }
    if states.len() > REPORTS_SHOWN {
        line!(text, "\n{} more bridges report something", states.len() - REPORTS_SHOWN);
    }
}

fn failures(text: &mut String, dispatcher: &Dispatcher) {
    let failures = dispatcher.repeated_failures();
    if failures.is_empty() {
        return;
    }
    line!(text, "\n## Keeps failing\n");
    for (failure, times) in failures.iter().take(FAILURES_NAMED) {
        let error = short(failure.error.as_deref().unwrap_or_default());
        let summary = short(&failure.summary);
        line!(text, "- {} ({summary}), {times} times: {error}", tool_name(&failure.command));
    }
}
