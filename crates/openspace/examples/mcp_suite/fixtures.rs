//! What the MCP conformance suite expects a server to offer (`test_*`, `test://*`).
//!
//! The suite cannot test a server that has nothing to call, so these stand-ins are served next to
//! the product's own tools. The names and texts are the suite's. Every function answers "not mine"
//! with `None`, so that the handler can ask here first.

mod content;
mod input;
mod legacy;
mod prompts;
mod resources;
mod tasks;

use std::time::Duration;

use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock,
        ProgressNotificationParam, Tool, object,
    },
    service::RequestContext,
    task_manager::TaskManager,
};
use serde_json::{Value, json};

use openspace::mcp::{Change, Edge};

pub(crate) use prompts::{completions, prompt, prompts};
pub(crate) use resources::{read, resource_templates, resources};

/// Long enough for a client to see that notifications arrive before the answer.
const PAUSE: Duration = Duration::from_millis(50);

/// Tools with no arguments: name and description.
const PLAIN: &[(&str, &str)] = &[
    ("test_simple_text", "Answers with a text"),
    ("test_image_content", "Answers with an image"),
    ("test_audio_content", "Answers with a sound"),
    ("test_embedded_resource", "Answers with an embedded resource"),
    ("test_multiple_content_types", "Answers with text, image and resource"),
    ("test_error_handling", "Always fails"),
    ("test_tool_with_progress", "Reports progress"),
    ("test_tool_with_logging", "Sends log messages"),
    ("test_logging_tool", "Sends a log message if the request asks for them"),
    ("test_trigger_tool_change", "Announces a changed tool list"),
    ("test_trigger_prompt_change", "Announces a changed prompt list"),
    ("test_missing_capability", "Needs a client that can sample"),
    ("test_streaming_elicitation", "Asks the user for a value"),
    ("test_elicitation_sep1034_defaults", "Asks the user, with defaults"),
    ("test_elicitation_sep1330_enums", "Asks the user to choose"),
    ("test_input_required_result_elicitation", "Asks the user by result"),
    ("test_input_required_result_sampling", "Asks the model by result"),
    ("test_input_required_result_list_roots", "Asks for roots by result"),
    ("test_input_required_result_request_state", "Sends signed state along"),
    ("test_input_required_result_multiple_inputs", "Asks for three things at once"),
    ("test_input_required_result_multi_round", "Asks twice in a row"),
    ("test_input_required_result_tampered_state", "Refuses changed state"),
    ("test_input_required_result_capabilities", "Asks only what the client can answer"),
];

/// All fixture tools, always in the same order.
pub(crate) fn tools() -> Vec<Tool> {
    let plain = PLAIN.iter().map(|&(name, description)| plain_tool(name, description));
    let special = [sampling_tool(), elicitation_tool(), schema_tool(), header_tool()];
    plain.chain(special).chain(tasks::tools()).collect()
}

/// The definition of one fixture tool; `None` if it is not a fixture.
pub(crate) fn tool(name: &str) -> Option<Tool> {
    tools().into_iter().find(|tool| tool.name == name)
}

/// Runs a fixture tool. Ask [`tool`] first whether it is one.
pub(crate) async fn call(
    request: CallToolRequestParams,
    cx: &RequestContext<RoleServer>,
    edge: &Edge,
    tasks: &TaskManager,
) -> Result<CallToolResponse, ErrorData> {
    if let Some(result) = content::answer(&request) {
        return Ok(result.into());
    }
    if let Some(response) = input::answer(&request, cx) {
        return response;
    }
    if let Some(result) = legacy::answer(&request, cx).await {
        return Ok(result.into());
    }
    if let Some(response) = tasks::answer(&request, cx, tasks).await {
        return response;
    }
    match request.name.as_ref() {
        "test_tool_with_progress" => Ok(progress(cx).await.into()),
        "test_trigger_tool_change" => Ok(trigger(edge, Change::Tools).await.into()),
        "test_trigger_prompt_change" => Ok(trigger(edge, Change::Prompts).await.into()),
        "test_missing_capability" => needs_sampling(cx).map(Into::into),
        name => Err(ErrorData::invalid_params(format!("Unknown tool: {name}"), None)),
    }
}

async fn progress(cx: &RequestContext<RoleServer>) -> CallToolResult {
    for step in [0.0, 50.0, 100.0] {
        if let Some(token) = cx.meta.get_progress_token() {
            let report = ProgressNotificationParam::new(token, step).with_total(100.0);
            let report = report.with_message(format!("Completed step {step} of 100"));
            // A client that is gone needs no progress.
            drop(cx.peer.notify_progress(report).await);
        }
        tokio::time::sleep(PAUSE).await;
    }
    text_result("Progress test completed")
}

async fn trigger(edge: &Edge, change: Change) -> CallToolResult {
    edge.announce(&change).await;
    text_result("Change announced")
}

/// The error names the capability, so that a client can say what it lacks.
#[expect(deprecated, reason = "the suite tests with sampling, which is deprecated")]
fn needs_sampling(cx: &RequestContext<RoleServer>) -> Result<CallToolResult, ErrorData> {
    if cx.client_capabilities().is_some_and(|client| client.sampling.is_some()) {
        return Ok(text_result("The client can sample"));
    }
    let required = ClientCapabilities::builder().enable_sampling().build();
    Err(ErrorData::missing_required_client_capability(required))
}

/// Whether the request speaks 2026-07-28 or newer (no session, no `initialize`).
fn is_modern(cx: &RequestContext<RoleServer>) -> bool {
    cx.protocol_version().is_some_and(|version| !version.has_initialize())
}

fn text_result(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

fn plain_tool(name: &'static str, description: &'static str) -> Tool {
    Tool::new(name, description, object(json!({ "type": "object", "properties": {} })))
}

fn sampling_tool() -> Tool {
    text_argument_tool("test_sampling", "Asks the client's model", "prompt")
}

fn elicitation_tool() -> Tool {
    text_argument_tool("test_elicitation", "Asks the user", "message")
}

fn text_argument_tool(name: &'static str, description: &'static str, argument: &str) -> Tool {
    let schema = json!({
        "type": "object",
        "properties": { argument: { "type": "string" } },
        "required": [argument]
    });
    Tool::new(name, description, object(schema))
}

/// One argument that the client mirrors into the header `Mcp-Param-Value`.
fn header_tool() -> Tool {
    let schema = json!({
        "type": "object",
        "properties": { "value": { "type": "string", "x-mcp-header": "Value" } },
        "required": ["value"]
    });
    Tool::new("test_custom_header", "Answers with its argument", object(schema))
}

/// Uses the keywords of JSON Schema 2020-12 that a careless server would lose on the way.
fn schema_tool() -> Tool {
    let address = json!({
        "$anchor": "address",
        "type": "object",
        "properties": { "street": { "type": "string" }, "city": { "type": "string" } }
    });
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": { "address": address },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
        },
        "allOf": [{ "anyOf": [{ "required": ["name"] }, { "required": ["address"] }] }],
        "if": { "required": ["address"] },
        "then": { "properties": { "address": { "required": ["street"] } } },
        "else": { "required": ["name"] },
        "additionalProperties": false
    });
    Tool::new("json_schema_2020_12_tool", "Has a demanding schema", object(schema))
}

fn text_argument<'a>(request: &'a CallToolRequestParams, name: &str) -> Option<&'a str> {
    request.arguments.as_ref()?.get(name).and_then(Value::as_str)
}
