//! From the greeting to the farewell, and what comes after a crash.

use pretty_assertions::assert_eq;

use super::*;
use crate::life::{FAREWELL, GREETING};

#[test]
fn a_server_is_greeted_and_told_what_there_is() {
    let mut bench = Bench::new(ReadyBy::AtOnce);
    bench.server.open(&file(), "rust", "a".into(), true, bench.now).unwrap();
    bench.server.begin(bench.now);
    let (id, greeting) = bench.asked("initialize");
    assert_eq!(bench.server.state(bench.now), State::Starting);
    assert_eq!(greeting["workspaceFolders"], json!([{"uri": "file:///p", "name": "p"}]));
    assert_eq!(
        (&greeting["rootUri"], &greeting["initializationOptions"]),
        (&json!("file:///p"), &json!({"option": 1}))
    );
    assert_eq!(greeting["capabilities"]["general"]["positionEncodings"], json!(["utf-16"]));
    // Nothing is said before it has answered.
    bench.server.replace(&file(), "ab", bench.now).unwrap();
    assert_eq!(bench.rest(), [""; 0]);
    bench.answer(&id, json!({"capabilities": able()}));
    assert_eq!(bench.heard("initialized"), json!({}));
    assert_eq!(
        bench.heard("workspace/didChangeConfiguration"),
        json!({"settings": {"a": {"b": 1}}})
    );
    assert_eq!(bench.heard("textDocument/didOpen")["textDocument"]["text"], "ab");
    assert_eq!(bench.server.state(bench.now), State::Ready);
}

#[test]
fn questions_wait_while_a_process_is_started_and_hear_when_none_can_be() {
    let mut bench = Bench::new(ReadyBy::AtOnce);
    assert!(bench.server.ask(hover(), bench.now).is_err());
    bench.server.prepare(bench.now);
    assert_eq!(bench.server.state(bench.now), State::Starting);
    let first = bench.ask(hover());
    bench.server.not_started("there is no such program", bench.now);
    let none = "tester cannot be asked: it failed: there is no such program".to_owned();
    assert_eq!(bench.answers(), [(first, none)]);
    bench.server.prepare(bench.now);
    let second = bench.ask(hover());
    bench.greet(able());
    bench.heard("initialized");
    bench.heard("workspace/didChangeConfiguration");
    let id = bench.asked("textDocument/hover").0;
    bench.answer(&id, json!(1));
    assert_eq!(bench.answers(), [(second, "1".to_owned())]);
    // What has begun is not stopped by who comes late.
    bench.server.not_started("late", bench.now);
    bench.server.prepare(bench.now);
    assert_eq!(bench.server.state(bench.now), State::Ready);
}

#[test]
fn a_server_that_does_not_greet_or_greets_wrongly_has_failed() {
    let mut late = Bench::new(ReadyBy::AtOnce);
    late.server.begin(late.now);
    late.pass(GREETING.saturating_sub(SECOND));
    assert_eq!(late.server.state(late.now), State::Starting);
    late.pass(SECOND);
    let why = "it did not greet within 60 s".to_owned();
    assert_eq!(late.server.state(late.now), State::Failed { why: why.clone() });
    assert!(late.events().iter().any(|it| matches!(it, Event::Over)));
    assert_eq!(late.server.ended("killed", late.now), Next::Failed { why });

    let mut wrong = Bench::new(ReadyBy::AtOnce);
    wrong.greet(json!({"positionEncoding": "utf-8"}));
    let why = "it counts columns in \"utf-8\", which it was not offered".to_owned();
    assert_eq!(wrong.server.state(wrong.now), State::Failed { why });

    let mut refusing = Bench::new(ReadyBy::AtOnce);
    refusing.server.begin(refusing.now);
    let id = refusing.asked("initialize").0;
    refusing.refuse(&id, -32000);
    let why = "it refused to begin: no".to_owned();
    assert_eq!(refusing.server.state(refusing.now), State::Failed { why });
}

