//! `command.list`, `command.search`, `command.help`, `command.run`, `command.end_turn`.

use std::fmt::Write as _;

use openspace_command::{CallerKind, Command, Error, Meta, Result, Shown};
use openspace_protocol::Access;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Brief, Full, search};
use crate::{Cx, Entry, OpenSpace, bounds::check_bounds};

/// The commands of this area.
pub const COMMANDS: &[Entry] = &[
    Entry::of::<List>(),
    Entry::of::<Search>(),
    Entry::of::<Help>(),
    Entry::of::<Run>(),
    Entry::of::<EndTurn>(),
];

/// Commands that one search may give.
const MAX_FOUND: u32 = 100;

/// Commands.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Commands {
    /// The commands.
    commands: Vec<Brief>,
}

/// List every command, one line each.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct List {
    /// Only commands of this area, such as `editor`.
    area: Option<String>,
}

impl Command<OpenSpace> for List {
    const META: Meta =
        Meta::new("command.list", "Command: List", Access::Read).shown(Shown::Searchable);
    type Output = Commands;

    fn summary(&self) -> String {
        "list commands".into()
    }

    async fn run(self, cx: Cx) -> Result<Commands> {
        let prefix = self.area.as_ref().map(|area| format!("openspace.{area}."));
        let all = cx.dispatcher().registry().all();
        let commands: Vec<Brief> = all
            .iter()
            .filter(|definition| definition.shown != Shown::Hidden)
            .filter(|definition| {
                prefix.as_ref().is_none_or(|prefix| definition.id.starts_with(prefix))
            })
            .map(|definition| Brief::of(definition))
            .collect();
        match self.area {
            Some(area) if commands.is_empty() => {
                let mut areas: Vec<&str> =
                    all.iter().filter_map(|definition| definition.id.split('.').nth(1)).collect();
                areas.dedup();
                Err(Error::not_found(format!("there is no area `{area}`"))
                    .hint(format!("areas are {}", areas.join(", "))))
            }
            _ => Ok(Commands { commands }),
        }
    }
}

/// Find commands by words in their name or description.
///
/// Not every command is a tool; `command.run` runs the others.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Search {
    /// Words that must all occur.
    query: String,
    /// Most commands; 20 when left out.
    #[schemars(range(min = 1, max = MAX_FOUND))]
    limit: Option<u32>,
}

impl Command<OpenSpace> for Search {
    const META: Meta = Meta::new("command.search", "Command: Search", Access::Read);
    type Output = Commands;

    fn summary(&self) -> String {
        format!("search commands for {}", self.query)
    }

    fn check(&self) -> Result<()> {
        check_bounds("limit", self.limit, 1..=MAX_FOUND)
    }

    async fn run(self, cx: Cx) -> Result<Commands> {
        let limit = self.limit.unwrap_or(20) as usize;
        Ok(Commands { commands: search(cx.dispatcher().registry(), &self.query, limit) })
    }
}

/// Explain a command: what it does, its arguments, its answer.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Help {
    /// The command's id or tool name.
    command: String,
}

impl Command<OpenSpace> for Help {
    const META: Meta = Meta::new("command.help", "Command: Help", Access::Read);
    type Output = Full;

    fn summary(&self) -> String {
        format!("help on {}", self.command)
    }

    async fn run(self, cx: Cx) -> Result<Full> {
        Ok(Full::of(&*cx.dispatcher().registry().resolve(&self.command)?))
    }

    fn text(full: &Full) -> Option<String> {
        Some(explain(full))
    }
}

/// What a reader needs to call it. The whole schemas are in the structure.
fn explain(full: &Full) -> String {
    let Full { tool, id, description, input_schema: input, .. } = full;
    let mut text = format!("{tool} ({id})\n{description}");
    let required = input.get("required").and_then(Value::as_array);
    let members = input.get("properties").and_then(Value::as_object).into_iter().flatten();
    for (name, schema) in members {
        let is_required = required.is_some_and(|all| all.iter().any(|word| word == name));
        let mark = if is_required { "" } else { "?" };
        let about = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        let words = openspace_command::words_of(schema).join("|");
        let kind = match schema.get("type").and_then(Value::as_str) {
            _ if !words.is_empty() => words,
            Some(kind @ ("string" | "integer" | "number" | "boolean")) => kind.to_owned(),
            // Lists and objects have parts that no word tells.
            _ => {
                let mut schema = schema.clone();
                schema.as_object_mut().map(|members| members.shift_remove("description"));
                schema.to_string()
            }
        };
        // Writing to a String cannot fail.
        let _ = write!(text, "\n- {name}{mark} ({kind}): {about}");
    }
    text
}

/// The answer of the command that was run.
#[derive(Serialize, JsonSchema)]
pub struct Answer {
    #[serde(flatten)]
    data: Map<String, Value>,
    /// What a reader of it sees, as of calling it directly.
    #[serde(skip)]
    text: Option<String>,
    #[serde(skip)]
    exit_code: Option<u8>,
}

/// Run any command by its id.
///
/// For commands that are not tools.
///
/// The same checks hold as for calling it directly, and the answer is the command's own.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Run {
    /// The command's id or tool name.
    command: String,
    /// Its arguments by name.
    #[serde(default)]
    arguments: Map<String, Value>,
}

impl Command<OpenSpace> for Run {
    const META: Meta =
        Meta::new("command.run", "Command: Run", Access::Execute).parallel().passes_on();
    type Output = Answer;

    fn summary(&self) -> String {
        format!("run {}", self.command)
    }

    fn check(&self) -> Result<()> {
        if openspace_command::tool_name(&self.command) == "command_run" {
            return Err(Error::invalid("argument `command`: `command.run` cannot run itself"));
        }
        Ok(())
    }

    async fn run(self, cx: Cx) -> Result<Answer> {
        let reply = cx.dispatch(&self.command, Value::Object(self.arguments)).await;
        Ok(Answer { data: reply.result?, text: reply.text, exit_code: reply.exit_code })
    }

    fn text(answer: &Answer) -> Option<String> {
        answer.text.clone()
    }

    fn exit_code(answer: &Answer) -> Option<u8> {
        answer.exit_code
    }
}

/// Nothing to add.
#[derive(Serialize, JsonSchema)]
pub struct Ended {}

/// Say that your turn has ended, so that the next call starts a new one.
///
/// For scripts that hand on what a person asks. An agent's turn ends with the person's next prompt in the chat, or with
/// a pause.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EndTurn {}

impl Command<OpenSpace> for EndTurn {
    const META: Meta = Meta::new("command.end_turn", "Command: End Turn", Access::View)
        .shown(Shown::Searchable)
        .idempotent();
    type Output = Ended;

    fn summary(&self) -> String {
        "end the turn".into()
    }

    async fn run(self, cx: Cx) -> Result<Ended> {
        // Whoever is limited does not lift the limit.
        if cx.caller.kind == CallerKind::Agent {
            return Err(Error::denied("an agent's turn does not end because the agent says so").hint(
                "it ends with a pause between calls, or with the person's next prompt; plan fewer, larger calls",
            ));
        }
        cx.dispatcher().new_turn(&cx.caller);
        Ok(Ended {})
    }
}
