//! What a bridge says of its commands.

use openspace_command::DefinitionError;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Commands one bridge may register.
pub const MAX_COMMANDS: usize = 200;
/// Size of one command's schema.
const MAX_SCHEMA: usize = 64 * 1024;
const MAX_DESCRIPTION: usize = 4_000;

/// Why a manifest is not accepted. Nothing of it is used then.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// It has the wrong form.
    #[error("the manifest is not understood: {0}")]
    Form(String),
    /// It has too many commands.
    #[error("a manifest has at most {MAX_COMMANDS} commands, not {0}")]
    TooManyCommands(usize),
    /// There are too many bridges.
    #[error("at most {0} bridges can be registered")]
    TooManyBridges(usize),
    /// A schema cannot be used.
    #[error("the schema of `{id}` cannot be used: {reason}")]
    BadSchema {
        /// Whose schema.
        id: String,
        /// What is wrong with it.
        reason: String,
    },
    /// An id cannot be used.
    #[error(transparent)]
    Id(#[from] DefinitionError),
}

/// A bridge's commands.
#[derive(Debug, PartialEq)]
pub struct Manifest {
    /// The commands.
    pub commands: Vec<ManifestCommand>,
}

/// One command of a bridge.
#[derive(Debug, PartialEq)]
pub struct ManifestCommand {
    /// Its id, with or without `openspace.`.
    pub id: String,
    /// The palette's line.
    pub title: Option<String>,
    /// What it does.
    pub description: String,
    /// JSON schema of its arguments.
    pub schema: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    commands: Vec<BodyCommand>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BodyCommand {
    id: String,
    title: Option<String>,
    description: Option<String>,
    #[serde(alias = "parameters", alias = "schema", alias = "argumentsSchema")]
    input_schema: Option<Value>,
    arguments: Option<Vec<BodyArgument>>,
}

#[derive(Deserialize)]
struct BodyArgument {
    name: String,
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    required: bool,
    description: Option<String>,
}

impl Manifest {
    /// Read a manifest from the body of a request.
    pub fn parse(body: Value) -> Result<Self, ManifestError> {
        let body: Body =
            serde_json::from_value(body).map_err(|error| ManifestError::Form(error.to_string()))?;
        if body.commands.len() > MAX_COMMANDS {
            return Err(ManifestError::TooManyCommands(body.commands.len()));
        }
        let commands = body.commands.into_iter().map(command).collect::<Result<_, _>>()?;
        Ok(Self { commands })
    }
}

fn command(body: BodyCommand) -> Result<ManifestCommand, ManifestError> {
    let schema = match (body.input_schema, body.arguments) {
        (Some(schema), _) => schema,
        (None, Some(arguments)) => schema_of(arguments),
        (None, None) => json!({"type": "object", "properties": {}}),
    };
    let bad =
        |reason: &str| ManifestError::BadSchema { id: body.id.clone(), reason: reason.into() };
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        return Err(bad("its root must have `type: object`"));
    }
    let text = schema.to_string();
    if text.len() > MAX_SCHEMA {
        return Err(bad("it is larger than 64 KB"));
    }
    // A schema that points elsewhere could make the server or a client fetch what it names.
    if text.contains("\"$ref\":\"http") || text.contains("\"$ref\":\"file") {
        return Err(bad("it refers to something outside itself"));
    }
    let description: String =
        body.description.unwrap_or_default().chars().take(MAX_DESCRIPTION).collect();
    Ok(ManifestCommand { id: body.id, title: body.title, description, schema })
}

fn schema_of(arguments: Vec<BodyArgument>) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for argument in arguments {
        if argument.required {
            required.push(Value::String(argument.name.clone()));
        }
        let mut schema = Map::new();
        if let Some(kind) = argument.kind {
            schema.insert("type".into(), kind.into());
        }
        if let Some(description) = argument.description {
            schema.insert("description".into(), description.into());
        }
        properties.insert(argument.name, Value::Object(schema));
    }
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}
