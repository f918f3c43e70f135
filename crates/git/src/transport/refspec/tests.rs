//! Which settings are served, and how names are changed by them.

use super::*;

#[test]
fn names_of_a_remote_have_a_place_here() {
    let usual = Refspec::usual("origin");
    assert_eq!(Refspec::parse("+refs/heads/*:refs/remotes/origin/*"), Ok(usual.clone()));
    assert_eq!(usual.target_of("refs/heads/a/b").as_deref(), Some("refs/remotes/origin/a/b"));
    assert_eq!(usual.target_of("refs/tags/x"), None);
    assert_eq!(usual.for_relay("refs/x/"), "+refs/heads/*:refs/x/remotes/origin/*");
    assert!(usual.keeps("refs/remotes/origin/a") && !usual.keeps("refs/remotes/other/a"));

    let one = Refspec::parse("refs/heads/a:refs/remotes/origin/b").unwrap();
    assert_eq!(one.target_of("refs/heads/a").as_deref(), Some("refs/remotes/origin/b"));
    assert_eq!(one.target_of("refs/heads/ab"), None);

    let not = Refspec::parse("^refs/heads/secret/*").unwrap();
    assert_eq!(not.for_relay("refs/x/"), "^refs/heads/secret/*");
    assert_eq!((not.target_of("refs/heads/secret/x"), not.keeps("")), (None, false));
}

#[test]
fn settings_that_would_change_other_references_are_refused() {
    for text in [
        "",
        "--upload-pack=x",
        "+refs/heads/*:refs/heads/*",
        "refs/heads/main",
        "HEAD:refs/remotes/origin/x",
        "refs/heads/*:refs/remotes/origin/x",
        "refs/heads/a b:refs/remotes/origin/a b",
        "refs/heads/x:refs/remotes/../heads/x",
    ] {
        assert!(Refspec::parse(text).is_err(), "{text}");
    }
}
