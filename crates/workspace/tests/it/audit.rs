//! `audit.list`: what is found, in which order, and for how long.

use openspace_command::{Caller, CallerKind, Limits};
use openspace_workspace::permission::Profile;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Bench, PolicyText, START, Settings, agent, asking, in_time, person};

const HOUR: u64 = 60 * 60 * 1000;
const DAY: u64 = 24 * HOUR;

/// A space in which a few things were done, an hour apart, the last one just now.
async fn busy() -> Bench {
    let bench =
        Bench::open(&[("src/a.rs", "1\n"), ("src/deep/b.rs", "1\n"), ("srcs.rs", "1\n")]).await;
    let cli = Caller::new(CallerKind::Script, "openscript", Some("s9"));
    let whole = bench.place("src/deep/b.rs").canonicalize().unwrap().display().to_string();
    for (caller, command, args) in [
        (agent(), "file.read", json!({"path": "./src//a.rs"})),
        (agent(), "file.read", json!({"path": "gone_100%.rs"})),
        (person(), "editor.open", json!({"path": whole})),
        (cli.clone(), "file_write", json!({"path": "srcs.rs", "content": "CONTENT"})),
        (cli, "file.write", json!({"path": ".git/x", "content": "CONTENT"})),
        (agent(), "no.such", json!({})),
    ] {
        bench.reply(caller, command, args).await;
        bench.advance(HOUR);
    }
    bench
}

/// The summaries, or the names of commands without one, that a filter finds.
async fn found(bench: &Bench, filter: Value) -> Vec<String> {
    let mut filter = filter;
    // What the test itself asks is not looked at.
    filter["before"] = json!(7);
    let listed = bench.ok("audit.list", filter).await;
    let words = |record: &Value| match record["summary"].as_str().unwrap() {
        "" => record["command"].as_str().unwrap().to_owned(),
        summary => summary.split(" (").next().unwrap().rsplit('/').next().unwrap().to_owned(),
    };
    listed["records"].as_array().unwrap().iter().map(words).collect()
}

#[tokio::test]
async fn a_record_says_who_what_when_and_how_it_ended() {
    let bench = busy().await;
    let mut listed = bench.ok("audit.list", json!({"limit": 2, "before": 6})).await;
    for record in listed["records"].as_array_mut().unwrap() {
        assert!(record["micros"].take().is_u64());
    }
    let record = json!({
        "id": 5, "time": "2023-11-15T02:13:20.000Z", "at": START + 4 * HOUR,
        "callerKind": "script", "caller": "openscript", "session": "s9",
        "command": "openspace.file.write", "workspace": null,
        "summary": "write .git/x (7 bytes)", "paths": [".git/x"], "letIn": null, "outcome": "denied",
        "error": listed["records"][0]["error"], "micros": null,
    });
    assert_eq!(listed["records"][0], record);
    assert!(record["error"].as_str().unwrap().contains(".git/x"));
    let rest = (&listed["more"], &listed["nextBefore"], &listed["notice"]);
    assert_eq!(rest, (&json!(true), &json!(4), &json!(null)));
    let reply = bench.reply(agent(), "audit.list", json!({"before": 2})).await;
    let text = reply.to_text();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("time  "), "{text}");
    assert!(lines[1].starts_with("2023-11-14T22:13:20.000Z  agent   opencode"), "{text}");
    assert!(lines[1].ends_with("file.read             read ./src//a.rs"), "{text}");
    let none = bench.reply(agent(), "audit.list", json!({"before": 1})).await;
    assert_eq!(none.to_text(), "No calls.");
}

