//! The loose rules: what each one finds, how the new text is fitted in, and what none may do.

use super::*;

const PYTHON: &str = "class Shop:\n    def total(self, items):\n        amount = 0\n        \
                      for item in items:\n            amount += item.price\n        return amount\n";

#[test]
fn wrong_indentation_is_corrected_in_the_new_text() {
    let old = "def total(self, items):\n    amount = 0\n    for item in items:\n        \
               amount += item.price\n    return amount\n";
    let new = "def total(self, items):\n    amount = 0\n    for item in items:\n        \
               if item.price:\n            amount += item.price\n    return amount\n\n\
               def count(self, items):\n    return len(items)\n";
    assert_eq!(
        outcome(PYTHON, old, new),
        (
            "class Shop:\n    def total(self, items):\n        amount = 0\n        \
             for item in items:\n            if item.price:\n                \
             amount += item.price\n        return amount\n\n    def count(self, items):\n        \
             return len(items)\n"
                .to_owned(),
            Rule::LineTrimmed
        )
    );
}

#[test]
fn a_first_line_without_its_indentation_misleads_no_other_line() {
    let text = "fn run() {\n        call(  \n            first,\n        );\n}\n";
    assert_eq!(
        outcome(
            text,
            "call(\n            first,\n        );",
            "call(\n            second,\n        )?;\n        done();"
        ),
        (
            "fn run() {\n        call(  \n            second,\n        )?;\n        done();\n}\n"
                .to_owned(),
            Rule::LineTrimmed
        )
    );
}

#[test]
fn blanks_at_the_ends_of_lines_do_not_matter_and_stay_where_nothing_changes() {
    assert_eq!(
        outcome(
            "let a = 1;  \nlet b = 2;\t\nlet c = 3;\n",
            "let a = 1;\nlet b = 2;\n",
            "let a = 1;\nlet b = 4;\n"
        ),
        ("let a = 1;  \nlet b = 4;\nlet c = 3;\n".to_owned(), Rule::LineTrimmed)
    );
}

#[test]
fn blanks_are_turned_into_the_tabs_of_the_file() {
    let text = "func main() {\n\tif ready {\n\t\tstart()\n\t}\n}\n";
    assert_eq!(
        outcome(
            text,
            "    if ready {\n        start()\n    }\n",
            "    if ready {\n        for {\n            start()\n        }\n    }\n"
        ),
        (
            "func main() {\n\tif ready {\n\t\tfor {\n\t\t\tstart()\n\t\t}\n\t}\n}\n".to_owned(),
            Rule::LineTrimmed
        )
    );
}

#[test]
fn tabs_are_turned_into_the_blanks_of_the_file() {
    assert_eq!(
        outcome("a:\n  - b\n  - c:\n      d\n", "\t- b\n", "\t- b:\n\t\te\n"),
        ("a:\n  - b:\n    e\n  - c:\n      d\n".to_owned(), Rule::LineTrimmed)
    );
}

#[test]
fn all_lines_that_match_when_trimmed_can_be_replaced() {
    let edited = run("  a  \nb\n\ta\n", &[edit_all("a \n", "c\n")]).unwrap();
    assert_eq!(edited.text, "  c\nb\n\tc\n");
    assert_eq!((edited.replacements, edited.rules), (2, vec![Rule::LineTrimmed]));
}

#[test]
fn anchors_find_a_block_whose_middle_is_remembered_badly() {
    let text = "fn load(path: &Path) -> Config {\n    let text = read_to_string(path)?;\n    \
                let config = toml::from_str(&text)?;\n    check(&config);\n    config\n}\n\n\
                fn other() {\n}\n";
    let old = "fn load(path: &Path) -> Config {\n    let text = read_to_string(path).unwrap();\n    \
               let config = toml::from_str(&text).unwrap();\n    config\n}";
    let new = "fn load(path: &Path) -> Config {\n    parse(path)\n}";
    assert_eq!(
        outcome(text, old, new),
        (
            "fn load(path: &Path) -> Config {\n    parse(path)\n}\n\nfn other() {\n}\n".to_owned(),
            Rule::BlockAnchor
        )
    );
}

