//! The order of checks, the limits and the record, on a small state of our own.

use std::sync::Mutex;

use pretty_assertions::assert_eq;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::{Notify, mpsc};

use super::*;
use tokio_util::sync::CancellationToken;

use crate::{
    CallerKind, Command, Entry, Intent, LetAll, Line, Meta, Outcome, Progress, Site, TokensAlone,
};

#[derive(Default)]
struct Bench {
    log: Mutex<Vec<String>>,
    gate: Notify,
    started: Notify,
}

/// Write a word into the log.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Write {
    /// The word.
    word: String,
    /// How often.
    times: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
struct Written {
    /// What the log holds now.
    log: Vec<String>,
}

impl Command<Bench> for Write {
    const META: Meta = Meta::new("log.write", "Log: Write", Access::Edit);
    type Output = Written;

    fn summary(&self) -> String {
        assert!(self.word != "unspeakable");
        format!("write {}", self.word)
    }

    fn workspace(&self) -> Option<&str> {
        self.word.strip_prefix("in ")
    }

    fn paths(&self) -> Vec<String> {
        vec![format!("./words/{}", self.word)]
    }

    fn check(&self) -> Result<()> {
        if self.times == Some(0) {
            return Err(Error::invalid("argument `times`: must be at least 1"));
        }
        Ok(())
    }

    fn intent(&self, _state: &Bench, caller: &Caller) -> Intent {
        let line =
            Line { text: format!("echo {}", self.word), shell: "sh".into(), is_typed: false };
        Intent {
            site: Site::Confined,
            line: Some(line),
            folder: Some(caller.id.clone()),
            ..Intent::default()
        }
    }

    async fn closer_intent(&self, _state: &Arc<Bench>, _caller: &Caller) -> Result<Option<Intent>> {
        Ok((self.word == "key").then(Intent::default))
    }

    async fn run(self, cx: Cx<Bench>) -> Result<Written> {
        // Gives way to other tasks, so that a wrong order would show.
        tokio::task::yield_now().await;
        let mut log = cx.state.log.lock().unwrap();
        log.push(self.word);
        Ok(Written { log: log.clone() })
    }
}

/// Wait at the gate.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Wait {}

#[derive(Serialize, JsonSchema)]
struct Nothing {}

impl Command<Bench> for Wait {
    const META: Meta = Meta::new("gate.wait", "Gate: Wait", Access::Read);
    type Output = Nothing;

    fn summary(&self) -> String {
        "wait at the gate".into()
    }

    async fn run(self, cx: Cx<Bench>) -> Result<Nothing> {
        cx.progress.report(1.0, None, "at the gate");
        cx.state.started.notify_one();
        cx.state.gate.notified().await;
        Ok(Nothing {})
    }
}

/// Hold the line.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Hold {}

impl Command<Bench> for Hold {
    const META: Meta = Meta::new("gate.hold", "Gate: Hold", Access::View);
    type Output = Nothing;

    fn summary(&self) -> String {
        "hold the line".into()
    }

    async fn run(self, cx: Cx<Bench>) -> Result<Nothing> {
        cx.state.started.notify_one();
        cx.state.gate.notified().await;
        Ok(Nothing {})
    }
}

/// Look around.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Look {}

impl Command<Bench> for Look {
    const META: Meta = Meta::new("gate.look", "Gate: Look", Access::View);
    type Output = Nothing;

    fn summary(&self) -> String {
        "look".into()
    }

    async fn run(self, _: Cx<Bench>) -> Result<Nothing> {
        Ok(Nothing {})
    }
}

/// Fall over.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Fall {}

impl Command<Bench> for Fall {
    const META: Meta = Meta::new("gate.fall", "Gate: Fall", Access::Destroy);
    type Output = Nothing;

    fn summary(&self) -> String {
        "fall".into()
    }

    async fn run(self, _: Cx<Bench>) -> Result<Nothing> {
        panic!("tripped over a stone")
    }
}

/// Run another command.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Pass {
    /// Which.
    command: String,
    /// With what.
    #[serde(default)]
    arguments: Map<String, Value>,
}

#[derive(Serialize, JsonSchema)]
struct Passed {
    #[serde(flatten)]
    data: Map<String, Value>,
}

impl Command<Bench> for Pass {
    const META: Meta = Meta::new("gate.pass", "Gate: Pass", Access::Execute)
        .shown(crate::Shown::Hidden)
        .parallel()
        .passes_on();
    type Output = Passed;

    fn summary(&self) -> String {
        format!("pass {}", self.command)
    }

    async fn run(self, cx: Cx<Bench>) -> Result<Passed> {
        let reply = cx.dispatch(&self.command, Value::Object(self.arguments)).await;
        Ok(Passed { data: reply.result? })
    }
}

