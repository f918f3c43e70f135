//! How requests for files are understood.

use axum::http::HeaderValue;
use pretty_assertions::assert_eq;

use super::*;

fn headers(name: HeaderName, value: &'static str) -> HeaderMap {
    HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
}

#[test]
fn a_client_gets_only_what_it_can_unpack() {
    for (list, brotli, gzip) in [
        ("gzip, deflate, br, zstd", true, true),
        ("gzip", false, true),
        ("GZIP;q=0.5", false, true),
        ("br;q=0, gzip;q=0.1", false, true),
        ("*", true, true),
        ("br;q=0, *", false, true),
        ("*;q=0", false, false),
        ("gzip ; q=0.0, br ;q=1.0", true, false),
        ("identity", false, false),
        ("brotli, x-gzip", false, false),
        ("", false, false),
    ] {
        let headers = headers(ACCEPT_ENCODING, list);
        let accepted = Coding::ALL.map(|coding| accepts(&headers, coding));
        assert_eq!(accepted, [brotli, gzip, true], "{list:?}");
    }
    assert_eq!(Coding::ALL.map(|coding| accepts(&HeaderMap::new(), coding)), [false, false, true]);
}

#[test]
fn what_a_client_has_is_not_sent_again() {
    for (list, known) in [
        ("\"a\"", true),
        ("W/\"a\"", true),
        ("\"b\", \"a\"", true),
        ("*", true),
        ("\"b\"", false),
        ("a", false),
    ] {
        assert_eq!(is_known(&headers(IF_NONE_MATCH, list), "\"a\""), known, "{list:?}");
    }
    assert!(!is_known(&HeaderMap::new(), "\"a\""));
}

#[test]
fn browsers_are_told_what_a_file_is() {
    for (name, expected) in [
        ("index.html", "text/html; charset=utf-8"),
        ("assets/a-12345678.js", "text/javascript; charset=utf-8"),
        ("assets/a-12345678.js.map", "application/json"),
        ("assets/onig.wasm", "application/wasm"),
        ("assets/codicon.ttf", "font/ttf"),
        ("favicon.svg", "image/svg+xml"),
        ("LICENSE", "application/octet-stream"),
    ] {
        assert_eq!(kind(name), expected, "{name}");
    }
}
