//! The language in which a case says what it expects: plain JSON, and a few words that begin with
//! `$`. A word that is not known, or has a wrong argument, is an error when the case is read.
//!
//! An object is matched as a subset: keys that it does not name may be there. `"$exact": true` in it
//! forbids them. An array is matched element by element.

use std::fmt;

use regex::Regex;
use serde_json::{Map, Value};

#[cfg(test)]
mod tests;

/// Longest piece of a value that a report shows.
const SHOWN: usize = 600;

/// What a value must be like.
#[derive(Clone, Debug)]
pub enum Matcher {
    /// Anything that is there.
    Any,
    /// Nothing may be there.
    Absent,
    /// This very text, number, truth value or null.
    Plain(Value),
    /// Each key matches; other keys are forbidden when `exact`.
    Object { keys: Vec<(String, Self)>, exact: bool },
    /// As many elements, each of which matches.
    Array(Vec<Self>),
    /// A text that has all of these in it.
    Contains(Vec<String>),
    /// A text that has none of these in it.
    Lacks(Vec<String>),
    /// A text that the expression finds something in.
    Matches(Regex),
    /// So many characters, elements or keys.
    Length(Box<Self>),
    /// A number from the first to the second, both included.
    Between(f64, f64),
    /// An array of which every element matches.
    Each(Box<Self>),
    /// An array of which at least one element matches.
    Has(Box<Self>),
    /// All of these match.
    All(Vec<Self>),
}

/// Why a matcher cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub struct BadMatcher(String);

impl fmt::Display for BadMatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadMatcher {}

/// A place where what was found is not what was expected.
#[derive(Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// A JSON pointer; empty for the whole.
    pub at: String,
    /// What should be there.
    pub expected: String,
    /// What is there.
    pub found: String,
}

impl Matcher {
    /// Read a matcher.
    pub fn parse(value: &Value) -> Result<Self, BadMatcher> {
        match value {
            Value::Object(object) => parse_object(object),
            Value::Array(items) => Ok(Self::Array(parse_all(items)?)),
            plain => Ok(Self::Plain(plain.clone())),
        }
    }

    /// The same with every text changed, for placeholders.
    #[must_use]
    pub fn map_texts(&self, change: &dyn Fn(&str) -> String) -> Self {
        let inner = |matcher: &Self| matcher.map_texts(change);
        let boxed = |matcher: &Self| Box::new(matcher.map_texts(change));
        let texts = |texts: &[String]| texts.iter().map(|text| change(text)).collect();
        match self {
            Self::Plain(Value::String(text)) => Self::Plain(change(text).into()),
            Self::Any | Self::Absent | Self::Plain(_) | Self::Between(..) | Self::Matches(_) => {
                self.clone()
            }
            Self::Object { keys, exact } => Self::Object {
                keys: keys.iter().map(|(key, matcher)| (change(key), inner(matcher))).collect(),
                exact: *exact,
            },
            Self::Array(items) => Self::Array(items.iter().map(inner).collect()),
            Self::Contains(given) => Self::Contains(texts(given)),
            Self::Lacks(given) => Self::Lacks(texts(given)),
            Self::Length(matcher) => Self::Length(boxed(matcher)),
            Self::Each(matcher) => Self::Each(boxed(matcher)),
            Self::Has(matcher) => Self::Has(boxed(matcher)),
            Self::All(matchers) => Self::All(matchers.iter().map(inner).collect()),
        }
    }

    /// Every place where a value does not match.
    pub fn check(&self, found: Option<&Value>) -> Vec<Mismatch> {
        let mut mismatches = Vec::new();
        self.look(found, "", &mut mismatches);
        mismatches
    }