const COMMANDS: &[Entry<Bench>] = &[
    Entry::of::<Pass>(),
    Entry::of::<Write>(),
    Entry::of::<Wait>(),
    Entry::of::<Hold>(),
    Entry::of::<Look>(),
    Entry::of::<Fall>(),
];

#[derive(Default)]
struct Records(Mutex<Vec<Record>>);

impl Recorder for Records {
    fn record(&self, record: Record) {
        self.0.lock().unwrap().push(Record { micros: 0, ..record });
    }
}

fn bench_with(limits: Limits, guard: impl Guard<Bench>) -> (Dispatcher<Bench>, Arc<Records>) {
    let records = Arc::new(Records::default());
    let registry = Arc::new(Registry::new(&[COMMANDS]));
    let recorder = Arc::clone(&records) as Arc<dyn Recorder>;
    let dispatcher = Dispatcher::new(
        Arc::default(),
        registry,
        limits,
        Arc::new(guard),
        recorder,
        Arc::new(TokensAlone),
        Arc::new(|| 1_000),
    );
    (dispatcher, records)
}

fn bench() -> (Dispatcher<Bench>, Arc<Records>) {
    bench_with(Limits::default(), LetAll)
}

fn agent() -> Caller {
    Caller::new(CallerKind::Agent, "tester", None)
}

async fn answer(dispatcher: &Dispatcher<Bench>, command: &str, args: Value) -> Value {
    dispatcher.dispatch(Call::new(agent(), command, args)).await.to_value()
}

#[tokio::test]
async fn a_call_answers_with_its_data_and_leaves_a_record() {
    let (dispatcher, records) = bench();
    let reply = answer(&dispatcher, "openspace.log.write", json!({"word": "a"})).await;
    assert_eq!(reply, json!({"success": true, "log": ["a"]}));
    assert_eq!(
        *records.0.lock().unwrap(),
        vec![Record {
            at: 1_000,
            caller: agent(),
            command: "openspace.log.write".into(),
            workspace: None,
            summary: "write a".into(),
            paths: vec!["words/a".into()],
            let_in: None,
            outcome: Outcome::Done,
            error: None,
            micros: 0,
        }]
    );
}

#[tokio::test]
async fn every_form_of_a_name_finds_the_command() {
    let (dispatcher, _) = bench();
    for name in ["gate_look", "gate.look", "openspace_gate_look", "openspace.gate.look"] {
        assert_eq!(answer(&dispatcher, name, json!({})).await, json!({"success": true}), "{name}");
    }
}

#[tokio::test]
async fn an_unknown_command_lists_those_that_exist() {
    let (dispatcher, records) = bench();
    let reply = answer(&dispatcher, "gate.fly", json!({})).await;
    assert_eq!(
        reply,
        json!({
            "success": false,
            "error": "there is no command `gate.fly`",
            "kind": "not_found",
            "hint": "commands are log_write, gate_wait, gate_hold, gate_look, gate_fall; command_search finds more",
        })
    );
    assert_eq!(records.0.lock().unwrap().len(), 1, "failures are recorded too");
    for (command, unknown) in [("gate.fly", true), ("log.write", false), ("gate.look", false)] {
        let reply = dispatcher.dispatch(Call::new(agent(), command, json!({}))).await;
        assert_eq!(reply.unknown, unknown, "{command}");
    }
}

#[tokio::test]
async fn a_wrong_argument_is_named() {
    let (dispatcher, records) = bench();
    for (args, error) in [
        (
            json!({"word": "a", "times": "abc"}),
            "argument `times`: invalid type: string \"abc\", expected u32",
        ),
        (
            json!({"word": "a", "colour": 1}),
            "argument `colour`: unknown field `colour`, expected `word` or `times`",
        ),
        (json!({}), "missing field `word`"),
        (json!({"word": "a", "times": 0}), "argument `times`: must be at least 1"),
        (json!([1]), "arguments must be a JSON object, not a list"),
    ] {
        let reply = answer(&dispatcher, "log.write", args).await;
        assert_eq!(reply["error"], error);
        assert_eq!(reply["kind"], "invalid_args");
    }
    let quoted = records.0.lock().unwrap()[0].error.clone();
    assert_eq!(
        quoted.as_deref(),
        Some("argument `times`: invalid type: string \"…\", expected u32")
    );
    let hint = answer(&dispatcher, "log.write", json!({})).await["hint"].clone();
    assert_eq!(hint, "log_write takes word (string), times? (integer)");
    for (typed, meant) in
        [("Word", "word"), ("wrd", "word"), ("w_o_r_d", "word"), ("time", "times")]
    {
        let hint = answer(&dispatcher, "log.write", json!({(typed): "a"})).await["hint"].clone();
        let takes = "log_write takes word (string), times? (integer)";
        assert_eq!(hint, format!("did you mean `{meant}`? {takes}"));
    }
    assert!(records.0.lock().unwrap().iter().all(|r| r.summary == "(arguments not understood)"));
}

