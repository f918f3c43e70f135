//! Every request that is made of opencode: method, path, parameters, and what its body may hold.
//!
//! A request can only be made of an operation that is declared here, with parameters and fields that it names; a test
//! holds the declarations to what opencode itself says of them.

use std::time::Duration;

use crate::Thing;

/// How long most requests may take. The first one for a folder waits for that folder's tool servers.
const USUAL: Duration = Duration::from_secs(30);
/// How long a request may take that is answered when a turn is over.
const TURN: Duration = Duration::from_hours(1);

/// How long a request may take that is answered when a person has done something elsewhere.
const PERSON: Duration = Duration::from_mins(10);

/// A request that opencode answers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation {
    pub(super) method: &'static str,
    /// With `{}` for each thing that is named in it.
    pub(super) path: &'static str,
    /// What is named in the path.
    pub(super) names: &'static [Thing],
    pub(super) query: &'static [&'static str],
    pub(super) body: &'static [&'static str],
    pub(super) within: Duration,
}

impl Operation {
    const fn new(method: &'static str, path: &'static str) -> Self {
        Self { method, path, names: &[], query: &[], body: &[], within: USUAL }
    }

    const fn get(path: &'static str) -> Self {
        Self::new("GET", path)
    }

    const fn post(path: &'static str) -> Self {
        Self::new("POST", path)
    }

    const fn delete(path: &'static str) -> Self {
        Self::new("DELETE", path)
    }

    const fn names(self, names: &'static [Thing]) -> Self {
        Self { names, ..self }
    }

    const fn query(self, query: &'static [&'static str]) -> Self {
        Self { query, ..self }
    }

    const fn body(self, body: &'static [&'static str]) -> Self {
        Self { body, ..self }
    }

    const fn whole_turn(self) -> Self {
        Self { within: TURN, ..self }
    }

    const fn for_a_person(self) -> Self {
        Self { within: PERSON, ..self }
    }

    /// Whether it is answered before a turn is over, and before a person has done anything.
    pub(super) fn is_short(&self) -> bool {
        self.within <= USUAL
    }
}

/// How ids of things begin. opencode answers others with a fault of its own.
pub(super) fn prefix(of: Thing) -> &'static str {
    match of {
        Thing::Session => "ses",
        Thing::Message => "msg",
        Thing::Permission => "per",
        Thing::Question => "que",
        Thing::Model | Thing::Mode | Thing::Command | Thing::Provider => "",
    }
}

macro_rules! operations {
    ($($name:ident = $operation:expr;)*) => {
        $(pub(super) const $name: &Operation = &$operation;)*

        /// All of them.
        #[cfg(test)]
        pub(super) const ALL: &[&Operation] = &[$($name),*];
    };
}

const SESSION: &[Thing] = &[Thing::Session];
const MESSAGE_OF_SESSION: &[Thing] = &[Thing::Session, Thing::Message];
const PERMISSION: &[Thing] = &[Thing::Permission];
const QUESTION: &[Thing] = &[Thing::Question];
const PROVIDER: &[Thing] = &[Thing::Provider];

operations! {
    EVENTS = Operation::get("/global/event");
    HEALTH = Operation::get("/global/health");

    SESSIONS = Operation::get("/session").query(&["roots", "search", "limit"]);
    CREATE = Operation::post("/session").body(&["title", "agent", "model"]);
    STATUSES = Operation::get("/session/status");
    ONE = Operation::get("/session/{}").names(SESSION);
    RENAME = Operation::new("PATCH", "/session/{}").names(SESSION).body(&["title"]);
    DELETE = Operation::delete("/session/{}").names(SESSION);
    CHILDREN = Operation::get("/session/{}/children").names(SESSION);
    TODOS = Operation::get("/session/{}/todo").names(SESSION);
    DIFF = Operation::get("/session/{}/diff").names(SESSION).query(&["messageID"]);
    FORK = Operation::post("/session/{}/fork").names(SESSION).body(&["messageID"]);
    REVERT = Operation::post("/session/{}/revert").names(SESSION).body(&["messageID", "partID"]);
    UNREVERT = Operation::post("/session/{}/unrevert").names(SESSION);
    SHARE = Operation::post("/session/{}/share").names(SESSION);
    UNSHARE = Operation::delete("/session/{}/share").names(SESSION);
    ABORT = Operation::post("/session/{}/abort").names(SESSION);
    COMPACT = Operation::post("/session/{}/summarize")
        .names(SESSION).body(&["providerID", "modelID"]).whole_turn();

    MESSAGES = Operation::get("/session/{}/message").names(SESSION).query(&["limit", "before"]);
    MESSAGE = Operation::get("/session/{}/message/{}").names(MESSAGE_OF_SESSION);
    SEND = Operation::post("/session/{}/prompt_async")
        .names(SESSION).body(&["messageID", "model", "variant", "agent", "parts"]);
    COMMAND = Operation::post("/session/{}/command").names(SESSION)
        .body(&["messageID", "command", "arguments", "model", "variant", "agent"]).whole_turn();

    PERMISSIONS = Operation::get("/permission");
    ANSWER_PERMISSION = Operation::post("/permission/{}/reply")
        .names(PERMISSION).body(&["reply", "message"]);
    QUESTIONS = Operation::get("/question");
    ANSWER_QUESTION = Operation::post("/question/{}/reply").names(QUESTION).body(&["answers"]);
    REJECT_QUESTION = Operation::post("/question/{}/reject").names(QUESTION);

    CONFIG = Operation::get("/config");
    CONFIGURED = Operation::get("/config/providers");
    PROVIDERS = Operation::get("/provider");
    LOG_INS = Operation::get("/provider/auth");
    SET_KEY = Operation::new("PUT", "/auth/{}").names(PROVIDER).body(&["type", "key", "metadata"]);
    REMOVE_KEY = Operation::delete("/auth/{}").names(PROVIDER);
    OPEN_PAGE = Operation::post("/provider/{}/oauth/authorize")
        .names(PROVIDER).body(&["method", "inputs"]);
    PAGE_DONE = Operation::post("/provider/{}/oauth/callback")
        .names(PROVIDER).body(&["method", "code"]).for_a_person();
    READ_AGAIN = Operation::post("/instance/dispose");
    MODES = Operation::get("/agent");
    COMMANDS = Operation::get("/command");
}
