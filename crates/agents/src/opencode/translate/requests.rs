//! What a person is asked, and what is to be done.

use serde_json::Value;

use super::parts::diffs;
use crate::{
    model::{
        LONGEST_INPUT, MessageId, PermissionId, PermissionReply, PermissionRequest, Question,
        QuestionChoice, QuestionId, QuestionRequest, SessionId, Todo, TodoState, ToolReference,
        bounded_value, shortened,
    },
    opencode::wire,
};

/// Patterns, questions, choices or todos in one list.
const MOST_ENTRIES: usize = 200;

pub(in crate::opencode) fn permission(said: wire::PermissionRequest) -> PermissionRequest {
    let diffs = diffs(&said.metadata, None);
    let mut details = said.metadata;
    // It is in the list of changes.
    details.remove("diff");
    details.remove("filediff");
    PermissionRequest {
        id: PermissionId(said.id),
        session_id: SessionId(said.session_id),
        permission: said.permission,
        title: None,
        patterns: some(said.patterns),
        always: some(said.always),
        replies: vec![PermissionReply::Once, PermissionReply::Always, PermissionReply::Reject],
        diffs,
        details: bounded_value(Value::Object(details), LONGEST_INPUT).0,
        tool: said.tool.map(tool),
    }
}

pub(in crate::opencode) fn question(said: wire::QuestionRequest) -> QuestionRequest {
    QuestionRequest {
        id: QuestionId(said.id),
        session_id: SessionId(said.session_id),
        questions: said.questions.into_iter().take(MOST_ENTRIES).map(one_question).collect(),
        tool: said.tool.map(tool),
    }
}

fn one_question(said: wire::Question) -> Question {
    let choice = |said: wire::QuestionOption| QuestionChoice {
        label: said.label,
        description: shortened(&said.description),
    };
    Question {
        question: shortened(&said.question),
        header: shortened(&said.header),
        choices: said.options.into_iter().take(MOST_ENTRIES).map(choice).collect(),
        is_multiple: said.multiple.unwrap_or_default(),
        // opencode takes them unless it says no.
        takes_own_words: said.custom.unwrap_or(true),
    }
}

pub(in crate::opencode) fn todos(said: Vec<wire::Todo>) -> Vec<Todo> {
    let todo = |said: wire::Todo| Todo {
        content: shortened(&said.content),
        state: match said.status.as_str() {
            "pending" => TodoState::Pending,
            "in_progress" => TodoState::InProgress,
            "completed" => TodoState::Completed,
            "cancelled" => TodoState::Cancelled,
            _ => TodoState::Unknown,
        },
        priority: said.priority,
    };
    said.into_iter().take(MOST_ENTRIES).map(todo).collect()
}

fn tool(said: wire::ToolCall) -> ToolReference {
    ToolReference { message_id: Some(MessageId(said.message_id)), call_id: said.call_id }
}

fn some(mut texts: Vec<String>) -> Vec<String> {
    texts.truncate(MOST_ENTRIES);
    texts.iter().map(|text| shortened(text)).collect()
}
