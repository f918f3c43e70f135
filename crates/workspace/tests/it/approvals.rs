//! Calls that wait for a person: asked, answered, left, taken back, and picked up late.

use std::{sync::Arc, time::Duration};

use openspace_command::{Call, Caller, CallerKind, Hold, Progress, ProgressUpdate, Site};
use openspace_workspace::{
    areas::approvals::{Approvals, Entered, Held, Question},
    permission::{PermissionOptions, Profile},
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio::{sync::mpsc, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use crate::support::{Bench, PolicyText, START, Settings, agent, asking, in_time, person};

/// A space in which agents' programs are asked about.
pub(crate) async fn careful() -> Bench {
    Bench::with(asking(Profile::Careful, PolicyText::of("")), &[]).await
}

/// A call that is under way.
pub(crate) struct Waiting {
    answer: JoinHandle<Value>,
    pub(crate) cancel: CancellationToken,
    progress: mpsc::Receiver<ProgressUpdate>,
}

impl Waiting {
    /// Start a call and wait until somebody is asked about it.
    pub(crate) async fn start(bench: &Bench, caller: Caller, command: &str, args: Value) -> Self {
        let (reports, progress) = mpsc::channel(16);
        let call = Call::new(caller, command, args).with_progress(Progress::to(reports));
        let cancel = call.cancel.clone();
        let dispatcher = bench.dispatcher().clone();
        let answer = tokio::spawn(async move { dispatcher.dispatch(call).await.to_value() });
        let mut waiting = Self { answer, cancel, progress };
        let first = waiting.words().await;
        assert!(first.starts_with("waiting for a person's answer: "), "{first}");
        waiting
    }

    async fn words(&mut self) -> String {
        in_time(self.progress.recv()).await.unwrap().message
    }

    pub(crate) async fn end(self) -> Value {
        in_time(self.answer).await.unwrap()
    }
}

fn bash(line: &str) -> Value {
    json!({"command": line})
}

async fn asked(bench: &Bench, line: &str) -> Waiting {
    Waiting::start(bench, agent(), "workspace.bash", bash(line)).await
}

async fn answer(bench: &Bench, id: &str, answer: &str) -> Value {
    bench.as_person("approval.answer", json!({"approvalId": id, "answer": answer})).await
}

async fn get(bench: &Bench, id: &str) -> Value {
    bench.as_person("approval.get", json!({"approvalId": id})).await
}

/// Ids of the questions that are open.
async fn open(bench: &Bench) -> Vec<Value> {
    let listed = bench.as_person("approval.list", json!({})).await;
    listed["approvals"].as_array().unwrap().iter().map(|one| one["approvalId"].clone()).collect()
}

/// A question about a call that there is not, for who needs one where nobody decides.
pub(crate) async fn held_question(bench: &Bench) -> Held {
    let question = Question {
        command: "openspace.workspace.bash".into(),
        summary: "touch made".into(),
        arguments: Vec::new(),
        digest: "0".into(),
        line: None,
        folder: None,
        caller: agent(),
        site: Site::Unconfined,
        reason: None,
        theirs: None,
        rule: "a test".into(),
        why: "It is one.".into(),
        always: None,
        each_time: false,
    };
    let approvals = bench.dispatcher().state().service::<Approvals>();
    match approvals.enter(question).await.unwrap() {
        Entered::Held(held) => held,
        Entered::Late(outcome) => panic!("{outcome:?}"),
    }
}

#[tokio::test]
async fn a_question_says_all_that_a_person_decides_by() {
    let bench = careful().await;
    let caller = Caller::new(CallerKind::Agent, "opencode", Some("s1"));
    let args = json!({
        "command": "cd x && git push origin main", "workdir": ".", "outside": true,
        "reason": "The release needs it, TOKEN=hunter2",
    });
    let waiting = Waiting::start(&bench, caller, "workspace.bash", args).await;
    let mut one = get(&bench, "a1").await;
    assert_eq!(one["digest"].take().as_str().unwrap().len(), 64);
    let line = one["line"].take();
    let (rule, why, always) = (one["rule"].take(), one["why"].take(), one["always"].take());
    assert_eq!(
        one,
        json!({
            "success": true, "approvalId": "a1", "command": "openspace.workspace.bash",
            "summary": "cd x && git push origin main",
            "arguments": [
                {"name": "command", "value": "cd x && git push origin main"},
                {"name": "workdir", "value": "."},
                {"name": "outside", "value": "true"},
                {"name": "reason", "value": "The release needs it, TOKEN=***"},
            ],
            "digest": null, "line": null, "folder": ".",
            "caller": {"kind": "agent", "id": "opencode", "session": "s1"},
            "site": "unconfined", "reason": "The release needs it, TOKEN=***", "theirs": null,
            "rule": null, "why": null, "always": null, "eachTime": false,
            "askedAt": START, "waiting": true, "until": null, "state": "open",
        })
    );
    assert_eq!(line["text"], "cd x && git push origin main");
    let parts: Vec<(&Value, &Value)> = line["parts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| (&part["text"], &part["decision"]))
        .collect();
    assert_eq!(parts[1], (&json!("git push origin main"), &json!("ask")));
    assert!(rule.as_str().unwrap().contains("careful"), "{rule}");
    assert!(!why.as_str().unwrap().is_empty());
    assert!(always.is_null() || always["text"].as_str().unwrap().contains("decision = \"allow\""));
    waiting.cancel.cancel();
    assert_eq!(waiting.end().await["kind"], "cancelled");
}

#[tokio::test]
async fn a_yes_lets_the_call_run_and_the_record_says_whose_it_was() {
    let bench = careful().await;
    let waiting = asked(&bench, "touch made").await;
    assert_eq!(open(&bench).await, ["a1"]);
    assert_eq!(answer(&bench, "a1", "once").await["state"], "approved");
    let done = waiting.end().await;
    assert_eq!((&done["success"], &done["exit_code"]), (&json!(true), &json!(0)), "{done}");
    let one = get(&bench, "a1").await;
    assert_eq!(
        (&one["state"], &one["scope"], &one["answered"], &one["waiting"]),
        (
            &json!("approved"),
            &json!("once"),
            &json!({
                "channel": "browser", "by": "", "message": null, "answeredAt": START, "usedAt": START,
            }),
            &json!(false),
        )
    );
    // Once is once: the same call again is asked about again.
    let again = asked(&bench, "touch made").await;
    assert_eq!(open(&bench).await, ["a2"]);
    again.cancel.cancel();
    again.end().await;
    let records = bench.audit().await;
    let bash = records.iter().find(|record| record.command.ends_with("bash")).unwrap();
    assert_eq!(bash.let_in.as_deref(), Some("approved once by browser (a1)"));
}

#[tokio::test]
async fn a_no_is_denied_with_the_persons_words() {
    let bench = careful().await;
    let waiting = asked(&bench, "touch made").await;
    let no = json!({"approvalId": "a1", "answer": "no", "message": "Use the other branch."});
    assert_eq!(bench.as_person("approval.answer", no).await["state"], "denied");
    assert_eq!(
        waiting.end().await,
        json!({
            "success": false, "kind": "denied", "approval": "a1",
            "error": "a person said no (browser): Use the other branch.",
            "hint": "do not try the same in another way; ask the person what to do instead",
        })
    );
    assert!(!bench.place("made").exists());
}

#[tokio::test]
async fn what_a_rule_forbids_is_policy_and_nobody_is_asked() {
    let rules =
        "[[rule]]\nid = 'no-push'\ndecision = 'deny'\nline = 'git push *'\nreason = 'Never.'\n";
    let bench = Bench::with(asking(Profile::Careful, PolicyText::of(rules)), &[]).await;
    let refused = bench.failure("workspace.bash", bash("git push origin main")).await;
    assert_eq!(
        (&refused["kind"], &refused["error"]),
        (
            &json!("policy"),
            &json!("not allowed by your rule `no-push`: Never (git push origin main)"),
        )
    );
    let git = json!({"action": "push", "remote": "origin"});
    assert_eq!(bench.failure("workspace.git", git).await["kind"], "policy");
    assert_eq!(open(&bench).await, Vec::<Value>::new());
}

#[tokio::test]
async fn who_only_looks_is_not_asked_about() {
    let bench = careful().await;
    bench.ok("workspace.bash", bash("ls")).await;
    bench.ok("file.write", json!({"path": "a", "content": "x"})).await;
    bench.ok("file.delete", json!({"path": "a"})).await;
    let records = bench.audit().await;
    let let_in: Vec<_> = records.iter().filter_map(|record| record.let_in.clone()).collect();
    assert_eq!(let_in.len(), 3);
    assert!(let_in.iter().all(|by| by.starts_with("allowed by the profile")), "{let_in:?}");
}

#[tokio::test]
async fn while_it_waits_a_call_tells_so_every_ten_seconds() {
    let bench = careful().await;
    let mut waiting = asked(&bench, "touch made").await;
    tokio::time::pause();
    for _ in 0..3 {
        let before = tokio::time::Instant::now();
        // Nothing else goes on, so the clock goes to where something is due.
        let words = waiting.progress.recv().await.unwrap().message;
        assert_eq!(words, "waiting for a person's answer: touch made (a1)");
        assert!((9..=10).contains(&before.elapsed().as_secs()));
    }
    tokio::time::resume();
    waiting.cancel.cancel();
    waiting.end().await;
}

/// A space whose calls wait this long, in real time.
async fn hasty(within: Duration) -> Bench {
    let mut settings = asking(Profile::Careful, PolicyText::of(""));
    settings.permission = PermissionOptions { answer_within: within, ..settings.permission };
    Bench::with(settings, &[]).await
}

/// A call that nobody answers in time.
async fn left(bench: &Bench, line: &str) -> Value {
    bench.failure("workspace.bash", bash(line)).await
}

#[tokio::test]
async fn nobody_answering_is_no_no_and_a_late_yes_counts_once() {
    let bench = hasty(Duration::from_millis(20)).await;
    let unanswered = left(&bench, "touch made").await;
    assert_eq!(
        (&unanswered["kind"], &unanswered["approval"]),
        (&json!("unanswered"), &json!("a1"))
    );
    let hint = unanswered["hint"].as_str().unwrap();
    assert!(hint.contains("the same call again picks up the answer"), "{hint}");
    let one = get(&bench, "a1").await;
    assert_eq!((&one["state"], &one["waiting"]), (&json!("open"), &json!(false)));
    answer(&bench, "a1", "once").await;
    // Another call, or another client, does not get it.
    assert_eq!(left(&bench, "touch other").await["approval"], "a2");
    let other = Caller::new(CallerKind::Agent, "codex", None);
    let reply = bench.reply(other, "workspace.bash", bash("touch made")).await.to_value();
    assert_eq!(reply["approval"], "a3");
    // The same client in another session does, and only once.
    let session = Caller::new(CallerKind::Agent, "opencode", Some("s2"));
    let done = bench.reply(session, "workspace.bash", bash("touch made")).await.to_value();
    assert_eq!(done["success"], true);
    assert!(bench.place("made").exists());
    assert_eq!(left(&bench, "touch made").await["approval"], "a4");
}

#[tokio::test]
async fn a_late_no_is_told_to_the_same_call_again() {
    let bench = hasty(Duration::from_millis(20)).await;
    left(&bench, "touch made").await;
    answer(&bench, "a1", "no").await;
    assert_eq!(left(&bench, "touch made").await["kind"], "denied");
    assert_eq!(left(&bench, "touch made").await["approval"], "a2");
}

#[tokio::test]
async fn the_same_call_again_waits_on_in_its_place() {
    let bench = hasty(Duration::from_millis(20)).await;
    left(&bench, "touch made").await;
    let again = asked(&bench, "touch made").await;
    assert_eq!(open(&bench).await, ["a1"]);
    assert_eq!(again.end().await["approval"], "a1");
}

/// An agent's own terminal, where nothing confines what runs in it, with a line that nobody has started.
async fn with_a_pending_line(bench: &Bench) {
    let create = json!({"shellPath": "/bin/bash"});
    let asked = Waiting::start(bench, agent(), "terminal.create", create).await;
    answer(bench, "a1", "once").await;
    assert_eq!(asked.end().await["terminalId"], "t1");
    bench.ok("terminal.send", keys("echo one")).await;
}

fn keys(text: &str) -> Value {
    json!({"terminalId": "t1", "text": text})
}

#[tokio::test]
async fn a_late_yes_for_a_key_is_for_the_line_that_stood_there() {
    let bench = careful().await;
    with_a_pending_line(&bench).await;
    let enter = || Call::new(agent(), "terminal.send", keys("\n"));
    let leaving = || {
        let call = enter().with_hold(Hold::leaving());
        async { bench.dispatcher().dispatch(call).await.to_value() }
    };
    assert_eq!(leaving().await["approval"], "a2");
    // What the keys come to cannot be told for certain, so nothing wider is offered.
    assert_eq!(answer(&bench, "a2", "session").await["kind"], "conflict");
    answer(&bench, "a2", "once").await;
    bench.ok("terminal.send", keys("\u{15}touch made")).await;
    let asked_anew = leaving().await;
    assert_eq!(
        (&asked_anew["kind"], &asked_anew["approval"]),
        (&json!("unanswered"), &json!("a3")),
        "{asked_anew}"
    );
    assert_eq!(get(&bench, "a3").await["line"]["text"], "touch made\u{fffd}");
    // The line of the yes, and it is run.
    bench.ok("terminal.send", keys("\u{15}echo one")).await;
    assert_eq!(leaving().await["success"], true);
    assert!(!bench.place("made").exists());
}

#[tokio::test]
async fn a_yes_to_a_key_that_waits_is_for_the_line_that_was_judged() {
    let bench = careful().await;
    with_a_pending_line(&bench).await;
    let enter = Waiting::start(&bench, agent(), "terminal.send", keys("\n")).await;
    bench.ok("terminal.send", keys("\u{15}touch made")).await;
    answer(&bench, "a2", "once").await;
    let refused = enter.end().await;
    assert_eq!(refused["kind"], "conflict", "{refused}");
    assert_eq!(refused["hint"], "nothing was typed; call again, and it is decided anew");
    let run = json!({"terminalId": "t1", "command": "; true"});
    let run = Waiting::start(&bench, agent(), "terminal.run", run).await;
    bench.ok("terminal.send", keys("\u{15}touch made")).await;
    bench.ok("terminal.send", keys("; touch other")).await;
    answer(&bench, "a3", "once").await;
    assert_eq!(run.end().await["kind"], "conflict");
    let again = Waiting::start(&bench, agent(), "terminal.send", keys("\n")).await;
    assert_eq!(get(&bench, "a4").await["line"]["text"], "touch made; touch other\u{fffd}");
    again.cancel.cancel();
    again.end().await;
    assert!(!bench.place("made").exists());
}

#[tokio::test]
async fn an_answer_counts_for_half_an_hour() {
    const MINUTE: u64 = 60 * 1000;
    let bench = hasty(Duration::from_millis(20)).await;
    left(&bench, "touch made").await;
    bench.advance(29 * MINUTE);
    answer(&bench, "a1", "once").await;
    bench.advance(31 * MINUTE);
    assert_eq!(left(&bench, "touch made").await["approval"], "a2", "a yes grows old");
    bench.advance(31 * MINUTE);
    let late = answer(&bench, "a2", "once").await;
    assert_eq!(
        (&late["kind"], &late["error"]),
        (&json!("conflict"), &json!("a2 is settled: expired: nobody answered in time"))
    );
}

#[tokio::test]
async fn questions_survive_a_restart_and_a_yes_counts_once_after_it() {
    let mut bench = careful().await;
    let first = asked(&bench, "touch made").await;
    let second = asked(&bench, "touch other").await;
    answer(&bench, "a2", "once").await;
    assert_eq!(second.end().await["success"], true);
    let stopping = tokio::spawn(first.end());
    bench.restart().await;
    let told = stopping.await.unwrap();
    assert_eq!((&told["kind"], &told["approval"]), (&json!("unanswered"), &json!("a1")));
    let one = get(&bench, "a1").await;
    assert_eq!((&one["state"], &one["waiting"]), (&json!("open"), &json!(false)));
    answer(&bench, "a1", "once").await;
    bench.restart().await;
    assert_eq!(bench.call("workspace.bash", bash("touch made")).await["success"], true);
    let again = asked(&bench, "touch made").await;
    assert_eq!(open(&bench).await, ["a3"]);
    // What was used before the restart is used after it.
    let other = asked(&bench, "touch other").await;
    for waiting in [again, other] {
        waiting.cancel.cancel();
        waiting.end().await;
    }
}

#[tokio::test]
async fn a_call_that_is_taken_back_takes_its_question_along() {
    let bench = careful().await;
    let waiting = asked(&bench, "touch made").await;
    waiting.cancel.cancel();
    assert_eq!(waiting.end().await["kind"], "cancelled");
    let late = answer(&bench, "a1", "once").await;
    assert_eq!(
        (&late["kind"], &late["error"]),
        (&json!("conflict"), &json!("a1 is settled: taken back by its caller"))
    );
}

#[tokio::test]
async fn of_two_answers_one_counts_and_the_other_is_told() {
    let bench = careful().await;
    for round in 1..=5 {
        let waiting = asked(&bench, "touch made").await;
        let id = format!("a{round}");
        let (yes, no) = tokio::join!(answer(&bench, &id, "once"), answer(&bench, &id, "no"));
        let ended = waiting.end().await;
        let (won, lost) = if yes["success"] == true { ("approved", no) } else { ("denied", yes) };
        assert_eq!(lost["kind"], "conflict");
        let outcome = if won == "approved" { "approved once" } else { "denied" };
        assert_eq!(lost["error"], format!("{id} is settled: {outcome} by browser"));
        assert_eq!(ended["success"] == true, won == "approved", "{ended}");
    }
}

#[tokio::test]
async fn for_the_session_is_for_that_session_and_until_the_server_ends() {
    let mut bench = careful().await;
    let session = |name| Caller::new(CallerKind::Agent, "opencode", Some(name));
    let push = |line: &str| bash(line);
    let waiting =
        Waiting::start(&bench, session("s1"), "workspace.bash", push("git push origin main")).await;
    answer(&bench, "a1", "session").await;
    waiting.end().await;
    let run = |caller, line| bench.reply(caller, "workspace.bash", push(line));
    let again = run(session("s1"), "git push origin main").await;
    assert_eq!(again.to_value()["success"], true);
    let other =
        Waiting::start(&bench, session("s2"), "workspace.bash", push("git push origin main")).await;
    let harder = Waiting::start(
        &bench,
        session("s1"),
        "workspace.bash",
        push("git push --force origin main"),
    )
    .await;
    for waiting in [other, harder] {
        waiting.cancel.cancel();
        waiting.end().await;
    }
    bench.restart().await;
    let waiting =
        Waiting::start(&bench, session("s1"), "workspace.bash", push("git push origin main")).await;
    waiting.cancel.cancel();
    waiting.end().await;
}

#[tokio::test]
async fn always_saves_exactly_the_rule_that_was_shown_and_keeps_the_rest() {
    let file = PolicyText::of("# Mine.\n[[rule]]\nid = 'a'\ndecision = 'deny'\nline = 'su *'\n");
    let mut bench = Bench::with(asking(Profile::Careful, Arc::clone(&file)), &[]).await;
    let waiting = asked(&bench, "git push origin main").await;
    let shown = get(&bench, "a1").await["always"].clone();
    assert!(shown["about"].as_str().unwrap().contains("git push origin"), "{shown}");
    answer(&bench, "a1", "always").await;
    waiting.end().await;
    let text = file.text();
    assert!(text.starts_with("# Mine.\n[[rule]]\nid = 'a'\n"), "{text}");
    assert!(text.contains(shown["text"].as_str().unwrap().trim()), "{text}\n{shown}");
    let ran = bench.call("workspace.bash", bash("git push origin main")).await;
    assert_eq!(ran["success"], true);
    bench.restart().await;
    let ran = bench.call("workspace.bash", bash("git push origin main")).await;
    assert_eq!(ran["success"], true);
    let waiting = asked(&bench, "git push --force origin main").await;
    waiting.cancel.cancel();
    waiting.end().await;
}

/// What the server does outside for an agent's git: one word for each remote, remote's settings, and loss.
fn gits() -> Vec<Value> {
    vec![
        json!({"action": "fetch", "remote": "origin"}),
        json!({"action": "pull", "remote": "origin"}),
        json!({"action": "push", "remote": "origin", "branch": "main"}),
        json!({"action": "remote", "operation": "add", "name": "theirs", "url": "https://example.org/x"}),
        json!({"action": "discard", "files": ["a.txt"]}),
    ]
}

#[tokio::test]
async fn what_the_server_does_for_git_is_asked_each_time_and_a_yes_counts_once() {
    let rule = "[[rule]]\ndecision = 'allow'\ncommand = 'openspace.workspace.git'\n";
    for profile in [Profile::Careful, Profile::Trusting] {
        let bench = Bench::with(asking(profile, PolicyText::of(rule)), &[("a.txt", "one\n")]).await;
        bench.as_person("workspace.git", json!({"action": "init"})).await;
        let mut number = 0;
        for call in gits() {
            // The second time too.
            for _ in 0..2 {
                number += 1;
                let id = format!("a{number}");
                let waiting = Waiting::start(&bench, agent(), "workspace.git", call.clone()).await;
                let question = get(&bench, &id).await;
                assert_eq!(
                    (&question["eachTime"], &question["always"]),
                    (&json!(true), &json!(null))
                );
                for wider in ["session", "always"] {
                    assert_eq!(answer(&bench, &id, wider).await["kind"], "conflict", "{call}");
                }
                answer(&bench, &id, "once").await;
                waiting.end().await;
            }
        }
        // The rule holds for all else of it.
        let staged =
            bench.call("workspace.git", json!({"action": "add", "files": ["a.txt"]})).await;
        assert_eq!(staged["success"], true, "{staged}");
    }
}

#[tokio::test]
async fn a_rule_that_cannot_be_saved_leaves_the_question_open() {
    let settings = Settings {
        permission: PermissionOptions {
            profile: Some(Profile::Careful),
            ..PermissionOptions::default()
        },
        ..Settings::default()
    };
    let bench = Bench::with(settings, &[]).await;
    let waiting = asked(&bench, "git push origin main").await;
    let failed = answer(&bench, "a1", "always").await;
    assert_eq!(failed["kind"], "conflict");
    assert_eq!(open(&bench).await, ["a1"]);
    answer(&bench, "a1", "no").await;
    assert_eq!(waiting.end().await["kind"], "denied");
}

#[tokio::test]
async fn only_a_person_answers_and_no_agent_sees_a_question() {
    let bench = careful().await;
    let waiting = asked(&bench, "touch made").await;
    let script = Caller::new(CallerKind::Script, "cli", None);
    let once = json!({"approvalId": "a1", "answer": "once"});
    for (caller, command, args, kind) in [
        (agent(), "approval.answer", once.clone(), "policy"),
        (agent(), "approval.list", json!({}), "policy"),
        (agent(), "approval.get", json!({"approvalId": "a1"}), "policy"),
        (script.clone(), "approval.answer", once.clone(), "denied"),
        (Caller::new(CallerKind::Bridge, "b", None), "approval.list", json!({}), "denied"),
    ] {
        let reply = bench.reply(caller, command, args).await.to_value();
        assert_eq!(reply["kind"], kind, "{command}: {reply}");
    }
    let around = json!({"command": "approval.answer", "arguments": once});
    assert_eq!(bench.failure("command.run", around).await["kind"], "policy");
    let listed = bench.reply(script, "approval.list", json!({})).await.to_value();
    assert_eq!(listed["approvals"][0]["approvalId"], "a1");
    let seen = bench.dispatcher().state().space().snapshot_for_agents();
    assert!(!seen.parts.contains_key("approvals") && seen.parts.contains_key("terminals"));
    waiting.cancel.cancel();
    waiting.end().await;
    // Without any policy the commands refuse by themselves.
    let bench = Bench::open(&[]).await;
    let refused = bench.failure("approval.list", json!({})).await;
    assert_eq!(refused["kind"], "denied");
    let once = json!({"approvalId": "a1", "answer": "once"});
    assert_eq!(bench.failure("approval.answer", once).await["kind"], "denied");
}

#[tokio::test]
async fn questions_have_a_bound_for_each_client() {
    let bench = careful().await;
    let mut waiting = Vec::new();
    for number in 0..20 {
        waiting.push(asked(&bench, &format!("touch {number}")).await);
    }
    let refused = bench.failure("workspace.bash", bash("touch more")).await;
    assert_eq!(
        (&refused["kind"], &refused["error"]),
        (&json!("busy"), &json!("20 questions of `opencode` wait for an answer already"))
    );
    let other = Caller::new(CallerKind::Agent, "codex", None);
    waiting.push(Waiting::start(&bench, other, "workspace.bash", bash("touch x")).await);
    // None of them stands in the way of another call.
    bench.ok("workspace.bash", bash("ls")).await;
    for one in waiting {
        one.cancel.cancel();
        one.end().await;
    }
    assert_eq!(open(&bench).await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_question_that_cannot_be_kept_is_not_asked() {
    let bench = careful().await;
    bench.dispatcher().state().store().close();
    let failed = in_time(bench.failure("workspace.bash", bash("touch made"))).await;
    assert_eq!(failed["kind"], "not_saved", "{failed}");
    assert!(!bench.place("made").exists());
}

#[tokio::test]
async fn views_are_told_of_questions_as_they_come_and_go() {
    let bench = careful().await;
    let mut view = bench.attach();
    let waiting = asked(&bench, "touch made").await;
    assert_eq!(view.changed("approvals").await["a1"]["state"], "open");
    answer(&bench, "a1", "no").await;
    assert_eq!(view.changed("approvals").await["a1"]["state"], "denied");
    waiting.end().await;
    let text = bench.reply(person(), "approval.list", json!({"settled": true})).await.to_text();
    assert_eq!(text, "a1  denied by browser  agent opencode: touch made");
}
