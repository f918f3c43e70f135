//! The web app as browsers get it.

use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::{Answer, Server, Space, bytes, write};

/// Put files into the web app of a space.
fn fill(space: &Space, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = space.web().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        write(&path, text);
    }
}

/// Status, content and the headers that say what it is and how long it may be kept.
fn seen(answer: &Answer) -> (u16, String, [Option<&str>; 4]) {
    let names = ["content-type", "content-encoding", "cache-control", "vary"];
    (answer.status, answer.text(), names.map(|name| answer.header(name)))
}

const FOR_EVER: &str = "public, max-age=31536000, immutable";

#[tokio::test]
async fn files_come_with_their_type_and_the_best_packing_the_client_takes() {
    let server = Server::start(&[]).await;
    fill(
        &server.space,
        &[
            ("assets/main-12345678.js", "plain"),
            ("assets/main-12345678.js.gz", "gzip"),
            ("assets/main-12345678.js.br", "brotli"),
            ("assets/codicon-12345678.ttf", "font"),
            ("favicon.svg", "<svg/>"),
        ],
    );
    let js = Some("text/javascript; charset=utf-8");
    let vary = Some("accept-encoding");
    for (path, accepted, content, headers) in [
        (
            "/assets/main-12345678.js",
            "gzip, deflate, br",
            "brotli",
            [js, Some("br"), Some(FOR_EVER), vary],
        ),
        ("/assets/main-12345678.js", "gzip", "gzip", [js, Some("gzip"), Some(FOR_EVER), vary]),
        ("/assets/main-12345678.js", "identity", "plain", [js, None, Some(FOR_EVER), vary]),
        (
            "/assets/codicon-12345678.ttf",
            "br",
            "font",
            [Some("font/ttf"), None, Some(FOR_EVER), vary],
        ),
        ("/favicon.svg", "br", "<svg/>", [Some("image/svg+xml"), None, Some("no-cache"), vary]),
        (
            "/",
            "br",
            "<!doctype html><title>The web app</title>\n",
            [Some("text/html; charset=utf-8"), None, Some("no-cache"), vary],
        ),
    ] {
        let ask = || server.http.get(path).header("accept-encoding", accepted);
        let answer = ask().send().await;
        assert_eq!(seen(&answer), (200, content.to_owned(), headers), "{path} {accepted}");
        assert_eq!(answer.header("cross-origin-resource-policy"), Some("same-origin"));
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.ends_with("form-action 'none'; frame-ancestors 'none'"), "{policy}");

        let tag = answer.header("etag").unwrap();
        let again = ask().header("if-none-match", tag).send().await;
        let [_, encoding, cache, vary] = headers;
        assert_eq!(seen(&again), (304, String::new(), [None, encoding, cache, vary]), "{path}");
        assert_eq!(again.header("etag"), Some(tag));

        let head = server.http.ask("HEAD", path).header("accept-encoding", accepted).send().await;
        assert_eq!(seen(&head), (200, String::new(), headers), "{path}");
        let length = content.len().to_string();
        assert_eq!(
            (head.header("content-length"), head.header("etag")),
            (Some(&*length), Some(tag))
        );
    }
}

#[tokio::test]
async fn a_file_that_was_built_anew_is_there_at_once() {
    let server = Server::start(&[]).await;
    let first = server.http.get("/").send().await;
    let tag = first.header("etag").unwrap();
    fill(&server.space, &[("index.html", "<!doctype html>new")]);
    let second = server.http.get("/").header("if-none-match", tag).send().await;
    assert_eq!((second.status, second.text().as_str()), (200, "<!doctype html>new"));
}

#[tokio::test]
async fn nothing_but_files_of_the_web_app_can_be_had() {
    let server = Server::start(&[]).await;
    write(&server.space.folder().join("secret.txt"), "secret");
    fill(
        &server.space,
        &[("assets/a.js", "1"), ("assets/a.js.br", "2"), (".built", "3"), ("assets/.x/y.js", "4")],
    );
    let place = server.space.place();
    assert!(bytes(&place.join("token")).is_some());
    for path in [
        "/../secret.txt",
        "/assets/../../secret.txt",
        "/..%2fsecret.txt",
        "/%2e%2e/secret.txt",
        "/assets/..%2f..%2fsecret.txt",
        "/assets%2fa.js",
        "/assets/%2e%2e/index.html",
        "//index.html",
        "/assets//a.js",
        "/assets/",
        "/assets",
        "/assets/a.js.br",
        "/.built",
        "/assets/.x/y.js",
        "/assets/missing-12345678.js",
        "/a%00b",
    ] {
        for method in ["GET", "HEAD"] {
            let answer = server.http.ask(method, path).send().await;
            assert_eq!(answer.status, 404, "{method} {path}: {}", answer.text());
            assert_eq!(answer.header("cache-control"), Some("no-store"), "{path}");
        }
    }
    let refused = server.http.get("/assets/missing.js").send().await.json();
    assert_eq!((&refused["success"], &refused["kind"]), (&json!(false), &json!("not_found")));
    let page = server.http.get("/nothing").header("accept", "text/html").send().await;
    assert!(page.status == 404 && page.text().contains("There is nothing here"));
    assert_eq!(server.http.ask("POST", "/assets/a.js").send().await.status, 404);
    assert_eq!(server.http.ask("POST", "/").send().await.status, 405);
}

#[tokio::test]
async fn without_a_web_app_the_page_says_how_to_get_it() {
    let server = Server::start(&[]).await;
    std::fs::remove_dir_all(server.space.web()).unwrap();
    for _ in ["missing", "empty"] {
        let page = server.http.get("/").header("accept", "text/html").send().await;
        assert_eq!(page.status, 503);
        assert!(page.text().contains("<code>cargo xtask run</code> builds it"), "{}", page.text());
        let told = server.http.get("/").send().await;
        let expected = json!({
            "success": false,
            "error": "the web app is not built",
            "kind": "unsupported",
            "hint": "`cargo xtask run` builds it; /status works without it",
        });
        assert_eq!((told.status, told.json()), (503, expected));
        assert_eq!(server.http.get("/status").send().await.status, 200);
        std::fs::create_dir_all(server.space.web()).unwrap();
    }
    fill(&server.space, &[("index.html", "now")]);
    assert_eq!(server.http.get("/").send().await.text(), "now");
}

#[tokio::test]
async fn pages_are_told_when_the_web_app_was_built_anew() {
    let server = Server::start(&[]).await;
    let mut events = server.http.get("/api/dev/reload").open().await;
    std::fs::remove_dir_all(server.space.web()).unwrap();
    fill(&server.space, &[("index.html", "new")]);
    let event = events.next().await.unwrap();
    assert_eq!((event.event.as_str(), event.data.as_str()), ("reload", "{}"));
    drop(events);
    server.stop().await;
}
