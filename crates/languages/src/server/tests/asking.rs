//! Many callers over one server.

use pretty_assertions::assert_eq;

use super::*;
use crate::question::{LARGEST_QUESTION, MOST_OF_ASKER, MOST_OF_SERVER};

fn of(asker: u64, column: u64) -> Question {
    let mut question = hover();
    question.asker = Asker(asker);
    question.params["position"]["character"] = json!(column);
    question
}

fn loading() -> Bench {
    let mut bench = Bench::greeted(ReadyBy::ServerStatus, able());
    bench.open("a");
    bench.rest();
    bench
}

fn becomes_ready(bench: &mut Bench) {
    bench.tell("experimental/serverStatus", json!({"quiescent": true}));
}

#[test]
fn answers_find_those_who_asked_in_any_order() {
    let mut bench = Bench::greeted(ReadyBy::AtOnce, able());
    let tickets = [bench.ask(of(1, 0)), bench.ask(of(1, 1)), bench.ask(of(2, 2))];
    let ids: Vec<Value> = (0..3).map(|_| bench.asked("textDocument/hover").0).collect();
    for at in [2, 0, 1] {
        bench.answer(&ids[at], json!(at));
    }
    let answers = bench.answers();
    assert_eq!(
        answers,
        [(tickets[2], "2".into()), (tickets[0], "0".into()), (tickets[1], "1".into())]
    );
}

#[test]
fn who_asks_the_same_shares_one_question_and_only_the_last_to_leave_cancels_it() {
    let mut bench = Bench::greeted(ReadyBy::AtOnce, able());
    let [one, two, three] = [1, 2, 3].map(|asker| bench.ask(of(asker, 0)));
    let id = bench.asked("textDocument/hover").0;
    assert_eq!(bench.rest(), [""; 0]);
    bench.server.cancel(one, bench.now);
    assert_eq!(bench.rest(), [""; 0]);
    bench.answer(&id, json!("x"));
    assert_eq!(bench.answers(), [(two, "\"x\"".into()), (three, "\"x\"".into())]);
    let alone = bench.ask(of(1, 0));
    let id = bench.asked("textDocument/hover").0;
    bench.server.cancel(alone, bench.now);
    assert_eq!(bench.heard("$/cancelRequest"), json!({"id": id}));
    // It may have been on its way already.
    bench.answer(&id, json!("late"));
    assert!(bench.events().is_empty());
}

#[test]
fn a_question_is_not_shared_across_a_change_of_any_text() {
    let mut bench = Bench::greeted(ReadyBy::AtOnce, able());
    bench.open("a");
    bench.rest();
    bench.ask(of(1, 0));
    bench.asked("textDocument/hover");
    bench.change("ab");
    bench.rest();
    bench.ask(of(2, 0));
    bench.asked("textDocument/hover");
}

#[test]
fn each_asker_has_a_bound_and_the_server_has_one() {
    let mut bench = Bench::greeted(ReadyBy::AtOnce, able());
    for column in 0..MOST_OF_ASKER as u64 {
        bench.ask(of(1, column));
    }
    let refused = bench.server.ask(of(1, 0), bench.now).unwrap_err();
    assert_eq!(refused.to_string(), "32 questions wait for tester already; wait for an answer");
    for column in MOST_OF_ASKER as u64..MOST_OF_SERVER as u64 {
        bench.ask(of(column, column));
    }
    let refused = bench.server.ask(of(9999, 9999), bench.now).unwrap_err();
    assert_eq!(refused.to_string(), "128 questions wait for tester already; wait for an answer");
}

#[test]
fn a_question_without_an_answer_ends_and_the_server_hears_of_it() {
    let mut bench = Bench::greeted(ReadyBy::AtOnce, able());
    let (short, long) = (bench.ask(Question { patience: SECOND, ..of(1, 0) }), bench.ask(of(2, 0)));
    let id = bench.asked("textDocument/hover").0;
    assert_eq!(bench.server.next_tick(bench.now), Some(bench.now + SECOND));
    bench.pass(SECOND);
    assert_eq!(bench.answers(), [(short, "tester did not answer within 1000 ms".into())]);
    assert_eq!(bench.rest(), [""; 0]);
    bench.pass(SECOND * 9);
    assert_eq!(bench.answers(), [(long, "tester did not answer within 10000 ms".into())]);
    assert_eq!(bench.heard("$/cancelRequest"), json!({"id": id}));
    assert_eq!(bench.server.next_tick(bench.now), None);
}

