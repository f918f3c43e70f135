//! What an agent brought goes with its session, and a person pauses, stops and disconnects agents: as
//! clients and people meet it.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::support::{Mcp, Modern, Server, Socket, Stdio, eventually, marked_processes};

/// Sessions that end take their things along at once.
const AT_ONCE: [&str; 2] = ["--session-grace", "0"];

async fn part(server: &Server, name: &str) -> Value {
    server.http.get("/api/state").send().await.json()["parts"][name].clone()
}

async fn count(server: &Server, name: &str) -> usize {
    part(server, name).await.as_object().unwrap().len()
}

/// The names of the files that are open.
async fn open_files(server: &Server) -> Vec<String> {
    let layout = part(server, "layout").await;
    let keys = layout.as_object().unwrap().keys();
    keys.filter_map(|key| key.strip_prefix("editor:").map(str::to_owned)).collect()
}

/// Have an agent open a file, highlight it, make a terminal and start a program.
async fn work(mcp: &Mcp, file: &str) {
    let open = json!({"path": file, "line": 1, "highlight": true, "newPane": true});
    let background = json!({"command": "sleep 5501", "run_in_background": true});
    for (tool, arguments) in [
        ("editor_open", open),
        ("terminal_create", json!({"title": "its own"})),
        ("workspace_bash", background),
    ] {
        let result = mcp.call(tool, arguments).await;
        assert_eq!(result["structuredContent"]["success"], true, "{tool}: {result}");
    }
}

async fn kind(mcp: &Mcp) -> Value {
    mcp.call("pane_list", json!({})).await["structuredContent"]["kind"].clone()
}