    fn look(&self, found: Option<&Value>, at: &str, wrong: &mut Vec<Mismatch>) {
        let Some(value) = found else {
            if !matches!(self, Self::Absent) {
                wrong.push(self.mismatch(at, "nothing".into()));
            }
            return;
        };
        let fits = match (self, value) {
            (Self::Any, _) => true,
            (Self::Plain(expected), found) => expected == found,
            (Self::Object { keys, exact }, Value::Object(found)) => {
                return look_into(keys, *exact, found, at, wrong);
            }
            (Self::Array(items), Value::Array(found)) if items.len() == found.len() => {
                for (index, (item, found)) in items.iter().zip(found).enumerate() {
                    item.look(Some(found), &format!("{at}/{index}"), wrong);
                }
                return;
            }
            (Self::Each(each), Value::Array(found)) => {
                for (index, found) in found.iter().enumerate() {
                    each.look(Some(found), &format!("{at}/{index}"), wrong);
                }
                return;
            }
            (Self::Has(item), Value::Array(found)) => {
                found.iter().any(|found| item.check(Some(found)).is_empty())
            }
            (Self::All(all), found) => {
                for matcher in all {
                    matcher.look(Some(found), at, wrong);
                }
                return;
            }
            (Self::Length(length), found) => {
                if let Some(size) = size(found) {
                    length.look(Some(&size.into()), &format!("{at}/$length"), wrong);
                    return;
                }
                false
            }
            (Self::Contains(parts), Value::String(text)) => {
                parts.iter().all(|part| text.contains(part))
            }
            (Self::Lacks(parts), Value::String(text)) => {
                !parts.iter().any(|part| text.contains(part))
            }
            (Self::Matches(expression), Value::String(text)) => expression.is_match(text),
            (Self::Between(least, most), Value::Number(number)) => {
                number.as_f64().is_some_and(|number| *least <= number && number <= *most)
            }
            _ => false,
        };
        if !fits {
            wrong.push(self.mismatch(at, shown(value)));
        }
    }

    fn mismatch(&self, at: &str, found: String) -> Mismatch {
        Mismatch { at: at.to_owned(), expected: self.to_string(), found }
    }
}

fn look_into(
    keys: &[(String, Matcher)],
    exact: bool,
    found: &Map<String, Value>,
    at: &str,
    wrong: &mut Vec<Mismatch>,
) {
    for (key, matcher) in keys {
        matcher.look(found.get(key), &format!("{at}/{key}"), wrong);
    }
    if !exact {
        return;
    }
    for (key, value) in found.iter().filter(|(name, _)| keys.iter().all(|(key, _)| key != *name)) {
        wrong.push(Mismatch {
            at: format!("{at}/{key}"),
            expected: "nothing".into(),
            found: shown(value),
        });
    }
}

/// Characters of a text, elements of an array, keys of an object.
fn size(value: &Value) -> Option<usize> {
    match value {
        Value::String(text) => Some(text.chars().count()),
        Value::Array(items) => Some(items.len()),
        Value::Object(object) => Some(object.len()),
        _ => None,
    }
}

fn parse_all(items: &[Value]) -> Result<Vec<Matcher>, BadMatcher> {
    items.iter().map(Matcher::parse).collect()
}

fn parse_object(object: &Map<String, Value>) -> Result<Matcher, BadMatcher> {
    let words: Vec<&String> = object.keys().filter(|key| key.starts_with('$')).collect();
    let exact = match object.get("$exact") {
        None => false,
        Some(Value::Bool(true)) => true,
        Some(other) => return Err(bad("$exact", "true", other)),
    };
    if words.is_empty() || exact && words.len() == 1 {
        let plain = object.iter().filter(|(key, _)| !key.starts_with('$'));
        let keys = plain.map(|(key, value)| Ok((key.clone(), Matcher::parse(value)?)));
        return Ok(Matcher::Object { keys: keys.collect::<Result<_, _>>()?, exact });
    }
    if words.len() < object.len() || exact {
        return Err(BadMatcher(format!("{} stands among other keys", join(&words))));
    }
    let mut matchers = object.iter().map(|(word, value)| parse_word(word, value));
    match (matchers.next(), object.len()) {
        (Some(first), 1) => first,
        (first, _) => first.into_iter().chain(matchers).collect::<Result<_, _>>().map(Matcher::All),
    }
}

