//! What is served beside the commands: bridges, streams and sockets, MCP. Their bodies are described in
//! words where a schema would only repeat the guide.

use serde_json::{Map, Value, json};

use super::common_failures;

/// A path that is no command.
struct Beside {
    path: &'static str,
    method: &'static str,
    id: &'static str,
    tag: &'static str,
    summary: &'static str,
    /// Names in the query that may be given, with what they mean.
    query: &'static [(&'static str, &'static str)],
    /// The body: its properties with their types, and whether they are needed; any JSON without them.
    body: Option<&'static [(&'static str, &'static str, bool)]>,
    /// The answer that means success: status and type of content.
    answer: (&'static str, &'static str),
    /// Further failures.
    failures: &'static [&'static str],
}

const BRIDGE: &[(&str, &str)] =
    &[("bridge", "The bridge's name, as `register-bridge` gave it; `default` when left out.")];

const PATHS: &[Beside] = &[
    Beside {
        path: "/openspace/register-bridge",
        method: "post",
        id: "bridge_register",
        tag: "bridges",
        summary: "Get a name of one's own, so that several bridges live side by side.",
        query: BRIDGE,
        body: Some(&[("name", "string", false)]),
        answer: ("200", "application/json"),
        failures: &[],
    },
    Beside {
        path: "/openspace/manifest",
        method: "post",
        id: "bridge_manifest",
        tag: "bridges",
        summary: "Say which commands a bridge has, in place of those it had before.",
        query: BRIDGE,
        body: Some(&[("commands", "array", true)]),
        answer: ("200", "application/json"),
        failures: &[],
    },
    Beside {
        path: "/openspace/state",
        method: "post",
        id: "bridge_state",
        tag: "bridges",
        summary: "Tell agents something small of a bridge's own.",
        query: BRIDGE,
        body: Some(&[]),
        answer: ("200", "application/json"),
        failures: &[],
    },
    Beside {
        path: "/openspace/commands",
        method: "post",
        id: "bridge_command",
        tag: "bridges",
        summary: "Start a command and do not wait for it, once there is a manifest.",
        query: &[],
        body: Some(&[("cmd", "string", true), ("sessionId", "string", false)]),
        answer: ("202", "application/json"),
        failures: &["503"],
    },
    Beside {
        path: "/openspace/command-results",
        method: "post",
        id: "bridge_result",
        tag: "bridges",
        summary: "Answer a call that a bridge was told of.",
        query: &[],
        body: Some(&[
            ("success", "boolean", true),
            ("callId", "string", false),
            ("cmd", "string", false),
            ("error", "string", false),
            ("hint", "string", false),
        ]),
        answer: ("200", "application/json"),
        failures: &["404"],
    },
    Beside {
        path: "/openspace/instructions",
        method: "get",
        id: "instructions",
        tag: "space",
        summary: "What an agent is told, made from the live state.",
        query: &[],
        body: None,
        answer: ("200", "text/markdown"),
        failures: &[],
    },
    Beside {
        path: "/openspace/events",
        method: "get",
        id: "bridge_events",
        tag: "streams",
        summary: "Calls for a bridge, as server-sent events.",
        query: BRIDGE,
        body: None,
        answer: ("200", "text/event-stream"),
        failures: &["503"],
    },
    Beside {
        path: "/api/v1/socket",
        method: "get",
        id: "v1_socket",
        tag: "streams",
        summary: "The live space as a WebSocket: who the view is, a snapshot, then every event.",
        query: &[
            ("boot", "The run of the server that was listened to last."),
            ("seq", "The number of the last event that was seen."),
        ],
        body: None,
        answer: ("101", ""),
        failures: &["409", "426"],
    },
    Beside {
        path: "/api/v1/terminals/{id}",
        method: "get",
        id: "v1_terminal",
        tag: "streams",
        summary: "The bytes of a terminal as a WebSocket, both ways.",
        query: &[],
        body: None,
        answer: ("101", ""),
        failures: &["404", "409", "426"],
    },
    Beside {
        path: "/api/v1/chat",
        method: "get",
        id: "v1_chat",
        tag: "streams",
        summary: "What happens in conversations with agents, as a WebSocket.",
        query: &[],
        body: None,
        answer: ("101", ""),
        failures: &["426"],
    },
    Beside {
        path: "/api/v1/chat/lines",
        method: "get",
        id: "v1_chat_lines",
        tag: "streams",
        summary: "The same of one session, as a line of JSON for each message, until the client hangs up.",
        query: &[(
            "session",
            "The session: `AGENT/SESSION`, or its id alone for the default agent.",
        )],
        body: None,
        answer: ("200", "application/x-ndjson"),
        failures: &[],
    },
    Beside {
        path: "/api/buffers",
        method: "get",
        id: "buffers",
        tag: "streams",
        summary: "Unsaved text as a WebSocket, for pages. It changes with the page.",
        query: &[],
        body: None,
        answer: ("101", ""),
        failures: &["426"],
    },
    Beside {
        path: "/api/languages",
        method: "get",
        id: "languages",
        tag: "streams",
        summary: "Language servers as a WebSocket, for pages. It changes with the page.",
        query: &[],
        body: None,
        answer: ("101", ""),
        failures: &["426"],
    },
    Beside {
        path: "/mcp",
        method: "post",
        id: "mcp",
        tag: "streams",
        summary: "The Model Context Protocol over HTTP, in its era with sessions and in that without.",
        query: &[("set", "Which tools are listed: `all`, `ide` or `workspace`.")],
        body: Some(&[]),
        answer: ("200", "application/json"),
        failures: &["404", "406", "415"],
    },
    Beside {
        path: "/mcp/stream",
        method: "get",
        id: "mcp_stream",
        tag: "streams",
        summary: "The Model Context Protocol on an upgraded connection, for `openspace mcp`.",
        query: &[("set", "Which tools are listed: `all`, `ide` or `workspace`.")],
        body: None,
        answer: ("101", ""),
        failures: &["426"],
    },
];

