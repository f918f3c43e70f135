//! What is used of opencode's API is written down in a file, and this holds the code to it. Another test holds the file to
//! what a real opencode says of itself.

use std::collections::{BTreeMap, BTreeSet};

use pretty_assertions::assert_eq;
use schemars::{Schema, schema_for};
use serde_json::{Value, json};

use super::{
    operations,
    settings::{SaidLogIn, SaidPage},
    wire,
};

const CONTRACT: &str = include_str!("../../tests/opencode/contract.json");

#[test]
fn every_request_and_every_field_that_is_read_is_in_the_contract() {
    let contract: Value = serde_json::from_str(CONTRACT).unwrap();
    let used = json!({ "operations": operations_used(), "types": types_read() });
    for part in ["operations", "types"] {
        assert_eq!(contract[part], used[part], "{}", serde_json::to_string_pretty(&used).unwrap());
    }
}

fn operations_used() -> BTreeMap<String, Value> {
    let used = operations::ALL.iter().map(|operation| {
        let name = format!("{} {}", operation.method, operation.path);
        (name, json!({ "query": operation.query, "body": operation.body }))
    });
    used.collect()
}

/// Names of opencode's types, and the paths of fields that are read of them.
fn types_read() -> BTreeMap<&'static str, BTreeSet<String>> {
    let types = [
        ("Session", schema_for!(wire::Session)),
        ("SessionStatus", schema_for!(wire::Status)),
        ("UserMessage", schema_for!(wire::UserMessage)),
        ("AssistantMessage", schema_for!(wire::AssistantMessage)),
        ("SnapshotFileDiff", schema_for!(wire::FileDiff)),
        ("TextPart", schema_for!(wire::TextPart)),
        ("ReasoningPart", schema_for!(wire::ReasoningPart)),
        ("FilePart", schema_for!(wire::FilePart)),
        ("ToolPart", schema_for!(wire::ToolPart)),
        ("StepStartPart", schema_for!(wire::PartHead)),
        ("StepFinishPart", schema_for!(wire::StepFinishPart)),
        ("PatchPart", schema_for!(wire::PatchPart)),
        ("AgentPart", schema_for!(wire::AgentPart)),
        ("SubtaskPart", schema_for!(wire::SubtaskPart)),
        ("RetryPart", schema_for!(wire::RetryPart)),
        ("CompactionPart", schema_for!(wire::CompactionPart)),
        ("PermissionRequest", schema_for!(wire::PermissionRequest)),
        ("QuestionRequest", schema_for!(wire::QuestionRequest)),
        ("Todo", schema_for!(wire::Todo)),
        ("Provider", schema_for!(wire::Provider)),
        ("ProviderAuthMethod", schema_for!(SaidLogIn)),
        ("ProviderAuthAuthorization", schema_for!(SaidPage)),
        ("Model", schema_for!(wire::Model)),
        ("Agent", schema_for!(wire::Agent)),
        ("Command", schema_for!(wire::Command)),
    ];
    let paths = |schema: Schema| {
        let mut paths = BTreeSet::new();
        collect(schema.as_value(), schema.as_value(), "", &mut paths);
        paths
    };
    types.into_iter().map(|(name, schema)| (name, paths(schema))).collect()
}

/// The paths of all fields, those of lists and of alternatives as well.
fn collect(whole: &Value, schema: &Value, path: &str, paths: &mut BTreeSet<String>) {
    if let Some(name) = schema["$ref"].as_str().and_then(|name| name.strip_prefix("#/$defs/")) {
        return collect(whole, &whole["$defs"][name], path, paths);
    }
    for alternative in schema["anyOf"].as_array().into_iter().flatten() {
        collect(whole, alternative, path, paths);
    }
    if schema["items"].is_object() {
        collect(whole, &schema["items"], path, paths);
    }
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        collect(whole, field, &path, paths);
        paths.insert(path);
    }
}
