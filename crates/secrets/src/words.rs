//! Which words are too common to be secrets, and which look as if nobody had made them up.

/// Values that say nothing although they stand where a secret could.
const COMMON: &[&str] = &[
    "absent",
    "admin123",
    "administrator",
    "changeit",
    "changeme",
    "development",
    "disabled",
    "docker",
    "enabled",
    "example",
    "foobar",
    "github",
    "gitlab",
    "google",
    "guest",
    "hunter2",
    "letmein",
    "localhost",
    "mariadb",
    "minioadmin",
    "mongodb",
    "nobody",
    "openspace",
    "optional",
    "passw0rd",
    "passwd",
    "password",
    "password1",
    "password123",
    "postgres",
    "postgresql",
    "private",
    "production",
    "public",
    "qwerty",
    "rabbitmq",
    "required",
    "sandbox",
    "secret",
    "secret123",
    "secrets",
    "staging",
    "string",
    "supersecret",
    "testing",
    "undefined",
    "unknown",
    "unused",
    "username",
    "warning",
];

/// Parts of words that people write where a secret is to be filled in.
const TO_BE_FILLED_IN: &[&str] =
    &["changeme", "change_me", "change-me", "example", "placeholder", "replace", "todo", "your"];

/// Fewer digits than this are a port, a date, an address or a size.
const FEW_DIGITS: usize = 12;

/// Whether a value is so common that hiding it would hide ordinary text.
pub(crate) fn is_common(text: &str) -> bool {
    let text = text.trim();
    let mut bytes = text.bytes();
    let first = bytes.next();
    if bytes.all(|byte| Some(byte) == first) {
        return true;
    }
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let has_letters = text.bytes().any(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii());
    if !has_letters && (0..FEW_DIGITS).contains(&digits) && digits > 0 {
        return true;
    }
    COMMON.binary_search(&text.to_ascii_lowercase().as_str()).is_ok()
}

/// Whether it stands for a value that is elsewhere or is still to come: `${TOKEN}`, `<your-key>`.
pub(crate) fn is_reference(text: &str) -> bool {
    let wrapped = |open: &str, close: &str| text.starts_with(open) && text.ends_with(close);
    let is_variable = text.strip_prefix('$').is_some_and(|name| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    });
    is_variable
        || wrapped("${", "}")
        || wrapped("$(", ")")
        || wrapped("{{", "}}")
        || wrapped("<", ">")
        || wrapped("%(", ")s")
        || is_plain(text) && {
            let small = text.to_ascii_lowercase();
            TO_BE_FILLED_IN.iter().any(|word| small.contains(word))
        }
}

/// Whether it is the path of a file.
pub(crate) fn is_path(text: &str) -> bool {
    ["/", "./", "../", "~/"].iter().any(|start| text.starts_with(start)) && is_plain(text)
}

/// Whether a value was rolled, not written: long enough, without blanks, not made of words and numbers.
pub(crate) fn looks_random(text: &str) -> bool {
    let long_enough = match text.len() {
        0..8 => false,
        8..16 => classes(text) >= 3,
        _ => true,
    };
    long_enough && !text.contains(char::is_whitespace) && !is_plain(text)
}

/// Whether it is made of words and numbers: `us-east-1`, `en_US.UTF-8`, `a/b.txt`.
fn is_plain(text: &str) -> bool {
    text.split(|letter: char| !letter.is_alphanumeric()).all(is_word)
}

/// A word, a number, a word with a number behind it, or too little to tell.
fn is_word(text: &str) -> bool {
    if text.chars().count() <= 4 || text.bytes().all(|byte| byte.is_ascii_digit()) {
        return true;
    }
    let letters = text.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let digits = text.len() - letters.len();
    let large = letters.chars().filter(|letter| letter.is_uppercase()).count();
    let count = letters.chars().count();
    // `MyRole` is written, `aBcDeF` is not.
    digits <= 4
        && letters.chars().all(char::is_alphabetic)
        && (large == count || 5 * large <= 2 * count)
}

/// How often the class of letters changes from one byte to the next.
pub(crate) fn changes(text: &[u8]) -> usize {
    text.windows(2).filter(|pair| class(pair[0]) != class(pair[1])).count()
}

fn classes(text: &str) -> usize {
    let mut seen = [false; 4];
    text.bytes().for_each(|byte| seen[class(byte)] = true);
    seen.into_iter().filter(|seen| *seen).count()
}

fn class(byte: u8) -> usize {
    match byte {
        b'a'..=b'z' | 0x80.. => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_can_be_searched() {
        assert!(COMMON.is_sorted());
    }

    #[test]
    fn what_is_common_hides_nothing() {
        for text in ["", "xxxxxxxx", "******", "3000", "127.0.0.1:5432", "2026-11-15", "Postgres"] {
            assert!(is_common(text), "{text}");
        }
        for text in ["hunter22", "4111 1111 1111 1111", "a1b2c3", "größer"] {
            assert!(!is_common(text), "{text}");
        }
    }

    #[test]
    fn words_and_numbers_are_told_from_what_was_rolled() {
        for text in [
            "us-east-1",
            "en_US.UTF-8",
            "claude-3-5-sonnet-20241022",
            "arn:aws:iam::123456789012:role/MyRole",
            "my-project@example.iam.gserviceaccount.com",
            "Europe/Berlin",
            "hunter22",
            "myProjectName",
            "a b c d e f g h i j 1",
        ] {
            assert!(!looks_random(text), "{text}");
        }
        for text in [
            "9f86d081884c7d659a2feaa0c55ad015",
            "550e8400-e29b-41d4-a716-446655440000",
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "SGVsbG8=",
            "aBcDeFgHiJkLmNoP",
        ] {
            assert!(looks_random(text), "{text}");
        }
    }

    #[test]
    fn what_stands_for_a_value_is_none() {
        for text in ["$TOKEN", "${TOKEN}", "{{ token }}", "<token>", "your-api-key-here"] {
            assert!(is_reference(text), "{text}");
        }
        for text in ["$ecret!", "a${b", "hunter22"] {
            assert!(!is_reference(text), "{text}");
        }
    }
}
