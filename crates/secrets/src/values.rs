//! The values that must not be seen, out of the files in which people keep them.
//!
//! Not all that such a file holds is secret: `LOG_LEVEL=debug` is in it too, and hiding `debug` wherever it
//! stands would help nobody. A value counts when its name says so or when it looks as if nobody had made it
//! up; of an address its password and such parts count. What cannot be read as its kind is read as lines.

mod dotenv;
mod keys;
mod lines;

use std::collections::HashSet;

use serde_json::Value as Json;

use crate::{
    Value,
    masker::SHORTEST,
    names::is_named_secret,
    words::{is_path, is_reference, looks_random},
};

#[cfg(test)]
mod tests;

/// Larger files are not looked into.
pub const MAX_FILE: usize = 256 * 1024;
/// Values of one file; the first count.
pub const MAX_VALUES: usize = 500;
/// How deep lists and objects may be nested.
const MAX_DEPTH: usize = 32;
/// A word in the middle of a line must have so many letters to count without a name.
const LONG_WORD: usize = 20;

/// The secrets in a file. `name` is its path: it says of which kind it is, and readers are told it.
pub fn values_of(name: &str, bytes: &[u8]) -> Vec<Value> {
    let mut found = Found::new(name);
    let text = match std::str::from_utf8(bytes) {
        Ok(text) if bytes.len() <= MAX_FILE => text,
        _ => return Vec::new(),
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    found.document(text, is_dotenv(name));
    found.values
}

/// The secrets in settings that are no secret as a whole: what is called like one, and passwords of addresses. What only
/// looks as if it had been rolled is a checksum there.
pub fn values_of_settings(name: &str, bytes: &[u8]) -> Vec<Value> {
    let mut found = Found { only_named: true, ..Found::new(name) };
    let text = match std::str::from_utf8(bytes) {
        Ok(text) if bytes.len() <= MAX_FILE => text,
        _ => return Vec::new(),
    };
    found.document(text.strip_prefix('\u{feff}').unwrap_or(text), false);
    found.values
}

/// The secrets in a variable of an environment, if its name or its form says that it is some.
pub fn value_of_variable(name: &str, value: &str) -> Vec<Value> {
    let mut found = Found::new("the environment");
    if is_named_secret(name) || value.contains("://") {
        found.pair(name, value, 0);
    }
    found.values
}

fn is_dotenv(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase();
    file.starts_with(".env") || file.strip_suffix(".env").is_some()
}

/// What was found so far.
struct Found {
    /// Where it comes from.
    source: String,
    values: Vec<Value>,
    seen: HashSet<String>,
    /// Whether what has no name of a secret is none, whatever it looks like.
    only_named: bool,
}

impl Found {
    fn new(source: &str) -> Self {
        Self {
            source: source.to_owned(),
            values: Vec::new(),
            seen: HashSet::new(),
            only_named: false,
        }
    }

    fn is_rolled(&self, text: &str) -> bool {
        !self.only_named && looks_random(text)
    }

    fn add(&mut self, name: &str, text: &str) {
        let text = text.trim();
        let fits = text.chars().count() >= SHORTEST && self.values.len() < MAX_VALUES;
        if fits && self.seen.insert(text.to_owned()) {
            let called = match name {
                "" => format!("of {}", self.source),
                // `X-API-KEY of` reads like an option with its value, and a record would hide half of it.
                name => format!("{} of {}", name.replace('-', "_"), self.source),
            };
            self.values.push(Value::new(&called, text));
        }
    }

    /// A whole text, of a file or of a value that is a file of its own.
    fn document(&mut self, text: &str, is_dotenv: bool) {
        keys::each_line(text, |line| self.add("key", line));
        if text.trim_start().starts_with(['{', '['])
            && let Ok(json) = serde_json::from_str(text)
        {
            self.json("", &json, 0);
        } else if is_dotenv {
            dotenv::each_pair(text, |name, value| self.pair(name, value, 0));
        } else {
            lines::each_pair(text, |name, value| self.pair(name, value, 0));
            self.words(text);
        }
    }

    fn json(&mut self, name: &str, json: &Json, depth: usize) {
        match json {
            _ if depth > MAX_DEPTH => {}
            Json::String(text) => self.pair(name, text, 0),
            Json::Array(items) => items.iter().for_each(|item| self.json(name, item, depth + 1)),
            Json::Object(fields) => {
                fields.iter().for_each(|(name, value)| self.json(name, value, depth + 1));
            }
            Json::Null | Json::Bool(_) | Json::Number(_) => {}
        }
    }

    /// A name with its value.
    fn pair(&mut self, name: &str, value: &str, depth: usize) {
        let value = value.trim();
        let is_document = value.contains("-----BEGIN ") || value.starts_with('{');
        if depth == 0 && is_document {
            return self.document(value, false);
        }
        if let Some((_, rest)) = value.split_once("://") {
            return self.address(name, rest);
        }
        if is_reference(value) || is_path(value) {
            return;
        }
        if is_named_secret(name) || self.is_rolled(value) {
            self.add(name, value);
        }
        if depth == 0 && value.contains(char::is_whitespace) {
            value
                .lines()
                .filter(|line| self.is_rolled(line.trim()))
                .collect::<Vec<_>>()
                .into_iter()
                .for_each(|line| self.add(name, line));
        }
        // `host=db;password=…`, as programs are told where their database is.
        if depth == 0 && value.contains('=') {
            let pairs = value.split([';', ' ', '&', ',']).filter_map(|pair| pair.split_once('='));
            for (inner, value) in pairs.filter(|(inner, _)| is_named_secret(inner)) {
                self.pair(inner, value, depth + 1);
            }
        }
    }

    /// An address without its scheme: its password, and what in it looks as if nobody had made it up.
    fn address(&mut self, name: &str, rest: &str) {
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let mut others = rest;
        if let Some((user, _)) = authority.rsplit_once('@') {
            others = &rest[user.len()..];
            match user.split_once(':') {
                Some((_, password)) => self.password(name, password),
                None if looks_random(user) => self.add(name, user),
                None => {}
            }
        }
        let mut last = "";
        for part in others.split(['/', '?', '#', '&', '=', '@', ':']) {
            if self.is_rolled(part) && part.len() >= LONG_WORD || is_named_secret(last) {
                self.password(name, part);
            }
            last = part;
        }
    }

    /// A word of an address, as it is written and as it is meant.
    fn password(&mut self, name: &str, word: &str) {
        if is_reference(word) {
            return;
        }
        self.add(name, word);
        if let Some(decoded) = decoded(word) {
            self.add(name, &decoded);
        }
    }

    /// Words that nobody made up, wherever they stand.
    fn words(&mut self, text: &str) {
        let between = |letter: char| letter.is_whitespace() || "\"'`,;<>()[]{}".contains(letter);
        for word in text.split(between) {
            let word = word.trim_end_matches([':', '.']);
            // Behind `name=` or `name:` it was looked at already.
            if word.len() >= LONG_WORD && !word.contains("://") && self.is_rolled(word) {
                let is_pair = word.trim_end_matches('=').contains(['=', ':']);
                if !is_pair {
                    self.add("", word);
                }
            }
        }
    }
}

/// `%40` read as `@`; `None` when nothing of that kind is in it.
fn decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let digits = tail.get(..2).filter(|_| *first == b'%');
        let byte = digits
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8(bytes).ok()
}