/// Put them among the paths.
pub(super) fn add(paths: &mut Map<String, Value>) {
    for beside in PATHS {
        let item = paths.entry(beside.path).or_insert_with(|| json!({}));
        item[beside.method] = beside.operation();
    }
}

impl Beside {
    fn operation(&self) -> Value {
        let (status, content) = self.answer;
        let mut responses = Map::new();
        let mut success = json!({"description": "It did what was asked."});
        if !content.is_empty() {
            let kind = if content == "application/json" { "object" } else { "string" };
            success["content"] = json!({content: {"schema": {"type": kind}}});
        }
        responses.insert(status.into(), success);
        for failure in self.failures {
            let failure = (*failure).to_owned();
            responses.insert(failure, json!({"$ref": "#/components/responses/Failure"}));
        }
        common_failures(&mut responses);
        let mut operation = json!({
            "operationId": self.id,
            "tags": [self.tag],
            "summary": self.summary,
            "responses": responses,
        });
        let mut parameters: Vec<Value> = self.query.iter().map(|(name, what)| {
            json!({"name": name, "in": "query", "description": what, "schema": {"type": "string"}})
        }).collect();
        if self.path.contains("{id}") {
            parameters.push(json!({
                "name": "id", "in": "path", "required": true, "schema": {"type": "string"},
            }));
        }
        if !parameters.is_empty() {
            operation["parameters"] = parameters.into();
        }
        if let Some(properties) = self.body {
            let needed: Vec<&str> =
                properties.iter().filter(|(.., needed)| *needed).map(|(name, ..)| *name).collect();
            let named: Map<String, Value> = properties
                .iter()
                .map(|(name, kind, needed)| {
                    let kind = if *needed { json!(kind) } else { json!([kind, "null"]) };
                    ((*name).to_owned(), json!({"type": kind}))
                })
                .collect();
            let schema = match properties {
                // Whatever it is.
                [] => json!({}),
                _ => json!({"type": "object", "required": needed, "properties": named}),
            };
            let content = json!({"application/json": {"schema": schema}});
            operation["requestBody"] =
                json!({"required": self.id != "bridge_register", "content": content});
        }
        operation
    }
}
