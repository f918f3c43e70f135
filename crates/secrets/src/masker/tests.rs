//! What is hidden, as what, and what holds for every text.

mod fuzz;

use std::sync::Arc;

use pretty_assertions::assert_eq;

use super::*;
use crate::Stream;

const ROLLED: &str = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLa1B2c3";
const HEX: &str = "9f86d081884c7d659a2feaa0c55ad015";

fn masker() -> Masker {
    Masker::new(&[
        Value::new("AWS_KEY of .env", ROLLED),
        Value::new("SESSION of .env", HEX),
        Value::new("PASSWORD of .env", "it's mine & 1$"),
        Value::new("password for example.com", "swordfish"),
        Value::new("TOO_SHORT of .env", "abcde"),
        Value::new("COMMON of .env", "Localhost"),
        Value::new("swordfish of .env", "another1"),
    ])
}

#[test]
fn known_values_are_hidden_with_their_name_whatever_surrounds_them() {
    let masker = masker();
    assert_eq!(masker.known(), 5);
    for (text, masked, count) in [
        ("abcde localhost Localhost", "abcde localhost Localhost", 0),
        ("xswordfishx", "x⟨secret password for example.com⟩x", 1),
        (
            &format!("AWS={ROLLED}\n{ROLLED}"),
            "AWS=⟨secret AWS_KEY of .env⟩\n⟨secret AWS_KEY of .env⟩",
            2,
        ),
        ("'it's mine & 1$'", "'⟨secret PASSWORD of .env⟩'", 1),
        ("a another1 b", "a ⟨secret⟩ b", 1),
        ("größer swordfish 日本", "größer ⟨secret password for example.com⟩ 日本", 1),
    ] {
        assert_eq!(masker.mask(text), Masked { text: Cow::Borrowed(masked), count });
    }
}

#[test]
fn what_holds_no_secret_is_not_copied() {
    assert!(matches!(masker().mask("ordinary text").text, Cow::Borrowed("ordinary text")));
}

#[test]
fn encoded_values_are_hidden() {
    let masker = masker();
    for (form, value) in [
        // base64 of `user:`, `x=` and nothing before the value.
        ("dXNlcjpzd29yZGZpc2g=", "swordfish"),
        ("eD1zd29yZGZpc2gK", "swordfish"),
        ("c3dvcmRmaXNoCg==", "swordfish"),
        ("73776f726466697368", "swordfish"),
        ("73776F726466697368", "swordfish"),
        ("it%27s%20mine%20%26%201%24", "PASSWORD"),
        ("it's%20mine%20%26%201%24", "PASSWORD"),
        (r"it'\''s mine & 1$", "PASSWORD"),
        (r"it\'s\ mine\ \&\ 1\$", "PASSWORD"),
        (r"it's mine & 1\$", "PASSWORD"),
        (r"it's mine \u0026 1$", "PASSWORD"),
    ] {
        let text = format!("<<{form}>>");
        assert_eq!(masker.mask(&text).count, 1, "{value}: {}", masker.mask(&text).text);
    }
}

#[test]
fn a_value_that_was_cut_is_hidden_as_far_as_it_goes() {
    let masker = masker();
    let label = "⟨secret AWS_KEY of .env⟩";
    let (head, tail) = ROLLED.split_at(20);
    for (text, masked) in [
        (format!("{head}… [cut]"), format!("{label}… [cut]")),
        (format!("…{tail} end"), format!("…{label} end")),
        (format!("{head}\n{tail}"), format!("{label}\n{label}")),
        (format!("  {}", &ROLLED[..8]), format!("  {label}")),
        (ROLLED[..7].to_owned(), ROLLED[..7].to_owned()),
    ] {
        assert_eq!(masker.mask(&text).text, masked);
    }
}

#[test]
fn tokens_are_known_by_their_form() {
    let letters = "abcDEF0123456789abcDEF0123456789abcd";
    let key =
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEAn2Z\nZZZZ\n-----END RSA PRIVATE KEY-----";
    for (text, masked) in [
        (format!("ghp_{letters} x"), "ghp_⟨secret⟩ x".to_owned()),
        (format!("push=gho_{letters}."), "push=gho_⟨secret⟩.".into()),
        (format!("sk-ant-api03-{letters}"), "sk-⟨secret⟩".into()),
        ("AKIAIOSFODNN7EXAMPLE".into(), "AKIA⟨secret⟩".into()),
        (format!("AIza{letters}"), "AIza⟨secret⟩".into()),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVP end".into(), "eyJ⟨secret⟩ end".into()),
        (format!("Authorization: Bearer {letters}"), "Authorization: Bearer ⟨secret⟩".into()),
        (
            "authorization: Basic dXNlcjpwYXNzd29yZA==".into(),
            "authorization: Basic ⟨secret⟩".into(),
        ),
        (
            "http://127.0.0.1:3000/open?code=0123456789abcdef0123456789abcdef\n".into(),
            "http://127.0.0.1:3000/open?code=⟨secret⟩\n".into(),
        ),
        (
            "http://[::1]:3000/approve?code=0123456789abcdef0123456789abcdef".into(),
            "http://[::1]:3000/approve?code=⟨secret⟩".into(),
        ),
        ("https://me:s3cr3tpw@host/x".into(), "https://me:⟨secret⟩@host/x".into()),
        (key.into(), "-----BEGIN RSA PRIVATE KEY-----⟨secret⟩-----END RSA PRIVATE KEY-----".into()),
        (
            key.replace('\n', "\\n"),
            "-----BEGIN RSA PRIVATE KEY-----⟨secret⟩-----END RSA PRIVATE KEY-----".into(),
        ),
    ] {
        assert_eq!(Masker::default().mask(&text).text, masked);
    }
}

