//! What people did since the last call goes with the answer: where, to whom, and masked.

use std::sync::atomic::AtomicUsize;

use openspace_secrets::Value as Secret;
use pretty_assertions::assert_eq;

use super::*;
use crate::{Meanwhile, Since};

/// Knows that a person opened a file with a secret in its name, and counts who asked.
#[derive(Default)]
struct Always(AtomicUsize);

impl Meanwhile for Always {
    fn since_last_call(&self, caller: &Caller) -> Option<Since> {
        self.0.fetch_add(1, Ordering::Relaxed);
        let what = format!("swordfish for {}", caller.id);
        Some(Since { line: format!("(Meanwhile: {what})"), data: json!({"opened": [what]}) })
    }
}

struct OneSecret;

impl Masks for OneSecret {
    fn masker(&self) -> Arc<Masker> {
        Arc::new(Masker::new(&[Secret::new("PASSWORD of .env", "swordfish")]))
    }
}

fn bench() -> (Dispatcher<Bench>, Arc<Always>) {
    let commands: &[Entry<Bench>] = &[Entry::of::<Write>(), Entry::of::<Wait>()];
    let dispatcher = Dispatcher::new(
        Arc::default(),
        Arc::new(Registry::new(&[commands])),
        Limits::default(),
        Arc::new(LetAll),
        Arc::new(Records::default()),
        Arc::new(OneSecret),
        Arc::new(|| 0),
    );
    let always = Arc::new(Always::default());
    dispatcher.tell_meanwhile(Arc::clone(&always) as _);
    (dispatcher, always)
}

fn call(kind: CallerKind, args: Value) -> Call {
    Call::new(Caller::new(kind, "it", None), "log.write", args).with_text(true)
}

#[tokio::test]
async fn an_agent_is_told_with_each_answer_and_secrets_in_it_are_masked() {
    let (dispatcher, _) = bench();
    let reply = dispatcher.dispatch(call(CallerKind::Agent, json!({"word": "a"}))).await;
    let masked = "⟨secret PASSWORD of .env⟩ for it";
    assert_eq!(
        reply.to_value(),
        json!({"success": true, "log": ["a"], "masked": 1, "since_your_last_call": {"opened": [masked]}})
    );
    assert!(reply.to_text().ends_with(&format!("\n(Meanwhile: {masked})")), "{}", reply.to_text());
    for refused in [
        dispatcher.dispatch(call(CallerKind::Agent, json!({"word": "a", "times": 0}))).await,
        dispatcher.refuse(&call(CallerKind::Agent, Value::Null), Error::invalid("no JSON")),
    ] {
        let value = refused.to_value();
        assert_eq!(value["since_your_last_call"], json!({"opened": [masked]}), "{value}");
    }
}

#[tokio::test]
async fn nobody_else_is_told_and_nothing_is_told_to_who_does_not_read_it() {
    let (dispatcher, always) = bench();
    for kind in [CallerKind::Person, CallerKind::Script, CallerKind::Bridge] {
        let reply = dispatcher.dispatch(call(kind, json!({"word": "a"}))).await;
        assert_eq!(reply.since, None);
    }
    let unseen = call(CallerKind::Agent, json!({"word": "a"})).unseen();
    assert_eq!(dispatcher.dispatch(unseen).await.since, None);
    let agent = Caller::new(CallerKind::Agent, "it", None);
    let waits = Call::new(agent, "gate.wait", json!({}));
    waits.cancel.cancel();
    assert_eq!(dispatcher.dispatch(waits).await.since, None, "it was taken back");
    assert_eq!(always.0.load(Ordering::Relaxed), 0, "it is still to be told");
}
