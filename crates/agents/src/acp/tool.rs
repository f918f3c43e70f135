//! Calls of tools, as an agent tells them piece by piece.

use agent_client_protocol_schema::v1::{
    ToolCallContent, ToolCallStatus, ToolCallUpdateFields, ToolKind,
};
use serde_json::Value;

use super::{content, weight};
use crate::model::{
    Change, DiffText, FileDiff, LONGEST_INPUT, Location, LongText, MOST_DIFFS, ToolCall, ToolState,
    bounded_value, shortened,
};

/// A call of which nothing is known but that it is there.
pub(super) fn begun(id: &str, now: i64) -> ToolCall {
    ToolCall {
        call_id: id.to_owned(),
        tool: kind(ToolKind::Other).to_owned(),
        title: None,
        state: ToolState::Pending,
        input: Value::Null,
        input_left_out: 0,
        output: None,
        error: None,
        started: Some(now),
        ended: None,
        attachments: Vec::new(),
        diffs: Vec::new(),
        locations: Vec::new(),
        child_session: None,
    }
}

/// What is new of a call: what is not mentioned stays. Gives what there was no word for.
pub(super) fn change(
    call: &mut ToolCall,
    fields: ToolCallUpdateFields,
    now: i64,
) -> Vec<&'static str> {
    let mut unknown = Vec::new();
    if let Some(kind) = fields.kind {
        self::kind(kind).clone_into(&mut call.tool);
    }
    if let Some(name) = fields.name {
        call.tool = shortened(&name);
    }
    if let Some(title) = fields.title {
        call.title = Some(shortened(&title));
    }
    if let Some(input) = fields.raw_input {
        (call.input, call.input_left_out) = bounded_value(input, LONGEST_INPUT);
    }
    if let Some(locations) = fields.locations {
        let locations = locations.into_iter().take(MOST_DIFFS);
        call.locations = locations
            .map(|at| Location { path: at.path.to_string_lossy().into_owned(), line: at.line })
            .collect();
    }
    let mut said = None;
    if let Some(parts) = fields.content {
        (call.diffs, call.attachments) = (Vec::new(), Vec::new());
        let mut text = String::new();
        for part in parts.into_iter().take(MOST_DIFFS) {
            match part {
                ToolCallContent::Content(part) => match content::read(part.content) {
                    content::Read::Text { text: more, .. } => {
                        text.push_str(if text.is_empty() { "" } else { "\n" });
                        text.push_str(&more);
                    }
                    content::Read::File(file) => call.attachments.push(file),
                    content::Read::Unknown(what) => unknown.push(what),
                },
                ToolCallContent::Diff(diff) => call.diffs.push(FileDiff {
                    path: diff.path.to_string_lossy().into_owned(),
                    change: Some(if diff.old_text.is_none() {
                        Change::Added
                    } else {
                        Change::Modified
                    }),
                    additions: None,
                    deletions: None,
                    text: DiffText::Texts {
                        before: diff.old_text.map(LongText::new),
                        after: LongText::new(diff.new_text),
                    },
                }),
                ToolCallContent::Terminal(_) => unknown.push("tool_call/terminal"),
                _ => unknown.push("tool_call/content"),
            }
        }
        said = Some(text).filter(|text| !text.is_empty());
    }
    // The same in words is better than as the tool gave it.
    let raw = || match fields.raw_output {
        Some(Value::String(text)) => Some(text),
        Some(Value::Null) | None => None,
        Some(value) => Some(value.to_string()),
    };
    if let Some(output) = said.or_else(|| raw().filter(|_| call.output.is_none())) {
        call.output = Some(LongText::new(output));
    }
    if let Some(status) = fields.status {
        state(call, status, now);
    }
    unknown
}

fn state(call: &mut ToolCall, status: ToolCallStatus, now: i64) {
    call.state = match status {
        ToolCallStatus::InProgress => ToolState::Running,
        ToolCallStatus::Completed => ToolState::Completed,
        ToolCallStatus::Failed => ToolState::Failed,
        _ => ToolState::Pending,
    };
    match call.state {
        ToolState::Pending | ToolState::Running => call.ended = None,
        ToolState::Completed => call.ended = Some(now),
        ToolState::Failed => {
            call.ended = Some(now);
            call.error = call.output.take().or_else(|| call.error.take());
        }
    }
}

/// The turn of a call is over; whether it was still at work.
pub(super) fn stop(call: &mut ToolCall, now: i64) -> bool {
    let was_at_work = matches!(call.state, ToolState::Pending | ToolState::Running);
    if was_at_work {
        call.state = ToolState::Failed;
        call.ended = Some(now);
        call.error = Some(LongText::new("the turn ended before it did"));
    }
    was_at_work
}

/// Leave out of a call what there is no room for.
pub(super) fn fit(call: &mut ToolCall, room: usize) {
    if weight::call(call) <= room {
        return;
    }
    for text in [&mut call.output, &mut call.error].into_iter().flatten() {
        text.left_out += text.text.len() as u64;
        text.text = String::new();
    }
    call.input_left_out += call.input.to_string().len() as u64;
    call.input = Value::Null;
    call.attachments.clear();
    call.locations.clear();
    for diff in &mut call.diffs {
        diff.text = DiffText::Untold;
    }
}

/// What a tool is called whose name is not told.
fn kind(kind: ToolKind) -> &'static str {
    match kind {
        ToolKind::Read => "read",
        ToolKind::Edit => "edit",
        ToolKind::Delete => "delete",
        ToolKind::Move => "move",
        ToolKind::Search => "search",
        ToolKind::Execute => "execute",
        ToolKind::Think => "think",
        ToolKind::Fetch => "fetch",
        ToolKind::SwitchMode => "switch_mode",
        _ => "tool",
    }
}
