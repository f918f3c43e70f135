//! The live state as resources: `openspace://state`, `openspace://instructions`,
//! `openspace://terminals/{id}`.

use openspace_protocol::TerminalId;
use openspace_terminal::ReadRequest;
use openspace_workspace::{
    Dispatcher,
    areas::terminal::{Terminals, TerminalsPart},
};
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};

use super::{Edge, ToolSet};

/// The whole state of the space.
pub(super) const STATE: &str = "openspace://state";
/// What an agent is told.
pub(super) const INSTRUCTIONS: &str = "openspace://instructions";
const TERMINALS: &str = "openspace://terminals/";
/// Lines of a terminal that a resource shows.
const LINES: usize = 1_000;

/// The resource of a terminal.
pub(super) fn terminal_uri(id: TerminalId) -> String {
    format!("{TERMINALS}{id}")
}

/// The resources there are now.
pub(super) fn list(dispatcher: &Dispatcher) -> Vec<Resource> {
    let mut resources = vec![
        Resource::new(STATE, "state")
            .with_title("State of the space")
            .with_description("Layout, open files, highlights and terminals, with the revision.")
            .with_mime_type("application/json"),
        Resource::new(INSTRUCTIONS, "instructions")
            .with_title("Instructions")
            .with_description("How to use the tools, and how the space is right now.")
            .with_mime_type("text/markdown"),
    ];
    for (id, record) in dispatcher.state().space().state().part::<TerminalsPart>().iter() {
        resources.push(
            Resource::new(terminal_uri(*id), id.to_string())
                .with_title(dispatcher.mask_text(record.title.clone()))
                .with_description("What the terminal shows, as plain text.")
                .with_mime_type("text/plain"),
        );
    }
    resources
}

/// The resources that are found by filling in a name.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(format!("{TERMINALS}{{id}}"), "terminal")
            .with_title("Terminal")
            .with_description("What a terminal shows, as plain text.")
            .with_mime_type("text/plain"),
    ]
}

/// Whether a resource exists.
pub(super) fn exists(dispatcher: &Dispatcher, uri: &str) -> bool {
    match uri {
        STATE | INSTRUCTIONS => true,
        uri => terminal(uri).is_some_and(|id| {
            dispatcher.state().space().state().part::<TerminalsPart>().contains_key(&id)
        }),
    }
}

/// The content of a resource, with secrets masked; `None` if there is none.
pub(super) async fn read(edge: &Edge, uri: &str, set: ToolSet) -> Option<ReadResourceResult> {
    let dispatcher = &edge.dispatcher;
    dispatcher.masks_ready().await;
    let (text, kind) = match uri {
        STATE => {
            let snapshot = dispatcher.state().space().snapshot_for_agents();
            let mut snapshot = serde_json::to_value(snapshot).ok()?;
            dispatcher.mask_value(&mut snapshot);
            (serde_json::to_string_pretty(&snapshot).ok()?, "application/json")
        }
        INSTRUCTIONS => (edge.instructions(set, None), "text/markdown"),
        uri => {
            let text = terminal_text(dispatcher, terminal(uri)?).await?;
            (dispatcher.mask_text(text), "text/plain")
        }
    };
    let contents = ResourceContents::text(text, uri).with_mime_type(kind);
    Some(ReadResourceResult::new(vec![contents]))
}

fn terminal(uri: &str) -> Option<TerminalId> {
    uri.strip_prefix(TERMINALS)?.parse().ok()
}

async fn terminal_text(dispatcher: &Dispatcher, id: TerminalId) -> Option<String> {
    if !dispatcher.state().space().state().part::<TerminalsPart>().contains_key(&id) {
        return None;
    }
    let Some(terminal) = dispatcher.state().service::<Terminals>().get(id) else {
        return Some("(the shell has ended)".into());
    };
    let read = terminal.read(ReadRequest { lines: LINES, since: None }).await.ok()?;
    let read = read.text;
    let lines = read.lines.into_iter().chain(read.partial).chain(read.below);
    let mut text: Vec<String> = lines.collect();
    text.extend(read.screen.into_iter().flatten());
    Some(text.join("\n"))
}
