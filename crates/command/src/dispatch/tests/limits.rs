//! In which order calls run, and how many.

use pretty_assertions::assert_eq;

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn state_changing_calls_of_one_caller_run_first_in_first_out() {
    let (dispatcher, _) = bench();
    let words: Vec<String> = (0..40).map(|n| n.to_string()).collect();
    let mut calls = Vec::new();
    for word in &words {
        let dispatcher = dispatcher.clone();
        let call = Call::new(agent(), "log.write", json!({"word": word}));
        let (sent, queued) = tokio::sync::oneshot::channel();
        calls.push(tokio::spawn(async move {
            let mut reply = Box::pin(dispatcher.carry_out(call));
            // The first poll puts the call in line; only then may the next one be sent.
            let first = futures::poll!(&mut reply);
            sent.send(()).unwrap();
            match first {
                std::task::Poll::Ready(reply) => reply,
                std::task::Poll::Pending => reply.await,
            }
        }));
        queued.await.unwrap();
    }
    for call in calls {
        assert_eq!(call.await.unwrap().to_value()["success"], true);
    }
    assert_eq!(*dispatcher.state().log.lock().unwrap(), words);
}

#[tokio::test]
async fn reads_run_in_parallel_and_at_most_ten_at_once() {
    let (dispatcher, _) = bench();
    let calls: Vec<_> = (0..10)
        .map(|_| {
            let dispatcher = dispatcher.clone();
            tokio::spawn(async move { answer(&dispatcher, "gate.wait", json!({})).await })
        })
        .collect();
    while dispatcher.budget(&agent()).concurrent_left > 0 {
        tokio::task::yield_now().await;
    }
    let refused = answer(&dispatcher, "gate.wait", json!({})).await;
    assert_eq!(
        refused,
        json!({
            "success": false, "kind": "busy",
            "error": "10 calls of this caller are already running",
            "hint": "wait for one of them to end, then call again",
        })
    );
    dispatcher.state().gate.notify_waiters();
    for call in calls {
        assert_eq!(call.await.unwrap(), json!({"success": true}));
    }
}

#[tokio::test]
async fn an_immediate_view_command_jumps_the_line() {
    let (dispatcher, _) = bench();
    let held = tokio::spawn({
        let dispatcher = dispatcher.clone();
        async move { answer(&dispatcher, "gate.hold", json!({})).await }
    });
    dispatcher.state().started.notified().await;
    let jumped = answer(&dispatcher, "gate.look", json!({"priority": "immediate"})).await;
    assert_eq!(jumped, json!({"success": true}));
    let refused =
        answer(&dispatcher, "log.write", json!({"word": "a", "priority": "immediate"})).await;
    assert_eq!(refused["kind"], "invalid_args");
    dispatcher.state().gate.notify_waiters();
    assert_eq!(held.await.unwrap(), json!({"success": true}));
}

#[tokio::test]
async fn a_line_warns_when_it_is_deep_and_then_refuses() {
    let limits = Limits { queued: 4, ..Limits::default() };
    let (dispatcher, _) = bench_with(limits, LetAll);
    let hold = || {
        let dispatcher = dispatcher.clone();
        tokio::spawn(async move {
            dispatcher.dispatch(Call::new(agent(), "gate.hold", json!({}))).await
        })
    };
    let mut waiting = vec![hold()];
    dispatcher.state().started.notified().await;
    waiting.extend((0..4).map(|_| hold()));
    while dispatcher.budget(&agent()).queued < 4 {
        tokio::task::yield_now().await;
    }
    let refused = dispatcher.dispatch(Call::new(agent(), "gate.hold", json!({}))).await;
    assert_eq!(refused.to_value()["error"], "4 calls that change state are already waiting");
    assert_eq!(refused.warning.as_deref(), Some("4 of 4 places in line are taken"));
    for call in waiting {
        call.abort();
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_is_a_burst_and_ends_with_a_gap() {
    let limits = Limits { per_turn: 3, ..Limits::default() };
    let (dispatcher, _) = bench_with(limits, LetAll);
    let look = || dispatcher.dispatch(Call::new(agent(), "gate.look", json!({})));
    for left in [2, 1, 0] {
        assert_eq!(look().await.budget.calls_left, Some(left));
        tokio::time::advance(Duration::from_millis(1_900)).await;
    }
    let refused = look().await;
    assert_eq!(
        refused.to_value(),
        json!({
            "success": false, "kind": "limit", "error": "all 3 calls of this turn are used",
            "hint": "a new turn starts 2.0 s after the last call that was let in; plan fewer, larger calls",
        })
    );
    tokio::time::advance(Duration::from_secs(2)).await;
    assert_eq!(look().await.budget.calls_left, Some(2));
    dispatcher.new_turn(&agent());
    assert_eq!(look().await.budget.calls_left, Some(2));
}

#[tokio::test(start_paused = true)]
async fn sessions_of_an_agent_share_a_turn_and_those_of_a_script_do_not() {
    let limits = Limits { per_turn: 2, ..Limits::default() };
    let (dispatcher, _) = bench_with(limits, LetAll);
    let left = |kind, id: &str, session: &str| {
        let call = Call::new(Caller::new(kind, id, Some(session)), "gate.look", json!({}));
        let dispatcher = dispatcher.clone();
        async move {
            let reply = dispatcher.dispatch(call).await;
            (reply.result.is_ok(), reply.budget.calls_left)
        }
    };
    let (agent, script) = (CallerKind::Agent, CallerKind::Script);
    assert_eq!(left(agent, "a", "1").await, (true, Some(1)));
    assert_eq!(left(agent, "a", "2").await, (true, Some(0)));
    assert_eq!(left(agent, "a", "3").await, (false, Some(0)));
    assert_eq!(left(agent, "b", "1").await, (true, Some(1)));
    assert_eq!(left(script, "a", "1").await, (true, Some(1)));
    assert_eq!(left(script, "a", "2").await, (true, Some(1)));
    // A call of one session that goes on keeps the turn of all from ending.
    let held = tokio::spawn({
        let dispatcher = dispatcher.clone();
        let holder = Caller::new(agent, "b", Some("2"));
        async move { dispatcher.dispatch(Call::new(holder, "gate.hold", json!({}))).await.to_value() }
    });
    dispatcher.state().started.notified().await;
    tokio::time::advance(Duration::from_secs(5)).await;
    assert_eq!(left(agent, "b", "3").await, (false, Some(0)));
    assert_eq!(left(agent, "a", "1").await, (true, Some(1)));
    dispatcher.state().gate.notify_waiters();
    held.await.unwrap();
}

#[tokio::test]
async fn a_person_has_no_turns() {
    let limits = Limits { per_turn: 1, ..Limits::default() };
    let (dispatcher, _) = bench_with(limits, LetAll);
    let person = Caller::new(CallerKind::Person, "browser", None);
    for _ in 0..5 {
        let reply = dispatcher.dispatch(Call::new(person.clone(), "gate.look", json!({}))).await;
        assert_eq!((reply.to_value(), reply.budget.calls_left), (json!({"success": true}), None));
    }
}
