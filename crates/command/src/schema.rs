//! JSON schemas as clients can read them: inline, without the words that only Rust needs.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

/// The schema of a command's arguments, its doc comment under `description`.
pub(crate) fn input<T: JsonSchema>() -> Value {
    let mut schema = generate::<T>();
    // An optional argument may be left out; clients that cannot read a list of types need not know
    // that null is accepted too.
    tidy(&mut schema, true);
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
    tidy(&mut schema, false);
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

fn tidy(schema: &mut Value, drop_null: bool) {
    match schema {
        Value::Object(map) => {
            // `remove` would change the order of the others.
            map.shift_remove("title");
            let rust_format = map.get("format").and_then(Value::as_str).is_some_and(|format| {
                format.starts_with("uint") || format.starts_with("int") || format == "double"
            });
            if rust_format {
                map.shift_remove("format");
            }
            if map.get("default") == Some(&Value::Null) {
                map.shift_remove("default");
            }
            if drop_null {
                without_null(map);
            }
            for (keyword, value) in map.iter_mut() {
                match (keyword.as_str(), value) {
                    // Names in here are the caller's words, not keywords.
                    ("properties" | "$defs", Value::Object(named)) => {
                        named.values_mut().for_each(|value| tidy(value, drop_null));
                    }
                    (_, value) => tidy(value, drop_null),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|value| tidy(value, drop_null)),
        _ => {}
    }
}

/// `["integer", "null"]` becomes `integer`; `anyOf [T, null]` becomes `T`.
fn without_null(map: &mut Map<String, Value>) {
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
