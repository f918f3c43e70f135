//! What schemas become.

use openspace_workspace::registry;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::*;

/// The declarations that one schema makes, its own first.
fn check(schema: Value, expected: &str) {
    let mut book = Book::default();
    let root = book.fixed("area.verb", false, "Root", schema);
    let named = book.named();
    let texts: Vec<String> =
        std::iter::once(named.declaration(root)).chain(named.shared()).collect();
    assert_eq!(texts.join("\n"), expected.trim_start());
}

#[test]
fn objects_become_interfaces() {
    check(
        json!({
            "description": "A thing.\nOf two lines.\n\nMore is not shown.",
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "Its name; `a*/b` is one."},
                "count": {"type": "integer", "minimum": 0, "format": "uint32"},
                "share": {"type": ["number", "null"]},
                "is-odd": {"type": "boolean"},
                "tags": {"type": "array", "items": {"type": ["string", "null"]}},
                "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}]},
                "byName": {"type": "object", "additionalProperties": {"type": "number"}},
                "anything": true,
                "open": {"type": "object"},
                "closed": {"type": "object", "additionalProperties": false},
                "inner": {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]},
            },
            "required": ["name", "count", "share", "tags", "pair", "inner"],
        }),
        r"
/** A thing. Of two lines. */
export interface Root {
  /** Its name; `a*\/b` is one. */
  name: string;
  count: number;
  share: number | null;
  'is-odd'?: boolean;
  tags: (string | null)[];
  pair: [string, number];
  byName?: Record<string, number>;
  anything?: unknown;
  open?: Record<string, unknown>;
  closed?: Record<string, never>;
  inner: { x: number };
}
",
    );
}

#[test]
fn words_and_tagged_forms_become_unions() {
    check(
        json!({
            "oneOf": [
                {"type": "string", "enum": ["a", "it's"]},
                {"type": "string", "const": "b", "description": "The second."},
            ],
        }),
        r"
export type Root =
  | 'a'
  | 'it\'s'
  /** The second. */
  | 'b';
",
    );
    check(
        json!({
            "oneOf": [
                {"type": "object", "properties": {"type": {"const": "on"}}, "required": ["type"]},
                {
                    "type": "object", "$ref": "#/$defs/Off",
                    "properties": {"type": {"const": "off"}}, "required": ["type"],
                },
            ],
            "$defs": {"Off": {
                "type": "object", "properties": {"why": {"type": "string"}}, "required": ["why"],
            }},
        }),
        r"
export type Root = { type: 'on' } | ({ type: 'off' } & Off);

export interface Off {
  why: string;
}
",
    );
}

#[test]
fn flattened_forms_stand_beside_the_fields() {
    check(
        json!({
            "type": "object",
            "properties": {"id": {"type": "string", "description": "Which."}},
            "required": ["id"],
            "anyOf": [{"$ref": "#/$defs/Tree"}, {"type": "null"}],
            "$defs": {"Tree": {
                "type": "object",
                "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}},
                "required": ["children"],
            }},
        }),
        r"
export type Root = {
  /** Which. */
  id: string;
} & (Tree | null);

export interface Tree {
  children: Tree[];
}
",
    );
}

#[test]
fn what_callers_may_leave_out_need_not_be_null_too() {
    let schema = json!({
        "type": "object",
        "properties": {"line": {"type": ["integer", "null"]}, "must": {"type": ["string", "null"]}},
        "required": ["must"],
    });
    let mut book = Book::default();
    let given = book.fixed("area.verb", true, "Args", schema.clone());
    let told = book.fixed("area.verb", false, "Told", schema);
    let named = book.named();
    assert_eq!(
        named.declaration(given),
        "export interface Args {\n  line?: number;\n  must: string | null;\n}\n"
    );
    assert_eq!(
        named.declaration(told),
        "export interface Told {\n  line?: number | null;\n  must: string | null;\n}\n"
    );
}

/// A document that uses one definition, called `Thing`.
fn using(property: &str) -> Value {
    json!({
        "type": "object",
        "properties": {"thing": {"$ref": "#/$defs/Thing"}},
        "required": ["thing"],
        "$defs": {"Thing": {"type": "object", "properties": {property: {"type": "string"}}}},
    })
}

fn names_of(documents: &[(&str, bool, Value)]) -> (Vec<String>, Vec<String>) {
    let mut book = Book::default();
    let roots: Vec<Entry> = documents
        .iter()
        .enumerate()
        .map(|(number, (owner, given, schema))| {
            book.fixed(owner, *given, &format!("Root{number}"), schema.clone())
        })
        .collect();
    let named = book.named();
    let line = |text: String, at: usize| text.lines().nth(at).unwrap_or_default().to_owned();
    let uses = roots.iter().map(|&root| line(named.declaration(root), 1)).collect();
    (uses, named.shared().into_iter().map(|text| line(text, 0)).collect())
}

