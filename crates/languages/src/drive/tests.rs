//! Servers over real streams, each bad in its own way. The clock is tokio's and stands still while something is done.

use std::sync::Arc;

use pretty_assertions::assert_eq;
use serde_json::json;
use tokio::io::{DuplexStream, ReadHalf, WriteHalf, duplex, split};

use super::*;
use crate::{
    diagnostics::Freshness,
    frame::{self, Frame, Frames},
    question::{Asker, WhileLoading},
    readiness::ReadyBy,
    server::Folder,
};

const SECOND: Duration = Duration::from_secs(1);

/// The other end, which does what a test says.
struct Scripted {
    reader: ReadHalf<DuplexStream>,
    writer: WriteHalf<DuplexStream>,
    frames: Frames,
}

impl Scripted {
    fn new() -> (Self, ReadHalf<DuplexStream>, WriteHalf<DuplexStream>) {
        let (ours, theirs) = duplex(64 * 1024);
        let ((reader, writer), (our_reader, our_writer)) = (split(theirs), split(ours));
        (Self { reader, writer, frames: Frames::default() }, our_reader, our_writer)
    }

    async fn heard(&mut self) -> Value {
        let mut piece = vec![0; 4096];
        loop {
            if let Some(Frame::Body(body)) = self.frames.next().unwrap() {
                return serde_json::from_slice(&body).unwrap();
            }
            let read = timeout(SECOND * 600, self.reader.read(&mut piece)).await;
            let count = read.expect("something is said").expect("it can be read");
            assert_ne!(count, 0, "nobody speaks any more");
            self.frames.push(&piece[..count]);
        }
    }

    /// The next message with this method; what comes before it is left out.
    async fn until(&mut self, method: &str) -> Value {
        loop {
            let heard = self.heard().await;
            if heard["method"] == method {
                return heard;
            }
        }
    }

    async fn say(&mut self, message: Value) {
        let mut bytes = Vec::new();
        frame::write(message.to_string().as_bytes(), &mut bytes);
        self.write(&bytes).await;
    }

    async fn write(&mut self, bytes: &[u8]) {
        self.writer.write_all(bytes).await.unwrap();
    }

    async fn answer(&mut self, question: &Value, result: Value) {
        self.say(json!({"id": question["id"], "result": result})).await;
    }

    async fn greet(&mut self) {
        let greeting = self.until("initialize").await;
        let can =
            json!({"textDocumentSync": 2, "hoverProvider": true, "documentSymbolProvider": true});
        self.answer(&greeting, json!({"capabilities": can})).await;
        self.until("initialized").await;
    }
}

fn server(ready: ReadyBy) -> LanguageServer {
    LanguageServer::new(Setup {
        server: "tester".to_owned(),
        folders: vec![Folder { uri: Uri::read("file:///p"), name: "p".to_owned() }],
        initialization: Value::Null,
        settings: Settings::default(),
        ready,
        client: "openspace".to_owned(),
        version: "0.0.0".to_owned(),
    })
}

/// A server that has greeted, and the task that speaks with it.
async fn greeted(ready: ReadyBy) -> (LanguageServer, Scripted, tokio::task::JoinHandle<Served>) {
    let server = server(ready);
    let (mut scripted, reader, writer) = Scripted::new();
    let task = tokio::spawn({
        let server = server.clone();
        async move { server.serve(reader, writer).await }
    });
    scripted.greet().await;
    (server, scripted, task)
}

fn file() -> Uri {
    Uri::read("file:///p/a.rs")
}

fn hover(asker: u64) -> Question {
    let params =
        json!({"textDocument": {"uri": file()}, "position": {"line": 0, "character": asker}});
    Question::new(Asker(asker), "textDocument/hover", params)
}

fn asked(
    server: &LanguageServer,
    question: Question,
) -> tokio::task::JoinHandle<Result<Reply, AskError>> {
    let server = server.clone();
    tokio::spawn(async move { server.ask(question).await })
}

fn words(answer: Result<Reply, AskError>) -> String {
    match answer {
        Ok(reply) => reply.value.to_string(),
        Err(error) => error.to_string(),
    }
}

