//! What a guard is asked, and what comes of its answers.

use futures::future::BoxFuture;
use pretty_assertions::assert_eq;

use super::*;

/// Lets in what only looks, keeps out who wants to wait, and asks the state's gate about everything else.
pub(super) struct Doorman;

impl Guard<Bench> for Doorman {
    fn watches(&self, caller: &Caller) -> bool {
        caller.kind == CallerKind::Agent
    }

    fn admit<'a>(&'a self, asked: Asked<'a, Bench>) -> BoxFuture<'a, Result<Option<String>>> {
        Box::pin(async move {
            match asked.command.id.as_str() {
                "openspace.gate.wait" => Err(Error::new(ErrorKind::Policy, "no waiting here")),
                "openspace.log.write" if asked.arguments["word"] == "held" => {
                    let line = asked.intent.line.as_ref().map(|line| &line.text);
                    asked.progress.report(
                        1.0,
                        None,
                        format!("{line:?} in {:?}", asked.intent.folder),
                    );
                    asked.state.started.notify_one();
                    asked.state.gate.notified().await;
                    Ok(Some("approved once by browser".into()))
                }
                "openspace.log.write" => {
                    let site = asked.closer().await?.unwrap_or(asked.intent.clone()).site;
                    Ok(Some(format!("allowed by {site:?}")))
                }
                _ => Ok(None),
            }
        })
    }
}

fn let_in(records: &Records) -> Vec<(String, Option<String>)> {
    let records = records.0.lock().unwrap();
    records.iter().map(|record| (record.summary.clone(), record.let_in.clone())).collect()
}

#[tokio::test]
async fn the_record_says_by_what_a_call_was_let_in() {
    let (dispatcher, records) = bench_with(Limits::default(), Doorman);
    for word in ["a", "key"] {
        answer(&dispatcher, "log.write", json!({"word": word})).await;
    }
    let person = Caller::new(CallerKind::Person, "browser", None);
    dispatcher.dispatch(Call::new(person, "log.write", json!({"word": "held"}))).await;
    let refused = answer(&dispatcher, "gate.wait", json!({})).await;
    assert_eq!(
        (&refused["kind"], &refused["error"]),
        (&json!("policy"), &json!("no waiting here"))
    );
    let expected = [
        ("write a".to_owned(), Some("allowed by Confined".to_owned())),
        ("write key".to_owned(), Some("allowed by Space".to_owned())),
        ("write held".to_owned(), None),
        ("wait at the gate".to_owned(), None),
    ];
    assert_eq!(let_in(&records), expected);
}

/// Start a call that its guard holds.
async fn hold(
    dispatcher: &Dispatcher<Bench>,
    command: &str,
    args: Value,
) -> (Held, CancellationToken) {
    let (progress, mut reports) = mpsc::channel(4);
    let call = Call::new(agent(), command, args).with_progress(Progress::to(progress));
    let cancel = call.cancel.clone();
    let dispatcher = dispatcher.clone();
    let held = tokio::spawn(async move { dispatcher.dispatch(call).await.to_value() });
    let words = reports.recv().await.unwrap().message;
    assert_eq!(words, "Some(\"echo held\") in Some(\"tester\")");
    (held, cancel)
}

type Held = tokio::task::JoinHandle<Value>;

#[tokio::test]
async fn a_call_that_is_held_neither_runs_nor_stands_in_the_way() {
    let (dispatcher, records) = bench_with(Limits::default(), Doorman);
    let (held, _) = hold(&dispatcher, "log.write", json!({"word": "held"})).await;
    assert_eq!(dispatcher.budget(&agent()).concurrent_left, 10);
    let passed = json!({"command": "log.write", "arguments": {"word": "held"}});
    let (passed, _) = hold(&dispatcher, "gate.pass", passed).await;
    assert_eq!(dispatcher.budget(&agent()).concurrent_left, 10);
    let other = answer(&dispatcher, "log.write", json!({"word": "b"})).await;
    assert_eq!(other, json!({"success": true, "log": ["b"]}));
    dispatcher.state().gate.notify_waiters();
    assert_eq!(held.await.unwrap()["success"], true);
    assert_eq!(passed.await.unwrap()["success"], true);
    assert_eq!(*dispatcher.state().log.lock().unwrap(), ["b", "held", "held"]);
    let approved = Some("approved once by browser".to_owned());
    assert!(let_in(&records).contains(&("write held".to_owned(), approved)));
}

#[tokio::test]
async fn a_held_call_that_is_taken_back_never_runs() {
    let (dispatcher, _) = bench_with(Limits::default(), Doorman);
    let (held, cancel) = hold(&dispatcher, "log.write", json!({"word": "held"})).await;
    cancel.cancel();
    assert_eq!(held.await.unwrap()["kind"], "cancelled");
    assert!(dispatcher.state().log.lock().unwrap().is_empty());
}

#[tokio::test]
async fn what_passes_calls_on_is_judged_by_what_it_calls() {
    let (dispatcher, _) = bench_with(Limits::default(), Doorman);
    let passed = answer(&dispatcher, "gate.pass", json!({"command": "gate.wait"})).await;
    assert_eq!(passed["kind"], "policy");
    let passed = answer(&dispatcher, "gate.pass", json!({"command": "gate.look"})).await;
    assert_eq!(passed, json!({"success": true}));
}
