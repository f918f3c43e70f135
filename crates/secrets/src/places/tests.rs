//! What is hidden, what is left alone, and what holds for every text.

use std::time::{Duration, Instant};

use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;

#[test]
fn the_rules_can_be_read() {
    for rule in rules() {
        Regex::new(&format!("(?is){rule}")).unwrap();
    }
    assert!(RULES.is_some());
}

#[test]
fn secrets_are_hidden_and_what_they_are_is_still_seen() {
    let letters = "abcDEF0123456789abcDEF0123456789abcd";
    for (text, masked) in [
        ("git clone https://user:pass@host/x.git", "git clone https://***@host/x.git"),
        ("https://ghp_token@github.com", "https://***@github.com"),
        ("postgres://me:p%40ss@db:5432/app", "postgres://***@db:5432/app"),
        ("curl -H 'Authorization: Bearer abc.def'", "curl -H 'Authorization: Bearer ***'"),
        ("curl -H \"authorization: Basic dXNlcg==\" x", "curl -H \"authorization: Basic ***\" x"),
        ("{\"Authorization\": \"Custom a b\"}", "{\"Authorization\": \"***\"}"),
        ("use Bearer abcdefgh12", "use Bearer ***"),
        ("curl -H \"X-Api-Key: k1 23\" url", "curl -H \"X-Api-Key: *** 23\" url"),
        ("X-Auth-Token: zzz", "X-Auth-Token: ***"),
        ("login?user=me&password=hunter2&next=/", "login?user=me&password=***&next=/"),
        ("gh auth --token abc run", "gh auth --token *** run"),
        ("mysql --password=a,b{c} db", "mysql --password=*** db"),
        ("x --client-secret 'two words' y", "x --client-secret *** y"),
        ("FOO_TOKEN=abc cmd", "FOO_TOKEN=*** cmd"),
        (
            "export AWS_SECRET_ACCESS_KEY=\"a b\\\" c\" && ls",
            "export AWS_SECRET_ACCESS_KEY=*** && ls",
        ),
        ("DB_PASSWD='it is' DB_HOST=x", "DB_PASSWD=*** DB_HOST=x"),
        ("PASSWORD=ab\"cd\"'ef'\\ gh ls", "PASSWORD=*** ls"),
        ("MY_PRIVATE_KEY=\"never closed", "MY_PRIVATE_KEY=***"),
        ("MY_API_KEY = 'x'", "MY_API_KEY = ***"),
        ("{\"access_key\": \"abc\", \"n\": 1}", "{\"access_key\": *** \"n\": 1}"),
        ("credentials: abc", "credentials: ***"),
        ("curl -u me:secret https://x", "curl -u me:*** https://x"),
        (&format!("ghp_{letters}"), "ghp_***"),
        (&format!("push gho_{letters}."), "push gho_***."),
        (&format!("github_pat_11_{letters}"), "github_pat_***"),
        (&format!("glpat-{letters}"), "glpat-***"),
        (&format!("sk-{letters}"), "sk-***"),
        (&format!("sk-ant-api03-{letters}"), "sk-ant-***"),
        ("xoxb-12345-67890-abc", "xoxb-***"),
        ("AKIAIOSFODNN7EXAMPLE", "AKIA***"),
        (&format!("npm_{letters}"), "npm_***"),
        (&format!("AIza{letters}"), "AIza***"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVP end", "eyJ*** end"),
        (
            "a -----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- b",
            "a -----BEGIN RSA PRIVATE KEY*** b",
        ),
        ("-----BEGIN PRIVATE KEY-----\nMIIE", "-----BEGIN PRIVATE KEY***"),
    ] {
        assert_eq!(mask(text), masked);
    }
}

#[test]
fn ordinary_texts_are_left_alone_and_not_copied() {
    for text in [
        "",
        "read src/main.rs",
        "open a.rs at line 12",
        "write notes/tokens.md (19 bytes)",
        "unexpected token: expected `}`",
        "argument `token`: must not be empty",
        "see https://example.com/a@b?x=1#y",
        "git@github.com:me/task-list-of-many-words.git",
        "npm_config_registry is set",
        "the password is wrong",
        "größer 日本語 🎈",
    ] {
        assert!(
            matches!(mask(text), Cow::Borrowed(same) if same == text),
            "{text}: {}",
            mask(text)
        );
    }
}

#[test]
fn a_long_text_takes_no_longer_than_its_length_says() {
    for piece in [
        "password=",
        "eyJ",
        "eyJaaaaaa.",
        "://",
        "://a",
        "-----BEGIN PRIVATE KEY-----",
        "\"",
        "\\",
        "--token ",
        "token",
        "authorization: ",
        "a_",
        "ghp_",
        "-u a",
        "token=\"\\",
        "bearer ",
    ] {
        let text = piece.repeat(400_000 / piece.len());
        let started = Instant::now();
        let masked = mask(&text);
        let taken = started.elapsed();
        assert!(masked.len() <= text.len() + 3 * MASK.len() * text.len());
        // Quadratic time would be minutes.
        assert!(taken < Duration::from_secs(10), "{piece:?}: {taken:?}");
    }
}

/// Texts made of what the rules look for, so that they meet each other in every order.
fn crowded() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("password="),
        Just("token: "),
        Just("--token "),
        Just("Authorization: "),
        Just("Bearer "),
        Just("https://"),
        Just("u:p"),
        Just("@"),
        Just("\""),
        Just("'"),
        Just("\\"),
        Just(" "),
        Just("\n"),
        Just("&"),
        Just("="),
        Just(":"),
        Just("***"),
        Just("/"),
        Just("é"),
        Just("-u "),
        Just("ghp_0123456789abcdefghij"),
        Just("sk-0123456789abcdefghij"),
        Just("x-api-key"),
        Just("-----BEGIN PRIVATE KEY-----"),
        Just("-----END PRIVATE KEY-----"),
        Just("eyJabcdef"),
        Just(".abcdef"),
        Just("AKIA0123456789ABCDEF"),
        Just("_"),
        Just("-"),
        Just("日"),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn masking_twice_is_masking_once(text in crowded()) {
        let once = mask(&text).into_owned();
        let twice = mask(&once).into_owned();
        prop_assert_eq!(once, twice);
    }

    #[test]
    fn any_text_can_be_masked(text in any::<String>()) {
        let once = mask(&text).into_owned();
        let twice = mask(&once).into_owned();
        prop_assert_eq!(once, twice);
    }

    #[test]
    fn no_assigned_secret_is_left(
        before in "[ -~]{0,20}[ ;]",
        name in "[A-Z_]{0,6}(TOKEN|SECRET|PASSWORD|PASSWD|API_KEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIAL)[A-Z_]{0,6}",
        after in "( [ -~]{0,20})?",
    ) {
        let secret = "q7Zk9vXw2";
        let masked = mask(&format!("{before}{name}={secret}{after}")).into_owned();
        prop_assert!(!masked.contains(secret), "{}", masked);
    }
}