async fn cleanups(server: &Server) -> Vec<Value> {
    let listed = server.call("audit.list", json!({"command": "agent.clean_up"})).await;
    listed["records"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_session_that_is_deleted_takes_its_things_along_and_nobody_elses() {
    let server = Server::start(&AT_ONCE).await;
    for file in ["mine.txt", "its.txt", "other.txt"] {
        server.space.file(file, "one\n");
    }
    server.call("editor.open", json!({"path": "mine.txt"})).await;
    server.call("terminal.create", json!({"title": "mine"})).await;
    let (mcp, other) = (server.mcp().await, server.mcp().await);
    other.call("editor_open", json!({"path": "other.txt"})).await;
    work(&mcp, "its.txt").await;
    assert_eq!(open_files(&server).await, ["its.txt", "mine.txt", "other.txt"]);
    assert_eq!((count(&server, "terminals").await, count(&server, "highlights").await), (2, 1));
    mcp.end().await;
    eventually("the end of its things", || async {
        (open_files(&server).await == ["mine.txt", "other.txt"]).then_some(())
    })
    .await;
    eventually("the end of its terminal and highlight", || async {
        let left = (count(&server, "terminals").await, count(&server, "highlights").await);
        (left == (1, 0)).then_some(())
    })
    .await;
    let records = eventually("its record", || async {
        Some(cleanups(&server).await).filter(|records| !records.is_empty())
    })
    .await;
    let [record] = records.as_slice() else { panic!("{records:?}") };
    assert_eq!((&record["caller"], &record["outcome"]), (&json!("server"), &json!("ok")));
    let summary = record["summary"].as_str().unwrap();
    for word in ["tester#", "(its session ended)", "tab/editor:its.txt", "terminal/t2", "run/r1"] {
        assert!(summary.contains(word), "{word}: {summary}");
    }
    let numbers = server.http.get("/metrics").send().await.text();
    let line = "openspace_sessions_cleaned_up_total{why=\"session_ended\"} 1";
    assert!(numbers.lines().any(|shown| shown == line), "{numbers}");
    eventually("the end of its program", || async {
        let left = marked_processes(&server.space.instance());
        left.iter().all(|(_, words)| !words.contains("sleep 5501")).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_client_without_sessions_that_goes_quiet_loses_its_things() {
    let server = Server::start(&["--session-idle", "1"]).await;
    server.space.file("a.txt", "one\n");
    let open = json!({"name": "editor_open", "arguments": {"path": "a.txt"}});
    Modern(&server.http).result("tools/call", open).await;
    eventually("the end of its tab", || async {
        open_files(&server).await.is_empty().then_some(())
    })
    .await;
    let record =
        eventually("the record of it", || async { cleanups(&server).await.first().cloned() }).await;
    let summary = record["summary"].as_str().unwrap();
    let expected = "clean up after tester (it was quiet for too long): tab/editor:a.txt";
    assert_eq!(summary, expected);
}

#[tokio::test]
async fn a_program_that_joins_by_stdio_keeps_its_things_across_a_restart_and_takes_them_when_it_leaves()
 {
    for modern in [false, true] {
        let server = Server::start(&AT_ONCE).await;
        let space = server.space.clone();
        space.file("a.txt", "one\n");
        let mut client =
            if modern { Stdio::start(&space, &[]) } else { Stdio::connect(&space, &[]).await };
        let open = json!({"name": "editor_open", "arguments": {"path": "a.txt"}});
        let opened = if modern {
            client.modern("tools/call", open).await
        } else {
            client.result("tools/call", open).await
        };
        assert_eq!(opened["structuredContent"]["success"], true, "{opened}");
        server.stop().await;
        let server = Server::start_in(&space, &AT_ONCE).await;
        let list = json!({"name": "pane_list", "arguments": {}});
        // It hears that there is no server until it finds the next one.
        loop {
            let listed = if modern {
                client.modern("tools/call", list.clone()).await
            } else {
                client.result("tools/call", list.clone()).await
            };
            if listed["structuredContent"]["success"] == true {
                break;
            }
        }
        let agents = server.call("agent.list", json!({})).await["agents"].clone();
        let [agent] = agents.as_array().unwrap().as_slice() else { panic!("{agents}") };
        assert_eq!(agent["connected"], true, "{agent}");
        assert_eq!(agent["brought"][0]["id"], "editor:a.txt", "{agent}");
        assert_eq!(client.close().await.0, Some(0));
        eventually("the end of its tab", || async {
            open_files(&server).await.is_empty().then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn a_client_that_begins_a_new_session_in_time_loses_nothing() {
    let server = Server::start(&[]).await;
    server.space.file("a.txt", "one\n");
    let first = server.mcp().await;
    first.call("editor_open", json!({"path": "a.txt"})).await;
    first.end().await;
    let second = server.mcp().await;
    second.call("pane_list", json!({})).await;
    let agents = server.call("agent.list", json!({})).await["agents"].clone();
    let [gone, there] = agents.as_array().unwrap().as_slice() else { panic!("{agents}") };
    let (gone, there) = if gone["connected"] == true { (there, gone) } else { (gone, there) };
    assert_eq!(
        (&gone["brought"][0]["id"], &there["connected"]),
        (&json!("editor:a.txt"), &json!(true))
    );
    assert!(gone["goesAt"].is_u64(), "when the new one goes quiet: {gone}");
    assert_eq!(open_files(&server).await, ["a.txt"]);
}

#[tokio::test]
async fn what_a_person_pinned_or_typed_into_stays() {
    let server = Server::start(&AT_ONCE).await;
    for file in ["pinned.txt", "gone.txt"] {
        server.space.file(file, "one\n");
    }
    let mcp = server.mcp().await;
    let pinned = mcp.call("editor_open", json!({"path": "pinned.txt", "newPane": true})).await;
    mcp.call("editor_open", json!({"path": "gone.txt", "newPane": true})).await;
    for title in ["typed", "looked at"] {
        mcp.call("terminal_create", json!({"title": title})).await;
    }
    let pane = pinned["structuredContent"]["paneId"].clone();
    server.call("pane.pin", json!({"paneId": pane})).await;
    let mut looking = Socket::open(&server.http, "/api/terminals/t2").await;
    // A screen says by itself what it is.
    looking.send(Message::binary(b"\x1b[?1;2c".to_vec())).await;
    let mut typing = Socket::open(&server.http, "/api/terminals/t1").await;
    typing.send(Message::binary(b"echo mine=$((1 + 1))\r".to_vec())).await;
    typing.bytes_until("mine=2").await;
    mcp.end().await;
    eventually("the end of what nobody took to", || async {
        (open_files(&server).await == ["pinned.txt"]).then_some(())
    })
    .await;
    eventually("the end of its other terminal", || async {
        (part(&server, "terminals").await.as_object().unwrap().keys().collect::<Vec<_>>() == ["t1"])
            .then_some(())
    })
    .await;
    let read = server.call("terminal.read_output", json!({"terminalId": "t1"})).await;
    assert!(crate::support::shows(&read, "mine=2"), "its shell runs: {read}");
}

#[tokio::test]
async fn a_person_pauses_stops_and_disconnects_an_agent_at_the_command_line() {
    let server = Server::start(&[]).await;
    server.space.file("a.txt", "one\n");
    let mcp = server.mcp().await;
    work(&mcp, "a.txt").await;
    let run = async |arguments: &[&str]| {
        let shown = server.space.run(arguments).await;
        assert_eq!(shown.code, Some(0), "{arguments:?}: {shown:?}");
        shown.out
    };
    let listed = run(&["agent", "list"]).await;
    assert!(listed.contains("connected; brought tab/editor:a.txt"), "{listed}");
    run(&["agent", "pause", "tester"]).await;
    assert_eq!(kind(&mcp).await, "busy");
    run(&["agent", "pause", "tester", "--paused=false"]).await;
    assert_eq!(kind(&mcp).await, Value::Null);

    let call =
        json!({"name": "workspace_bash", "arguments": {"command": "touch begun; sleep 5502"}});
    let pending = mcp.begin("tools/call", call).await;
    let begun = server.space.root().join("begun");
    eventually("the call", || async { begun.exists().then_some(()) }).await;
    let stopped = run(&["agent", "stop", "tester"]).await;
    assert!(stopped.contains("1 calls and 2 programs ended"), "{stopped}");
    let answer = pending.answer().await;
    assert_eq!(answer["result"]["structuredContent"]["kind"], "cancelled", "{answer}");
    assert_eq!(count(&server, "terminals").await, 1, "its terminal stays");

    run(&["agent", "disconnect", "tester"]).await;
    assert_eq!((open_files(&server).await, count(&server, "terminals").await), (Vec::new(), 0));
    eventually("the end of its session", || async {
        (mcp.status_of_a_ping().await == 404).then_some(())
    })
    .await;
    let again = server.mcp().await;
    assert_eq!(kind(&again).await, Value::Null, "a new session is let in");
}

#[tokio::test]
async fn a_client_without_sessions_is_out_until_it_is_let_in_again() {
    let server = Server::start(&[]).await;
    let list = || async {
        let call = json!({"name": "pane_list", "arguments": {}});
        let result = Modern(&server.http).result("tools/call", call).await;
        result["structuredContent"]["kind"].clone()
    };
    assert_eq!(list().await, Value::Null);
    let done = server.call("agent.disconnect", json!({"agentId": "tester"})).await;
    assert_eq!(done["newSessionIsLetIn"], false);
    assert_eq!(list().await, "denied");
    server.call("agent.admit", json!({"agentId": "tester"})).await;
    assert_eq!(list().await, Value::Null);
}

#[tokio::test]
async fn an_agent_that_nobody_agreed_to_waits_until_a_person_does() {
    let server = Server::start(&["--consent", "ask"]).await;
    let mcp = server.mcp().await;
    assert_eq!(kind(&mcp).await, Value::Null, "looking is free");
    let call = json!({"name": "workspace_bash", "arguments": {"command": "echo agreed"}});
    let pending = mcp.begin("tools/call", call).await;
    eventually("the question", || async {
        (part(&server, "consents").await["tester"]["state"] == "asked").then_some(())
    })
    .await;
    let shown = server.space.run(&["consent", "list"]).await;
    assert!(shown.out.contains("tester: waits for an answer"), "{shown:?}");
    assert_eq!(server.space.run(&["consent", "give", "tester"]).await.code, Some(0));
    let answer = pending.answer().await;
    assert_eq!(answer["result"]["structuredContent"]["stdout"], "agreed\n", "{answer}");
}
