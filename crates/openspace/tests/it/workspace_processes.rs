//! Nothing that runs in a workspace outlives it, however the workspace or the server ends.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Seen, Server, descendants, eventually, marked_processes, still_there};

const PROVIDERS: [&str; 3] = ["local", "runner", "sandbox"];

/// A background run with a program that leaves its session.
fn leaving(number: u32) -> Value {
    let command = format!("(trap '' HUP; exec setsid sleep 1{number}) & exec sleep 2{number}");
    json!({"command": command, "run_in_background": true})
}

fn programs(number: u32) -> [String; 2] {
    [1, 2].map(|kind| format!("sleep {kind}{number}"))
}

/// A server whose workspace is such a place, with another such workspace beside it, programs in
/// both and a terminal; and all the processes there are then.
async fn busy(provider: &str, number: u32) -> (Server, Vec<Seen>) {
    let server = Server::start(&["--provider", provider]).await;
    let created = server.call("workspace.create", json!({"provider": provider})).await;
    assert_eq!((&created["id"], &created["provider"]), (&json!("w1"), &json!(provider)));
    server.call("workspace.bash", leaving(number)).await;
    let mut other = leaving(number + 1);
    other["workspace_id"] = json!("w1");
    server.call("workspace.bash", other).await;
    server.call("terminal.create", json!({"title": "sh"})).await;
    let text = format!("sleep 3{number}\n");
    server.call("terminal.send", json!({"terminalId": "sh", "text": text})).await;
    let [one, two] = programs(number);
    let [three, four] = programs(number + 1);
    let wanted = [one, two, three, four, format!("sleep 3{number}")];
    let seen = eventually("all programs", || async {
        let seen = descendants(server.pid());
        let runs = |words: &String| seen.iter().any(|process| process.words == *words);
        wanted.iter().all(runs).then_some(seen)
    })
    .await;
    let kind = match provider {
        "local" => None,
        "runner" => Some("openspace-runner"),
        _ => Some("bwrap"),
    };
    if let Some(kind) = kind {
        let places = seen.iter().filter(|process| process.words.contains(kind));
        assert!(places.count() >= 2, "{provider}: {seen:?}");
    }
    (server, seen)
}

#[tokio::test]
async fn a_server_that_is_asked_to_stop_leaves_no_process_of_any_workspace() {
    for (provider, number) in PROVIDERS.into_iter().zip([6_110, 6_120, 6_130]) {
        let (server, seen) = busy(provider, number).await;
        let instance = server.space.instance();
        server.stop().await;
        assert_eq!(marked_processes(&instance), [], "{provider}");
        assert_eq!(still_there(&seen), [], "{provider}");
    }
}

#[tokio::test]
async fn a_sandbox_dies_with_the_server() {
    let (server, seen) = busy("sandbox", 6_210).await;
    let instance = server.space.instance();
    let _space = server.kill().await;
    eventually("the end of the sandboxes", || async {
        (still_there(&seen).is_empty() && marked_processes(&instance).is_empty()).then_some(())
    })
    .await;
}

#[tokio::test]
async fn what_a_crash_leaves_is_ended_by_the_next_start() {
    for (provider, number) in [("local", 6_310), ("runner", 6_320)] {
        let (server, seen) = busy(provider, number).await;
        let instance = server.space.instance();
        let space = server.kill().await;
        if provider == "local" {
            assert!(!marked_processes(&instance).is_empty(), "they do survive the crash itself");
        }
        // No workspace is used here, and the second one is not opened.
        let server = Server::start_in(&space, &[]).await;
        eventually("the end of everything", || async {
            (still_there(&seen).is_empty() && marked_processes(&instance).is_empty()).then_some(())
        })
        .await;
        drop(server);
    }
}

#[tokio::test]
async fn a_workspace_that_is_destroyed_takes_its_programs_with_it_and_no_others() {
    for (provider, number) in PROVIDERS.into_iter().zip([6_410, 6_420, 6_430]) {
        let (server, _) = busy(provider, number).await;
        let instance = server.space.instance();
        server.call("workspace.destroy", json!({"workspace_id": "w1"})).await;
        let left = marked_processes(&instance);
        let runs = |words: &String| left.iter().any(|(_, found)| found == words);
        assert_eq!(programs(number).each_ref().map(runs), [true; 2], "{provider}: {left:?}");
        assert_eq!(programs(number + 1).each_ref().map(runs), [false; 2], "{provider}: {left:?}");
    }
}

#[tokio::test]
async fn a_caller_that_hangs_up_takes_its_command_back() {
    for (provider, number) in PROVIDERS.into_iter().zip([6_510, 6_520, 6_530]) {
        let server = Server::start(&["--provider", provider]).await;
        let instance = server.space.instance();
        let mut events = server.events().await;
        let command = format!("sleep {number} & sleep {number}; true");
        let body = json!({"command": command});
        let started = eventually("two programs", || async {
            let found = marked_processes(&instance);
            let word = format!("sleep {number}");
            (found.iter().filter(|(_, words)| *words == word).count() == 2).then_some(())
        });
        tokio::select! {
            answer = server.http.post("/api/v1/workspaces/main/bash", &body).send() => {
                panic!("it does not end by itself: {}", answer.text())
            }
            () = started => {}
        }
        let record = events.call_ended("openspace.workspace.bash").await;
        assert_eq!(record["outcome"], json!({"failed": "cancelled"}), "{provider}");
        eventually("the end of the programs", || async {
            marked_processes(&instance).is_empty().then_some(())
        })
        .await;
    }
}
