//! What is read out of greetings and registrations.

#![expect(clippy::needless_pass_by_value, reason = "a test writes its values where it uses them")]

use pretty_assertions::assert_eq;

use super::*;

fn greeted(capabilities: Value) -> Abilities {
    Abilities::greeted(json!({"capabilities": capabilities})).unwrap()
}

#[test]
fn how_texts_are_told_is_read_in_both_forms() {
    let cases = [
        (json!({}), (false, Change::Nothing, None)),
        (json!({"textDocumentSync": 2}), (true, Change::Pieces, Some(false))),
        (json!({"textDocumentSync": 0}), (false, Change::Nothing, None)),
        (
            json!({"textDocumentSync": {"openClose": true, "change": 1}}),
            (true, Change::Whole, None),
        ),
        (
            json!({"textDocumentSync": {"openClose": true, "change": 2, "save": true}}),
            (true, Change::Pieces, Some(false)),
        ),
        (
            json!({"textDocumentSync": {"save": {"includeText": true}, "change": 7}}),
            (false, Change::Nothing, Some(true)),
        ),
        (json!({"textDocumentSync": "all"}), (false, Change::Nothing, None)),
    ];
    for (said, (open_close, change, save)) in cases {
        assert_eq!(greeted(said.clone()).sync(), TextSync { open_close, change, save }, "{said}");
    }
}

#[test]
fn only_the_columns_that_were_offered_are_spoken() {
    let encoded = |encoding: Value| {
        Abilities::greeted(json!({"capabilities": {"positionEncoding": encoding}}))
    };
    assert!(encoded(json!(null)).is_ok() && encoded(json!("utf-16")).is_ok());
    let why = encoded(json!("utf-8")).unwrap_err();
    assert_eq!(why, "it counts columns in \"utf-8\", which it was not offered");
    for nonsense in [json!(null), json!([]), json!({"capabilities": 7})] {
        assert!(!Abilities::greeted(nonsense).unwrap().can("textDocument/hover", None));
    }
}

#[test]
fn what_it_can_is_said_in_the_greeting_or_later() {
    let mut abilities = greeted(json!({
        "hoverProvider": true, "renameProvider": {"prepareProvider": true}, "referencesProvider": false,
        "completionProvider": {},
    }));
    let python = Uri::read("file:///a/b.py");
    let can =
        |abilities: &Abilities, method: &str| abilities.can(method, Some((&python, "python")));
    for method in [
        "textDocument/hover",
        "textDocument/rename",
        "textDocument/prepareRename",
        "completionItem/resolve",
        "rust-analyzer/expandMacro",
    ] {
        assert!(can(&abilities, method), "{method}");
    }
    assert!(!can(&abilities, "textDocument/references"));
    abilities.register(
        "1",
        "textDocument/references",
        json!({"documentSelector": [{"language": "python"}]}),
    );
    abilities.register("2", "textDocument/semanticTokens", json!({"documentSelector": null}));
    assert!(
        can(&abilities, "textDocument/references")
            && can(&abilities, "textDocument/semanticTokens/range")
    );
    abilities.unregister("1");
    assert!(!can(&abilities, "textDocument/references"));
}

#[test]
fn a_selector_is_about_language_scheme_and_path() {
    let cases = [
        (json!(null), true),
        (json!([]), false),
        (json!(["python"]), true),
        (json!([{"language": "rust"}, {"language": "python", "scheme": "file"}]), true),
        (json!([{"scheme": "untitled"}]), false),
        (json!([{"language": "*", "pattern": "**/*.{py,pyi}"}]), true),
        (json!([{"pattern": "**/*.rs"}]), false),
        (json!([{"pattern": {"baseUri": "file:///a", "pattern": "*.py"}}]), true),
        (json!([{"pattern": {"baseUri": "file:///b", "pattern": "*.py"}}]), false),
    ];
    let uri = Uri::read("file:///a/b.py");
    for (selector, expected) in cases {
        let mut abilities = Abilities::default();
        abilities.register("1", "textDocument/hover", json!({"documentSelector": selector}));
        let can = |language: &str| abilities.can("textDocument/hover", Some((&uri, language)));
        assert_eq!(
            (can("python"), abilities.can("textDocument/hover", None)),
            (expected, true),
            "{selector}"
        );
        // Of a document that is not open nobody knows the language.
        assert!(can("") || !expected);
    }
}

#[test]
fn diagnostics_are_pulled_under_every_name() {
    let uri = Uri::read("file:///a.cs");
    let mut abilities = greeted(json!({"diagnosticProvider": {"interFileDependencies": true}}));
    assert_eq!(abilities.pulls(&uri, "csharp"), [""]);
    abilities.register("1", "textDocument/diagnostic", json!({"identifier": "syntax"}));
    abilities.register("2", "textDocument/diagnostic", json!({"identifier": "syntax"}));
    abilities.register(
        "3",
        "textDocument/diagnostic",
        json!({"identifier": "x", "documentSelector": ["html"]}),
    );
    assert_eq!(abilities.pulls(&uri, "csharp"), ["", "syntax"]);
    assert_eq!(greeted(json!({})).pulls(&uri, "csharp"), [""; 0]);
}

#[test]
fn registrations_are_bounded() {
    let mut abilities = Abilities::default();
    let kept = (0..MOST_REGISTRATIONS + 5)
        .filter(|number| abilities.register(&number.to_string(), "textDocument/hover", Value::Null))
        .count();
    assert_eq!(kept, MOST_REGISTRATIONS);
    assert!(abilities.register("0", "textDocument/rename", Value::Null));
}

#[test]
fn folders_are_added_only_to_those_who_want_to_hear_of_them() {
    let folders =
        |said: Value| greeted(json!({"workspace": {"workspaceFolders": said}})).takes_folders();
    assert!(folders(json!({"supported": true, "changeNotifications": true})));
    assert!(folders(json!({"supported": true, "changeNotifications": "id"})));
    assert!(!folders(json!({"supported": true})) && !folders(json!(null)));
}

#[test]
fn what_it_can_is_told_by_method() {
    let mut abilities = Abilities::greeted(json!({"capabilities": {
        "hoverProvider": true, "definitionProvider": false, "renameProvider": {"prepareProvider": true},
        "semanticTokensProvider": {"legend": {"tokenTypes": ["class"]}, "full": true},
        "completionProvider": {"triggerCharacters": ["."], "resolveProvider": true},
    }}))
    .unwrap();
    abilities.register("a", "textDocument/completion", json!({"triggerCharacters": [".", ":"]}));
    abilities.register("b", "textDocument/hover", json!({"documentSelector": [{"language": "x"}]}));
    abilities.register("c", "textDocument/semanticTokens", json!({"range": true}));
    abilities.register("d", "workspace/didChangeConfiguration", Value::Null);
    abilities.register("e", "textDocument/formatting", Value::Null);
    let expected = json!({
        "textDocument/completion": {"triggerCharacters": [".", ":"], "resolveProvider": true},
        "textDocument/hover": true,
        "textDocument/rename": {"prepareProvider": true},
        "textDocument/semanticTokens": {"legend": {"tokenTypes": ["class"]}, "full": true, "range": true},
        "textDocument/formatting": true,
    });
    assert_eq!(Value::Object(abilities.by_method()), expected);
}
