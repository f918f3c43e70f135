//! `/openapi.json`, printed from the registry: what is promised under `/api/v1`, and what else a program
//! may meet: bridges, streams, MCP.

use axum::{Json, extract::State};
use openspace_command::{Definition, ErrorKind, Shown};
use openspace_workspace::{Dispatcher, OpenSpace, Registry};
use serde_json::{Map, Value, json};

use self::components::Components;
use super::workspaces::TOOLS;
use crate::status::http_status;

mod beside;
mod components;

#[cfg(test)]
mod tests;

/// The document of the running server, commands of bridges included.
pub async fn document(State(dispatcher): State<Dispatcher>) -> Json<Value> {
    Json(openapi(dispatcher.registry()))
}

/// The OpenAPI document of a registry.
pub fn openapi(registry: &Registry) -> Value {
    let mut paths = Map::new();
    let mut shapes = Components::default();
    whole_space(&mut paths);
    for definition in registry.all() {
        if definition.shown == Shown::Hidden {
            continue;
        }
        let mut post = operation(&definition, &definition.tool, "200", &mut shapes);
        post["requestBody"] = body(&shapes.hoisted(&definition.input));
        paths.insert(format!("/api/v1/commands/{}", definition.id), json!({"post": post}));
    }
    resources(registry, &mut paths, &mut shapes);
    beside::add(&mut paths);
    let mut schemas = shapes.into_map();
    schemas.insert("Failure".into(), failure_schema());
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "OpenSpace",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Every command of the space. Each is also an MCP tool and a subcommand of `openspace`. Workspaces and the log are resources too. Paths under `/api/v1` keep their meaning. Operations with the tag `streams` do not end by themselves, or speak WebSocket.",
            "license": {"name": "Apache-2.0"},
        },
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "responses": {"Failure": {
                "description": "It did not do what was asked.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Failure"}}},
            }},
            "schemas": schemas,
        },
    })
}

fn failure_schema() -> Value {
    json!({
        "type": "object",
        "required": ["success", "error", "kind"],
        "properties": {
            "success": {"const": false},
            "error": {"type": "string", "description": "What went wrong, in one sentence."},
            "kind": {"enum": ErrorKind::ALL, "description": "What a program branches on."},
            "hint": {"type": ["string", "null"], "description": "What to try next."},
        },
    })
}

/// What everybody may be told, whatever was asked: at the door, of a body, of a way to ask.
fn common_failures(responses: &mut Map<String, Value>) {
    for status in ["400", "401", "403", "405", "413"] {
        responses
            .entry(status)
            .or_insert_with(|| json!({"$ref": "#/components/responses/Failure"}));
    }
}

/// What is about all of the space and is not a command.
fn whole_space(paths: &mut Map<String, Value>) {
    let since = |name: &str, what: &str, kind: &str| json!({"name": name, "in": "query", "description": what, "schema": {"type": kind}});
    let point = json!([
        since("boot", "The run of the server that was listened to last.", "string"),
        since("seq", "The number of the last event that was seen.", "integer"),
    ]);
    let object = json!({"application/json": {"schema": {"type": "object"}}});
    let text = json!({"text/event-stream": {"schema": {"type": "string"}}});
    let all = [
        ("commands", "v1_commands", "The catalogue: every command with its schemas.", &object),
        ("state", "v1_state", "The whole state of the space, with its revision.", &object),
        ("events", "v1_events", "A snapshot, then every event in order, as they happen.", &text),
    ];
    for (path, id, summary, content) in all {
        let mut responses = Map::new();
        responses.insert("200".into(), json!({"description": summary, "content": content}));
        if path == "commands" {
            let same = "It is what `If-None-Match` names.";
            responses.insert("304".into(), json!({"description": same}));
        }
        if path == "state" {
            responses.insert("404".into(), json!({"$ref": "#/components/responses/Failure"}));
        }
        common_failures(&mut responses);
        let mut get = json!({
            "operationId": id,
            "tags": [if path == "events" { "streams" } else { "space" }],
            "summary": summary,
            "responses": responses,
        });
        match path {
            "events" => get["parameters"] = point.clone(),
            "state" => {
                let what =
                    "Names of the parts that are wanted, separated by commas; all when left out.";
                get["parameters"] = json!([since("parts", what, "string")]);
            }
            _ => {}
        }
        paths.insert(format!("/api/v1/{path}"), json!({"get": get}));
    }
}