#[test]
fn anchors_around_something_else_find_nothing() {
    let text = "fn load() {\n    let socket = connect(address);\n    socket.send(&greeting);\n}\n";
    let old = "fn load() {\n    if cache.is_empty() {\n        return;\n    }\n}";
    assert_eq!(
        refusal(text, old, "fn load() {}"),
        EditError::NotFound {
            edit: ONLY,
            nearest: Some(Nearest { line: 1, text: text.trim_end().to_owned() }),
        }
    );
}

#[test]
fn the_nearest_text_is_the_one_with_the_fewest_letters_to_change() {
    let text = "total = total\nprice = price\nsum = 0\ntotal += price\n";
    let nearest = Nearest { line: 4, text: "total += price".to_owned() };
    let error = refusal(text, "total = price", "total = 0");
    assert_eq!(error, EditError::NotFound { edit: ONLY, nearest: Some(nearest) });
    let hint = "the most similar text is on line 4:\ntotal += price";
    assert_eq!(error.hint(), hint);
    // What only has some letters in common is no help.
    let error = refusal("let a = [1, 2, 3];\n", "fn connect(address: &str) {", "x");
    assert_eq!(error, EditError::NotFound { edit: ONLY, nearest: None });
}

#[test]
fn other_blanks_and_line_breaks_between_words_are_found() {
    assert_eq!(
        outcome("x = call(first,   second)\ny = 2\n", "call(first, second)", "call(second)"),
        ("x = call(second)\ny = 2\n".to_owned(), Rule::WhitespaceNormalized)
    );
    let text =
        "impl A {\n    fn long(\n        a: u8, b: u8,\n    ) -> u8 {\n        a + b\n    }\n}\n";
    assert_eq!(
        outcome(
            text,
            "fn long( a: u8, b: u8, ) -> u8 {\n    a + b\n}\n",
            "fn long(a: u8) -> u8 {\n    a + b\n}\n"
        ),
        (
            "impl A {\n    fn long(a: u8) -> u8 {\n        a + b\n    }\n}\n".to_owned(),
            Rule::WhitespaceNormalized
        )
    );
}

#[test]
fn indentation_tells_apart_what_trimmed_lines_cannot() {
    let text = "if a:\n    if b:\n        go()\n    stop()\nif b:\n    go()\n    stop()\n";
    assert_eq!(
        outcome(text, "  if b:\n      go()\n  stop()", "  if c:\n      go()\n  stop()"),
        (
            "if a:\n    if c:\n        go()\n    stop()\nif b:\n    go()\n    stop()\n".to_owned(),
            Rule::IndentationFlexible
        )
    );
}

#[test]
fn escapes_written_by_mistake_are_read_in_both_texts() {
    let text = "fn main() {\n    say(\"hello\");\n}\n";
    assert_eq!(
        outcome(
            text,
            r#"fn main() {\n    say(\"hello\");"#,
            r#"fn main() {\n    say(\"good\tbye\\n\");"#
        ),
        ("fn main() {\n    say(\"good\tbye\\n\");\n}\n".to_owned(), Rule::EscapeNormalized)
    );
}

#[test]
fn blanks_and_blank_lines_around_the_text_do_not_matter() {
    assert_eq!(
        outcome("a();\nb();\nc();\n", "\n\nb();\n\n", "\n\nd();\ne();\n\n"),
        ("a();\nd();\ne();\nc();\n".to_owned(), Rule::TrimmedBoundary)
    );
    assert_eq!(
        outcome("go(a, b);\n", " a, b ", " c "),
        ("go(c);\n".to_owned(), Rule::TrimmedBoundary)
    );
    assert_eq!(outcome("a();\n  b();\nc();\n", "\n\nb();\n\n", "").0, "a();\nc();\n");
}

