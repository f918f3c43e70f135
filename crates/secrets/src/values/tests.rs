//! Which values are found in which files, and which are not.

use pretty_assertions::assert_eq;

use super::*;

fn found(name: &str, text: &str) -> Vec<(String, String)> {
    let pair = |value: &Value| (value.called().to_owned(), value.text().to_owned());
    values_of(name, text.as_bytes()).iter().map(pair).collect()
}

fn texts(name: &str, text: &str) -> Vec<String> {
    found(name, text).into_iter().map(|(_, text)| text).collect()
}

#[test]
fn a_dotenv_file_tells_what_its_names_and_forms_say() {
    let text = "\
# comment
LOG_LEVEL=debug
NODE_ENV=production
PORT=3000
REGION=us-east-1
export API_KEY=plainkey # not this
DB_PASSWORD='it is # mine'
QUOTED_TOKEN=\"a\\\"b\\ncdef\"
#OLD_SECRET=wasinuse
REFERS_TO_TOKEN=${API_KEY}
KEY_FILE=/run/secrets/key
SESSION=9f86d081884c7d659a2feaa0c55ad015
HASH_TOKEN=a#bcdef
";
    assert_eq!(
        found("app/.env.local", text),
        [
            ("API_KEY of app/.env.local", "plainkey"),
            ("DB_PASSWORD of app/.env.local", "it is # mine"),
            ("QUOTED_TOKEN of app/.env.local", "a\\\"b\\ncdef"),
            ("QUOTED_TOKEN of app/.env.local", "a\"b\ncdef"),
            ("OLD_SECRET of app/.env.local", "wasinuse"),
            ("SESSION of app/.env.local", "9f86d081884c7d659a2feaa0c55ad015"),
            ("HASH_TOKEN of app/.env.local", "a#bcdef"),
        ]
        .map(|(called, text)| (called.to_owned(), text.to_owned()))
    );
}

#[test]
fn a_quoted_value_goes_on_over_lines_and_an_open_quote_holds_nothing_up() {
    let text = "A_SECRET=\"first line\nsecond line\" # end\nB_SECRET=behind\nC_SECRET='never closed\nD_SECRET=after it";
    assert_eq!(
        texts(".env", text),
        ["first line\nsecond line", "behind", "'never closed", "never closed", "after it"]
    );
}

#[test]
fn of_an_address_the_password_and_what_was_rolled_count() {
    let text = "\
DATABASE_URL=postgres://app:s3cr3t%40pw@db.example.com:5432/app
PLAIN_URL=https://api.example.com/v1/things
HOOK=https://hooks.example.com/services/T00000000/B00000000/aB3dE5fG7hJ9kL1mN2pQ4rS6
SIGNED=https://example.com/x?token=abcdefg&user=me
LOCAL=postgres://postgres:postgres@localhost/app
DSN=host=db;user=me;password=swordfish;port=1
";
    assert_eq!(
        texts(".env", text),
        [
            "s3cr3t%40pw",
            "s3cr3t@pw",
            "aB3dE5fG7hJ9kL1mN2pQ4rS6",
            "abcdefg",
            "postgres",
            "swordfish"
        ],
        "what is too common is left to the masker"
    );
}

const KEY: &str = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQC7\n-----END PRIVATE KEY-----\n";
const LINES: [&str; 2] = ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "BKcwggSjAgEAAoIBAQC7"];

#[test]
fn of_a_private_key_each_line_counts_and_of_a_certificate_none() {
    let certificate =
        "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuT\n-----END CERTIFICATE-----\n";
    assert_eq!(texts("tls/server.pem", &format!("{certificate}{KEY}")), {
        let mut lines = LINES.to_vec();
        lines.push("MIIDdzCCAl+gAwIBAgIEAgAAuT");
        lines
    });
}

#[test]
fn of_json_the_leaves_count() {
    let json = serde_json::json!({
        "type": "service_account",
        "project_id": "my-project-123",
        "private_key": KEY,
        "client": {"secrets": ["one two", "short"], "id": 123_456_789},
        "token_uri": "https://oauth2.example.com/token",
    });
    let mut expected = LINES.to_vec();
    expected.push("one two");
    assert_eq!(texts("credentials.json", &json.to_string()), expected);
}

#[test]
fn of_lines_the_values_of_names_and_long_words_count() {
    let text = "\
database:
  host: db.example.com
  password: \"swordfish\"   # old
  api_key: 'two words'
[auth]
token = \"abcdef\"
- secret: listed
machine example.com login me password netrcword
//registry.example.com/:_authToken=npmword
x wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY y
";
    assert_eq!(
        texts("secrets.yaml", text),
        [
            "swordfish",
            "two words",
            "abcdef",
            "listed",
            "netrcword",
            "npmword",
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
        ]
    );
}

#[test]
fn of_settings_only_what_is_called_like_a_secret_counts() {
    let texts = |text: &str| -> Vec<String> {
        values_of_settings(".npmrc", text.as_bytes())
            .iter()
            .map(|value| value.text().to_owned())
            .collect()
    };
    let npm = "registry=https://npm.example.com/\nsave-exact=true\n\
               //npm.example.com/:_authToken=npmword\n//b.example.com/:_authToken=${NPM_TOKEN}\n\
               ; _password=b2xkd29yZA==\nproxy=http://me:swordfish@proxy.example.com:8080/\n";
    assert_eq!(texts(npm), ["npmword", "b2xkd29yZA==", "swordfish"]);
    let checksum = "plugins:\n  - checksum: 9f86d081884c7d659a2feaa0c55ad0159f86d081884c7d65\n\
                    yarnPath: .yarn/releases/yarn-4.1.0.cjs\nnpmAuthToken: 9f86d081884c7d659a2f\n";
    assert_eq!(texts(checksum), ["9f86d081884c7d659a2f"]);
}

#[test]
fn a_variable_counts_when_its_name_or_its_password_says_so() {
    let texts = |name, value| -> Vec<String> {
        value_of_variable(name, value).iter().map(|value| value.text().to_owned()).collect()
    };
    assert_eq!(texts("GITHUB_TOKEN", "abcdefgh"), ["abcdefgh"]);
    assert_eq!(texts("HTTPS_PROXY", "http://me:swordfish@proxy:3128"), ["swordfish"]);
    assert_eq!(texts("PATH", "/usr/bin:/bin"), [""; 0]);
    assert_eq!(texts("SSH_AUTH_SOCK", "/run/user/1000/ssh"), [""; 0]);
    assert_eq!(texts("SOME_ID", "9f86d081884c7d659a2feaa0c55ad015"), [""; 0]);
}

#[test]
fn what_is_found_is_bounded() {
    let many = (0..2 * MAX_VALUES).map(|n| format!("K{n}_TOKEN=value{n:06}\n"));
    let many = many.collect::<Vec<_>>().concat();
    assert_eq!(values_of(".env", many.as_bytes()).len(), MAX_VALUES);
    assert_eq!(values_of(".env", &vec![b'a'; MAX_FILE + 1]), []);
    assert_eq!(values_of(".env", b"A_TOKEN=\xff\xfe\xfd\xfc\xfb\xfa"), []);
    let deep = format!("{}\"swordfish-12\"{}", "[".repeat(100), "]".repeat(100));
    assert_eq!(values_of("secrets.json", deep.as_bytes()), []);
}

#[test]
fn printing_a_value_says_its_name_alone() {
    let value = Value::new("API_KEY of\nmy-app/.env", "swordfish");
    assert_eq!(format!("{value:?}"), "Value { called: \"API_KEY of_my-app/.env\", .. }");
}
