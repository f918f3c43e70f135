//! A command as a list of tools names it: short, because a client carries the whole list in its head.
//!
//! The listing is made from the same declaration as the catalogue, by leaving out. Of the documentation it has
//! the first line and the paragraph after it, of an argument's the first paragraph, or the actions that know
//! it; words to choose from are listed without being explained. Of the answer it has names and types, no shape twice and no
//! words. All of it is in the reference and in what `command.help` says.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::schema::without_null;

#[cfg(test)]
mod tests;

/// Words that say nothing by themselves.
const ARTICLES: [&str; 4] = ["a", "an", "the", "which"];
/// A shape that is not longer than this is written where it is used, however often.
const TOO_SHORT_TO_NAME: usize = 60;

/// The first line of a documentation and the paragraph after it, as one line.
pub(crate) fn doc(doc: &str) -> String {
    let paragraphs: Vec<String> = doc.split("\n\n").take(2).map(one_line).collect();
    paragraphs.join(" ")
}

/// The schema of arguments: whole but for what explains itself.
pub(crate) fn input(full: &Value) -> Value {
    let mut schema = full.clone();
    for argument in
        schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten()
    {
        names_alone(argument.1);
    }
    each_schema(&mut schema, &mut |map| {
        if let Some(Value::String(text)) = map.get_mut("description") {
            *text = actions_alone(one_line(text.split("\n\n").next().unwrap_or_default()));
        }
        map.shift_remove("writeOnly");
        // A switch that is off and a list that is empty when they are left out surprise nobody.
        if map.get("default").is_some_and(|value| *value == json!(false) || is_empty(value)) {
            map.shift_remove("default");
        }
        // That a count is not negative and fits into a machine's word explains itself too.
        if map.get("minimum") == Some(&json!(0)) {
            map.shift_remove("minimum");
        }
        let widest = [u64::from(u32::MAX), u64::MAX].map(Value::from);
        if map.get("maximum").is_some_and(|most| widest.contains(most)) {
            map.shift_remove("maximum");
        }
        list_words(map);
    });
    for (name, argument) in
        schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten()
    {
        let says = argument.get("description").and_then(Value::as_str);
        if says.is_some_and(|text| says_no_more(text, name))
            && let Some(argument) = argument.as_object_mut()
        {
            argument.shift_remove("description");
        }
    }
    schema
}

