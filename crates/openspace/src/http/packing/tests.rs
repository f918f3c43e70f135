//! What is packed.

use std::io::Read as _;

use axum::{Router, http::header::IF_NONE_MATCH, middleware::from_fn, routing::get};
use flate2::read::GzDecoder;
use pretty_assertions::assert_eq;
use tower::ServiceExt as _;

use super::*;

const JSON: &str = "application/json";
const STREAM: &str = "text/event-stream";

/// Ask a route that answers so, as a client that takes gzip.
async fn ask(method: Method, respond: fn() -> Response) -> Response {
    let route = get(move || async move { respond() }).post(move || async move { respond() });
    let router: Router = Router::new().route("/", route.layer(from_fn(pack)));
    let request = Request::builder().method(method).header(ACCEPT_ENCODING, "gzip, br");
    router.oneshot(request.body(Body::empty()).unwrap()).await.unwrap()
}

fn unpacked(packed: &[u8]) -> String {
    let mut text = String::new();
    GzDecoder::new(packed).read_to_string(&mut text).unwrap();
    text
}

#[tokio::test]
async fn large_json_is_packed_and_unpacks_to_what_it_was() {
    let text = || "\"quite alike\", ".repeat(1000);
    let response = ask(Method::GET, || {
        ([(CONTENT_TYPE, JSON)], "\"quite alike\", ".repeat(1000)).into_response()
    });
    let response = response.await;
    let headers = response.headers().clone();
    let seen = [CONTENT_ENCODING, VARY, CONTENT_TYPE].map(|name| headers[name].clone());
    assert_eq!(seen, ["gzip", "accept-encoding", JSON]);
    let body = to_bytes(response.into_body(), MAX_SIZE).await.unwrap();
    assert_eq!(
        headers.get(CONTENT_LENGTH).map(|size| size.to_str().unwrap().to_owned()),
        Some(body.len().to_string())
    );
    assert!(body.len() < 1000, "{}", body.len());
    assert_eq!(unpacked(&body), text());
}

#[tokio::test]
async fn streams_small_bodies_failures_and_what_is_packed_are_left_alone() {
    type Case = (&'static str, Method, fn() -> Response);
    let cases: [Case; 6] = [
        ("small", Method::GET, || ([(CONTENT_TYPE, JSON)], "x".repeat(1023)).into_response()),
        ("no JSON", Method::GET, || ([(CONTENT_TYPE, STREAM)], "x".repeat(5000)).into_response()),
        ("stream", Method::GET, || {
            let chunks = futures::stream::iter([Ok::<_, std::io::Error>("x".repeat(5000))]);
            ([(CONTENT_TYPE, JSON)], Body::from_stream(chunks)).into_response()
        }),
        ("failure", Method::GET, || {
            let status = StatusCode::NOT_FOUND;
            (status, [(CONTENT_TYPE, JSON)], "x".repeat(5000)).into_response()
        }),
        ("packed", Method::GET, || {
            let headers = [(CONTENT_TYPE, JSON), (CONTENT_ENCODING, "br")];
            (headers, "x".repeat(5000)).into_response()
        }),
        ("change", Method::POST, || ([(CONTENT_TYPE, JSON)], "x".repeat(5000)).into_response()),
    ];
    for (what, method, respond) in cases {
        let response = ask(method, respond).await;
        let coding = response.headers().get(CONTENT_ENCODING);
        assert!(coding.is_none_or(|coding| coding == "br"), "{what}");
        let body = to_bytes(response.into_body(), MAX_SIZE).await.unwrap();
        assert!(body.iter().all(|byte| *byte == b'x'), "{what}");
    }
}

#[tokio::test]
async fn what_a_client_has_already_is_not_sent_again() {
    let first = tagged(&HeaderMap::new(), b"{}".to_vec());
    let tag = first.headers()[ETAG].clone();
    assert_eq!((first.status(), &tag.to_str().unwrap()[..3]), (StatusCode::OK, "W/\""));
    let knows = HeaderMap::from_iter([(IF_NONE_MATCH, tag.clone())]);
    let same = tagged(&knows, b"{}".to_vec());
    assert_eq!((same.status(), &same.headers()[ETAG]), (StatusCode::NOT_MODIFIED, &tag));
    assert!(to_bytes(same.into_body(), MAX_SIZE).await.unwrap().is_empty());
    let other = tagged(&knows, b"[]".to_vec());
    assert_eq!(other.status(), StatusCode::OK);
    assert_ne!(other.headers()[ETAG], tag);
}