fn parse_word(word: &str, value: &Value) -> Result<Matcher, BadMatcher> {
    let inner = || Matcher::parse(value).map(Box::new);
    match (word, value) {
        ("$any", Value::Bool(true)) => Ok(Matcher::Any),
        ("$absent", Value::Bool(true)) => Ok(Matcher::Absent),
        ("$any" | "$absent", other) => Err(bad(word, "true", other)),
        ("$contains", value) => texts(word, value).map(Matcher::Contains),
        ("$lacks", value) => texts(word, value).map(Matcher::Lacks),
        ("$matches", Value::String(expression)) => Regex::new(expression)
            .map(Matcher::Matches)
            .map_err(|error| BadMatcher(format!("$matches: {error}"))),
        ("$matches", other) => Err(bad(word, "an expression", other)),
        ("$between", Value::Array(ends)) => match (ends.len(), ends.first(), ends.last()) {
            (2, Some(least), Some(most)) => least
                .as_f64()
                .zip(most.as_f64())
                .filter(|(least, most)| least <= most)
                .map(|(least, most)| Matcher::Between(least, most))
                .ok_or_else(|| bad(word, "two numbers in order", value)),
            _ => Err(bad(word, "two numbers in order", value)),
        },
        ("$between", other) => Err(bad(word, "two numbers in order", other)),
        ("$length", _) => Ok(Matcher::Length(inner()?)),
        ("$each", _) => Ok(Matcher::Each(inner()?)),
        ("$has", _) => Ok(Matcher::Has(inner()?)),
        ("$all", Value::Array(items)) => parse_all(items).map(Matcher::All),
        ("$all", other) => Err(bad(word, "an array", other)),
        _ => Err(BadMatcher(format!("there is no matcher `{word}`"))),
    }
}

/// One text or several.
fn texts(word: &str, value: &Value) -> Result<Vec<String>, BadMatcher> {
    let wrong = || bad(word, "a text or texts", value);
    let text = |value: &Value| value.as_str().map(str::to_owned).ok_or_else(wrong);
    match value {
        Value::Array(items) if !items.is_empty() => items.iter().map(text).collect(),
        other => Ok(vec![text(other)?]),
    }
}

fn bad(word: &str, wanted: &str, found: &Value) -> BadMatcher {
    BadMatcher(format!("{word} takes {wanted}, not {}", shown(found)))
}

fn join(words: &[&String]) -> String {
    words.iter().map(|word| word.as_str()).collect::<Vec<_>>().join(", ")
}

/// A value on one line, cut when long.
pub(super) fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text,
    }
}

impl fmt::Display for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("anything"),
            Self::Absent => f.write_str("nothing"),
            Self::Plain(value) => f.write_str(&shown(value)),
            Self::Object { keys, .. } => {
                let names: Vec<&str> = keys.iter().map(|(key, _)| key.as_str()).collect();
                write!(f, "an object with {}", names.join(", "))
            }
            Self::Array(items) => {
                write!(f, "{} elements:", items.len())?;
                items.iter().take(20).try_for_each(|item| write!(f, " {item};"))
            }
            Self::Contains(parts) => write!(f, "a text with {parts:?}"),
            Self::Lacks(parts) => write!(f, "a text without {parts:?}"),
            Self::Matches(expression) => write!(f, "a text like /{expression}/"),
            Self::Length(length) => write!(f, "a length of {length}"),
            Self::Between(least, most) => write!(f, "{least} to {most}"),
            Self::Each(each) => write!(f, "only elements such as {each}"),
            Self::Has(item) => write!(f, "an element such as {item}"),
            Self::All(all) => {
                let all: Vec<String> = all.iter().map(ToString::to_string).collect();
                f.write_str(&all.join(", and "))
            }
        }
    }
}