/// Whether a text about an argument says nothing that its name does not, such as "Which workspace." of `workspace_id`.
fn says_no_more(text: &str, name: &str) -> bool {
    let mut parts = vec![String::new()];
    for letter in name.chars() {
        if letter == '_' || letter.is_uppercase() {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut()
            && letter != '_'
        {
            part.extend(letter.to_lowercase());
        }
    }
    let words =
        text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut words =
        words.map(str::to_lowercase).filter(|word| !ARTICLES.contains(&&**word)).peekable();
    words.peek().is_some() && words.all(|word| parts.contains(&word))
}

/// Leave out what is said of the fields within an argument: the argument and their names say it.
fn names_alone(argument: &mut Value) {
    let holder = if argument.get("items").is_some() { &mut argument["items"] } else { argument };
    let Some(holder) = holder.as_object_mut() else { return };
    if let Some(Value::Object(fields)) = holder.get_mut("properties") {
        for field in fields.values_mut() {
            each_schema(field, &mut |map| drop(map.shift_remove("description")));
        }
        holder.shift_remove("additionalProperties");
    }
}

/// Of `` `push`, `pull`: the remote. `` only the actions that know the argument, unless what follows
/// names words to choose from: its name says the rest.
fn actions_alone(text: String) -> String {
    let Some((actions, meaning)) = text.split_once(": ") else { return text };
    let are_words = actions.split(", ").all(|action| {
        let word = action.strip_prefix('`').and_then(|action| action.strip_suffix('`'));
        word.is_some_and(|word| {
            word.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_')
        })
    });
    if !are_words || meaning.contains(['`', '(', '0']) {
        return text;
    }
    actions.replace('`', "")
}

/// The schema of answers: `success`, and what may come with it, by name and type.
///
/// Clients check failures against it too, so nothing else is required; every failure is the same
/// `error`, `kind` and `hint`, and no list of tools has to say that once for each tool.
pub(crate) fn output(told: Option<Value>) -> Value {
    let mut data = told.unwrap_or_else(|| json!({}));
    each_schema(&mut data, &mut |map| {
        never_null(map);
        for explained in [
            "title",
            "description",
            "default",
            "format",
            "minimum",
            "maximum",
            "pattern",
            "required",
        ] {
            map.shift_remove(explained);
        }
        if map.get("additionalProperties") == Some(&Value::Bool(false)) {
            map.shift_remove("additionalProperties");
        }
        // Without what was left out, a value may fit more than one of them.
        if let Some(forms) = map.shift_remove("oneOf") {
            map.insert("anyOf".into(), forms);
        }
        list_words(map);
    });
    // Whoever gets an answer sees its words. Those by which its forms are told apart are put together later.
    each_schema(&mut data, &mut |map| {
        if map.get("type") == Some(&json!("string")) {
            map.shift_remove("enum");
        }
    });
    let mut shapes = match data.as_object_mut().and_then(|root| root.shift_remove("$defs")) {
        Some(Value::Object(shapes)) => shapes.into_iter().collect(),
        _ => BTreeMap::new(),
    };
    let mut properties = Map::new();
    properties.insert("success".into(), json!({"type": "boolean"}));
    gather(&data, &shapes, &mut properties);
    let mut answer = json!({"type": "object", "properties": properties, "required": ["success"]});
    name_only_what_is_shared(&mut answer, &mut shapes);
    if !shapes.is_empty() {
        answer["$defs"] = json!(shapes);
    }
    answer
}

/// What may be missing from an answer is missing when there is none of it: it is never null.
fn never_null(holder: &mut Map<String, Value>) {
    let required = holder.get("required").cloned().unwrap_or_default();
    let is_required =
        |name: &str| required.as_array().is_some_and(|names| names.iter().any(|it| it == name));
    let fields = holder.get_mut("properties").and_then(Value::as_object_mut);
    for (name, field) in fields.into_iter().flatten() {
        if let Some(field) = field.as_object_mut()
            && !is_required(name)
        {
            without_null(field);
        }
    }
}

/// Put the properties of some data, in whichever form it comes, into one list.
fn gather(data: &Value, shapes: &BTreeMap<String, Value>, properties: &mut Map<String, Value>) {
    if let Some(shape) = referred(data).and_then(|name| shapes.get(name)) {
        gather(shape, shapes, properties);
    }
    for (name, schema) in data.get("properties").and_then(Value::as_object).into_iter().flatten() {
        match properties.get_mut(name) {
            Some(known) => *known = either(known.take(), schema.clone()),
            None => {
                properties.insert(name.clone(), schema.clone());
            }
        }
    }
    for forms in ["oneOf", "anyOf", "allOf"] {
        for form in data.get(forms).and_then(Value::as_array).into_iter().flatten() {
            gather(form, shapes, properties);
        }
    }
}

/// A schema for what fits one or the other.
fn either(one: Value, other: Value) -> Value {
    if one == other {
        return one;
    }
    let mut forms = match one {
        Value::Object(mut map) if map.len() == 1 && map.contains_key("anyOf") => map
            .get_mut("anyOf")
            .and_then(Value::as_array_mut)
            .map(std::mem::take)
            .unwrap_or_default(),
        one => vec![one],
    };
    if !forms.contains(&other) {
        forms.push(other);
    }
    let mut either = json!({"anyOf": forms});
    if let Some(map) = either.as_object_mut() {
        list_words(map);
    }
    either
}

/// Write a shape where it is used, unless it is used more than once and long, or holds itself.
fn name_only_what_is_shared(answer: &mut Value, shapes: &mut BTreeMap<String, Value>) {
    loop {
        let uses = |shape: &str, within: &Value| {
            let mut count = 0;
            each_reference(within, &mut |name| count += usize::from(name == shape));
            count
        };
        let is_whole = |shape: &Value| {
            let mut count = 0;
            each_reference(shape, &mut |_| count += 1);
            count == 0
        };
        let spare = shapes.iter().find(|(name, shape)| {
            let used: usize =
                uses(name, answer) + shapes.values().map(|other| uses(name, other)).sum::<usize>();
            used == 0
                || is_whole(shape) && (used == 1 || shape.to_string().len() <= TOO_SHORT_TO_NAME)
                || used == 1 && uses(name, shape) == 0
        });
        let Some(name) = spare.map(|(name, _)| name.clone()) else { return };
        let Some(shape) = shapes.remove(&name) else { return };
        write_out(answer, &name, &shape);
        for other in shapes.values_mut() {
            write_out(other, &name, &shape);
        }
    }
}

fn write_out(schema: &mut Value, name: &str, shape: &Value) {
    each_schema(schema, &mut |map| {
        let is_meant = map.get("$ref").and_then(Value::as_str).and_then(short_name) == Some(name);
        if is_meant && let Value::Object(shape) = shape {
            map.shift_remove("$ref");
            for (keyword, value) in shape {
                map.entry(keyword).or_insert_with(|| value.clone());
            }
        }
    });
}

fn each_reference(schema: &Value, found: &mut impl FnMut(&str)) {
    match schema {
        Value::Object(map) => {
            if let Some(name) = referred(schema) {
                found(name);
            }
            map.values().for_each(|value| each_reference(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| each_reference(value, found)),
        _ => {}
    }
}

fn referred(schema: &Value) -> Option<&str> {
    schema.get("$ref").and_then(Value::as_str).and_then(short_name)
}

fn short_name(reference: &str) -> Option<&str> {
    reference.strip_prefix("#/$defs/")
}

/// Do something to every schema within one, inner ones first.
fn each_schema(schema: &mut Value, change: &mut impl FnMut(&mut Map<String, Value>)) {
    match schema {
        Value::Object(map) => {
            for (keyword, value) in map.iter_mut() {
                match (keyword.as_str(), value) {
                    // Names in here are the caller's words, not keywords.
                    ("properties" | "$defs", Value::Object(named)) => {
                        named.values_mut().for_each(|value| each_schema(value, change));
                    }
                    ("default" | "const" | "enum" | "examples", _) => {}
                    (_, value) => each_schema(value, change),
                }
            }
            change(map);
        }
        Value::Array(items) => items.iter_mut().for_each(|value| each_schema(value, change)),
        _ => {}
    }
}

/// `oneOf` words that are each explained becomes one list of words.
fn list_words(map: &mut Map<String, Value>) {
    for forms in ["oneOf", "anyOf"] {
        let Some(words) = map
            .get(forms)
            .and_then(Value::as_array)
            .and_then(|forms| forms.iter().map(words_of_form).collect::<Option<Vec<_>>>())
        else {
            continue;
        };
        let mut listed: Vec<Value> = Vec::new();
        for word in words.into_iter().flatten() {
            if !listed.contains(&word) {
                listed.push(word);
            }
        }
        map.shift_remove(forms);
        map.insert("type".into(), "string".into());
        map.insert("enum".into(), listed.into());
    }
}

/// The words of a form that is nothing but words.
fn words_of_form(form: &Value) -> Option<Vec<Value>> {
    let form = form.as_object().filter(|form| form.get("type") == Some(&json!("string")))?;
    match (form.get("const"), form.get("enum")) {
        (Some(word), None) => Some(vec![word.clone()]),
        (None, Some(Value::Array(words))) => Some(words.clone()),
        _ => None,
    }
}

fn one_line(paragraph: &str) -> String {
    paragraph.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_empty(value: &Value) -> bool {
    value.as_array().is_some_and(Vec::is_empty) || value.as_object().is_some_and(Map::is_empty)
}
