//! A JSON schema read as a TypeScript type.
//!
//! Limits on numbers, lengths and patterns have no place in such a type and are left out. What a
//! schema leaves open is `unknown`, never `any`.

use serde_json::{Map, Value};

/// A type, before it is written down.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Type {
    /// A name or a literal.
    Word(String),
    List(Box<Self>),
    Tuple(Vec<Self>),
    Map(Box<Self>),
    Object(Vec<Field>),
    Union(Vec<Member>),
    All(Vec<Self>),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) doc: String,
    pub(super) optional: bool,
    pub(super) kind: Type,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Member {
    pub(super) doc: String,
    pub(super) kind: Type,
}

impl Field {
    /// A field that is always there and needs no explanation.
    pub(super) fn plain(name: &str, kind: Type) -> Self {
        Self { name: name.to_owned(), doc: String::new(), optional: false, kind }
    }
}

impl Type {
    pub(super) fn word(text: impl Into<String>) -> Self {
        Self::Word(text.into())
    }

    fn is(&self, text: &str) -> bool {
        matches!(self, Self::Word(own) if own == text)
    }

    /// One of several; members that are unions themselves become part of it.
    fn one_of(members: impl IntoIterator<Item = Member>) -> Self {
        let mut flat: Vec<Member> = Vec::new();
        for member in members {
            let inner = match member.kind {
                Self::Union(inner) => inner,
                kind => vec![Member { kind, ..member }],
            };
            for member in inner {
                if !flat.iter().any(|known| known.kind == member.kind) {
                    flat.push(member);
                }
            }
        }
        if flat.iter().any(|member| member.kind.is("unknown")) {
            return Self::word("unknown");
        }
        match flat.len() {
            0 => Self::word("never"),
            1 => flat.remove(0).kind,
            _ => Self::Union(flat),
        }
    }

    /// All of several at once.
    fn all_of(mut parts: Vec<Self>) -> Self {
        parts.retain(|part| !part.is("unknown"));
        match parts.len() {
            0 => Self::word("unknown"),
            1 => parts.remove(0),
            _ => Self::All(parts),
        }
    }

    fn without_null(self) -> Self {
        match self {
            Self::Union(members) => {
                Self::one_of(members.into_iter().filter(|member| !member.kind.is("null")))
            }
            other => other,
        }
    }
}

/// Reads schemas of one document.
pub(super) struct Reader<'names> {
    /// What a reference becomes.
    pub(super) refer: &'names dyn Fn(&str) -> Type,
    /// Callers give it: what may be left out need not be null as well.
    pub(super) given: bool,
}

impl Reader<'_> {
    pub(super) fn read(&self, schema: &Value) -> Type {
        match schema {
            Value::Bool(false) => Type::word("never"),
            Value::Object(map) => self.read_map(map),
            _ => Type::word("unknown"),
        }
    }

    fn read_map(&self, map: &Map<String, Value>) -> Type {
        if let Some(value) = map.get("const") {
            return literal(value);
        }
        if let Some(values) = list(map, "enum") {
            return Type::one_of(values.iter().map(|value| undocumented(literal(value))));
        }
        let mut parts = Vec::new();
        if has_properties(map) {
            parts.push(self.read_typed(map));
        }
        if let Some(Value::String(target)) = map.get("$ref") {
            parts.push((self.refer)(target));
        }
        parts.extend(list(map, "allOf").into_iter().flatten().map(|part| self.read(part)));
        for forms in ["oneOf", "anyOf"] {
            if let Some(forms) = list(map, forms) {
                parts.push(Type::one_of(
                    forms.iter().map(|form| Member { doc: doc(form), kind: self.read(form) }),
                ));
            }
        }
        // Any of that says more than that it is an object or a string.
        if parts.is_empty() { self.read_typed(map) } else { Type::all_of(parts) }
    }

    fn read_typed(&self, map: &Map<String, Value>) -> Type {
        match map.get("type") {
            Some(Value::Array(words)) => {
                let words = words.iter().filter_map(Value::as_str);
                Type::one_of(words.map(|word| undocumented(self.read_word(word, map))))
            }
            Some(Value::String(word)) => self.read_word(word, map),
            _ if has_properties(map) => self.read_object(map),
            _ => Type::word("unknown"),
        }
    }

    fn read_word(&self, word: &str, map: &Map<String, Value>) -> Type {
        match word {
            "object" => self.read_object(map),
            "array" => self.read_array(map),
            "integer" | "number" => Type::word("number"),
            "string" | "boolean" | "null" => Type::word(word),
            _ => Type::word("unknown"),
        }
    }

    fn read_array(&self, map: &Map<String, Value>) -> Type {
        if let Some(items) = list(map, "prefixItems") {
            return Type::Tuple(items.iter().map(|item| self.read(item)).collect());
        }
        let items = map.get("items").map_or_else(|| Type::word("unknown"), |item| self.read(item));
        Type::List(Box::new(items))
    }

    fn read_object(&self, map: &Map<String, Value>) -> Type {
        let patterns = map.get("patternProperties").and_then(Value::as_object);
        let others = match map.get("additionalProperties") {
            Some(Value::Bool(false)) => patterns.and_then(|patterns| patterns.values().next()),
            others => others,
        };
        if !has_properties(map) {
            let is_closed = map.get("additionalProperties") == Some(&Value::Bool(false));
            let values = match others {
                Some(values) => self.read(values),
                None if is_closed => Type::word("never"),
                None => Type::word("unknown"),
            };
            return Type::Map(Box::new(values));
        }
        let required = list(map, "required").unwrap_or_default();
        let properties = map.get("properties").and_then(Value::as_object).into_iter().flatten();
        let fields = properties.map(|(name, schema)| {
            let optional = !required.iter().any(|needed| needed == name);
            let kind = self.read(schema);
            Field {
                name: name.clone(),
                doc: doc(schema),
                kind: if optional && self.given { kind.without_null() } else { kind },
                optional,
            }
        });
        let object = Type::Object(fields.collect());
        match others {
            Some(others) => Type::All(vec![object, Type::Map(Box::new(self.read(others)))]),
            None => object,
        }
    }
}

fn list<'map>(map: &'map Map<String, Value>, name: &str) -> Option<&'map [Value]> {
    map.get(name).and_then(Value::as_array).map(Vec::as_slice)
}

fn has_properties(map: &Map<String, Value>) -> bool {
    map.get("properties").and_then(Value::as_object).is_some_and(|map| !map.is_empty())
}

fn undocumented(kind: Type) -> Member {
    Member { doc: String::new(), kind }
}

/// The first paragraph of a description.
pub(super) fn doc(schema: &Value) -> String {
    let text = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    first_paragraph(text)
}

pub(super) fn first_paragraph(text: &str) -> String {
    let lines = text.lines().map(str::trim).take_while(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ").replace("*/", "*\\/")
}

fn literal(value: &Value) -> Type {
    Type::word(match value {
        Value::String(text) => quoted(text),
        other => other.to_string(),
    })
}

/// A text in single quotes.
pub(super) fn quoted(text: &str) -> String {
    let inside = Value::from(text).to_string();
    let inside = inside[1..inside.len() - 1].replace("\\\"", "\"").replace('\'', "\\'");
    format!("'{inside}'")
}
