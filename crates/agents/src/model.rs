//! The words of a conversation: what agents and those who talk to them say, as plain data.
//!
//! Times are milliseconds since 1970 as the agent says them, ids are its own. Texts and lists have bounds; what was left
//! out of one is counted, so that nobody takes a part for the whole.

mod bounds;
mod catalogue;
mod files;
mod ids;
mod message;
mod part;
mod prompt;
mod providers;
mod requests;
mod session;

pub use bounds::{
    LONGEST_DATA, LONGEST_INPUT, LONGEST_NAME, LONGEST_TEXT, LongText, MOST_DIFFS, MOST_MESSAGES,
    MOST_PARTS, MOST_SESSIONS, bounded_value, shortened,
};
pub use catalogue::{
    Mode, ModeUse, Model, ModelChoice, Models, Provider, SlashCommand, SlashCommandCall,
};
pub use files::{Change, DiffText, FileDiff, FilePlace, FileReference, Lines};
pub use ids::{MessageId, PartId, PermissionId, QuestionId, SessionId};
pub use message::{
    Failure, FailureKind, Message, MessageInfo, MessagePage, MessageQuery, Role, Usage,
};
pub use part::{Location, Part, PartContent, ToolCall, ToolState};
pub use prompt::{Prompt, PromptPart, Span};
pub use providers::{
    Key, KeyLogIn, LONGEST_KEY, LogInAsk, LogInChoice, LogInCondition, LogInPage, LogInWay,
    PageLogIn, ProviderSetting,
};
pub use requests::{
    PermissionAnswer, PermissionReply, PermissionRequest, Question, QuestionChoice,
    QuestionRequest, Todo, TodoState, ToolReference,
};
pub use session::{
    NewSession, RevertTo, Reverted, Session, SessionPage, SessionQuery, SessionStatus,
    StatusOfSession, Totals,
};
