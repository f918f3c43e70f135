//! `/api/v1/workspaces`: workspaces as platforms meet them, on every kind of place.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Answer, Server, bare_repository};

const WORKSPACES: &str = "/api/v1/workspaces";
/// Every tool that a workspace has.
const TOOLS: &str = "bash, read, write, edit, glob, grep, git, run_output, run_kill, run_list";

/// Create a workspace and expect it to be there.
async fn create(server: &Server, wanted: Value) -> Value {
    let answer = server.http.post(WORKSPACES, &wanted).send().await;
    let created = answer.json();
    assert_eq!((answer.status, &created["success"]), (201, &json!(true)), "{wanted}: {created}");
    created
}

async fn get(server: &Server, path: &str) -> Answer {
    server.http.get(&format!("{WORKSPACES}{path}")).send().await
}

async fn delete(server: &Server, id: &str) -> Answer {
    server.http.ask("DELETE", &format!("{WORKSPACES}/{id}")).send().await
}

/// Use a tool of a workspace.
async fn tool(server: &Server, id: &str, tool: &str, arguments: Value) -> Answer {
    server.http.post(&format!("{WORKSPACES}/{id}/{tool}"), &arguments).send().await
}

/// Use a tool and expect success.
async fn used(server: &Server, id: &str, name: &str, arguments: Value) -> Value {
    let answer = tool(server, id, name, arguments.clone()).await;
    let value = answer.json();
    assert_eq!((answer.status, &value["success"]), (200, &json!(true)), "{arguments}: {value}");
    value
}

