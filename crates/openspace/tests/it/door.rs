//! Who gets in: every route, with and without the token, from here and from elsewhere.

use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::{Answer, Ask, Browser, Http, Server, read};

/// Every route and what it says to who holds the token. A `GET` of a stream ends with its head.
const ROUTES: &[(&str, &str, u16)] = &[
    ("GET", "/", 200),
    ("GET", "/index.html", 200),
    ("GET", "/status", 200),
    ("GET", "/api/dev/reload", 200),
    ("GET", "/api/user-data", 200),
    ("GET", "/api/user-data/tasks.json", 404),
    ("PUT", "/api/user-data/settings.json", 200),
    ("DELETE", "/api/user-data/settings.json", 200),
    ("GET", "/api/ui-state", 200),
    ("POST", "/api/ui-state", 400),
    ("GET", "/metrics", 200),
    ("GET", "/openapi.json", 200),
    ("GET", "/api/commands", 200),
    ("POST", "/api/commands/pane.list", 200),
    ("GET", "/api/state", 200),
    ("GET", "/api/events", 200),
    ("GET", "/api/socket", 101),
    ("GET", "/api/languages", 101),
    ("GET", "/api/languages/source?path=/x", 404),
    ("POST", "/api/link", 403),
    ("POST", "/api/approvals/a1/link", 403),
    ("POST", "/api/hand-over", 409),
    ("GET", "/api/terminals/t1", 404),
    ("GET", "/api/files/stat?path=", 200),
    ("GET", "/api/files/list?path=", 200),
    ("GET", "/api/files/content?path=missing", 404),
    ("GET", "/mcp/stream", 101),
    ("POST", "/mcp", 200),
    ("GET", "/mcp", 400),
    ("DELETE", "/mcp", 400),
    ("POST", "/manifest", 200),
    ("POST", "/state", 200),
    ("POST", "/commands", 400),
    ("GET", "/events", 200),
    ("GET", "/instructions", 200),
    ("POST", "/command-results", 400),
    ("POST", "/register-bridge", 200),
    ("POST", "/openspace/manifest", 200),
    ("POST", "/openspace/state", 200),
    ("POST", "/openspace/commands", 400),
    ("GET", "/openspace/events", 200),
    ("GET", "/openspace/instructions", 200),
    ("POST", "/openspace/command-results", 400),
    ("POST", "/openspace/register-bridge", 200),
    ("GET", "/nothing/here", 404),
    ("OPTIONS", "/api/state", 405),
];

/// A request that would be understood, if it is let in.
fn understood(ask: Ask, path: &str) -> Ask {
    let initialize = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "tester", "version": "1"}}});
    match path {
        "/mcp/stream" => ask.header("connection", "upgrade").header("upgrade", "openspace-mcp"),
        "/api/socket" | "/api/languages" | "/api/terminals/t1" => ask
            .header("connection", "upgrade")
            .header("upgrade", "websocket")
            .header("sec-websocket-version", "13")
            .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
        "/mcp" => ask
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .body(initialize.to_string()),
        _ if path.ends_with("/manifest") => ask.body(r#"{"commands": []}"#),
        _ => ask.body("{}"),
    }
}

/// The status; no answer lets another site's page read it.
async fn status(ask: Ask, path: &str) -> u16 {
    let answer = understood(ask, path).open().await;
    let cors = answer.headers.keys().find(|name| name.as_str().starts_with("access-control"));
    assert_eq!(cors, None, "{path}");
    assert_eq!(answer.headers["x-content-type-options"], "nosniff", "{path}");
    answer.status
}

#[tokio::test]
async fn the_token_opens_every_route() {
    let server = Server::start(&["--max-bridge-streams", "1000"]).await;
    for (method, path, expected) in ROUTES {
        let ask = server.http.ask(method, path);
        assert_eq!(status(ask, path).await, *expected, "{method} {path}");
    }
}

