//! What is masked in an answer, and what is left as it is.

use std::time::Duration;

use openspace_protocol::ErrorKind;
use openspace_secrets::Value as Secret;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;
use crate::{Budget, Result};

fn masker() -> Masker {
    Masker::new(&[
        Secret::new("PASSWORD of .env", "swordfish"),
        Secret::new("SHA of .env", "9f86d081884c7d659a2feaa0c55ad015"),
    ])
}

fn masked(result: Result<Value>, text: Option<&str>) -> Reply {
    let mut reply = Reply {
        command: "x".into(),
        unknown: false,
        result: result.map(|value| value.as_object().unwrap().clone()),
        text: text.map(str::to_owned),
        exit_code: None,
        budget: Budget { calls_left: None, concurrent_left: 0, queued: 0 },
        warning: None,
        since: None,
        masked: 0,
        elapsed: Duration::ZERO,
    };
    mask_reply(&masker(), &mut reply);
    reply
}

#[test]
fn texts_are_masked_wherever_they_stand_and_names_are_not() {
    let reply = masked(
        Ok(json!({
            "output": ["a swordfish", {"swordfish": "swordfish!"}],
            "path": "swordfish/a.rs", "paths": ["swordfish"], "line": 3,
            "hash": "9f86d081884c7d659a2feaa0c55ad015", "terminalId": "swordfish",
            "message": "9f86d081884c7d659a2feaa0c55ad015", "id": "a swordfish is no id",
        })),
        Some("swordfish/a.rs: swordfish swims, commit 9f86d081884c7d659a2feaa0c55ad015"),
    );
    assert_eq!(
        reply.to_value(),
        json!({
            "success": true,
            "output": ["a ⟨secret PASSWORD of .env⟩", {"swordfish": "⟨secret PASSWORD of .env⟩!"}],
            "path": "swordfish/a.rs", "paths": ["swordfish"], "line": 3,
            "hash": "9f86d081884c7d659a2feaa0c55ad015", "terminalId": "swordfish",
            "message": "⟨secret SHA of .env⟩", "id": "a ⟨secret PASSWORD of .env⟩ is no id",
            "masked": 4,
        })
    );
    assert_eq!(
        masked(Ok(json!({"path": "swordfish/a.rs"})), Some("swordfish/a.rs: a swordfish"))
            .to_text(),
        "swordfish/a.rs: a ⟨secret PASSWORD of .env⟩\n(1 secret is masked: ⟨secret …⟩ stands in its place)"
    );
}

#[test]
fn a_failure_is_masked_too() {
    let error = Error::new(ErrorKind::Conflict, "no swordfish").hint("swordfish and swordfish");
    let reply = masked(Err(error), None);
    assert_eq!(
        reply.to_text(),
        "Error (conflict): no ⟨secret PASSWORD of .env⟩\nHint: ⟨secret PASSWORD of .env⟩ and ⟨secret \
         PASSWORD of .env⟩\n(3 secrets are masked: ⟨secret …⟩ stands in their place)"
    );
    assert_eq!(reply.to_value()["masked"], 3);
}

#[test]
fn an_answer_without_secrets_says_nothing_of_them() {
    let reply = masked(Ok(json!({"output": "plain"})), Some("plain"));
    assert_eq!(reply.to_value(), json!({"success": true, "output": "plain"}));
    assert_eq!(reply.to_text(), "plain");
}
