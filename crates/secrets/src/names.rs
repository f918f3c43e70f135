//! Which names are those of secrets: `API_KEY` is one, `KEY_FILE` and `MONKEY` are none.

/// Words that make a name that of a secret.
const SECRET: &[&str] = &[
    "apikey",
    "apitoken",
    "authorization",
    "authtoken",
    "bearer",
    "cookie",
    "cred",
    "credential",
    "credentials",
    "creds",
    "jwt",
    "key",
    "keys",
    "passcode",
    "passphrase",
    "pass",
    "passwd",
    "password",
    "passwords",
    "pat",
    "privatekey",
    "psk",
    "pw",
    "pwd",
    "salt",
    "secret",
    "secretkey",
    "secrets",
    "signature",
    "token",
    "tokens",
];

/// Last words that say that a name is about a secret and not one: `TOKEN_URL`, `KEY_FILE`.
const ABOUT: &[&str] = &[
    "alg",
    "algorithm",
    "count",
    "dir",
    "domain",
    "email",
    "enabled",
    "endpoint",
    "expiration",
    "expires",
    "expiry",
    "file",
    "folder",
    "format",
    "header",
    "host",
    "id",
    "ids",
    "issuer",
    "length",
    "mode",
    "name",
    "path",
    "port",
    "prefix",
    "provider",
    "public",
    "region",
    "scope",
    "scopes",
    "size",
    "sock",
    "socket",
    "suffix",
    "timeout",
    "ttl",
    "type",
    "uri",
    "url",
    "user",
    "username",
    "version",
];

/// Whether something of this name is a secret: of a variable, a field, a header.
pub fn is_named_secret(name: &str) -> bool {
    let words = words(name);
    let Some(last) = words.last() else { return false };
    // `AUTH_MODE` and a thousand others are none.
    last == "auth"
        || !ABOUT.contains(&last.as_str())
            && !words.iter().any(|word| word == "public")
            && words.iter().any(|word| SECRET.contains(&word.as_str()))
}

/// `dbPassword`, `DB_PASSWORD` and `db.password` are two words each.
fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut was_small = false;
    for letter in name.chars() {
        let begins = letter.is_ascii_uppercase() && was_small;
        if (begins || !letter.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if letter.is_alphanumeric() {
            word.push(letter.to_ascii_lowercase());
        }
        was_small = letter.is_ascii_lowercase() || letter.is_ascii_digit();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_told_from_names_about_them() {
        for name in [
            "API_KEY",
            "apiKey",
            "DB_PASSWORD",
            "db.password",
            "_authToken",
            "npm_config__auth",
            "KEY",
            "STRIPE_SECRET_KEY_2",
            "X-Auth-Token",
            "pass",
        ] {
            assert!(is_named_secret(name), "{name}");
        }
        for name in [
            "",
            "PATH",
            "MONKEY",
            "KEYBOARD",
            "SSH_AUTH_SOCK",
            "TOKEN_URL",
            "PUBLIC_KEY",
            "NEXT_PUBLIC_MAPS_KEY",
            "AUTH_MODE",
            "KEY_FILE",
            "COMPASS",
            "GIT_ASKPASS",
            "DATABASE_URL",
        ] {
            assert!(!is_named_secret(name), "{name}");
        }
    }
}