#[tokio::test]
async fn filters_find_what_they_say() {
    let bench = busy().await;
    let all = ["no.such", "x", "write srcs.rs", "b.rs", "read gone_100%.rs", "a.rs"];
    let cases: [(Value, &[usize]); 31] = [
        (json!({}), &[0, 1, 2, 3, 4, 5]),
        (json!({"since": "2h"}), &[0, 1]),
        (json!({"since": START + 2 * HOUR}), &[0, 1, 2, 3]),
        (json!({"until": "2h"}), &[2, 3, 4, 5]),
        (json!({"since": "2023-11-14T23:13:20Z", "until": "3h"}), &[3, 4]),
        (json!({"caller": "opencode"}), &[0, 4, 5]),
        (json!({"caller": "open*"}), &[0, 1, 2, 4, 5]),
        (json!({"caller": "open"}), &[]),
        (json!({"command": "file.read"}), &[4, 5]),
        (json!({"command": "file_read"}), &[4, 5]),
        (json!({"command": "openspace.file.read"}), &[4, 5]),
        (json!({"command": "file.*"}), &[1, 2, 4, 5]),
        (json!({"command": "no.such"}), &[0]),
        (json!({"command": "*"}), &[0, 1, 2, 3, 4, 5]),
        (json!({"outcome": "ok"}), &[2, 3, 5]),
        (json!({"outcome": "error"}), &[0, 1, 4]),
        (json!({"outcome": "not_found"}), &[0, 4]),
        (json!({"path": "src"}), &[3, 5]),
        (json!({"path": "./src/"}), &[3, 5]),
        (json!({"path": "src/a.rs"}), &[5]),
        (json!({"path": "src/deep"}), &[3]),
        (json!({"path": "srcs.rs"}), &[2]),
        (json!({"path": "."}), &[1, 2, 3, 4, 5]),
        (json!({"path": "a.rs"}), &[]),
        (json!({"text": "WRITE"}), &[1, 2]),
        (json!({"text": "100%"}), &[4]),
        (json!({"text": "e_1"}), &[4]),
        (json!({"text": "' OR 1=1 --"}), &[]),
        (json!({"workspace": "w1"}), &[]),
        (
            json!({"caller": "open*", "outcome": "error", "command": "file.*", "since": "5h"}),
            &[1, 4],
        ),
        (json!({"path": "src", "caller": "browser", "until": "1h", "text": "open"}), &[3]),
    ];
    for (filter, expected) in cases {
        let expected: Vec<&str> = expected.iter().map(|index| all[*index]).collect();
        assert_eq!(found(&bench, filter.clone()).await, expected, "{filter}");
    }
}

#[tokio::test]
async fn wrong_arguments_are_named() {
    let bench = Bench::open(&[]).await;
    let moment = "must be RFC 3339 such as 2026-03-01T12:00:00Z, a span such as 15m, 2h or 7d (that \
                  long ago), or milliseconds since 1970";
    let kinds = "invalid_args, not_found, conflict, denied, policy, unanswered, unsupported, busy, \
                 limit, timed_out, cancelled, lost, not_saved, internal";
    for (args, message) in [
        (json!({"since": "yesterday"}), format!("argument `since`: {moment}")),
        (json!({"until": "1 h"}), format!("argument `until`: {moment}")),
        (
            json!({"outcome": "bad"}),
            format!("argument `outcome`: must be ok, error, or one of {kinds}"),
        ),
        (json!({"limit": 0}), "argument `limit`: must be 1 to 1000".into()),
        (json!({"limit": 1001}), "argument `limit`: must be 1 to 1000".into()),
        (
            json!({"since": [1]}),
            "argument `since`: a moment as text or as a number of milliseconds".into(),
        ),
    ] {
        bench.fails("audit.list", args, "invalid_args", &message).await;
    }
}

#[tokio::test]
async fn a_caller_sees_its_own_last_call_at_once_and_those_of_others() {
    let bench = Bench::open(&[]).await;
    for round in 1..20 {
        bench.as_person("pane.list", json!({})).await;
        let listed = bench.ok("audit.list", json!({"command": "pane.list"})).await;
        assert_eq!(listed["records"].as_array().unwrap().len(), round);
    }
}

