//! About how many bytes something is, for bounds in bytes.

use crate::{
    Event,
    model::{DiffText, FileDiff, FilePlace, FileReference, LongText, Part, PartContent, ToolCall},
};

/// What anything is beside its texts.
const FRAME: usize = 200;

pub(crate) fn event(event: &Event) -> usize {
    match event {
        Event::PartUpdated { part } => FRAME + self::part(part),
        Event::TextDelta { delta, .. } => FRAME + delta.len(),
        Event::PermissionAsked { request } => {
            FRAME
                + request.details.to_string().len()
                + request.diffs.iter().map(diff).sum::<usize>()
        }
        Event::Todos { todos, .. } => FRAME * (todos.len() + 1),
        _ => FRAME,
    }
}

pub(super) fn part(part: &Part) -> usize {
    FRAME
        + match &part.content {
            PartContent::Text { text, .. } | PartContent::Reasoning { text, .. } => text.text.len(),
            PartContent::File { file } => self::file(file),
            PartContent::Tool { call } => self::call(call),
            _ => 0,
        }
}

pub(super) fn call(call: &ToolCall) -> usize {
    let long = |text: &Option<LongText>| text.as_ref().map_or(0, |text| text.text.len());
    call.input.to_string().len()
        + long(&call.output)
        + long(&call.error)
        + call.attachments.iter().map(file).sum::<usize>()
        + call.diffs.iter().map(diff).sum::<usize>()
        + call.locations.iter().map(|location| FRAME + location.path.len()).sum::<usize>()
}

fn file(file: &FileReference) -> usize {
    FRAME
        + match &file.place {
            FilePlace::Data { base64 } => base64.len(),
            FilePlace::Path { path, .. } => path.len(),
            FilePlace::Link { url } => url.len(),
            FilePlace::LeftOut { .. } => 0,
        }
}

fn diff(diff: &FileDiff) -> usize {
    FRAME
        + diff.path.len()
        + match &diff.text {
            DiffText::Untold => 0,
            DiffText::Patch { patch } => patch.text.len(),
            DiffText::Texts { before, after } => {
                after.text.len() + before.as_ref().map_or(0, |before| before.text.len())
            }
        }
}