#[tokio::test]
async fn without_the_token_every_route_is_shut() {
    let server = Server::start(&[]).await;
    for (method, path, _) in ROUTES {
        let ask = || server.http.stranger(method, path);
        assert_eq!(status(ask(), path).await, 401, "{method} {path}");
        let wrong = ask().header("authorization", &format!("Bearer {}", "0".repeat(64)));
        assert_eq!(status(wrong, path).await, 401, "{method} {path}");
        let in_the_path = format!("{path}?token={}", server.ready.token);
        let ask = server.http.stranger(method, &in_the_path);
        assert_eq!(status(ask, path).await, 401, "{method} {path}");
    }
    assert_eq!(server.http.stranger("GET", "/healthz").send().await.status, 200);
    let refused = server.http.stranger("GET", "/api/state").send().await;
    assert_eq!(refused.header("www-authenticate"), Some("Bearer"));
    let body = refused.json();
    assert_eq!((&body["success"], &body["kind"]), (&json!(false), &json!("denied")));
    let page = server.http.stranger("GET", "/").header("accept", "text/html").send().await;
    assert_eq!(page.status, 401);
    assert!(page.text().contains("openspace link"), "{}", page.text());
}

#[tokio::test]
async fn other_names_and_other_sites_are_refused_on_every_route_even_with_the_token() {
    let server = Server::start(&[]).await;
    let open = [("GET", "/healthz", 200), ("GET", "/open", 403)];
    for (method, path, _) in ROUTES.iter().chain(&open) {
        for (header, value) in [
            ("host", "evil.example"),
            ("host", "localhost.evil.example"),
            ("origin", "http://evil.example"),
            ("origin", "http://localhost:1"),
            ("origin", "null"),
        ] {
            let ask = server.http.ask(method, path).header(header, value);
            assert_eq!(status(ask, path).await, 403, "{method} {path} with {header}: {value}");
        }
    }
    let same = format!("http://{}", server.http.authority);
    let ask = server.http.get("/api/state").header("origin", &same);
    assert_eq!(status(ask, "/api/state").await, 200);
}

#[tokio::test]
async fn a_name_that_was_allowed_is_answered_to() {
    let server = Server::start(&["--allow-host", "box.example"]).await;
    for (host, expected) in [
        ("box.example", 200),
        ("BOX.example:443", 200),
        ("localhost:3000", 200),
        ("[::1]:3000", 200),
        ("192.0.2.7", 200),
        ("other.example", 403),
    ] {
        let ask = server.http.get("/api/state").header("host", host);
        assert_eq!(status(ask, "/api/state").await, expected, "{host}");
    }
}

fn cookie(answer: &Answer) -> String {
    let set = answer.header("set-cookie").unwrap();
    assert!(set.ends_with("; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000"), "{set}");
    set.split(';').next().unwrap().to_owned()
}

fn path_of<'a>(link: &'a str, http: &Http) -> &'a str {
    link.strip_prefix(&format!("http://{}", http.authority)).unwrap()
}

#[tokio::test]
async fn a_link_lets_one_browser_in_once() {
    let server = Server::start(&[]).await;
    let http = &server.http;
    let path = path_of(&server.ready.open, http);
    // Whoever only looks at it does not use it up.
    let look = http.stranger("HEAD", path).send().await;
    assert_eq!((look.status, look.header("set-cookie")), (204, None));
    let first = http.stranger("GET", path).send().await;
    assert_eq!(first.status, 200);
    let cookie = cookie(&first);
    let page_key = Browser::of(http, &first).page;
    let second = http.stranger("GET", path).send().await;
    assert_eq!((second.status, second.header("set-cookie")), (403, None));
    // Used, wrong or none: the answer is the same, and true of each.
    let without_marks = |answer: &Answer| {
        let page = answer.text();
        page[page.find("<body>").unwrap()..].to_owned()
    };
    for path in ["/open?code=guess", "/open?code=", "/open"] {
        let wrong = http.stranger("GET", path).send().await;
        assert_eq!((wrong.status, wrong.header("set-cookie")), (403, None), "{path}");
        assert_eq!(without_marks(&wrong), without_marks(&second), "{path}");
    }
    let page = second.text();
    assert!(page.contains("<h1>This link is not valid</h1>"), "{page}");
    assert!(page.contains("<code>openspace link</code>"), "{page}");

    let browser = |method: &str, path: &str| {
        http.stranger(method, path).header("cookie", &cookie).header("x-openspace-page", &page_key)
    };
    let page = browser("GET", "/").send().await;
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'self'; script-src 'self' "), "{policy}");
    let page = browser("GET", "/status").send().await;
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; "), "{policy}");

    // A browser says where a request comes from whenever it changes something.
    let call = || browser("POST", "/api/commands/command.end_turn");
    assert_eq!(call().send().await.status, 401);
    let mut events = server.events().await;
    let ours = call().header("origin", &server.ready.url).send().await;
    assert_eq!(ours.status, 200, "{}", ours.text());
    let record = events.call_ended("openspace.command.end_turn").await;
    assert_eq!(record["caller"], json!({"kind": "person", "id": "browser", "session": null}));
    let link = browser("POST", "/api/link").header("origin", &server.ready.url).send().await;
    assert_eq!(link.status, 403, "who was let in cannot let others in");
}

