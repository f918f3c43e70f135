//! What an edit does, what it refuses, and what it says then.

use super::*;

mod diffs;
mod endings;
mod fuzz;
mod loose;
mod patch;
mod properties;

fn edit(old: &str, new: &str) -> Replacement {
    Replacement { old: old.to_owned(), new: new.to_owned(), replace_all: false }
}

fn edit_all(old: &str, new: &str) -> Replacement {
    Replacement { replace_all: true, ..edit(old, new) }
}

/// The only edit of a call.
const ONLY: Which = Which { index: 0, of: 1 };

fn run(text: &str, edits: &[Replacement]) -> Result<Edited, EditError> {
    apply("src/lib.rs", text, edits)
}

/// The text and the rule that one edit leads to.
#[track_caller]
fn outcome(text: &str, old: &str, new: &str) -> (String, Rule) {
    let edited = run(text, &[edit(old, new)]).unwrap();
    assert_eq!(edited.replacements, 1);
    assert_eq!(patch::patch(text, &edited.diff), edited.text, "the diff leads to the text");
    (edited.text, edited.rules[0])
}

#[track_caller]
fn refusal(text: &str, old: &str, new: &str) -> EditError {
    run(text, &[edit(old, new)]).unwrap_err()
}

#[test]
fn one_place_is_replaced_and_counted() {
    let text = "const host = \"::\";\nconst port = 3000;\nlisten(host, port);\n";
    assert_eq!(
        run(text, &[edit("const port = 3000", "const port = 8080")]).unwrap(),
        Edited {
            text: "const host = \"::\";\nconst port = 8080;\nlisten(host, port);\n".to_owned(),
            replacements: 1,
            lines_added: 1,
            lines_removed: 1,
            rules: vec![Rule::Exact],
            diff: "--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -1,3 +1,3 @@\n const host = \"::\";\n\
                   -const port = 3000;\n+const port = 8080;\n listen(host, port);\n"
                .to_owned(),
            diff_truncated: false,
        }
    );
}

#[test]
fn the_new_text_is_taken_to_the_letter() {
    let new = r"$& $1 \1 \n ${x} $$ %s";
    assert_eq!(outcome("a [x] b", "[x]", new), (format!("a {new} b"), Rule::Exact));
}

#[test]
fn each_edit_sees_what_the_ones_before_it_made() {
    let edits = [edit("one", "two"), edit("two three", "four"), edit_all("o", "0")];
    let edited = run("one three\no\n", &edits).unwrap();
    assert_eq!(edited.text, "f0ur\n0\n");
    assert_eq!(edited.replacements, 4);
    assert_eq!((edited.lines_added, edited.lines_removed), (2, 2));
    assert_eq!(edited.rules, [Rule::Exact; 3]);
}

#[test]
fn edits_that_undo_each_other_leave_an_empty_diff() {
    let edited = run("a\nb\n", &[edit("a", "c"), edit("c", "a")]).unwrap();
    assert_eq!(edited.text, "a\nb\n");
    assert_eq!((edited.lines_added, edited.lines_removed), (0, 0));
    assert_eq!(edited.diff, "");
}

#[test]
fn all_places_are_replaced_when_all_are_wanted() {
    let edited = run("x = x + 1;\ny = 2;\nx = 3;\n", &[edit_all("x", "count")]).unwrap();
    assert_eq!(edited.text, "count = count + 1;\ny = 2;\ncount = 3;\n");
    assert_eq!(edited.replacements, 3);
    assert_eq!((edited.lines_added, edited.lines_removed), (2, 2));
}

#[test]
fn a_text_that_is_nowhere_is_an_error_that_names_the_argument() {
    let error = refusal("fn main() {}\n", "class Widget", "class Gadget");
    assert_eq!(error, EditError::NotFound { edit: ONLY, nearest: None });
    assert_eq!(error.to_string(), "old_string not found in content");
    assert_eq!(
        error.hint(),
        "read the file again; the text must match it, blanks and indentation too"
    );
}

#[test]
fn a_text_that_is_nowhere_names_what_is_most_like_it() {
    let text = "fn start() {\n    open();\n}\n\nfn stop(server: Server) {\n    \
                server.close_all_connections();\n    log(\"stopped\");\n}\n";
    let error =
        refusal(text, "fn stop(server: &Server) {\n    server.close_connections();\n", "fn stop()");
    assert_eq!(
        error,
        EditError::NotFound {
            edit: ONLY,
            nearest: Some(Nearest {
                line: 5,
                text: "fn stop(server: Server) {\n    server.close_all_connections();".to_owned(),
            }),
        }
    );
    assert_eq!(
        error.hint(),
        "the most similar text is on line 5:\nfn stop(server: Server) {\n    \
         server.close_all_connections();"
    );
}

