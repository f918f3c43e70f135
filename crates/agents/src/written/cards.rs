//! What stands in the place of a command: the call of a tool, as far as it is.

use serde_json::{Value, json};

use super::{Outcome, part_of, stream::Block};
use crate::{
    interceptor::WrittenCommand,
    model::{
        LONGEST_INPUT, LongText, MessageId, Part, PartContent, PartId, SessionId, ToolCall,
        ToolState, shortened,
    },
};

/// What a block is called that is no command.
const NO_COMMAND: &str = "command in text";
/// What is told of a command that was written before anybody who could run it listened, or that was run longer ago.
const UNKNOWN: &str = "what became of it is not known here";
/// Bytes that are shown of a block that is none.
const WRONG: usize = 2_000;

/// Where a block stood.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) session: SessionId,
    pub(super) message: MessageId,
    pub(super) part: PartId,
    pub(super) number: usize,
}

impl Place {
    pub(super) fn id(&self) -> PartId {
        part_of(&self.part, self.number)
    }

    fn card(
        &self,
        tool: &str,
        state: ToolState,
        input: Value,
        change: impl FnOnce(&mut ToolCall),
    ) -> Part {
        let id = self.id();
        let bytes = input.to_string().len();
        let fits = bytes <= LONGEST_INPUT;
        let mut call = ToolCall {
            call_id: id.0.clone(),
            tool: shortened(tool),
            title: None,
            state,
            input: if fits { input } else { json!({}) },
            input_left_out: if fits { 0 } else { bytes as u64 },
            output: None,
            error: None,
            started: None,
            ended: None,
            attachments: Vec::new(),
            diffs: Vec::new(),
            locations: Vec::new(),
            child_session: None,
        };
        change(&mut call);
        let (message_id, session_id) = (self.message.clone(), self.session.clone());
        Part { id, message_id, session_id, content: PartContent::Tool { call: Box::new(call) } }
    }

    /// A command that is run now.
    pub(super) fn running(&self, command: &WrittenCommand) -> Part {
        let input = Value::Object(command.args.clone());
        self.card(&command.cmd, ToolState::Running, input, |_| {})
    }

    /// A command that was run.
    pub(super) fn over(&self, command: &WrittenCommand, outcome: &Outcome) -> Part {
        let state = if outcome.is_done { ToolState::Completed } else { ToolState::Failed };
        let input = Value::Object(command.args.clone());
        let text = Some(LongText::new(outcome.text.as_str()));
        self.card(&command.cmd, state, input, |call| {
            if outcome.is_done {
                call.output = text;
            } else {
                call.error = text;
            }
        })
    }

    /// A block of a text that is read again, of which nothing is remembered.
    pub(super) fn of_the_past(&self, block: &Block) -> Part {
        match block {
            Block::Command(command) => {
                let input = Value::Object(command.args.clone());
                self.card(&command.cmd, ToolState::Completed, input, |call| {
                    call.output = Some(LongText::new(UNKNOWN));
                })
            }
            Block::Wrong { text, why } => {
                let input = json!({ "text": LongText::within(text.as_str(), WRONG).text });
                self.card(NO_COMMAND, ToolState::Failed, input, |call| {
                    call.error = Some(LongText::new(why.to_string()));
                })
            }
        }
    }
}
