//! What is packed on its way to a page, and what the page need not load again.

use std::io::Read as _;

use flate2::read::GzDecoder;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Answer, Server};

async fn packed(server: &Server, path: &str) -> Answer {
    server.http.get(path).header("accept-encoding", "gzip, deflate, br").send().await
}

fn unpacked(answer: &Answer) -> Value {
    let mut bytes = Vec::new();
    GzDecoder::new(&answer.body[..]).read_to_end(&mut bytes).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

#[tokio::test]
async fn what_a_page_loads_first_is_packed_for_those_who_take_it() {
    let server = Server::start(&[]).await;
    for number in 0..100 {
        server.space.file(&format!("{number}.txt"), "");
    }
    let change = json!({"scope": "workspace", "set": {"key": "text ".repeat(1000)}, "remove": []});
    assert_eq!(server.http.post("/api/ui-state", &change).send().await.status, 200);
    for path in ["/api/commands", "/api/ui-state", "/api/files/list?path=", "/openapi.json"] {
        let plain = server.http.get(path).send().await;
        let packed = packed(&server, path).await;
        let names = ["content-encoding", "vary", "content-type"];
        let told = |answer: &Answer| names.map(|name| answer.header(name).map(str::to_owned));
        let json = Some("application/json".to_owned());
        let vary = Some("accept-encoding".to_owned());
        assert_eq!(told(&plain), [None, vary.clone(), json.clone()], "{path}");
        assert_eq!(told(&packed), [Some("gzip".to_owned()), vary, json], "{path}");
        assert_eq!(unpacked(&packed), plain.json(), "{path}");
        assert!(packed.body.len() * 2 < plain.body.len(), "{path}");
    }
}

#[tokio::test]
async fn contents_streams_and_small_answers_are_not_packed() {
    let server = Server::start(&[]).await;
    server.space.file("a.txt", &"text ".repeat(1000));
    for path in ["/api/files/content?path=a.txt", "/api/files/list?path=", "/api/state"] {
        assert_eq!(packed(&server, path).await.header("content-encoding"), None, "{path}");
    }
    let events = server.http.get("/api/events").header("accept-encoding", "gzip").open().await;
    assert_eq!(events.headers.get("content-encoding"), None);
}

#[tokio::test]
async fn a_catalogue_that_a_page_has_is_not_sent_again_until_it_is_another() {
    let server = Server::start(&[]).await;
    let first = packed(&server, "/api/commands").await;
    let tag = first.header("etag").unwrap().to_owned();
    assert_eq!(first.header("cache-control"), Some("private, no-cache"));
    let again = || server.http.get("/api/commands").header("if-none-match", &tag);
    let same = again().header("accept-encoding", "gzip").send().await;
    assert_eq!((same.status, same.body.len(), same.header("etag")), (304, 0, Some(tag.as_str())));
    let plain = server.http.get("/api/commands").send().await;
    assert_eq!(plain.header("etag"), Some(tag.as_str()), "packed or not, it is the same");
    let bridge = json!({"commands": [{"id": "test.cmd", "description": "Test command"}]});
    let added = server.http.post("/manifest", &bridge).send().await;
    assert_eq!(added.status, 200, "{}", added.text());
    let other = again().send().await;
    assert_eq!(other.status, 200);
    assert_ne!(other.header("etag"), Some(tag.as_str()));
}
