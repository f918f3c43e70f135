//! Diagnostics in each way that servers tell them.

use pretty_assertions::assert_eq;

use super::*;
use crate::diagnostics::AFTER_BARRIER;

impl Bench {
    fn want(&mut self) {
        self.server.want_diagnostics(&file(), self.now).unwrap();
    }
}

#[test]
fn a_server_that_can_be_asked_is_asked_about_the_text_as_it_is() {
    let mut bench = Bench::greeted(ReadyBy::AtOnce, pulling());
    bench.open("a");
    bench.want();
    let (old, params) = bench.asked("textDocument/diagnostic");
    assert_eq!(params, json!({"textDocument": {"uri": "file:///p/a.rs"}}));
    bench.change("ab");
    assert_eq!(bench.heard("$/cancelRequest"), json!({"id": old}));
    let new = bench.asked("textDocument/diagnostic").0;
    bench.answer(&old, full("of the old text"));
    assert_eq!(bench.report(), knows(Freshness::Pending, &[]));
    bench.answer(&new, full("of the new text"));
    assert_eq!(bench.report(), knows(Freshness::Fresh, &["of the new text"]));
    assert_eq!(bench.rest(), [""; 0]);
    // Nobody wants to know any more.
    bench.change("abc");
    assert_eq!(bench.rest(), [""; 0]);
    assert_eq!(bench.report(), knows(Freshness::Pending, &["of the new text"]));
}

#[test]
fn it_is_not_asked_before_it_is_ready() {
    let mut bench = Bench::greeted(ReadyBy::ServerStatus, pulling());
    bench.open("a");
    bench.want();
    assert_eq!(bench.rest(), [""; 0]);
    bench.tell("experimental/serverStatus", json!({"quiescent": true}));
    let id = bench.asked("textDocument/diagnostic").0;
    bench.answer(&id, full("x"));
    assert_eq!(bench.report(), knows(Freshness::Fresh, &["x"]));
}

#[test]
fn what_it_said_while_it_became_busy_again_is_asked_again() {
    let mut bench = Bench::greeted(ReadyBy::ServerStatus, pulling());
    bench.tell("experimental/serverStatus", json!({"quiescent": true}));
    bench.open("a");
    bench.want();
    let id = bench.asked("textDocument/diagnostic").0;
    bench.tell("experimental/serverStatus", json!({"quiescent": false}));
    bench.answer(&id, full("half"));
    assert_eq!(bench.report(), knows(Freshness::Pending, &["half"]));
    bench.tell("experimental/serverStatus", json!({"quiescent": true}));
    bench.asked("textDocument/diagnostic");
}

#[test]
fn a_server_that_gives_up_is_asked_again_and_one_that_refuses_is_not() {
    let mut bench = Bench::greeted(ReadyBy::AtOnce, pulling());
    bench.open("a");
    bench.want();
    for code in [message::SERVER_CANCELLED, message::CONTENT_MODIFIED] {
        let id = bench.asked("textDocument/diagnostic").0;
        bench.refuse(&id, code);
        assert_eq!(bench.rest(), [""; 0]);
        bench.pass(Duration::from_millis(200));
    }
    let id = bench.asked("textDocument/diagnostic").0;
    bench.refuse(&id, -32603);
    bench.pass(SECOND);
    assert_eq!(bench.rest(), [""; 0]);
    assert_eq!(bench.server.report(&file()).failure.as_deref(), Some("no (code -32603)"));
    bench.want();
    let id = bench.asked("textDocument/diagnostic").0;
    bench.answer(&id, json!(7));
    let why = "its answer is no report of diagnostics";
    assert_eq!(bench.server.report(&file()).failure.as_deref(), Some(why));
    bench.want();
    bench.asked("textDocument/diagnostic");
    bench.pass(SECOND * 60);
    assert_eq!(bench.server.report(&file()).failure.as_deref(), Some("it did not answer"));
}

#[test]
fn a_server_that_names_versions_needs_no_barrier() {
    let mut bench = Bench::greeted(ReadyBy::AtOnce, able());
    bench.open("a");
    bench.asked("textDocument/documentSymbol");
    bench.tell("textDocument/publishDiagnostics", diagnostics(Some(1), "one"));
    assert_eq!(bench.report(), knows(Freshness::Fresh, &["one"]));
    bench.change("ab");
    bench.want();
    bench.tell("textDocument/publishDiagnostics", diagnostics(Some(1), "one again"));
    assert_eq!(bench.report(), knows(Freshness::Pending, &["one again"]));
    bench.tell("textDocument/publishDiagnostics", diagnostics(Some(2), "two"));
    assert_eq!(bench.report(), knows(Freshness::Fresh, &["two"]));
    assert_eq!(bench.rest(), [""; 0]);
}