/// Some of the commands under another name.
fn resources(registry: &Registry, paths: &mut Map<String, Value>, shapes: &mut Components) {
    let mut found = |verb: &str, status: &str| {
        let definition = registry.find(verb)?;
        let id = format!("v1_{}", definition.tool);
        Some((operation(&definition, &id, status, shapes), definition))
    };
    let mut add = |path: String, method: &str, operation: Value| {
        paths.entry(path).or_insert_with(|| json!({}))[method] = operation;
    };
    let id = json!({
        "name": "id",
        "in": "path",
        "required": true,
        "description": "The workspace: `main`, or one that was created.",
        "schema": {"type": "string"},
    });
    if let Some((list, _)) = found("workspace.list", "200") {
        add("/api/v1/workspaces".into(), "get", list);
    }
    if let Some((mut create, definition)) = found("workspace.create", "201") {
        create["requestBody"] = body(&definition.input);
        add("/api/v1/workspaces".into(), "post", create);
    }
    for (verb, method) in [("workspace.get", "get"), ("workspace.destroy", "delete")] {
        if let Some((mut operation, _)) = found(verb, "200") {
            operation["parameters"] = json!([id]);
            add("/api/v1/workspaces/{id}".into(), method, operation);
        }
    }
    for tool in TOOLS {
        if let Some((mut post, definition)) = found(&format!("workspace.{tool}"), "200") {
            let mut input = (*definition.input).clone();
            if let Some(properties) = input["properties"].as_object_mut() {
                // The path names it.
                properties.shift_remove("workspace_id");
            }
            post["parameters"] = json!([id]);
            post["requestBody"] = body(&input);
            add(format!("/api/v1/workspaces/{{id}}/{tool}"), "post", post);
        }
    }
    if let Some((mut log, definition)) = found("audit.list", "200") {
        let properties = definition.input["properties"].as_object().into_iter().flatten();
        let parameters = properties.map(|(name, schema)| {
            json!({"name": name, "in": "query", "description": schema["description"], "schema": schema})
        });
        log["parameters"] = parameters.collect();
        let record = &definition.output["properties"]["records"]["items"];
        // One of its lines, not the whole answer.
        log["responses"]["200"] = json!({
            "description": "One record a line, the newest first.",
            "content": {"application/x-ndjson": {"schema": record}},
        });
        add("/api/v1/audit".into(), "get", log);
    }
}

/// What every operation of a command says, whatever its path.
fn operation(
    definition: &Definition<OpenSpace>,
    id: &str,
    success: &str,
    shapes: &mut Components,
) -> Value {
    let (summary, rest) = definition.doc.split_once("\n\n").unwrap_or((&definition.doc, ""));
    let mut responses = Map::new();
    let output = shapes.hoisted(&definition.output);
    responses.insert(success.into(), answer("It did what was asked.", &output));
    for kind in ErrorKind::ALL {
        let status = http_status(kind).as_u16().to_string();
        responses
            .entry(status)
            .or_insert_with(|| json!({"$ref": "#/components/responses/Failure"}));
    }
    common_failures(&mut responses);
    let mut operation = json!({
        "operationId": id,
        "tags": [definition.id.split('.').nth(1)],
        "summary": summary,
        "description": rest,
        "responses": responses,
    });
    if definition.deprecated.is_some() {
        operation["deprecated"] = true.into();
    }
    operation
}

/// A body may be left out where no argument is needed.
fn body(schema: &Value) -> Value {
    let needed = schema["required"].as_array().is_some_and(|names| !names.is_empty());
    let mut schema = schema.clone();
    with_null(&mut schema);
    if !needed {
        // As good as no body at all.
        schema["type"] = json!(["object", "null"]);
    }
    json!({"required": needed, "content": {"application/json": {"schema": schema}}})
}

/// What may be left out may be null as well, unless it has a value of its own then. Lists of tools do not
/// say so, because not every client reads it; who calls over HTTP may know.
fn with_null(schema: &mut Value) {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    for (name, inner) in schema["properties"].as_object_mut().into_iter().flatten() {
        with_null(inner);
        let Some(map) = inner.as_object_mut() else { continue };
        if required.iter().any(|needed| needed == name) || map.contains_key("default") {
            continue;
        }
        if let Some(Value::String(kind)) = map.get("type") {
            let both = json!([kind, "null"]);
            map.insert("type".into(), both);
        }
        if let Some(Value::Array(words)) = map.get_mut("enum") {
            words.push(Value::Null);
        }
        if let Some(Value::Array(forms)) = map.get_mut("oneOf") {
            forms.push(json!({"type": "null"}));
        }
    }
    if schema.get("items").is_some() {
        with_null(&mut schema["items"]);
    }
}

fn answer(description: &str, schema: &Value) -> Value {
    json!({"description": description, "content": {"application/json": {"schema": schema}}})
}
