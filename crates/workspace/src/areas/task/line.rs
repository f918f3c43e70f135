//! A task as a line for a shell: which words are quoted, and how.
//!
//! What is made here means the same to bash, zsh, dash and fish: words stand in single quotes, and what
//! single quotes do not hold alike (a quote, a backslash) stands outside of them.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A word of a task's command.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub(super) enum Word {
    /// As it is, unless it has blanks.
    Plain(String),
    /// In several pieces that are joined by blanks.
    Pieces(Vec<String>),
    /// With a word on how to quote it.
    Quoted {
        /// The word.
        value: OneOrMore,
        /// How it is quoted.
        quoting: Quoting,
    },
}

/// A text, or several that are joined by blanks.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub(super) enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl OneOrMore {
    fn text(&self) -> String {
        match self {
            Self::One(text) => text.clone(),
            Self::More(texts) => texts.join(" "),
        }
    }
}

/// How a word is quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Quoting {
    /// A backslash before each blank.
    Escape,
    /// In single quotes: nothing in it means anything.
    Strong,
    /// In double quotes: variables in it do.
    Weak,
}

impl Word {
    /// Its text, as it was written.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Plain(text) => text.clone(),
            Self::Pieces(pieces) => pieces.join(" "),
            Self::Quoted { value, .. } => value.text(),
        }
    }

    /// The same word with another text.
    pub(super) fn with(&self, text: String) -> Self {
        match self {
            Self::Plain(_) | Self::Pieces(_) => Self::Plain(text),
            Self::Quoted { quoting, .. } => {
                Self::Quoted { value: OneOrMore::One(text), quoting: *quoting }
            }
        }
    }

    /// For a shell, beside other words.
    fn shell(&self) -> String {
        let text = self.text();
        match self {
            Self::Quoted { quoting: Quoting::Strong, .. } => quoted(&text),
            Self::Quoted { quoting: Quoting::Weak, .. } => {
                format!("\"{}\"", text.replace('"', "\\\""))
            }
            Self::Quoted { quoting: Quoting::Escape, .. } => text.replace(' ', "\\ "),
            Self::Plain(_) | Self::Pieces(_) if text.is_empty() => "''".into(),
            Self::Plain(_) | Self::Pieces(_) => {
                let has_quotes = text.len() > 1
                    && ['"', '\''].iter().any(|it| text.starts_with(*it) && text.ends_with(*it));
                let is_one = has_quotes || !text.contains(char::is_whitespace);
                if is_one { text } else { quoted(&text) }
            }
        }
    }
}

/// What is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Program {
    /// The command, or a whole line for the shell when there are no arguments.
    pub(super) command: Word,
    /// Its arguments.
    pub(super) args: Vec<Word>,
    /// Whether a shell reads it; otherwise the words are the program's as they are.
    pub(super) by_shell: bool,
    /// Variables that it is given.
    pub(super) env: BTreeMap<String, String>,
}

impl Program {
    /// The line to type at the prompt of a shell.
    pub(super) fn line(&self, shell: &str) -> String {
        let mut words = Vec::new();
        if self.by_shell {
            words.push(match (&self.command, self.args.is_empty()) {
                (Word::Plain(text), true) => text.clone(),
                (command, _) => command.shell(),
            });
            words.extend(self.args.iter().map(Word::shell));
        } else {
            words.push(quoted(&self.command.text()));
            words.extend(self.args.iter().map(|word| quoted(&word.text())));
        }
        let line = words.join(" ");
        if self.env.is_empty() {
            return line;
        }
        let set = self.env.iter().map(|(name, value)| format!("{name}={}", quoted(value)));
        let set: Vec<String> = set.collect();
        // A line may have several commands, and the variables are for all of them.
        let line =
            if self.by_shell { format!("{} -c {}", quoted(shell), quoted(&line)) } else { line };
        format!("env {} {line}", set.join(" "))
    }
}

/// A word that any of the shells reads as it is.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "@%+=:,./_-".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    let mut line = String::with_capacity(word.len() + 2);
    line.push('\'');
    for letter in word.chars() {
        match letter {
            '\'' => line.push_str("'\\''"),
            '\\' => line.push_str("'\\\\'"),
            other => line.push(other),
        }
    }
    line.push('\'');
    line
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use serde_json::{Value, json};

    use super::*;

    fn line(by_shell: bool, command: Value, args: Value, env: &[(&str, &str)]) -> String {
        let env = env.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let command = serde_json::from_value(command).unwrap();
        let args = serde_json::from_value(args).unwrap();
        Program { command, args, by_shell, env }.line("/bin/bash")
    }

    #[test]
    fn a_line_for_the_shell_is_typed_as_it_is_written() {
        assert_eq!(line(true, json!("a && b | c"), json!([]), &[]), "a && b | c");
        let args = json!(["run", "two words", "'so'", "", "$X", {"value": "a b", "quoting": "weak"},
            {"value": "$X", "quoting": "strong"}, {"value": ["a", "b"], "quoting": "escape"}]);
        assert_eq!(
            line(true, json!("npm"), args, &[]),
            r#"npm run 'two words' 'so' '' $X "a b" '$X' a\ b"#
        );
    }

    #[test]
    fn the_words_of_a_process_mean_nothing_to_the_shell() {
        let args = json!(["$X", "it's", "a\\b", "--x=1"]);
        assert_eq!(
            line(false, json!("my tool"), args, &[("A", "1 2")]),
            r"env A='1 2' 'my tool' '$X' 'it'\''s' 'a'\\'b' --x=1"
        );
    }

    #[test]
    fn variables_are_for_all_commands_of_a_line() {
        assert_eq!(
            line(true, json!("a && b"), json!([]), &[("A", "1"), ("B", "")]),
            "env A=1 B='' /bin/bash -c 'a && b'"
        );
    }
}