#[test]
fn what_is_most_alike_is_cut_short() {
    let rows = |word: &str| {
        (0..40).map(|row| format!("{word} number {row};\n")).collect::<Vec<_>>().concat()
    };
    let error = refusal(&rows("call the function"), &rows("call that function"), "");
    let EditError::NotFound { nearest: Some(nearest), .. } = error else {
        panic!("something is similar: {error}");
    };
    assert_eq!(nearest.line, 1);
    assert_eq!(nearest.text.lines().count(), 10);
    assert!(nearest.text.ends_with("call the function number 9; […]"), "{}", nearest.text);
}

#[test]
fn several_places_are_an_error_in_the_words_of_the_specification() {
    let error = refusal(&"x();\n\n".repeat(7), "x()", "y()");
    assert_eq!(
        error,
        EditError::Several { edit: ONLY, rule: Rule::Exact, count: 7, lines: vec![1, 3, 5, 7, 9] }
    );
    assert_eq!(error.to_string(), "Found multiple matches for old_string");
    assert_eq!(
        error.hint(),
        "7 places match, on lines 1, 3, 5, 7, 9 and more: give more lines around the place meant, \
         or set replace_all"
    );
}

#[test]
fn places_that_overlap_are_several() {
    let (edit, rule) = (ONLY, Rule::Exact);
    assert_eq!(
        refusal("}\n}\n}\n", "}\n}", "}"),
        EditError::Several { edit, rule, count: 2, lines: vec![1, 2] }
    );
}

#[test]
fn an_edit_that_changes_nothing_is_refused() {
    let error = refusal("a\r\nb\r\n", "a\nb", "a\r\nb");
    assert_eq!(error, EditError::Identical { edit: ONLY });
    assert_eq!(error.to_string(), "No changes to apply: new_string is what is there already");
    let loose = refusal("    call();\n", "call();  ", "call();");
    assert_eq!(loose, EditError::Identical { edit: ONLY }, "not even by a loose rule");
}

#[test]
fn an_empty_old_text_points_to_write() {
    for text in ["", "a", "\u{feff}a"] {
        let error = refusal(text, "", "b");
        assert_eq!(error, EditError::EmptyOld { edit: ONLY });
        assert_eq!(error.hint(), "give the text to replace; use write to set the whole file");
    }
}

#[test]
fn the_number_of_edits_has_bounds() {
    assert_eq!(run("a", &[]), Err(EditError::NoEdits));
    let back_and_forth = [edit("a", "b"), edit("b", "a")];
    let hundred: Vec<Replacement> = back_and_forth.iter().cycle().take(100).cloned().collect();
    assert_eq!(run("a", &hundred).unwrap().replacements, 100);
    let more: Vec<Replacement> = back_and_forth.iter().cycle().take(101).cloned().collect();
    let error = run("a", &more).unwrap_err();
    assert_eq!(error, EditError::TooMany { count: 101 });
    assert_eq!(error.to_string(), "101 edits given; 100 are allowed in one call");
}

#[test]
fn an_error_names_the_edit_it_is_about() {
    let edits = [edit("alpha", "beta"), edit("gamma", "delta"), edit("beta", "epsilon")];
    let error = run("alpha\n", &edits).unwrap_err();
    assert_eq!(error, EditError::NotFound { edit: Which { index: 1, of: 3 }, nearest: None });
    assert_eq!(error.to_string(), "old_string not found in content (edit 2 of 3)");
}

#[test]
fn no_edit_may_make_a_text_too_large() {
    let text = "x".repeat(70_000);
    let error = run(&text, &[edit_all("x", &"y".repeat(1000))]).unwrap_err();
    assert_eq!(error, EditError::TooLarge { edit: ONLY });
    assert_eq!(error.to_string(), "The edit would make a text of more than 64 MB");
    let long = format!("{}\n", "y".repeat(100_000));
    let error = run(&" x\n".repeat(700), &[edit_all("x \n", &long)]).unwrap_err();
    assert_eq!(error, EditError::TooLarge { edit: ONLY }, "nor by a loose rule");
}

#[test]
fn rules_are_in_snake_case_on_the_wire() {
    let schema = schemars::schema_for!(Rule).to_value();
    let names: Vec<&str> = schema["oneOf"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| rule["const"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "exact",
            "line_trimmed",
            "block_anchor",
            "whitespace_normalized",
            "indentation_flexible",
            "escape_normalized",
            "trimmed_boundary",
            "context_aware",
        ]
    );
}
