//! `agent_tool.use`: an agent that we talk to wants to use a tool of its own, and somebody has to allow it.
//!
//! The server makes this call for the agent, so that its own tools are judged, asked about and recorded like every other
//! call. It does nothing itself: whoever made it tells the agent what came of it. An agent that makes it finds it closed.

use openspace_agents::model::PermissionRequest;
use openspace_command::{Caller, Command, Error, Intent, Line, Meta, Result, Shown, Site};
use openspace_protocol::Access;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Cx, Entry, OpenSpace};

/// The commands of this area.
pub const COMMANDS: &[Entry] = &[Entry::of::<UseTool>()];

/// Things that a request is told to be about.
const MOST_ABOUT: usize = 20;
/// Characters of one of them.
const LONGEST_ABOUT: usize = 400;
/// Things that a summary names.
const NAMED: usize = 3;

/// What came of it.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ToolAllowed")]
pub struct Allowed {
    /// That it may be used.
    allowed: bool,
}

/// Ask for leave to use one of the agent's own tools.
///
/// The server asks so for an agent that it talks to; nobody else can.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "UseOwnTool")]
pub struct UseTool {
    /// The tool, in the agent's own word, such as `bash` or `edit`.
    pub(super) tool: String,
    /// What it is about: paths, addresses.
    #[serde(default)]
    pub(super) about: Vec<String>,
    /// What its shell would be told.
    #[serde(default)]
    pub(super) command: Option<String>,
    /// The agent's own id of the request.
    pub(super) request: String,
}

impl UseTool {
    /// What an agent asks for.
    pub(super) fn of(request: &PermissionRequest) -> Self {
        let details = |name: &str| {
            let there = [&request.details[name], &request.details["input"][name]];
            there.into_iter().find_map(|value| value.as_str()).map(str::to_owned)
        };
        let is_shell = is_shell(&request.permission);
        let command = if is_shell {
            Some(details("command").unwrap_or_else(|| request.patterns.join("\n")))
        } else {
            None
        };
        let cut = |text: &String| text.chars().take(LONGEST_ABOUT).collect();
        let about = request.patterns.iter().filter(|_| !is_shell).take(MOST_ABOUT).map(cut);
        Self {
            tool: request.permission.clone(),
            about: about.collect(),
            command,
            request: request.id.to_string(),
        }
    }

    /// What it amounts to. A tool that is not known may do anything.
    fn access(&self, site: Site) -> Access {
        match self.tool.as_str() {
            "read" | "glob" | "grep" | "list" => Access::Read,
            "webfetch" | "websearch" | "doom_loop" => Access::Reach,
            "edit" | "write" if site == Site::Confined => Access::Edit,
            // Ours are judged where they are called.
            tool if tool.starts_with("openspace_") => Access::View,
            _ => Access::Execute,
        }
    }
}

/// Whether a tool is a shell.
fn is_shell(tool: &str) -> bool {
    matches!(tool, "bash" | "shell" | "execute")
}

impl Command<OpenSpace> for UseTool {
    const META: Meta = Meta::new("agent_tool.use", "Agent Tool: Use", Access::Execute)
        .shown(Shown::Hidden)
        .parallel();
    type Output = Allowed;

    fn summary(&self) -> String {
        let named = match (&self.command, self.about.len()) {
            (Some(_), _) => " to run a line".to_owned(),
            (None, 0) => String::new(),
            (None, count) => {
                let more = count.saturating_sub(NAMED);
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                format!(" on {}{more}", self.about[..count.min(NAMED)].join(", "))
            }
        };
        format!("use its own tool {}{named}", self.tool)
    }

    fn intent(&self, state: &OpenSpace, caller: &Caller) -> Intent {
        let site = state.conversations().site_of(self, caller).unwrap_or(Site::Unconfined);
        let line = self.command.clone();
        let again = "The agent does the same again and again.";
        Intent {
            access: Some(self.access(site)),
            site,
            line: line.map(|text| Line { text, shell: "bash".to_owned(), is_typed: false }),
            about: (self.tool == "doom_loop").then(|| again.to_owned()),
            ..Intent::default()
        }
    }

    async fn closer_intent(
        &self,
        state: &std::sync::Arc<OpenSpace>,
        caller: &Caller,
    ) -> Result<Option<Intent>> {
        self.check_asked(state, caller).map(|_| None)
    }

    async fn run(self, cx: Cx) -> Result<Allowed> {
        self.check_asked(&cx.state, &cx.caller)?;
        Ok(Allowed { allowed: true })
    }
}

impl UseTool {
    /// Refuse whoever is not asked for.
    fn check_asked(&self, state: &OpenSpace, caller: &Caller) -> Result<Site> {
        state.conversations().site_of(self, caller).ok_or_else(|| {
            Error::denied("no agent that the server talks to asks for this")
                .hint("use the tool; the server asks for leave by itself")
        })
    }
}
