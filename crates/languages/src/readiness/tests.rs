//! Each way to say "ready", step by step.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

fn at(ms: u64) -> Moment {
    Moment::from_millis(ms)
}

fn progress(token: &str, kind: &str, rest: Value) -> Value {
    let mut value = json!({"kind": kind});
    if let (Value::Object(value), Value::Object(rest)) = (&mut value, rest) {
        value.extend(rest);
    }
    json!({"token": token, "value": value})
}

fn begin(readiness: &mut Readiness, token: &str, title: &str, now: u64) {
    readiness.told("$/progress", &progress(token, "begin", json!({"title": title})), at(now));
}

fn end(readiness: &mut Readiness, token: &str, now: u64) {
    readiness.told("$/progress", &progress(token, "end", json!({})), at(now));
}

#[test]
fn some_are_ready_at_once() {
    assert!(Readiness::new(ReadyBy::AtOnce, at(0)).is_ready(at(0)));
}

#[test]
fn some_are_ready_when_nothing_is_under_way_for_a_while() {
    let mut readiness = Readiness::new(ReadyBy::Quiet { ms: 300, answered: false }, at(0));
    assert_eq!((readiness.is_ready(at(299)), readiness.quiet_at()), (false, Some(at(300))));
    assert!(readiness.is_ready(at(300)));
    begin(&mut readiness, "a", "indexing", 400);
    begin(&mut readiness, "b", "more", 450);
    end(&mut readiness, "a", 500);
    assert_eq!((readiness.is_ready(at(9999)), readiness.quiet_at()), (false, None));
    end(&mut readiness, "b", 600);
    assert_eq!((readiness.is_ready(at(899)), readiness.is_ready(at(900))), (false, true));
}

#[test]
fn others_must_have_answered_besides() {
    let mut readiness = Readiness::new(ReadyBy::default(), at(0));
    assert!(!readiness.is_ready(at(9999)) && readiness.lacks_answer());
    readiness.answered();
    assert!(readiness.is_ready(at(9999)) && !readiness.lacks_answer());
}

#[test]
fn some_are_ready_when_what_is_called_so_has_ended() {
    let by = ReadyBy::Progress { title: "Initializing".to_owned() };
    let mut readiness = Readiness::new(by, at(0));
    begin(&mut readiness, "other", "Analyzing", 0);
    end(&mut readiness, "other", 1);
    assert!(!readiness.is_ready(at(9999)));
    begin(&mut readiness, "1", "Initializing JS/TS language features…", 2);
    assert!(!readiness.is_ready(at(9999)));
    end(&mut readiness, "1", 3);
    assert!(readiness.is_ready(at(3)));
    begin(&mut readiness, "2", "Initializing JS/TS language features…", 4);
    assert!(!readiness.is_ready(at(5)));
}

#[test]
fn some_have_a_word_of_their_own() {
    let cases = [
        (
            ReadyBy::ServerStatus,
            "experimental/serverStatus",
            vec![
                (json!({"health": "ok", "quiescent": false}), false),
                (json!({"quiescent": true}), true),
                (json!({"quiescent": false}), false),
            ],
        ),
        (
            ReadyBy::LanguageStatus,
            "language/status",
            vec![
                (json!({"type": "Started"}), false),
                (json!({"type": "ServiceReady"}), true),
                (json!({"type": "Message"}), true),
                (json!({"type": "Starting"}), false),
            ],
        ),
        (
            ReadyBy::ProjectsRead,
            "workspace/projectInitializationComplete",
            vec![(json!(null), true)],
        ),
    ];
    for (by, method, told) in cases {
        let mut readiness = Readiness::new(by, at(0));
        for other in [
            "experimental/serverStatus",
            "language/status",
            "workspace/projectInitializationComplete",
        ] {
            if other != method {
                readiness.told(other, &json!({"quiescent": true, "type": "ServiceReady"}), at(0));
            }
        }
        assert!(!readiness.is_ready(at(9999)), "{method}");
        for (params, expected) in told {
            readiness.told(method, &params, at(1));
            assert_eq!(readiness.is_ready(at(1)), expected, "{method} {params}");
        }
    }
}

#[test]
fn how_far_it_is_is_that_of_the_slowest() {
    let mut readiness = Readiness::new(ReadyBy::ServerStatus, at(0));
    assert_eq!(readiness.loading(), (None, None));
    for (token, percent) in [("a", 70), ("b", 40), ("c", 900)] {
        let said = json!({"title": format!("title {token}"), "percentage": percent});
        readiness.told("$/progress", &progress(token, "begin", said), at(0));
    }
    assert_eq!(readiness.loading(), (Some(40), Some("title b".to_owned())));
    readiness.told("$/progress", &progress("b", "report", json!({"percentage": 90})), at(0));
    assert_eq!(readiness.loading(), (Some(70), Some("title a".to_owned())));
}

#[test]
fn a_server_that_begins_without_end_is_bounded_and_not_ready() {
    let mut readiness = Readiness::new(ReadyBy::Quiet { ms: 0, answered: false }, at(0));
    for number in 0..1000 {
        begin(&mut readiness, &number.to_string(), &"x".repeat(5000), 0);
    }
    let kept: usize = readiness.under_way.values().map(|it| it.title.len()).sum();
    assert_eq!((readiness.under_way.len(), kept), (MOST_PROGRESS, MOST_PROGRESS * LONGEST_TITLE));
    assert!(!readiness.is_ready(at(9999)));
    for nonsense in
        [json!(null), json!([]), json!({"value": 7}), json!({"token": {}, "value": {"kind": 1}})]
    {
        readiness.told("$/progress", &nonsense, at(0));
    }
}
