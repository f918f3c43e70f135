//! Which addresses are served, and for which host a credential would be asked.

use super::*;

#[test]
fn addresses_tell_the_host_a_credential_is_for() {
    let cases = [
        ("https://example.org/a/b.git", Some(("https", "example.org")), Some("example.org")),
        ("http://127.0.0.1:80/x", Some(("http", "127.0.0.1:80")), Some("127.0.0.1:80")),
        ("https://me@example.org/x", Some(("https", "example.org")), Some("example.org")),
        ("https://a@b@example.org", Some(("https", "example.org")), Some("example.org")),
        ("https://example.org?@evil.org/", Some(("https", "example.org")), Some("example.org")),
        ("ssh://git@example.org:22/x", None, Some("example.org:22")),
        ("git@example.org:a/b", None, Some("example.org")),
        ("file:///srv/x", None, Some("")),
        ("/srv/x", None, None),
        ("../x", None, None),
    ];
    for (text, web, host) in cases {
        let url = Url::parse(text, Path::new("/top")).unwrap();
        let found = url.web.as_ref().map(|web| (web.protocol.as_str(), web.host.as_str()));
        assert_eq!((found, url.host()), (web, host), "{text}");
    }
}

#[test]
fn a_name_in_an_address_is_not_shown() {
    let url = Url::parse("https://token@example.org/x", Path::new("/top")).unwrap();
    assert_eq!(url.shown, "https://example.org/x");
}

#[test]
fn paths_are_meant_from_the_top() {
    let parse = |text: &str| Url::parse(text, Path::new("/top")).unwrap().text;
    assert_eq!([parse("x"), parse("../x"), parse("/x")], ["/top/x", "/top/../x", "/x"]);
}

#[test]
fn dangerous_addresses_are_refused() {
    for text in ["https://me:pw@example.org/x", "http://:pw@example.org/x"] {
        assert_eq!(Url::parse(text, Path::new("/")), Err(GitError::CredentialInUrl), "{text}");
    }
    for text in [
        "",
        "-x",
        "--upload-pack=x",
        "a\nb",
        "ext::sh -c x",
        "git://example.org/x",
        "HTTPS://example.org/x",
        "https:///x",
        "https://example%2eorg/x",
        "ssh://-oProxyCommand=x/y",
        "-oProxyCommand=x:y",
        "me@-oProxyCommand=x:y",
    ] {
        let outcome = Url::parse(text, Path::new("/"));
        assert!(matches!(outcome, Err(GitError::BadUrl { .. })), "{text}: {outcome:?}");
    }
}
