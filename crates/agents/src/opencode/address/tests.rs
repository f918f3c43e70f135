//! Which addresses are taken.

use pretty_assertions::assert_eq;

use super::*;

fn refusal(url: &str) -> String {
    Address::new(url, "/project").unwrap_err().to_string()
}

#[test]
fn an_address_is_a_host_and_a_port() {
    let address = Address::new("http://127.0.0.1:4096/", "/project").unwrap();
    assert_eq!((address.url(), &*address.authority), ("http://127.0.0.1:4096", "127.0.0.1:4096"));
    let address = Address::new("http://[::1]:4096", "/project").unwrap();
    assert_eq!((address.url(), &*address.authority), ("http://[::1]:4096", "[::1]:4096"));
    let address = Address::new("http://machine", "/project").unwrap();
    assert_eq!((address.url(), &*address.authority), ("http://machine", "machine:80"));
}

#[test]
fn what_is_no_plain_address_is_refused_with_the_reason() {
    for (url, reason) in [
        ("https://127.0.0.1:4096", "https is not spoken here"),
        ("127.0.0.1:4096", "it begins with http://"),
        ("http://", "a host and a port"),
        ("http://me:secret@127.0.0.1", "does not belong into it"),
        ("http://127.0.0.1:4096/path", "a host and a port"),
        ("http://127.0.0.1:4096\r\nx: y", "a host and a port"),
    ] {
        assert!(refusal(url).contains(reason), "{url}: {}", refusal(url));
    }
    assert!(Address::new("http://a:1", "here").unwrap_err().to_string().contains("absolute path"));
}

#[test]
fn a_password_is_sent_and_never_shown() {
    let address = Address::new("http://127.0.0.1:4096", "/project").unwrap();
    let address = address.with_password(None, "swordfish");
    assert_eq!(address.authorization.as_deref(), Some("Basic b3BlbmNvZGU6c3dvcmRmaXNo"));
    let shown = format!("{address:?}");
    assert!(!shown.contains("swordfish") && !shown.contains("b3Blb"), "{shown}");
}

#[test]
fn names_in_paths_are_encoded_and_read_again() {
    assert_eq!(encoded("/a b/ü?#"), "%2Fa%20b%2F%C3%BC%3F%23");
    assert_eq!(decoded("%2Fa%20b%2F%C3%BC%3F%23"), "/a b/ü?#");
    assert_eq!(decoded("100%, %zz, %F"), "100%, %zz, %F");
}