fn ids(listed: &Answer) -> Vec<String> {
    let listed = listed.json();
    let listed = listed["workspaces"].as_array().unwrap();
    listed.iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

/// Status, kind, error and hint of a refusal.
fn refusal(answer: &Answer) -> (u16, String, String, Value) {
    let value = answer.json();
    assert_eq!(value["success"], false, "{value}");
    let word = |key: &str| value[key].as_str().unwrap().to_owned();
    (answer.status, word("kind"), word("error"), value["hint"].clone())
}

#[tokio::test]
async fn a_workspace_is_created_shown_listed_and_destroyed() {
    let server = Server::start(&[]).await;
    let given = server.space.folder().join("given");
    std::fs::create_dir(&given).unwrap();
    let created = create(&server, json!({"root": given, "name": "Given"})).await;
    let told = ["id", "name", "root", "owns_root", "provider", "network", "created_by", "open"];
    let told = told.map(|key| created[key].clone());
    let expected = json!(["w1", "Given", given, false, "local", true, created["created_by"], true]);
    assert_eq!(json!(told), expected);
    let shown = get(&server, "/w1").await;
    assert_eq!((shown.status, shown.json()), (200, created));

    let own = create(&server, json!({})).await;
    let folder = own["root"].as_str().unwrap().to_owned();
    assert_eq!((&own["id"], &own["owns_root"]), (&json!("w2"), &json!(true)));
    assert!(std::path::Path::new(&folder).is_dir());
    assert_eq!(ids(&get(&server, "").await), ["main", "w1", "w2"]);

    used(&server, "w1", "write", json!({"file_path": "a.txt", "content": "kept\n"})).await;
    let gone = delete(&server, "w1").await;
    let expected = json!({"success": true, "id": "w1", "kept_root": given});
    assert_eq!((gone.status, gone.json()), (200, expected));
    assert_eq!(crate::support::read(&given.join("a.txt")), "kept\n", "what was given stays");
    let gone = delete(&server, "w2").await;
    assert_eq!(gone.json(), json!({"success": true, "id": "w2", "kept_root": null}));
    assert!(!std::path::Path::new(&folder).exists(), "what was made for it goes");
    assert_eq!(ids(&get(&server, "").await), ["main"]);
    assert_eq!(create(&server, json!({})).await["id"], "w3", "no id is used twice");
}

#[tokio::test]
async fn a_workspace_is_cloned_from_a_repository() {
    let server = Server::start(&[]).await;
    let bare = server.space.folder().join("app.git");
    bare_repository(&bare);
    let url = format!("file://{}", bare.display());
    let created = create(&server, json!({"git_url": url, "branch": "main"})).await;
    assert_eq!(created["git_url"], json!(url));
    let read = used(&server, "w1", "read", json!({"file_path": "README.md"})).await;
    assert_eq!(read["content"], "1: # Read me\n", "{read}");
    let log = used(&server, "w1", "git", json!({"action": "log"})).await;
    assert_eq!(log["commits"][0]["summary"], "first", "{log}");

    let missing = json!({"git_url": format!("file://{}.none", bare.display())});
    let refused = server.http.post(WORKSPACES, &missing).send().await;
    assert!(refused.status >= 400, "{}", refused.text());
    assert_eq!(ids(&get(&server, "").await), ["main", "w1"], "nothing half-made stays");
}

#[tokio::test]
async fn a_sandbox_says_what_it_isolates_and_which_limits_hold() {
    let server = Server::start(&[]).await;
    let limits = json!({"open_files": 200, "file_size_bytes": 1_000_000});
    let created = create(&server, json!({"provider": "sandbox", "limits": limits})).await;
    assert_eq!((&created["provider"], &created["network"]), (&json!("sandbox"), &json!(false)));
    let held = created["isolation"]["limits"].as_array().unwrap();
    for (name, value) in [("open_files", 200), ("file_size_bytes", 1_000_000)] {
        let limit = held.iter().find(|limit| limit["name"] == name).unwrap();
        assert_eq!(limit["value"], value);
    }
    let ran = used(&server, "w1", "bash", json!({"command": "ulimit -n; pwd"})).await;
    let inside = created["root_inside"].as_str().unwrap();
    assert_eq!(ran["stdout"], format!("200\n{inside}\n"));
    let outside = server.space.root();
    let look = json!({"command": format!("ls {}", outside.display())});
    assert_ne!(used(&server, "w1", "bash", look).await["exit_code"], 0, "only its own folder");

    let refused = json!({"provider": "local", "limits": limits});
    let refused = server.http.post(WORKSPACES, &refused).send().await;
    let (status, kind, error, _) = refusal(&refused);
    assert_eq!((status, kind.as_str()), (422, "unsupported"));
    assert!(error.contains("nothing limits"), "{error}");
}

/// Use every tool of a workspace once; what differs from run to run is left out.
async fn every_tool(server: &Server, id: &str) -> Vec<Value> {
    let file = "src/a.txt";
    let mut answers = Vec::new();
    let mut called = Vec::new();
    let mut ask = async |name: &str, arguments: Value| {
        called.push(name.to_owned());
        let value = used(server, id, name, arguments).await;
        answers.push(steady(value.clone()));
        value
    };
    ask("write", json!({"file_path": file, "content": "one\ntwo\n"})).await;
    ask("read", json!({"file_path": file, "offset": 2})).await;
    ask("edit", json!({"file_path": file, "old_string": "two", "new_string": "three"})).await;
    ask("glob", json!({"pattern": "**/*.txt"})).await;
    ask("grep", json!({"pattern": "th.ee"})).await;
    let command = "cat src/a.txt; echo warning >&2; exit 3";
    let ran = ask("bash", json!({"command": command})).await;
    let told = json!([ran["stdout"], ran["stderr"], ran["exit_code"]]);
    assert_eq!(told, json!(["one\nthree\n", "warning\n", 3]));
    ask("git", json!({"action": "init", "branch": "main"})).await;
    ask("git", json!({"action": "add", "files": ["."]})).await;
    ask("git", json!({"action": "commit", "message": "first"})).await;
    ask("git", json!({"action": "status"})).await;
    let command = "echo started; exec sleep 5311";
    let run = ask("bash", json!({"command": command, "run_in_background": true})).await;
    let run = run["run_id"].clone();
    let mut since = json!(0);
    // What was printed may not have arrived yet.
    while since == 0 {
        let read = used(server, id, "run_output", json!({"run_id": run})).await;
        since = read["cursor"].clone();
    }
    let read = ask("run_output", json!({"run_id": run})).await;
    assert_eq!((&read["output"], &read["state"]), (&json!("started\n"), &json!("running")));
    let list = ask("run_list", json!({})).await;
    assert_eq!(list["runs"].as_array().unwrap().len(), 1, "{list}");
    let killed = ask("run_kill", json!({"run_id": run})).await;
    assert_eq!((&killed["state"], &killed["killed"]), (&json!("ended"), &json!(true)));
    called.sort();
    called.dedup();
    let mut all: Vec<&str> = TOOLS.split(", ").collect();
    all.sort_unstable();
    assert_eq!(called, all);
    answers
}

/// An answer without times, processes and ids.
fn steady(mut value: Value) -> Value {
    // A commit has another name in another second.
    const COMMIT: &[&str] = &["oid", "short_oid", "head"];
    const UNSTEADY: &[&str] =
        &["duration_ms", "pid", "run_id", "started_at", "workspace", "modified"];
    match &mut value {
        Value::Object(map) => {
            for (key, value) in map {
                let taken = value.take();
                let keep = ![UNSTEADY, COMMIT].concat().contains(&key.as_str());
                *value = if keep { steady(taken) } else { Value::Null };
            }
        }
        Value::Array(items) => {
            for item in items {
                *item = steady(item.take());
            }
        }
        _ => {}
    }
    value
}

#[tokio::test]
async fn every_tool_answers_alike_on_every_provider() {
    let server = Server::start(&["--max-calls-per-turn", "1000"]).await;
    let mut answers = Vec::new();
    for provider in ["local", "runner", "sandbox"] {
        let created = create(&server, json!({"provider": provider})).await;
        let id = created["id"].as_str().unwrap();
        assert_eq!(created["isolation"]["provider"], provider);
        answers.push((provider, every_tool(&server, id).await));
    }
    let (_, local) = answers.remove(0);
    for (provider, others) in answers {
        assert_eq!(others, local, "{provider}");
    }
}

#[tokio::test]
async fn what_is_unknown_is_named_with_what_is_known() {
    let server = Server::start(&[]).await;
    create(&server, json!({})).await;
    let expected =
        |error: &str, hint: &str| (404, "not_found".to_owned(), error.to_owned(), json!(hint));
    let no_workspace = expected("there is no workspace `w9`", "workspaces: main, w1");
    for answer in [
        get(&server, "/w9").await,
        delete(&server, "w9").await,
        tool(&server, "w9", "bash", json!({"command": "true"})).await,
        tool(&server, "w9", "read", json!({"file_path": "a"})).await,
    ] {
        assert_eq!(refusal(&answer), no_workspace);
    }
    let answer = tool(&server, "w1", "bsh", json!({})).await;
    let error = "a workspace has no tool `bsh`";
    assert_eq!(refusal(&answer), expected(error, &format!("tools: {TOOLS}")));
    let answer = tool(&server, "w1", "run_output", json!({"run_id": "r7"})).await;
    let hint = "runs: there are none; they do not outlive the server";
    assert_eq!(refusal(&answer), expected("there is no background run `r7`", hint));
    let (status, kind, error, _) = refusal(&delete(&server, "main").await);
    let expected = "the workspace of the IDE cannot be destroyed";
    assert_eq!((status, kind.as_str(), error.as_str()), (409, "conflict", expected));
}

#[tokio::test]
async fn a_wrong_body_is_refused_with_the_argument_that_is_wrong() {
    let server = Server::start(&[]).await;
    let raw = |path: &str, body: &str| {
        server
            .http
            .ask("POST", path)
            .header("content-type", "application/json")
            .body(body.to_owned())
    };
    for (path, body, part) in [
        ("", "{", "the body is not valid JSON"),
        ("", "[1]", "object"),
        ("", r#"{"rot": "/"}"#, "rot"),
        ("", r#"{"root": "relative"}"#, "argument `root`: is not an absolute path"),
        ("", r#"{"root": "/", "git_url": "file:///x"}"#, "give one or the other"),
        ("", r#"{"provider": "cloud"}"#, "provider"),
        ("", r#"{"limits": {"memory": 1}}"#, "memory"),
        ("", r#"{"network": true}"#, "always have the network"),
        ("/main/bash", "{}", "`command`"),
        ("/main/bash", r#"{"command": 7}"#, "command"),
        ("/main/bash", "[]", "object"),
        ("/main/bash", r#"{"command": "true", "comand": "x"}"#, "comand"),
        ("/main/bash", r#"{"command": "true", "workspace_id": "main"}"#, "`workspace_id`"),
        ("/main/bash", r#"{"command": "true", "workspaceId": "main"}"#, "`workspaceId`"),
        ("/main/bash", r#"{"command": "true", "workspace": "main"}"#, "`workspace`"),
        ("/main/git", r#"{"action": "dance"}"#, "dance"),
        ("/main/git", r#"{"action": "log", "message": "x"}"#, "message"),
    ] {
        let answer = raw(&format!("{WORKSPACES}{path}"), body).send().await;
        let (status, kind, error, _) = refusal(&answer);
        assert_eq!((status, kind.as_str()), (400, "invalid_args"), "{body}: {error}");
        assert!(error.contains(part), "{body}: {error}");
    }
    let answer = server.http.ask("PUT", &format!("{WORKSPACES}/main")).send().await;
    assert_eq!(refusal(&answer).0, 405);
}

#[tokio::test]
async fn nobody_gets_in_without_the_token() {
    let server = Server::start(&[]).await;
    for (method, path) in [
        ("GET", ""),
        ("POST", ""),
        ("GET", "/main"),
        ("DELETE", "/main"),
        ("POST", "/main/bash"),
        ("POST", "/main/no-such-tool"),
    ] {
        let answer = server.http.stranger(method, &format!("{WORKSPACES}{path}")).send().await;
        assert_eq!(answer.status, 401, "{method} {path}: {}", answer.text());
    }
}

#[tokio::test]
async fn who_asks_for_text_gets_text() {
    let server = Server::start(&[]).await;
    let ask = |path: &str, body: &Value| {
        server.http.post(&format!("{WORKSPACES}{path}"), body).header("accept", "text/plain")
    };
    let ran = ask("/main/bash", &json!({"command": "echo hi; exit 2"})).send().await;
    assert_eq!(ran.header("content-type"), Some("text/plain; charset=utf-8"));
    assert_eq!((ran.status, ran.text()), (200, "hi\n(exit code 2)".to_owned()));
    let refused = ask("/w9/bash", &json!({"command": "true"})).send().await;
    assert_eq!(refused.header("x-openspace-kind"), Some("not_found"));
    let expected = "there is no workspace `w9`\n";
    assert!(refused.text().contains(expected.trim()), "{}", refused.text());
    assert!(refused.text().contains("workspaces: main"), "{}", refused.text());
    let created = ask("", &json!({})).send().await;
    assert_eq!(created.status, 201);
}

#[tokio::test]
async fn two_workspaces_do_not_see_each_other() {
    let server = Server::start(&["--max-calls-per-turn", "1000"]).await;
    let make = |provider: &'static str| create(&server, json!({"provider": provider}));
    let (one, two) = tokio::join!(make("sandbox"), make("sandbox"));
    let id = |created: &Value| created["id"].as_str().unwrap().to_owned();
    let (one_id, two_id) = (id(&one), id(&two));
    let write = |id: String, text: &'static str| {
        let server = &server;
        async move { used(server, &id, "write", json!({"file_path": "a.txt", "content": text})).await }
    };
    tokio::join!(write(one_id.clone(), "one\n"), write(two_id.clone(), "two\n"));
    for (id, other, text) in [(&one_id, &two, "one\n"), (&two_id, &one, "two\n")] {
        let read = used(&server, id, "bash", json!({"command": "cat a.txt"})).await;
        assert_eq!(read["stdout"], text);
        let path = format!("{}/a.txt", other["root"].as_str().unwrap());
        let refused = tool(&server, id, "read", json!({"file_path": path})).await;
        assert!(refused.status >= 400, "{}", refused.text());
        let look = json!({"command": format!("cat {path}")});
        let looked = used(&server, id, "bash", look).await;
        assert_eq!((&looked["stdout"], &looked["exit_code"]), (&json!(""), &json!(1)));
    }
    let glob = used(&server, "main", "glob", json!({"pattern": "*.txt"})).await;
    assert_eq!(glob["paths"], json!([]), "{glob}");
}

#[tokio::test]
async fn workspaces_survive_a_restart_and_destroyed_ones_do_not() {
    let server = Server::start(&[]).await;
    for provider in ["local", "sandbox"] {
        let created = create(&server, json!({"provider": provider, "name": provider})).await;
        let id = created["id"].as_str().unwrap();
        used(&server, id, "write", json!({"file_path": "a.txt", "content": provider})).await;
    }
    create(&server, json!({})).await;
    delete(&server, "w3").await;
    let before = get(&server, "/w2").await.json();
    let space = server.space.clone();
    server.stop().await;

    let server = Server::start_in(&space, &[]).await;
    assert_eq!(ids(&get(&server, "").await), ["main", "w1", "w2"]);
    let mut after = get(&server, "/w2").await.json();
    assert_eq!((&after["open"], &after["isolation"]), (&json!(false), &Value::Null));
    for key in ["open", "isolation", "root_inside"] {
        after[key] = before[key].clone();
    }
    assert_eq!(after, before);
    for (id, text) in [("w1", "local"), ("w2", "sandbox")] {
        let read = used(&server, id, "bash", json!({"command": "cat a.txt"})).await;
        assert_eq!(read["stdout"], text);
    }
    assert_eq!(get(&server, "/w2").await.json(), before, "opened when it was used");
    assert_eq!(refusal(&get(&server, "/w3").await).0, 404);
    assert_eq!(create(&server, json!({})).await["id"], "w4");
}
