//! Callers that somebody looks after, and calls that fail again and again.

use futures::future::BoxFuture;
use pretty_assertions::assert_eq;

use super::*;

/// Refuses destruction, holds changes until told, and ends what runs when told.
#[derive(Default)]
struct Keeper {
    begun: Mutex<Vec<(String, bool)>>,
    agreed: Arc<Notify>,
    enough: CancellationToken,
}

struct Looked {
    is_held: bool,
    agreed: Arc<Notify>,
    enough: CancellationToken,
}

impl Supervisor for Keeper {
    fn begin(&self, beginning: &Beginning<'_>) -> Result<Option<Box<dyn Attendance>>> {
        let Beginning { caller, summary, access, nested, .. } = *beginning;
        self.begun.lock().unwrap().push((summary.to_owned(), nested));
        if caller.kind != CallerKind::Agent {
            return Ok(None);
        }
        if access == Access::Destroy {
            return Err(Error::denied("nothing is destroyed today"));
        }
        let (agreed, enough) = (Arc::clone(&self.agreed), self.enough.clone());
        Ok(Some(Box::new(Looked { is_held: access == Access::Edit, agreed, enough })))
    }
}

impl Attendance for Looked {
    fn let_go_on<'a>(&'a self, progress: &'a Progress) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            if self.is_held {
                progress.report(0.0, None, "somebody has to agree");
                self.agreed.notified().await;
            }
            Ok(())
        })
    }

    fn ended(&self) -> BoxFuture<'_, Error> {
        Box::pin(async move {
            self.enough.cancelled().await;
            Error::new(ErrorKind::Cancelled, "the person has had enough")
        })
    }
}

fn kept() -> (Dispatcher<Bench>, Arc<Records>, Arc<Keeper>) {
    let (dispatcher, records) = bench();
    let keeper = Arc::new(Keeper::default());
    dispatcher.look_after_callers(Arc::clone(&keeper) as _);
    (dispatcher, records, keeper)
}

fn spawned(dispatcher: &Dispatcher<Bench>, call: Call) -> tokio::task::JoinHandle<Reply> {
    let dispatcher = dispatcher.clone();
    tokio::spawn(async move { dispatcher.dispatch(call).await })
}

#[tokio::test]
async fn a_call_that_may_not_begin_is_refused_and_on_record() {
    let (dispatcher, records, keeper) = kept();
    let refused = answer(&dispatcher, "gate.fall", json!({})).await;
    assert_eq!(refused["error"], "nothing is destroyed today");
    let record = records.0.lock().unwrap().pop().unwrap();
    assert_eq!(
        (record.summary.as_str(), record.outcome),
        ("fall", Outcome::Failed(ErrorKind::Denied))
    );
    let person = Caller::new(CallerKind::Person, "browser", None);
    let call = Call::new(person, "log.write", json!({"word": "a"}));
    assert!(dispatcher.dispatch(call).await.result.is_ok(), "nobody looks after people");
    let begun = [("fall".to_owned(), false), ("write a".to_owned(), false)];
    assert_eq!(*keeper.begun.lock().unwrap(), begun);
}

#[tokio::test]
async fn a_call_that_is_held_goes_on_when_it_may_and_holds_up_nobody() {
    let (dispatcher, _, keeper) = kept();
    let (reports, mut progress) = mpsc::channel(1);
    let call =
        Call::new(agent(), "log.write", json!({"word": "a"})).with_progress(Progress::to(reports));
    let held = spawned(&dispatcher, call);
    assert_eq!(progress.recv().await.unwrap().message, "somebody has to agree");
    let looked = answer(&dispatcher, "gate.look", json!({})).await;
    assert_eq!(looked, json!({"success": true}), "it waits in no line meanwhile");
    keeper.agreed.notify_one();
    assert_eq!(held.await.unwrap().to_value(), json!({"success": true, "log": ["a"]}));
}

#[tokio::test]
async fn a_call_that_somebody_ends_says_who_it_was() {
    let (dispatcher, records, keeper) = kept();
    let call = Call::new(agent(), "gate.wait", json!({}));
    let cancelled = call.cancel.clone();
    let running = spawned(&dispatcher, call);
    dispatcher.state().started.notified().await;
    assert_eq!(dispatcher.load(), Load { running: 1, waiting: 0 });
    keeper.enough.cancel();
    let ended = running.await.unwrap().to_value();
    assert_eq!(
        (&ended["kind"], &ended["error"]),
        (&json!("cancelled"), &json!("the person has had enough"))
    );
    assert!(cancelled.is_cancelled(), "work on other threads hears of it too");
    assert_eq!(dispatcher.load(), Load::default());
    let record = records.0.lock().unwrap().pop().unwrap();
    assert_eq!(record.error.as_deref(), Some("the person has had enough"));
}

#[tokio::test(start_paused = true)]
async fn the_same_failing_call_is_stopped_until_something_else_works() {
    let limits = Limits { per_turn: 1_000, ..Limits::default() };
    let (dispatcher, _) = bench_with(limits, LetAll);
    let wrong = || answer(&dispatcher, "log.write", json!({"word": "a", "times": 0}));
    for time in 1..=6 {
        let failed = wrong().await;
        assert_eq!(failed["kind"], "invalid_args");
        let is_advised = failed["hint"].as_str().is_some_and(|hint| hint.contains("the same way"));
        assert_eq!(is_advised, time >= 3, "{time}: {failed}");
    }
    let stopped = wrong().await;
    assert_eq!(stopped["kind"], "limit", "{stopped}");
    let other = answer(&dispatcher, "log.write", json!({"word": "b", "times": 0})).await;
    assert_eq!(other["kind"], "invalid_args", "other arguments are another call");
    assert_eq!(answer(&dispatcher, "gate.look", json!({})).await["success"], true);
    assert_eq!(wrong().await["kind"], "invalid_args");
    assert_eq!(wrong().await["kind"], "limit");
    tokio::time::advance(Duration::from_mins(1)).await;
    assert_eq!(wrong().await["kind"], "invalid_args");

    let script = Caller::new(CallerKind::Script, "poller", None);
    for _ in 0..20 {
        let call = Call::new(script.clone(), "log.write", json!({"word": "a", "times": 0}));
        let failed = dispatcher.dispatch(call).await.to_value();
        assert_eq!(
            (&failed["kind"], &failed["hint"]),
            (&json!("invalid_args"), &json!("log_write takes word (string), times? (integer)"))
        );
    }
}
