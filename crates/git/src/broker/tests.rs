//! The credential broker.

use std::os::unix::fs::PermissionsExt as _;

use super::*;

fn wanted(protocol: &str, host: &str, path: &str, username: Option<&str>) -> CredentialRequest {
    CredentialRequest {
        protocol: protocol.into(),
        host: host.into(),
        path: path.into(),
        username: username.map(Into::into),
    }
}

fn credential(username: &str, password: &str) -> Credential {
    Credential { username: username.into(), password: password.into() }
}

const FILE: &str = "\
# tokens
https://bot:t%40ken@git.example/team
https://other:second@git.example
http://local:third@127.0.0.1:8080
nonsense
";

#[test]
fn a_line_answers_for_its_protocol_host_path_and_user_only() {
    for (request, expected) in [
        (wanted("https", "git.example", "team/app.git", None), Some(credential("bot", "t@ken"))),
        (
            wanted("https", "git.example", "teams/app.git", None),
            Some(credential("other", "second")),
        ),
        (wanted("https", "git.example", "x", Some("other")), Some(credential("other", "second"))),
        (wanted("https", "git.example", "x", Some("stranger")), None),
        (wanted("http", "git.example", "team/app.git", None), None),
        (wanted("http", "127.0.0.1:8080", "a.git", None), Some(credential("local", "third"))),
        (wanted("http", "127.0.0.1:8081", "a.git", None), None),
        (wanted("https", "git.example.evil", "team/app.git", None), None),
    ] {
        assert_eq!(look_up(FILE, &request), expected, "{request:?}");
    }
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the person's own file, in no workspace")]
async fn a_file_that_others_may_read_is_not_used() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens");
    std::fs::write(&path, FILE).unwrap();
    let broker = Broker::new(Source::File(path.clone()), Vec::new());
    let request = wanted("http", "127.0.0.1:8080", "a.git", None);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(broker.find(&request).await, None);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(broker.find(&request).await, Some(credential("local", "third")));
}

#[tokio::test]
async fn a_command_is_told_what_is_wanted_and_answers_in_gits_words() {
    let command =
        "read -r a; read -r b; printf 'username=%s\\npassword=%s-%s\\n' \"$NAME\" \"$a\" \"$b\"";
    let broker = Broker::new(Source::Command(command.into()), vec![("NAME".into(), "bot".into())]);
    let answer = broker.find(&wanted("https", "git.example", "a.git", None)).await;
    assert_eq!(answer, Some(credential("bot", "protocol=https-host=git.example")));
}

#[tokio::test]
async fn a_command_that_fails_or_says_nothing_of_use_has_no_credential() {
    for command in ["exit 1", "echo username=bot", "printf 'username=a\\npassword=b\\n'; exit 3"] {
        let broker = Broker::new(Source::Command(command.into()), Vec::new());
        assert_eq!(broker.find(&wanted("https", "h", "", None)).await, None, "{command}");
    }
}
