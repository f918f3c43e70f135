//! What is recorded of calls that fail.

use pretty_assertions::assert_eq;

use super::*;

#[tokio::test]
async fn a_failure_of_every_kind_leaves_a_record() {
    let limits = Limits { per_turn: 5, ..Limits::default() };
    let (dispatcher, records) = bench_with(limits, guards::Doorman);
    answer(&dispatcher, "no.such", json!({})).await;
    answer(&dispatcher, "log_write", json!({"word": 1})).await;
    answer(&dispatcher, "log_write", json!({"word": "unspeakable"})).await;
    answer(&dispatcher, "gate_wait", json!({})).await;
    answer(&dispatcher, "log_write", json!({"word": "in sight"})).await;
    answer(&dispatcher, "log_write", json!({"word": "a"})).await;
    let call = Call::new(agent(), "log_write", json!({}));
    let reply = dispatcher.refuse(&call, Error::invalid("API_KEY=x is not valid JSON"));
    assert_eq!(reply.to_value()["kind"], "invalid_args");
    let told: Vec<Value> = records
        .0
        .lock()
        .unwrap()
        .iter()
        .map(|r| json!([r.command, r.workspace, r.summary, r.outcome.word(), r.error]))
        .collect();
    let unread = "(arguments not understood)";
    let expected = [
        json!(["no.such", null, "", "not_found", "there is no command `no.such`"]),
        json!([
            "openspace.log.write",
            null,
            unread,
            "invalid_args",
            "argument `word`: invalid type: integer `1`, expected a string"
        ]),
        json!(["openspace.log.write", null, unread, "internal", "the command failed unexpectedly"]),
        json!(["openspace.gate.wait", null, "wait at the gate", "policy", "no waiting here"]),
        json!(["openspace.log.write", "sight", "write in sight", "done", null]),
        json!(["openspace.log.write", null, "", "limit", "all 5 calls of this turn are used"]),
        json!(["openspace.log.write", null, "", "invalid_args", "API_KEY=*** is not valid JSON"]),
    ];
    assert_eq!(told, expected);
}
