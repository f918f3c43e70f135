//! Every bound that a schema declares for an integer is the one that holds: what is beyond is refused
//! by its name, what is within is not.

use openspace_workspace::registry;
use pretty_assertions::assert_eq;
use serde_json::{Map, Value, json};

use crate::support::Bench;

/// What an argument needs beside it to mean anything.
const COMPANY: &[(&str, &str, &str)] = &[
    ("code.actions", "end_line", r#"{"path": "a", "line": 1}"#),
    ("code.definition", "line", r#"{"path": "a"}"#),
    ("code.definition", "column", r#"{"path": "a", "line": 1}"#),
    ("code.definition", "wait_s", r#"{"symbol": "a"}"#),
    ("code.format", "end_line", r#"{"path": "a", "line": 1}"#),
    ("code.hover", "line", r#"{"path": "a"}"#),
    ("code.hover", "column", r#"{"path": "a", "line": 1}"#),
    ("code.hover", "wait_s", r#"{"symbol": "a"}"#),
    ("code.references", "line", r#"{"path": "a"}"#),
    ("code.references", "column", r#"{"path": "a", "line": 1}"#),
    ("code.references", "limit", r#"{"symbol": "a"}"#),
    ("code.references", "offset", r#"{"symbol": "a"}"#),
    ("code.references", "wait_s", r#"{"symbol": "a"}"#),
    ("code.rename", "line", r#"{"path": "a", "new_name": "b"}"#),
    ("code.rename", "column", r#"{"path": "a", "line": 1, "new_name": "b"}"#),
    ("code.rename", "wait_s", r#"{"symbol": "a", "new_name": "b"}"#),
    ("code.symbols", "depth", r#"{"path": "a"}"#),
    ("code.symbols", "wait_s", r#"{"path": "a"}"#),
    ("terminal.run", "port", r#"{"wait": "port"}"#),
    ("terminal.run", "quietMs", r#"{"wait": "idle"}"#),
    ("editor.open", "endLine", r#"{"line": 1}"#),
    ("editor.open", "column", r#"{"line": 1}"#),
    ("editor.open", "endColumn", r#"{"line": 1}"#),
    (
        "view.report",
        "firstVisibleLine",
        r#"{"view": {"editors": [{"path": "a", "line": 1, "column": 1, "lastVisibleLine": 4294967295}]}}"#,
    ),
    ("workspace.bash", "timeout_ms", r#"{"run_in_background": true}"#),
    ("workspace.create", "depth", r#"{"git_url": "file:///no/such/repository"}"#),
    ("workspace.create", "limits", r#"{"root": "/no/such/folder"}"#),
    ("workspace.git", "context", r#"{"action": "diff"}"#),
    ("workspace.git", "depth", r#"{"action": "clone", "url": "file:///no/such/repository"}"#),
    ("workspace.git", "index", r#"{"action": "stash", "operation": "drop"}"#),
    ("workspace.git", "limit", r#"{"action": "log"}"#),
    ("workspace.git", "skip", r#"{"action": "log"}"#),
];

/// An integer somewhere in the arguments of a command.
struct Bounded {
    /// Its way through the arguments; `0` is the first of a list.
    way: Vec<String>,
    least: i128,
    most: i128,
}

fn find(schema: &Value, way: &[String], found: &mut Vec<Bounded>) {
    if schema["type"] == "integer" {
        let bound = |word: &str| schema[word].to_string().parse::<i128>();
        if let (Ok(least), Ok(most)) = (bound("minimum"), bound("maximum")) {
            found.push(Bounded { way: way.to_vec(), least, most });
        } else {
            panic!("{way:?} does not say its bounds: {schema}");
        }
    }
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        find(inner, &[way, std::slice::from_ref(name)].concat(), found);
    }
    if schema.get("items").is_some() {
        find(&schema["items"], &[way, &["0".to_owned()]].concat(), found);
    }
}

/// A value that fits a schema.
fn sample(schema: &Value) -> Value {
    if let Some(word) = openspace_command::words_of(schema).first() {
        return json!(word);
    }
    match schema["type"].as_str() {
        Some("integer") => schema["minimum"].clone(),
        Some("boolean") => json!(false),
        Some("array") => json!([sample(&schema["items"])]),
        Some("object") => {
            let required = schema["required"].as_array().into_iter().flatten();
            let named = required.filter_map(Value::as_str);
            let fields = named.map(|name| (name.to_owned(), sample(&schema["properties"][name])));
            Value::Object(fields.collect::<Map<_, _>>())
        }
        _ => json!("none.such"),
    }
}

/// The sample arguments of a command with a number at one place.
fn with_number(schema: &Value, company: &Value, way: &[String], number: i128) -> Value {
    fn put(value: &mut Value, schema: &Value, way: &[String], number: &Value) {
        let Some((name, rest)) = way.split_first() else {
            *value = number.clone();
            return;
        };
        let inner = if value.is_array() { &schema["items"] } else { &schema["properties"][name] };
        let slot = match value {
            Value::Array(items) => &mut items[0],
            value => &mut value[name],
        };
        if slot.is_null() {
            *slot = sample(inner);
        }
        put(slot, inner, rest, number);
    }
    // What no integer of JSON holds is a float.
    #[expect(clippy::cast_precision_loss, reason = "it only has to be beyond the bound")]
    let number = match (i64::try_from(number), u64::try_from(number)) {
        (Ok(number), _) => json!(number),
        (_, Ok(number)) => json!(number),
        _ => json!(number as f64),
    };
    let mut arguments = sample(schema);
    for (name, value) in company.as_object().into_iter().flatten() {
        arguments[name] = value.clone();
    }
    put(&mut arguments, schema, way, &number);
    arguments
}

#[tokio::test]
async fn what_a_schema_says_of_an_integer_is_what_holds() {
    let bench = Bench::open(&[]).await;
    let (mut tried, mut wrong) = (0, Vec::new());
    for definition in registry().all() {
        let id = definition.id.strip_prefix("openspace.").unwrap();
        let mut found = Vec::new();
        find(&definition.input, &[], &mut found);
        for Bounded { way, least, most } in found {
            let company = COMPANY
                .iter()
                .find(|(of, name, _)| *of == id && way.iter().any(|step| step == name));
            let company =
                company.map_or(json!({}), |(.., text)| serde_json::from_str(text).unwrap());
            let name = way.last().filter(|name| *name != "0").unwrap_or(&way[0]);
            let says_so = |answer: &Value| {
                let names_it = answer["error"].as_str().is_some_and(|error| {
                    error.starts_with("argument `") && error.contains(name.as_str())
                        || error.contains("count from 1")
                });
                answer["kind"] == "invalid_args" && names_it
            };
            for (number, holds) in
                [(least - 1, false), (least, true), (most, true), (most + 1, false)]
            {
                let arguments = with_number(&definition.input, &company, &way, number);
                let answer = bench.call(id, arguments.clone()).await;
                if says_so(&answer) == holds {
                    wrong.push(format!("{id} {arguments}: {answer}"));
                }
                tried += 1;
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(tried > 100, "{tried}");
}
