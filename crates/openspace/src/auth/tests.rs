//! Who gets in and who does not.

use axum::{Router, body::Body, middleware::from_fn_with_state, routing::any};
use tower::ServiceExt;

use super::*;

fn gate(no_auth: bool) -> Arc<Gate> {
    Arc::new(Gate::new(GateOptions {
        token: "secret-token".into(),
        cookie: "cookie-value".into(),
        page_key: "page-key".into(),
        instructions_key: "read-key".into(),
        person_key: "person-key".into(),
        instance: "abcdef0123456789".into(),
        hosts: vec!["dev.example".into()],
        no_auth,
    }))
}

async fn status(gate: &Arc<Gate>, method: &str, uri: &str, headers: &[(&str, &str)]) -> u16 {
    let app = Router::new()
        .fallback(any(|| async { "in" }))
        .layer(from_fn_with_state(Arc::clone(gate), guard));
    let mut request = Request::builder().method(method).uri(uri);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    app.oneshot(request.body(Body::empty()).unwrap()).await.unwrap().status().as_u16()
}

/// The words with which a request is refused.
async fn error(gate: &Arc<Gate>, headers: &[(&str, &str)]) -> String {
    let app = Router::new()
        .fallback(any(|| async { "in" }))
        .layer(from_fn_with_state(Arc::clone(gate), guard));
    let mut request = Request::builder().method("POST").uri("/api/link");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let answer = app.oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
    let body = axum::body::to_bytes(answer.into_body(), 10_000).await.unwrap();
    let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
    body["error"].as_str().unwrap().to_owned()
}

const HERE: (&str, &str) = ("host", "127.0.0.1:3000");
const TOKEN: (&str, &str) = ("authorization", "Bearer secret-token");
const PAGE: (&str, &str) = ("x-openspace-page", "other.page-key");
const COOKIE_OK: (&str, &str) = ("cookie", "a=b; openspace_abcdef01=cookie-value");

#[tokio::test]
async fn the_token_opens_everything_and_nothing_else_does() {
    let gate = gate(false);
    assert_eq!(status(&gate, "POST", "/mcp", &[HERE, TOKEN]).await, 200);
    assert_eq!(
        status(&gate, "POST", "/mcp", &[HERE, ("authorization", "bearer secret-token")]).await,
        200
    );
    for wrong in [
        "Bearer secret-toke",
        "Bearer ",
        "Basic secret-token",
        "secret-token",
        "Bearer secret-token2",
    ] {
        assert_eq!(
            status(&gate, "POST", "/mcp", &[HERE, ("authorization", wrong)]).await,
            401,
            "{wrong}"
        );
    }
    assert_eq!(status(&gate, "POST", "/mcp", &[HERE]).await, 401);
    assert_eq!(status(&gate, "GET", "/healthz", &[HERE]).await, 200);
}

#[tokio::test]
async fn who_is_refused_is_told_which_key_was_wrong() {
    let wrong_token = ("authorization", "Bearer other");
    let wrong_person = ("x-openspace-person", "other");
    let person = "the token is right, but `x-openspace-person` does not hold this server's key of the person";
    let rows = [
        (vec![HERE], "a token is needed"),
        (vec![HERE, wrong_token], "the token is not this server's"),
        (vec![HERE, wrong_token, wrong_person], "the token is not this server's"),
        (vec![HERE, wrong_person], "a token is needed"),
        (vec![HERE, TOKEN, wrong_person], person),
        (vec![HERE, TOKEN, ("x-openspace-person", "")], person),
    ];
    for (headers, expected) in rows {
        assert_eq!(error(&gate(false), &headers).await, expected, "{headers:?}");
    }
}