#[test]
fn after_a_crash_documents_are_opened_whole_and_questions_are_lost() {
    let mut bench = Bench::greeted(ReadyBy::AtOnce, able());
    bench.open("a");
    bench.change("ab");
    let lost = bench.ask(hover());
    let next = bench.server.ended("it closed its output", bench.now);
    assert_eq!(next, Next::Again { at: bench.now + SECOND });
    assert_eq!(
        bench.answers(),
        [(lost, "tester ended before it answered: it closed its output".to_owned())]
    );
    assert!(matches!(bench.server.state(bench.now), State::Waiting { .. }));
    // What is asked meanwhile waits for the next process.
    let waits = bench.ask(hover());
    bench.rest();
    bench.greet(able());
    bench.heard("initialized");
    bench.heard("workspace/didChangeConfiguration");
    let opened = bench.heard("textDocument/didOpen")["textDocument"].take();
    assert_eq!((&opened["text"], &opened["version"]), (&json!("ab"), &json!(2)));
    bench.heard("textDocument/documentSymbol");
    let id = bench.asked("textDocument/hover").0;
    bench.answer(&id, json!({"contents": "x"}));
    assert_eq!(bench.answers(), [(waits, r#"{"contents":"x"}"#.to_owned())]);
    assert_eq!(bench.server.generation(), 2);
}

#[test]
fn who_crashes_again_and_again_has_failed_until_somebody_wants_it() {
    let mut bench = Bench::new(ReadyBy::AtOnce);
    let mut nexts = Vec::new();
    for _ in 0..5 {
        bench.server.begin(bench.now);
        nexts.push(bench.server.ended("it crashed", bench.now));
    }
    let again = [1, 2, 4, 8].map(|wait| Next::Again { at: bench.now + SECOND * wait });
    assert_eq!(nexts[..4], again);
    assert_eq!(nexts[4], Next::Failed { why: "it crashed".to_owned() });
    let refused = bench.server.ask(hover(), bench.now).unwrap_err();
    assert_eq!(refused.to_string(), "tester cannot be asked: it failed: it crashed");
    bench.server.begin(bench.now);
    assert_eq!(bench.server.ended("it crashed", bench.now), Next::Again { at: bench.now + SECOND });
}

#[test]
fn a_farewell_is_two_steps_and_each_has_its_time() {
    let mut polite = Bench::greeted(ReadyBy::AtOnce, able());
    let open = polite.ask(hover());
    polite.asked("textDocument/hover");
    polite.server.stop(polite.now);
    let id = polite.asked("shutdown").0;
    let refused = polite.server.ask(hover(), polite.now).unwrap_err();
    assert_eq!(refused.to_string(), "tester cannot be asked: it is ending");
    polite.answer(&id, json!(null));
    polite.heard("exit");
    assert_eq!(polite.server.ended("it closed its output", polite.now), Next::Stopped);
    assert_eq!(polite.answers()[0].0, open);
    assert_eq!(polite.server.state(polite.now), State::Stopped);

    let mut deaf = Bench::greeted(ReadyBy::AtOnce, able());
    deaf.server.stop(deaf.now);
    deaf.asked("shutdown");
    assert_eq!(deaf.server.next_tick(deaf.now), Some(deaf.now + FAREWELL));
    deaf.pass(FAREWELL);
    deaf.heard("exit");
    assert!(!deaf.events().iter().any(|it| matches!(it, Event::Over)));
    deaf.pass(FAREWELL);
    let over = deaf.events().iter().filter(|it| matches!(it, Event::Over)).count();
    assert_eq!((over, deaf.server.next_tick(deaf.now)), (1, None));
    assert_eq!(deaf.server.ended("killed", deaf.now), Next::Stopped);
}

#[test]
fn a_server_that_is_stopped_before_it_greeted_is_over_at_once() {
    let mut bench = Bench::new(ReadyBy::AtOnce);
    bench.server.begin(bench.now);
    let id = bench.asked("initialize").0;
    bench.server.stop(bench.now);
    bench.answer(&id, json!({"capabilities": able()}));
    assert_eq!(bench.server.state(bench.now), State::Ending);
    assert!(bench.events().iter().any(|it| matches!(it, Event::Over)));
    assert_eq!(bench.server.ended("killed", bench.now), Next::Stopped);
}

#[test]
fn a_server_without_documents_and_questions_is_idle() {
    let mut bench = Bench::greeted(ReadyBy::AtOnce, able());
    let limits = Limits::default();
    let idle = Some(bench.now + Duration::from_mins(10));
    assert_eq!(bench.server.idle_at(&limits), idle);
    bench.open("a");
    assert_eq!(bench.server.idle_at(&limits), None);
    bench.server.close(&file(), bench.now);
    let ticket = bench.ask(hover());
    assert_eq!(bench.server.idle_at(&limits), None);
    bench.server.cancel(ticket, bench.now);
    assert_eq!(bench.server.idle_at(&limits), idle);
}

#[test]
fn it_loads_as_far_as_it_says_and_the_state_is_told_once() {
    let mut bench = Bench::greeted(ReadyBy::ServerStatus, able());
    let progress = |kind: &str, percent: u32| {
        let value = json!({"kind": kind, "title": "Indexing", "percentage": percent});
        json!({"token": 1, "value": value})
    };
    bench.tell("$/progress", progress("begin", 0));
    bench.tell("$/progress", progress("report", 40));
    bench.tell("$/progress", progress("report", 40));
    bench.tell("experimental/serverStatus", json!({"health": "ok", "quiescent": true}));
    let states: Vec<String> = bench
        .events()
        .into_iter()
        .filter_map(|event| match event {
            Event::State(state) => Some(state.to_string()),
            _ => None,
        })
        .collect();
    assert_eq!(states, ["it is loading, 0 %", "it is loading, 40 %", "it is ready"]);
}

#[test]
fn a_server_that_is_given_up_is_ended_at_once_and_starts_only_when_somebody_wants_it() {
    let mut bench = Bench::greeted(ReadyBy::AtOnce, able());
    bench.server.give_up("it used too much", bench.now);
    let events = bench.events();
    assert!(events.iter().any(|event| matches!(event, Event::Over)), "{events:?}");
    let failed = State::Failed { why: "it used too much".to_owned() };
    assert_eq!(bench.server.state(bench.now), failed);
    let next = bench.server.ended("it closed its output", bench.now);
    assert_eq!(next, Next::Failed { why: "it used too much".to_owned() });
    bench.server.prepare(bench.now);
    assert_eq!(bench.server.state(bench.now), State::Starting);
}