#[tokio::test]
async fn pages_hold_every_record_once_while_new_ones_arrive() {
    let bench = Bench::open(&[]).await;
    for _ in 0..25 {
        bench.as_person("pane.list", json!({})).await;
    }
    let (mut seen, mut before) = (Vec::new(), json!(null));
    loop {
        let args = json!({"command": "pane.list", "limit": 4, "before": before});
        let listed = bench.ok("audit.list", args).await;
        let ids = listed["records"].as_array().unwrap().iter();
        seen.extend(ids.map(|record| record["id"].as_u64().unwrap()));
        before = listed["nextBefore"].clone();
        assert_eq!(listed["more"], json!(!before.is_null()));
        bench.as_person("pane.list", json!({})).await;
        if before.is_null() {
            break;
        }
    }
    assert_eq!(seen, (1..=25).rev().collect::<Vec<u64>>());
}

#[tokio::test]
async fn secrets_are_hidden_in_records_events_and_instructions() {
    let bench = Bench::open(&[]).await;
    let mut view = bench.attach();
    let path = "ghp_0123456789abcdefghijkl/API_KEY=hunter2";
    for _ in 0..3 {
        bench.failure("file.read", json!({"path": path})).await;
    }
    let listed = bench.ok("audit.list", json!({"limit": 1})).await;
    let record = &listed["records"][0];
    assert_eq!(record["summary"], "read ghp_***/API_KEY=***");
    assert_eq!(record["paths"], json!(["ghp_***/API_KEY=***"]));
    let told = loop {
        if let openspace_protocol::Event::CallEnded { record } = &view.next().await.event {
            break json!(record).to_string();
        }
    };
    let instructions = crate::support::instructions(bench.dispatcher());
    for text in [told, record.to_string(), instructions] {
        assert!(!text.contains("hunter2") && !text.contains("0123456789"), "{text}");
    }
}

#[tokio::test]
async fn failures_that_never_ran_are_in_the_log() {
    let limits = Limits { per_turn: 2, ..Limits::default() };
    let rules = PolicyText::of("[[rule]]\nid = 'none'\ndecision = 'deny'\ncaller = 'agent'\n");
    let settings = Settings { limits, ..asking(Profile::Careful, rules) };
    let bench = Bench::with(settings, &[]).await;
    for (command, args) in [
        ("file.read", json!({"path": 1})),
        ("file.read", json!({"path": "a"})),
        ("file_read", json!({"path": "a"})),
    ] {
        bench.failure(command, args).await;
    }
    let mut answer = bench.as_person("audit.list", json!({"command": "file.read"})).await;
    let records = answer["records"].as_array_mut().unwrap();
    let outcomes: Vec<Value> = records.iter_mut().map(|record| record["outcome"].take()).collect();
    assert_eq!(outcomes, ["limit", "policy", "invalid_args"]);
}

#[tokio::test]
async fn records_are_kept_for_ninety_days() {
    let mut bench = Bench::open(&[]).await;
    bench.as_person("pane.list", json!({})).await;
    bench.advance(2 * DAY);
    bench.as_person("layout.list", json!({})).await;
    bench.advance(89 * DAY);
    bench.restart().await;
    let left = in_time(async {
        loop {
            let listed = bench.ok("audit.list", json!({"until": "1d"})).await;
            let records = listed["records"].as_array().unwrap();
            if records.len() < 2 {
                return records.clone();
            }
        }
    })
    .await;
    let commands: Vec<&Value> = left.iter().map(|record| &record["command"]).collect();
    assert_eq!(commands, ["openspace.layout.list"]);
}

#[tokio::test]
async fn a_log_that_cannot_be_read_is_an_error() {
    let bench = Bench::open(&[]).await;
    bench.break_database();
    let failure = bench.failure("audit.list", json!({})).await;
    let found = (&failure["kind"], &failure["error"]);
    assert_eq!(found, (&json!("internal"), &json!("the log cannot be read")));
}
