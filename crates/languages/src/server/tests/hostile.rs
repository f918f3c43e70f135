//! Servers that say what they should not: nobody is answered wrongly, nothing panics, nothing grows without a bound.

use pretty_assertions::assert_eq;

use super::*;

fn complaints(bench: &mut Bench) -> Vec<String> {
    let complaints = bench.events().into_iter().filter_map(|event| match event {
        Event::Complaint(why) => Some(why),
        _ => None,
    });
    complaints.collect()
}

#[test]
fn answers_that_nobody_asked_for_answer_nobody() {
    let mut bench = Bench::greeted(ReadyBy::AtOnce, able());
    let ticket = bench.ask(hover());
    let id = bench.asked("textDocument/hover").0;
    for wrong in [json!(9999), json!("0"), json!(-1), json!(1.5), json!({})] {
        bench.answer(&wrong, json!("wrong"));
    }
    let told = complaints(&mut bench);
    assert_eq!(told.len(), 5, "{told:?}");
    assert_eq!(told[0], "it answered 9999, which nobody asked");
    bench.answer(&id, json!("right"));
    bench.answer(&id, json!("twice"));
    assert_eq!(bench.answers(), [(ticket, "\"right\"".into())]);
}

#[test]
fn what_is_no_message_is_told_and_after_too_much_of_it_the_server_has_failed() {
    let mut bench = Bench::greeted(ReadyBy::AtOnce, able());
    let ticket = bench.ask(hover());
    bench.rest();
    bench.server.received(b"panicked at src/main.rs\nContent-Length: 3\r\n\r\n{]}", bench.now);
    let told = complaints(&mut bench);
    assert_eq!(told[0], "it wrote what is no message: panicked at src/main.rs");
    assert!(told[1].starts_with("no message (") && told.len() == 2, "{told:?}");
    for _ in 0..=MOST_NONSENSE {
        bench.server.received(b"Content-Length: 2\r\n\r\n{}", bench.now);
    }
    assert!(matches!(bench.server.state(bench.now), State::Failed { .. }));
    let answers = bench.answers();
    assert_eq!(answers[0].0, ticket);
    assert!(
        answers[0].1.starts_with("tester ended before it answered: it said 1000 messages in a row")
    );
}

#[test]
fn an_answer_that_is_too_large_is_told_and_whoever_waits_hears_in_time() {
    let mut bench = Bench::greeted(ReadyBy::AtOnce, able());
    bench.ask(hover());
    bench.rest();
    let bytes = frame::LARGEST_BODY + 1;
    bench.server.received(format!("Content-Length: {bytes}\r\n\r\n").as_bytes(), bench.now);
    let piece = vec![b' '; 1024 * 1024];
    for _ in 0..64 {
        bench.server.received(&piece, bench.now);
    }
    bench.server.received(b" ", bench.now);
    assert_eq!(
        complaints(&mut bench),
        [format!("it said {bytes} bytes at once, which is not read")]
    );
    bench.pass(SECOND * 10);
    assert_eq!(bench.answers()[0].1, "tester did not answer within 10000 ms");
}

#[test]
fn whatever_a_server_says_there_is_a_state_and_a_bound() {
    let seeds: &[&[u8]] = &[
        br#"{"id":0,"result":{"capabilities":{"diagnosticProvider":{},"textDocumentSync":2}}}"#,
        br#"{"id":2,"result":{"kind":"full","items":[{"range":{"start":{"line":1,"character":1},"end":{"line":4294967295,"character":0}},"message":"m","severity":1}],"relatedDocuments":{"file:///b":{"kind":"unchanged"}}}}"#,
        br#"{"id":"r","method":"client/registerCapability","params":{"registrations":[{"id":"a","method":"textDocument/diagnostic","registerOptions":{"documentSelector":[{"pattern":"**/*.{a,b"}]}},{"id":"b","method":"workspace/didChangeWatchedFiles","registerOptions":{"watchers":[{"globPattern":{"baseUri":"file:///p","pattern":"**"},"kind":7}]}}]}}"#,
        br#"{"id":[],"method":"workspace/configuration","params":{"items":[{"section":"a.b"},null,7]}}"#,
        br#"{"method":"textDocument/publishDiagnostics","params":{"uri":"file:///p/a.rs","version":1,"diagnostics":[{"range":{},"message":1},{}]}}"#,
        br#"{"method":"$/progress","params":{"token":1,"value":{"kind":"begin","title":"t","percentage":101}}}"#,
        br#"{"method":"experimental/serverStatus","params":{"health":"error","quiescent":true,"message":"m"}}"#,
        br#"{"id":1,"method":"workspace/applyEdit","params":[]}"#,
        br#"{"id":3,"error":{"code":-32802,"message":"","data":{"retriggerRequest":true}}}"#,
    ];
    openspace_fuzz::hold(seeds, |message| {
        let mut bench = Bench::greeted(ReadyBy::ServerStatus, able());
        bench.open("a😀");
        let ticket = bench.ask(Question { may_edit: true, ..hover() });
        bench.want_anything();
        for text in ["b", "c"] {
            let mut bytes = Vec::new();
            frame::write(message, &mut bytes);
            bench.server.received(&bytes, bench.now);
            bench.server.received(message, bench.now);
            bench.server.replace(&file(), text, bench.now).unwrap();
            bench.pass(SECOND);
        }
        bench.pass(SECOND * 100);
        let answered = bench.answers().into_iter().filter(|(of, _)| *of == ticket).count();
        assert!(answered <= 1);
        bench.server.ended("it ended", bench.now);
        let answered =
            answered + bench.answers().into_iter().filter(|(of, _)| *of == ticket).count();
        assert_eq!(answered, 1);
        assert!(!bench.server.report(&file()).freshness.is_settled());
    });
}

impl Bench {
    fn want_anything(&mut self) {
        self.server.want_diagnostics(&file(), self.now).unwrap();
    }
}
