//! What is left out of a listing, and what must not be.

use pretty_assertions::assert_eq;

use super::*;

#[test]
fn of_a_documentation_it_has_the_first_two_paragraphs_in_one_line() {
    assert_eq!(doc("Do it."), "Do it.");
    let whole = "Do it.\n\nWhat is done\nstays done.\n\nHow it came to be.";
    assert_eq!(doc(whole), "Do it. What is done stays done.");
}

#[test]
fn of_arguments_it_leaves_out_what_explains_itself_and_no_bound() {
    let full = json!({
        "type": "object", "additionalProperties": false, "required": ["how"],
        "properties": {
            "how": {
                "oneOf": [
                    {"type": "string", "const": "fast", "description": "At once."},
                    {"type": "string", "const": "well", "description": "In time."},
                ],
                "description": "How to\ndo it.\n\nNobody knows.",
            },
            "often": {"type": "integer", "minimum": 1, "maximum": 9, "default": 1},
            "workspace_id": {"type": "string", "description": "Which workspace."},
            "endLine": {"type": "integer", "description": "The end line.\n\nThe last one."},
            "description": {"type": "boolean", "default": false, "writeOnly": true},
            "name": {"type": "string", "description": "`push`, `pull`: the remote."},
            "strategy": {"type": "string", "description": "`pull`: `rebase` or `merge`."},
            "pieces": {
                "type": "array", "description": "What to do with it.",
                "items": {
                    "type": "object", "description": "Counting from 1.",
                    "additionalProperties": false, "required": ["first"],
                    "properties": {"first": {"type": "integer", "description": "The first."}},
                },
            },
        },
    });
    let listed = json!({
        "type": "object", "additionalProperties": false, "required": ["how"],
        "properties": {
            "how": {"description": "How to do it.", "type": "string", "enum": ["fast", "well"]},
            "often": {"type": "integer", "minimum": 1, "maximum": 9, "default": 1},
            "workspace_id": {"type": "string"},
            "endLine": {"type": "integer"},
            "description": {"type": "boolean"},
            "name": {"type": "string", "description": "push, pull"},
            "strategy": {"type": "string", "description": "`pull`: `rebase` or `merge`."},
            "pieces": {
                "type": "array", "description": "What to do with it.",
                "items": {
                    "type": "object", "description": "Counting from 1.", "required": ["first"],
                    "properties": {"first": {"type": "integer"}},
                },
            },
        },
    });
    assert_eq!(input(&full), listed);
}

#[test]
fn of_an_answer_it_has_names_and_types_of_all_its_forms() {
    let told = json!({
        "oneOf": [{"$ref": "#/$defs/Listed"}, {"$ref": "#/$defs/Made"}],
        "$defs": {
            "Listed": {
                "type": "object", "description": "All.", "required": ["action", "items"],
                "properties": {
                    "action": {"type": "string", "const": "list"},
                    "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
                    "count": {"type": "integer", "minimum": 0},
                },
            },
            "Made": {
                "type": "object", "required": ["action", "item"],
                "properties": {
                    "action": {"type": "string", "const": "make"},
                    "item": {"$ref": "#/$defs/Item"},
                    "count": {"type": "string"},
                },
            },
            "Item": {
                "type": "object", "required": ["name", "kind"],
                "properties": {
                    "name": {"type": "string"}, "kind": {"$ref": "#/$defs/Kind"},
                    "within": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
                },
            },
            "Kind": {"oneOf": [
                {"type": "string", "const": "a", "description": "An a."},
                {"type": "string", "enum": ["b", "c"]},
            ]},
        },
    });
    let listed = json!({
        "type": "object",
        "properties": {
            "success": {"type": "boolean"},
            "action": {"type": "string", "enum": ["list", "make"]},
            "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
            "count": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
            "item": {"$ref": "#/$defs/Item"},
        },
        "required": ["success"],
        "$defs": {"Item": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "kind": {"type": "string"},
                "within": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
            },
        }},
    });
    assert_eq!(output(Some(told)), listed);
}

#[test]
fn an_answer_that_nothing_is_known_of_is_still_an_answer() {
    let listed = json!({
        "type": "object", "properties": {"success": {"type": "boolean"}}, "required": ["success"],
    });
    assert_eq!(output(None), listed);
}

#[test]
fn what_may_be_missing_is_not_said_to_be_null_as_well() {
    let told = json!({
        "type": "object", "required": ["always"],
        "properties": {
            "always": {"type": ["string", "null"]},
            "often": {"type": ["string", "null"]},
            "seldom": {"anyOf": [{"type": "object", "properties": {}}, {"type": "null"}]},
        },
    });
    let listed = json!({
        "success": {"type": "boolean"}, "always": {"type": ["string", "null"]},
        "often": {"type": "string"}, "seldom": {"type": "object", "properties": {}},
    });
    assert_eq!(output(Some(told))["properties"], listed);
}