#[test]
fn half_of_the_lines_between_the_anchors_are_enough_of_context() {
    let text = "match key {\n    Key::Up => up(),\n    Key::Down => down(),\n    \
                Key::Left => self.view.scroll_by(-1, 0),\n    Key::Home => home(),\n    \
                Key::F1 => open_the_manual_in_a_browser(),\n}\n";
    let old = "match key {\n    Key::Up => up(),\n    Key::Down => down(),\n    _ => {}\n    \
               Key::Home => home(),\n    q\n}";
    assert_eq!(
        outcome(text, old, "match key {\n    _ => ignore(),\n}"),
        ("match key {\n    _ => ignore(),\n}\n".to_owned(), Rule::ContextAware)
    );
}

#[test]
fn a_loose_rule_never_chooses_between_places() {
    let text = "if a {\n    go();\n}\nif b {\n\tgo();\n}\n";
    let error = refusal(text, "go(); \n}", "stop();\n}");
    assert_eq!(
        error,
        EditError::Several { edit: ONLY, rule: Rule::LineTrimmed, count: 2, lines: vec![2, 5] }
    );
    let twice = "fn a() {\n    first(one);\n    second(two);\n}\n".repeat(2);
    let error = refusal(&twice, "fn a() {\n    first(1);\n    second(two);\n}", "fn a() {}");
    assert_eq!(
        error,
        EditError::Several { edit: ONLY, rule: Rule::BlockAnchor, count: 2, lines: vec![1, 5] }
    );
    assert_eq!(
        error.hint(),
        "2 places match, on lines 1, 5: give more lines around the place meant"
    );
}

#[test]
fn a_place_far_larger_than_the_text_is_refused() {
    let gap = "\n".repeat(10);
    let error = refusal(&format!("start\nbegin{gap}end\n"), "begin end", "");
    assert_eq!(
        error,
        EditError::Disproportionate {
            edit: ONLY,
            rule: Rule::WhitespaceNormalized,
            line: 2,
            lines: 11,
            given: 1,
        }
    );
    assert_eq!(
        error.to_string(),
        "old_string has 1 lines, but the only place like it has 11, from line 2"
    );
    let text = format!("let x = {{\n  a: 1,\n  b: {},\n}};\n", "long".repeat(100));
    let error = refusal(&text, "let x = {\n  a: 1,\n  q\n};", "");
    assert!(
        matches!(error, EditError::Disproportionate { rule: Rule::ContextAware, .. }),
        "{error:?}"
    );
}

#[test]
fn no_rule_begins_or_ends_inside_a_word() {
    let inside = [
        ("single\n", " in\n\n"),
        ("recall(first,  second)\n", "call(first, second)"),
        ("call(first,  second2)\n", "call(first, second"),
    ];
    for (text, old) in inside {
        let error = refusal(text, old, "x");
        assert!(matches!(error, EditError::NotFound { .. }), "{error:?}");
    }
}

#[test]
fn blanks_alone_are_only_found_as_given() {
    assert_eq!(
        refusal("a\n\n\nb\n", "  \n", "x"),
        EditError::NotFound { edit: ONLY, nearest: None }
    );
}

#[test]
fn all_places_are_never_found_by_looser_rules() {
    let text = "x = call(first,   second)\n";
    let error = run(text, &[edit_all("call(first, second)", "call()")]).unwrap_err();
    assert!(matches!(error, EditError::NotFound { .. }), "{error:?}");
}

#[test]
fn large_texts_get_no_rule_looser_than_trimmed_lines() {
    let filler = "filler line\n".repeat(MAX_LOOSE_BYTES / 12 + 1);
    let text = format!("{filler}    x = call(first,   second)\n");
    let error = refusal(&text, "call(first, second)", "call()");
    assert_eq!(error, EditError::NotFound { edit: ONLY, nearest: None });
    let (made, rule) = outcome(&text, "x = call(first,   second)  ", "x = 1");
    assert_eq!((made, rule), (format!("{filler}    x = 1\n"), Rule::LineTrimmed));
}
