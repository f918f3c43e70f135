//! Requests of an agent for a person's permission.
//!
//! What is answered is chosen by the kind of an option, never by its place: agents list them in any order. All options
//! are told, those of an unknown kind too, but none of these is ever chosen.

use agent_client_protocol_schema::v1::{
    PermissionOption, PermissionOptionKind as Kind, RequestPermissionOutcome,
    RequestPermissionResponse, SelectedPermissionOutcome, SessionId, ToolCallUpdate,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    Ability, AgentError,
    model::{
        self, LONGEST_INPUT, PermissionAnswer, PermissionId, PermissionReply, PermissionRequest,
        ToolCall, ToolReference, bounded_value, shortened,
    },
};

/// Options that are told.
const MOST_OPTIONS: usize = 20;

pub(super) const NO_WORDS: &str =
    "ACP has no place for words with a refusal; refuse, then say it in a prompt";

/// What an agent asks. Its options are read one by one, so that a new kind does not hide the others.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Asked {
    pub(super) session_id: SessionId,
    pub(super) tool_call: ToolCallUpdate,
    options: Vec<Value>,
}

/// A request that waits.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub(super) request: PermissionRequest,
    /// The id of the call that is answered.
    pub(super) call: Value,
    options: Vec<PermissionOption>,
}

impl Waiting {
    /// A request about this call of a tool.
    pub(super) fn new(number: u64, call: Value, mut asked: Asked, tool: &ToolCall) -> Self {
        asked.options.truncate(MOST_OPTIONS);
        let options: Vec<PermissionOption> = asked
            .options
            .iter()
            .filter_map(|option| Deserialize::deserialize(option).ok())
            .collect();
        let details = json!({"input": tool.input, "options": asked.options});
        let (details, _) = bounded_value(details, 2 * LONGEST_INPUT);
        let has = |kind: Kind| options.iter().any(|option| option.kind == kind);
        let replies = [
            has(Kind::AllowOnce).then_some(PermissionReply::Once),
            has(Kind::AllowAlways).then_some(PermissionReply::Always),
            Some(PermissionReply::Reject),
        ];
        let request = PermissionRequest {
            id: PermissionId(format!("{}:permission:{number}", asked.session_id)),
            session_id: model::SessionId(asked.session_id.to_string()),
            permission: tool.tool.clone(),
            title: tool.title.clone(),
            patterns: patterns(tool),
            always: Vec::new(),
            replies: replies.into_iter().flatten().collect(),
            diffs: tool.diffs.clone(),
            details,
            tool: Some(ToolReference { message_id: None, call_id: tool.call_id.clone() }),
        };
        Self { request, call, options }
    }

    /// What the agent is answered.
    pub(super) fn outcome(&self, answer: &PermissionAnswer) -> Result<Value, AgentError> {
        if matches!(answer, PermissionAnswer::Reject { message: Some(_) }) {
            let why = NO_WORDS.to_owned();
            return Err(AgentError::Unsupported { what: Ability::RejectWithMessage, why });
        }
        let kinds: &[Kind] = match answer {
            PermissionAnswer::Once {} => &[Kind::AllowOnce],
            PermissionAnswer::Always {} => &[Kind::AllowAlways],
            PermissionAnswer::Reject { .. } => &[Kind::RejectOnce, Kind::RejectAlways],
        };
        let of_kind = |kind: &Kind| self.options.iter().find(|option| option.kind == *kind);
        match (kinds.iter().find_map(of_kind), answer) {
            (Some(option), _) => {
                let chosen = SelectedPermissionOutcome::new(option.option_id.clone());
                Ok(outcome(RequestPermissionOutcome::Selected(chosen)))
            }
            (None, PermissionAnswer::Reject { .. }) => Ok(cancelled()),
            (None, _) => Err(AgentError::Invalid {
                what: "the answer".to_owned(),
                why: "the agent does not take it; see which ones it takes in the request"
                    .to_owned(),
            }),
        }
    }
}

/// The answer when nobody has to say anything any more.
pub(super) fn cancelled() -> Value {
    outcome(RequestPermissionOutcome::Cancelled)
}

fn outcome(outcome: RequestPermissionOutcome) -> Value {
    json!(RequestPermissionResponse::new(outcome))
}

/// The command that would be run, or the files that it is about.
fn patterns(tool: &ToolCall) -> Vec<String> {
    let command = match tool.input.get("command") {
        Some(Value::String(command)) => Some(command.clone()),
        Some(Value::Array(words)) => {
            let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
            words.map(|words| words.join(" "))
        }
        _ => None,
    };
    if let Some(command) = command {
        return vec![shortened(&command)];
    }
    let paths = tool.diffs.iter().map(|diff| &diff.path);
    let paths = paths.chain(tool.locations.iter().map(|location| &location.path));
    let mut paths: Vec<String> = paths.take(100).cloned().collect();
    paths.dedup();
    paths
}
