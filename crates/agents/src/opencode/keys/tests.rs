//! Keys are found, hidden and never told.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

const KEY: &str = "zq-81-Kx0-aFmW-Lr7";

fn config() -> Value {
    json!({
        "model": "scripted/scripted",
        "provider": { "scripted": {
            "name": "Scripted",
            "options": { "baseURL": "http://127.0.0.1:1/v1", "apiKey": KEY, "timeout": 10 },
            "models": { "one": { "headers": { "x-team": "blue" } } },
        } },
        "mcp": {
            "far": { "type": "remote", "headers": { "Authorization": "Bearer 77-hidden-Token-9" } },
            "near": { "type": "local", "command": ["near"], "environment": { "ANY": "pw" } },
        },
    })
}

#[test]
fn a_configuration_keeps_its_form_and_loses_what_stands_in_places_of_secrets() {
    assert_eq!(
        redacted(config()),
        json!({
            "model": "scripted/scripted",
            "provider": { "scripted": {
                "name": "Scripted",
                "options": { "baseURL": "http://127.0.0.1:1/v1", "apiKey": HIDDEN, "timeout": 10 },
                "models": { "one": { "headers": { "x-team": HIDDEN } } },
            } },
            "mcp": {
                "far": { "type": "remote", "headers": { "Authorization": HIDDEN } },
                "near": { "type": "local", "command": ["near"], "environment": { "ANY": HIDDEN } },
            },
        })
    );
}

#[test]
fn a_key_that_was_learned_is_hidden_in_texts_names_and_lists() {
    let keys = Keys::default();
    keys.learn(&config());
    let said = json!({ "message": format!("wrong key {KEY}!"), KEY: [KEY, "77-hidden-Token-9"] });
    assert_eq!(
        keys.hide(said),
        json!({ "message": "wrong key ⟨secret apiKey⟩!", "⟨secret apiKey⟩": ["⟨secret apiKey⟩", "⟨secret Authorization⟩"] })
    );
    assert_eq!(keys.hide_text(&format!("x {KEY}")), "x ⟨secret apiKey⟩");
}

#[test]
fn a_key_that_is_about_to_be_set_is_known_before() {
    let keys = Keys::default();
    assert_eq!(keys.hide_text(KEY), KEY);
    keys.learn_one("scripted", KEY);
    assert_eq!(keys.hide_text(KEY), "⟨secret key⟩");
}

#[test]
fn tokens_are_known_by_their_form_without_being_learned() {
    let token = format!("ghp_{}", "a1B2c3D4e5".repeat(4).get(..36).unwrap());
    let hidden = Keys::default().hide(json!({ "message": token }));
    assert!(!hidden.to_string().contains("a1B2"), "{hidden}");
}
