//! Searching content: what is found, what is passed over, what comes back.

use super::*;
use crate::{
    files::tests::{Stage, rel},
    rules::Rules,
};

mod files;
mod pages;

fn stage(files: &[(&str, &str)]) -> Stage {
    let stage = Stage::new();
    for (path, content) in files {
        stage.put(path, content);
    }
    stage
}

fn grepped(stage: &Stage, query: &GrepQuery) -> Grepped {
    grep(&stage.files, query, &|| false).unwrap()
}

fn matches(grepped: &Grepped) -> &[GrepMatch] {
    match &grepped.page {
        GrepPage::Matches(matches) => matches,
        GrepPage::Files(_) => panic!("files instead of matches"),
    }
}

/// Matches as `path:line:text`.
fn lines(stage: &Stage, query: &GrepQuery) -> Vec<String> {
    let found = grepped(stage, query);
    matches(&found)
        .iter()
        .map(|found| format!("{}:{}:{}", found.path, found.line, found.text))
        .collect()
}

fn error(stage: &Stage, query: &GrepQuery) -> String {
    grep(&stage.files, query, &|| false).unwrap_err().to_string()
}

#[test]
fn matches_come_with_path_line_and_text() {
    let stage =
        stage(&[("b/two.rs", "x\nNOTE two\r\n"), ("a.rs", "NOTE one\n\nNOTE three"), ("c", "")]);
    let found = |path, line, text: &str| GrepMatch {
        path: rel(path),
        line,
        text: text.to_owned(),
        before: vec![],
        after: vec![],
        bad_name: false,
    };
    assert_eq!(
        grepped(&stage, &GrepQuery::new("NOTE")),
        Grepped {
            page: GrepPage::Matches(vec![
                found("a.rs", 1, "NOTE one"),
                found("a.rs", 3, "NOTE three"),
                found("b/two.rs", 2, "NOTE two"),
            ]),
            total_matches: Some(3),
            total_files: 2,
            truncated: false,
            scanned_files: 3,
            skipped_binary: 0,
            skipped_secret: 0,
            skipped_large: 0,
            unreadable: 0,
        }
    );
}

#[test]
fn options_change_what_matches() {
    let stage = stage(&[("f", "fn  main()\nFN x\na.b\naxb\n")]);
    let query = GrepQuery::new;
    assert_eq!(lines(&stage, &query(r"fn\s+\w+")), ["f:1:fn  main()"]);
    assert_eq!(
        lines(&stage, &GrepQuery { case_insensitive: true, ..query("^fn") }),
        ["f:1:fn  main()", "f:2:FN x"]
    );
    assert_eq!(lines(&stage, &query("a.b")), ["f:3:a.b", "f:4:axb"]);
    assert_eq!(lines(&stage, &GrepQuery { fixed_strings: true, ..query("a.b") }), ["f:3:a.b"]);
    assert_eq!(lines(&stage, &GrepQuery { fixed_strings: true, ..query("(") }), ["f:1:fn  main()"]);
}

#[test]
fn a_match_may_span_lines_and_neighbours_stay_apart() {
    let stage = stage(&[("f", "a {\n  x\n}\nb {\n}\nc { } d { }\nrest\n")]);
    let query = GrepQuery { multiline: true, ..GrepQuery::new(r"\w \{[^}]*\}") };
    assert_eq!(lines(&stage, &query), ["f:1:a {\n  x\n}", "f:4:b {\n}", "f:6:c { } d { }"]);
    assert_eq!(grepped(&stage, &query).total_matches, Some(3));
    let second = GrepQuery { offset: 1, limit: Some(1), before: 1, after: 1, ..query };
    let found = grepped(&stage, &second);
    let near = |line, text: &str| ContextLine { line, text: text.to_owned() };
    assert_eq!(
        matches(&found),
        [GrepMatch {
            path: rel("f"),
            line: 4,
            text: "b {\n}".to_owned(),
            before: vec![near(3, "}")],
            after: vec![near(6, "c { } d { }")],
            bad_name: false,
        }]
    );
    let dot = GrepQuery { multiline: true, ..GrepQuery::new("x.*b") };
    assert_eq!(lines(&stage, &dot), ["f:2:  x\n}\nb {"]);
}

#[test]
fn a_bad_expression_is_explained_by_the_library() {
    let stage = stage(&[("f", "")]);
    assert_eq!(
        error(&stage, &GrepQuery::new("a(b")),
        "the pattern cannot be used: regex parse error:\n    a(b\n     ^\nerror: unclosed group"
    );
    assert_eq!(
        error(&stage, &GrepQuery::new(r"(a)\1")),
        "the pattern cannot be used: regex parse error:\n    (a)\\1\n       ^^\nerror: backreferences are not supported"
    );
    assert_eq!(
        error(&stage, &GrepQuery::new(r"\w{500}{100}")),
        "the pattern cannot be used: compiled regex exceeds size limit of 10485760"
    );
    assert_eq!(
        error(&stage, &GrepQuery::new(r"a\nb")),
        r"the pattern `a\nb` contains an end of line, which needs `multiline`"
    );
}

#[test]
fn a_pattern_that_backtracks_elsewhere_is_harmless() {
    let stage = stage(&[("f", &"a".repeat(100_000))]);
    assert_eq!(grepped(&stage, &GrepQuery::new("(a*)*(a|aa)+b$")).total_matches, Some(0));
}

#[test]
fn bad_arguments_are_named() {
    let stage = stage(&[("f", "")]);
    let query = || GrepQuery::new("x");
    for (query, expected) in [
        (
            GrepQuery { file_type: Some("klingon".into()), ..query() },
            "there is no file type `klingon`",
        ),
        (
            GrepQuery { include: vec!["[z-a]".into()], ..query() },
            "the pattern `[z-a]` cannot be used: invalid range; 'z' > 'a'",
        ),
        (GrepQuery { path: Some(rel("missing")), ..query() }, "`missing` does not exist"),
        (
            GrepQuery { offset: MAX_OFFSET + 1, ..query() },
            "the offset 1000001 is too large, and the limit is 1000000",
        ),
    ] {
        assert_eq!(error(&stage, &query), expected);
    }
}

#[test]
fn long_lines_are_cut_with_a_mark() {
    let long = "ä".repeat(MAX_LINE_CHARACTERS + 1);
    let exact = "ä".repeat(MAX_LINE_CHARACTERS);
    let stage = stage(&[("f", &format!("{long}\n{exact}\n"))]);
    assert_eq!(
        lines(&stage, &GrepQuery::new("ä")),
        [format!("f:1:{exact} [cut]"), format!("f:2:{exact}")]
    );
}

#[test]
fn a_cancelled_search_is_an_error() {
    let stage = stage(&[("f", &"x\n".repeat(100_000))]);
    for path in [None, Some(rel("f"))] {
        let query = GrepQuery { path, ..GrepQuery::new("y") };
        let cancelled = grep(&stage.files, &query, &|| true);
        assert!(matches!(cancelled, Err(GrepError::File(FileError::Cancelled))));
    }
}
