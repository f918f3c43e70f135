//! What a person keeps for all workspaces, through the real servers that share it.

use std::os::unix::fs::PermissionsExt as _;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Answer, Server, Space, Streaming, read, write};

const SETTINGS: &str = "/api/user-data/settings.json";

async fn put(server: &Server, path: &str, content: &str) -> Answer {
    server.http.ask("PUT", path).body(content.to_owned()).send().await
}

fn refused(answer: &Answer) -> (u16, Value) {
    let body = answer.json();
    assert_eq!(
        (&body["success"], answer.header("x-openspace-kind")),
        (&json!(false), body["kind"].as_str())
    );
    (answer.status, body["kind"].clone())
}

/// The name in the next news about user data.
async fn news(events: &mut Streaming) -> String {
    let pick = |event: &crate::support::SseEvent| {
        let event = event.json();
        (event["type"] == "user_data_changed").then(|| event["name"].as_str().unwrap().to_owned())
    };
    events.find("news about user data", pick).await
}

#[tokio::test]
async fn a_file_is_kept_as_it_was_sent() {
    let server = Server::start(&[]).await;
    assert_eq!(refused(&server.http.get(SETTINGS).send().await), (404, json!("not_found")));
    assert_eq!(server.http.get("/api/user-data").send().await.json(), json!({"names": []}));
    let text = "{ // comments are fine\r\n  \"editor.fontSize\": 15, }";
    let answer = put(&server, SETTINGS, text).await;
    let expected = json!({"success": true, "name": "settings.json", "created": true});
    assert_eq!((answer.status, answer.json()), (200, expected));
    put(&server, "/api/user-data/snippets/rust.json", "{}").await;
    let found = server.http.get(SETTINGS).send().await;
    assert_eq!((found.status, found.text().as_str()), (200, text));
    assert_eq!(found.header("etag"), answer.header("etag"));
    assert_eq!(found.header("content-type"), Some("application/octet-stream"));
    let names = server.http.get("/api/user-data").send().await.json();
    assert_eq!(names, json!({"names": ["settings.json", "snippets/rust.json"]}));

    let folder = server.space.home().join(".config/openspace");
    assert_eq!(read(&folder.join("settings.json")), text);
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&folder.join("settings.json"))), (0o700, 0o600));

    assert_eq!(server.http.ask("DELETE", SETTINGS).send().await.status, 200);
    assert_eq!(
        refused(&server.http.ask("DELETE", SETTINGS).send().await),
        (404, json!("not_found"))
    );
}

#[tokio::test]
async fn other_names_and_large_files_are_refused() {
    let server = Server::start(&[]).await;
    for name in
        ["other.json", "snippets/.x.json", "..%2fsettings.json", "snippets/a/b.json", ".lock"]
    {
        for method in ["GET", "PUT", "DELETE"] {
            let ask = server.http.ask(method, &format!("/api/user-data/{name}"));
            assert_eq!(refused(&ask.send().await), (400, json!("invalid_args")), "{method} {name}");
        }
    }
    let large = " ".repeat(1024 * 1024 + 1);
    assert_eq!(refused(&put(&server, SETTINGS, &large).await), (400, json!("invalid_args")));
    assert_eq!(server.http.get(SETTINGS).send().await.status, 404);
    assert_eq!(server.http.ask("POST", SETTINGS).send().await.status, 405);
}

#[tokio::test]
async fn two_servers_of_one_person_share_the_files_and_tell_their_views() {
    let one = Server::start(&[]).await;
    let two = Server::start_in(&one.space.beside(), &[]).await;
    let (mut at_one, mut at_two) = (one.events().await, two.events().await);
    let first = put(&one, SETTINGS, "1").await;
    let tag = first.header("etag").unwrap();
    assert_eq!(news(&mut at_one).await, "settings.json");
    assert_eq!(news(&mut at_two).await, "settings.json");

    let change = |server: &Server, text: &str| {
        server.http.ask("PUT", SETTINGS).header("if-match", tag).body(text.to_owned())
    };
    assert_eq!(change(&two, "2").send().await.status, 200);
    assert_eq!(news(&mut at_one).await, "settings.json");
    assert_eq!(refused(&change(&one, "3").send().await), (412, json!("conflict")));
    let create = one.http.ask("PUT", SETTINGS).header("if-none-match", "*").body("4");
    assert_eq!(refused(&create.send().await), (412, json!("conflict")));
    assert_eq!(one.http.get(SETTINGS).send().await.text(), "2");

    write(&one.space.home().join(".config/openspace/keybindings.json"), "[]");
    assert_eq!(news(&mut at_one).await, "keybindings.json", "changed by hand");
    while news(&mut at_two).await != "keybindings.json" {}
}

async fn remember(server: &Server, change: Value) -> Answer {
    server.http.post("/api/ui-state", &change).send().await
}

async fn remembered(server: &Server) -> Value {
    server.http.get("/api/ui-state").send().await.json()
}

#[tokio::test]
async fn what_the_page_remembers_lasts_and_reaches_as_far_as_its_scope() {
    let one = Server::start(&[]).await;
    let two = Server::start_in(&one.space.beside(), &[]).await;
    let nothing = json!({"scopes": {"application": {}, "profile": {}, "workspace": {}}});
    assert_eq!(remembered(&one).await, nothing);
    for scope in ["application", "profile", "workspace"] {
        let change = json!({"scope": scope, "set": {"a": "1", "b": "2"}});
        let answer = remember(&one, change).await;
        assert_eq!((answer.status, answer.json()), (200, json!({"success": true})));
    }
    remember(&two, json!({"scope": "profile", "set": {"c": "3"}, "remove": ["a"]})).await;
    let both = json!({"a": "1", "b": "2"});
    let expected = |workspace: &Value| json!({"scopes": {"application": both, "profile": {"b": "2", "c": "3"}, "workspace": workspace}});
    assert_eq!(remembered(&two).await, expected(&json!({})));
    let space: Space = one.space.clone();
    one.stop().await;
    let again = Server::start_in(&space, &[]).await;
    assert_eq!(remembered(&again).await, expected(&both));

    for wrong in [
        json!({"scope": "galaxy"}),
        json!({"set": {}}),
        json!({"scope": "profile", "set": {"a": 1}}),
        json!({"scope": "profile", "put": {}}),
        json!({"scope": "profile", "set": {"a": "x".repeat(4 * 1024 * 1024)}}),
    ] {
        let answer = remember(&again, wrong).await;
        assert_eq!(refused(&answer), (400, json!("invalid_args")));
    }
    assert_eq!(remembered(&again).await, expected(&both));
}
