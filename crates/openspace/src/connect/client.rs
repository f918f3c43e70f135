//! What each client's configuration looks like: its file, its key, its entry, its next step.
//!
//! All files are those of the project, because an entry names one workspace: in a file of the
//! person's it would follow them into every other project.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::{NAME, Request, Target};
use crate::mcp::ToolSet as Set;

/// In the project and in the person's home.
const CODEX_FILE: &str = ".codex/config.toml";

/// Holds the token for a client that goes to the server over HTTP.
pub(super) const TOKEN_VARIABLE: &str = "OPENSPACE_TOKEN";

/// A program that can be connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client {
    /// `opencode`.
    Opencode,
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// Cursor.
    Cursor,
    /// Visual Studio Code.
    VsCode,
    /// Zed.
    Zed,
}

impl Client {
    /// Every client.
    pub const ALL: [Self; 7] = [
        Self::Opencode,
        Self::Claude,
        Self::Codex,
        Self::Gemini,
        Self::Cursor,
        Self::VsCode,
        Self::Zed,
    ];

    /// The word on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Opencode => "opencode",
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
            Self::Zed => "zed",
        }
    }

    /// The name that people know it by.
    pub fn title(self) -> &'static str {
        match self {
            Self::Opencode => "opencode",
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
            Self::Zed => "Zed",
        }
    }

    /// The client of a word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.name() == word)
    }

    /// The object that holds an entry per server.
    pub(super) fn group(self) -> &'static str {
        match self {
            Self::Opencode => "mcp",
            Self::Claude | Self::Gemini | Self::Cursor => "mcpServers",
            Self::Codex => "mcp_servers",
            Self::VsCode => "servers",
            Self::Zed => "context_servers",
        }
    }

    /// The project's files that this client reads: the one to create first, and the one whose word
    /// counts last.
    pub fn files(self, root: &Path) -> Vec<PathBuf> {
        let names: &[&str] = match self {
            Self::Opencode => &["opencode.json", "opencode.jsonc"],
            Self::Claude => &[".mcp.json"],
            Self::Codex => &[CODEX_FILE],
            Self::Gemini => &[".gemini/settings.json"],
            Self::Cursor => &[".cursor/mcp.json"],
            Self::VsCode => &[".vscode/mcp.json"],
            Self::Zed => &[".zed/settings.json"],
        };
        names.iter().map(|name| root.join(name)).collect()
    }

    /// The person's own file, for a client that merges an entry there with the project's key by
    /// key and then refuses to start because the result is of two forms at once.
    pub(super) fn rival(self, home: Option<&Path>) -> Option<PathBuf> {
        home.filter(|_| self == Self::Codex).map(|home| home.join(CODEX_FILE))
    }

    /// The entry that starts this program, which joins the running server. It holds no secret.
    pub(super) fn local_entry(self, command: &[String]) -> Value {
        let (program, arguments) = command.split_first().unzip();
        let arguments = arguments.unwrap_or_default();
        match self {
            Self::Opencode => json!({"type": "local", "command": command}),
            Self::Claude | Self::Cursor | Self::VsCode => {
                json!({"type": "stdio", "command": program, "args": arguments})
            }
            Self::Codex | Self::Gemini | Self::Zed => {
                json!({"command": program, "args": arguments})
            }
        }
    }

    /// The entry that goes to the server over HTTP. The token is named by the variable that holds it: the file lies in
    /// the project, where programs of agents read it. Nothing for a client that knows no variables.
    pub(super) fn http_entry(self, url: &str, with_token: bool) -> Option<Value> {
        let mut entry = match self {
            // Without this, opencode answers a wrong token by looking for a login page.
            Self::Opencode => json!({"type": "remote", "url": url, "oauth": false}),
            Self::Claude | Self::VsCode => json!({"type": "http", "url": url}),
            Self::Gemini => json!({"httpUrl": url}),
            Self::Codex | Self::Cursor | Self::Zed => json!({"url": url}),
        };
        let variable = match self {
            _ if !with_token => return Some(entry),
            Self::Opencode => format!("{{env:{TOKEN_VARIABLE}}}"),
            Self::Claude | Self::Gemini => format!("${{{TOKEN_VARIABLE}}}"),
            Self::Cursor | Self::VsCode => format!("${{env:{TOKEN_VARIABLE}}}"),
            Self::Codex => {
                entry["bearer_token_env_var"] = json!(TOKEN_VARIABLE);
                return Some(entry);
            }
            Self::Zed => return None,
        };
        entry["headers"] = json!({"Authorization": format!("Bearer {variable}")});
        Some(entry)
    }

    /// Whether an entry goes over HTTP, whatever else it says.
    pub(super) fn is_http(entry: &Value) -> bool {
        ["url", "httpUrl"].iter().any(|key| entry.get(key).is_some())
    }

    /// What to do once the entry is there.
    pub(super) fn next_step(self, root: &Path) -> String {
        let root = root.display();
        match self {
            Self::Opencode => {
                format!("Start opencode again in {root}; `opencode mcp list` shows {NAME}.")
            }
            Self::Claude => {
                format!("Start claude again in {root} and approve {NAME}; /mcp shows it.")
            }
            Self::Codex => format!(
                "Start codex again in {root} and trust the folder: Codex reads this file only in projects it trusts. /mcp shows {NAME}."
            ),
            Self::Gemini => {
                format!("Start gemini again in {root} and trust the folder; /mcp shows {NAME}.")
            }
            Self::Cursor => {
                format!("Turn on {NAME} in Cursor's MCP settings when Cursor asks for it.")
            }
            Self::VsCode => {
                format!("Run \"MCP: List Servers\" in VS Code, start {NAME} and trust it.")
            }
            Self::Zed => {
                format!(
                    "Open {root} in Zed and trust the folder; Settings, AI, MCP Servers shows {NAME}."
                )
            }
        }
    }

    /// The client's own command for a person who wants the entry elsewhere.
    pub(super) fn alternative(self, command: &[String]) -> Option<String> {
        let command = command.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
        match self {
            Self::Claude => Some(format!(
                "To keep it out of the project instead: claude mcp add --scope local {NAME} -- {command}"
            )),
            Self::Codex => Some(format!(
                "To have this workspace in every project instead: codex mcp add {NAME} -- {command}"
            )),
            _ => None,
        }
    }
}

