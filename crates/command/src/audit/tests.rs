//! What a record keeps of a call.

use pretty_assertions::assert_eq;

use super::*;
use crate::{CallerKind, ErrorKind};

fn begun() -> Record {
    begin(&Masker::default(), 7, Caller::new(CallerKind::Agent, "tester", Some("s1")), "log.write")
}

#[test]
fn a_record_holds_no_secret_in_any_of_its_texts() {
    let secret = "FOO_TOKEN=abc";
    let mut record = begin(&Masker::default(), 7, begun().caller, secret);
    describe(&Masker::default(), &mut record, secret, Some(secret), &[secret.into()]);
    let_in(&Masker::default(), &mut record, Some(secret));
    fail(&Masker::default(), &mut record, &Error::denied(secret));
    let masked = "FOO_TOKEN=***".to_owned();
    let expected = Record {
        command: masked.clone(),
        workspace: Some(masked.clone()),
        summary: masked.clone(),
        paths: vec![masked.clone()],
        let_in: Some(masked.clone()),
        outcome: Outcome::Failed(ErrorKind::Denied),
        error: Some(masked),
        ..begun()
    };
    assert_eq!(record, expected);
}

#[test]
fn texts_are_on_one_line_and_bounded() {
    let mut record = begun();
    let paths = vec!["a/".repeat(1_000); 50];
    describe(
        &Masker::default(),
        &mut record,
        &format!("a\nb{}", "é".repeat(100_000)),
        None,
        &paths,
    );
    assert_eq!(record.summary, "a…", "one word without an end may be one secret without an end");
    describe(
        &Masker::default(),
        &mut record,
        &format!("a\nb {}", "é ".repeat(100_000)),
        None,
        &paths,
    );
    assert_eq!(record.summary.chars().count(), MAX_TEXT + 1);
    assert!(record.summary.starts_with("a b é") && record.summary.ends_with('…'));
    assert_eq!((record.paths.len(), record.paths[0].chars().count()), (MAX_PATHS, MAX_TEXT + 1));
}

#[test]
fn a_secret_at_the_cut_is_not_let_through() {
    for before in MAX_LOOKED_AT - 30..MAX_LOOKED_AT + 5 {
        let pem = "-----BEGIN PRIVATE KEY-----";
        let end = "-----END PRIVATE KEY-----";
        let filler = "x".repeat(before - pem.len() - end.len());
        let text = format!("{pem}{filler}{end} ghp_0123456789abcdefghijklmnop rest");
        let mut record = begun();
        describe(&Masker::default(), &mut record, &text, None, &[]);
        assert!(!record.summary.contains("0123"), "{}", record.summary);
    }
}

#[test]
fn paths_have_one_spelling() {
    let mut record = begun();
    let typed = ["./src//a.rs", "", "./", "/etc/passwd", "../up", "b/"].map(String::from);
    describe(&Masker::default(), &mut record, "", None, &typed);
    assert_eq!(record.paths, ["src/a.rs", ".", ".", "/etc/passwd", "../up", "b"]);
}
