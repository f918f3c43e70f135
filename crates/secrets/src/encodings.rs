//! The forms in which a value is usually printed: as it is, and as encoders write it.

use std::fmt::Write as _;

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD},
};

/// An encoded form must have so many letters: shorter ones are in other texts by chance.
const SHORTEST: usize = 8;

/// All forms of a value, each once, the value itself first.
pub(crate) fn forms(value: &str) -> Vec<String> {
    let mut forms = vec![value.to_owned()];
    let mut add = |form: String| {
        if form.len() >= SHORTEST && !forms.contains(&form) {
            forms.push(form);
        }
    };
    for offset in 0..3 {
        let (standard, url_safe) = base64(value.as_bytes(), offset);
        add(standard);
        add(url_safe);
    }
    let mut hex = String::with_capacity(2 * value.len());
    value.bytes().for_each(|byte| {
        // Writing to a String cannot fail.
        let _ = write!(hex, "{byte:02x}");
    });
    add(hex.to_ascii_uppercase());
    add(hex);
    // What a browser leaves as it is, and what the standard does.
    for plain in ["-_.~!'()*", "-_.~", "-_.~/:"] {
        add(percent(value, plain));
    }
    add(json(value, false));
    add(json(value, true));
    add(value.replace('\'', r"'\''"));
    add(escaped(value, |letter| matches!(letter, '"' | '\\' | '$' | '`')));
    add(escaped(value, |letter| {
        letter.is_ascii() && !letter.is_ascii_alphanumeric() && !"_-.,/:=@%+".contains(letter)
    }));
    forms
}

/// What base64 makes of a value that stands so many bytes behind a whole group, whatever is around it: only
/// groups that are all of the value.
fn base64(value: &[u8], offset: usize) -> (String, String) {
    let inner = value.get((3 - offset) % 3..).unwrap_or_default();
    let inner = &inner[..inner.len() / 3 * 3];
    (STANDARD_NO_PAD.encode(inner), URL_SAFE_NO_PAD.encode(inner))
}

fn percent(value: &str, plain: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || plain.contains(char::from(byte)) {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

/// As in a string of JSON; some encoders also escape what HTML would misread.
fn json(value: &str, for_html: bool) -> String {
    let quoted = serde_json::Value::from(value).to_string();
    let inner = &quoted[1..quoted.len() - 1];
    if !for_html {
        return inner.to_owned();
    }
    inner.replace('&', "\\u0026").replace('<', "\\u003c").replace('>', "\\u003e")
}

fn escaped(value: &str, is_special: impl Fn(char) -> bool) -> String {
    let mut text = String::with_capacity(value.len());
    for letter in value.chars() {
        if is_special(letter) {
            text.push('\\');
        }
        text.push(letter);
    }
    text
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn a_value_has_the_forms_that_encoders_give_it() {
        assert_eq!(
            forms("it's \"a\" & 1$"),
            [
                "it's \"a\" & 1$",
                "aXQncyAiYSIgJiAx",
                "J3MgImEiICYg",
                "dCdzICJhIiAmIDEk",
                "697427732022612220262031 24".replace(' ', "").as_str(),
                "it's%20%22a%22%20%26%201%24",
                "it%27s%20%22a%22%20%26%201%24",
                "it's \\\"a\\\" & 1$",
                "it's \\\"a\\\" \\u0026 1$",
                r#"it'\''s "a" & 1$"#,
                "it's \\\"a\\\" & 1\\$",
                "it\\'s\\ \\\"a\\\"\\ \\&\\ 1\\$",
            ]
        );
        assert_eq!(forms("abcdef"), ["abcdef", "YWJjZGVm", "616263646566"]);
    }
}
