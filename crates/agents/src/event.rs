//! What an agent tells by itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::{
    Failure, FileDiff, MessageId, MessageInfo, Part, PartId, PermissionId, PermissionReply,
    PermissionRequest, QuestionId, QuestionRequest, Session, SessionId, SessionStatus, Todo,
};

/// What an agent tells by itself. None of it is told twice, and nothing is told again to who comes late: after
/// [`Event::Gap`], and at the beginning, read what you show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Event {
    /// What you know may be old: read again what you show. Told when the stream broke off, and to a subscriber that was
    /// too slow.
    Gap {
        /// Why.
        why: String,
    },
    /// The stream of events is there (again), or broke off; requests may still be answered.
    Connection {
        /// Whether events come.
        connected: bool,
        /// Why not.
        why: Option<String>,
    },
    /// A session began.
    SessionCreated {
        /// The session.
        session: Session,
    },
    /// A session changed.
    SessionUpdated {
        /// The session as it is now.
        session: Session,
    },
    /// A session is gone.
    SessionDeleted {
        /// Which.
        session_id: SessionId,
    },
    /// A session works, waits or is idle.
    Status {
        /// Which.
        session_id: SessionId,
        /// What it does.
        status: SessionStatus,
    },
    /// A message began or changed. Its parts are told apart.
    MessageUpdated {
        /// The message as it is now.
        message: MessageInfo,
    },
    /// A message is gone.
    MessageRemoved {
        /// Of which session.
        session_id: SessionId,
        /// Which.
        message_id: MessageId,
    },
    /// A part began or changed; what was told of it before is replaced.
    PartUpdated {
        /// The part as it is now.
        part: Part,
    },
    /// Text to add to the end of a part. No more comes once the part is as long as a part may be; the update at its end
    /// says how much was left out.
    TextDelta {
        /// Of which session.
        session_id: SessionId,
        /// Of which message.
        message_id: MessageId,
        /// Of which part.
        part_id: PartId,
        /// What grows.
        field: TextField,
        /// What is added.
        delta: String,
    },
    /// A part is gone.
    PartRemoved {
        /// Of which session.
        session_id: SessionId,
        /// Of which message.
        message_id: MessageId,
        /// Which.
        part_id: PartId,
    },
    /// The agent wants to do something that a person must allow.
    PermissionAsked {
        /// What.
        request: PermissionRequest,
    },
    /// Somebody answered, or nobody has to any more.
    PermissionAnswered {
        /// Of which session.
        session_id: SessionId,
        /// Which.
        permission_id: PermissionId,
        /// How; missing when it was taken back.
        reply: Option<PermissionReply>,
    },
    /// The agent asks a person.
    QuestionAsked {
        /// What.
        request: QuestionRequest,
    },
    /// Somebody answered.
    QuestionAnswered {
        /// Of which session.
        session_id: SessionId,
        /// Which.
        question_id: QuestionId,
        /// The answers, one list for each question; missing when it was dismissed.
        answers: Option<Vec<Vec<String>>>,
    },
    /// The list of what is to be done changed.
    Todos {
        /// Of which session.
        session_id: SessionId,
        /// The whole list.
        todos: Vec<Todo>,
    },
    /// What a session changed in files.
    Diff {
        /// Which session.
        session_id: SessionId,
        /// File by file.
        diffs: Vec<FileDiff>,
    },
    /// The context of a session was made shorter.
    Compacted {
        /// Which session.
        session_id: SessionId,
    },
    /// Something failed: a model, a provider, an aborted turn.
    Error {
        /// Of which session, if of one.
        session_id: Option<SessionId>,
        /// What.
        failure: Failure,
    },
    /// What can be chosen (models, modes, commands, abilities) changed: ask for it again.
    CatalogueChanged {
        /// What changed, in words.
        what: String,
    },
    /// Something that this crate has no word for.
    Other {
        /// The agent's name for it.
        name: String,
        /// Of which session, if of one.
        session_id: Option<SessionId>,
    },
}

/// What of a part grows by deltas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TextField {
    /// What is said, or thought.
    Text,
    /// What a tool puts out.
    Output,
}
