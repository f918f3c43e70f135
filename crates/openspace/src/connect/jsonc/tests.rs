//! Editing a JSONC text: only our entry changes, whatever surrounds it.

use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{lookup, parse, set, set_element};

mod fuzz;

const PATH: [&str; 2] = ["mcpServers", "openspace"];

fn small() -> Value {
    json!({"command": "openspace", "args": ["mcp"]})
}

fn put(text: &str) -> String {
    set(text, &PATH, &json!({"on": true})).unwrap()
}

fn refusal(text: &str) -> String {
    set(text, &PATH, &small()).unwrap_err().to_string()
}

#[test]
fn an_entry_goes_after_the_last_one_in_the_file_s_own_style() {
    let four = "{\n    \"mcpServers\": {\n        \"a\": {}\n    }\n}\n";
    assert_eq!(
        put(four),
        "{\n    \"mcpServers\": {\n        \"a\": {},\n        \"openspace\": {\n            \"on\": true\n        }\n    }\n}\n"
    );
    let tabs = "{\r\n\t\"theme\": \"dark\"\r\n}";
    assert_eq!(
        put(tabs),
        "{\r\n\t\"theme\": \"dark\",\r\n\t\"mcpServers\": {\r\n\t\t\"openspace\": {\r\n\t\t\t\"on\": true\r\n\t\t}\r\n\t}\r\n}"
    );
    assert_eq!(put(r#"{"a":1}"#), r#"{"a":1, "mcpServers":{"openspace":{"on":true}}}"#);
    assert_eq!(
        put(r#"{"a":1,"mcpServers":{}}"#),
        r#"{"a":1,"mcpServers":{"openspace":{"on":true}}}"#
    );
}

#[test]
fn comments_stay_with_what_they_are_about() {
    let text = r#"// mine
{
  "theme": "dark", // not light
  "mcpServers": {
    /* files */
    "files": {"command": "x"} // the old one
    // "off": {}
  }
  /* the end */
}
"#;
    let expected = r#"// mine
{
  "theme": "dark", // not light
  "mcpServers": {
    /* files */
    "files": {"command": "x"}, // the old one
    "openspace": {
      "on": true
    }
    // "off": {}
  }
  /* the end */
}
"#;
    assert_eq!(put(text), expected);
}

#[test]
fn trailing_commas_stay_the_custom_of_the_file() {
    assert_eq!(
        put("{\n  \"mcpServers\": {\n    \"a\": 1, // one\n  },\n}\n"),
        "{\n  \"mcpServers\": {\n    \"a\": 1, // one\n    \"openspace\": {\n      \"on\": true\n    },\n  },\n}\n"
    );
    assert_eq!(put(r#"{"a": 1,}"#), r#"{"a": 1, "mcpServers":{"openspace":{"on":true}},}"#);
}

#[test]
fn an_empty_object_opens_up_around_its_comments() {
    let opened = "{\n  \"mcpServers\": {\n    \"openspace\": {\n      \"on\": true\n    }\n  }\n}";
    assert_eq!(put("{}"), opened);
    assert_eq!(put("{\n}"), opened);
    assert_eq!(put("{\n  \"mcpServers\": {}\n}"), opened);
    assert_eq!(set("{ // none yet\n}", &["a"], &json!(1)).unwrap(), "{ // none yet\n  \"a\": 1\n}");
    assert_eq!(
        set("{\n  // one\n  // two\n}", &["a"], &json!(1)).unwrap(),
        "{\n  // one\n  // two\n  \"a\": 1\n}"
    );
    assert_eq!(
        set("{ \"a\": 1 // one\n}", &["b"], &json!(2)).unwrap(),
        "{ \"a\": 1, // one\n  \"b\": 2\n}"
    );
}

#[test]
fn a_file_without_a_value_gets_one() {
    let fresh = "{\n  \"a\": 1\n}\n";
    let put = |text| set(text, &["a"], &json!(1)).unwrap();
    assert_eq!(put(""), fresh);
    assert_eq!(put("\n"), format!("\n{fresh}"));
    assert_eq!(put("\u{feff}"), format!("\u{feff}{fresh}"));
    assert_eq!(put("// mine"), format!("// mine\n{fresh}"));
}

#[test]
fn an_entry_is_replaced_alone_and_left_alone_when_it_says_the_same() {
    let text = "\u{feff}{\n  \"mcpServers\": {\n    \"openspace\": { \"old\": 1 }, // ours\n    \"b\": 2\n  }\n}";
    let expected = "\u{feff}{\n  \"mcpServers\": {\n    \"openspace\": {\n      \"on\": true\n    }, // ours\n    \"b\": 2\n  }\n}";
    assert_eq!(put(text), expected);
    let same = "{\"mcpServers\" : { \"openspace\" : {\"args\":[\"mc\\u0070\",], /* ok */ \"command\":\"openspace\"}}}";
    assert_eq!(set(same, &PATH, &small()).unwrap(), same);
    let twice = r#"{"mcpServers": {"openspace": 1, "openspace": 2}}"#;
    assert_eq!(put(twice), r#"{"mcpServers": {"openspace": 1, "openspace": {"on":true}}}"#);
}

#[test]
fn what_is_not_json_is_refused_with_its_place() {
    for (text, expected) in [
        ("{\n  \"a\": 1\n  \"b\": 2\n}", "line 3, column 3: expected , or }"),
        ("{\"ä\": tru}", "line 1, column 7: expected a value"),
        ("{'a': 1}", "line 1, column 2: expected a key in double quotes or }"),
        ("{,}", "line 1, column 2: expected a key in double quotes or }"),
        ("{\"a\" 1}", "line 1, column 6: expected : after the key"),
        ("{\"a\":", "line 1, column 6: a value is missing at the end of the file"),
        ("{\"a", "line 1, column 2: this text does not end"),
        ("{\"a\\", "line 1, column 2: this text does not end"),
        (
            "{\"\\x\": 1}",
            "line 1, column 2: this text has an escape or a character that JSON does not allow",
        ),
        ("{} /* a", "line 1, column 4: this comment does not end"),
        ("{} / a", "line 1, column 4: a comment begins with // or /*"),
        ("\u{feff}{}\r\n{}", "line 2, column 1: nothing may follow the value"),
        ("{\"a\": 01}", "line 1, column 7: expected a value"),
        ("[1 2]", "line 1, column 4: expected , or ]"),
        ("é", "line 1, column 1: expected a value"),
    ] {
        assert_eq!(refusal(text), expected, "{text}");
    }
    let deep = "[".repeat(100_000);
    assert_eq!(refusal(&deep), "line 1, column 129: this is nested too deeply");
}

#[test]
fn another_kind_of_value_is_not_overwritten() {
    for (text, expected) in [
        (r#"{"mcpServers": []}"#, "\"mcpServers\" is a list, not an object"),
        (r#"{"mcpServers": null}"#, "\"mcpServers\" is null, not an object"),
        (r#"{"mcpServers": "x"}"#, "\"mcpServers\" is a text, not an object"),
        (r#"{"mcpServers": 1}"#, "\"mcpServers\" is a number, not an object"),
        (r#"{"mcpServers": true}"#, "\"mcpServers\" is true or false, not an object"),
        ("[]", "the file's value is a list, not an object"),
    ] {
        assert_eq!(refusal(text), expected);
    }
    let wrong = set_element(r#"{"list": {}}"#, "list", "x", |_| false).unwrap_err();
    assert_eq!(wrong.to_string(), "\"list\" is an object, not a list");
}

#[test]
fn an_element_is_added_once_and_takes_the_place_of_its_forerunner() {
    let put = |text| set_element(text, "list", "new", |old| old == "old").unwrap();
    assert_eq!(put("{}"), "{\n  \"list\": [\n    \"new\"\n  ]\n}");
    assert_eq!(put(r#"{"list": []}"#), r#"{"list": ["new"]}"#);
    assert_eq!(put(r#"{"list": ["a", 1]}"#), r#"{"list": ["a", 1, "new"]}"#);
    assert_eq!(put(r#"{"list": ["old", "old", "a",]}"#), r#"{"list": ["new", "old", "a",]}"#);
    assert_eq!(put(r#"{"list": ["old", "new"]}"#), r#"{"list": ["old", "new"]}"#);
    assert_eq!(
        put("{\n  \"list\": [\n    \"a\" // first\n  ]\n}"),
        "{\n  \"list\": [\n    \"a\", // first\n    \"new\"\n  ]\n}"
    );
}

#[test]
fn a_value_is_found_by_its_path() {
    let text = r#"{"a": {"b": [1, /* two */ 2,]}}"#;
    assert_eq!(lookup(text, &["a", "b"]).unwrap(), Some(json!([1, 2])));
    assert_eq!(lookup(text, &["a", "c"]).unwrap(), None);
    assert_eq!(lookup(text, &["a", "b", "c"]).unwrap(), None);
    assert_eq!(lookup("", &["a"]).unwrap(), None);
}

/// How a random document is written down.
#[derive(Clone, Debug)]
struct Style {
    indent: &'static str,
    newline: &'static str,
    spread: bool,
    trailing: bool,
    comments: Vec<u8>,
    mark: bool,
}

impl Style {
    fn write(&self, value: &Value) -> String {
        let mut text = String::from(if self.mark { "\u{feff}" } else { "" });
        let mut next = 0;
        self.comment(&mut text, &mut next);
        self.value(value, 0, &mut text, &mut next);
        self.comment(&mut text, &mut next);
        text
    }

    fn comment(&self, text: &mut String, next: &mut usize) {
        let kind = self.comments.get(*next % self.comments.len().max(1)).copied().unwrap_or(0);
        *next += 1;
        match kind {
            1 => text.push_str(" /* { \" , */ "),
            2 => text.extend([" // } \" ,", self.newline]),
            3 => *text += self.newline,
            4 => text.extend(["/*", self.newline, "*/"]),
            _ => {}
        }
    }

    fn line(&self, depth: usize, text: &mut String) {
        if self.spread {
            *text += self.newline;
            *text += &self.indent.repeat(depth);
        }
    }

    fn value(&self, value: &Value, depth: usize, text: &mut String, next: &mut usize) {
        let (items, ends): (Vec<(Option<&String>, &Value)>, _) = match value {
            Value::Object(members) => {
                (members.iter().map(|(key, value)| (Some(key), value)).collect(), "{}")
            }
            Value::Array(values) => (values.iter().map(|value| (None, value)).collect(), "[]"),
            scalar => return *text += &scalar.to_string(),
        };
        text.push_str(&ends[..1]);
        let count = items.len();
        for (index, (key, value)) in items.into_iter().enumerate() {
            self.line(depth + 1, text);
            if let Some(key) = key {
                *text += &json!(key).to_string();
                self.comment(text, next);
                text.push(':');
                self.comment(text, next);
            }
            self.value(value, depth + 1, text, next);
            self.comment(text, next);
            if index + 1 < count || self.trailing {
                text.push(',');
            }
            self.comment(text, next);
        }
        if count > 0 {
            self.line(depth, text);
        } else {
            self.comment(text, next);
        }
        text.push_str(&ends[1..]);
    }
}

fn style() -> impl Strategy<Value = Style> {
    (
        prop::sample::select(vec!["  ", "    ", "\t", ""]),
        prop::sample::select(vec!["\n", "\r\n"]),
        any::<bool>(),
        any::<bool>(),
        prop_oneof![Just(vec![]), prop::collection::vec(0_u8..5, 1..7)],
        any::<bool>(),
    )
        .prop_map(|(indent, newline, spread, trailing, comments, mark)| Style {
            indent,
            newline,
            spread,
            trailing,
            comments,
            mark,
        })
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("mcpServers".to_owned()),
        Just("openspace".to_owned()),
        "[a-z\"\\\\/*,{}\\[\\] \u{1}-\u{1f}é😀]{0,6}",
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        key().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            object(inner).prop_map(Value::Object),
        ]
    })
}

fn object(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::vec((key(), inner), 0..4).prop_map(|members| members.into_iter().collect())
}

/// A document whose servers, if it has any, are an object.
fn document() -> impl Strategy<Value = Value> {
    (object(value()), prop::option::of(object(value()))).prop_map(|(mut root, servers)| {
        root.shift_remove("mcpServers");
        if let Some(servers) = servers {
            let at = root.len() / 2;
            root.shift_insert(at, "mcpServers".to_owned(), Value::Object(servers));
        }
        Value::Object(root)
    })
}

/// Whether `new` is `old` with something added at one place.
fn one_addition(old: &str, new: &str) -> bool {
    let same = |(a, b): &(u8, u8)| a == b;
    let head = old.bytes().zip(new.bytes()).take_while(same).count();
    let tail = old.bytes().rev().zip(new.bytes().rev()).take_while(same).count();
    new.len() > old.len() && head + tail >= old.len()
}

/// The same, if the comma that the last item needs stands before a comment.
fn addition(old: &str, new: &str) -> bool {
    let head = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    let after_comma =
        || new.as_bytes()[head] == b',' && one_addition(&old[head..], &new[head + 1..]);
    one_addition(old, new) || after_comma()
}

proptest! {
    #[test]
    fn every_document_is_read_as_what_it_says(value in value(), style in style()) {
        prop_assert_eq!(parse(&style.write(&value)).unwrap().unwrap().value(), value);
    }

    #[test]
    fn only_the_entry_changes(value in document(), style in style()) {
        let old = style.write(&value);
        let new = set(&old, &PATH, &small()).unwrap();
        let mut expected = value.clone();
        expected["mcpServers"]["openspace"] = small();
        prop_assert_eq!(parse(&new).unwrap().unwrap().value(), expected.clone());
        let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        prop_assert_eq!(keys(&parse(&new).unwrap().unwrap().value()), keys(&expected));

        let root = parse(&old).unwrap().unwrap();
        let servers = root.member("mcpServers").map(|member| &member.value);
        if let Some(entry) = servers.and_then(|servers| servers.member("openspace")) {
            let span = &entry.value.span;
            prop_assert!(new.starts_with(&old[..span.start]) && new.ends_with(&old[span.end..]));
        } else {
            prop_assert!(addition(&old, &new), "{}", new);
        }
        prop_assert_eq!(set(&new, &PATH, &small()).unwrap(), new);
    }

    #[test]
    fn only_the_element_is_added(list in prop::collection::vec(value(), 0..4), style in style()) {
        let old = style.write(&json!({"a": 1, "list": list}));
        let new = set_element(&old, "list", "http://new", |_| false).unwrap();
        let mut expected = list;
        expected.push(json!("http://new"));
        prop_assert_eq!(parse(&new).unwrap().unwrap().value(), json!({"a": 1, "list": expected}));
        prop_assert!(addition(&old, &new), "{}", new);
        prop_assert_eq!(set_element(&new, "list", "http://new", |_| false).unwrap(), new);
    }

    #[test]
    fn damaged_documents_are_refused_or_edited_whole(
        value in document(), style in style(), at in any::<prop::sample::Index>(), byte in "[ -~\n]?"
    ) {
        let mut text: Vec<char> = style.write(&value).chars().collect();
        let at = at.index(text.len());
        text.splice(at..=at, byte.chars());
        let old: String = text.into_iter().collect();
        if let Ok(new) = set(&old, &PATH, &small()) {
            prop_assert_eq!(lookup(&new, &PATH).unwrap(), Some(small()));
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "[\\[\\]{}\",:/*\\\\a0-9\n é-]{0,40}") {
        let _result = parse(&text);
    }
}
