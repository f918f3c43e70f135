//! What is remembered where, and for how long.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;

fn store(person: &TempDir, workspace: &str) -> UserData {
    UserData::new(person.path().join("config"), person.path().join(workspace).join("ui-state.json"))
}

fn change(store: &UserData, change: Value) -> Result<()> {
    store.change_ui_state(serde_json::from_value(change).unwrap())
}

fn state(store: &UserData) -> Value {
    json!(store.ui_state().unwrap())
}

#[test]
fn each_scope_is_remembered_as_far_as_it_says() {
    let person = tempfile::tempdir().unwrap();
    let (one, two) = (store(&person, "one"), store(&person, "two"));
    assert_eq!(state(&one), json!({"application": {}, "profile": {}, "workspace": {}}));
    for scope in ["application", "profile", "workspace"] {
        change(&one, json!({"scope": scope, "set": {"kept": scope, "gone": "1"}})).unwrap();
        change(&two, json!({"scope": scope, "set": {"other": "2"}, "remove": ["gone", "none"]}))
            .unwrap();
    }
    let shared = |scope: &str| json!({"kept": scope, "other": "2"});
    let expected = |workspace: Value| json!({"application": shared("application"), "profile": shared("profile"), "workspace": workspace});
    assert_eq!(state(&one), expected(json!({"kept": "workspace", "gone": "1"})));
    assert_eq!(state(&two), expected(json!({"other": "2"})));
    assert_eq!(state(&store(&person, "two")), state(&two), "after a restart");
}

#[test]
fn a_scope_has_a_size() {
    let person = tempfile::tempdir().unwrap();
    let store = store(&person, "one");
    let half = "x".repeat(MAX_SCOPE / 2);
    change(&store, json!({"scope": "profile", "set": {"a": half}})).unwrap();
    let error = change(&store, json!({"scope": "profile", "set": {"b": half}})).unwrap_err();
    assert_eq!(error.message, "the scope would have 4194319 bytes, more than 4194304");
    assert_eq!(state(&store)["profile"].as_object().unwrap().len(), 1);
    change(&store, json!({"scope": "profile", "set": {"b": half}, "remove": ["a"]})).unwrap();
}

#[test]
fn what_cannot_be_understood_is_forgotten() {
    let person = tempfile::tempdir().unwrap();
    let store = store(&person, "one");
    change(&store, json!({"scope": "application", "set": {"a": "1"}})).unwrap();
    write(&store.scope_file(Scope::Application), b"{\"a\": 1").unwrap();
    assert_eq!(state(&store)["application"], json!({}));
    change(&store, json!({"scope": "application", "set": {"b": "2"}})).unwrap();
    assert_eq!(state(&store)["application"], json!({"b": "2"}));
}
