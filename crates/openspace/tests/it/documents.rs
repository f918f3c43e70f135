//! What machines read about the server: health, numbers, and the description of the API.

use std::{collections::BTreeSet, path::Path};

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Bridge, Server, read};

#[tokio::test]
async fn health_says_how_the_store_is() {
    let server = Server::start(&[]).await;
    let mut health = server.http.stranger("GET", "/healthz").send().await.json();
    assert!(health["uptimeSeconds"].take().as_f64().unwrap() >= 0.0);
    assert!(health["store"]["recordsWritten"].take().is_u64());
    let expected = json!({
        "status": "ok",
        "version": env!("CARGO_PKG_VERSION"),
        "uptimeSeconds": null,
        "store": {"recordsWritten": null, "recordsDropped": 0, "failing": false},
    });
    assert_eq!(health, expected);
}

#[tokio::test]
async fn numbers_count_what_happens() {
    let server = Server::start(&[]).await;
    server.call("terminal.create", json!({})).await;
    server.http.stranger("GET", "/api/state").send().await;
    let answer = server.http.get("/metrics").send().await;
    assert_eq!(answer.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    let text = answer.text();
    let number = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no {name} in {text}"))
    };
    let counted = [
        "openspace_terminals",
        "openspace_store_failing",
        "openspace_http_requests_total{status=\"4xx\"}",
        "openspace_http_request_seconds_bucket{le=\"+Inf\"}",
    ]
    .map(number);
    assert_eq!(counted, ["1", "0", "1", "2"]);
}

#[tokio::test]
async fn the_guide_names_every_number_and_no_other() {
    let server = Server::start(&[]).await;
    server.call("pane.list", json!({})).await;
    let text = server.http.get("/metrics").send().await.text();
    let told = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '));
    let told: BTreeSet<(String, String)> =
        told.map(|(name, kind)| (name.to_owned(), kind.to_owned())).collect();
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guides/metrics.md");
    let guide = read(&guide);
    let described = guide.lines().filter_map(|line| {
        let (name, rest) = line.strip_prefix("| `")?.split_once("` | ")?;
        Some((name.to_owned(), rest.split_once(" |")?.0.to_owned()))
    });
    assert_eq!(told, described.collect::<BTreeSet<_>>());
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let name = line.split(['{', ' ']).next().unwrap();
        let of_histogram =
            ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end));
        let is_told = |name: &str| told.iter().any(|(told, _)| told == name);
        assert!(is_told(name) || of_histogram.is_some_and(is_told), "{line}");
        assert!(line.rsplit(' ').next().unwrap().parse::<f64>().is_ok(), "{line}");
    }
    let call =
        "openspace_calls_total{command=\"openspace.pane.list\",outcome=\"ok\",caller=\"script\"} 1";
    assert!(text.lines().any(|line| line == call), "{text}");
}

fn described(document: &Value) -> BTreeSet<String> {
    document["paths"].as_object().unwrap().keys().cloned().collect()
}

#[tokio::test]
async fn the_description_of_the_api_has_every_command_that_is_not_hidden() {
    let server = Server::start(&[]).await;
    let _bridge = Bridge::silent(&server.http).await;
    let document = server.http.get("/openapi.json").send().await.json();
    assert_eq!(document["openapi"], "3.1.0");
    let catalogue = server.http.get("/api/commands").send().await.json();
    let commands = catalogue["commands"].as_array().unwrap();
    let shown: BTreeSet<String> = commands
        .iter()
        .filter(|command| command["shown"] != "hidden")
        .map(|command| format!("/api/v1/commands/{}", command["id"].as_str().unwrap()))
        .collect();
    let is_command = |path: &String| path.starts_with("/api/v1/commands/");
    let commands_described: BTreeSet<String> =
        described(&document).into_iter().filter(is_command).collect();
    assert_eq!(commands_described, shown);
    assert!(shown.contains("/api/v1/commands/openspace.slow.wait"), "those of bridges too");
    let hidden: BTreeSet<&str> = commands
        .iter()
        .filter(|command| command["shown"] == "hidden")
        .filter_map(|command| command["id"].as_str()?.strip_prefix("openspace."))
        .collect();
    let not_for_agents = [
        "agent_tool.use",
        "approval.answer",
        "approval.get",
        "approval.list",
        "chat.draft",
        "chat.may_attach",
        "chat.messages",
        "chat.original",
        "chat.seen",
        "editor.discard",
        "file.save",
        "layout.propose",
        "policy.check",
        "view.report",
    ];
    assert_eq!(hidden, not_for_agents.into());
    for command in commands.iter().filter(|command| command["shown"] != "hidden") {
        let path = format!("/api/v1/commands/{}", command["id"].as_str().unwrap());
        let post = &document["paths"][&path]["post"];
        let body = &post["requestBody"];
        let (told, declared) =
            (&body["content"]["application/json"]["schema"], &command["inputSchema"]);
        let names = |map: &Value| map.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&told["properties"]), names(&declared["properties"]), "{path}");
        assert_eq!(told["required"], declared["required"], "{path}");
        let needs_some = !command["inputSchema"]["required"].as_array().is_none_or(Vec::is_empty);
        assert_eq!(body["required"], needs_some, "{path}");
        let schema = &post["responses"]["200"]["content"]["application/json"]["schema"];
        let (told, declared) = (&schema["properties"], &command["outputSchema"]["properties"]);
        assert_eq!(names(told), names(declared), "{path}");
        for status in ["400", "401", "403", "413"] {
            let failure = json!({"$ref": "#/components/responses/Failure"});
            assert_eq!(post["responses"][status], failure, "{path} {status}");
        }
    }
}