#[tokio::test]
async fn a_rebinding_page_is_refused_even_with_the_token() {
    let gate = gate(false);
    for host in [
        "evil.example",
        "evil.example:3000",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "",
    ] {
        assert_eq!(status(&gate, "POST", "/mcp", &[("host", host), TOKEN]).await, 403, "{host}");
    }
    for host in ["localhost:3000", "[::1]:3000", "LOCALHOST", "dev.example", "10.1.2.3:80"] {
        assert_eq!(status(&gate, "POST", "/mcp", &[("host", host), TOKEN]).await, 200, "{host}");
    }
    let two = [HERE, ("host", "evil.example"), TOKEN];
    assert_eq!(status(&gate, "POST", "/mcp", &two).await, 403);
}

#[tokio::test]
async fn a_foreign_origin_is_refused_everywhere() {
    let gate = gate(false);
    for origin in [
        "http://evil.example",
        "null",
        "http://127.0.0.1:4000",
        "file://",
        "http://127.0.0.1:3000.evil.example",
    ] {
        for path in ["/mcp", "/healthz", "/open"] {
            assert_eq!(
                status(&gate, "GET", path, &[HERE, ("origin", origin), TOKEN]).await,
                403,
                "{origin} {path}"
            );
        }
    }
    let ours = ("origin", "http://127.0.0.1:3000");
    assert_eq!(status(&gate, "POST", "/mcp", &[HERE, ours, TOKEN]).await, 200);
}

#[tokio::test]
async fn a_cookie_lets_a_page_of_ours_in_but_changes_need_its_origin() {
    let gate = gate(false);
    assert_eq!(status(&gate, "GET", "/", &[HERE, COOKIE_OK]).await, 200);
    assert_eq!(status(&gate, "POST", "/api/x", &[HERE, COOKIE_OK, PAGE]).await, 401);
    let ours = ("origin", "http://127.0.0.1:3000");
    assert_eq!(status(&gate, "POST", "/api/x", &[HERE, COOKIE_OK, PAGE, ours]).await, 200);
    assert_eq!(status(&gate, "POST", "/api/x", &[HERE, COOKIE_OK, ours]).await, 401);
    assert_eq!(status(&gate, "POST", "/", &[HERE, COOKIE_OK, ours]).await, 401);
    assert_eq!(status(&gate, "GET", "/api/x", &[HERE, COOKIE_OK]).await, 401);
    assert_eq!(status(&gate, "GET", "/api/x?page=page-key", &[HERE, COOKIE_OK]).await, 200);
    assert_eq!(status(&gate, "GET", "/api/x", &[HERE, PAGE]).await, 401, "nor is it enough alone");
    assert_eq!(status(&gate, "GET", "/", &[HERE, ("cookie", "openspace_abcdef01=no")]).await, 401);
    assert_eq!(
        status(&gate, "GET", "/", &[HERE, ("cookie", "openspace_other=cookie-value")]).await,
        401
    );
}

#[tokio::test]
async fn the_instructions_key_opens_only_the_instructions() {
    let gate = gate(false);
    assert_eq!(status(&gate, "GET", "/openspace/instructions?key=read-key", &[HERE]).await, 200);
    assert_eq!(status(&gate, "GET", "/openspace/instructions?key=wrong", &[HERE]).await, 401);
    assert_eq!(status(&gate, "GET", "/openspace/state?key=read-key", &[HERE]).await, 401);
}

#[tokio::test]
async fn a_link_works_once() {
    let gate = gate(false);
    let code = gate.new_link();
    assert_eq!(gate.use_link("wrong"), None);
    let cookie = gate.use_link(&code).unwrap();
    assert!(
        cookie.starts_with("openspace_abcdef01=cookie-value; Path=/; HttpOnly; SameSite=Strict")
    );
    assert_eq!(gate.use_link(&code), None);
}

#[tokio::test]
async fn without_auth_the_host_and_the_origin_still_count() {
    let gate = gate(true);
    assert_eq!(status(&gate, "POST", "/mcp", &[HERE]).await, 200);
    assert_eq!(status(&gate, "POST", "/mcp", &[("host", "evil.example")]).await, 403);
    assert_eq!(
        status(&gate, "POST", "/mcp", &[HERE, ("origin", "http://evil.example")]).await,
        403
    );
}
