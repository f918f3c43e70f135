//! What the list of tools costs those who carry it, and that it still holds for every answer.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Mcp, Server};

/// Bytes of a list of tools: all of it, and what models are shown of it.
#[derive(Debug)]
struct Size {
    whole: usize,
    shown: usize,
}

async fn listed(server: &Server, set: &str) -> Vec<Value> {
    Mcp::connect(&server.http, &format!("/mcp?set={set}")).await.tools().await
}

fn shown(tool: &Value) -> usize {
    let parts = ["name", "description", "inputSchema"].map(|part| (part, &tool[part]));
    json!(std::collections::BTreeMap::from(parts)).to_string().len()
}

fn size(tools: &[Value]) -> Size {
    let shown = tools.iter().map(|tool| shown(tool) + 1).sum();
    Size { whole: json!(tools).to_string().len(), shown }
}

/// Each tool with what it costs, the dearest first: what to look at when a bound is passed.
fn costs(tools: &[Value]) -> String {
    let mut costs: Vec<(usize, usize, &str)> = tools
        .iter()
        .map(|tool| {
            let name = tool["name"].as_str().unwrap();
            (shown(tool), tool["outputSchema"].to_string().len(), name)
        })
        .collect();
    costs.sort_unstable();
    let lines =
        costs.iter().rev().map(|(shown, output, name)| format!("{name}: {shown} + {output}"));
    lines.collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn a_list_of_tools_is_short() {
    let server = Server::start(&[]).await;
    for (set, whole, shown) in
        [("all", 60_000, 24_000), ("ide", 30_000, 12_000), ("workspace", 45_000, 18_000)]
    {
        let tools = listed(&server, set).await;
        let size = size(&tools);
        let is_short = size.whole <= whole && size.shown <= shown;
        assert!(is_short, "{set}: {size:?}, bounds {whole} and {shown}\n{}", costs(&tools));
    }
}

#[tokio::test]
async fn every_failure_fits_the_schema_of_every_tool() {
    let server = Server::start(&[]).await;
    let failure = server.http.post("/api/commands/no.such", &json!({})).send().await.json();
    assert_eq!(failure["success"], false);
    for tool in listed(&server, "all").await {
        let schema = jsonschema::validator_for(&tool["outputSchema"]).unwrap();
        for kind in openspace_command::ErrorKind::ALL {
            let mut failure = failure.clone();
            failure["kind"] = json!(kind);
            schema.validate(&failure).unwrap_or_else(|error| panic!("{}: {error}", tool["name"]));
        }
    }
}