#[tokio::test(start_paused = true)]
async fn many_callers_get_their_own_answers() {
    let (server, mut scripted, _task) = greeted(ReadyBy::AtOnce).await;
    let callers: Vec<_> = (0..20).map(|number| asked(&server, hover(number))).collect();
    let mut questions = Vec::new();
    for _ in 0..20 {
        questions.push(scripted.until("textDocument/hover").await);
    }
    for question in questions.iter().rev() {
        let column = question["params"]["position"]["character"].clone();
        scripted.answer(question, column).await;
    }
    for (number, caller) in callers.into_iter().enumerate() {
        assert_eq!(words(caller.await.unwrap()), number.to_string());
    }
}

#[tokio::test(start_paused = true)]
async fn a_caller_who_leaves_cancels_the_question() {
    let (server, mut scripted, _task) = greeted(ReadyBy::AtOnce).await;
    let caller = asked(&server, hover(0));
    let question = scripted.until("textDocument/hover").await;
    caller.abort();
    assert_eq!(scripted.until("$/cancelRequest").await["params"]["id"], question["id"]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_answers_holds_nobody_up_for_longer_than_he_likes() {
    let (server, mut scripted, _task) = greeted(ReadyBy::AtOnce).await;
    let begun = Instant::now();
    let answer = server.ask(hover(0)).await;
    assert_eq!(words(answer), "tester did not answer within 10000 ms");
    assert!(begun.elapsed() < SECOND * 11);
    scripted.until("$/cancelRequest").await;
    server.open(&file(), "rust", "a".into(), true).unwrap();
    let report = server.diagnostics(&file(), SECOND * 3).await.unwrap();
    assert_eq!((report.freshness, report.items), (Freshness::Pending, vec![]));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_crashes_loses_what_was_under_way_and_is_the_same_after_it() {
    let (server, mut scripted, task) = greeted(ReadyBy::AtOnce).await;
    server.open(&file(), "rust", "a".into(), true).unwrap();
    let caller = asked(&server, hover(0));
    scripted.until("textDocument/hover").await;
    drop(scripted);
    assert_eq!(
        words(caller.await.unwrap()),
        "tester ended before it answered: it closed its output"
    );
    let served = task.await.unwrap();
    let next = AfterProcess::Again(SECOND);
    assert_eq!(served, Served { why: "it closed its output".to_owned(), next });
    // No process runs, and still nobody waits for longer than he likes.
    let caller = asked(&server, hover(1));
    let late = asked(&server, Question { patience: SECOND, ..hover(2) });
    assert!(
        words(late.await.unwrap())
            .starts_with("tester is not ready: it ended (it closed its output)")
    );
    let (mut scripted, reader, writer) = Scripted::new();
    let again = server.clone();
    tokio::spawn(async move { again.serve(reader, writer).await });
    scripted.greet().await;
    assert_eq!(scripted.until("textDocument/didOpen").await["params"]["textDocument"]["text"], "a");
    let question = scripted.until("textDocument/hover").await;
    scripted.answer(&question, json!("again")).await;
    assert_eq!(words(caller.await.unwrap()), "\"again\"");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_slow_to_get_ready_is_waited_for() {
    let (server, mut scripted, _task) = greeted(ReadyBy::ServerStatus).await;
    let wait = Question { while_loading: WhileLoading::Wait(SECOND * 5), ..hover(0) };
    let caller = asked(&server, wait);
    tokio::time::sleep(SECOND * 3).await;
    scripted
        .say(json!({"method": "experimental/serverStatus", "params": {"quiescent": true}}))
        .await;
    let question = scripted.until("textDocument/hover").await;
    scripted.answer(&question, json!(null)).await;
    assert_eq!(words(caller.await.unwrap()), "null");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_greet_is_given_up() {
    let server = server(ReadyBy::AtOnce);
    let (_silent, reader, writer) = Scripted::new();
    let served = server.serve(reader, writer).await;
    let why = "it did not greet within 60 s".to_owned();
    assert_eq!(served.next, AfterProcess::Failed { why });
}

#[tokio::test(start_paused = true)]
async fn a_server_that_reads_nothing_is_given_up() {
    let (server, _scripted, task) = greeted(ReadyBy::AtOnce).await;
    server.open(&file(), "rust", "x".repeat(1_000_000).into(), true).unwrap();
    let served = task.await.unwrap();
    assert_eq!(served.why, "it read nothing for 30 s");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_floods_us_is_slowed_down_and_what_waits_is_bounded() {
    let (server, scripted, task) = greeted(ReadyBy::AtOnce).await;
    let Scripted { mut writer, reader: unread, .. } = scripted;
    let flood = tokio::spawn(async move {
        let mut bytes = Vec::new();
        for id in 0..1000 {
            let question =
                json!({"id": id, "method": format!("x/{}", "y".repeat(500)), "params": null});
            frame::write(question.to_string().as_bytes(), &mut bytes);
        }
        // Endless, as far as anybody takes it.
        while writer.write_all(&bytes).await.is_ok() {}
    });
    let served = task.await.unwrap();
    assert_eq!(served.why, "it read nothing for 30 s");
    assert!(server.see(Server::output_len) <= MOST_OUTPUT + 64 * 1024 * 8);
    drop(unread);
    flood.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_nonsense_is_the_end_and_says_why() {
    let (server, mut scripted, task) = greeted(ReadyBy::AtOnce).await;
    let mut events = server.subscribe();
    scripted.write(b"Content-Length: 9999999999\r\n\r\n").await;
    let served = task.await.unwrap();
    let why = "it announced a message of 9999999999 bytes".to_owned();
    assert_eq!(served.next, AfterProcess::Failed { why: why.clone() });
    assert_eq!(server.state(), State::Failed { why });
    assert!(matches!(*events.recv().await.unwrap(), Event::Over));
}

#[tokio::test(start_paused = true)]
async fn a_farewell_ends_in_time_whether_the_server_takes_part_or_not() {
    let (server, mut scripted, task) = greeted(ReadyBy::AtOnce).await;
    server.stop();
    let question = scripted.until("shutdown").await;
    scripted.answer(&question, json!(null)).await;
    scripted.until("exit").await;
    drop(scripted);
    assert_eq!(task.await.unwrap().next, AfterProcess::Stopped);

    let (server, _deaf, task) = greeted(ReadyBy::AtOnce).await;
    let begun = Instant::now();
    server.stop();
    let served = task.await.unwrap();
    assert_eq!((served.why.as_str(), served.next), ("it had to be ended", AfterProcess::Stopped));
    assert!(begun.elapsed() <= LanguageServer::longest_farewell() + SECOND);
}

#[tokio::test(start_paused = true)]
async fn a_server_with_which_nobody_speaks_any_more_is_stopped() {
    let (server, mut scripted, task) = greeted(ReadyBy::AtOnce).await;
    let caller = asked(&server, hover(0));
    scripted.until("textDocument/hover").await;
    task.abort();
    let lost = "tester ended before it answered: nobody speaks with it any more";
    assert_eq!(words(caller.await.unwrap()), lost);
    assert_eq!(server.state(), State::Stopped);
}

#[tokio::test(start_paused = true)]
async fn diagnostics_are_waited_for_until_they_are_about_the_text_as_it_is() {
    let (server, mut scripted, _task) = greeted(ReadyBy::AtOnce).await;
    server.open(&file(), "rust", "a".into(), true).unwrap();
    let asking = server.clone();
    let report = tokio::spawn(async move { asking.diagnostics(&file(), SECOND * 60).await });
    let barrier = scripted.until("textDocument/documentSymbol").await;
    let push = |version: Value| {
        let params = json!({"uri": file(), "version": version, "diagnostics": []});
        json!({"method": "textDocument/publishDiagnostics", "params": params})
    };
    scripted.say(push(json!(null))).await;
    scripted.answer(&barrier, json!([])).await;
    tokio::time::sleep(SECOND).await;
    assert!(!report.is_finished());
    scripted.say(push(json!(null))).await;
    assert_eq!(report.await.unwrap().unwrap().freshness, Freshness::Likely);
    server.change(&file(), &[Edit { start: 0, end: 1, text: "b".to_owned() }]).unwrap();
    let report = server.diagnostics(&file(), SECOND).await.unwrap();
    assert_eq!(report.freshness, Freshness::Pending);
}

#[tokio::test(start_paused = true)]
async fn who_follows_hears_of_states_in_their_order() {
    let server = server(ReadyBy::AtOnce);
    let mut events = server.subscribe();
    let (mut scripted, reader, writer) = Scripted::new();
    let serving = server.clone();
    let task = tokio::spawn(async move { serving.serve(reader, writer).await });
    scripted.greet().await;
    drop(scripted);
    task.await.unwrap();
    let mut states = Vec::new();
    while let Ok(event) = events.try_recv() {
        if let Event::State(state) = Arc::unwrap_or_clone(event) {
            states.push(state.to_string());
        }
    }
    assert_eq!(
        states,
        ["it is starting", "it is ready", "it ended (it closed its output) and is started again"]
    );
}
