//! `/openapi.json`, printed from the registry.

use axum::{Json, extract::State};
use openspace_command::{ErrorKind, Shown};
use openspace_workspace::{Dispatcher, Registry};
use serde_json::{Map, Value, json};

use crate::status::http_status;

/// The document of the running server, commands of bridges included.
pub async fn document(State(dispatcher): State<Dispatcher>) -> Json<Value> {
    Json(openapi(dispatcher.registry()))
}

/// The OpenAPI document of a registry.
pub fn openapi(registry: &Registry) -> Value {
    let mut paths = Map::new();
    for definition in registry.all() {
        if definition.shown == Shown::Hidden {
            continue;
        }
        let (summary, rest) = definition.doc.split_once("\n\n").unwrap_or((&definition.doc, ""));
        let mut responses = Map::new();
        responses.insert("200".into(), answer("It did what was asked.", &definition.output));
        for kind in ErrorKind::ALL {
            let status = http_status(kind).as_u16().to_string();
            responses
                .entry(status)
                .or_insert_with(|| json!({"$ref": "#/components/responses/Failure"}));
        }
        paths.insert(
            format!("/api/commands/{}", definition.id),
            json!({"post": {
                "operationId": definition.tool,
                "tags": [definition.id.split('.').nth(1)],
                "summary": summary,
                "description": rest,
                "requestBody": {"content": {"application/json": {"schema": *definition.input}}},
                "responses": responses,
            }}),
        );
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "OpenSpace",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Every command of the space. Each is also an MCP tool and a subcommand of `openspace`.",
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
            "schemas": {"Failure": {
                "type": "object",
                "required": ["success", "error", "kind"],
                "properties": {
                    "success": {"const": false},
                    "error": {"type": "string", "description": "What went wrong, in one sentence."},
                    "kind": {"enum": ErrorKind::ALL, "description": "What a program branches on."},
                    "hint": {"type": ["string", "null"], "description": "What to try next."},
                },
            }},
        },
    })
}

fn answer(description: &str, schema: &Value) -> Value {
    json!({"description": description, "content": {"application/json": {"schema": schema}}})
}