#[test]
fn equal_definitions_are_one_and_different_ones_have_different_names() {
    let same = names_of(&[("a.x", false, using("one")), ("b.y", true, using("one"))]);
    assert_eq!(same, (vec!["  thing: Thing;".into(); 2], vec!["export interface Thing {".into()]));
    let (uses, _) = names_of(&[("a.x", true, using("one")), ("b.y", false, using("two"))]);
    assert_eq!(uses, ["  thing: ThingInput;", "  thing: Thing;"]);
    let (uses, shared) = names_of(&[
        ("a.x", false, using("one")),
        ("b.y", false, using("two")),
        ("b.z", false, using("three")),
    ]);
    assert_eq!(uses, ["  thing: AThing;", "  thing: BYThing;", "  thing: BThing;"]);
    assert_eq!(shared.len(), 3);
}

#[test]
fn an_equal_result_is_another_name_for_the_first() {
    let schema =
        json!({"title": "Closed", "type": "object", "properties": {"id": {"type": "string"}}});
    let mut book = Book::default();
    let first = book.fixed("a.close", false, "ACloseResult", schema.clone());
    let second = book.fixed("b.close", false, "BCloseResult", schema);
    let named = book.named();
    assert_eq!(named.declaration(first), "export interface ACloseResult {\n  id?: string;\n}\n");
    assert_eq!(named.declaration(second), "export type BCloseResult = ACloseResult;\n");
}

#[test]
fn long_lines_are_broken() {
    let words: Vec<String> = (100..115).map(|number| format!("word{number}")).collect();
    let expected: Vec<String> = words.iter().map(|word| format!("    | '{word}'")).collect();
    let long = "long ".repeat(21);
    check(
        json!({
            "type": "object",
            "properties": {"word": {"enum": words, "description": long.trim_end()}},
        }),
        &format!(
            "export interface Root {{\n  /**\n   * {}\n   * long long\n   */\n  word?:\n{};\n}}\n",
            "long ".repeat(19).trim_end(),
            expected.join("\n")
        ),
    );
}

#[test]
fn commands_are_in_one_table() {
    let declared = Declared {
        args: || json!({"type": "object", "additionalProperties": false}),
        result: || json!({"title": "Done", "type": "object", "properties": {"id": {"type": "string"}}}),
    };
    let command = |id: &str| Command { id: id.to_owned(), doc: "Do it.".to_owned(), declared };
    let text =
        file(Book::default(), &[], &[command("openspace.area.do_it"), command("openspace.b.x")]);
    let expected = "
/** Every command: what it takes and what it gives. */
export interface Commands {
  /** Do it. */
  'openspace.area.do_it': { args: NoArgs; result: AreaDoItResult };
  /** Do it. */
  'openspace.b.x': { args: NoArgs; result: BXResult };
}

export interface AreaDoItResult {
  id?: string;
}

export type BXResult = AreaDoItResult;
";
    assert_eq!(text, format!("{OPENING}{expected}"));
}

#[test]
fn parts_are_told_by_name_and_type() {
    let layout = json!({"type": "object", "additionalProperties": {"type": "string"}});
    let editors = json!({"type": "object", "additionalProperties": {"type": "number"}});
    let mut book = Book::default();
    let entries = stream(&mut book, &[("layout", layout), ("editors", editors)]);
    let named = book.named();
    let texts: Vec<String> = entries.iter().map(|&entry| named.declaration(entry)).collect();
    assert_eq!(
        texts[..4].join("\n"),
        "\
export type LayoutPart = Record<string, string>;

export type EditorsPart = Record<string, number>;

/** The parts of the state, by name. */
export interface Parts {
  layout: LayoutPart;
  editors: EditorsPart;
}

/** The state changed: what to put into each part, and what is gone from it. */
export interface StateChanged {
  type: 'changed';
  patches: {
    layout?: { put?: LayoutPart; removed?: string[] };
    editors?: { put?: EditorsPart; removed?: string[] };
  };
}
"
    );
    assert!(texts[5].contains("\n  | StateChanged\n"), "{}", texts[5]);
    assert!(texts[5].contains("record: CallRecord"), "{}", texts[5]);
    assert!(texts[5].contains("target: RevealTarget"), "{}", texts[5]);
    assert!(texts[6].ends_with("} & SpaceEvent;\n"), "{}", texts[6]);
}

#[test]
fn the_file_is_the_same_each_time_names_nothing_twice_and_has_short_lines() {
    let registry = registry();
    let text = types(&registry);
    assert_eq!(types(&registry), text);
    let long: Vec<&str> = text.lines().filter(|line| line.chars().count() > 110).collect();
    assert_eq!(long, [""; 0]);
    let declared = text.lines().filter_map(|line| line.strip_prefix("export "));
    let mut names: Vec<&str> = declared.filter_map(|line| line.split(' ').nth(1)).collect();
    names.sort_unstable();
    let mut unique = names.clone();
    unique.dedup();
    assert_eq!(names, unique);
    for definition in registry.all() {
        assert!(text.contains(&format!("\n  '{}': {{", definition.id)), "{}", definition.id);
    }
}
