//! Reads JSON with comments and trailing commas into nodes that know where they stand in the text.
//!
//! It accepts nothing else: no single quotes, no bare keys, no missing commas.

use std::ops::Range;

use anyhow::{Result, anyhow};
use serde_json::Value;

use crate::connect::{place, without_mark};

/// Deeper nesting is refused, so that a hostile file cannot use up the stack.
const MAX_DEPTH: usize = 128;

#[derive(Debug)]
pub(super) struct Node {
    pub span: Range<usize>,
    pub kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    Object(Vec<Member>),
    Array(Vec<Node>),
    Scalar(Value),
}

#[derive(Debug)]
pub(super) struct Member {
    pub key: String,
    /// Where the key begins.
    pub start: usize,
    pub value: Node,
}

impl Node {
    pub(super) fn value(&self) -> Value {
        match &self.kind {
            Kind::Object(members) => {
                members.iter().map(|member| (member.key.clone(), member.value.value())).collect()
            }
            Kind::Array(nodes) => nodes.iter().map(Self::value).collect(),
            Kind::Scalar(value) => value.clone(),
        }
    }

    /// The member that counts: when a key stands there twice, clients take the last one.
    pub(super) fn member(&self, key: &str) -> Option<&Member> {
        match &self.kind {
            Kind::Object(members) => members.iter().rfind(|member| member.key == key),
            Kind::Array(_) | Kind::Scalar(_) => None,
        }
    }

    pub(super) fn describe(&self) -> &'static str {
        match &self.kind {
            Kind::Object(_) => "an object",
            Kind::Array(_) => "a list",
            Kind::Scalar(Value::String(_)) => "a text",
            Kind::Scalar(Value::Number(_)) => "a number",
            Kind::Scalar(Value::Bool(_)) => "true or false",
            Kind::Scalar(_) => "null",
        }
    }
}

/// The document's value, or none when there are only blanks and comments.
pub(super) fn parse(text: &str) -> Result<Option<Node>> {
    let mut reader = Reader { text, at: text.len() - without_mark(text).len() };
    reader.skip_blanks()?;
    if reader.peek().is_none() {
        return Ok(None);
    }
    let root = reader.value(0)?;
    reader.skip_blanks()?;
    match reader.peek() {
        None => Ok(Some(root)),
        Some(_) => Err(reader.fault("nothing may follow the value")),
    }
}

/// Where the first thing that is neither blank nor comment stands, from `at` on.
pub(super) fn next_token(text: &str, at: usize) -> Result<usize> {
    let mut reader = Reader { text, at };
    reader.skip_blanks()?;
    Ok(reader.at)
}

/// A comment that begins at `at`: where it ends, and whether it ends with the line.
pub(super) fn comment(text: &str, at: usize) -> Result<Option<(usize, bool)>> {
    let mut reader = Reader { text, at };
    let of_line = text[at..].starts_with("//");
    Ok(if reader.skip_comment()? { Some((reader.at, of_line)) } else { None })
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn fault(&self, problem: &str) -> anyhow::Error {
        anyhow!("{}: {problem}", place(self.text, self.at))
    }

    fn skip_blanks(&mut self) -> Result<()> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                Some(b'/') => {
                    if !self.skip_comment()? {
                        return Err(self.fault("a comment begins with // or /*"));
                    }
                }
                _ => return Ok(()),
            }
        }
    }

    fn skip_comment(&mut self) -> Result<bool> {
        let rest = &self.text[self.at..];
        if rest.starts_with("//") {
            self.at += rest.find(['\n', '\r']).unwrap_or(rest.len());
            Ok(true)
        } else if let Some(body) = rest.strip_prefix("/*") {
            let end = body.find("*/").ok_or_else(|| self.fault("this comment does not end"))?;
            self.at += end + "/**/".len();
            Ok(true)
        } else {
            Ok(false)
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node> {
        if depth == MAX_DEPTH {
            return Err(self.fault("this is nested too deeply"));
        }
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => Kind::Object(self.object(depth)?),
            Some(b'[') => Kind::Array(self.array(depth)?),
            Some(b'"') => Kind::Scalar(Value::String(self.string()?)),
            Some(_) => Kind::Scalar(self.word()?),
            None => return Err(self.fault("a value is missing at the end of the file")),
        };
        Ok(Node { span: start..self.at, kind })
    }

    fn object(&mut self, depth: usize) -> Result<Vec<Member>> {
        let mut members = Vec::new();
        self.at += 1;
        loop {
            self.skip_blanks()?;
            match self.peek() {
                Some(b'}') => break self.at += 1,
                Some(b'"') => {}
                _ => return Err(self.fault("expected a key in double quotes or }")),
            }
            let start = self.at;
            let key = self.string()?;
            self.skip_blanks()?;
            if self.peek() != Some(b':') {
                return Err(self.fault("expected : after the key"));
            }
            self.at += 1;
            self.skip_blanks()?;
            let value = self.value(depth + 1)?;
            members.push(Member { key, start, value });
            if self.ends(b'}')? {
                break;
            }
        }
        Ok(members)
    }

    fn array(&mut self, depth: usize) -> Result<Vec<Node>> {
        let mut nodes = Vec::new();
        self.at += 1;
        loop {
            self.skip_blanks()?;
            if self.peek() == Some(b']') {
                self.at += 1;
                break;
            }
            nodes.push(self.value(depth + 1)?);
            if self.ends(b']')? {
                break;
            }
        }
        Ok(nodes)
    }

    /// After an item: whether the container ends here, or a comma follows.
    fn ends(&mut self, close: u8) -> Result<bool> {
        self.skip_blanks()?;
        match self.peek() {
            Some(byte) if byte == close || byte == b',' => {
                self.at += 1;
                Ok(byte == close)
            }
            _ => Err(self.fault(&format!("expected , or {}", char::from(close)))),
        }
    }

    fn string(&mut self) -> Result<String> {
        let bytes = self.text.as_bytes();
        let mut end = self.at + 1;
        loop {
            match bytes.get(end) {
                Some(b'"') => break,
                Some(b'\\') => end += 2,
                Some(b'\n' | b'\r') | None => return Err(self.fault("this text does not end")),
                Some(_) => end += 1,
            }
        }
        let text = serde_json::from_str(&self.text[self.at..=end]).map_err(|_| {
            self.fault("this text has an escape or a character that JSON does not allow")
        })?;
        self.at = end + 1;
        Ok(text)
    }

    fn word(&mut self) -> Result<Value> {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c));
        let word = &rest[..end.unwrap_or(rest.len())];
        let value = serde_json::from_str(word).map_err(|_| self.fault("expected a value"))?;
        self.at += word.len();
        Ok(value)
    }
}