#[test]
fn a_server_without_versions_is_believed_well_behind_a_barrier() {
    let mut bench = Bench::greeted(ReadyBy::AtOnce, able());
    bench.open("a");
    let first = bench.asked("textDocument/documentSymbol").0;
    bench.change("ab");
    bench.change("abc");
    // One at a time: the next follows the answer to the one before.
    assert_eq!(bench.rest(), [""; 0]);
    bench.answer(&first, json!([]));
    let second = bench.asked("textDocument/documentSymbol").0;
    bench.tell("textDocument/publishDiagnostics", diagnostics(None, "early"));
    bench.answer(&second, json!([]));
    bench.pass(AFTER_BARRIER.saturating_sub(Duration::from_millis(1)));
    bench.tell("textDocument/publishDiagnostics", diagnostics(None, "too early"));
    assert_eq!(bench.report(), knows(Freshness::Pending, &["too early"]));
    bench.pass(Duration::from_millis(1));
    bench.tell("textDocument/publishDiagnostics", diagnostics(None, "late enough"));
    assert_eq!(bench.report(), knows(Freshness::Likely, &["late enough"]));
    assert_eq!(bench.rest(), [""; 0]);
}

#[test]
fn a_barrier_that_is_never_answered_is_given_up_and_sent_anew() {
    let mut bench = Bench::greeted(ReadyBy::AtOnce, able());
    bench.open("a");
    let id = bench.asked("textDocument/documentSymbol").0;
    bench.pass(SECOND * 60);
    assert_eq!(bench.heard("$/cancelRequest"), json!({"id": id}));
    bench.asked("textDocument/documentSymbol");
    assert_eq!(bench.report(), knows(Freshness::Pending, &[]));
}

#[test]
fn a_registration_that_comes_late_switches_the_way() {
    let mut bench = Bench::greeted(ReadyBy::AtOnce, able());
    bench.open("a");
    let barrier = bench.asked("textDocument/documentSymbol").0;
    bench.tell("textDocument/publishDiagnostics", diagnostics(Some(1), "pushed"));
    bench.answer(&barrier, json!([]));
    bench.change("ab");
    bench.want();
    let options = json!({"identifier": "Pyright", "documentSelector": [{"language": "rust"}]});
    let registration =
        json!({"id": "1", "method": "textDocument/diagnostic", "registerOptions": options});
    bench.say(json!({"id": 1, "method": "client/registerCapability", "params": {"registrations": [registration]}}));
    assert_eq!(bench.answered(), json!(null));
    let (id, params) = bench.asked("textDocument/diagnostic");
    assert_eq!(params["identifier"], "Pyright");
    bench.answer(&id, full("pulled"));
    assert_eq!(bench.report(), knows(Freshness::Fresh, &["pulled"]));
}

#[test]
fn what_changes_around_a_file_makes_what_is_known_of_it_old() {
    let mut bench = Bench::greeted(ReadyBy::AtOnce, pulling());
    bench.open("a");
    let fresh = |bench: &mut Bench| {
        bench.want();
        let (id, params) = bench.asked("textDocument/diagnostic");
        bench.answer(&id, json!({"kind": "full", "resultId": "r", "items": []}));
        assert_eq!(bench.report(), knows(Freshness::Fresh, &[]));
        params["previousResultId"].clone()
    };
    assert_eq!(fresh(&mut bench), json!(null));
    let other = Uri::read("file:///p/b.rs");
    bench.server.open(&other, "rust", "".into(), true, bench.now).unwrap();
    bench.rest();
    assert_eq!(bench.report(), knows(Freshness::Fresh, &[]));
    bench.server.replace(&other, "b", bench.now).unwrap();
    bench.rest();
    assert_eq!(bench.report(), knows(Freshness::Old, &[]));
    assert_eq!(fresh(&mut bench), json!("r"));
    bench.say(json!({"id": 1, "method": "workspace/diagnostic/refresh"}));
    assert_eq!((bench.answered(), bench.report()), (json!(null), knows(Freshness::Old, &[])));
    fresh(&mut bench);
    bench.server.configure(Settings::new(json!({"other": true})), bench.now);
    bench.heard("workspace/didChangeConfiguration");
    assert_eq!(bench.report(), knows(Freshness::Old, &[]));
}

#[test]
fn only_of_open_documents_can_one_know() {
    let mut bench = Bench::greeted(ReadyBy::AtOnce, pulling());
    let refused = bench.server.want_diagnostics(&file(), bench.now).unwrap_err();
    assert_eq!(refused.to_string(), "file:///p/a.rs is not open; open it first");
}

#[test]
fn what_is_wanted_before_a_crash_is_asked_after_it() {
    let mut bench = Bench::greeted(ReadyBy::AtOnce, pulling());
    bench.open("a");
    bench.want();
    bench.asked("textDocument/diagnostic");
    bench.server.ended("it crashed", bench.now);
    bench.greet(pulling());
    let said = bench.rest();
    assert_eq!(said[2..], ["textDocument/didOpen", "textDocument/diagnostic"]);
}
