//! JSON schemas as clients can read them: inline, without the words that only Rust needs.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

/// The schema of a command's arguments, its doc comment under `description`.
pub(crate) fn input<T: JsonSchema>() -> Value {
    let mut schema = generate::<T>();
    // An optional argument may be left out; clients that cannot read a list of types need not know
    // that null is accepted too.
    tidy(&mut schema, Told::Arguments);
    if let Some(root) = schema.as_object_mut() {
        root.entry("type").or_insert_with(|| "object".into());
        root.entry("properties").or_insert_with(|| json!({}));
        root.insert("additionalProperties".into(), false.into());
    }
    schema
}

/// The schema of every answer of a command: its output with `success`, or the error object.
///
/// Clients validate failures against it too, so both forms must fit.
pub(crate) fn output<T: JsonSchema>() -> Value {
    let mut schema = generate::<T>();
    tidy(&mut schema, Told::Answer);
    answer(schema)
}

/// Wrap the schema of some data into the schema of an answer with that data.
pub(crate) fn answer(mut data: Value) -> Value {
    let mut properties = Map::new();
    properties.insert(
        "success".into(),
        json!({"type": "boolean", "description": "Whether it did what was asked."}),
    );
    if let Some(Value::Object(own)) = data.get_mut("properties").map(Value::take) {
        properties.extend(own);
    }
    for (name, text) in [
        ("error", "What went wrong, in one sentence."),
        ("kind", "The kind of failure."),
        ("hint", "What to try next."),
        ("warning", "What the caller has to know besides."),
    ] {
        properties
            .entry(name)
            .or_insert_with(|| json!({"type": ["string", "null"], "description": text}));
    }
    properties.entry("masked").or_insert_with(|| {
        json!({
            "type": "integer",
            "description": "How many secrets were masked in this answer; absent when none were.",
        })
    });
    let required = data.get("required").cloned().unwrap_or_else(|| json!([]));
    let mut done = json!({"properties": {"success": {"const": true}}, "required": required});
    // Data of several forms says so beside its properties.
    for forms in ["oneOf", "anyOf", "allOf"] {
        if let Some(forms_of_data) = data.get_mut(forms) {
            done[forms] = forms_of_data.take();
        }
    }
    let mut answer = json!({
        "type": "object",
        "properties": properties,
        "required": ["success"],
        "anyOf": [
            done,
            {"properties": {"success": {"const": false}}, "required": ["error", "kind"]},
        ],
    });
    // Only schemas that hold themselves have any; their references must still lead somewhere.
    if let Some(definitions) = data.get_mut("$defs") {
        answer["$defs"] = definitions.take();
    }
    answer
}

fn generate<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|s| {
        s.inline_subschemas = true;
        s.meta_schema = None;
    });
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// Whose words a schema describes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    Arguments,
    Answer,
}

fn tidy(schema: &mut Value, told: Told) {
    match schema {
        Value::Object(map) => {
            // `remove` would change the order of the others.
            map.shift_remove("title");
            let format = map.get("format").and_then(Value::as_str).and_then(Width::of);
            if let Some(width) = format {
                map.shift_remove("format");
                if told == Told::Arguments {
                    width.bound(map);
                }
            }
            if map.get("default") == Some(&Value::Null) {
                map.shift_remove("default");
            }
            if told == Told::Arguments {
                without_null(map);
            }
            for (keyword, value) in map.iter_mut() {
                match (keyword.as_str(), value) {
                    // Names in here are the caller's words, not keywords.
                    ("properties" | "$defs", Value::Object(named)) => {
                        named.values_mut().for_each(|value| tidy(value, told));
                    }
                    (_, value) => tidy(value, told),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|value| tidy(value, told)),
        _ => {}
    }
}

/// What Rust says of a number beside that it is one.
enum Width {
    /// An integer without a sign, of so many bits.
    Unsigned(u32),
    /// Anything else; whoever wants bounds for it has to declare them.
    Other,
}

impl Width {
    fn of(format: &str) -> Option<Self> {
        match format {
            "uint" => Some(Self::Unsigned(u64::BITS)),
            "double" => Some(Self::Other),
            _ if format.starts_with("int") => Some(Self::Other),
            _ => format.strip_prefix("uint")?.parse().ok().map(Self::Unsigned),
        }
    }

    /// Say the largest number that can be read, unless a smaller one is declared.
    fn bound(self, map: &mut Map<String, Value>) {
        if let Self::Unsigned(bits) = self {
            let largest = u64::MAX >> u64::BITS.saturating_sub(bits);
            map.entry("maximum").or_insert_with(|| largest.into());
        }
    }
}

/// `["integer", "null"]` becomes `integer`; `anyOf [T, null]` becomes `T`.
pub(crate) fn without_null(map: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = map.get_mut("type") {
        types.retain(|word| word != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            map.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(forms)) = map.get_mut("anyOf") {
        forms.retain(|form| form != &json!({"type": "null"}));
        if let [Value::Object(only)] = forms.as_slice() {
            let only = only.clone();
            map.shift_remove("anyOf");
            for (key, value) in only {
                map.entry(key).or_insert(value);
            }
        }
    }
    if let Some(Value::Array(values)) = map.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
}