#[test]
fn words_about_tokens_are_left_alone() {
    for text in [
        "const token = getToken();",
        "password: String,",
        "let key = \"-----BEGIN PRIVATE KEY-----\"; // and then\nlet other = 1;",
        "r\"(-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?)-----.*?\"",
        "https://${USER}:${PASSWORD}@host",
        "postgres://postgres:postgres@localhost:5432/app",
        "https://user:password@host, http://a:b@c",
        ".sk-fading-circle-child .sk-loading",
        "task-list-of-many-words-that-go-on",
        "monkeyJournal.entries keyJoining.somethingLong",
        "npm_config_registry=https://registry.example.com/",
        "Bearer authentication is needed; bearer tokens-of-some-kind",
        "git@github.com:me/x.git",
        "ghp_short",
        "GET /open?code=… opens the space once; /approve?code=CODE asks",
    ] {
        assert_eq!(Masker::default().mask(text), Masked { text: Cow::Borrowed(text), count: 0 });
    }
}

#[test]
fn a_record_hides_places_too_and_names_what_it_knows() {
    let masker = masker();
    for (text, masked) in [
        ("curl --token abc example.com", "curl --token *** example.com"),
        ("echo swordfish", "echo ⟨secret password for example.com⟩"),
        ("DB_PASSWORD=swordfish x", "DB_PASSWORD=*** x"),
        ("-u swordfish:pw x", "-u ⟨secret password for example.com⟩:*** x"),
    ] {
        assert_eq!(masker.mask_record(text), masked);
        assert_eq!(masker.mask_record(masked), masked);
    }
}

#[test]
fn the_words_that_stand_for_a_secret_are_known_again() {
    let masker = masker();
    let read = masker.mask("key = swordfish").text.into_owned();
    assert_eq!(masker.find_mask(&read), Some("⟨secret password for example.com⟩"));
    assert_eq!(masker.find_mask("ghp_⟨secret⟩ x"), Some("⟨secret⟩"));
    for text in ["⟨secret NAME of FILE⟩", "a ⟨b", "***", ""] {
        assert_eq!(masker.find_mask(text), None);
    }
}

#[test]
fn a_name_that_holds_a_secret_is_not_said() {
    let masker = Masker::new(&[
        Value::new("swordfish of .env", "cuttlefish"),
        Value::new("X of .env", "swordfish"),
        Value::new("PASSWORD of secret of", "secret of"),
    ]);
    assert_eq!(masker.mask("cuttlefish swordfish").text, "⟨secret⟩ ⟨secret X of .env⟩");
    assert_eq!(masker.mask("a secret of mine").text, "a ⟨secret⟩ mine");
}

#[test]
fn values_that_could_reach_into_a_mask_are_not_taken() {
    assert_eq!(
        Masker::new(&[Value::new("x", "⟨secret⟩abc"), Value::new("x", "a⟩bcdefg")]).known(),
        0
    );
}

#[test]
fn a_value_longer_than_any_line_is_hidden_in_pieces() {
    let long = (0..1_500).map(|number| format!("aB3{number:04}")).collect::<Vec<_>>().concat();
    let masked = Masker::new(&[Value::new("LONG of .env", &*long)]);
    let masked = masked.mask(&long).text;
    assert_eq!(masked, "⟨secret LONG of .env⟩".repeat(long.len().div_ceil(LONGEST)));
}

#[test]
fn printing_a_masker_says_how_much_it_knows() {
    assert_eq!(format!("{:?}", masker()), "Masker { known: 5, .. }");
}

/// What a stream makes of a text that comes in pieces of a size.
fn streamed(masker: &Arc<Masker>, text: &str, size: usize) -> (String, usize) {
    let mut stream = Stream::new(Arc::clone(masker));
    let mut told = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, more) = rest.split_at(rest.ceil_char_boundary(size.min(rest.len())));
        told.push_str(&stream.push(piece));
        rest = more;
    }
    told.push_str(&stream.finish());
    (told, stream.count())
}

#[test]
fn a_stream_hides_what_comes_in_pieces_and_holds_back_no_more_than_it_must() {
    let masker = Arc::new(masker());
    let mut stream = Stream::new(Arc::clone(&masker));
    assert_eq!(stream.push("nothing to see\nsword"), "nothing to see\n");
    assert_eq!(stream.push("fish and so on "), "⟨secret password for example.com⟩ and so on ");
    assert_eq!(stream.push(" sword"), " ");
    assert_eq!(stream.push("plot."), "swordplot.");
    assert_eq!(stream.push(" ghp_abcDEF0123456789abcDEF0123456789"), " ghp_⟨secret⟩");
    assert_eq!(stream.push("abcdef"), "");
    assert_eq!(stream.push("abc def"), " def");
    assert_eq!(stream.finish(), "");
    assert_eq!(stream.count(), 2);
    let text = format!("a {ROLLED} b\n{HEX}swordfish\u{e9}it's mine & 1$ https://me:s3cr3tpw@h");
    for size in 1..80 {
        let whole = masker.mask(&text);
        assert_eq!(
            streamed(&masker, &text, size),
            (whole.text.into_owned(), whole.count),
            "{size}"
        );
    }
}