/// What a browser asks for by itself.
const FOR_BROWSERS: &[&str] = &[
    "/",
    "/index.html",
    "/status",
    "/api/dev/reload",
    "/api/files/content?path=missing",
    "/nothing/here",
];

/// Browsers send a cookie to whatever listens on this host, and an agent may listen.
#[tokio::test]
async fn the_cookie_alone_opens_the_page_and_nothing_that_is_spoken() {
    let server = Server::start(&[]).await;
    let browser = Browser::enter(&server.http, &server.ready.open).await;
    let wrong = "0".repeat(64);
    for (method, path, expected) in ROUTES {
        let is_for_browsers = *method == "GET" && FOR_BROWSERS.contains(path);
        let expected = if is_for_browsers { *expected } else { 401 };
        let ours = |ask: Ask| ask.header("origin", &server.ready.url);
        let ask = || ours(browser.with_cookie(method, path));
        for ask in [ask(), ask().header("x-openspace-page", &wrong)] {
            assert_eq!(status(ask, path).await, expected, "{method} {path}");
        }
    }
    for path in ["/%61pi/state", "//api/state", "/api/../api/state", "/api%2Fstate"] {
        let answer = browser.with_cookie("GET", path).send().await;
        assert_ne!(answer.status, 200, "{path}");
    }
    // Nor is it told what it lacks, by a link that is used up or none.
    for path in
        [server.ready.open.strip_prefix(&server.ready.url).unwrap(), "/open", "/status", "/"]
    {
        let answer = browser.with_cookie("GET", path).send().await;
        assert_eq!((answer.status, answer.text().contains(&browser.page)), (200, false), "{path}");
    }
    // A page sends what it keeps of every space that was at its address; sockets take it in theirs.
    let several = format!("{wrong}.{}", browser.page);
    let ask = browser.with_cookie("GET", "/api/state").header("x-openspace-page", &several);
    assert_eq!(status(ask, "/api/state").await, 200);
    let path = format!("/api/socket?page={several}");
    assert_eq!(status(browser.with_cookie("GET", &path), "/api/socket").await, 101);
    let many = format!("{}{}", format!("{wrong}.").repeat(8), browser.page);
    let ask = browser.with_cookie("GET", "/api/state").header("x-openspace-page", &many);
    assert_eq!(status(ask, "/api/state").await, 401, "that many are not looked at");
}

#[tokio::test]
async fn a_browser_stays_in_across_a_restart() {
    let first = Server::start(&[]).await;
    let path = path_of(&first.ready.open, &first.http).to_owned();
    let cookie = cookie(&first.http.stranger("GET", &path).send().await);
    let space = first.space.clone();
    first.stop().await;
    let second = Server::start_in(&space, &[]).await;
    let page = second.http.stranger("GET", "/").header("cookie", &cookie).send().await;
    assert_eq!(page.status, 200);
    assert_eq!(second.http.stranger("GET", &path).send().await.status, 403, "links do not last");
}

#[tokio::test]
async fn the_key_to_the_instructions_opens_nothing_else() {
    let server = Server::start(&[]).await;
    let keys: serde_json::Value =
        serde_json::from_str(&read(&server.space.place().join("keys.json"))).unwrap();
    let key = keys["instructions"].as_str().unwrap();
    for (path, expected) in
        [("/openspace/instructions", 200), ("/instructions", 401), ("/api/state", 401), ("/", 401)]
    {
        let ask = server.http.stranger("GET", &format!("{path}?key={key}"));
        assert_eq!(ask.send().await.status, expected, "{path}");
    }
}
