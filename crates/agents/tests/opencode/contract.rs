//! What is used of opencode's API, held to what opencode says of itself.

use std::collections::BTreeSet;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Program, document};

const CONTRACT: &str = include_str!("contract.json");

#[tokio::test]
async fn all_that_is_used_is_in_opencodes_own_description() {
    let program = Program::start(&json!({})).await;
    let document = document(&program).await;
    let contract: Value = serde_json::from_str(CONTRACT).unwrap();
    let mut wrong = Vec::new();
    for (name, used) in contract["operations"].as_object().unwrap() {
        operation(&document, name, used, &mut wrong);
    }
    let types =
        ["types", "written"].into_iter().flat_map(|part| contract[part].as_object().unwrap());
    for (name, fields) in types {
        let known = known(&document, &document["components"]["schemas"][name]);
        missing(name, fields, &known, &mut wrong);
    }
    for (name, fields) in contract["events"].as_object().unwrap() {
        let known = event(&document, name);
        missing(name, fields, &known, &mut wrong);
    }
    assert_eq!(wrong, Vec::<String>::new());
}

fn operation(document: &Value, name: &str, used: &Value, wrong: &mut Vec<String>) {
    let (method, path) = name.split_once(' ').unwrap();
    // Names of what stands in a path do not matter.
    let plain = |path: &str| {
        let pieces = path.split('/').map(|piece| if piece.starts_with('{') { "{}" } else { piece });
        pieces.collect::<Vec<_>>().join("/")
    };
    let mut paths = document["paths"].as_object().unwrap().iter();
    let found = paths.find(|(known, _)| plain(known) == path);
    let found = found.map(|(_, methods)| &methods[method.to_lowercase()]);
    let Some(found) = found.filter(|operation| operation.is_object()) else {
        wrong.push(format!("there is no {name}"));
        return;
    };
    let parameters = found["parameters"].as_array().into_iter().flatten();
    let query = parameters.filter(|parameter| parameter["in"] == "query");
    let query = query.filter_map(|parameter| parameter["name"].as_str().map(str::to_owned));
    missing(&format!("{name} ?"), &used["query"], &query.collect(), wrong);
    let body = &found["requestBody"]["content"]["application/json"]["schema"];
    missing(&format!("{name} body"), &used["body"], &known(document, body), wrong);
}

fn event(document: &Value, name: &str) -> BTreeSet<String> {
    let schemas = document["components"]["schemas"].as_object().unwrap().values();
    let mut events = schemas.filter(|schema| schema["properties"]["type"]["enum"] == json!([name]));
    let found = events.find(|schema| schema["properties"]["properties"].is_object());
    found.map(|schema| known(document, &schema["properties"]["properties"])).unwrap_or_default()
}

fn missing(name: &str, fields: &Value, known: &BTreeSet<String>, wrong: &mut Vec<String>) {
    for field in fields.as_array().unwrap().iter().filter_map(Value::as_str) {
        if !known.contains(field) {
            wrong.push(format!("{name}: there is no {field}"));
        }
    }
}

/// The paths of all fields of a type, also of its alternatives and of what its lists hold.
fn known(document: &Value, schema: &Value) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    collect(document, schema, "", 0, &mut paths);
    paths
}

fn collect(
    document: &Value,
    schema: &Value,
    path: &str,
    depth: usize,
    paths: &mut BTreeSet<String>,
) {
    // Some types hold themselves.
    if depth > 12 {
        return;
    }
    if let Some(name) = schema["$ref"].as_str().and_then(|name| name.rsplit('/').next()) {
        let found = &document["components"]["schemas"][name];
        return collect(document, found, path, depth + 1, paths);
    }
    for form in ["anyOf", "oneOf", "allOf"] {
        for alternative in schema[form].as_array().into_iter().flatten() {
            collect(document, alternative, path, depth + 1, paths);
        }
    }
    if schema["items"].is_object() {
        collect(document, &schema["items"], path, depth + 1, paths);
    }
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        collect(document, field, &path, depth + 1, paths);
        paths.insert(path);
    }
}
