//! Where matches are.

use grep_searcher::{BinaryDetection, SearcherBuilder};

use super::{super::expression::Expression, *};
use crate::grep::GrepQuery;

#[derive(Default)]
struct All(Vec<LineMatches>);

impl Taker for &mut All {
    fn wants(&mut self) -> bool {
        true
    }

    fn take(&mut self, matches: Vec<LineMatches>) -> bool {
        self.0.extend(matches);
        true
    }
}

/// Lines are `line:text` with ` start-end` of each match.
fn check(query: &GrepQuery, text: &[u8], expected: &[&str]) {
    let matcher = Expression::new(query).unwrap().matcher();
    let mut searcher = SearcherBuilder::new()
        .multi_line(query.multiline)
        .binary_detection(BinaryDetection::quit(0))
        .build();
    let by_block = searcher.multi_line_with_matcher(&matcher);
    let mut all = All::default();
    let mut spans = Spans::new(&matcher, by_block, &mut all);
    searcher.search_slice(&matcher, text, &mut spans).unwrap();
    Spans::finish(spans);
    let shown = |line: &LineMatches| {
        let range = |span: &Span| {
            format!(
                " {}:{}-{}:{}",
                span.start_line, span.start_column, span.end_line, span.end_column
            )
        };
        format!("{}:{}{}", line.line, line.text, line.ranges.iter().map(range).collect::<String>())
    };
    assert_eq!(all.0.iter().map(shown).collect::<Vec<_>>(), expected, "{}", query.pattern);
}

fn query(pattern: &str) -> GrepQuery {
    GrepQuery::new(pattern)
}

#[test]
fn every_match_of_a_line_has_its_place() {
    let text = b"nothing\none a two a\n\na\n";
    check(&query("a"), text, &["2:one a two a 2:5-2:6 2:11-2:12", "4:a 4:1-4:2"]);
    check(&query("^a$"), text, &["4:a 4:1-4:2"]);
    check(&query("^$"), text, &["3: 3:1-3:1"]);
    check(&query("t?"), b"xt\n", &["1:xt 1:2-1:3"]);
}

#[test]
fn columns_are_those_of_an_editor() {
    check(&query("x"), "äx\u{1f600}x".as_bytes(), &["1:äx\u{1f600}x 1:2-1:3 1:5-1:6"]);
    check(&query("b.*"), b"ab\r\ncb\r\n", &["1:ab 1:2-1:3", "2:cb 2:2-2:3"]);
    check(&query("x"), b"\xff\xffx", &["1:\u{fffd}\u{fffd}x 1:3-1:4"]);
}

#[test]
fn a_match_may_span_lines() {
    let spanning = |pattern: &str| GrepQuery { multiline: true, ..query(pattern) };
    let text = b"0\na {\n  b\n} {\n}\nz\n";
    check(&spanning(r"\{[^}]*\}"), text, &["2:a {\n  b\n} {\n} 2:3-4:2 4:3-5:2"]);
    check(&spanning("b\\n"), text, &["3:  b 3:3-4:1"]);
    let dot = GrepQuery { dot_matches_line_end: false, ..spanning("a.*") };
    check(&dot, text, &["2:a { 2:1-2:4"]);
}

#[test]
fn words_are_whole_and_plain_text_is_plain() {
    let word = GrepQuery { whole_word: true, ..query("a") };
    check(&word, b"a ab ba-a\n", &["1:a ab ba-a 1:1-1:2 1:9-1:10"]);
    let plain = GrepQuery { fixed_strings: true, whole_word: true, ..query("a.b") };
    check(&plain, b"a.b axb xa.b\n", &["1:a.b axb xa.b 1:1-1:4"]);
}
