//! Parts of messages.

use serde_json::{Map, Value};

use super::{failure, file_diff, patch, read, usage};
use crate::{
    AgentError,
    model::{
        Change, DiffText, FileDiff, FilePlace, FileReference, LONGEST_DATA, LONGEST_INPUT, Lines,
        Location, LongText, MOST_DIFFS, MessageId, Part, PartContent, PartId, SessionId, ToolCall,
        ToolState, bounded_value, shortened,
    },
    opencode::{address::decoded, wire},
};

/// Pictures and files of one tool.
const MOST_ATTACHMENTS: usize = 50;

/// A part; nothing when it does not even say whose it is.
pub(in crate::opencode) fn part(said: Value) -> Option<Part> {
    let head: wire::PartHead = serde_json::from_value(said.clone()).ok()?;
    let content = content(&head.r#type, said)
        .unwrap_or_else(|_| PartContent::Other { name: shortened(&head.r#type) });
    Some(Part {
        id: PartId(head.id),
        message_id: MessageId(head.message_id),
        session_id: SessionId(head.session_id),
        content,
    })
}

fn content(kind: &str, said: Value) -> Result<PartContent, AgentError> {
    Ok(match kind {
        "text" => {
            let part: wire::TextPart = read(kind, said)?;
            let (started, ended) = times(part.time);
            let is_synthetic = part.synthetic.unwrap_or_default();
            PartContent::Text { text: LongText::new(part.text), is_synthetic, started, ended }
        }
        "reasoning" => {
            let part: wire::ReasoningPart = read(kind, said)?;
            let (started, ended) = times(part.time);
            PartContent::Reasoning { text: LongText::new(part.text), started, ended }
        }
        "tool" => PartContent::Tool { call: Box::new(tool_call(read(kind, said)?)) },
        "file" => PartContent::File { file: file(read(kind, said)?) },
        "agent" => {
            let part: wire::AgentPart = read(kind, said)?;
            PartContent::Mention { agent: part.name }
        }
        "subtask" => {
            let part: wire::SubtaskPart = read(kind, said)?;
            PartContent::Subtask {
                agent: part.agent,
                description: shortened(&part.description),
                prompt: LongText::new(part.prompt),
            }
        }
        "step-start" => PartContent::StepStart {},
        "step-finish" => {
            let part: wire::StepFinishPart = read(kind, said)?;
            let usage = usage(&part.tokens);
            PartContent::StepFinish { reason: part.reason, usage, cost: Some(part.cost) }
        }
        "patch" => {
            let mut part: wire::PatchPart = read(kind, said)?;
            part.files.truncate(MOST_DIFFS);
            PartContent::Patch { files: part.files }
        }
        "compaction" => {
            let part: wire::CompactionPart = read(kind, said)?;
            PartContent::Compaction { is_automatic: part.auto }
        }
        "retry" => {
            let part: wire::RetryPart = read(kind, said)?;
            PartContent::Retry {
                attempt: part.attempt,
                failure: failure(part.error),
                at: Some(part.time.created),
            }
        }
        _ => PartContent::Other { name: shortened(kind) },
    })
}

fn times(time: Option<wire::PartTime>) -> (Option<i64>, Option<i64>) {
    time.map_or((None, None), |time| (Some(time.start), time.end))
}

fn tool_call(part: wire::ToolPart) -> ToolCall {
    let state = part.state;
    let locations = locations(&state.input, &state.metadata);
    let mut diffs = diffs(&state.metadata, locations.first());
    if diffs.is_empty() && state.status == "completed" {
        diffs.extend(written(&state.input, &state.metadata));
    }
    let child_session = text_of(&state.metadata, "sessionId").map(|id| SessionId(id.to_owned()));
    // While it runs a shell has what it put out so far in its details.
    let so_far = text_of(&state.metadata, "output").map(str::to_owned);
    let (input, input_left_out) = bounded_value(state.input, LONGEST_INPUT);
    let (started, ended) = times(state.time);
    ToolCall {
        call_id: part.call_id,
        tool: part.tool,
        title: state.title.filter(|title| !title.is_empty()).map(|title| shortened(&title)),
        state: match state.status.as_str() {
            "pending" => ToolState::Pending,
            "completed" => ToolState::Completed,
            "error" => ToolState::Failed,
            _ => ToolState::Running,
        },
        input,
        input_left_out,
        output: state.output.or(so_far).map(LongText::new),
        error: state.error.map(LongText::new),
        started,
        ended,
        attachments: state.attachments.into_iter().take(MOST_ATTACHMENTS).map(file).collect(),
        diffs,
        locations,
        child_session,
    }
}

fn text_of<'a>(details: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    details.get(name).and_then(Value::as_str)
}

/// opencode's own tools name their file in one of these ways.
fn locations(input: &Value, details: &Map<String, Value>) -> Vec<Location> {
    let path = input["filePath"].as_str().or_else(|| text_of(details, "filepath"));
    let line = input["offset"].as_u64().and_then(|line| u32::try_from(line).ok());
    let location = |path: &str| Location { path: path.to_owned(), line: line.filter(|it| *it > 0) };
    path.map(location).into_iter().collect()
}

/// A file that was written whole, of which opencode says only whether there was one before.
fn written(input: &Value, details: &Map<String, Value>) -> Option<FileDiff> {
    let path = text_of(details, "filepath")?.to_owned();
    let existed = details.get("exists")?.as_bool()?;
    let after = input["content"].as_str()?;
    let text = if existed {
        DiffText::Untold
    } else {
        DiffText::Texts { before: None, after: LongText::new(after) }
    };
    let change = Some(if existed { Change::Modified } else { Change::Added });
    Some(FileDiff { path, change, additions: None, deletions: None, text })
}

/// A file of several that one call changed; one that was moved is gone at one path and new at another.
fn patched(file: &Value) -> Vec<FileDiff> {
    let count = |name: &str| file[name].as_u64();
    let diff = |path: &Value, change, text| {
        let (additions, deletions) = (count("additions"), count("deletions"));
        let path = path.as_str()?.to_owned();
        Some(FileDiff { path, change: Some(change), additions, deletions, text })
    };
    let text = file["patch"].as_str().map_or(DiffText::Untold, patch);
    let path = &file["filePath"];
    let diffs = match file["type"].as_str() {
        Some("add") => vec![diff(path, Change::Added, text)],
        Some("update") => vec![diff(path, Change::Modified, text)],
        Some("delete") => vec![diff(path, Change::Deleted, text)],
        Some("move") => vec![
            diff(path, Change::Deleted, DiffText::Untold),
            diff(&file["movePath"], Change::Added, text),
        ],
        _ => Vec::new(),
    };
    diffs.into_iter().flatten().collect()
}

/// What a tool did to files, or a request for permission would do.
pub(super) fn diffs(details: &Map<String, Value>, at: Option<&Location>) -> Vec<FileDiff> {
    let whole = details.get("filediff").cloned();
    let whole = whole.and_then(|diff| serde_json::from_value::<wire::FileDiff>(diff).ok());
    if let Some(mut diff) = whole {
        diff.file = diff.file.or_else(|| at.map(|location| location.path.clone()));
        return vec![file_diff(diff)];
    }
    if let Some(files) = details.get("files").and_then(Value::as_array) {
        return files.iter().take(MOST_DIFFS).flat_map(patched).collect();
    }
    let path = text_of(details, "filepath").or(at.map(|location| location.path.as_str()));
    let unified = text_of(details, "diff").zip(path);
    let diff = |(diff, path): (&str, &str)| FileDiff {
        path: path.to_owned(),
        change: None,
        additions: None,
        deletions: None,
        text: if diff.is_empty() { DiffText::Untold } else { patch(diff) },
    };
    unified.map(diff).into_iter().collect()
}

fn file(part: wire::FilePart) -> FileReference {
    FileReference { name: part.filename, mime: part.mime, place: place(&part.url) }
}

fn place(url: &str) -> FilePlace {
    if let Some(rest) = url.strip_prefix("file://") {
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        let number = |name: &str| {
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs.find(|(key, _)| *key == name).and_then(|(_, value)| value.parse().ok())
        };
        let lines = number("start").map(|first| Lines { first, last: number("end") });
        return FilePlace::Path { path: decoded(path), lines };
    }
    let data = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    match data {
        Some((_, base64)) if base64.len() <= LONGEST_DATA => {
            FilePlace::Data { base64: base64.to_owned() }
        }
        Some((_, base64)) => FilePlace::LeftOut { bytes: (base64.len() / 4 * 3) as u64 },
        None => FilePlace::Link { url: shortened(url) },
    }
}