/// Every reference in a document.
fn references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            found.extend(map.get("$ref").and_then(Value::as_str).map(str::to_owned));
            map.values().for_each(|value| references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

#[tokio::test]
async fn every_reference_in_the_description_of_the_api_leads_somewhere() {
    let server = Server::start(&[]).await;
    let document = server.http.get("/openapi.json").send().await.json();
    let mut found = Vec::new();
    references(&document, &mut found);
    let broken: BTreeSet<&String> = found
        .iter()
        .filter(|reference| {
            let pointer = reference.strip_prefix('#');
            pointer.is_none_or(|pointer| document.pointer(pointer).is_none())
        })
        .collect();
    assert_eq!(broken, BTreeSet::new());
    assert!(found.iter().any(|it| it.starts_with("#/components/schemas/")), "{}", found.len());
}

#[tokio::test]
async fn the_description_of_the_api_says_what_the_door_and_the_state_say() {
    let server = Server::start(&[]).await;
    let document = server.http.get("/openapi.json").send().await.json();
    let stranger = server.http.stranger("GET", "/api/v1/state").send().await;
    let get = &document["paths"]["/api/v1/state"]["get"];
    assert!(get["responses"].get(stranger.status.to_string()).is_some(), "{}", stranger.status);
    assert_eq!(get["parameters"][0]["name"], "parts");
    for path in ["/mcp", "/openspace/events", "/openspace/manifest", "/api/v1/terminals/{id}"] {
        assert!(document["paths"].get(path).is_some(), "{path}");
    }
}

#[tokio::test]
async fn the_description_of_the_api_has_every_resource() {
    let server = Server::start(&[]).await;
    let document = server.http.get("/openapi.json").send().await.json();
    let paths = document["paths"].as_object().unwrap();
    let resources: Vec<(&str, Vec<&String>)> = paths
        .iter()
        .filter_map(|(path, item)| Some((path.strip_prefix("/api/v1/")?, item)))
        .filter(|(path, _)| !path.starts_with("commands/"))
        .map(|(path, item)| (path, item.as_object().unwrap().keys().collect()))
        .collect();
    let resources: Vec<String> =
        resources.iter().map(|(path, methods)| format!("{path} {methods:?}")).collect();
    let expected = [
        r#"commands ["get"]"#,
        r#"state ["get"]"#,
        r#"events ["get"]"#,
        r#"workspaces ["get", "post"]"#,
        r#"workspaces/{id} ["get", "delete"]"#,
        r#"workspaces/{id}/bash ["post"]"#,
        r#"workspaces/{id}/read ["post"]"#,
        r#"workspaces/{id}/write ["post"]"#,
        r#"workspaces/{id}/edit ["post"]"#,
        r#"workspaces/{id}/glob ["post"]"#,
        r#"workspaces/{id}/grep ["post"]"#,
        r#"workspaces/{id}/git ["post"]"#,
        r#"workspaces/{id}/run_output ["post"]"#,
        r#"workspaces/{id}/run_kill ["post"]"#,
        r#"workspaces/{id}/run_list ["post"]"#,
        r#"audit ["get"]"#,
        r#"socket ["get"]"#,
        r#"terminals/{id} ["get"]"#,
        r#"chat ["get"]"#,
        r#"chat/lines ["get"]"#,
    ];
    assert_eq!(resources, expected);
    let operations: Vec<&Value> =
        paths.values().flat_map(|item| item.as_object().unwrap().values()).collect();
    let ids: BTreeSet<&str> =
        operations.iter().map(|one| one["operationId"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), operations.len(), "no two operations share an id");

    let bash = &paths["/api/v1/workspaces/{id}/bash"]["post"];
    let schema = &bash["requestBody"]["content"]["application/json"]["schema"];
    assert!(schema["properties"]["command"].is_object(), "{schema}");
    assert!(schema["properties"].get("workspace_id").is_none(), "the path names it");
    assert_eq!(
        (&bash["parameters"][0]["name"], &bash["parameters"][0]["in"]),
        (&json!("id"), &json!("path"))
    );
    let create = &paths["/api/v1/workspaces"]["post"]["responses"];
    assert!(create["201"]["content"].is_object() && create.get("200").is_none());
    let log = &paths["/api/v1/audit"]["get"];
    let names = log["parameters"].as_array().unwrap().iter().map(|one| one["name"].clone());
    assert!(names.clone().any(|name| name == "since"), "{log}");
    let record = &log["responses"]["200"]["content"]["application/x-ndjson"]["schema"];
    assert!(record["properties"]["command"].is_object(), "{record}");
}
