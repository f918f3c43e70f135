//! Background runs: started by `workspace.bash`, read, listed and ended by their handles.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Bench, START, in_time, is_running, steady, until, with};

/// How a run that works is told.
fn status(run: &str, differs: Value) -> Value {
    let status = json!({
        "run_id": run, "state": "running", "pid": 0, "exit_code": null, "signal": null,
        "timed_out": false, "killed": false, "duration_ms": 0, "total_bytes": 0,
        "full_output": null, "full_output_incomplete": null,
    });
    with(status, differs)
}

fn output(text: &str, cursor: u64, status: Value) -> Value {
    with(json!({"output": text, "cursor": cursor, "more": false, "dropped": 0}), status)
}

async fn start(bench: &Bench, command: &str) -> u32 {
    let args = json!({"command": command, "run_in_background": true});
    let started = bench.ok("workspace.bash", args).await;
    u32::try_from(started["pid"].as_u64().unwrap()).unwrap()
}

#[tokio::test]
async fn a_run_is_read_bit_by_bit_to_its_end() {
    let bench = Bench::open(&[]).await;
    start(&bench, "echo a; until [ -e go ]; do sleep 0.01; done; echo b >&2; exit 4").await;
    let read = in_time(async {
        loop {
            let read = bench.ok("workspace.run_output", json!({"run_id": "r1"})).await;
            if read["output"] != "" {
                return read;
            }
        }
    })
    .await;
    let running = status("r1", json!({"total_bytes": 2}));
    assert_eq!(steady(read), output("a\n", 2, running.clone()));
    let again = bench.ok("workspace.run_output", json!({"run_id": "r1", "since": 2})).await;
    assert_eq!(steady(again), output("", 2, running));
    bench.put("go", "");
    let args = json!({"run_id": "r1", "since": 2, "wait_ms": 10_000});
    let rest = bench.ok("workspace.run_output", args.clone()).await;
    let ended = json!({"state": "ended", "pid": null, "exit_code": 4, "total_bytes": 4});
    let ended = status("r1", ended);
    let took = rest["duration_ms"].clone();
    assert_eq!(steady(rest), output("b\n", 4, ended.clone()));
    let text = bench.text("workspace.run_output", args).await;
    let words = format!("r1 ended with exit code 4, after {took} ms; 4 bytes printed");
    assert_eq!(text, format!("b\n(cursor=4; {words})"));
    let kill = bench.ok("workspace.run_kill", json!({"run_id": "r1"})).await;
    assert_eq!(steady(kill), ended, "ending what has ended changes nothing");
    assert_eq!(bench.text("workspace.run_kill", json!({"run_id": "r1"})).await, words);
}

#[tokio::test]
async fn waiting_for_a_run_ends_with_the_patience() {
    let bench = Bench::open(&[]).await;
    start(&bench, "sleep 1000").await;
    let read = bench.ok("workspace.run_output", json!({"run_id": "r1", "wait_ms": 50})).await;
    assert_eq!(steady(read), output("", 0, status("r1", json!({}))));
}

#[tokio::test]
async fn killing_a_run_ends_everything_it_started() {
    let bench = Bench::open(&[]).await;
    let shell = start(&bench, "sleep 1000 & echo $!; wait").await;
    let child: u32 = in_time(async {
        loop {
            let read = bench.ok("workspace.run_output", json!({"run_id": "r1"})).await;
            if let Ok(pid) = read["output"].as_str().unwrap().trim_end().parse() {
                return pid;
            }
        }
    })
    .await;
    let killed = bench.ok("workspace.run_kill", json!({"run_id": "r1"})).await;
    let printed = child.to_string().len() + 1;
    let ended = json!({
        "state": "ended", "pid": null, "signal": 15, "killed": true, "total_bytes": printed,
    });
    assert_eq!(steady(killed.clone()), status("r1", ended));
    assert!(!is_running(shell) && !is_running(child));
    let text = format!(
        "r1 was ended by signal 15, after {} ms: by workspace_run_kill; {printed} bytes printed",
        killed["duration_ms"]
    );
    assert_eq!(bench.text("workspace.run_kill", json!({"run_id": "r1"})).await, text);
}