/// A program and its arguments.
type Command = Vec<String>;

/// What is to be put into a client's file.
pub(super) struct Entry {
    pub value: Value,
    /// An address to load instructions from.
    pub instructions: Option<String>,
    /// The command that a local entry starts.
    pub command: Option<Command>,
    /// Whether the client has to find the token in its environment.
    pub needs_token: bool,
}

impl Entry {
    pub(super) fn new(target: &Target, request: &Request) -> Result<Self> {
        let client = request.client;
        // All of these have file tools and a shell of their own.
        let set = request.set.unwrap_or(Set::Ide);
        let instructions = match &target.instructions_url {
            _ if !request.instructions => None,
            _ if client != Client::Opencode => bail!(
                "{} cannot load instructions from an address; only opencode can\n  hint: leave out --instructions, the tools carry their own",
                client.title()
            ),
            None => bail!(
                "no server runs for this workspace, so its instructions have no address\n  hint: start `openspace serve` first"
            ),
            Some(url) => Some(format!("{url}&set={}", set.word())),
        };
        if request.http {
            let Some(url) = &target.url else {
                bail!(
                    "no server runs for this workspace, so there is no address to connect to\n  hint: start `openspace serve` first, or leave out --http"
                );
            };
            let url = format!("{}/mcp?set={}", url.trim_end_matches('/'), set.word());
            let needs_token = target.asks_for_token;
            let Some(value) = client.http_entry(&url, needs_token) else {
                bail!(
                    "{} reads no token from its environment, and one in a file of the workspace could be read by programs of agents\n  hint: leave out --http, then no token is needed",
                    client.title()
                );
            };
            return Ok(Self { value, instructions, command: None, needs_token });
        }
        let (program, root) = (text(&target.program)?, text(&target.root)?);
        let mut command = vec![program, "mcp", "--workspace", root, "--set", set.word()];
        if let Some(folder) = &target.state_dir {
            command.extend(["--state-dir", text(folder)?]);
        }
        let command: Vec<String> = command.into_iter().map(str::to_owned).collect();
        let value = client.local_entry(&command);
        Ok(Self { value, instructions, command: Some(command), needs_token: false })
    }
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().with_context(|| {
        format!("the path {} is not Unicode, so no configuration can name it", path.display())
    })
}

/// A word as a shell reads it.
pub(super) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:@%,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
