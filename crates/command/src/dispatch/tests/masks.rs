//! Who gets secrets masked, and in what.

use std::sync::atomic::AtomicBool;

use futures::future::BoxFuture;
use openspace_secrets::Value as Secret;
use pretty_assertions::assert_eq;

use super::*;
use crate::ProgressUpdate;

/// Say something.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Say {
    /// What to say.
    text: String,
    /// Fail with it.
    #[serde(default)]
    fail: bool,
    /// Somebody allowed that it is seen.
    #[serde(default)]
    allowed: bool,
}

#[derive(Serialize, JsonSchema)]
struct Said {
    said: String,
}

impl Command<Bench> for Say {
    const META: Meta = Meta::new("log.say", "Log: Say", Access::Read);
    type Output = Said;

    fn summary(&self) -> String {
        format!("say {}", self.text)
    }

    async fn run(self, cx: Cx<Bench>) -> Result<Said> {
        if self.allowed {
            cx.unmask.allow();
        }
        cx.progress.report(1.0, None, self.text.clone());
        if let Some(mut stream) = cx.progress.stream() {
            let told: String = self.text.chars().map(|c| stream.push(&c.to_string())).collect();
            cx.progress.report(2.0, None, told + &stream.finish());
        }
        if self.fail {
            return Err(Error::conflict(&self.text).hint(&self.text));
        }
        Ok(Said { said: self.text })
    }

    fn text(said: &Said) -> Option<String> {
        Some(format!("said: {}", said.said))
    }
}

/// Pass it on.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Pass {
    /// What to say.
    text: String,
}

impl Command<Bench> for Pass {
    const META: Meta = Meta::new("log.pass", "Log: Pass", Access::Read);
    type Output = Said;

    fn summary(&self) -> String {
        "pass it on".into()
    }

    async fn run(self, cx: Cx<Bench>) -> Result<Said> {
        let reply = cx.dispatch("log.say", json!({"text": self.text})).await;
        let said = reply.result?["said"].as_str().unwrap_or_default().to_owned();
        // What a command works with is not masked.
        assert_eq!((said.as_str(), reply.masked), ("a swordfish", 0));
        Ok(Said { said })
    }
}

/// Knows one secret, from when it is told to.
#[derive(Default)]
struct OneSecret {
    is_ready: AtomicBool,
    ready: Notify,
}

impl Masks for OneSecret {
    fn masker(&self) -> Arc<Masker> {
        let secrets = [Secret::new("PASSWORD of .env", "swordfish")];
        let known = usize::from(self.is_ready.load(Ordering::Relaxed));
        Arc::new(Masker::new(&secrets[..known]))
    }

    fn ready(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            if !self.is_ready.load(Ordering::Relaxed) {
                self.ready.notified().await;
            }
        })
    }
}

fn masked_bench(masks: &Arc<OneSecret>) -> (Dispatcher<Bench>, Arc<Records>) {
    let records = Arc::new(Records::default());
    let commands: &[Entry<Bench>] = &[Entry::of::<Say>(), Entry::of::<Pass>()];
    let dispatcher = Dispatcher::new(
        Arc::default(),
        Arc::new(Registry::new(&[commands])),
        Limits::default(),
        Arc::new(LetAll),
        Arc::clone(&records) as Arc<dyn Recorder>,
        Arc::clone(masks) as Arc<dyn Masks>,
        Arc::new(|| 1_000),
    );
    (dispatcher, records)
}

fn ready() -> Arc<OneSecret> {
    Arc::new(OneSecret { is_ready: true.into(), ready: Notify::new() })
}

async fn say(
    dispatcher: &Dispatcher<Bench>,
    kind: CallerKind,
    args: Value,
) -> (Reply, Vec<String>) {
    let (sender, mut progress) = mpsc::channel(8);
    let caller = Caller::new(kind, "tester", None);
    let call = Call::new(caller, "log.say", args).with_text(true);
    let reply = dispatcher.dispatch(call.with_progress(Progress::to(sender))).await;
    let mut told = Vec::new();
    while let Some(ProgressUpdate { message, .. }) = progress.recv().await {
        told.push(message);
    }
    (reply, told)
}

const MASK: &str = "⟨secret PASSWORD of .env⟩";