#[tokio::test]
async fn a_run_ends_when_its_time_is_over() {
    let bench = Bench::open(&[]).await;
    let args = json!({"command": "sleep 1000", "timeout_ms": 50, "run_in_background": true});
    bench.ok("workspace.bash", args).await;
    let read = bench.ok("workspace.run_output", json!({"run_id": "r1", "wait_ms": 10_000})).await;
    let ended = json!({"state": "ended", "pid": null, "signal": 15, "timed_out": true});
    assert_eq!(steady(read.clone()), output("", 0, status("r1", ended)));
    let text = format!(
        "(cursor=0; r1 was ended by signal 15, after {} ms: its time was over; 0 bytes printed)",
        read["duration_ms"]
    );
    assert_eq!(bench.text("workspace.run_output", json!({"run_id": "r1"})).await, text);
}

#[tokio::test]
async fn runs_are_listed_with_their_workspace() {
    let bench = Bench::open(&[]).await;
    assert_eq!(bench.text("workspace.run_list", json!({})).await, "No background runs.");
    bench.ok("workspace.create", json!({})).await;
    bench.advance(5);
    let first = start(&bench, "sleep 1000").await;
    let args = json!({"command": "sleep 2000", "background": true, "workspace_id": "w1"});
    bench.ok("workspace.bash", args).await;
    let listed = |run: &str, workspace: &str, command: &str| {
        let mut listed = json!({
            "workspace": workspace, "command": command, "started_by": "opencode",
            "started_at": START + 5,
        });
        let status = status(run, json!({}));
        listed.as_object_mut().unwrap().extend(status.as_object().unwrap().clone());
        listed
    };
    let (one, two) = (listed("r1", "main", "sleep 1000"), listed("r2", "w1", "sleep 2000"));
    let all = bench.ok("workspace.run_list", json!({})).await;
    assert_eq!(steady(all), json!({"runs": [one, two]}));
    for name in ["workspace_id", "workspaceId", "workspace"] {
        let of_one = bench.ok("workspace.run_list", json!({name: "w1"})).await;
        assert_eq!(steady(of_one), json!({"runs": [two]}), "{name}");
    }
    let text = bench.text("workspace.run_list", json!({"workspace_id": "main"})).await;
    let (start, end) = (format!("r1 runs as process {first}, so far "), " ms; 0 bytes printed");
    assert!(text.starts_with(&start) && text.contains(end), "{text}");
    assert!(text.ends_with(", in main for opencode: sleep 1000"), "{text}");
}

#[tokio::test]
async fn unknown_runs_name_the_known_ones() {
    let mut bench = Bench::open(&[]).await;
    let failure = |hint: &str| {
        let hint = format!("runs: {hint}; they do not outlive the server");
        json!({
            "success": false, "kind": "not_found", "hint": hint,
            "error": "there is no background run `r9`",
        })
    };
    for command in ["workspace.run_output", "workspace.run_kill"] {
        let answer = bench.failure(command, json!({"run_id": "r9"})).await;
        assert_eq!(answer, failure("there are none"));
    }
    let pid = start(&bench, "sleep 1000").await;
    start(&bench, "true").await;
    for command in ["workspace.run_output", "workspace.run_kill"] {
        let answer = bench.failure(command, json!({"run_id": "r9"})).await;
        assert_eq!(answer, failure("r2, r1"));
        for name in ["1", "r", "r-1", "r1 ", "R1"] {
            let message = format!("there is no background run `{name}`");
            bench.fails(command, json!({"run_id": name}), "not_found", &message).await;
        }
        let other = json!({"run_id": "r1", "workspace_id": "w1"});
        bench.fails(command, other, "not_found", "there is no background run `r1`").await;
    }
    let ahead = json!({"run_id": "r1", "since": 7});
    let message = "the cursor 7 lies ahead of the output, which is at 0";
    bench.fails("workspace.run_output", ahead, "invalid_args", message).await;
    let long = json!({"run_id": "r1", "wait_ms": 600_001});
    let message = "argument `wait_ms`: must be 0 to 600000";
    bench.fails("workspace.run_output", long, "invalid_args", message).await;
    bench.restart().await;
    until(|| !is_running(pid)).await;
    assert_eq!(bench.ok("workspace.run_list", json!({})).await, json!({"runs": []}));
}
