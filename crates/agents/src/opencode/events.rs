//! Events of opencode, in the words of the model.

use serde_json::Value;

use super::{translate, wire};
use crate::{
    AgentError, Event, TextField,
    model::{MessageId, PartId, PermissionId, PermissionReply, QuestionId, SessionId, shortened},
};

#[cfg(test)]
mod tests;

/// What says nothing to those who talk to opencode, or says again what another event says.
const NOISE: &[&str] = &[
    "integration.connection.updated",
    "integration.updated",
    "models-dev.refreshed",
    "plugin.added",
    "project.updated",
    "reference.updated",
    "server.connected",
    "server.heartbeat",
    // `session.status` says it.
    "session.idle",
    // Every event of a session once more, for those who keep copies.
    "sync",
];

/// The event; nothing for what is noise.
pub(super) fn event(said: wire::Payload) -> Result<Option<Event>, AgentError> {
    let kind = said.r#type;
    if NOISE.contains(&kind.as_str()) {
        return Ok(None);
    }
    let mut with = Properties { kind: &kind, said: said.properties };
    let event = match kind.as_str() {
        "session.created" => {
            Event::SessionCreated { session: translate::session(with.take("info")?) }
        }
        "session.updated" => {
            Event::SessionUpdated { session: translate::session(with.take("info")?) }
        }
        "session.deleted" => Event::SessionDeleted { session_id: with.session()? },
        "session.status" => Event::Status {
            session_id: with.session()?,
            status: translate::status(with.take("status")?),
        },
        "session.diff" => Event::Diff {
            session_id: with.session()?,
            diffs: translate::file_diffs(with.take("diff")?),
        },
        "session.compacted" => Event::Compacted { session_id: with.session()? },
        "session.error" => Event::Error {
            session_id: with.session().ok(),
            failure: translate::failure(with.take("error")?),
        },
        "message.updated" => {
            Event::MessageUpdated { message: translate::message_info(with.take("info")?)? }
        }
        "message.removed" => {
            Event::MessageRemoved { session_id: with.session()?, message_id: with.message()? }
        }
        "message.part.updated" => {
            let part = translate::part(with.take("part")?);
            Event::PartUpdated { part: part.ok_or_else(|| with.wrong("part"))? }
        }
        "message.part.delta" if with.said["field"] == "text" => Event::TextDelta {
            session_id: with.session()?,
            message_id: with.message()?,
            part_id: with.part()?,
            field: TextField::Text,
            delta: with.take("delta")?,
        },
        "message.part.removed" => Event::PartRemoved {
            session_id: with.session()?,
            message_id: with.message()?,
            part_id: with.part()?,
        },
        "permission.asked" => {
            Event::PermissionAsked { request: translate::permission(with.all()?) }
        }
        "permission.replied" => Event::PermissionAnswered {
            session_id: with.session()?,
            permission_id: PermissionId(with.take("requestID")?),
            reply: match with.take::<String>("reply")?.as_str() {
                "once" => Some(PermissionReply::Once),
                "always" => Some(PermissionReply::Always),
                "reject" => Some(PermissionReply::Reject),
                _ => None,
            },
        },
        "question.asked" => Event::QuestionAsked { request: translate::question(with.all()?) },
        "question.replied" => Event::QuestionAnswered {
            session_id: with.session()?,
            question_id: QuestionId(with.take("requestID")?),
            answers: Some(with.take("answers")?),
        },
        "question.rejected" => Event::QuestionAnswered {
            session_id: with.session()?,
            question_id: QuestionId(with.take("requestID")?),
            answers: None,
        },
        "todo.updated" => Event::Todos {
            session_id: with.session()?,
            todos: translate::todos(with.take("todos")?),
        },
        "catalog.updated" => Event::CatalogueChanged { what: "models".to_owned() },
        "mcp.tools.changed" => Event::CatalogueChanged { what: "tools and commands".to_owned() },
        "server.instance.disposed" => {
            Event::CatalogueChanged { what: "opencode reads its configuration again".to_owned() }
        }
        _ => Event::Other { name: shortened(&kind), session_id: with.session().ok() },
    };
    Ok(Some(event))
}

/// What an event says, taken out name by name.
struct Properties<'a> {
    kind: &'a str,
    said: Value,
}

impl Properties<'_> {
    fn take<T: serde::de::DeserializeOwned>(&mut self, name: &str) -> Result<T, AgentError> {
        let value = self.said.get_mut(name).map(Value::take).unwrap_or_default();
        translate::read(&format!("{name} of {}", self.kind), value)
    }

    fn all<T: serde::de::DeserializeOwned>(&mut self) -> Result<T, AgentError> {
        translate::read(self.kind, self.said.take())
    }

    fn session(&mut self) -> Result<SessionId, AgentError> {
        self.take("sessionID").map(SessionId)
    }

    fn message(&mut self) -> Result<MessageId, AgentError> {
        self.take("messageID").map(MessageId)
    }

    fn part(&mut self) -> Result<PartId, AgentError> {
        self.take("partID").map(PartId)
    }

    fn wrong(&self, name: &str) -> AgentError {
        let what = format!("{name} of {}", self.kind);
        AgentError::Protocol { what, why: "it does not say whose it is".to_owned() }
    }
}