#[tokio::test]
async fn a_huge_argument_is_not_echoed() {
    let (dispatcher, _) = bench();
    let reply =
        answer(&dispatcher, "log.write", json!({"word": 1, "times": "x".repeat(10_000_000)})).await;
    assert!(reply["error"].as_str().unwrap().len() < 3_000);
}

#[tokio::test]
async fn a_panic_is_an_internal_error_and_the_line_goes_on() {
    let (dispatcher, records) = bench();
    let reply = answer(&dispatcher, "gate.fall", json!({})).await;
    assert_eq!(reply["kind"], "internal");
    assert_eq!(answer(&dispatcher, "log.write", json!({"word": "a"})).await["success"], true);
    assert_eq!(records.0.lock().unwrap()[0].outcome, Outcome::Failed(ErrorKind::Internal));
}

#[tokio::test]
async fn a_call_taken_back_stops_and_says_so() {
    let (dispatcher, records) = bench();
    let (progress, mut reports) = mpsc::channel(4);
    let call =
        Call { progress: Progress::to(progress), ..Call::new(agent(), "gate.wait", json!({})) };
    let cancel = call.cancel.clone();
    let running = tokio::spawn({
        let dispatcher = dispatcher.clone();
        async move { dispatcher.dispatch(call).await.to_value() }
    });
    assert_eq!(reports.recv().await.unwrap().message, "at the gate");
    cancel.cancel();
    assert_eq!(running.await.unwrap()["kind"], "cancelled");
    assert_eq!(records.0.lock().unwrap()[0].outcome, Outcome::Failed(ErrorKind::Cancelled));
    assert_eq!(dispatcher.budget(&agent()).concurrent_left, 10);
}

#[tokio::test]
async fn repeated_failures_are_known_until_the_call_succeeds() {
    let (dispatcher, _) = bench();
    for _ in 0..3 {
        answer(&dispatcher, "gate.fall", json!({})).await;
    }
    let failures = dispatcher.repeated_failures();
    assert_eq!(
        failures.iter().map(|(r, n)| (r.command.as_str(), *n)).collect::<Vec<_>>(),
        [("openspace.gate.fall", 3)]
    );
    assert_eq!(dispatcher.recent(&agent()).len(), 3);
    for _ in 0..30 {
        answer(&dispatcher, "gate.look", json!({})).await;
    }
    assert_eq!(dispatcher.recent(&agent()).len(), 20);
    assert_eq!(dispatcher.repeated_failures(), vec![]);
}

#[test]
fn a_schema_speaks_no_rust() {
    let registry = Registry::<Bench>::new(&[COMMANDS]);
    let write = registry.find("log_write").unwrap();
    assert_eq!(
        *write.input,
        json!({
            "type": "object",
            "properties": {
                "word": {"description": "The word.", "type": "string"},
                "times": {
                    "description": "How often.", "type": "integer", "minimum": 0,
                    "maximum": u32::MAX,
                },
            },
            "additionalProperties": false,
            "required": ["word"],
        })
    );
    assert_eq!(write.doc, "Write a word into the log.");
}

mod guards;
mod limits;
mod masks;
mod meanwhile;
mod records;
mod supervision;

/// What runs, as a recorder is told it.
#[derive(Default)]
struct Running(Mutex<Vec<String>>);

impl Recorder for Running {
    fn started(&self, call: u64, record: &Record) {
        self.0.lock().unwrap().push(format!("{call} {}", record.summary));
    }

    fn ended(&self, call: u64) {
        self.0.lock().unwrap().push(format!("{call} ended"));
    }

    fn record(&self, record: Record) {
        self.0.lock().unwrap().push(record.outcome.word().into());
    }
}

#[tokio::test]
async fn every_call_that_starts_is_told_to_end() {
    let running = Arc::new(Running::default());
    let registry = Arc::new(Registry::new(&[COMMANDS]));
    let recorder = Arc::clone(&running) as Arc<dyn Recorder>;
    let dispatcher = Dispatcher::new(
        Arc::default(),
        registry,
        Limits::default(),
        Arc::new(LetAll),
        recorder,
        Arc::new(TokensAlone),
        Arc::new(|| 1_000),
    );
    for (command, args) in [
        ("log.write", json!({"word": "a"})),
        ("log.write", json!({"word": "b", "times": 0})),
        ("gate.fall", json!({})),
        ("log.write", json!({"word": "c"})),
    ] {
        dispatcher.dispatch(Call::new(agent(), command, args)).await;
    }
    let expected = [
        "1 write a",
        "1 ended",
        "done",
        "invalid_args",
        "2 fall",
        "2 ended",
        "internal",
        "3 write c",
        "3 ended",
        "done",
    ];
    assert_eq!(*running.0.lock().unwrap(), expected);
}