#[test]
fn nothing_from_a_server_that_is_not_ready_is_no_answer() {
    let mut bench = loading();
    let ticket = bench.ask(hover());
    let id = bench.asked("textDocument/hover").0;
    bench.answer(&id, json!(null));
    assert_eq!(
        bench.answers(),
        [(ticket, "tester is not ready: it is loading; ask again in a while".into())]
    );
    let ticket = bench.ask(hover());
    let id = bench.asked("textDocument/hover").0;
    bench.answer(&id, json!({"contents": "x"}));
    assert_eq!(bench.answers(), [(ticket, r#"{"contents":"x"} and perhaps more"#.into())]);
    // Asked while it loaded, answered when it was ready: nobody knows what it looked at.
    let ticket = bench.ask(hover());
    let id = bench.asked("textDocument/hover").0;
    becomes_ready(&mut bench);
    bench.answer(&id, json!([]));
    assert!(bench.answers().is_empty());
    let again = bench.asked("textDocument/hover").0;
    bench.answer(&again, json!([]));
    assert_eq!(bench.answers(), [(ticket, "[]".into())]);
}

#[test]
fn a_question_can_wait_until_the_server_is_ready() {
    let mut bench = loading();
    let wait = |time| Question { while_loading: WhileLoading::Wait(time), ..hover() };
    let ticket = bench.ask(wait(SECOND * 5));
    assert_eq!(bench.rest(), [""; 0]);
    bench.pass(SECOND * 4);
    assert_eq!(bench.rest(), [""; 0]);
    becomes_ready(&mut bench);
    let id = bench.asked("textDocument/hover").0;
    bench.answer(&id, json!(null));
    assert_eq!(bench.answers(), [(ticket, "null".into())]);

    let mut bench = loading();
    let ticket = bench.ask(wait(SECOND * 5));
    bench.pass(SECOND * 5);
    let id = bench.asked("textDocument/hover").0;
    bench.answer(&id, json!(null));
    assert_eq!(
        bench.answers(),
        [(ticket, "tester is not ready: it is loading; ask again in a while".into())]
    );
}

#[test]
fn what_half_an_answer_would_harm_is_not_asked_before() {
    let mut bench = loading();
    let rename = Question { while_loading: WhileLoading::Require(SECOND), ..hover() };
    let ticket = bench.ask(rename);
    bench.pass(SECOND);
    assert_eq!(bench.rest(), [""; 0]);
    assert_eq!(
        bench.answers(),
        [(ticket, "tester is not ready: it is loading; ask again in a while".into())]
    );
}

#[test]
fn what_the_server_cannot_is_refused_without_asking_it() {
    let mut bench = Bench::greeted(ReadyBy::AtOnce, able());
    let ticket = bench.ask(Question { method: "textDocument/inlayHint".to_owned(), ..hover() });
    assert_eq!(bench.answers(), [(ticket, "tester has no textDocument/inlayHint for this".into())]);
    let ticket =
        bench.ask(Question { params: json!({"x": "x".repeat(LARGEST_QUESTION)}), ..hover() });
    let answers = bench.answers();
    assert_eq!(answers[0].0, ticket);
    assert!(answers[0].1.starts_with("the question has 1677"), "{}", answers[0].1);
    assert_eq!(bench.rest(), [""; 0]);
}

#[test]
fn when_the_text_changed_meanwhile_it_is_asked_once_more_for_those_who_want_that() {
    let mut bench = Bench::greeted(ReadyBy::AtOnce, able());
    let (page, agent) = (bench.ask(of(1, 0)), bench.ask(Question { again: true, ..of(2, 0) }));
    let id = bench.asked("textDocument/hover").0;
    bench.refuse(&id, message::CONTENT_MODIFIED);
    let changed = "the text changed while tester looked at it; ask again";
    assert_eq!(bench.answers(), [(page, changed.into())]);
    let id = bench.asked("textDocument/hover").0;
    bench.refuse(&id, message::CONTENT_MODIFIED);
    assert_eq!(bench.answers(), [(agent, changed.into())]);
}

#[test]
fn a_server_that_gave_up_is_asked_again_and_a_refusal_is_told() {
    let mut bench = Bench::greeted(ReadyBy::AtOnce, able());
    let ticket = bench.ask(hover());
    let id = bench.asked("textDocument/hover").0;
    bench.refuse(&id, message::SERVER_CANCELLED);
    assert_eq!(bench.server.next_tick(bench.now), Some(bench.now + Duration::from_millis(200)));
    bench.pass(Duration::from_millis(199));
    assert_eq!(bench.rest(), [""; 0]);
    bench.pass(Duration::from_millis(1));
    let id = bench.asked("textDocument/hover").0;
    bench.refuse(&id, -32603);
    assert_eq!(bench.answers(), [(ticket, "tester refused (code -32603): no".into())]);
}

#[test]
fn a_server_that_is_ready_when_it_answers_is_asked_something() {
    let mut bench = Bench::greeted(ReadyBy::default(), pulling());
    let ticket =
        bench.ask(Question { while_loading: WhileLoading::Require(SECOND * 9), ..hover() });
    bench.open("a");
    let probe = bench.asked("textDocument/documentSymbol").0;
    bench.pass(SECOND);
    assert_eq!(bench.rest(), [""; 0]);
    bench.answer(&probe, json!([]));
    let id = bench.asked("textDocument/hover").0;
    bench.answer(&id, json!(null));
    assert_eq!(bench.answers(), [(ticket, "null".into())]);
}

#[test]
fn what_belongs_to_another_process_is_not_asked() {
    let mut bench = Bench::greeted(ReadyBy::AtOnce, able());
    let now = bench.ask(Question { generation: Some(1), ..of(1, 0) });
    let id = bench.asked("textDocument/hover").0;
    bench.answer(&id, json!(1));
    assert_eq!(bench.answers(), [(now, "1".into())]);
    let before = bench.ask(Question { generation: Some(2), ..of(1, 0) });
    assert_eq!(bench.rest(), [""; 0]);
    let error = "tester was started again since; what is asked belongs to the process before";
    assert_eq!(bench.answers(), [(before, error.into())]);
}