#[tokio::test]
async fn what_an_agent_gets_is_masked_and_counted_and_what_others_get_is_not() {
    let (dispatcher, records) = masked_bench(&ready());
    let (reply, told) = say(&dispatcher, CallerKind::Agent, json!({"text": "a swordfish"})).await;
    let masked = format!("a {MASK}");
    assert_eq!(reply.to_value(), json!({"success": true, "said": masked, "masked": 1}));
    let text = format!("said: {masked}\n(1 secret is masked: ⟨secret …⟩ stands in its place)");
    assert_eq!(reply.to_text(), text);
    assert_eq!(told, [masked.as_str(), &masked]);
    let fails = json!({"text": "a swordfish", "fail": true});
    let (reply, _) = say(&dispatcher, CallerKind::Agent, fails.clone()).await;
    assert_eq!(
        reply.to_value(),
        json!({"success": false, "error": masked, "kind": "conflict", "hint": masked, "masked": 2})
    );
    assert_eq!(dispatcher.masked(), 3);
    for kind in [CallerKind::Person, CallerKind::Script, CallerKind::Bridge] {
        let (reply, told) = say(&dispatcher, kind, json!({"text": "a swordfish"})).await;
        assert_eq!(reply.to_value(), json!({"success": true, "said": "a swordfish"}));
        assert_eq!(
            (reply.to_text().as_str(), told),
            ("said: a swordfish", vec!["a swordfish".into()])
        );
        let (reply, _) = say(&dispatcher, kind, fails.clone()).await;
        assert_eq!(reply.to_value()["error"], "a swordfish");
    }
    assert_eq!(dispatcher.masked(), 3);
    let records = records.0.lock().unwrap();
    assert!(records.iter().all(|record| record.summary == format!("say a {MASK}")), "{records:?}");
    let errors: Vec<_> = records.iter().filter_map(|record| record.error.as_deref()).collect();
    assert_eq!(errors, [masked.as_str(); 4]);
}

#[tokio::test]
async fn a_call_inside_a_call_is_masked_with_it() {
    let (dispatcher, _) = masked_bench(&ready());
    let reply = answer(&dispatcher, "log.pass", json!({"text": "a swordfish"})).await;
    assert_eq!(reply, json!({"success": true, "said": format!("a {MASK}"), "masked": 1}));
}

#[tokio::test]
async fn a_call_that_may_show_secrets_shows_them_and_its_record_says_so() {
    let (dispatcher, records) = masked_bench(&ready());
    let allowed = json!({"text": "a swordfish", "allowed": true});
    let (reply, told) = say(&dispatcher, CallerKind::Agent, allowed).await;
    assert_eq!(reply.to_value(), json!({"success": true, "said": "a swordfish"}));
    assert_eq!(told, ["a swordfish"]);
    let (reply, _) = say(&dispatcher, CallerKind::Agent, json!({"text": "a swordfish"})).await;
    assert_eq!(reply.masked, 1, "once is once");
    let records = records.0.lock().unwrap();
    let summaries: Vec<_> = records.iter().map(|record| record.summary.as_str()).collect();
    let said = format!("say a {MASK}");
    assert_eq!(summaries, [format!("{said} (answered unmasked)"), said]);
}

#[tokio::test]
async fn an_agent_waits_until_the_secrets_are_known_and_a_person_does_not() {
    let masks = Arc::<OneSecret>::default();
    let (dispatcher, _) = masked_bench(&masks);
    let (reply, _) = say(&dispatcher, CallerKind::Person, json!({"text": "a swordfish"})).await;
    assert_eq!(reply.to_value()["said"], "a swordfish");
    let call = say(&dispatcher, CallerKind::Agent, json!({"text": "a swordfish"}));
    let mut call = std::pin::pin!(call);
    assert!(futures::poll!(&mut call).is_pending());
    tokio::task::yield_now().await;
    assert!(futures::poll!(&mut call).is_pending());
    masks.is_ready.store(true, Ordering::Relaxed);
    masks.ready.notify_waiters();
    masks.ready.notify_one();
    assert_eq!(call.await.0.masked, 1);
}

#[tokio::test]
async fn what_reaches_an_agent_in_another_way_is_masked_and_counted_too() {
    let (dispatcher, _) = masked_bench(&ready());
    assert_eq!(dispatcher.mask_text("swordfish".into()), MASK);
    let mut value = json!({"title": "swordfish", "path": "swordfish"});
    dispatcher.mask_value(&mut value);
    assert_eq!(value, json!({"title": MASK, "path": "swordfish"}));
    assert_eq!(dispatcher.masked(), 2);
    let reply =
        dispatcher.refuse(&Call::new(agent(), "log_say", json!({})), Error::invalid("swordfish"));
    assert_eq!(reply.to_value()["error"], MASK);
}
